//! What a program gets from brawn is what brawn got: signals, files, limits, environment. And how `run --heap-profile`, which
//! stays beside the program, passes on what comes.

use crate::build::Room;
use crate::common::{brawn_path, ok};
use crate::others::err;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};

/// Says what it got.
const LOOK: &str = "#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
static void show(const char *path, const char *beginning) {
    char line[4096];
    FILE *file = fopen(path, \"r\");
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, beginning, strlen(beginning))) fputs(line, stderr);
    fclose(file);
}
int main(void) {
    for (int file = 0; file < 3; file++) fprintf(stderr, \"%d %d\\n\", file, fcntl(file, F_GETFD));
    show(\"/proc/self/status\", \"Sig\");
    show(\"/proc/self/status\", \"Umask\");
    show(\"/proc/self/limits\", \"Max\");
    for (char **one = environ; *one; one++)
        if (strncmp(*one, \"LD_PRELOAD\", 10) && strncmp(*one, \"BRAWN_OPTIONS\", 13)) fprintf(stderr, \"%s\\n\", *one);
    for (int i = 0; i < 1000; i++) { char *volatile p = malloc(10000); free(p); }
    return 7;
}
";

/// Starts a program with signals ignored and held back, a file closed, a limit, and another umask.
const LAUNCH: &str = "#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
    for (char *one = argv[1]; *one; one++) {
        static const int all[] = {SIGPIPE, SIGHUP, SIGABRT, SIGCHLD, SIGXFSZ, SIGUSR1, SIGINT};
        signal(all[*one - '0'], SIG_IGN);
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, 0);
    struct rlimit limit = {100, 200};
    setrlimit(RLIMIT_NOFILE, &limit);
    umask(027);
    close(0);
    execv(argv[2], argv + 2);
    return 1;
}
";

fn room() -> Room {
    let room = Room::with(LOOK);
    room.run("musl-gcc", &["-static -O1 -o still main.c"]);
    room.run("musl-gcc", &["-O1 -o dynamic main.c"]);
    room.write("launch.c", LAUNCH);
    room.run("musl-gcc", &["-static -O1 -o launch launch.c"]);
    room
}

#[test]
fn a_program_gets_what_brawn_got() {
    let room = room();
    let cache = room.path("cache");
    let started = |ignored: &str, words: &[&str]| {
        let mut command = Command::new(room.path("launch"));
        command
            .arg(ignored)
            .args(words)
            .env("XDG_CACHE_HOME", &cache);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{words:?}: {}", err(&output));
        let said = err(&output);
        // What brawn says itself comes after the program. How many signals wait is the user's, not the process's.
        let not_its_own = ["brawn: ", "SigQ"];
        let lines = said.lines().filter(|line| {
            !not_its_own.iter().any(|begin| line.starts_with(begin)) && !line.contains("heap.pb.gz")
        });
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let brawn = brawn_path();
    let (still, dynamic, out) = (
        room.path("still"),
        room.path("dynamic"),
        room.path("heap.pb.gz"),
    );
    for ignored in ["", "0", "012456", "3", "0123456"] {
        let itself = started(ignored, &[&still]);
        assert!(itself.len() > 20, "{itself:?}");
        for words in [
            &[brawn, "run", &still][..],
            &[brawn, "run", "--or-plain", &still],
            &[brawn, "preload", "--", &dynamic],
            &[
                brawn,
                "run",
                "--heap-profile",
                &out,
                "--heap-interval",
                "4096",
                &still,
            ],
        ] {
            let mut by_brawn = started(ignored, words);
            by_brawn.truncate(itself.len());
            assert_eq!(by_brawn, itself, "{ignored}: {words:?}");
        }
    }
}

#[test]
fn programs_that_are_compared_get_what_brawn_got() {
    // Each run appends what it got.
    let room = Room::with(&LOOK.replace(
        "int main(void) {",
        "int main(int argc, char **argv) { dup2(open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600), 2);",
    ).replace("#include <string.h>", "#include <string.h>\n#include <unistd.h>").replace("return 7", "return 0"));
    room.run("musl-gcc", &["-static -O1 -o still main.c"]);
    room.write("launch.c", LAUNCH);
    room.run("musl-gcc", &["-static -O1 -o launch launch.c"]);
    let still = room.path("still");
    for ignored in ["", "0", "0125", "456"] {
        let signals = |words: &[&str]| {
            let got = room.path("got");
            let _ = fs::remove_file(&got);
            let mut command = Command::new(room.path("launch"));
            command.arg(ignored).args(words).arg(&got);
            let output = command.env("XDG_CACHE_HOME", room.path("cache")).output();
            let output = output.unwrap();
            assert!(output.status.success(), "{words:?}: {}", err(&output));
            let text = fs::read_to_string(got).unwrap();
            let lines = text.lines().filter(|line| line.starts_with("Sig"));
            // How many signals wait is the user's, not the process's.
            let lines = lines.filter(|line| !line.starts_with("SigQ"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let itself = signals(&[&still]);
        assert_eq!(itself.len(), 4, "{itself:?}");
        let compared = signals(&[brawn_path(), "compare", "--runs", "2", &still]);
        assert!(
            compared.len() > 4 && compared.len() % 4 == 0,
            "{compared:?}"
        );
        for run in compared.chunks(4) {
            assert_eq!(run, itself, "{ignored}");
        }
    }
}

#[test]
fn what_was_ignored_is_not_watched_for() {
    let room = Room::with(
        "#include <unistd.h>\n#include <stdlib.h>\nint main(void) { free(malloc(9)); usleep(100000); return 0; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -o slow main.c"]);
    room.write("launch.c", LAUNCH);
    room.run("musl-gcc", &["-static -O1 -o launch launch.c"]);
    let mut child = Command::new(room.path("launch"))
        // SIGHUP.
        .args([
            "1",
            brawn_path(),
            "compare",
            "--runs",
            "3",
            &room.path("slow"),
        ])
        .env("XDG_CACHE_HOME", room.path("cache"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let bit = |name: &str, signal: i32| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status
            .lines()
            .find_map(|l| l.strip_prefix(name).map(str::to_owned))
            .unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1
    };
    // Until it watches for SIGTERM.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !bit("SigCgt:", 15) {
        assert!(
            std::time::Instant::now() < deadline,
            "it watches for nothing"
        );
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(bit("SigIgn:", 1) && !bit("SigCgt:", 1));
    ok("kill", &["-HUP", &child.id().to_string()]);
    assert!(child.wait().unwrap().success());
}

/// Tells which signal came, and ends with 5 at the third.
const TOLD: &str = "#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int came;
static void on(int signal) { came = signal; }
int main(void) {
    for (int i = 0; i < 1000; i++) { char *volatile p = malloc(10000); free(p); }
    int all[] = {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGRTMIN + 3};
    for (int i = 0; i < 6; i++) signal(all[i], on);
    for (int i = 0; i < 6; i++) {
        sigset_t set, old;
        sigfillset(&set);
        sigprocmask(SIG_BLOCK, &set, &old);
        came = 0;
        write(1, \"ready\\n\", 6);
        sigsuspend(&old);
        dprintf(1, \"%d\\n\", came);
        sigprocmask(SIG_SETMASK, &old, 0);
    }
    return 5;
}
";

#[test]
fn what_is_sent_to_brawn_beside_a_program_reaches_the_program() {
    let room = Room::with(TOLD);
    room.run("musl-gcc", &["-static -O1 -o told main.c"]);
    let mut child: Child = crate::common::interruptible()
        .args([
            "run",
            "--heap-profile",
            &room.path("x"),
            "--heap-interval",
            "4096",
            &room.path("told"),
        ])
        .env("XDG_CACHE_HOME", room.path("cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for signal in [10, 12, 2, 15, 1, 38] {
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        ok("kill", &[&format!("-{signal}"), &child.id().to_string()]);
        assert_eq!(lines.next().unwrap().unwrap(), signal.to_string());
    }
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert!(fs::metadata(room.path("x")).unwrap().len() > 0);
}

fn recorded(room: &Room, file: &str, words: &[&str], options: &str) -> Output {
    Command::new(brawn_path())
        .args(["run", "--heap-profile", file, "--heap-interval", "4096"])
        .args(words)
        .current_dir(room.path(""))
        .env("XDG_CACHE_HOME", room.path("cache"))
        .env("TMPDIR", room.path("tmp"))
        .env("BRAWN_OPTIONS", options)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_profile_that_cannot_be_written_costs_neither_the_exit_code_nor_the_recording() {
    let room = Room::with(LOOK);
    room.run("musl-gcc", &["-static -O1 -o still main.c"]);
    room.write(
        "leave.c",
        &LOOK.replace(
            "int main(void) {",
            "int main(void) { system(\"rm -r gone; touch ran\");",
        ),
    );
    room.run("musl-gcc", &["-static -O1 -o leave leave.c"]);
    for folder in ["gone", "tmp"] {
        fs::create_dir(room.path(folder)).unwrap();
    }
    // Known before.
    let output = recorded(&room, "none/heap", &["./leave"], "");
    assert_eq!(output.status.code(), Some(125), "{}", err(&output));
    assert!(!fs::exists(room.path("ran")).unwrap());
    // Only known afterwards.
    let output = recorded(&room, "gone/heap", &["./leave"], "");
    let said = err(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(fs::exists(room.path("ran")).unwrap());
    let kept = said
        .split("brawn heap-profile ")
        .nth(1)
        .expect("where it is");
    let kept = kept.split('`').next().unwrap();
    ok(brawn_path(), &["heap-profile", kept]);
    fs::remove_dir_all(room.path("tmp")).unwrap();
    fs::create_dir(room.path("tmp")).unwrap();
    // The user's own options name a file of their own.
    let output = recorded(&room, "heap", &["./still"], "heap_profile=/nowhere/x");
    assert_eq!(output.status.code(), Some(7), "{}", err(&output));
    assert!(
        fs::metadata(room.path("heap")).unwrap().len() > 0,
        "{}",
        err(&output)
    );
    assert_eq!(fs::read_dir(room.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_program_that_asks_for_little_keeps_its_exit_code() {
    let room = Room::with(
        "#include <stdlib.h>\nint main(int n, char **a) { if (n > 9) free(malloc(9)); return 3; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -o little main.c"]);
    fs::create_dir(room.path("tmp")).unwrap();
    let output = recorded(&room, "heap", &["./little"], "");
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(
        err(&output).contains("recorded nothing") || err(&output).contains("no block"),
        "{}",
        err(&output)
    );
    let mode = fs::metadata(room.path("little"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
}
