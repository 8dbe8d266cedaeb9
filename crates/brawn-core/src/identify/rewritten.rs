//! Recognizes what `brawn rewrite` did to an executable. The payload is a code segment of its own after all others,
//! and the entries of musl's functions jump to it.

use crate::arch::Isa;
use crate::elf::image::{Image, Type};
use crate::note;
use std::ops::Range;

/// The payload in a rewritten executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Addresses of its code.
    code: Range<u64>,
    /// Whether the heap is exchanged.
    pub has_heap: bool,
}

impl Rewritten {
    /// The payload, if `image` was rewritten. Linkers put all code into one segment, and never put notes after it.
    pub fn of(image: &Image<'_>) -> Option<Self> {
        if !matches!(image.kind, Type::Executable | Type::Shared) || image.brawn.is_empty() {
            return None;
        }
        let code = image.loads.iter().filter(|load| load.executable);
        let (address, bytes) = payload_code(code.map(|load| (load.address, load.data)))?;
        Some(Self {
            code: address..address + bytes.len() as u64,
            has_heap: note::heaps(&image.brawn).next().is_some(),
        })
    }

    /// Whether the function at `address` is the payload's own, or jumps to the payload.
    pub fn has(&self, image: &Image<'_>, address: u64) -> bool {
        self.code.contains(&address) || self.behind(image, address).is_some()
    }

    /// The payload's function behind `address`: the target if the entry jumps to the payload, or to a function that
    /// does. `bcmp`, for example, jumps to `memcmp`.
    pub fn behind(&self, image: &Image<'_>, address: u64) -> Option<u64> {
        let mut at = address;
        for _ in 0..2 {
            let code = image.bytes_at(at)?;
            let isa = Isa::of(image.ident.architecture()?)?;
            at = isa.begins_with_jump(code, at)?;
            if self.code.contains(&at) {
                return Some(at);
            }
        }
        None
    }
}

/// The payload's segment among all code segments, which are addresses with bytes; `None` if the program was not
/// rewritten.
pub(crate) fn payload_code<'a>(
    mut code: impl DoubleEndedIterator<Item = (u64, &'a [u8])>,
) -> Option<(u64, &'a [u8])> {
    let (Some(_), Some(last)) = (code.next(), code.next_back()) else {
        return None;
    };
    // A note's type and owner (docs/note.md).
    let mark = [&1u32.to_le_bytes()[..], note::OWNER, b"\0"].concat();
    memchr::memmem::find(last.1, &mark).map(|_| last)
}
