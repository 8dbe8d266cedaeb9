use super::*;

fn of(abi: u8, interpreter: &str, note: Option<(&'static [u8], &'static [u8])>) -> String {
    let mut bytes = [0; 16];
    bytes[OS_ABI] = abi;
    let notes = note.into_iter().map(|(owner, contents)| AnyNote {
        owner,
        kind: 1,
        contents,
    });
    let interpreter = (!interpreter.is_empty()).then_some(interpreter.as_bytes());
    let found = System::of(&bytes, elf::EM_X86_64.0, interpreter, notes);
    found.map_or("Linux".into(), |(system, _)| system.name().into())
}

#[test]
fn the_header_notes_and_the_interpreter_tell() {
    let linux = b"\0\0\0\0\x03\0\0\0";
    for (abi, interpreter, note, expected) in [
        (0, "", None, "Linux"),
        (3, "/lib/ld-musl-x86_64.so.1", None, "Linux"),
        (0, "/lib64/ld-linux-x86-64.so.2\0", None, "Linux"),
        (0, "", Some((&b"GNU"[..], &linux[..])), "Linux"),
        (0, "", Some((b"Go", b"x")), "Linux"),
        (97, "", None, "Linux"),
        (12, "", None, "OpenBSD"),
        (0, "/usr/libexec/ld.so\0", None, "OpenBSD"),
        (0, "", Some((b"OpenBSD", &[0; 4])), "OpenBSD"),
        (9, "", None, "FreeBSD"),
        (0, "/libexec/ld-elf.so.1", None, "FreeBSD"),
        (0, "/usr/libexec/ld-elf.so.2", None, "DragonFly BSD"),
        (2, "", None, "NetBSD"),
        (0, "/usr/libexec/ld.elf_so", None, "NetBSD"),
        (0, "/lib/amd64/ld.so.1", None, "illumos"),
        (0, "ld.so.1", None, "Fuchsia"),
        (0, "/system/bin/linker64\0", None, "Android"),
        (0, "/apex/com.android.runtime/bin/linker", None, "Android"),
        (0, "", Some((b"Android", &[21, 0, 0, 0])), "Android"),
        (0, "", Some((b"GNU", b"\x01\0\0\0")), "the Hurd"),
        (0, "", Some((b"GNU", b"\0\0\0\x03")), "FreeBSD"),
        (1, "", None, "another system"),
    ] {
        assert_eq!(
            of(abi, interpreter, note),
            expected,
            "{abi} {interpreter} {note:?}"
        );
    }
}
