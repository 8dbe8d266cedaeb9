//! Who may read and write what brawn makes: never more users than before.

use crate::common::{Folder, brawn, read, succeed};
use rustix::fs::XattrFlags;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

const ACCESS: &str = "system.posix_acl_access";
/// What a directory gives to new files.
const DEFAULT: &str = "system.posix_acl_default";
const SOMEBODY: u32 = 1234;

/// An access list as the kernel has it (<linux/posix_acl_xattr.h>): the owner may do all, `somebody` and the file's group
/// what is said, others nothing.
fn list(somebody: u16, group: u16) -> Vec<u8> {
    const OWNER: u16 = 1;
    const USER: u16 = 2;
    const GROUP: u16 = 4;
    const MASK: u16 = 0x10;
    const OTHERS: u16 = 0x20;
    let entries = [
        (OWNER, 7, u32::MAX),
        (USER, somebody, SOMEBODY),
        (GROUP, group, u32::MAX),
        (MASK, somebody | group, u32::MAX),
        (OTHERS, 0, u32::MAX),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, who) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(who.to_le_bytes());
    }
    bytes
}

fn set(path: &Path, name: &str, value: &[u8]) {
    rustix::fs::setxattr(path, name, value, XattrFlags::empty()).expect("access lists");
}

fn has_list(path: &Path) -> bool {
    rustix::fs::getxattr(path, ACCESS, &mut [0u8; 256][..]).is_ok()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("the file").mode() & 0o7777
}

#[test]
fn what_a_directory_gives_to_new_files_is_not_given_to_a_file_that_is_changed() {
    let folder = Folder::small();
    let path = folder.libc();
    fs::set_permissions(&path, Permissions::from_mode(0o660)).unwrap();
    set(path.parent().unwrap(), DEFAULT, &list(7, 7));
    folder.patch();
    assert_eq!(mode(&path), 0o660);
    for file in [&path, &folder.record(), &folder.kept()] {
        assert!(!has_list(file), "{}", file.display());
    }
    // An access list of the file's own stays.
    folder.restore();
    let own = list(4, 0);
    set(&path, ACCESS, &own);
    folder.patch();
    let mut value = [0u8; 256];
    let length = rustix::fs::getxattr(&path, ACCESS, &mut value[..]).unwrap();
    assert_eq!(&value[..length], own);
}

#[test]
fn rights_that_were_taken_away_meanwhile_do_not_come_back_with_the_original() {
    let folder = Folder::small();
    let path = folder.libc();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    set(&path, ACCESS, &list(4, 4));
    folder.patch();
    rustix::fs::removexattr(&path, ACCESS).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        chown(&path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
    folder.restore();
    let now = fs::metadata(&path).unwrap();
    assert_eq!(now.mode() & 0o7777, 0o600);
    assert!(!has_list(&path));
    if is_root {
        assert_eq!((now.uid(), now.gid()), (SOMEBODY, SOMEBODY));
    }
    assert!(read(&path) == folder.old());
}

#[test]
fn a_groups_rights_are_not_the_most_that_anybody_in_the_list_has() {
    let folder = Folder::small();
    let path = folder.libc();
    set(&path, ACCESS, &list(7, 0));
    assert_eq!(mode(&path), 0o770, "the kernel shows the most");
    let out = path.with_file_name("out.a");
    succeed(brawn().arg("patch").arg(&path).arg("-o").arg(&out));
    assert_eq!(mode(&out), 0o700);
    assert!(!has_list(&out));
}
