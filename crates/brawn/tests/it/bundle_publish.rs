//! What happens to a bundle's file: kills, full disks, locks, mount points.

use crate::bundle::patch_json;
use crate::bundle_files::{Made, NAME, debian};
use crate::common::{Folder, IO, brawn, brawn_path, names, read, succeed};
use crate::interrupted::{CALLS, killed};
use crate::mounts::in_namespace;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_kill_at_any_instant_leaves_the_bundle_or_the_new_one() {
    let made = Made::new(&[("x86_64", Folder::small().old())]);
    let old = read(&made.packed());
    let out = made.path("new.tar.gz");
    succeed(brawn().arg("patch").arg(made.packed()).arg("-o").arg(&out));
    let new = read(&out);
    let mut instants = 0;
    for command in ["patch", "restore"] {
        for call in CALLS {
            for n in 1.. {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("b.artifactbundle.tar.gz");
                fs::write(&path, &old).unwrap();
                if command == "restore" {
                    succeed(brawn().arg("patch").arg(&path));
                }
                if !killed(command, &path, call, n) {
                    break;
                }
                instants += 1;
                let instant = format!("{command} killed at {call} {n}");
                let now = read(&path);
                assert!(now == old || now == new, "{instant}: torn");
                succeed(brawn().arg("patch").arg(&path));
                assert!(read(&path) == new, "{instant}: patched");
                succeed(brawn().arg("restore").arg(&path));
                assert!(read(&path) == old, "{instant}: restored");
                assert_eq!(
                    names(folder.path()),
                    ["b.artifactbundle.tar.gz"],
                    "{instant}"
                );
            }
        }
    }
    assert!(
        instants > 30,
        "only {instants} instants: does strace inject?"
    );
}

#[test]
fn a_full_disk_leaves_the_bundle_whole() {
    let made = Made::new(&[("x86_64", &debian())]);
    made.packed();
    let output = in_namespace(
        &made.path(""),
        "cd $1; mkdir disk; b=$(echo *.gz); mount -t tmpfs -o size=$((($(stat -c %s $b) / 4096 + 40) * 4096)) none disk; \
         cp $b disk; code=0; $2 patch disk/$b || code=$?; cmp $b disk/$b; ls -A disk; exit $code",
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(IO), "{said}");
    assert!(
        said.contains("No space left") && said.contains("the old file is unchanged"),
        "{said}"
    );
    let left = String::from_utf8_lossy(&output.stdout);
    assert_eq!(left, format!("{NAME}.artifactbundle.tar.gz\n"));
}

#[test]
fn a_second_brawn_waits() {
    let made = Made::new(&[("x86_64", Folder::small().old())]);
    let path = made.packed();
    let folder = fs::File::open(made.path("")).unwrap();
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut waiting = Command::new(brawn_path());
    waiting.arg("patch").arg(&path);
    waiting.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(waiting.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("waiting for another brawn"), "{said}");
    assert!(waiting.try_wait().unwrap().is_none());
    drop(folder);
    assert!(waiting.wait().unwrap().success());
}

#[test]
fn a_bundle_that_is_mounted_is_overwritten_in_place_and_restored() {
    let made = Made::new(&[("x86_64", Folder::small().old())]);
    let path = made.packed();
    let old = read(&path);
    let output = in_namespace(
        &made.path(""),
        "cd $1; touch b.tar.gz; mount --bind *artifactbundle.tar.gz b.tar.gz; $2 patch b.tar.gz; cp b.tar.gz copy; \
         $2 restore b.tar.gz",
    );
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("overwritten in place"),
        "{said}"
    );
    assert!(read(&path) == old);
    let copy = made.path("copy");
    assert_eq!(patch_json(&copy)["status"], "unchanged");
}
