//! What happens to the file: links, mode, owner, attributes, locks, and the way back.

use crate::common::{
    Folder, IO, REFUSED, RESTORE_REFUSED, as_nobody, brawn, brawn_path, fail, read, succeed,
};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

#[test]
fn mode_owner_and_attributes_stay_and_restore_gives_the_same_file_back() {
    let folder = Folder::small();
    let path = folder.libc();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).unwrap();
    }
    rustix::fs::setxattr(
        &path,
        "user.test",
        b"some value",
        rustix::fs::XattrFlags::empty(),
    )
    .unwrap();
    let before = fs::metadata(&path).unwrap();
    folder.patch();
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.mode(), before.uid(), before.gid()),
        (after.mode(), after.uid(), after.gid())
    );
    assert_ne!(before.ino(), after.ino());
    let mut value = [0u8; 64];
    let length = rustix::fs::getxattr(&path, "user.test", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"some value");
    folder.restore();
    let again = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.ino(), before.mode(), before.mtime(), before.nlink()),
        (again.ino(), again.mode(), again.mtime(), again.nlink())
    );
}

#[test]
fn a_symlink_stays_and_its_file_is_patched() {
    let folder = Folder::small();
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("libc.a");
    symlink(folder.libc(), &link).unwrap();
    succeed(brawn().arg("patch").arg(&link));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(read(&folder.libc()) != folder.old());
    assert!(folder.kept().exists());
    assert_eq!(crate::common::names(links.path()), ["libc.a"]);
    succeed(brawn().arg("restore").arg(&link));
    assert!(read(&folder.libc()) == folder.old());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn other_hard_links_keep_the_old_contents_and_are_counted() {
    let folder = Folder::small();
    let farm = folder.path().join("farm");
    fs::hard_link(folder.libc(), &farm).unwrap();
    let text = folder.patch();
    assert!(
        text.contains("1 other hard link to the old file keeps its contents"),
        "{text}"
    );
    assert!(read(&farm) == folder.old());
    folder.restore();
    // The very file again, shared as before.
    assert_eq!(
        fs::metadata(&farm).unwrap().ino(),
        fs::metadata(folder.libc()).unwrap().ino()
    );
}

#[test]
fn a_read_only_file_in_a_writable_folder_is_patched() {
    let folder = Folder::small();
    fs::set_permissions(folder.libc(), fs::Permissions::from_mode(0o444)).unwrap();
    folder.patch();
    assert_eq!(fs::metadata(folder.libc()).unwrap().mode() & 0o777, 0o444);
    folder.restore();
    assert_eq!(fs::metadata(folder.libc()).unwrap().mode() & 0o777, 0o444);
}

#[test]
fn a_read_only_folder_is_a_clear_error() {
    let folder = Folder::small();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let output = as_nobody(&[], &["patch", folder.libc().to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(
        text.contains("directory must be writable") && text.contains("libc.a"),
        "{text}"
    );
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(folder.names(), ["libc.a"]);
}

#[test]
fn an_owner_that_cannot_be_kept_is_a_clear_error() {
    if !rustix::process::geteuid().is_root() {
        // Only root can make a file of somebody else's: say so instead of passing in silence.
        panic!("this test must run as root");
    }
    let folder = Folder::small();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let output = as_nobody(&[], &["patch", folder.libc().to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(text.contains("owner 0"), "{text}");
    assert_eq!(folder.names(), ["libc.a"]);
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn a_file_size_limit_leaves_the_old_file_whole() {
    let folder = Folder::musl();
    let script = format!(
        "ulimit -f 64; trap '' XFSZ; exec {} patch {}",
        brawn_path(),
        folder.libc().display()
    );
    let output = crate::common::run("bash", &["-c", &script]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(text.contains("the old file is unchanged"), "{text}");
    assert_eq!(folder.names(), ["libc.a"]);
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn what_is_gone_is_named_with_what_is_left() {
    let folder = Folder::small();
    folder.patch();
    fs::remove_file(folder.libc()).unwrap();
    let text = fail(brawn().arg("restore").arg(folder.libc()), IO);
    assert!(text.contains("cannot find it"), "{text}");
    let original = folder.path().join("libc.a.brawn-original");
    assert!(
        text.contains(&format!("mv {}", original.display())),
        "{text}"
    );
    fs::rename(&original, folder.libc()).unwrap();
    assert!(read(&folder.libc()) == folder.old());

    let folder = Folder::small();
    folder.patch();
    fs::remove_file(folder.path().join("libc.a.brawn-original")).unwrap();
    let text = fail(brawn().arg("restore").arg(folder.libc()), RESTORE_REFUSED);
    assert!(text.contains("No such file or directory"), "{text}");
}

#[test]
fn restore_refuses_what_brawn_did_not_write() {
    let folder = Folder::small();
    let text = fail(brawn().arg("restore").arg(folder.libc()), RESTORE_REFUSED);
    assert!(text.contains("nothing to restore"), "{text}");

    // A package upgrade: another file takes its place.
    folder.patch();
    let upgrade = Folder::musl();
    let staged = folder.path().join("dpkg-new");
    fs::copy(upgrade.libc(), &staged).unwrap();
    fs::rename(&staged, folder.libc()).unwrap();
    let text = fail(brawn().arg("restore").arg(folder.libc()), RESTORE_REFUSED);
    assert!(
        text.contains("package upgrade") && text.contains("patch or rewrite that as before"),
        "{text}"
    );
    assert!(read(&folder.libc()) == upgrade.old());
    // Patching again takes the new file as the original.
    folder.patch();
    folder.restore();
    assert!(read(&folder.libc()) == upgrade.old());
    assert_eq!(folder.names(), ["libc.a"]);
}

#[test]
fn restore_refuses_a_damaged_original() {
    let folder = Folder::small();
    folder.patch();
    let patched = read(&folder.libc());
    fs::write(folder.kept(), b"!<arch>\n").unwrap();
    let text = fail(brawn().arg("restore").arg(folder.libc()), RESTORE_REFUSED);
    assert!(text.contains("kept original"), "{text}");
    fs::remove_file(folder.kept()).unwrap();
    fail(brawn().arg("restore").arg(folder.libc()), RESTORE_REFUSED);
    assert!(read(&folder.libc()) == patched);
}

#[test]
fn an_original_without_a_record_is_not_overwritten() {
    let folder = Folder::small();
    fs::write(folder.kept(), b"somebody's").unwrap();
    let text = fail(brawn().arg("patch").arg(folder.libc()), REFUSED);
    assert!(text.contains("move it away"), "{text}");
    assert_eq!(read(&folder.kept()), b"somebody's");
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn an_older_payload_is_upgraded_and_the_original_stays_the_first() {
    let folder = Folder::small();
    let new = folder.new_bytes();
    let older = folder.older();
    folder.patch();
    // As if the older brawn had written both file and record.
    fs::write(folder.libc(), &older).unwrap();
    use sha2::{Digest as _, Sha256};
    let hex = |bytes: &[u8]| -> String {
        Sha256::digest(bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect()
    };
    let record = fs::read_to_string(folder.record()).unwrap();
    fs::write(folder.record(), record.replace(&hex(&new), &hex(&older))).unwrap();

    let text = folder.patch();
    assert!(text.starts_with("upgraded"), "{text}");
    assert!(read(&folder.libc()) == new);
    assert!(read(&folder.kept()) == folder.old());
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn a_changed_file_with_a_payload_does_not_replace_the_kept_original() {
    let folder = Folder::small();
    folder.patch();
    let older = folder.older();
    fs::write(folder.libc(), &older).unwrap();
    let text = fail(brawn().arg("patch").arg(folder.libc()), REFUSED);
    assert!(text.contains("put the original back"), "{text}");
    assert!(read(&folder.kept()) == folder.old());
}

#[test]
fn a_second_brawn_waits_and_says_so() {
    let folder = Folder::small();
    let lock = fs::File::open(folder.path()).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut child = std::process::Command::new(brawn_path())
        .arg("patch")
        .arg(folder.libc())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut line).unwrap();
    assert!(line.contains("waiting for another brawn"), "{line}");
    assert!(child.try_wait().unwrap().is_none());
    assert!(read(&folder.libc()) == folder.old());
    drop(lock);
    let deadline = Instant::now() + Duration::from_secs(600);
    while child.try_wait().unwrap().is_none() {
        assert!(
            Instant::now() < deadline,
            "the second brawn never got the lock"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(child.wait().unwrap().success());
    assert!(folder.kept().exists());
}

#[test]
fn many_at_once_are_as_one() {
    let folder = Folder::small();
    let new = folder.new_bytes();
    let children: Vec<_> = (0..8)
        .map(|_| {
            std::process::Command::new(brawn_path())
                .arg("patch")
                .arg(folder.libc())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(read(&folder.libc()) == new);
    assert!(read(&folder.kept()) == folder.old());
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
}
