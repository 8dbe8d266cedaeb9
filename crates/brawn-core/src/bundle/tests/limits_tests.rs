//! Bundles that are too large or end too early.

use super::*;

/// A hard link whose target is outside of the archive.
fn outside(name: &str) -> Vec<u8> {
    let mut header = header(tar::EntryType::Link, 0);
    let old = header.as_old_mut();
    old.name[..name.len()].copy_from_slice(name.as_bytes());
    old.linkname[..4].copy_from_slice(b"some");
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn endings_and_excesses_are_errors_with_their_place() {
    let whole = tar(&with([file(LIBC, b"old")]));
    let end = whole.len() - 1024;
    for (bytes, why) in [
        (&whole[..end], "ends before its end-of-archive blocks"),
        (&whole[..end - 512], "bytes before the end of a file"),
        (&whole[..end - 800], "ends in a header"),
    ] {
        let found = patched(bytes).unwrap_err().to_string();
        assert!(
            found.contains(why) && found.contains("at 0x"),
            "{why}: {found}"
        );
    }
    let zipped = gzip(&whole);
    let half = patched(&zipped[..zipped.len() / 2]).unwrap_err();
    assert_eq!(half.kind(), Kind::Malformed);
    assert_eq!(half.offset(), Some(zipped.len() as u64 / 2));
    let mut wrong = zipped.clone();
    wrong[zipped.len() - 6] ^= 1;
    let wrong = patched(&wrong).unwrap_err().to_string();
    assert!(
        wrong.contains("crc") || wrong.contains("checksum"),
        "{wrong}"
    );
    let more = patched(&[&zipped[..], b"more"].concat()).unwrap_err();
    assert_eq!(more.kind(), Kind::Malformed);
    // The file unpacks to five thousand times its size.
    let bomb = gzip(&tar(&with([file("bomb", vec![0; 5 << 20])])));
    assert!(bomb.len() < 1 << 16);
    let bomb = patched(&bomb).unwrap_err();
    assert_eq!(bomb.kind(), Kind::Refused);
    assert!(
        bomb.to_string()
            .contains("unpacks to more than 4194304 bytes"),
        "{bomb}"
    );
    let links = (0..400).map(|n| Symlink(format!("{TOP}/{n}"), "x".into()));
    assert!(error(&with(links)).contains("too many links"));
    let text = patched(&gzip(b"text, no archive")).unwrap_err();
    assert_eq!(text.kind(), Kind::NotApplicable);
    assert!(text.to_string().contains("no tar archive"), "{text}");
}

#[test]
fn what_is_kept_counts_with_nothing_in_it_too() {
    let empty = (0..100).map(|n| file(&format!("{n}/swift-sdk.json"), ""));
    assert!(error(&with(empty)).contains("too many links"));
    // Names that lead nowhere are not free either.
    let out = (0..100).map(|n| Raw(outside(&format!("/{n}"))));
    assert!(error(&with(out)).contains("too many links"));
}

#[test]
fn targets_are_counted_over_all_variants() {
    // Every variant of the one file has all its targets.
    let variant = r#"{"path": "s/swift-linux-musl"}"#;
    let variants = [variant; 40].join(", ");
    let targets: String = (0..40).map(|n| format!(r#", "{n}": {{}}"#)).collect();
    let none = [
        file("info.json", INFO.replace(variant, &variants)),
        file(
            "s/swift-linux-musl/swift-sdk.json",
            format!(r#"{{"targetTriples": {{"wasm": {{}}{targets}}}}}"#),
        ),
    ];
    assert!(error(&none).contains("too many targets of SDKs; expected at most 1024"));
}
