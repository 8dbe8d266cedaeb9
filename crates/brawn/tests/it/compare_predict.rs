//! `brawn compare --predict`: an answer from samples, without rewriting.

use crate::common::{REFUSED, brawn};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A program whose time is in malloc and free.
fn heap(folder: &TempDir) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../brawn-sample/tests");
    let program = folder.path().join("heap");
    let mut command = Command::new("musl-gcc");
    command.args(["-O2", "-static", "-s", "-o"]).arg(&program);
    let done = command.arg(tests.join("programs/heap.c")).status();
    assert!(done.expect("musl-gcc").success());
    program
}

#[test]
fn a_prediction_needs_no_rewriting() {
    let folder = tempfile::tempdir().expect("a directory");
    let program = heap(&folder);
    let done = brawn()
        .args(["compare", "--predict"])
        .arg(&program)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{done:?}");
    assert!(text.starts_with("expected with brawn: "), "{text}");
    assert!(
        text.contains("% of the processor time is in malloc and free"),
        "{text}"
    );
    assert_eq!(folder.path().read_dir().expect("a directory").count(), 1);

    let done = brawn()
        .args(["compare", "--predict", "--json"])
        .arg(&program)
        .output()
        .expect("it runs");
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(told["diagnosis"]["has_musl"], true, "{told}");
    let ratio = told["prediction"]["ratio"].as_f64().expect("a number");
    assert!(ratio < 0.8, "{told}");
}

#[test]
fn what_fails_is_not_sampled() {
    brawn()
        .args(["compare", "--predict", "/bin/false"])
        .assert()
        .code(REFUSED)
        .stderr(predicates::str::contains("ignore-failure"));
    brawn()
        .args(["compare", "--predict", "--ignore-failure", "/bin/false"])
        .assert()
        .success();
}

#[test]
fn what_is_left_behind_is_ended() {
    let mut command = brawn();
    command.args(["compare", "--predict", "--shell"]);
    // The file ends when nothing has it open any more.
    let folder = tempfile::tempdir().expect("a directory");
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    let line = format!("exec 3<>{}; setsid sleep 86397.5 & \"$@\"", pipe.display());
    let done = command
        .args([&line, "/bin/true"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{done:?}");
    assert!(text.contains("it leaves 1 running when it ends"), "{text}");
    // Nobody reads: a sleep that were still there would.
    let open = std::fs::File::options()
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(&pipe);
    assert_eq!(
        open.expect_err("no reader").raw_os_error(),
        Some(libc::ENXIO)
    );
}
