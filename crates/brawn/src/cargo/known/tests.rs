use super::*;

#[test]
fn what_decides() {
    for name in [
        "CARGO_BUILD_TARGET",
        "RUSTFLAGS",
        "RUSTUP_TOOLCHAIN",
        "PATH",
        "HOME",
    ] {
        assert!(decides(OsStr::new(name)), "{name}");
    }
    for name in ["TERM", "LC_ALL", "XPATH"] {
        assert!(!decides(OsStr::new(name)), "{name}");
    }
}

#[test]
fn a_file_that_changes_or_goes_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let none = Witness::of(&path);
    std::fs::write(&path, "1").unwrap();
    let one = Witness::of(&path);
    assert!(one.still_holds() && !none.still_holds());
    std::fs::write(folder.path().join("b"), "2").unwrap();
    std::fs::rename(folder.path().join("b"), &path).unwrap();
    assert!(!one.still_holds());
    std::fs::remove_file(&path).unwrap();
    assert!(!one.still_holds() && none.still_holds());
}
