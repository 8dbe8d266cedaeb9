use super::*;
use std::fs;

#[test]
fn a_folder_above_is_a_bundle_by_an_info_json_of_usual_size() {
    let root = tempfile::tempdir().unwrap();
    let (top, inner) = (root.path().join("sdk"), root.path().join("sdk/a/b"));
    fs::create_dir_all(&inner).unwrap();
    let info = top.join("info.json");
    let json = r#"{"artifacts": {"s": {"type": "swiftSDK", "variants": [{"path": "s"}]}}}"#;
    fs::write(&info, json).unwrap();
    let top = top.canonicalize().unwrap();
    assert_eq!(bundle(&inner).as_deref(), Some(&*top));
    // By another name, too.
    fs::rename(&info, top.join("other.json")).unwrap();
    std::os::unix::fs::symlink("other.json", &info).unwrap();
    assert_eq!(bundle(&inner).as_deref(), Some(&*top));
    let large = format!("{json}{}", " ".repeat(1 << 20));
    fs::write(&info, large).unwrap();
    assert_eq!(bundle(&inner), None);
}
