mod compressed_tests;

use super::*;
use crate::Kind;
use std::io::Write as _;

const SMALL: Limits = Limits {
    member: 3000,
    total: 8000,
    members: 4,
    header: 2000,
    ratio: (1000, 0),
};
const ELF: &[u8] = b"\x7fELF, or so it says";

fn wheel(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn tgz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

type Make = fn(&[(&str, &[u8])]) -> Vec<u8>;
const MAKERS: [Make; 2] = [wheel, tgz];

type Taken = Vec<(Vec<u8>, Vec<u8>)>;

fn all(package: &[u8], limits: Limits) -> Result<(Taken, usize)> {
    let mut taken = Vec::new();
    let others = members(package, limits, &mut |name, bytes| {
        taken.push((name.to_vec(), bytes.to_vec()));
    })?;
    Ok((taken, others))
}

#[test]
fn members_come_in_order_and_others_are_counted() {
    for make in MAKERS {
        let package = make(&[
            ("b/x.so", ELF),
            ("a.py", b"pass"),
            ("empty", b""),
            ("a", ELF),
        ]);
        let (taken, others) = all(&package, SMALL).unwrap();
        let names: Vec<&[u8]> = taken.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [&b"b/x.so"[..], b"a"]);
        assert!(taken.iter().all(|(_, bytes)| bytes == ELF));
        assert_eq!(others, 2);
    }
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let large = [ELF, &[0; 5000]].concat();
    let some = [ELF, &[0; 2900]].concat();
    for make in MAKERS {
        for files in [
            &[("large", large.as_slice())][..],
            &[("1", &some), ("2", &some), ("3", &some), ("4", &some)],
            &[
                ("1", ELF),
                ("2", ELF),
                ("3", ELF),
                ("4", ELF),
                ("5", ELF),
                ("6", ELF),
            ],
        ] {
            let error = all(&make(files), SMALL).unwrap_err();
            assert_eq!(error.kind(), Kind::Refused, "{error}");
            assert!(error.to_string().contains("more than"), "{error}");
        }
    }
    // Members of a tarball that are skipped have to be unpacked as well.
    let error = all(&tgz(&[("text", &[b'x'; 9000]), ("a", ELF)]), SMALL).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused, "{error}");
    assert!(all(&wheel(&[("text", &[b'x'; 9000]), ("a", ELF)]), SMALL).is_ok());
}

#[test]
fn damage_is_an_error_and_never_a_shorter_member() {
    for make in MAKERS {
        let noise: Vec<u8> = (0..900u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let file = [ELF, &noise].concat();
        let whole = make(&[("a", &file)]);
        for cut in 8..whole.len() {
            match all(&whole[..cut], SMALL) {
                // A tarball ends with nothing but zeros and checksums.
                Ok((taken, _)) => assert!(taken.iter().all(|(_, b)| *b == file), "{cut}"),
                Err(error) => assert_eq!(error.kind(), Kind::Malformed, "{cut}: {error}"),
            }
        }
        for at in 8..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            if let Err(error) = all(&bytes, SMALL) {
                assert!(
                    matches!(error.kind(), Kind::Malformed | Kind::Refused),
                    "{error}"
                );
            }
        }
    }
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

fn names(package: &[u8]) -> Vec<String> {
    let (taken, _) = all(package, Limits::USUAL).unwrap();
    let text = |(name, _): (Vec<u8>, Vec<u8>)| String::from_utf8(name).unwrap();
    taken.into_iter().map(text).collect()
}

#[test]
fn a_plain_tar_is_read_as_a_compressed_one() {
    let package = tar(&[("b", ELF), ("a.txt", b"text"), ("a", ELF)]);
    let (taken, others) = all(&package, Limits::USUAL).unwrap();
    assert_eq!((taken.len(), others), (2, 1));
    for cut in 512..package.len() {
        if let Err(error) = all(&package[..cut], Limits::USUAL) {
            assert_eq!(error.kind(), Kind::Malformed, "{cut}: {error}");
        }
    }
}

#[test]
fn an_image_has_what_its_uppermost_layers_have() {
    let old = tar(&[
        ("bin/tool", ELF),
        ("bin/gone", ELF),
        ("lib/a", ELF),
        ("etc/x/b", ELF),
        ("srv/p", ELF),
    ]);
    let new = tgz(&[
        ("bin/tool", b"text now"),
        ("bin/.wh.gone", b""),
        ("etc/.wh.x", b""),
        ("srv/.wh..wh..opq", b""),
        ("srv/q", ELF),
    ]);
    // As docker and skopeo write it.
    let saved =
        br#"[{"Config":"c.json","RepoTags":["a:1"],"Layers":["old4567890123.tar","new.tar"]}]"#;
    let package = tar(&[
        ("old4567890123.tar", &old),
        ("new.tar", &new),
        ("c.json", b"{}"),
        ("manifest.json", saved),
    ]);
    assert_eq!(names(&package), ["new!srv/q", "old456789012!lib/a"]);
    // An OCI layout whose index names two platforms; one of them is not in the archive.
    let index = br#"{"manifests":[{"digest":"sha256:i"},{"digest":"sha256:elsewhere"}]}"#;
    let inner = br#"{"manifests":[{"digest":"sha256:m"}]}"#;
    let manifest =
        br#"{"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:1"},
        {"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:2"},
        {"mediaType":"application/vnd.in-toto+json","digest":"sha256:3"}]}"#;
    let package = tar(&[
        ("oci-layout", b"{}"),
        ("index.json", index),
        ("blobs/sha256/i", inner),
        ("blobs/sha256/m", manifest),
        ("blobs/sha256/1", &old),
        ("blobs/sha256/2", &new),
        ("blobs/sha256/3", b"{}"),
    ]);
    assert_eq!(names(&package), ["2!srv/q", "1!lib/a"]);
}

#[test]
fn layers_share_one_budget_and_what_cannot_be_read_is_said() {
    let image = |layer: &[u8], times: usize| {
        let layers = vec!["\"l.tar\""; times].join(",");
        let saved = format!("[{{\"Layers\":[{layers}]}}]");
        tar(&[("l.tar", layer), ("manifest.json", saved.as_bytes())])
    };
    let layer = tgz(&[("text", &[0; 1 << 20])]);
    assert!(all(&image(&layer, 3), Limits::USUAL).is_ok());
    let error = all(&image(&layer, 400), Limits::USUAL).unwrap_err();
    assert!(
        error.to_string().contains("unpacks to more than"),
        "{error}"
    );
    let error = all(&image(&layer, 5000), Limits::USUAL).unwrap_err();
    assert!(error.to_string().contains("5000 layers"), "{error}");
    let error = all(&image(b"\xfd7zXZ\0xx", 1), Limits::USUAL).unwrap_err();
    assert!(error.to_string().contains("compressed by xz"), "{error}");
    assert_eq!(error.kind(), Kind::Refused);
    let digest = format!("{}.tar", "0a".repeat(32));
    for whole in [
        [("oci-layout", &b"{}"[..]), ("blobs/sha256/1", &layer)],
        [("manifest.json", b"[]"), (&digest, &layer)],
    ] {
        let error = all(&tgz(&whole), Limits::USUAL).unwrap_err();
        assert!(error.to_string().contains("gunzip"), "{error}");
    }
    let missing = tar(&[("manifest.json", br#"[{"Layers":["x.tar"]}]"#)]);
    assert_eq!(
        all(&missing, Limits::USUAL).unwrap_err().kind(),
        Kind::Malformed
    );
}

#[test]
fn layers_of_zstd_are_read_within_the_same_limits() {
    let image = |layer: &[u8], times: usize| {
        let layers = vec!["\"l.tar\""; times].join(",");
        let saved = format!("[{{\"Layers\":[{layers}]}}]");
        tar(&[("l.tar", layer), ("manifest.json", saved.as_bytes())])
    };
    let packed = |files: &[(&str, &[u8])]| {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        compress_to_vec(&tar(files)[..], CompressionLevel::Fastest)
    };
    let program = [&b"\x7fELF"[..], &[7; 1 << 16]].concat();
    let layer = packed(&[("bin/program", &program), ("text", b"words")]);
    let (found, others) = all(&image(&layer, 1), Limits::USUAL).unwrap();
    assert_eq!((found.len(), others), (1, 1));
    assert_eq!(found[0].1, program);
    // It unpacks to about a thousand times its size.
    let layer = packed(&[("text", &[0; 1 << 20])]);
    let error = all(&image(&layer, 400), Limits::USUAL).unwrap_err();
    assert!(
        error.to_string().contains("unpacks to more than"),
        "{error}"
    );
    for broken in [&b"\x28\xb5\x2f\xfdxxxx"[..], &layer[..layer.len() / 2]] {
        let error = all(&image(broken, 1), Limits::USUAL).unwrap_err();
        assert_eq!(error.kind(), Kind::Malformed, "{error}");
    }
    // The start of a frame with a window of 16 MiB, as `zstd --long=24` writes it.
    let wide = [0x28, 0xb5, 0x2f, 0xfd, 0, 14 << 3, 1, 0, 0];
    let error = all(&image(&wide, 1), Limits::USUAL).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused, "{error}");
    assert!(error.to_string().contains("a window of 16 MiB"), "{error}");
}
