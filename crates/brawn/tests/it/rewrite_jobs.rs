//! What public programs are given to do (rewrite_jobs.txt), before and after `brawn rewrite`: the same exit code, the
//! same output, the same files.

use crate::common::root;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const JOBS: &str = include_str!("rewrite_jobs.txt");
const INPUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/corpus_inputs");
/// Runs what lies beside it.
const QEMU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/corpus_qemu.sh");
/// Parts of the repository that jobs work on.
const PARTS: [&str; 3] = ["docs", "tools", "payload"];

/// The commands that begin with the program's name.
pub fn of(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = JOBS.lines().filter(|line| !line.starts_with('#'));
    lines.filter(move |line| line.split_whitespace().next() == Some(name))
}

/// The programs that have something to do.
pub fn names() -> impl Iterator<Item = &'static str> {
    let lines = JOBS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next())
}

/// What a job left.
struct Left {
    output: Output,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A directory where both programs work, one after the other, so that each path that they print is the same.
pub struct Place {
    path: PathBuf,
    architecture: &'static str,
}

impl Place {
    pub fn new(path: &str, architecture: &'static str) -> Self {
        Self {
            path: path.into(),
            architecture,
        }
    }

    /// How the job of the program differs from that of the rewritten one, if it does.
    pub fn difference(&self, old: &str, new: &str, job: &str) -> Result<(), String> {
        let [before, after] = [self.job(old, job)?, self.job(new, job)?];
        let Some(what) = differ(&before, &after) else {
            return Ok(());
        };
        let again = self.job(old, job)?;
        Err(match differ(&before, &again) {
            Some(itself) => format!("`{job}` differs from itself, so it says nothing: {itself}"),
            None => format!("`{job}` differs: {what}"),
        })
    }

    fn job(&self, program: &str, job: &str) -> Result<Left, String> {
        self.fill(program, job).map_err(|e| format!("{job}: {e}"))?;
        let output = Command::new("sh")
            .args(["-c", job])
            .current_dir(self.path.join("work"))
            .env_clear()
            .env("PATH", format!("{}/bin:/usr/bin:/bin", self.path.display()))
            .env("HOME", self.path.join("home"))
            .envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb")])
            .envs([("NO_COLOR", "1"), ("DO_NOT_TRACK", "1")])
            .envs([("RAYON_NUM_THREADS", "1"), ("TOKIO_WORKER_THREADS", "1")])
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("{job}: {e}"))?;
        let mut files = BTreeMap::new();
        for part in ["work", "home"] {
            collect(&self.path.join(part), &mut files).map_err(|e| format!("{job}: {e}"))?;
        }
        Ok(Left { output, files })
    }

    /// Makes it as it was before any job, with those parts of the repository that the job names.
    fn fill(&self, program: &str, job: &str) -> std::io::Result<()> {
        if self.path.exists() {
            fs::remove_dir_all(&self.path)?;
        }
        let [bin, work] = ["bin", "work"].map(|part| self.path.join(part));
        fs::create_dir_all(self.path.join("home"))?;
        fs::create_dir(&bin)?;
        copy(Path::new(INPUTS), &work)?;
        for part in PARTS.into_iter().filter(|part| job.contains(part)) {
            copy(&root().join(part), &work.join(part))?;
        }
        // Links: a file that was just written may still be open in a child of another thread, and cannot be run then.
        let name = Path::new(program).file_name().expect("a file");
        if self.architecture != "aarch64" {
            return fs::hard_link(program, bin.join(name));
        }
        let programs = self.path.join("programs");
        fs::create_dir(&programs)?;
        fs::hard_link(program, programs.join(name))?;
        symlink(QEMU, bin.join(name))
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else if entry.path().is_file() {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Each file below the directory with its content; a link's is where it leads.
fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let (path, kind) = entry.and_then(|e| Ok((e.path(), e.file_type()?)))?;
        if kind.is_dir() {
            collect(&path, files)?;
            files.insert(path, Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(&path)?;
            files.insert(path, target.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            let content = fs::read(&path)?;
            files.insert(path, content);
        }
    }
    Ok(())
}

fn differ(before: &Left, after: &Left) -> Option<String> {
    let (old, new) = (&before.output, &after.output);
    if old.status != new.status {
        return Some(format!("{}, not {}", new.status, old.status));
    }
    for (what, old, new) in [
        ("output", &old.stdout, &new.stdout),
        ("errors", &old.stderr, &new.stderr),
    ] {
        let [old, new] = [old, new].map(|text| without_times(&String::from_utf8_lossy(text)));
        if old != new {
            let mut lines = old.lines().zip(new.lines());
            let first = lines.find(|(old, new)| old != new);
            return Some(format!("{what}: {first:?} in\n{new}\nnot\n{old}"));
        }
    }
    let paths = before.files.keys().chain(after.files.keys());
    let text = |left: &Left, path: &PathBuf| {
        let text = left
            .files
            .get(path)
            .map(|f| std::str::from_utf8(f).map(without_times));
        text.and_then(Result::ok)
    };
    let is_same_text =
        |path: &PathBuf| text(before, path).is_some_and(|old| Some(old) == text(after, path));
    let mut changed = paths
        .filter(|path| before.files.get(*path) != after.files.get(*path) && !is_same_text(path));
    changed
        .next()
        .map(|path| format!("file {}", path.display()))
}

/// How long something took, and when it was, is not part of what a program does: `12.5ms` becomes `…`, and so do `2026-11-26T20:05:19.37Z` and the seconds
/// since the program's start in `[00.26]`.
fn without_times(text: &str) -> String {
    const UNITS: [&str; 7] = ["ns", "us", "µs", "ms", "s", "sec", "seconds"];
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        kept.push_str(before);
        if let Some(behind) = behind_moment(number) {
            kept.push('…');
            rest = behind;
            continue;
        }
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let length = number.find(|c| !is_digit(c)).unwrap_or(number.len());
        let (digits, after) = number.split_at(length);
        let unit = after.trim_start_matches(' ');
        let end = unit.find(|c: char| !c.is_alphabetic());
        let (unit, behind) = unit.split_at(end.unwrap_or(unit.len()));
        let is_stamp = before.ends_with('[') && after.starts_with(']') && digits.contains('.');
        let is_time = is_stamp || UNITS.contains(&unit);
        kept.push_str(if is_time { "…" } else { digits });
        rest = if is_time { behind } else { after };
    }
    kept.push_str(rest);
    kept
}

/// What follows the date and time with which `text` begins, if it does.
fn behind_moment(text: &str) -> Option<&str> {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let is_one = |(shape, byte): (u8, u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    let rest = text.get(SHAPE.len()..)?;
    let is_moment = SHAPE.bytes().zip(text.bytes()).all(is_one);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    is_moment.then(|| rest.strip_prefix('Z').unwrap_or(rest))
}

#[test]
fn only_times_are_left_out() {
    let kept = without_times("2 files in 12.5ms, 1 s; 3 sets, v1.2.3, 0x10us, 7µs");
    assert_eq!(kept, "2 files in …, …; 3 sets, v1.2.3, 0x…, …");
    let kept = without_times("[00.26] [1] 2026-11-26T20:05:19.379Z at 2026-11-26, [2.5");
    assert_eq!(kept, "[…] [1] … at 2026-11-26, [2.5");
}
