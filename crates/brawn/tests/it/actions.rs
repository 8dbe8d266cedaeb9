//! What runs brawn in other people's CI: the steps of `packaging/action`, with the variables that a runner sets, and the
//! hook of pre-commit.

use crate::common::{MUSL, brawn_path, ok, read, root};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A job: what its steps leave for later ones.
struct Job {
    folder: TempDir,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory");
        for name in ["path", "summary.md"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let job = Self { folder };
        fs::copy(MUSL, job.file("libc.a")).expect("Debian's musl-dev");
        job
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(read(&self.file(name))).expect("UTF-8")
    }

    /// One step of the action, which is what `action.yml` runs.
    fn step(&self, name: &str, inputs: &[(&str, &str)]) -> (Option<i32>, String) {
        let run = format!("bash \"$GITHUB_ACTION_PATH/run.sh\" {name}");
        assert!(steps().contains(&run), "{run}: not in action.yml");
        let before: Vec<String> = self.text("path").lines().map(str::to_owned).collect();
        let path = std::env::var("PATH").expect("a path");
        let output: Output = Command::new("bash")
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &run])
            .current_dir(self.folder.path())
            .env("GITHUB_ACTION_PATH", root().join("packaging/action"))
            .env("GITHUB_PATH", self.file("path"))
            .env("GITHUB_STEP_SUMMARY", self.file("summary.md"))
            .env("RUNNER_TEMP", self.folder.path())
            .env("RUNNER_ARCH", "X64")
            .env("PATH", [before.as_slice(), &[path]].concat().join(":"))
            .envs(inputs.iter().copied())
            .output()
            .expect("bash");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }

    fn install(&self) {
        let (code, said) = self.step("install", &[("INPUT_BRAWN", brawn_path())]);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// What `action.yml` runs, as YAML's own reader has it.
fn steps() -> String {
    let script = "puts YAML.load_file(ARGV[0])['runs']['steps'].map { |s| s['run'] }";
    let action = root().join("packaging/action/action.yml");
    ok(
        "ruby",
        &["-ryaml", "-e", script, action.to_str().expect("UTF-8")],
    )
}

#[test]
fn the_action_patches_before_a_build_and_checks_after_it() {
    let job = Job::new();
    job.install();
    let (code, said) = job.step("check", &[("INPUT_CHECK", "libc.a")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("::error::a program has musl's slow heap"),
        "{said}"
    );
    assert!(
        job.text("summary.md").contains("\nslow heap  musl"),
        "{said}"
    );
    let (code, said) = job.step("patch", &[("INPUT_PATCH", "libc.a")]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = job.step("check", &[("INPUT_CHECK", "libc.a\n")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(job.text("summary.md").contains("\nfine "), "{said}");
}

#[test]
fn a_path_is_neither_a_command_nor_an_option_nor_markup() {
    let job = Job::new();
    job.install();
    let name = "$(touch owned)\u{1b}[2J`touch owned`";
    fs::rename(job.file("libc.a"), job.file(name)).expect("renamed");
    let (code, said) = job.step("check", &[("INPUT_CHECK", name)]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = job.step("check", &[("INPUT_CHECK", "--only=fine")]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("::error::brawn inspect: exit code"), "{said}");
    assert!(!job.file("owned").exists());
    assert!(!job.text("summary.md").contains('\u{1b}'));
}

#[test]
fn a_release_is_installed_only_if_its_sum_is_right() {
    let job = Job::new();
    let name = "brawn-9.9.9-x86_64-unknown-linux-musl";
    let script = r#"
        mkdir -p v9.9.9/"$1"; ln "$2" v9.9.9/"$1"/brawn 2>/dev/null || cp "$2" v9.9.9/"$1"/brawn
        cd v9.9.9; tar -cf - "$1" | gzip -1 >"$1.tar.gz"; sha256sum "$1.tar.gz" >SHA256SUMS
    "#;
    let made = Command::new("bash")
        .args(["-ec", script, "make", name, brawn_path()])
        .current_dir(job.folder.path())
        .status();
    assert!(made.expect("bash").success());
    let releases = format!("file://{}", job.folder.path().display());
    let inputs = [
        ("INPUT_VERSION", "9.9.9"),
        ("INPUT_RELEASES", releases.as_str()),
    ];
    let (code, said) = job.step("install", &inputs);
    assert_eq!(code, Some(0), "{said}");
    assert!(job.file("brawn/brawn").is_file(), "{said}");
    let archive = job.file(&format!("v9.9.9/{name}.tar.gz"));
    let mut bytes = read(&archive);
    bytes.push(0);
    fs::write(&archive, bytes).expect("written");
    fs::write(job.file("path"), "").expect("written");
    let (code, said) = job.step("install", &inputs);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("found another sum than SHA256SUMS has"),
        "{said}"
    );
    assert_eq!(job.text("path"), "");
    let (code, said) = job.step("install", &[("INPUT_VERSION", "latest")]);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn the_hook_of_pre_commit_stops_a_slow_heap() {
    let hooks = root().join(".pre-commit-hooks.yaml");
    let script = "puts YAML.load_file(ARGV[0])[0]['entry']";
    let entry = ok(
        "ruby",
        &["-ryaml", "-e", script, hooks.to_str().expect("UTF-8")],
    );
    let job = Job::new();
    let path = PathBuf::from(brawn_path());
    let path = format!(
        "{}:/usr/bin:/bin",
        path.parent().expect("a directory").display()
    );
    let hook = |files: &[&str]| {
        let output = Command::new("/usr/bin/env")
            .args(shell_words::split(&entry).expect("as pre-commit splits it"))
            .args(files)
            .env("PATH", &path)
            .current_dir(job.folder.path())
            .output()
            .expect("env");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        (output.status.code(), said)
    };
    let own = fs::read_link("/proc/self/exe").expect("this test");
    fs::copy(own, job.file("program")).expect("copied");
    fs::write(job.file("a picture"), b"\x89PNG\r\n\x1a\n\0").expect("written");
    // Whatever else is committed, the file that is slow is named, with what to do.
    let (code, said) = hook(&["a picture", "libc.a", "program"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("libc.a") && said.contains("brawn patch"),
        "{said}"
    );
    assert!(!said.contains("picture"), "{said}");
    for fine in [
        &["a picture", "program"][..],
        &["program"],
        &["a picture"],
        &[],
    ] {
        let (code, said) = hook(fine);
        assert_eq!(code, Some(0), "{fine:?}: {said}");
    }
}
