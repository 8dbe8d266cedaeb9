//! Functions that do nothing. Many names may share one.

use brawn_payload::Architecture;

/// `endbr64`: in programs with control-flow enforcement, indirect calls must land on it.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// `bti c` and `bti jc`, the same on aarch64.
const BTI: [u32; 2] = [0xd503_245f, 0xd503_24df];
/// `ret` on aarch64.
const RET: u32 = 0xd65f_03c0;
/// `mov w0, #0` and `mov w0, wzr`.
const ZERO: [u32; 2] = [0x5280_0000, 0x2a1f_03e0];

/// Whether a function with this code does nothing, or only returns zero.
pub(crate) fn is_stub(architecture: Architecture, code: &[u8]) -> bool {
    match architecture {
        Architecture::X86_64 => x86_64(code),
        Architecture::Aarch64 => aarch64(code),
    }
}

fn x86_64(code: &[u8]) -> bool {
    let code = code.strip_prefix(&ENDBR64).unwrap_or(code);
    matches!(code, [0xc3, ..] | [0x31, 0xc0, 0xc3, ..] | [0xf3, 0xc3, ..])
}

fn aarch64(code: &[u8]) -> bool {
    let words = code.as_chunks::<4>().0.iter();
    let mut rest = words
        .map(|w| u32::from_le_bytes(*w))
        .filter(|w| !BTI.contains(w));
    match rest.next() {
        Some(RET) => true,
        Some(first) => ZERO.contains(&first) && rest.next() == Some(RET),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stubs_are_told_from_code() {
        let bytes =
            |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        assert!(aarch64(&bytes(&[BTI[0], ZERO[0], RET])));
        assert!(aarch64(&bytes(&[RET])));
        assert!(!aarch64(&bytes(&[ZERO[0], 0xd503_201f])));
        assert!(x86_64(b"\xf3\x0f\x1e\xfa\x31\xc0\xc3"));
        assert!(!x86_64(b"\x31\xc0\x90"));
    }
}
