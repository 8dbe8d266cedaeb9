use super::*;

#[test]
fn names_are_completed() {
    let whole = |text: &str| text.parse::<Reference>().unwrap().to_string();
    assert_eq!(whole("tool"), "docker.io/library/tool:latest");
    assert_eq!(whole("docker.io/tool"), whole("tool"));
    assert_eq!(whole("me/tool:1.0"), "docker.io/me/tool:1.0");
    assert_eq!(whole("ghcr.io/me/tool"), "ghcr.io/me/tool:latest");
    assert_eq!(whole("localhost/tool:a_B-1"), "localhost/tool:a_B-1");
    assert_eq!(
        whole("host:5000/a/b--c/d__e.f"),
        "host:5000/a/b--c/d__e.f:latest"
    );
}

#[test]
fn what_is_no_name() {
    let long = "a".repeat(256);
    for text in [
        "",
        ":1",
        "Tool",
        "a//b",
        "/a",
        "a/",
        "a:",
        "a:-1",
        "a b",
        "a..b",
        "a___b",
        "-a",
        "a_",
        "a@sha256:00",
        "host:x/a",
        "-host.x/a",
        "a:b:c",
        "ü",
        &long,
    ] {
        assert!(text.parse::<Reference>().is_err(), "{text:?}");
    }
    assert!(
        format!("a:{}", "1".repeat(129))
            .parse::<Reference>()
            .is_err()
    );
}

proptest::proptest! {
    #[test]
    fn a_whole_name_is_its_own(text in "[a-cA-C01:/._@-]{0,20}") {
        if let Ok(name) = text.parse::<Reference>() {
            assert_eq!(name.to_string().parse(), Ok(name));
        }
    }
}
