use super::*;

#[test]
fn operands_are_told_from_what_looks_like_them() {
    // cmpb $5, 0x100(%rip); call .+0x10; mov $0x401000, %edi; jmp .+2
    let code = [
        0x80, 0x3d, 0, 1, 0, 0, 5, 0xe8, 0x0b, 0, 0, 0, 0xbf, 0, 0x10, 0x40, 0, 0xeb, 0,
    ];
    let all = references(&code, 0x1000);
    let targets: Vec<_> = all.iter().map(|r| (r.at, r.target, r.is_branch)).collect();
    // The displacement counts from behind the immediate operand.
    let expected = [
        (0x1000, 0x1107, false),
        (0x1007, 0x1017, true),
        (0x1011, 0x1013, true),
    ];
    assert_eq!(targets, expected);
    let at = |place| operand(&code, 0x1000, place, Some(&mut 0x1000)).map(|r| r.target);
    assert_eq!(at(0x1002), Some(0x1107));
    assert_eq!(at(0x1008), Some(0x1017));
    assert_eq!(at(0x100d), Some(0x40_1000));
    assert_eq!(at(0x1012), Some(0x1013));
    for place in [0x1001, 0x1003, 0x1007, 0x100c, 0x100e] {
        assert_eq!(at(place), None, "{place:#x}");
    }
    // What is read on from the place before is the same.
    let mut from = 0x1000;
    for place in 0x1001..0x1013 {
        let on = operand(&code, 0x1000, place, Some(&mut from));
        assert_eq!(on.map(|r| r.target), at(place), "{place:#x}");
    }
    assert_eq!(from, 0x1011);
}

#[test]
fn a_jump_over_padding_does_nothing() {
    assert!(skips_padding(&[0xe9, 0, 0, 0, 0]));
    assert!(skips_padding(&[0xe9, 2, 0, 0, 0, 0x90, 0x90]));
    assert!(skips_padding(&[0xe9, 2, 0, 0, 0, 0x66, 0x90]));
    // Too short, to elsewhere, over something, another instruction.
    assert!(!skips_padding(&[0xe9, 0, 0, 0]));
    assert!(!skips_padding(&[0xe9, 1, 0, 0, 0, 0x90, 0x90]));
    assert!(!skips_padding(&[0xe9, 2, 0, 0, 0, 0x90, 0xc3]));
    assert!(!skips_padding(&[0xe8, 2, 0, 0, 0, 0x90, 0x90]));
}

#[test]
fn a_function_ends_where_nothing_goes_on() {
    // je .+3; nop; ret; nop; ret; nop
    assert_eq!(end(&[0x74, 2, 0x90, 0xc3, 0x90, 0xc3, 0x90]), 6);
    // nop; jmp far away; nop
    assert_eq!(end(&[0x90, 0xe9, 0, 0, 1, 0, 0x90]), 6);
}

#[test]
fn padding_is_no_code() {
    assert_eq!(
        padding(&[0x90, 0xcc, 0, 0x66, 0x90, 0x0f, 0x1f, 0x40, 0]),
        9
    );
    assert_eq!(padding(&[0x90, 0xc3]), 1);
    assert_eq!(padding(&[0x31, 0xc0]), 0);
}
