use super::*;
use std::fs;

/// A sequence of three bytes, in base64.
const PEM: &str = "text before\n-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n";

#[test]
fn certificates_are_counted_and_nothing_else_passes() {
    assert_eq!(count(PEM.as_bytes()).unwrap(), 1);
    let two = format!("{PEM}# comment\n{PEM}");
    assert_eq!(count(two.as_bytes()).unwrap(), 2);
    let kind = |text: &str| count(text.as_bytes()).unwrap_err().kind();
    assert_eq!(kind(""), Kind::Malformed);
    assert_eq!(kind("<html>"), Kind::Malformed);
    // A sequence that is longer than its data; invalid base64; no end marker.
    assert_eq!(kind(&PEM.replace("MAMC", "MAQC")), Kind::Malformed);
    assert_eq!(kind(&PEM.replace("MAMC", "MA*C")), Kind::Malformed);
    assert_eq!(kind(&PEM.replace("-----END", "----END")), Kind::Malformed);
    let cut = count(&PEM.as_bytes()[..PEM.len() - 9])
        .unwrap_err()
        .to_string();
    assert!(cut.contains("certificate 1: no end of it;"), "{cut}");
    let text = count(format!("{PEM}{}", PEM.replace("MAMC", "MQMC")).as_bytes());
    assert!(text.unwrap_err().to_string().contains("certificate 2"));
    let key = PEM.replace("CERTIFICATE", "ENCRYPTED PRIVATE KEY");
    assert_eq!(kind(&format!("{PEM}{key}")), Kind::Refused);
}

#[test]
fn lengths_of_sequences() {
    let long = |header: &[u8], n: usize| is_sequence(&[header, &vec![0; n]].concat());
    assert!(long(&[0x30, 0x7f], 0x7f));
    assert!(long(&[0x30, 0x81, 0x80], 0x80));
    assert!(long(&[0x30, 0x82, 0x01, 0x00], 0x100));
    assert!(!long(&[0x30, 0x82, 0x01, 0x00], 0xff));
    assert!(!long(&[0x30, 0x80], 0));
    assert!(!long(&[0x30, 0xff], 4));
    assert!(!long(&[0x30], 0));
    assert!(!long(&[0x31, 1], 1));
}

#[test]
fn each_place_is_looked_at() {
    let root = tempfile::tempdir().unwrap();
    let error = find(None, root.path()).unwrap_err();
    assert!(error.to_string().contains("ca-certificates"), "{error}");
    for place in PLACES.iter().rev() {
        let path = root.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, PEM).unwrap();
        assert_eq!(find(None, root.path()).unwrap(), path);
        assert_eq!(Certificates::read(&path).unwrap().count, 1);
    }
    let own = PathBuf::from("/own.pem");
    assert_eq!(find(Some(own.clone()), root.path()).unwrap(), own);
    let empty = find(Some(PathBuf::new()), root.path()).unwrap();
    assert!(empty.ends_with(IN_IMAGE));
    assert!(Certificates::read(Path::new("/no/such")).is_err());
}
