use super::*;
use std::fs;

#[test]
fn what_came_in_between_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
    write("tool", "as it was read");
    let target = Target::open(&at("tool"), |_| {}).unwrap();
    let (seen, read) = (target.seen().unwrap(), target.fingerprint().unwrap());
    let exchange = || {
        write(".tool.brawn-swap", "brawn's");
        target.exchange(&seen, &read)
    };
    for newer in ["a newer version", "another version"] {
        write("newer", newer);
        fs::rename(at("newer"), at("tool")).unwrap();
        let error = exchange().unwrap_err();
        assert!(error.to_string().contains("it changed while"), "{error}");
        assert_eq!(fs::read_to_string(at("tool")).unwrap(), newer);
        assert_eq!(
            fs::read_to_string(at(".tool.brawn-swap")).unwrap(),
            "brawn's"
        );
    }
    // The same bytes in another file are no newer version.
    write("newer", "as it was read");
    fs::rename(at("newer"), at("tool")).unwrap();
    assert!(matches!(exchange().unwrap(), Exchange::Renamed));
    assert_eq!(fs::read_to_string(at("tool")).unwrap(), "brawn's");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // A file that is gone is not made again.
    fs::remove_file(at("tool")).unwrap();
    exchange().unwrap_err();
    assert!(!at("tool").exists());
}
