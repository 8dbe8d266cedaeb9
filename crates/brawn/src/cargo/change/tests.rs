use super::*;

fn target(flags: &[&str], has_own: bool) -> Target {
    Target {
        name: "x86_64-unknown-linux-musl".into(),
        flag: "-Lnative=/c".into(),
        flags: flags.iter().map(|f| f.to_string()).collect(),
        has_own,
    }
}

const VARIABLE: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS";

fn set(change: &Change) -> Vec<(&str, &str)> {
    let pairs = change.set.iter();
    pairs.map(|(n, v)| (n.as_str(), v.as_str())).collect()
}

#[test]
fn a_targets_own_flags_are_joined() {
    let change = Change::new(&[target(&["-Ca", "-Cb"], true)], None, |name| {
        (name == VARIABLE).then(|| "-Cb".into())
    });
    assert_eq!(set(&change.unwrap()), [(VARIABLE, "-Lnative=/c -Cb")]);
}

#[test]
fn flags_that_would_be_hidden_go_along() {
    let change = Change::new(&[target(&["-Ca", "--cfg=x"], false)], None, |_| None);
    assert_eq!(
        set(&change.unwrap()),
        [(VARIABLE, "-Lnative=/c -Ca --cfg=x")]
    );
}

#[test]
fn what_is_no_word_is_an_argument() {
    let change = Change::new(&[target(&["--cfg", "a=\"b c\""], false)], None, |_| None).unwrap();
    assert!(change.set.is_empty());
    assert_eq!(
        change.config,
        [r#"target."x86_64-unknown-linux-musl".rustflags=["-Lnative=/c","--cfg","a=\"b c\""]"#]
    );
}

fn hiding(hides: bool, is_for_one: bool) -> Hiding {
    Hiding {
        variables: vec![("RUSTFLAGS", "-Ca".into())],
        hides,
        is_for_one,
        is_known: true,
    }
}

#[test]
fn a_variable_that_hides_nothing_goes_below() {
    let change = Change::new(
        &[target(&["-Ca"], false)],
        Some(&hiding(false, false)),
        |_| None,
    )
    .unwrap();
    assert_eq!(change.unset, HIDING);
    assert_eq!(
        set(&change),
        [
            ("CARGO_BUILD_RUSTFLAGS", "-Ca"),
            (VARIABLE, "-Lnative=/c -Ca")
        ]
    );
    assert_eq!(
        change.config,
        [r#"env.RUSTFLAGS.value="-Ca""#, "env.RUSTFLAGS.force=true"]
    );
}

#[test]
fn a_variable_that_hides_something_stays_on_top() {
    let one = Change::new(
        &[target(&["-Ca"], false)],
        Some(&hiding(true, true)),
        |_| None,
    );
    let one = one.unwrap();
    assert_eq!(
        set(&one),
        [("CARGO_ENCODED_RUSTFLAGS", "-Lnative=/c\x1f-Ca")]
    );
    assert!(
        one.config
            .contains(&r#"env.CARGO_ENCODED_RUSTFLAGS.value="-Ca""#.into())
    );
    let several = Change::new(
        &[target(&["-Ca"], false)],
        Some(&hiding(true, false)),
        |_| None,
    );
    let error = several.unwrap_err().to_string();
    assert!(error.contains("RUSTFLAGS hides"), "{error}");
    assert!(error.contains("--target"), "{error}");
    let unknown = Hiding {
        is_known: false,
        ..hiding(true, false)
    };
    let error = Change::new(&[target(&["-Ca"], false)], Some(&unknown), |_| None);
    let error = error.unwrap_err().to_string();
    assert!(!error.contains("--target"), "{error}");
}

#[test]
fn text_is_tomls() {
    assert_eq!(text("a\x1f\"\\\x7f"), r#""a\u001f\"\\\u007f""#);
}
