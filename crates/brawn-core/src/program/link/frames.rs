//! Unwind information: turns the compiler's `.eh_frame` into a `.debug_frame` with addresses. Debuggers read it, and
//! programs do not load it.
//!
//! Both contain common entries (CIE) and, for each function, an entry (FDE) that refers to a CIE (DWARF 4, 6.4.1;
//! Linux Standard Base Core, "Exception Frames"). They differ in these points: the mark of a CIE (id 0, or all ones);
//! how an FDE refers to its CIE (by the distance back, or by the CIE's offset); the size of addresses; and the
//! augmentation that gives this size.

use crate::error::{Error, Result};
use brawn_payload::Frames;
use std::collections::HashMap;

/// On both architectures, in bytes.
const ADDRESS: usize = 8;
/// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`: the form of addresses in an `.eh_frame`.
const DISTANCE: u8 = 0x1b;
const DW_CFA_NOP: u8 = 0;

/// A `.debug_frame` section that is being made.
#[derive(Default)]
pub struct DebugFrame {
    pub bytes: Vec<u8>,
    /// The offset of each CIE, by its contents.
    common: HashMap<Vec<u8>, u32>,
}

impl DebugFrame {
    /// Adds the entries of `frames` for functions that have an address. The address is looked up by section and
    /// offset.
    ///
    /// Errors: [`Kind::Malformed`](crate::Kind::Malformed) for a form that no compiler of the payload writes.
    pub fn add(
        &mut self,
        frames: &Frames,
        address: &dyn Fn(&str, u64) -> Option<u64>,
    ) -> Result<()> {
        let mut rest = Reader {
            bytes: frames.bytes.get(),
            at: 0,
        };
        // The contents of each CIE for a .debug_frame, by its old offset.
        let mut common: HashMap<usize, Vec<u8>> = HashMap::new();
        while rest.at < frames.bytes.len() {
            let start = rest.at;
            let length = rest.u32()? as usize;
            let mut entry = rest.entry(length)?;
            if length == 0 {
                continue; // the end of one section of several
            }
            let id_at = entry.at;
            let id = entry.u32()? as usize;
            if id == 0 {
                common.insert(start, entry.common()?);
                continue;
            }
            let begin = entry.at;
            let function = frames
                .functions
                .iter()
                .find(|(at, ..)| *at as usize == begin);
            let Some(address) = function.and_then(|(_, section, place)| address(section, *place))
            else {
                continue; // not in the program
            };
            let of = id_at.checked_sub(id).and_then(|at| common.get(&at));
            let of = of
                .ok_or_else(|| entry.bad("an entry of no common entry"))?
                .clone();
            entry.u32()?; // the distance to the function
            let size = entry.u32()?;
            let augmentation = entry.uleb()?;
            entry.take(augmentation as usize)?;
            let instructions = entry.rest();
            let common = self.common(of)?;
            let mut bytes = common.to_le_bytes().to_vec();
            bytes.extend(address.to_le_bytes());
            bytes.extend(u64::from(size).to_le_bytes());
            bytes.extend(instructions);
            self.put(&bytes)?;
        }
        Ok(())
    }

    /// The offset of the CIE with the contents `of`, which is added if it is new.
    fn common(&mut self, of: Vec<u8>) -> Result<u32> {
        if let Some(at) = self.common.get(&of) {
            return Ok(*at);
        }
        let at =
            u32::try_from(self.bytes.len()).map_err(|_| Error::refused("too many functions"))?;
        self.put(&of)?;
        self.common.insert(of, at);
        Ok(at)
    }

    /// Adds an entry with its length, padded to a multiple of the size of an address.
    fn put(&mut self, entry: &[u8]) -> Result<()> {
        let size = (4 + entry.len()).next_multiple_of(ADDRESS);
        let length = u32::try_from(size - 4).map_err(|_| Error::refused("an entry of 4 GiB"))?;
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(entry);
        let end = self.bytes.len() + size - 4 - entry.len();
        self.bytes.resize(end, DW_CFA_NOP);
        Ok(())
    }
}

/// Bytes from `at` on.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bad(&self, found: impl Into<String>) -> Error {
        Error::malformed(format!(
            "unwind information, at {:#x}: {}",
            self.at,
            found.into()
        ))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| self.bad("its end"))?;
        self.at += length;
        Ok(taken)
    }

    fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }

    /// The next `length` bytes, which count as read.
    fn entry(&mut self, length: usize) -> Result<Self> {
        let at = self.at;
        self.take(length)?;
        Ok(Self {
            bytes: &self.bytes[..self.at],
            at,
        })
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk();
        bytes
            .map(|b| u32::from_le_bytes(*b))
            .ok_or_else(|| self.bad("its end"))
    }

    fn uleb(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.bad("a number of more than 63 bits"))
    }

    /// The bytes of a LEB128 number.
    fn leb(&mut self) -> Result<&'a [u8]> {
        let from = self.at;
        self.uleb()?;
        Ok(&self.bytes[from..self.at])
    }

    /// The contents of a CIE, after its id, for a `.debug_frame`.
    fn common(&mut self) -> Result<Vec<u8>> {
        let version = self.u8()?;
        if version != 1 || self.take(3)? != b"zR\0" {
            return Err(self
                .bad("a common entry")
                .expected("version 1 with augmentation zR"));
        }
        let factors = [self.leb()?, self.leb()?].concat();
        let return_address = self.u8()?;
        let augmentation = self.uleb()?;
        if augmentation != 1 || self.u8()? != DISTANCE {
            return Err(self
                .bad("addresses of another form")
                .expected("distances of 32 bits"));
        }
        let mut bytes = u32::MAX.to_le_bytes().to_vec();
        bytes.extend([version, 0]); // no augmentation
        bytes.extend(factors);
        bytes.push(return_address);
        bytes.extend(self.rest());
        Ok(bytes)
    }
}
