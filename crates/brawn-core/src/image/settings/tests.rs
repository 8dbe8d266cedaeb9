use super::*;

#[test]
fn users_are_numbers() {
    let user = |text: &str| text.parse::<User>().map(|u| u.to_string());
    assert_eq!(user("65532").unwrap(), "65532:65532");
    assert_eq!(user("1:0").unwrap(), "1:0");
    assert_eq!(user("2147483647").unwrap(), "2147483647:2147483647");
    for text in [
        "",
        "me",
        "1:",
        ":1",
        "+1",
        "-1",
        "1:2:3",
        "2147483648",
        "4294967296",
    ] {
        assert!(user(text).is_err(), "{text:?}");
    }
}

#[test]
fn pairs_ports_and_additions() {
    let pair: Pair = "A=b=c".parse().unwrap();
    assert_eq!((pair.key.as_str(), pair.value.as_str()), ("A", "b=c"));
    assert!("A=".parse::<Pair>().is_ok());
    assert!("A".parse::<Pair>().is_err() && "=b".parse::<Pair>().is_err());
    let port = |text: &str| text.parse::<Port>().map(|p| p.0);
    assert_eq!(port("80").unwrap(), "80/tcp");
    assert_eq!(port("53/udp").unwrap(), "53/udp");
    for text in ["", "0", "65536", "80/sctp", "80/", "+80", "a"] {
        assert!(port(text).is_err(), "{text:?}");
    }
    let addition: Addition = "a:/b:/etc/".parse().unwrap();
    assert_eq!(addition.source, PathBuf::from("a:/b"));
    assert_eq!(addition.place, "/etc/");
    for text in ["a", ":/b", "a:b"] {
        assert!(text.parse::<Addition>().is_err(), "{text:?}");
    }
}
