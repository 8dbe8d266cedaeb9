use super::super::Isa;
use super::*;

#[test]
fn jumps_are_read() {
    let begins_with_jump = |code: &[u8], at| Isa::Aarch64.begins_with_jump(code, at);
    // As GNU as assembles them at 0x401000: `b .+0x100000`, `b .-8`.
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    assert_eq!(
        begins_with_jump(&words(&[0x1404_0000]), 0x401000),
        Some(0x501000)
    );
    assert_eq!(
        begins_with_jump(&words(&[0x17ff_fffe]), 0x401000),
        Some(0x400ff8)
    );
    assert_eq!(
        begins_with_jump(&words(&[0xd503_245f, 0x1400_0002]), 0x401000),
        Some(0x40100c)
    );
    // `adrp x16, 0x10901000; add x16, x16, #0x123; br x16`.
    let far = words(&[0x9008_2810, 0x9104_8e10, 0xd61f_0200]);
    assert_eq!(begins_with_jump(&far, 0x401010), Some(0x1090_1123));
    let back = words(&[0x90f7_d810, 0x9104_8e10, 0xd61f_0200]);
    assert_eq!(begins_with_jump(&back, 0x2040_101c), Some(0x0ff0_1123));
    assert_eq!(begins_with_jump(&words(&[0xd65f_03c0]), 0x401000), None);
}

#[test]
fn stubs_are_told_from_code() {
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    assert!(is_stub(&bytes(&[BTI[0], ZERO[0], RET])));
    assert!(is_stub(&bytes(&[RET])));
    assert!(!is_stub(&bytes(&[ZERO[0], 0xd503_201f])));
}

#[test]
fn what_linkers_change() {
    assert_eq!(changed(8, 283), 8..12);
}
