use super::*;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn targets(words: &[u32]) -> Vec<(u64, bool)> {
    let all = references(&bytes(words), 0x1_0000);
    all.iter().map(|r| (r.target, r.is_branch)).collect()
}

#[test]
fn branches_and_literals_are_read() {
    // b .+8; bl .-4; b.eq .+12; cbnz x1, .-8; tbz w2, #3, .+16; ldr x0, .+8; adr x0, .+5
    let code = [
        0x1400_0002,
        0x97ff_ffff,
        0x5400_0060,
        0xb5ff_ffc1,
        0x3618_0082,
        0x5800_0040,
        0x3000_0020,
    ];
    let expected = [
        (0x1_0008, true),
        (0x1_0000, true),
        (0x1_0014, true),
        (0x1_0004, true),
        (0x1_0020, true),
        (0x1_001c, false),
        (0x1_001d, false),
    ];
    assert_eq!(targets(&code), expected);
}

#[test]
fn addresses_of_two_instructions_are_put_together() {
    // adrp x0, +0x2000; add x0, x0, #0x123; ldr x1, [x0, #8]: what is loaded counts from the sum.
    assert_eq!(
        targets(&[0xd000_0000, 0x9104_8c00, 0xf940_0401]),
        [(0x1_2123, false)]
    );
    // adrp x1; nop; ldr w1, [x1, #8]; ldr w2, [x1, #4]: the second counts from what the first loaded.
    assert_eq!(
        targets(&[0xb000_0001, NOP, 0xb940_0821, 0xb940_0422]),
        [(0x1_1008, false)]
    );
    // adrp x1; str x1, [x1, #8]; ldrb w2, [x1, #4]; str q0, [x1, #16]
    let stores = [0xb000_0001, 0xf900_0421, 0x3940_1022, 0x3d80_0420];
    assert_eq!(
        targets(&stores),
        [(0x1_1008, false), (0x1_1004, false), (0x1_1010, false)]
    );
    // adrp x4; b .+8; ret; ldr x4, [x4, #8]: what it jumps to completes it.
    assert_eq!(
        targets(&[0xb000_0004, 0x1400_0002, RET, 0xf940_0484]),
        [(0x1_1008, false), (0x1_000c, true)]
    );
    // adrp x8; str x19, [x8, #2728]; mov x8, sp; add x0, x8, #8: by then it is another's.
    assert_eq!(
        targets(&[0xb000_0008, 0xf905_5513, 0x9100_03e8, 0x9100_2100]),
        [(0x1_1aa8, false)]
    );
    // adrp x8; orr x8, x9, x10; ldr x0, [x8]: likewise.  After movk of the highest bits and ccmp it is not.
    assert_eq!(targets(&[0xb000_0008, 0xaa0a_0128, 0xf940_0100]), []);
    assert_eq!(targets(&[0xb000_0008, 0xf2e0_0028, 0xf940_0100]).len(), 1);
    assert_eq!(targets(&[0xb000_0008, 0xfa41_0008, 0xf940_0100]).len(), 1);
    // adrp x0; bl; add x0, x0, #1: a call does not keep it.  But it does x19.
    assert_eq!(targets(&[0xb000_0000, 0x9400_0001, 0x9100_0400]).len(), 1);
    assert_eq!(targets(&[0xb000_0013, 0x9400_0001, 0x9100_0673]).len(), 2);
}

#[test]
fn what_is_wanted_is_found() {
    let wanted = Wanted::new(vec![0x1_1008..0x1_1009, 0x1_2000..0x1_2004]);
    let of = |words: &[u32]| {
        let mut found = Vec::new();
        scan(&bytes(words), 0x1_0000, &wanted, Data::NONE, |r| {
            found.push(r.target);
        });
        found
    };
    assert_eq!(of(&[0xb000_0001, 0xf900_0421]), [0x1_1008]);
    assert_eq!(of(&[0xb000_0001, 0xf900_0821]), [0; 0]);
    // A page that nothing completes.
    assert_eq!(of(&[0xb000_0001, NOP]), [0x1_1008]);
    assert_eq!(of(&[0x1400_0800]), [0x1_2000]);
    assert_eq!(of(&[0x1400_0801]), [0; 0]);
}

#[test]
fn a_function_ends_where_nothing_goes_on() {
    // cbz x0, .+12; nop; ret; nop; ret; nop
    assert_eq!(end(&bytes(&[0xb400_0060, NOP, RET, NOP, RET, NOP])), 20);
    assert_eq!(end(&bytes(&[NOP, 0x1500_0000, NOP])), 8);
}

#[test]
fn pads_and_padding_are_told() {
    assert_eq!(behind_landing(&bytes(&[BTI[0], RET]), 8), 12);
    assert_eq!(behind_landing(&bytes(&[RET]), 8), 8);
    assert_eq!(padding(&bytes(&[NOP, 0, RET])), 8);
}
