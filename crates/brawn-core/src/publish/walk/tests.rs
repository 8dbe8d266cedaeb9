use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn found(path: &Path, end: End) -> Result<PathBuf> {
    follow(path, end, &mut |_| Ok(())).map(|place| place.path)
}

#[test]
fn it_leads_where_the_kernel_goes() {
    let root = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(root.path()).unwrap();
    let at = |name: &str| root.join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::write(at("a/file"), "").unwrap();
    symlink("a/b", at("inner")).unwrap();
    symlink(at("a"), at("outer")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink("../a/new", at("a/dangling")).unwrap();
    let folder = End::Folder { made: None };
    for name in ["a/b", "inner", "outer/b", "inner/../b", "outer/../a/./b/"] {
        let place = found(&at(name), folder).unwrap();
        assert_eq!(place, fs::canonicalize(at(name)).unwrap(), "{name}");
    }
    for (name, real) in [
        ("outer/file", "a/file"),
        ("inner/none", "a/b/none"),
        ("a/dangling", "a/new"),
    ] {
        assert_eq!(found(&at(name), End::File).unwrap(), at(real));
    }
    for name in ["loop", "none/x", "a/file/x"] {
        found(&at(name), End::File).unwrap_err();
    }
    found(&at("a/file"), folder).unwrap_err();
    let made = found(
        &at("inner/c/d"),
        End::Folder {
            made: Some(Mode::RWXU),
        },
    )
    .unwrap();
    assert_eq!(made, at("a/b/c/d"));
    assert!(made.is_dir());
}
