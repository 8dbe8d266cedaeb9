use super::*;

#[test]
fn formats_are_told_by_their_first_bytes() {
    for (bytes, format) in [
        (&b"!<arch>\ndebian-binary   1"[..], Format::Debian),
        (b"!<arch>\ndebian.o/", Format::Archive),
        (b"\xfd7zXZ\0\0\x04", Format::Xz),
        (b"\x28\xb5\x2f\xfd\x04", Format::Zstd),
        (b"\x53\x2a\x4d\x18\0", Format::Zstd),
        (b"BZh91AY&SY", Format::Bzip2),
        (b"BZh9\x17\x72\x45\x38\x50\x90", Format::Bzip2),
        (b"BZh9 is how it begins", Format::Other),
        (b"", Format::Other),
    ] {
        assert_eq!(Format::of(bytes), format, "{bytes:?}");
    }
    let mut header = tar::Header::new_old();
    header.set_path("bin/tool").unwrap();
    header.set_size(7);
    header.set_mode(0o755);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    assert_eq!(Format::of(&bytes), Format::Tar);
    bytes[0] ^= 1;
    assert_eq!(Format::of(&bytes), Format::Other);
    assert_eq!(Format::of(&[0; 512]), Format::Other);
}

#[test]
fn what_is_not_opened_has_a_name() {
    for (bytes, name) in [
        (&b"7z\xbc\xaf\x27\x1c\0\x04"[..], "7z archive"),
        (b"\xed\xab\xee\xdb\x03", "RPM package"),
        (
            b"\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0",
            "file compressed by lzma",
        ),
    ] {
        assert_eq!(Format::closed(bytes), Some(name));
    }
    for bytes in [
        &b"\x7fELF"[..],
        b"PK\x03\x04",
        b"text",
        b"",
        b"\x5d\0\0words",
    ] {
        assert_eq!(Format::closed(bytes), None);
    }
}
