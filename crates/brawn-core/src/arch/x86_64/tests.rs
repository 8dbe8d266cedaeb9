use super::super::Isa;
use super::*;

#[test]
fn jumps_are_read() {
    let begins_with_jump = |code: &[u8], at| Isa::X86_64.begins_with_jump(code, at);
    assert_eq!(begins_with_jump(b"\xe9\x10\0\0\0", 0x1000), Some(0x1015));
    assert_eq!(
        begins_with_jump(b"\xf3\x0f\x1e\xfa\xe9\xfc\xff\xff\xff", 0x1000),
        Some(0x1005)
    );
    assert_eq!(begins_with_jump(b"\x55\x48", 0x1000), None);
    assert_eq!(begins_with_jump(b"\xe9\x10", 0x1000), None);
}

#[test]
fn stubs_are_told_from_code() {
    assert!(is_stub(b"\xf3\x0f\x1e\xfa\x31\xc0\xc3"));
    assert!(!is_stub(b"\x31\xc0\x90"));
}

#[test]
fn what_linkers_change() {
    // The distance of a jump, an entry of a table.
    assert_eq!(changed(1, 4), 1..5);
    assert_eq!(changed(8, 42), 5..12);
}
