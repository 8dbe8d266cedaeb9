//! What other users, other processes and odd files may do to brawn: nothing but be told of.

use crate::build::Room;
use crate::common::{Folder, IO, REFUSED, brawn_path, copy_of_brawn, names, ok, read};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const NOT_RUN: i32 = 126;
const FAILED: i32 = 125;
const VICTIM: &str = "65534";
const ATTACKER: &str = "65533";

/// A command of another user's, in `folder`.
pub fn as_user(user: &str, folder: &Path, program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args([&format!("--reuid={user}"), &format!("--regid={user}")])
        .args(["--clear-groups", "--", program])
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// A directory that everybody may look into, with brawn in it.
pub fn open_folder() -> TempDir {
    let folder = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o755))
        .tempdir()
        .expect("a temporary directory");
    copy_of_brawn(&folder.path().join("brawn"));
    folder
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Ends a process when it is dropped.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_cache_in_a_folder_that_others_may_write_to_is_not_used_however_it_is_swapped() {
    let folder = open_folder();
    let at = |name: &str| folder.path().join(name);
    let room = Room::with("int main(void) { return 0; }\n");
    room.run("musl-gcc", &["-o who main.c"]);
    ok("cp", &[&room.path("who"), at("who").to_str().unwrap()]);
    fs::create_dir_all(at("shared/cache")).unwrap();
    fs::create_dir_all(at("shared/evil/brawn")).unwrap();
    for name in ["shared", "shared/evil", "shared/evil/brawn"] {
        chown(at(name), Some(65533), Some(65533)).unwrap();
    }
    chown(at("shared/cache"), Some(65534), Some(65534)).unwrap();
    fs::set_permissions(at("shared"), Permissions::from_mode(0o777)).unwrap();
    let swap =
        "while :; do mv -T cache mine; mv -T evil cache; mv -T cache evil; mv -T mine cache; done";
    let mut attacker = as_user(ATTACKER, &at("shared"), "bash");
    let attacker = attacker.args(["-c", swap]).stderr(Stdio::null()).spawn();
    let _attacker = Ended(attacker.unwrap());
    for _ in 0..40 {
        for (words, code) in [
            (&["link-args"][..], REFUSED),
            (&["preload", "--", "./who"], FAILED),
        ] {
            let mut command = as_user(VICTIM, folder.path(), "./brawn");
            command
                .args(words)
                .env("XDG_CACHE_HOME", at("shared/cache"));
            let output = command.output().unwrap();
            let said = err(&output);
            assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
            assert!(output.stdout.is_empty());
            assert!(said.contains("mode 777"), "{said}");
        }
    }
    // Where nobody else may write, it is.
    fs::create_dir(at("own")).unwrap();
    chown(at("own"), Some(65534), Some(65534)).unwrap();
    let mut command = as_user(VICTIM, folder.path(), "./brawn");
    command.args(["preload", "--", "./who"]);
    command.env("XDG_CACHE_HOME", at("own"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
}

#[test]
fn in_a_sticky_folder_what_another_user_laid_there_first_is_not_used() {
    let folder = open_folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("tmp/directory/brawn")).unwrap();
    fs::set_permissions(at("tmp"), Permissions::from_mode(0o1777)).unwrap();
    chown(at("tmp/directory"), Some(65533), None).unwrap();
    symlink(at("tmp/directory"), at("tmp/link")).unwrap();
    lchown(at("tmp/link"), Some(65533), None).unwrap();
    let run = |name: &str| {
        let mut command = as_user(VICTIM, folder.path(), "./brawn");
        command.arg("link-args");
        command.env("XDG_CACHE_HOME", at("tmp").join(name));
        command.output().unwrap()
    };
    for name in ["directory", "link"] {
        let output = run(name);
        assert_eq!(output.status.code(), Some(REFUSED));
        assert!(err(&output).contains("user 65533"), "{}", err(&output));
    }
    let output = run("own");
    assert!(output.status.success(), "{}", err(&output));
}

/// Runs `brawn` with these words, in a directory; it must end at once.
pub fn at_once(folder: &Path, words: &str) -> Output {
    let mut command = Command::new("timeout");
    command
        .args(["20", brawn_path()])
        .args(words.split(' '))
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command.output().expect("timeout of coreutils")
}

#[test]
fn pipes_and_devices_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for pipe in ["p", "libc.a", "in/libc.a"] {
        fs::create_dir_all(at("in")).unwrap();
        ok("mkfifo", &["-m", "755", at(pipe).to_str().unwrap()]);
    }
    let _socket = std::os::unix::net::UnixListener::bind(at("s")).unwrap();
    for (file, what) in [
        ("p", "a pipe"),
        ("s", "a socket"),
        ("/dev/zero", "a device"),
    ] {
        for words in [
            "inspect",
            "verify",
            "rewrite",
            "rewrite -n",
            "rewrite -o out",
            "patch",
            "patch -n",
            "patch -o out",
            "restore",
            "image -o out",
            "signatures find",
            "signatures learn",
        ] {
            let output = at_once(folder.path(), &format!("{words} {file}"));
            let said = err(&output);
            assert_eq!(
                output.status.code(),
                Some(REFUSED),
                "{words} {file}: {said}"
            );
            assert!(said.contains(what), "{words} {file}: {said}");
            assert!(
                said.contains("expected a regular file"),
                "{words} {file}: {said}"
            );
        }
    }
    for words in ["run ./p", "preload -- ./p"] {
        let output = at_once(folder.path(), words);
        assert_eq!(output.status.code(), Some(NOT_RUN), "{}", err(&output));
        assert!(err(&output).contains("a pipe"), "{}", err(&output));
    }
    assert_eq!(names(folder.path()), ["in", "libc.a", "p", "s"]);
}

#[test]
fn a_pipe_in_the_place_of_what_brawn_keeps_is_told_of_at_once() {
    let folder = Folder::small();
    let mkfifo = |path: &Path| ok("mkfifo", &[path.to_str().unwrap()]);
    mkfifo(&folder.record());
    for words in ["patch libc.a", "restore libc.a", "inspect libc.a"] {
        let output = at_once(folder.path(), words);
        assert_ne!(output.status.code(), Some(124), "{words} waits");
        assert_ne!(output.status.code(), Some(2), "{words} is no command");
    }
    assert!(read(&folder.libc()) == folder.old());
    fs::remove_file(folder.record()).unwrap();
    folder.patch();
    fs::remove_file(folder.kept()).unwrap();
    mkfifo(&folder.kept());
    let output = at_once(folder.path(), "restore libc.a");
    assert!(err(&output).contains("a pipe"), "{}", err(&output));
    assert_eq!(output.status.code(), Some(6), "{}", err(&output));
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_leaves_nothing() {
    let folder = Folder::musl();
    let run = |words: &str| {
        let script = format!("ulimit -f 64; exec {} {words}", brawn_path());
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(IO), "{words}: {}", err(&output));
        assert!(err(&output).contains("too large"), "{}", err(&output));
        assert_eq!(folder.names(), ["libc.a"]);
    };
    run("patch libc.a");
    run("patch libc.a -o out.a");
    // Whom brawn starts, it takes as it comes.
    let said = Command::new(brawn_path())
        .args([
            "run",
            "--or-plain",
            "/bin/grep",
            "SigIgn",
            "/proc/self/status",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let mask = said.split_whitespace().last().unwrap();
    assert_eq!(
        u64::from_str_radix(mask, 16).unwrap() & 1 << 24,
        0,
        "{said}"
    );
}

/// Runs `brawn` with these words, with that fault injected.
fn with_fault(folder: &Path, fault: &str, words: &str) -> Output {
    Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", &format!("inject={fault}")])
        .arg(brawn_path())
        .args(words.split(' '))
        .current_dir(folder)
        .output()
        .expect("strace")
}

#[test]
fn when_the_last_sync_fails_it_says_that_the_new_file_is_in_place() {
    let folder = Folder::small();
    let new = folder.new_bytes();
    for words in ["patch libc.a", "patch libc.a -o out.a", "restore libc.a"] {
        let is_restore = words.starts_with("restore");
        let mut seen = false;
        for n in 1.. {
            let mine = Folder::small();
            if is_restore {
                mine.patch();
            }
            fs::write(mine.path().join("out.a"), "old").unwrap();
            let output = with_fault(mine.path(), &format!("fsync:error=EIO:when={n}"), words);
            if output.status.success() {
                break;
            }
            let said = err(&output);
            assert_eq!(output.status.code(), Some(IO), "{words}, {n}: {said}");
            let (now, old, new) = match (words.ends_with("out.a"), is_restore) {
                (true, _) => (
                    read(&mine.path().join("out.a")),
                    b"old".to_vec(),
                    new.clone(),
                ),
                (_, false) => (read(&mine.libc()), mine.old().to_vec(), new.clone()),
                (_, true) => (read(&mine.libc()), new.clone(), mine.old().to_vec()),
            };
            let is_told = said.contains("is in place") || said.contains("is back");
            assert!(now == old || now == new, "{words}, {n}: torn");
            if now == new && !is_restore {
                assert!(is_told, "{words}, {n}: {said}");
            }
            assert!(!is_told || now == new, "{words}, {n}: {said}");
            seen |= is_told;
        }
        assert!(seen, "{words}: no sync after the exchange");
    }
}

#[test]
fn a_killed_preload_leaves_what_the_next_one_removes() {
    let mut killed = 0;
    for call in ["openat", "flock", "write", "fsync", "rename", "renameat"] {
        for n in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let fault = format!("{call}:signal=KILL:when={n}");
            if with_fault(folder.path(), &fault, "preload -o x.so")
                .status
                .success()
            {
                break;
            }
            killed += 1;
            let output = at_once(folder.path(), "preload -o x.so");
            assert!(output.status.success(), "{}", err(&output));
            assert_eq!(names(folder.path()), ["x.so"], "{call} {n}");
        }
    }
    assert!(killed > 5, "only {killed}: does strace inject?");
}

#[test]
fn output_does_not_go_through_another_users_link_nor_wait_for_a_held_folder() {
    let folder = Folder::small();
    let shared = folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
    fs::write(folder.path().join("precious"), "mine").unwrap();
    symlink("../precious", shared.join("out")).unwrap();
    lchown(shared.join("out"), Some(65533), None).unwrap();
    let held = fs::File::open(&shared).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let output = at_once(folder.path(), "patch libc.a -o shared/out");
    assert_eq!(output.status.code(), Some(REFUSED), "{}", err(&output));
    assert!(
        err(&output).contains("a link of user 65533"),
        "{}",
        err(&output)
    );
    assert_eq!(read(&folder.path().join("precious")), b"mine");
    let output = at_once(folder.path(), "patch libc.a -o shared/other");
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(names(&shared), ["other", "out"]);
}

#[test]
fn without_a_home_only_what_a_command_has_is_advised() {
    let room = Room::with("int main(void) { return 0; }\n");
    room.run("musl-gcc", &["-static -o tool main.c"]);
    for (words, has) in [
        (&["run", "-v", &room.path("tool")][..], false),
        (&["link-args"], true),
    ] {
        let mut command = Command::new(brawn_path());
        command.args(words).env_remove("HOME");
        let output = command.env_remove("XDG_CACHE_HOME").output().unwrap();
        let said = err(&output);
        assert!(said.contains("neither XDG_CACHE_HOME nor HOME"), "{said}");
        assert_eq!(said.contains("--dir"), has, "{said}");
    }
}

/// As in containers of hosted CI, where root has the runner's home, and behind `sudo`.
#[test]
fn with_a_home_of_another_users_the_cache_is_elsewhere() {
    let folder = open_folder();
    let at = |name: &str| folder.path().join(name);
    for name in ["home", "tmp"] {
        fs::create_dir(at(name)).unwrap();
    }
    fs::set_permissions(at("tmp"), Permissions::from_mode(0o1777)).unwrap();
    chown(at("home"), Some(65533), None).unwrap();
    let mut command = as_user(VICTIM, folder.path(), "./brawn");
    command.arg("link-args").env_remove("XDG_CACHE_HOME");
    command.env("HOME", at("home")).env("TMPDIR", at("tmp"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let own = at("tmp").join(format!("brawn-{VICTIM}"));
    assert!(said.contains(own.to_str().unwrap()), "{said}");
    assert!(fs::read_dir(at("home")).unwrap().next().is_none());
}

#[test]
fn one_thread_is_enough() {
    let folder = open_folder();
    let small = Folder::small();
    fs::copy(small.libc(), folder.path().join("libc.a")).unwrap();
    // A user who has no other process: the limit counts all that he has.
    let run = |limit: u32, words: &str| {
        let script = format!("ulimit -u {limit}; exec ./brawn {words}");
        let mut command = as_user("65431", folder.path(), "bash");
        command.args(["-c", &script]).env_remove("HOME");
        command.env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    for limit in [1, 2, 3] {
        for words in [
            "inspect libc.a",
            "inspect .",
            "toolchains",
            "toolchains --json",
            "patch -n libc.a",
        ] {
            let output = run(limit, words);
            let said = err(&output);
            assert!(!said.contains("panicked"), "{limit} {words}: {said}");
            // `toolchains` cannot ask rustc either, and says so.
            let is_told = words.starts_with("toolchains") && !said.is_empty();
            assert!(
                output.status.success() || is_told,
                "{limit} {words}: {said}"
            );
        }
    }
}

#[test]
fn too_little_memory_is_an_error_and_no_panic() {
    let folder = Folder::small();
    let room = Room::with("int main(void) { return 0; }\n");
    room.run("musl-gcc", &["-static -o tool main.c"]);
    let packed = folder.path().join("packed.gz");
    let pack = format!("gzip -c {} > {}", room.path("tool"), packed.display());
    ok("sh", &["-c", &pack]);
    let base = crate::common::brawn_mapped() / 1024;
    let mut refused = 0;
    for words in [
        format!("rewrite -n {}", room.path("tool")),
        "inspect packed.gz".into(),
        "patch -n libc.a".into(),
    ] {
        for more in (3000..9000).step_by(125) {
            let script = format!(
                "ulimit -c 0; ulimit -v {}; exec {} {words}",
                base + more,
                brawn_path()
            );
            let output = Command::new("bash")
                .args(["-c", &script])
                .current_dir(folder.path())
                .output()
                .unwrap();
            let said = err(&output);
            // With less, not even Rust's runtime begins.
            let is_begun = !said.contains("stack_overflow.rs") && !said.contains("loading shared");
            assert!(
                !is_begun || !said.contains("panicked"),
                "{words}, {more}: {said}"
            );
            refused += u32::from(output.status.code() == Some(REFUSED));
        }
    }
    assert!(refused > 3, "only {refused}: is the limit of use?");
}
