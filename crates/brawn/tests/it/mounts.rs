//! Mount points and full disks, in mount namespaces of their own.

use crate::common::{Folder, IO, brawn_path, read, run};
use std::path::Path;
use std::process::Output;

/// Runs a shell script in a mount namespace of its own, with `$1` a directory and `$2` brawn.
pub fn in_namespace(folder: &Path, script: &str) -> Output {
    // Who is not root becomes root of a user namespace.
    let flags = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-rm"
    };
    let output = run(
        "unshare",
        &[
            flags,
            "bash",
            "-euc",
            script,
            "bash",
            folder.to_str().unwrap(),
            brawn_path(),
        ],
    );
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !text.contains("unshare") && !text.contains("mount:"),
        "{text}"
    );
    output
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A directory whose `libc.a` is there to be mounted over by `real.a`.
fn with_real() -> Folder {
    let folder = Folder::small();
    std::fs::copy(folder.libc(), folder.path().join("real.a")).unwrap();
    std::fs::write(folder.libc(), b"underneath").unwrap();
    folder
}

#[test]
fn a_bind_mount_is_overwritten_in_place_and_restored() {
    let folder = with_real();
    let real = folder.path().join("real.a");
    let output = in_namespace(
        folder.path(),
        "cd $1; mount --bind real.a libc.a; $2 patch libc.a; cp libc.a copy.a; $2 patch libc.a",
    );
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("overwritten in place"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("unchanged"), "{}", text(&output));
    let patched = read(&real);
    assert!(patched != folder.old());
    assert!(patched == read(&folder.path().join("copy.a")));
    assert!(read(&folder.kept()) == folder.old());
    assert_eq!(read(&folder.libc()), b"underneath");
    let output = in_namespace(
        folder.path(),
        "cd $1; mount --bind real.a libc.a; $2 restore libc.a",
    );
    assert!(output.status.success(), "{}", text(&output));
    assert!(read(&real) == folder.old());
    assert!(!folder.kept().exists() && !folder.record().exists());
}

#[test]
fn a_write_in_place_that_was_killed_is_rolled_back_by_the_next_run() {
    let new = Folder::small().new_bytes();
    let mut torn = 0;
    for (call, count) in [("write", 8), ("fsync", 12), ("ftruncate", 1), ("rename", 5)] {
        for n in 1..=count {
            for command in ["patch", "restore"] {
                let folder = with_real();
                let instant = format!("{call} {n}, then {command}");
                // Restore refuses (6) where there is no record yet.
                let script = format!(
                    "cd $1; mount --bind real.a libc.a; \
                     strace -f -o /dev/null -e inject={call}:signal=KILL:when={n} $2 patch libc.a || killed=1; \
                     cp libc.a torn.a; $2 {command} libc.a || [ $? = 6 ]; cp libc.a now.a; \
                     $2 patch libc.a; $2 restore libc.a"
                );
                let output = in_namespace(folder.path(), &script);
                assert!(output.status.success(), "{instant}: {}", text(&output));
                let middle = read(&folder.path().join("torn.a"));
                torn += usize::from(middle != folder.old() && middle != new);
                let now = read(&folder.path().join("now.a"));
                if command == "patch" {
                    assert!(now == new, "{instant}");
                } else {
                    assert!(now == folder.old(), "{instant}");
                }
                assert!(
                    read(&folder.path().join("real.a")) == folder.old(),
                    "{instant}"
                );
                let left = ["libc.a", "now.a", "real.a", "torn.a"];
                assert_eq!(folder.names(), left, "{instant}");
            }
        }
    }
    assert!(torn > 0, "no kill came while the file was torn");
}

#[test]
fn another_file_under_an_interrupted_mount_is_not_overwritten() {
    let folder = with_real();
    std::fs::write(folder.libc(), b"!<arch>\n").unwrap();
    let output = in_namespace(
        folder.path(),
        "cd $1; mount --bind real.a libc.a; $2 patch libc.a; umount libc.a; \
         sed -i 's/\"results\"/\"in_place\": {\"device\": 1, \"inode\": 2}, \"results\"/' libc.a.brawn.json; \
         $2 patch libc.a || exit 77",
    );
    assert_eq!(output.status.code(), Some(77), "{}", text(&output));
    assert!(
        text(&output).contains("is another one"),
        "{}",
        text(&output)
    );
    assert_eq!(read(&folder.libc()), b"!<arch>\n");
}

#[test]
fn a_full_disk_leaves_the_old_file_whole() {
    let folder = Folder::musl();
    let output = in_namespace(
        folder.path(),
        "mkdir $1/disk; mount -t tmpfs -o size=4m none $1/disk; cp $1/libc.a $1/disk; code=0; \
         $2 patch $1/disk/libc.a || code=$?; cmp $1/libc.a $1/disk/libc.a; ls -A $1/disk; exit $code",
    );
    let text = text(&output);
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(text.contains("No space left"), "{text}");
    assert!(text.contains("the old file is unchanged"), "{text}");
    assert_eq!(text.lines().filter(|l| *l == "libc.a").count(), 1, "{text}");
    assert!(!text.contains(".brawn-original\n"), "{text}");
}

#[test]
fn a_disk_that_fills_up_under_a_mount_point_leaves_it_whole() {
    let folder = Folder::musl();
    let output = in_namespace(
        folder.path(),
        "mkdir $1/disk; mount -t tmpfs -o size=2360k none $1/disk; cp $1/libc.a $1/disk/real.a; \
         mkdir $1/mount; touch $1/mount/libc.a; mount --bind $1/disk/real.a $1/mount/libc.a; code=0; \
         $2 patch $1/mount/libc.a || code=$?; cmp $1/libc.a $1/mount/libc.a; exit $code",
    );
    let text = text(&output);
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(text.contains("the old file is unchanged"), "{text}");
    // Nothing of brawn's is left behind.
    assert_eq!(
        crate::common::names(&folder.path().join("mount")),
        ["libc.a"]
    );
}

#[test]
fn a_read_only_filesystem_is_a_clear_error() {
    let folder = Folder::small();
    let output = in_namespace(
        folder.path(),
        "mount --bind -o ro $1 $1; $2 patch $1/libc.a",
    );
    let text = text(&output);
    assert_eq!(output.status.code(), Some(IO), "{text}");
    assert!(
        text.contains("Read-only file system") && text.contains("write to another directory"),
        "{text}"
    );
}

#[test]
fn a_toolchain_on_a_read_only_filesystem_is_a_clear_error() {
    let folder = Folder::small();
    let output = in_namespace(
        folder.path(),
        "musl=$1/usr/lib/x86_64-linux-musl; mkdir -p $musl; mv $1/libc.a $musl; \
         mount --bind -o ro $1 $1; $2 patch --system --root $1",
    );
    let text = text(&output);
    assert_eq!(output.status.code(), Some(IO), "{text}");
    for part in [
        "Read-only file system",
        "patch it where that filesystem is made",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("`-o`"), "{text}");
}

#[test]
fn an_overlay_is_patched_and_restored_as_in_containers() {
    let folder = Folder::small();
    // On a tmpfs, since an overlay cannot be the upper layer of another.
    let output = in_namespace(
        folder.path(),
        "mkdir $1/t; mount -t tmpfs none $1/t; mkdir $1/t/{lower,upper,work,merged}; \
         cp $1/libc.a $1/t/lower; cd $1/t; \
         mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none merged; \
         $2 patch merged/libc.a; ! cmp -s merged/libc.a lower/libc.a; $2 restore merged/libc.a; \
         cmp merged/libc.a lower/libc.a; ls -A merged",
    );
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("other hard link"), "{text}");
    assert!(
        text.ends_with("restored    merged/libc.a\nlibc.a\n"),
        "{text}"
    );
}
