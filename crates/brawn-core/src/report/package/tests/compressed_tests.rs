//! Every compression, single files, Debian packages, packages in packages, and what is not opened.

use super::*;

/// Compresses by each of the four.
type Packer = fn(&[u8]) -> Vec<u8>;
const PACKERS: [(&str, Packer); 4] = [("gzip", gzip), ("xz", xz), ("zstd", zstd), ("bzip2", bzip2)];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(6);
    let mut to = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut to = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// An `ar` archive as `dpkg-deb` writes it.
fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let size = bytes.len();
        all.extend(format!("{name:<16}1700000000  0     0     100644  {size:<10}`\n").bytes());
        all.extend_from_slice(bytes);
        all.resize(all.len().next_multiple_of(2), b'\n');
    }
    all
}

fn deb(packed: &str, data: &[u8]) -> Vec<u8> {
    let control = gzip(&tar(&[("./control", b"Package: p\n"), ("./md5sums", b"")]));
    ar(&[
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", &control),
        (&format!("data.tar{packed}"), data),
    ])
}

/// The names of what can be looked at, and of what is not opened with the reason.
fn looked(package: &[u8], limits: Limits) -> Result<(Vec<String>, Vec<String>, usize)> {
    let (mut names, mut closed) = (Vec::new(), Vec::new());
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
    let others = look(package, limits, &mut |name, bytes| match bytes {
        Ok(bytes) => {
            assert!(bytes.starts_with(ELF));
            names.push(text(name));
        }
        Err(error) => closed.push(format!("{}: {error}", text(name))),
    })?;
    Ok((names, closed, others))
}

#[test]
fn each_compression_of_an_archive_and_of_a_file_is_read() {
    let program = [ELF, &[7; 1 << 12]].concat();
    let files = tar(&[("bin/tool", &program), ("text", b"words"), ("lib.so", ELF)]);
    for (name, pack) in PACKERS {
        let (names, closed, others) = looked(&pack(&files), Limits::USUAL).unwrap();
        assert_eq!(names, ["bin/tool", "lib.so"], "{name}");
        assert!(closed.is_empty() && others == 1, "{name}: {closed:?}");
        // One file has no name of its own.
        let (names, closed, others) = looked(&pack(&program), Limits::USUAL).unwrap();
        assert_eq!((names, closed.len(), others), (vec![String::new()], 0, 0));
        for data in [&b"some words"[..], b"", &[b'x'; 5000]] {
            let (names, closed, others) = looked(&pack(data), Limits::USUAL).unwrap();
            assert_eq!((names.len(), closed.len(), others), (0, 0, 1), "{name}");
            assert!(!may_have(&pack(data)), "{name}");
        }
        for data in [
            &files,
            &program,
            &vec![0; 10240],
            &pack(&files),
            &wheel(&[("a", ELF)]),
        ] {
            assert!(may_have(&pack(data)), "{name}");
        }
        // Several of them behind each other are one file.
        let two = [pack(&files[..700]), pack(&files[700..])].concat();
        assert_eq!(looked(&two, Limits::USUAL).unwrap().0.len(), 2, "{name}");
        assert!(
            looked(&pack(&[0; 10240]), Limits::USUAL)
                .unwrap()
                .0
                .is_empty()
        );
    }
}

#[test]
fn debian_packages_are_read_whatever_compressed_their_files() {
    let files = tar(&[
        ("./bin/mksh", ELF),
        ("./usr/share/doc/a.gz", &gzip(b"words")),
    ]);
    for (name, pack) in PACKERS {
        let (names, closed, others) = looked(&deb(name, &pack(&files)), Limits::USUAL).unwrap();
        assert_eq!(names, ["bin/mksh"], "{name}");
        assert!(closed.is_empty() && others == 3, "{closed:?} {others}");
    }
    assert_eq!(looked(&deb("", &files), Limits::USUAL).unwrap().0.len(), 1);
    // What is in no format that brawn knows is never passed over.
    let lzma = b"\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0";
    for data in [&lzma[..], b"what is this?"] {
        let (names, closed, _) = looked(&deb(".lzma", data), Limits::USUAL).unwrap();
        assert!(names.is_empty() && closed.len() == 1, "{closed:?}");
        assert!(closed[0].starts_with("data.tar.lzma: "), "{closed:?}");
    }
    for broken in [
        deb(".xz", b""),
        ar(&[
            ("debian-binary", b"2.0\n"),
            ("control.tar.gz", &gzip(&files)),
        ]),
        deb(".xz", &xz(&files)[..100]),
    ] {
        let error = looked(&broken, Limits::USUAL).unwrap_err();
        assert_eq!(error.kind(), Kind::Malformed, "{error}");
    }
}

#[test]
fn packages_in_packages_are_read_until_they_are_too_many() {
    let inner = deb(".xz", &xz(&tar(&[("./bin/a", ELF)])));
    let package = wheel(&[
        ("x/p.deb", &inner),
        ("b", ELF),
        ("man.1.gz", &gzip(b"page")),
    ]);
    let (names, closed, others) = looked(&package, Limits::USUAL).unwrap();
    assert_eq!(names, ["x/p.deb!bin/a", "b"]);
    assert!(closed.is_empty() && others == 3, "{closed:?} {others}");
    let mut nested = tgz(&[("a", ELF)]);
    for _ in 0..DEPTH {
        nested = tar(&[("n", &nested)]);
    }
    assert_eq!(looked(&nested, Limits::USUAL).unwrap().0, ["n!n!n!n!a"]);
    let (names, closed, _) = looked(&tgz(&[("n", &nested)]), Limits::USUAL).unwrap();
    assert!(names.is_empty());
    assert!(
        closed[0].starts_with("n!n!n!n!n: a package in 4 others"),
        "{closed:?}"
    );
}

#[test]
fn what_is_not_opened_is_said_beside_what_is() {
    let seven = b"7z\xbc\xaf\x27\x1c\0\x04 and more";
    let rpm = b"\xed\xab\xee\xdb\x03\0";
    for make in MAKERS {
        let package = make(&[("a.7z", seven), ("b", ELF), ("c.rpm", rpm)]);
        let (names, closed, others) = looked(&package, Limits::USUAL).unwrap();
        assert_eq!((names, others), (vec!["b".to_owned()], 0));
        assert!(
            closed[0].starts_with("a.7z: a 7z archive, which"),
            "{closed:?}"
        );
        assert!(
            closed[1].starts_with("c.rpm: a RPM package, which"),
            "{closed:?}"
        );
    }
    // A password, or a method that is not known, hides one member and not the others.
    let mut package = wheel(&[("a", ELF), ("b", ELF)]);
    let central = package.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    package[central + 8] |= 1;
    package[6] |= 1;
    let (names, closed, _) = looked(&package, Limits::USUAL).unwrap();
    assert_eq!(names, ["b"]);
    assert!(closed[0].contains("password"), "{closed:?}");
    let mut package = wheel(&[("a", ELF), ("b", ELF)]);
    package[central + 10] = 9;
    package[8] = 9;
    let (names, closed, _) = looked(&package, Limits::USUAL).unwrap();
    assert_eq!(names, ["b"]);
    assert!(closed[0].starts_with("a: compressed by"), "{closed:?}");
}

/// The methods of zip that are formats of their own.
#[test]
fn members_of_zip_archives_may_be_compressed_by_any_of_them() {
    let program = [ELF, &[7; 1000]].concat();
    for (method, pack) in [(12, bzip2 as Packer), (93, zstd), (95, xz)] {
        let packed = pack(&program);
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("a", options).unwrap();
        zip.write_all(&packed).unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        // Both headers have the method and the size.
        let central = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        let size = u32::try_from(program.len()).unwrap().to_le_bytes();
        for (at, field) in [(8, 22), (central + 10, central + 24)] {
            bytes[at] = method;
            bytes[field..field + 4].copy_from_slice(&size);
        }
        let (names, closed, _) = looked(&bytes, Limits::USUAL).unwrap();
        assert_eq!(names, ["a"], "{method}: {closed:?}");
        bytes[central + 24] += 1;
        bytes[22] += 1;
        let error = looked(&bytes, Limits::USUAL).unwrap_err();
        assert_eq!(error.kind(), Kind::Malformed, "{error}");
    }
}

#[test]
fn what_unpacks_to_too_much_is_refused_whatever_compressed_it() {
    let zeros = vec![0; 1 << 20];
    for (name, pack) in PACKERS {
        let small = Limits {
            ratio: (10, 1 << 14),
            ..Limits::USUAL
        };
        let file = pack(&[ELF, &zeros].concat());
        let text = pack(&tar(&[("text", &zeros), ("a", ELF)]));
        for bomb in [&file, &text, &deb(".x", &text), &tar(&[("x", &file)])] {
            let (closed, error) = match looked(bomb, small) {
                Ok((_, closed, _)) => (closed.join(" "), None),
                Err(error) => (error.to_string(), Some(error.kind())),
            };
            assert!(closed.contains("unpacks to more than"), "{name}: {closed}");
            assert!(error.is_none_or(|kind| kind == Kind::Refused));
        }
        // One inside the other: each layer is small, all together are not.
        let mut nested = pack(&[ELF, &zeros].concat());
        nested = pack(&nested);
        let result = looked(
            &nested,
            Limits {
                member: 1 << 16,
                ..Limits::USUAL
            },
        );
        let (names, closed, _) = result.unwrap();
        assert!(names.is_empty() && closed.len() == 1, "{name}");
    }
}

#[test]
fn a_cut_is_an_error_and_never_a_shorter_member() {
    let noise: Vec<u8> = (0..3000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let program = [ELF, &noise].concat();
    for (name, pack) in PACKERS {
        for whole in [pack(&program), deb(".x", &pack(&tar(&[("a", &program)])))] {
            for cut in (24..whole.len()).step_by(37) {
                let mut sizes = Vec::new();
                let result = look(&whole[..cut], Limits::USUAL, &mut |_, bytes| {
                    sizes.extend(bytes.map(<[u8]>::len));
                });
                assert!(sizes.iter().all(|s| *s == program.len()), "{name} {cut}");
                if let Err(error) = result {
                    assert_eq!(error.kind(), Kind::Malformed, "{name} {cut}: {error}");
                }
            }
            for at in (16..whole.len()).step_by(29) {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x41;
                let _ = look(&bytes, Limits::USUAL, &mut |_, _| ());
            }
        }
    }
}
