//! What a file costs that is large, and of which little matters: holes, and what the start of a file decides.

use crate::common::{Folder, brawn_path, read};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const MIB: u64 = 1 << 20;

/// Runs `brawn WORDS` in a directory. Returns the most memory that it used, in bytes, as far as that is seen while it runs.
fn peak(folder: &Path, words: &[&str]) -> (Output, u64) {
    let mut brawn = Command::new(brawn_path())
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", brawn.id());
    let mut most = 0;
    while brawn.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(kib.unwrap_or_default() << 10);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    (brawn.wait_with_output().unwrap(), most)
}

/// Makes a file of 512 MiB that begins with these bytes; the rest is a hole.
fn sparse(path: &Path, start: &[u8]) {
    fs::write(path, start).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(512 * MIB).unwrap();
}

#[test]
fn holes_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let start = read(Path::new("/usr/bin/strace"));
    let archive = [&read(Path::new(crate::common::MUSL))[..100], &[0; 8]].concat();
    for (name, start) in [("program", &start), ("libc.a", &archive), ("any", &vec![0])] {
        sparse(&folder.path().join(name), start);
    }
    for words in [
        &["inspect", "."][..],
        &["inspect", "any"],
        &["patch", "-n", "libc.a"],
        &["patch", "-n", "any"],
        &["rewrite", "-n", "program"],
        &["verify", "program"],
        &["image", "-o", "out.tar", "program"],
    ] {
        let (output, most) = peak(folder.path(), words);
        assert!(output.status.code().is_some(), "{words:?}: {output:?}");
        assert!(most < 64 * MIB, "{words:?}: {} MiB", most / MIB);
    }
}

#[test]
fn what_the_start_of_a_file_decides_reads_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any");
    fs::write(&path, vec![b'x'; 128 << 20]).unwrap();
    for words in [
        &["inspect", "any"][..],
        &["patch", "-n", "any"],
        &["rewrite", "-n", "any"],
        &["verify", "any"],
        &["image", "-o", "out.tar", "any"],
    ] {
        let (output, most) = peak(folder.path(), words);
        let is_refused = matches!(output.status.code(), Some(3 | 4));
        assert!(is_refused, "{words:?}: {output:?}");
        assert!(most < 64 * MIB, "{words:?}: {} MiB", most / MIB);
    }
}

#[test]
fn an_archive_is_held_twice_while_it_is_patched() {
    let folder = Folder::small();
    let member = folder.path().join("large.txt");
    fs::write(&member, vec![b'x'; 96 << 20]).unwrap();
    let words = ["q", "libc.a", "large.txt"];
    let ar = Command::new("ar")
        .args(words)
        .current_dir(folder.path())
        .output();
    assert!(ar.unwrap().status.success());
    let (output, most) = peak(folder.path(), &["patch", "libc.a"]);
    assert!(output.status.success(), "{output:?}");
    assert!(most < 250 * MIB, "{} MiB", most / MIB);
}
