use super::path;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

#[test]
fn a_shell_reads_the_same_name() {
    assert_eq!(path("a/libc.a"), "a/libc.a");
    assert_eq!(path("a b"), "'a b'");
    assert_eq!(path("-o"), "./-o");
    for name in [
        &b"a'b\"c$d"[..],
        b"",
        b"new\nline",
        b"\xff\xfe7.a",
        b"\x1b[31m'\\1",
        "\u{202e}ü".as_bytes(),
    ] {
        let name = OsStr::from_bytes(name);
        let line = format!("printf %s {}", path(name));
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        assert_eq!(output.stdout, name.as_bytes(), "{line}");
    }
}
