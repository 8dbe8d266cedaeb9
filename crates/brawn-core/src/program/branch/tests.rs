/// `bl` to the second instruction after it.
const BL: [u8; 4] = [2, 0, 0, 0x94];

use super::*;
use Isa::{Aarch64, X86_64};

#[test]
fn branches_of_x86_64() {
    let bytes = jump(X86_64, 0x401000, 0x402000, 5).unwrap();
    assert_eq!(bytes, [0xe9, 0xfb, 0x0f, 0, 0]);
    let bytes = redirect(X86_64, &[0xe8], 0x402000, 0x401000).unwrap();
    assert_eq!(bytes, [0xe8, 0xfb, 0xef, 0xff, 0xff]);
    assert!(jump(X86_64, 0x401000, 0x402000, 4).is_err());
    assert!(jump(X86_64, 0, 1 << 40, 16).is_err());
}

// The output of `aarch64-linux-gnu-as` for the same instructions.
#[test]
fn branches_of_aarch64() {
    let words = |bytes: Vec<u8>| -> Vec<u32> {
        bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| u32::from_le_bytes(*b))
            .collect()
    };
    assert_eq!(
        words(jump(Aarch64, 0x1000, 0x2000, 4).unwrap()),
        [0x1400_0400]
    );
    assert_eq!(
        words(redirect(Aarch64, &BL, 0x2000, 0x1000).unwrap()),
        [0x97ff_fc00]
    );
    let far = words(jump(Aarch64, 0x1000, 0x1234_5678, 12).unwrap());
    assert_eq!(far, [0x9009_1a30, 0x9119_e210, 0xd61f_0200]);
    let far = words(jump(Aarch64, 0x1234_5678, 0x1000, 12).unwrap());
    assert_eq!(far, [0x90f6_e5f0, 0x9100_0210, 0xd61f_0200]);
    assert!(jump(Aarch64, 0x1000, 0x1234_5678, 8).is_err());
    assert!(redirect(Aarch64, &BL, 0x1000, 0x1234_5678).is_err());
    assert!(redirect(Aarch64, &[0xc0, 0x03, 0x5f, 0xd6], 0x2000, 0x1000).is_err());
}
