use super::*;

#[test]
fn a_record_counts_its_own_length() {
    for length in 1..1200 {
        let value = vec![b'x'; length];
        let raw = write_record(b"path", &value);
        let read = records(&raw).unwrap();
        assert_eq!(read.len(), 1, "{length}");
        assert_eq!((read[0].key, read[0].value), (&b"path"[..], &value[..]));
        assert_eq!(read[0].raw, raw);
    }
}

#[test]
fn numbers_are_octal_or_binary() {
    assert_eq!(number(b"0000644\0"), Some(0o644));
    assert_eq!(number(b"   644 \0"), Some(0o644));
    assert_eq!(number(b"777777777777"), Some(0o777_777_777_777));
    assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\0"), Some(1 << 33));
    assert_eq!(number(b"\xff\xff\xff\xff\xff\xff\xff\xff"), None);
    assert_eq!(number(b"12x4"), None);
    assert_eq!(number(b"\0\0\0\0"), Some(0));
}

#[test]
fn a_size_is_written_as_it_was() {
    for (field, size, then) in [
        (b"00000001234\0", 0o4321, b"00000004321\0"),
        (b"00000001234 ", 0o4321, b"00000004321 "),
        (b"000000001234", 0o4321, b"000000004321"),
        (
            b"\x80\0\0\0\0\0\0\0\0\0\x12\x34",
            0x4321,
            b"\x80\0\0\0\0\0\0\0\0\0\x43\x21",
        ),
    ] {
        let mut block = [0; BLOCK];
        block[0] = b'a';
        block[SIZE].copy_from_slice(field);
        resize(&mut block, size).unwrap();
        assert_eq!(&block[SIZE], then);
        assert!(is_header(&block));
        assert_eq!(Header::read(&block).unwrap().size, size);
    }
    let mut block = [0; BLOCK];
    assert!(resize(&mut block, 1 << 33).is_err());
}
