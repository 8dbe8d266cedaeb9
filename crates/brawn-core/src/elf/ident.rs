//! The identification that every ELF file begins with.

use crate::error::{Error, Result};

/// The identification at the start of every ELF file, of any class and byte order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ident {
    /// 64-bit class.
    pub is_64: bool,
    /// Little-endian data.
    pub is_little: bool,
    /// `e_machine`.
    pub machine: u16,
}

impl Ident {
    /// Reads it from the first 20 bytes of an ELF file at `offset`.
    pub fn read(bytes: &[u8], offset: u64) -> Result<Self> {
        let (Some(class), Some(data), Some(machine)) =
            (bytes.get(4), bytes.get(5), bytes.get(18..20))
        else {
            return Err(Error::malformed("ELF header is truncated")
                .at(offset)
                .expected("64 bytes"));
        };
        let is_64 = match class {
            1 => false,
            2 => true,
            other => {
                return Err(Error::malformed(format!("ELF class {other}"))
                    .at(offset.saturating_add(4))
                    .expected("1 (32-bit) or 2 (64-bit)"));
            }
        };
        let machine = [machine[0], machine[1]];
        let (is_little, machine) = match data {
            1 => (true, u16::from_le_bytes(machine)),
            2 => (false, u16::from_be_bytes(machine)),
            other => {
                return Err(Error::malformed(format!("ELF data encoding {other}"))
                    .at(offset.saturating_add(5))
                    .expected("1 (little endian) or 2 (big endian)"));
            }
        };
        Ok(Self {
            is_64,
            is_little,
            machine,
        })
    }

    /// The architecture in words.
    pub fn describe(self) -> String {
        let name = match self.machine {
            3 => "i386",
            8 => "mips",
            20 => "powerpc",
            21 => "powerpc64",
            22 => "s390x",
            40 => "arm",
            62 if self.is_64 => "x86_64",
            62 => "x32",
            183 => "aarch64",
            243 if self.is_64 => "riscv64",
            243 => "riscv32",
            258 => "loongarch64",
            other => return format!("ELF machine {other}"),
        };
        let endian = if self.is_little { "" } else { ", big endian" };
        format!("{name}{endian}")
    }

    /// The architecture, if it is one that a payload can be for.
    pub fn architecture(self) -> Option<brawn_payload::Architecture> {
        (self.is_64 && self.is_little)
            .then(|| brawn_payload::Architecture::from_elf_machine(self.machine))
            .flatten()
    }
}
