use super::*;
use crate::error::Kind;
use crate::for_tests::{Sym, archive, musl, object};
use proptest::prelude::*;

fn header(name: &str, size: &str) -> Vec<u8> {
    format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes()
}

fn file(parts: &[&[u8]]) -> Vec<u8> {
    [&MAGIC[..]]
        .iter()
        .chain(parts)
        .flat_map(|p| p.iter().copied())
        .collect()
}

fn names(archive: &Archive<'_>) -> Vec<String> {
    archive
        .members()
        .map(|(_, e)| String::from_utf8_lossy(e.name).into_owned())
        .collect()
}

#[test]
fn what_is_no_archive_but_known_says_what_to_do() {
    for (start, packer) in [
        (&b"PK\x03\x04\x14\0\0\0"[..], "zip"),
        (b"\xfd7zXZ\0\0\x04", "xz"),
        (b"\x28\xb5\x2f\xfd\x84H\0\xb8", "zstd"),
        (b"BZh91AY&", "bzip2"),
    ] {
        let error = Archive::read(start).unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        let text = error.to_string();
        assert!(text.contains(&format!("packed by {packer};")), "{text}");
        assert!(text.contains("unpack it"), "{text}");
    }
    let elf = Archive::read(b"\x7fELF\x02\x01\x01\0").unwrap_err();
    assert_eq!(elf.kind(), Kind::NotApplicable);
    let rewrite = Advice::Rewrite(None).to_string();
    assert!(elf.to_string().contains(&rewrite), "{elf}");
}

#[test]
fn an_empty_archive_is_an_archive() {
    let read = Archive::read(MAGIC).unwrap();
    assert!(read.entries.is_empty());
    assert!(read.index.is_none());
}

#[test]
fn gnu_names_short_long_absolute_and_twice() {
    let long = "/builds/.cache/zig/o/2bd3dfad40a36da388bf6f8a8fdd02a0/malloc.o";
    let members = [
        ("free.lo", object(&[Sym::Strong("free")], None)),
        (long, object(&[Sym::Strong("malloc")], None)),
        ("free.lo", object(&[Sym::Strong("__libc_free")], None)),
    ];
    let bytes = archive(&members);
    let read = Archive::read(&bytes).unwrap();
    assert_eq!(read.dialect, Dialect::Gnu);
    assert_eq!(names(&read), ["free.lo", long, "free.lo"]);
    let index = read.index.as_ref().unwrap();
    assert_eq!(index.format, IndexFormat::Gnu32);
    let lines: Vec<_> = index
        .lines
        .iter()
        .map(|l| (l.symbol, read.entries[l.entry].name))
        .collect();
    assert_eq!(
        lines,
        [
            (&b"free"[..], &b"free.lo"[..]),
            (b"malloc", long.as_bytes()),
            (b"__libc_free", b"free.lo")
        ]
    );
    for ((_, entry), (_, data)) in read.members().zip(&members) {
        assert_eq!(read.data(entry), data);
    }
}

#[test]
fn bsd_index() {
    for (name, sorted) in [("__.SYMDEF", false), ("__.SYMDEF SORTED", true)] {
        let mut data = name.as_bytes().to_vec();
        data.resize(20, 0);
        // One pair: name at 0, member after this one; then four bytes of names.
        for word in [8u32, 0, 8 + 60 + 20 + 20, 4] {
            data.extend(word.to_le_bytes());
        }
        data.extend(b"abc\0");
        let bytes = file(&[&header("#1/20", "40"), &data, &header("short.o", "0")]);
        let read = Archive::read(&bytes).unwrap();
        assert_eq!(read.dialect, Dialect::Bsd);
        let index = read.index.as_ref().unwrap();
        assert_eq!((index.format, index.sorted), (IndexFormat::Bsd32, sorted));
        assert_eq!(
            index.lines,
            [IndexLine {
                symbol: b"abc",
                entry: 1
            }]
        );
    }
}

#[test]
fn bsd_without_index() {
    let bytes = file(&[
        &header("#1/20", "23"),
        b"a very long name.o\0\0abc\n",
        &header("short.o", "1"),
        b"x",
    ]);
    let read = Archive::read(&bytes).unwrap();
    assert_eq!(read.dialect, Dialect::Bsd);
    assert_eq!(names(&read), ["a very long name.o", "short.o"]);
    assert_eq!(read.data(&read.entries[0]), b"abc");
    assert_eq!(read.data(&read.entries[1]), b"x");
}

#[test]
fn odd_padding_and_none_at_the_end() {
    let bytes = file(&[&header("a.o/", "1"), b"x\0", &header("b.o/", "3"), b"abc"]);
    let read = Archive::read(&bytes).unwrap();
    assert_eq!(read.whole(&read.entries[0]).len(), HEADER + 2);
    assert_eq!(read.whole(&read.entries[1]).len(), HEADER + 3);
    assert_eq!(read.data(&read.entries[1]), b"abc");
}

#[test]
fn thin_archives_are_refused_with_advice() {
    let error = Archive::read(b"!<thin>\n").unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("addlib"), "{error}");
}

#[test]
fn errors_name_member_and_offset() {
    type Case = (Vec<u8>, u64, &'static str);
    let cases: Vec<Case> = vec![
        (file(&[b"abc"]), 8, "truncated"),
        (file(&[&header("a.o/", "1x")]), 8 + 48, "decimal digits"),
        (file(&[&header("a.o/", "-1")]), 8 + 48, "decimal digits"),
        (file(&[&header("a.o/", "")]), 8 + 48, "decimal digits"),
        (file(&[&header("a.o/", "9999999999")]), 8 + 48, "bytes left"),
        (file(&[&header("/7", "0")]), 8, "table of long names"),
        (
            file(&[&header("//", "2"), b"a/", &header("/9", "0")]),
            70,
            "offset of a long name",
        ),
        (
            file(&[&header("//", "2"), b"a/", &header("/0", "0")]),
            70,
            "without an end",
        ),
        (file(&[&header("#1/9", "3"), b"abc"]), 8, "BSD long name"),
        (
            file(&[&header("/", "4"), &[0, 0, 0, 9]]),
            68,
            "count of symbols",
        ),
        (
            file(&[&header("/", "10"), &[0, 0, 0, 1, 0, 0, 0, 9, b'a', 0]]),
            68,
            "0x9",
        ),
        (
            file(&[&header("/", "0"), &header("/", "0")]),
            68,
            "second special member",
        ),
    ];
    for (bytes, offset, text) in cases {
        let error = Archive::read(&bytes).unwrap_err();
        assert_eq!(error.offset(), Some(offset), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    // An error about the whole file names no place in it.
    let error = Archive::read(b"\x7fELX").unwrap_err();
    assert_eq!(error.offset(), None);
    assert!(error.to_string().starts_with("not an archive"), "{error}");
    let mut bad_end = file(&[&header("a.o/", "0")]);
    bad_end[8 + 59] = b'x';
    assert_eq!(Archive::read(&bad_end).unwrap_err().offset(), Some(8 + 58));
}

#[test]
fn every_truncation_is_an_error_or_an_archive() {
    let bytes = archive(&musl());
    for end in 0..bytes.len() {
        match Archive::read(&bytes[..end]) {
            // Only an error about the whole file names no place in it.
            Err(error) => assert_eq!(error.offset().is_some(), end >= MAGIC.len(), "{error}"),
            Ok(_) => assert!(end >= MAGIC.len(), "cut at {end:#x}"),
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut file = MAGIC.to_vec();
        file.extend(bytes);
        let _ = Archive::read(&file);
    }

    #[test]
    fn entries_cover_the_file(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
        let mut bytes = archive(&musl());
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = Archive::read(&bytes) {
            let mut at = MAGIC.len();
            for entry in &read.entries {
                prop_assert_eq!(entry.whole.start, at);
                prop_assert!(entry.data.start >= at + HEADER && entry.data.end <= entry.whole.end);
                at = entry.whole.end;
            }
            prop_assert_eq!(at, bytes.len());
            let _ = crate::archive::identify::identify(&read);
        }
    }
}
