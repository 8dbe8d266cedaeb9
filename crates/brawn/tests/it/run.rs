//! `brawn run`: the program is the program, and the cache is nobody else's.

use crate::build::Room;
use crate::common::{as_nobody, brawn, brawn_path, names, ok};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FAILED: i32 = 125;
const REFUSED: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Says how it was started, and does what its first argument says.
const TOOL: &str = "#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char exe[4096] = {0}, name[64] = {0}, *line = malloc(4096);
    readlink(\"/proc/self/exe\", exe, sizeof exe - 1);
    FILE *comm = fopen(\"/proc/self/comm\", \"r\");
    if (comm) fgets(name, sizeof name, comm);
    printf(\"%s|%s|%s|%s\", argv[0], exe, getenv(\"GIVEN\"), name);
    for (int i = 1; i < argc; i++) printf(\"<%s>\", argv[i]);
    while (argc > 1 && !strcmp(argv[1], \"cat\") && fgets(line, 4096, stdin)) fputs(line, stdout);
    fflush(stdout);
    if (argc > 2 && !strcmp(argv[1], \"exit\")) return atoi(argv[2]);
    if (argc > 2 && !strcmp(argv[1], \"kill\")) raise(atoi(argv[2]));
    free(line);
    return 0;
}
";

/// A program, and a cache of its own.
struct Setting {
    room: Room,
}

impl Setting {
    fn new() -> Self {
        let room = Room::with(TOOL);
        room.run("musl-gcc", &["-static -O1 -w -o tool main.c"]);
        // A change in the same tick of the filesystem's clock would have to be waited for.
        std::thread::sleep(std::time::Duration::from_millis(30));
        Self { room }
    }

    fn tool(&self) -> PathBuf {
        self.room.path("tool").into()
    }

    fn cache(&self) -> PathBuf {
        Path::new(&self.room.path("cache")).join("brawn/run")
    }

    /// `brawn run` with these arguments; what it says of itself comes first.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(brawn_path());
        command
            .args(["run", "-v"])
            .args(arguments)
            .env("XDG_CACHE_HOME", self.room.path("cache"))
            .env("GIVEN", "it")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("brawn runs")
    }

    fn entries(&self) -> usize {
        names(&self.cache()).len()
    }

    fn entry(&self) -> PathBuf {
        let names = names(&self.cache());
        assert_eq!(names.len(), 1, "{names:?}");
        self.cache().join(&names[0]).join("tool")
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Holds that it ran, from where `word` says.
fn ran(output: &Output, word: &str) -> String {
    assert!(output.status.success(), "{}", err(output));
    assert!(err(output).contains(word), "{word}: {}", err(output));
    out(output)
}

/// Holds that it did not run.
fn stopped(output: &Output, code: i32, words: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{}", err(output));
    assert_eq!(out(output), "");
    for word in words {
        assert!(err(output).contains(word), "{word}: {}", err(output));
    }
}

#[test]
fn everything_about_it_is_the_programs_own() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    let first = ran(
        &setting.run(&[&tool, "a b", "--help", "-v"]),
        "kept in the cache",
    );
    let exe = setting.entry();
    let expected = format!("{tool}|{}|it|tool\n<a b><--help><-v>", exe.display());
    assert_eq!(first, expected);
    let second = ran(
        &setting.run(&[&tool, "a b", "--help", "-v"]),
        "rewritten before",
    );
    assert_eq!(second, expected);
    assert_eq!(setting.run(&[&tool, "exit", "42"]).status.code(), Some(42));
    assert_eq!(
        setting.run(&[&tool, "kill", "11"]).status.signal(),
        Some(11)
    );
    let script = format!("echo through | {} run {tool} cat", brawn_path());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]);
    shell.env("XDG_CACHE_HOME", setting.room.path("cache"));
    let piped = shell.output().unwrap();
    assert!(out(&piped).ends_with("<cat>through\n"), "{piped:?}");
    // Without being asked it says nothing.
    assert_eq!(err(&piped), "");
    // It is brawn's heap that ran.
    let report = crate::build::inspect(exe.to_str().unwrap());
    assert_eq!(report["heap"], "brawn", "{report:#}");
}

#[test]
fn the_name_is_looked_for_in_path() {
    let setting = Setting::new();
    let folder = setting.tool().parent().unwrap().to_owned();
    let mut command = setting.command(&["tool"]);
    let output = command.env("PATH", &folder).output().unwrap();
    assert!(out(&output).starts_with("tool|"), "{}", err(&output));
    let mut command = setting.command(&["tool"]);
    let output = command.env("PATH", "/nowhere").output().unwrap();
    stopped(&output, NOT_FOUND, &["tool", "cannot find it"]);
    // Links by other names give programs other names.
    symlink("tool", folder.join("other")).unwrap();
    let output = ran(
        &setting.run(&[&setting.room.path("other")]),
        "kept in the cache",
    );
    assert!(output.contains("/other|it|other\n"), "{output}");
}

#[test]
fn what_keeps_it_from_running_has_a_code_of_its_own() {
    let setting = Setting::new();
    let path = |name| setting.room.path(name);
    stopped(&setting.run(&[&path("none")]), NOT_FOUND, &["none"]);
    stopped(&setting.run(&[]), FAILED, &["required"]);
    stopped(&setting.run(&["--bogus", "x"]), FAILED, &["--bogus"]);
    setting.room.write("script", "#!/bin/sh\n");
    setting.room.write("empty", "");
    for name in ["script", "empty", "tool"] {
        fs::set_permissions(path(name), Permissions::from_mode(0o755)).unwrap();
    }
    stopped(
        &setting.run(&[&path("script")]),
        REFUSED,
        &["a script", "name the program that it starts"],
    );
    stopped(&setting.run(&[&path("empty")]), REFUSED, &["an empty file"]);
    let dynamic = setting.run(&["/bin/sh", "-c", "exit 0"]);
    stopped(&dynamic, REFUSED, &["dynamic, linked with glibc"]);
    fs::set_permissions(path("tool"), Permissions::from_mode(0o644)).unwrap();
    stopped(&setting.run(&[&path("tool")]), REFUSED, &["may not be run"]);
    let plain = setting.run(&["--or-plain", "/bin/sh", "-c", "exit 9"]);
    assert_eq!(plain.status.code(), Some(9));
    assert!(err(&plain).contains("runs as it is"), "{}", err(&plain));
}

#[test]
fn what_the_kernel_does_not_run_goes_to_no_shell() {
    let setting = Setting::new();
    let room = &setting.room;
    let arm = "cc -target aarch64-linux-musl -static -w -O1 -o arm main.c";
    room.run(&crate::build::zig(), &[arm]);
    let other = ["an executable for aarch64: this system runs those for x86_64"];
    for flags in [&[][..], &["--or-plain"]] {
        let arm = setting.run(&[flags, &[&room.path("arm"), "exit", "3"]].concat());
        stopped(&arm, REFUSED, &other);
    }
    room.write("text", "echo a shell ran this\n");
    fs::set_permissions(room.path("text"), Permissions::from_mode(0o755)).unwrap();
    let text = setting.run(&["--or-plain", &room.path("text")]);
    stopped(&text, REFUSED, &["neither an executable nor a script"]);
}

#[test]
fn a_file_of_this_folder_is_told_from_a_name() {
    let setting = Setting::new();
    let mut command = setting.command(&["tool"]);
    command.env("PATH", "/nowhere");
    let output = command
        .current_dir(setting.tool().parent().unwrap())
        .output();
    stopped(
        &output.unwrap(),
        NOT_FOUND,
        &["tool: cannot find it", "say `./tool`"],
    );
}

#[test]
fn a_program_that_has_brawns_is_run_as_it_is() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    ok(brawn_path(), &["rewrite", &tool]);
    let output = ran(&setting.run(&[&tool, "x"]), "nothing to rewrite");
    assert!(output.starts_with(&format!("{tool}|{tool}|")), "{output}");
}

#[test]
fn memory_that_cannot_be_had_is_an_error_and_no_abort() {
    let setting = Setting::new();
    let big = setting.room.path("big");
    let file = fs::File::create(&big).unwrap();
    file.set_len(1 << 36).unwrap();
    fs::set_permissions(&big, Permissions::from_mode(0o755)).unwrap();
    let within = |kilobytes: u64, arguments: &[&str]| {
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={}", kilobytes << 10));
        command
            .arg(brawn_path())
            .args(arguments)
            .stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", setting.room.path("cache"));
        command.output().unwrap()
    };
    let output = within(1 << 20, &["run", &big]);
    stopped(&output, FAILED, &["big: cannot read it: out of memory"]);
    for command in ["rewrite", "patch", "inspect", "verify", "image"] {
        let more = if command == "image" { &["-n"][..] } else { &[] };
        let output = within(1 << 20, &[&[command, &big], more].concat());
        let code = output.status.code();
        assert!(matches!(code, Some(3..=5)), "{command}: {output:?}");
        assert!(err(&output).contains("big"), "{command}: {}", err(&output));
    }
    // Wherever it is that memory ends, from where the dynamic linker has enough.
    let steps = (0..).map(|step| 8000 + step * 250);
    let starts = |limit: &u64| within(*limit, &["--version"]).status.success();
    let least = steps.clone().find(starts).unwrap();
    let out = setting.room.path("out.a");
    let (mut failed, mut done) = (0, 0);
    for limit in steps.skip_while(|limit| *limit < least).step_by(3).take(24) {
        let output = within(limit, &["patch", crate::common::MUSL, "-o", &out]);
        match output.status.code() {
            Some(0) => done += 1,
            Some(crate::common::REFUSED) => {
                assert!(err(&output).contains("memory"), "{output:?}");
                assert!(!Path::new(&out).exists());
                failed += 1;
            }
            _ => panic!("{limit} KiB: {output:?}"),
        }
    }
    assert!(done > 0 && failed > 3, "{done} {failed}");
}

#[test]
fn rights_that_a_copy_would_not_have_are_refused() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    for (mode, word) in [(0o4755, "setuid"), (0o2755, "setgid")] {
        fs::set_permissions(&tool, Permissions::from_mode(mode)).unwrap();
        stopped(&setting.run(&[&tool]), REFUSED, &[word]);
    }
    fs::set_permissions(&tool, Permissions::from_mode(0o755)).unwrap();
    ran(&setting.run(&[&tool]), "kept");
    // What is in the cache is of no use from here on.
    ok("setcap", &["cap_net_raw=ep", &tool]);
    stopped(&setting.run(&[&tool]), REFUSED, &["file capabilities"]);
    let plain = setting.run(&["--or-plain", &tool]);
    assert!(plain.status.success(), "{}", err(&plain));
}

#[test]
fn a_changed_program_is_rewritten_again() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    ran(&setting.run(&[&tool]), "kept");
    ran(&setting.run(&["--profile", "secure", &tool]), "kept");
    ran(&setting.run(&["--only", "memory", &tool]), "kept");
    ran(&setting.run(&["--profile", "secure", &tool]), "before");
    assert_eq!(setting.entries(), 3);
    // Another one of the same size, in the same file.
    let mut bytes = fs::read(&tool).unwrap();
    let at = bytes.windows(5).position(|w| w == b"GIVEN").unwrap();
    bytes[at..at + 5].copy_from_slice(b"OTHER");
    fs::write(&tool, &bytes).unwrap();
    let mut command = setting.command(&[&tool]);
    let output = command.env("OTHER", "another").output().unwrap();
    assert!(ran(&output, "kept").contains("|another|"));
    // Right after it was written, too, where clocks have not gone on.
    for (value, name) in [("1", b"GIVEN"), ("2", b"OTHER")].repeat(5) {
        bytes[at..at + 5].copy_from_slice(name);
        fs::write(&tool, &bytes).unwrap();
        let mut command = setting.command(&[&tool]);
        let output = command
            .env("GIVEN", "1")
            .env("OTHER", "2")
            .output()
            .unwrap();
        assert!(out(&output).contains(&format!("|{value}|")), "{output:?}");
    }
}

#[test]
fn many_at_once_leave_one() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    let runs: Vec<_> = (0..12)
        .map(|_| {
            setting
                .command(&[&tool])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
        })
        .collect();
    for run in runs {
        let output = run.unwrap().wait_with_output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
    }
    setting.entry();
}

#[test]
fn a_program_that_may_not_be_read_is_refused() {
    let setting = Setting::new();
    let folder = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o755))
        .tempdir()
        .unwrap();
    let tool = folder.path().join("tool");
    let path = tool.to_str().unwrap();
    ok("install", &["-m", "111", &setting.room.path("tool"), path]);
    let variables = [("XDG_CACHE_HOME", Path::new("/nowhere"))];
    let output = as_nobody(&variables, &["run", path]);
    stopped(&output, REFUSED, &["cannot read it"]);
    let output = as_nobody(&variables, &["run", "--or-plain", path]);
    assert!(output.status.success(), "{}", err(&output));
}

/// Runs it where the cache is to be at `cache`, and holds that it ran from a file without a name for this reason.
fn unkept(setting: &Setting, cache: &Path, why: &str) {
    let tool = setting.room.path("tool");
    let mut command = setting.command(&[&tool, "x"]);
    let output = command.env("XDG_CACHE_HOME", cache).output().unwrap();
    let text = ran(&output, "not kept");
    assert!(err(&output).contains(why), "{why}: {}", err(&output));
    assert!(text.contains("|/memfd:tool (deleted)|"), "{text}");
    assert!(text.ends_with("<x>"), "{text}");
}

#[test]
fn a_cache_that_others_could_change_is_not_used() {
    let setting = Setting::new();
    let folder = PathBuf::from(setting.room.path("shared"));
    let run = folder.join("brawn/run");
    fs::create_dir_all(&run).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(&folder, 0o777);
    unkept(&setting, &folder, "777");
    mode(&folder, 0o755);
    mode(&run, 0o730);
    unkept(&setting, &folder, "730");
    mode(&run, 0o700);
    for path in [&run, &folder] {
        chown(path, Some(65534), None).unwrap();
        unkept(&setting, &folder, "user 65534");
        chown(path, Some(0), None).unwrap();
    }
    // A link to where somebody else is at home is followed to it.
    fs::remove_dir(&run).unwrap();
    let other = PathBuf::from(setting.room.path("other"));
    fs::create_dir(&other).unwrap();
    chown(&other, Some(65534), None).unwrap();
    symlink(&other, &run).unwrap();
    unkept(&setting, &folder, "user 65534");
    assert_eq!(names(&other), [""; 0]);
    unkept(
        &setting,
        Path::new("/proc/nowhere"),
        "cannot create the cache",
    );
    let tool = setting.room.path("tool");
    let mut command = setting.command(&[&tool]);
    command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    ran(
        &command.output().unwrap(),
        "not kept: neither XDG_CACHE_HOME nor HOME",
    );
}

#[test]
fn a_cache_on_a_filesystem_that_runs_nothing_is_not_used() {
    let setting = Setting::new();
    let script = "mkdir -p cache; mount -t tmpfs -o noexec none cache; \
         XDG_CACHE_HOME=$PWD/cache $1 run -v ./tool; \
         mount -t tmpfs -o size=8k none cache; XDG_CACHE_HOME=$PWD/cache $1 run -v ./tool";
    let output = Command::new("unshare")
        .args(["-m", "bash", "-euc", script, "bash", brawn_path()])
        .current_dir(setting.tool().parent().unwrap())
        .output()
        .unwrap();
    let text = ran(&output, "`noexec`");
    assert!(err(&output).contains("No space left"), "{}", err(&output));
    assert_eq!(text.matches("/memfd:tool (deleted)").count(), 2, "{text}");
}

#[test]
fn what_was_put_in_the_place_of_a_cached_program_is_not_run() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    ran(&setting.run(&[&tool]), "kept");
    let entry = setting.entry();
    // As programs that update themselves do.
    fs::write(entry.with_extension("new"), "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(entry.with_extension("new"), Permissions::from_mode(0o755)).unwrap();
    fs::rename(entry.with_extension("new"), &entry).unwrap();
    ran(&setting.run(&[&tool]), "kept");
    ran(&setting.run(&[&tool]), "before");
}

#[test]
fn the_second_run_does_not_read_the_program() {
    let setting = Setting::new();
    let tool = setting.room.path("tool");
    ran(&setting.run(&[&tool]), "kept");
    let trace = setting.room.path("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=open,openat,read,execve", "-o", &trace]);
    command.args([brawn_path(), "run", &tool]);
    command.env("XDG_CACHE_HOME", setting.room.path("cache"));
    assert!(command.output().unwrap().status.success());
    let trace = fs::read_to_string(trace).unwrap();
    assert!(!trace.contains(&format!("\"{tool}\", O_")), "{trace}");
    let own = brawn().get_program().to_string_lossy().into_owned();
    let execs = trace.lines().filter(|l| l.contains("execve(")).count();
    assert_eq!(execs, 2, "{own}: {trace}");
}
