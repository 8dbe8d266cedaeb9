use super::*;
use Isa::{Aarch64, X86_64};

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn at(architecture: Isa, code: &[u8], at: u64) -> Option<(u64, bool, u64)> {
    architecture
        .branch(code, at)
        .map(|b| (b.target, b.is_call, b.length))
}

#[test]
fn branches_of_x86_64() {
    let jump = [0xe9, 0xfb, 0x0f, 0, 0];
    assert_eq!(at(X86_64, &jump, 0x401000), Some((0x402000, false, 5)));
    let call = [0xe8, 0xfb, 0xef, 0xff, 0xff];
    assert_eq!(at(X86_64, &call, 0x402000), Some((0x401000, true, 5)));
    assert_eq!(at(X86_64, &call[..4], 0x402000), None);
    assert_eq!(at(X86_64, &[0xeb, 0, 0, 0, 0], 0x402000), None);
}

// As `aarch64-linux-gnu-objdump` reads the same words.
#[test]
fn branches_of_aarch64() {
    let b = words(&[0x1400_0400]);
    assert_eq!(at(Aarch64, &b, 0x1000), Some((0x2000, false, 4)));
    let bl = words(&[0x97ff_fc00]);
    assert_eq!(at(Aarch64, &bl, 0x2000), Some((0x1000, true, 4)));
    // To 0x2345 pages and 0x678 bytes from page 1, then one page back.
    let far = words(&[0xb001_1a30, 0x9119_e210, 0xd61f_0200]);
    assert_eq!(at(Aarch64, &far, 0x1abc), Some((0x234_6678, false, 12)));
    let back = words(&[0xf0ff_fff0, 0x9100_0210, 0xd61f_0200]);
    assert_eq!(at(Aarch64, &back, 0x5000), Some((0x4000, false, 12)));
    assert_eq!(at(Aarch64, &far[..8], 0x1abc), None);
    // Another register.
    let other = words(&[0xb001_1a31, 0x9119_e210, 0xd61f_0200]);
    assert_eq!(at(Aarch64, &other, 0x1abc), None);
}
