use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn as_execvp_does() {
    let root = tempfile::tempdir().unwrap();
    let file = |name: &str, mode| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    file("a/plain", 0o644);
    file("a/only", 0o644);
    let tool = file("b/tool", 0o755);
    let plain = file("b/plain", 0o755);
    fs::create_dir(root.path().join("a/tool")).unwrap();
    let path = std::env::join_paths([root.path().join("a"), root.path().join("b")]).unwrap();
    let found = |name: &str| search_in(OsStr::new(name), &path);
    assert_eq!(found("tool").unwrap(), tool, "a directory is passed over");
    assert_eq!(found("plain").unwrap(), plain, "what may not be run is");
    assert!(matches!(found("only"), Err(Stop::Refused(_))));
    assert!(matches!(found("none"), Err(Stop::NotFound(_))));
    assert!(matches!(found(""), Err(Stop::NotFound(_))));
    let named = |path: &Path| search_in(path.as_os_str(), OsStr::new(""));
    assert_eq!(named(&tool).unwrap(), tool);
    assert!(matches!(
        named(&root.path().join("a/only")),
        Err(Stop::Refused(_))
    ));
    assert!(matches!(named(root.path()), Err(Stop::Refused(_))));
    assert!(matches!(named(&tool.join("x")), Err(Stop::NotFound(_))));
    assert!(matches!(named(Path::new("./none")), Err(Stop::NotFound(_))));
}
