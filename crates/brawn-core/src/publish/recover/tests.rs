use super::*;

#[test]
fn what_lies_under_the_name_for_changing_places_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
    let text = |name: &str| fs::read_to_string(at(name)).ok();
    let open = || Target::open(&at("tool"), |_| {}).unwrap();
    let swap = ".tool.brawn-swap";
    write("tool", "a result");
    write("original", "the original");
    let of = |name: &str| Fingerprint::of_file(&at(name)).unwrap();
    let mut record = Record::new(of("original"));
    record.add_result(of("tool"));
    record.write(&open()).unwrap();

    // The original goes back to where it is kept; with it there, a second one is removed.
    for name in ["original", "tool.brawn-original"] {
        fs::copy(at(name), at(swap)).unwrap();
        assert_eq!(open().newer.as_deref(), None);
        assert_eq!(text(swap), None);
        assert_eq!(text("tool.brawn-original").unwrap(), "the original");
    }
    // It stays if something else has its place.
    write("tool.brawn-original", "another file");
    write(swap, "the original");
    assert_eq!(open().newer.as_deref(), None);
    assert_eq!(text(swap).unwrap(), "the original");
    write(swap, "a result");
    assert_eq!(open().newer.as_deref(), None);
    assert_eq!(text(swap), None);
    // Anything else is kept, be it of a known size or not, and each under a name of its own.
    for (newer, kept) in [
        ("a newer version", "tool.brawn-newer"),
        ("A RESULT", "tool.brawn-newer.1"),
    ] {
        write(swap, newer);
        assert_eq!(open().newer.as_deref(), Some(&*at(kept)));
        assert_eq!(open().newer.as_deref(), None);
        assert_eq!(text(kept).unwrap(), newer);
    }
    std::os::unix::fs::symlink("elsewhere", at(swap)).unwrap();
    assert_eq!(open().newer.as_deref(), Some(&*at("tool.brawn-newer.2")));
}
