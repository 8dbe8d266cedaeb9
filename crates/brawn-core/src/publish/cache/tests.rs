use super::*;

fn aged(path: &Path, days: u32) {
    let then = SystemTime::now() - DAY * days;
    let times = FileTimes::new().set_modified(then);
    File::open(path).unwrap().set_times(times).unwrap();
}

#[test]
fn what_is_used_stays() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    for name in ["libc-1", "libc-2", "other"] {
        fs::create_dir(path(name)).unwrap();
        fs::write(path(name).join("libc.a"), "x").unwrap();
        aged(&path(name), 90);
    }
    used(&path("libc-2"));
    remove_unused(root.path(), "libc-", DAY * 60);
    assert!(!path("libc-1").exists());
    assert!(path("libc-2").exists() && path("other").exists());
}

#[test]
fn the_newest_stay() {
    let root = tempfile::tempdir().unwrap();
    for days in 1..=5 {
        let path = root.path().join(days.to_string());
        fs::write(&path, "").unwrap();
        aged(&path, days);
    }
    keep_newest(root.path(), 2);
    let mut left: Vec<_> = entries(root.path(), "");
    left.sort_unstable();
    assert_eq!(left, [root.path().join("1"), root.path().join("2")]);
}
