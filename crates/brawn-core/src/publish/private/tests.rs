use super::*;
use crate::Kind;
use rustix::fs::{CWD, FileType};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

const NAME: &str = "brawn.pc";

fn file(bytes: &[u8]) -> [Wanted; 1] {
    [Wanted {
        name: NAME.into(),
        bytes: bytes.to_vec(),
    }]
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn damage_in_the_cache_is_put_right_whatever_it_is() {
    let root = tempfile::tempdir().unwrap();
    let cache = root.path().join("brawn");
    let private = PrivateFolder::open(&cache, "1").unwrap();
    let path = private.path().join(NAME);
    let damages: [&dyn Fn(); 6] = [
        &|| {},
        &|| fs::write(&path, b"torn").unwrap(),
        &|| fs::write(&path, b"").unwrap(),
        &|| mode(&path, 0o666),
        &|| {
            fs::remove_file(&path).unwrap();
            let mode = Mode::from_raw_mode(0o644);
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, mode, 0).unwrap();
        },
        &|| {
            fs::write(root.path().join("same"), b"whole").unwrap();
            fs::remove_file(&path).unwrap();
            symlink(root.path().join("same"), &path).unwrap();
        },
    ];
    for damage in damages {
        PrivateFolder::open(&cache, "1")
            .unwrap()
            .place(&file(b"whole"))
            .unwrap();
        damage();
        let private = PrivateFolder::open(&cache, "1").unwrap();
        private.place(&file(b"whole")).unwrap();
        let stat = fs::symlink_metadata(&path).unwrap();
        assert!(stat.is_file() && stat.mode() & 0o777 == 0o644);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(private.path()).unwrap().count(), 1);
    }
    assert_eq!(fs::metadata(private.path()).unwrap().mode() & 0o777, 0o700);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = private.place(&file(b"whole")).unwrap_err();
    assert!(error.to_string().contains("a directory"), "{error}");
}

#[test]
fn a_folder_on_the_way_that_others_could_exchange_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let shared = root.path().join("shared");
    let cache = shared.join("home/brawn");
    PrivateFolder::open(&cache, "1").unwrap();
    let refused = |word: &str| {
        let error = PrivateFolder::open(&cache, "1").unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        assert!(error.to_string().contains(word), "{word}: {error}");
        PrivateFolder::find(&cache, "1").unwrap_err();
    };
    for above in [&shared, &shared.join("home"), &cache, &cache.join("1")] {
        mode(above, 0o777);
        refused("mode 777");
        // In a sticky directory users can only rename their own files; but the last two directories must be the user's
        // alone.
        mode(above, 0o1777);
        match above.starts_with(&cache) {
            true => refused("mode 1777"),
            false => drop(PrivateFolder::open(&cache, "1").unwrap()),
        }
        mode(above, 0o755);
        if user() == 0 {
            chown(above, Some(65534), None).unwrap();
            refused("user 65534");
            chown(above, Some(0), Some(65534)).unwrap();
            mode(above, 0o775);
            refused("mode 775");
            mode(above, 0o755);
        }
        PrivateFolder::open(&cache, "1").unwrap();
    }
    // A link of the user's own is followed, and its target is checked in the same way.
    let other = root.path().join("other");
    symlink(&shared, &other).unwrap();
    let private = PrivateFolder::open(&other.join("home/brawn"), "1").unwrap();
    assert_eq!(private.path(), fs::canonicalize(cache.join("1")).unwrap());
    if user() == 0 {
        std::os::unix::fs::lchown(&other, Some(65534), None).unwrap();
        let error = PrivateFolder::open(&other.join("home/brawn"), "1").unwrap_err();
        assert!(
            error.to_string().contains("a link of user 65534"),
            "{error}"
        );
    }
}

#[test]
fn a_group_of_ones_own_is_no_other_user() {
    let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/users/ann:/bin/sh\nbob:x:1001:100::/:/bin/sh\n";
    let groups = "root:x:0:\nann:x:1000:ann\nusers:x:100:\nstaff:x:50:ann,bob\nempty:x:60:\n";
    let private = |group, user| is_private_group(group, user, users, groups);
    assert!(private(1000, 1000) && private(60, 1000));
    assert!(!private(50, 1000), "bob is in it");
    assert!(!private(100, 1000), "bob's first group");
    assert!(!private(1000, 1001), "ann's");
    assert!(!private(7, 1000), "nobody knows that group");
    assert!(!private(60, 7), "nobody knows that user");
}
