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
    // What is passed over in a tarball has to be unpacked as well.
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
                // A tarball's end is nothing but zeros and checksums.
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
