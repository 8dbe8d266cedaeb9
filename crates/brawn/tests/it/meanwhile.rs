//! Another program replaces the file while brawn works on it.

use crate::common::{Folder, IO, brawn_path, read};
use crate::others::err;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The process whose calls strace writes to `log`, once it is stopped; `None` if it ends before.
fn stopped(strace: &mut Child, log: &Path) -> Option<i32> {
    let deadline = Instant::now() + Duration::from_secs(120);
    while strace.try_wait().unwrap().is_none() {
        let calls = fs::read_to_string(log).unwrap_or_default();
        let line = calls
            .lines()
            .find(|line| line.contains("--- stopped by SIGSTOP"));
        if let Some(line) = line {
            return line.split(' ').next().unwrap().parse().ok();
        }
        assert!(Instant::now() < deadline, "it neither stops nor ends");
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Runs `brawn WORDS`, stops it after the `when`th `call`, calls `meanwhile`, and lets it go on. `None` if there are fewer
/// calls. `killed`: it is killed on entry to this renameat2.
fn stopped_at(
    folder: &Folder,
    words: &str,
    (call, when): (&str, u32),
    killed: Option<u32>,
    meanwhile: impl FnOnce(),
) -> Option<Output> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let kill = killed.map(|when| format!("inject=renameat2:signal=KILL:when={when}"));
    let mut strace = Command::new("strace")
        .args(["-f", "-o", log.path().to_str().unwrap(), "-e"])
        .arg(format!("inject={call}:signal=STOP:when={when}"))
        .args(kill.iter().flat_map(|kill| ["-e", kill]))
        .arg(brawn_path())
        .args(words.split(' '))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let process = stopped(&mut strace, log.path())?;
    meanwhile();
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::CONT).unwrap();
    Some(strace.wait_with_output().unwrap())
}

/// Stops `brawn WORDS` at every instant at which it may be about to write, and puts `newer` into the place of its file,
/// `old`, unless it has replaced that already. `newer` must then be there afterwards.
fn is_never_lost(words: &str, set_up: &dyn Fn() -> Folder, newer: &dyn Fn(&Folder) -> Vec<u8>) {
    let mut seen = 0;
    for call in ["openat", "fsync", "link", "linkat", "rename"] {
        for when in 1.. {
            let folder = set_up();
            let old = read(&folder.libc());
            let newer = newer(&folder);
            let time = fs::metadata(folder.libc()).unwrap().modified().unwrap();
            let mut is_late = false;
            let output = stopped_at(&folder, words, (call, when), None, || {
                is_late = read(&folder.libc()) != old;
                let new = folder.path().join("new");
                fs::write(&new, &newer).unwrap();
                let file = fs::File::options().write(true).open(&new).unwrap();
                file.set_times(fs::FileTimes::new().set_modified(time))
                    .unwrap();
                fs::rename(&new, folder.libc()).unwrap();
            });
            let Some(output) = output else {
                break;
            };
            let said = err(&output);
            let now = read(&folder.libc());
            // What brawn reads only then, it may change: the newer version is then the original.
            let is_kept = || folder.kept().exists() && read(&folder.kept()) == newer;
            assert!(
                now == newer || is_kept(),
                "{words}, {call} {when}: lost: {said}"
            );
            if !is_late && said.contains("it changed while") {
                assert_eq!(output.status.code(), Some(IO), "{said}");
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "{words}: it was never seen");
}

#[test]
fn a_new_version_that_comes_while_brawn_restores_is_not_lost() {
    let patched = || {
        let folder = Folder::small();
        folder.patch();
        folder
    };
    let newer = Folder::musl().old().to_vec();
    is_never_lost("restore libc.a", &patched, &|_| newer.clone());
}

#[test]
fn a_new_version_of_the_same_size_and_time_is_not_lost() {
    // Another letter in the first name of the archive's index.
    let newer = |folder: &Folder| {
        let mut newer = folder.old().to_vec();
        let at = newer.iter().position(|byte| *byte == b'_').unwrap();
        newer[at] = b'-';
        newer
    };
    is_never_lost("patch libc.a", &Folder::small, &newer);
}

/// Puts a newer version into the file's place at every instant at which brawn looks at a file, and kills it before the
/// `exchange`th renameat2, with which it would put that version back. Whatever runs afterwards, it must be somewhere.
fn survives_a_kill(words: &str, exchange: u32, set_up: &dyn Fn() -> Folder) {
    let newer = Folder::musl().old().to_vec();
    let mut seen = 0;
    for when in 1.. {
        let folder = set_up();
        let output = stopped_at(&folder, words, ("newfstatat", when), Some(exchange), || {
            let new = folder.path().join("new");
            fs::write(&new, &newer).unwrap();
            fs::rename(&new, folder.libc()).unwrap();
        });
        if output.is_none() {
            break;
        }
        let mut said = String::new();
        for words in ["patch", "restore", "patch", "restore"] {
            let later = crate::common::brawn()
                .arg(words)
                .arg(folder.libc())
                .output();
            said += &err(&later.unwrap());
            let names = folder.names();
            let mut files = names.iter().map(|name| folder.path().join(name));
            assert!(
                files.any(|file| read(&file) == newer),
                "{words} after {when}: lost: {names:?} {said}"
            );
        }
        let aside = folder.path().join("libc.a.brawn-newer");
        if aside.exists() {
            assert!(read(&aside) == newer, "{when}: {said}");
            let told = format!("it lies at {}", aside.display());
            assert_eq!(said.matches(&told).count(), 1, "{said}");
            assert_eq!(folder.names(), ["libc.a", "libc.a.brawn-newer"], "{said}");
            seen += 1;
        }
    }
    assert!(seen > 0, "{words}: it never came in between");
}

#[test]
fn a_new_version_is_not_lost_if_brawn_is_killed_before_it_puts_it_back() {
    survives_a_kill("patch libc.a", 3, &Folder::small);
    let patched = || {
        let folder = Folder::small();
        folder.patch();
        folder
    };
    survives_a_kill("restore libc.a", 2, &patched);
}
