//! Recognizes what `brawn rewrite` did to an executable. The payload is a code segment of its own after all others,
//! and the entries of musl's functions jump to it.

use crate::elf::image::{Image, Type};
use crate::note;
use brawn_payload::Architecture;
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
            at = match image.ident.architecture()? {
                Architecture::X86_64 => x86_64(code, at)?,
                Architecture::Aarch64 => aarch64(code, at)?,
            };
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

/// `[endbr64] jmp rel32`.
fn x86_64(code: &[u8], address: u64) -> Option<u64> {
    let marked = code.strip_prefix(b"\xf3\x0f\x1e\xfa");
    let at = address + if marked.is_some() { 4 } else { 0 };
    let offset = marked.unwrap_or(code).strip_prefix(b"\xe9")?;
    let offset = i32::from_le_bytes(*offset.first_chunk()?);
    Some((at + 5).wrapping_add_signed(offset.into()))
}

/// `[bti c] b TARGET`, or `[bti c] adrp x16, …; add x16, x16, …; br x16`.
fn aarch64(code: &[u8], address: u64) -> Option<u64> {
    const BTI_C: u32 = 0xd503_245f;
    let word = |n: usize| {
        let bytes = code.get(n * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let first = usize::from(word(0)? == BTI_C);
    let at = address + 4 * first as u64;
    let jump = word(first)?;
    // A signed number of `bits` bits.
    let signed =
        |value: u32, bits: u32| i64::from((value << (32 - bits)).cast_signed() >> (32 - bits));
    if jump & 0xfc00_0000 == 0x1400_0000 {
        return Some(at.wrapping_add_signed(signed(jump & 0x03ff_ffff, 26) * 4));
    }
    let (add, branch) = (word(first + 1)?, word(first + 2)?);
    let is_far = jump & 0x9f00_001f == 0x9000_0010
        && add & 0xffc0_03ff == 0x9100_0210
        && branch == 0xd61f_0200;
    let pages = ((jump >> 5) & 0x7_ffff) << 2 | (jump >> 29) & 3;
    let page = (at & !0xfff).wrapping_add_signed(signed(pages, 21) << 12);
    is_far.then(|| page + u64::from((add >> 10) & 0xfff))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_read() {
        assert_eq!(x86_64(b"\xe9\x10\0\0\0", 0x1000), Some(0x1015));
        assert_eq!(
            x86_64(b"\xf3\x0f\x1e\xfa\xe9\xfc\xff\xff\xff", 0x1000),
            Some(0x1005)
        );
        assert_eq!(x86_64(b"\x55\x48", 0x1000), None);
        assert_eq!(x86_64(b"\xe9\x10", 0x1000), None);
        // As GNU as assembles them at 0x401000: `b .+0x100000`, `b .-8`.
        let words =
            |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        assert_eq!(aarch64(&words(&[0x1404_0000]), 0x401000), Some(0x501000));
        assert_eq!(aarch64(&words(&[0x17ff_fffe]), 0x401000), Some(0x400ff8));
        assert_eq!(
            aarch64(&words(&[0xd503_245f, 0x1400_0002]), 0x401000),
            Some(0x40100c)
        );
        // `adrp x16, 0x10901000; add x16, x16, #0x123; br x16`.
        let far = words(&[0x9008_2810, 0x9104_8e10, 0xd61f_0200]);
        assert_eq!(aarch64(&far, 0x401010), Some(0x1090_1123));
        let back = words(&[0x90f7_d810, 0x9104_8e10, 0xd61f_0200]);
        assert_eq!(aarch64(&back, 0x2040_101c), Some(0x0ff0_1123));
        assert_eq!(aarch64(&words(&[0xd65f_03c0]), 0x401000), None);
    }
}
