use super::*;
use crate::error::Kind;

#[test]
fn a_function_is_said_by_name_address_and_size() {
    let given: Given = "malloc_usable_size=0x1a0+c9".parse().unwrap();
    assert_eq!((given.address, given.size), (0x1a0, 0xc9));
    for wrong in [
        "",
        "malloc",
        "malloc=1",
        "malloc=+1+1",
        "malloc=1+-1",
        "malloc=1+1+1",
        "malloc=0x+1",
        "malloc=1+10000000000000000",
        "mine=1+1",
        "=1+1",
    ] {
        let error = wrong.parse::<Given>().unwrap_err();
        assert_eq!(error.kind(), Kind::Usage, "{wrong}");
    }
}

#[test]
fn a_function_ends_where_nothing_runs_on() {
    // push; ret.  ret; push.  ret, and a part of an instruction.  hlt.  je over hlt, to the end and to ret.  jmp to elsewhere, and to the end.  je to
    // elsewhere.
    for (code, is_whole) in [
        (&[0x53, 0xc3][..], true),
        (&[0xc3, 0x53], false),
        (&[0xc3, 0xe9], false),
        (&[0xf4], true),
        (&[0x74, 1, 0xf4], false),
        (&[0x74, 1, 0xf4, 0xc3], true),
        (&[0xe9, 9, 0, 0, 0], true),
        (&[0xe9, 0, 0, 0, 0], false),
        (&[0x0f, 0x84, 9, 0, 0, 0, 0xc3], false),
        (&[], false),
    ] {
        assert_eq!(is_whole_x86_64(0x1000, code), is_whole, "{code:x?}");
    }
    // ret; b and br x16 to elsewhere; brk; b and cbz to the end; bl, b.eq and tbz to elsewhere; nop
    for (words, is_whole) in [
        (&[0xd65f_03c0][..], true),
        (&[0x17ff_fffa], true),
        (&[0xd61f_0200], true),
        (&[0xd420_7d00], true),
        (&[0x1400_0001], false),
        (&[0x3400_0040, 0xd65f_03c0], false),
        (&[0x3400_0020, 0xd65f_03c0], true),
        (&[0x97ff_fffa], false),
        (&[0x97ff_fffa, 0xd65f_03c0], true),
        (&[0x54ff_ffe0, 0xd65f_03c0], false),
        (&[0x3607_ffe0, 0xd65f_03c0], false),
        (&[0xd503_201f], false),
    ] {
        let code: Vec<u8> = words.iter().flat_map(|w| u32::to_le_bytes(*w)).collect();
        assert_eq!(is_whole_aarch64(0x1000, &code), is_whole, "{words:x?}");
    }
}
