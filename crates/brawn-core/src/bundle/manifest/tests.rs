use super::*;

#[test]
fn artifacts_that_are_no_sdks_are_passed_over() {
    let json = br#"{"schemaVersion": "1.0", "artifacts": {
            "b": {"type": "swiftSDK", "version": "0.1", "variants": [{"path": "b/x"}, {"path": "b/y"}]},
            "a": {"type": "executable", "version": "2", "variants": [{"path": "a", "supportedTriples": []}]}}}"#;
    let found = variants(json).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|v| (v.artifact.as_str(), v.version.as_str(), v.path.as_str()))
        .collect();
    assert_eq!(found, [("b", "0.1", "b/x"), ("b", "0.1", "b/y")]);
}

#[test]
fn triples_have_roots_under_either_name() {
    for key in ["targetTriples", "runTimeTriples"] {
        let json = format!(
            r#"{{"schemaVersion": "4.0", "{key}": {{"x": {{"sdkRootPath": "r", "toolsetPaths": []}}, "y": {{}}}}}}"#
        );
        let found = targets(json.as_bytes()).unwrap();
        assert_eq!(found, [("x".into(), Some("r".into())), ("y".into(), None)]);
    }
}

#[test]
fn other_json_says_what_was_expected() {
    for json in [
        "",
        "[]",
        "{}",
        "{\"targetTriples\": 1}",
        "{\"targetTriples\": {\"a\": []}}",
    ] {
        let error = targets(json.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("expected `targetTriples`"), "{error}");
        let error = variants(json.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("expected `artifacts`"), "{error}");
    }
    // Deep nesting is an error and does not overflow the stack.
    assert!(targets("[".repeat(1 << 20).as_bytes()).is_err());
}
