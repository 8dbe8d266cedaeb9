use super::*;

fn is_ours(there: &[u8]) -> bool {
    there.starts_with(b"# brawn")
}

fn file(bytes: &[u8]) -> [File; 1] {
    [File {
        name: "brawn.pc".into(),
        bytes: bytes.to_vec(),
    }]
}

#[test]
fn where_the_cache_is() {
    let path = |p: &str| Some(PathBuf::from(p));
    let own = tempfile::tempdir().unwrap();
    let home = Some(own.path().to_owned());
    let of_home = own.path().join(".cache/brawn");
    let is = |xdg, home, expected: &Path| assert_eq!(cache(xdg, home).unwrap(), expected);
    is(path("/c"), home.clone(), Path::new("/c/brawn"));
    is(path("relative"), home.clone(), &of_home);
    is(None, home, &of_home);
    // A home that does not exist, as of accounts of services, is not made.
    let none = own.path().join("nonexistent");
    is(None, Some(none.clone()), &temporary());
    assert!(!none.exists());
    assert_eq!(cache(path(""), path("")).unwrap_err().kind(), Kind::Usage);
}

#[test]
fn a_single_file_is_written_where_nobody_elses_is() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("brawn.pc");
    fs::write(&path, b"Name: mine\n").unwrap();
    let error = into_file(&path, b"# brawn 1\n", is_ours).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("another name"), "{error}");
    fs::write(&path, b"# brawn 0\n").unwrap();
    into_file(&path, b"# brawn 1\n", is_ours).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"# brawn 1\n");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    for wrong in [root.path(), Path::new("/dev/null"), Path::new("..")] {
        assert_eq!(
            into_file(wrong, b"x", is_ours).unwrap_err().kind(),
            Kind::Usage
        );
    }
}

#[test]
fn strangers_files_stay() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("brawn.pc"), b"Name: mine\n").unwrap();
    let error = into_folder(root.path(), &file(b"# brawn 1\n"), is_ours).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    fs::write(root.path().join("brawn.pc"), b"# brawn 0\n").unwrap();
    into_folder(root.path(), &file(b"# brawn 1\n"), is_ours).unwrap();
    assert_eq!(
        fs::read(root.path().join("brawn.pc")).unwrap(),
        b"# brawn 1\n"
    );
}
