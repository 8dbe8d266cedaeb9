use super::*;

#[test]
fn reads_calls_and_jumps() {
    let code = [
        0x90, 0xe8, 0xfb, 0xff, 0xff, 0xff, 0xe9, 1, 0, 0, 0, 0xe8, 1,
    ];
    let found: Vec<_> = Isa::X86_64.branches(&code, 0x1000).collect();
    assert_eq!(found, [(0x1001, 0x1001), (0x1006, 0x100c)]);
    // bl .+8; b .-4; nop
    let code: Vec<u8> = [0x9400_0002u32, 0x17ff_ffff, 0xd503_201f]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    let found: Vec<_> = Isa::Aarch64.branches(&code, 0x2000).collect();
    assert_eq!(found, [(0x2000, 0x2008), (0x2004, 0x2000)]);
}
