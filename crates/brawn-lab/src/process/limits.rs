//! A memory cgroup for one program at a time: makes it, runs a program in it, says how that ended, and removes it.
//!
//! ```text
//! /proc/self/mountinfo, /proc/self/cgroup ─ places ─> directories ─ mkdir ─> Group ─ run ─> Outcome
//! ```
//!
//! The group is a directory of its own beside or below this process's group; no other group is changed. `bench/limit/enter.c` moves
//! the program into it before `execve`, and another process of `enter` removes it when this process has ended in whatever way.

use super::parent::{Sample, parse};
use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

type Result<T> = std::result::Result<T, String>;

/// Adds to an error what was being done.
fn context<T>(result: std::io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.map_err(|error| format!("{what} {}: {error}", path.display()))
}

/// The versions of the kernel's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A hierarchy of the memory controller alone.
    One,
    /// The unified hierarchy.
    Two,
}

/// The files of a version.
struct Files {
    limit: &'static str,
    swap: &'static str,
    events: &'static str,
    peak: &'static str,
}

impl Version {
    /// As the kernel's documents number them.
    pub const fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    const fn files(self) -> Files {
        match self {
            Self::One => Files {
                limit: "memory.limit_in_bytes",
                swap: "memory.memsw.limit_in_bytes",
                events: "memory.oom_control",
                peak: "memory.max_usage_in_bytes",
            },
            Self::Two => Files {
                limit: "memory.max",
                swap: "memory.swap.max",
                events: "memory.events",
                peak: "memory.peak",
            },
        }
    }
}

/// How long a program may take, in seconds.
const SECONDS: &str = "120";
/// Exit codes of `enter`, which say that the program was not run: 122 to 127 but for 124 to 126.
const NOT_RUN: [i32; 3] = [122, 123, 127];
/// Signals: see signal(7).
const KILL: i32 = 9;
const ALARM: i32 = 14;

/// How a program ended under a limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With exit code 0 and these figures.
    Finished(Sample),
    /// The kernel killed it because the group was full.
    Killed,
    /// In another way: `malloc` returned NULL, or it took too long.
    Failed(String),
}

/// What a program is limited by.
#[derive(Debug)]
pub enum Limiter {
    /// A cgroup.
    Group(Group),
    /// `RLIMIT_DATA`, which counts private writable mappings, whether they were touched or not.
    Data {
        /// The executable of `enter.c`.
        enter: PathBuf,
    },
}

/// A program, and what it gets.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The executable.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Its variables, besides two that all programs get.
    pub variables: &'a [(&'a str, &'a str)],
    /// MiB of a heap outside of the group, for programs with `bench/limit/apart.c`; 0 for none.
    pub heap: u32,
}

impl Limiter {
    /// Runs `job` with at most `limit` bytes, if any. Also returns the most bytes that were charged, where the kernel says it.
    ///
    /// # Errors
    /// It could not be run, or something else ended it.
    pub fn run(&self, job: &Job, limit: Option<u64>) -> Result<(Outcome, Option<u64>)> {
        match self {
            Self::Group(group) => group.run(job, limit),
            Self::Data { enter } => {
                let most = limit.map_or("data:unlimited".to_owned(), |l| format!("data:{l}"));
                let output = started(enter, &most, job)?;
                Ok((outcome(&output, false)?, None))
            }
        }
    }
}

fn started(enter: &Path, limit: &str, job: &Job) -> Result<Output> {
    let mut command = Command::new(enter);
    command.args([SECONDS, limit, &job.heap.to_string()]);
    command.arg(job.program).args(job.arguments);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .envs(job.variables.iter().copied())
        .stdin(Stdio::null());
    context(command.output(), "run", enter)
}

fn outcome(output: &Output, is_full: bool) -> Result<Outcome> {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    Ok(match (output.status.code(), output.status.signal()) {
        (Some(0), _) => Outcome::Finished(parse(&String::from_utf8_lossy(&output.stdout))),
        (Some(code), _) if NOT_RUN.contains(&code) => return Err(said.to_owned()),
        (_, Some(KILL)) if is_full => Outcome::Killed,
        (_, Some(KILL)) => return Err("something else killed the program".to_owned()),
        (_, Some(ALARM)) => Outcome::Failed(format!("hung, ended after {SECONDS} s")),
        _ => Outcome::Failed(format!("{}: {said}", output.status)),
    })
}

/// A cgroup of this process's own. When it is dropped, it is removed.
#[derive(Debug)]
pub struct Group {
    folder: PathBuf,
    version: Version,
    enter: PathBuf,
    guard: Child,
}

impl Group {
    /// Makes a group. `enter` is the executable of `bench/limit/enter.c`. The error says why there can be none.
    ///
    /// # Errors
    /// No group can be made here.
    pub fn make(enter: &Path) -> Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("brawn-bench-{}-{number}", std::process::id());
        let mut reasons = Vec::new();
        for (folder, version) in places()? {
            match Self::make_in(&folder.join(&name), version, enter) {
                Ok(group) => return Ok(group),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    fn make_in(folder: &Path, version: Version, enter: &Path) -> Result<Self> {
        context(fs::create_dir(folder), "create", folder)?;
        let mut guard = Command::new(enter);
        guard.arg("--guard").arg(folder).stdin(Stdio::piped());
        // The terminal's signals go to this process's group alone.
        let guard = guard.process_group(0).spawn();
        let guard = guard.map_err(|error| {
            let _ = fs::remove_dir(folder);
            format!("run {}: {error}", enter.display())
        })?;
        let group = Self {
            folder: folder.to_path_buf(),
            version,
            enter: enter.to_path_buf(),
            guard,
        };
        let limit = folder.join(version.files().limit);
        if !limit.exists() {
            let parent = folder.parent().unwrap_or(folder).display();
            return Err(format!("groups in {parent} have no memory controller"));
        }
        // Whether programs can be limited and moved: a first one with room enough.
        let job = Job {
            program: enter,
            arguments: &[],
            variables: &[],
            heap: 0,
        };
        group.run(&job, Some(64 << 20))?;
        Ok(group)
    }

    /// The group's directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The version of its interface.
    pub fn version(&self) -> Version {
        self.version
    }

    fn run(&self, job: &Job, limit: Option<u64>) -> Result<(Outcome, Option<u64>)> {
        self.renew()?;
        if let Some(limit) = limit {
            self.limit(limit)?;
        }
        let output = started(&self.enter, &self.folder.to_string_lossy(), job)?;
        let files = self.version.files();
        let events = self.read(files.events)?;
        // Not in kernels before 5.19 with version 2.
        let peak = self.read(files.peak).ok();
        let peak = peak.and_then(|text| text.trim().parse().ok());
        Ok((outcome(&output, kills(&events) > 0)?, peak))
    }

    /// A new group with the same name: nothing of an earlier program is charged to it, and it has counted nothing.
    fn renew(&self) -> Result<()> {
        // What is left of a process is removed some time after its end.
        let mut tries = 0;
        while let Err(error) = fs::remove_dir(&self.folder) {
            tries += 1;
            if error.kind() != std::io::ErrorKind::ResourceBusy || tries == 500 {
                return Err(format!("remove {}: {error}", self.folder.display()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        context(fs::create_dir(&self.folder), "create", &self.folder)
    }

    /// No swap may take what the limit refuses.
    fn limit(&self, bytes: u64) -> Result<()> {
        let files = self.version.files();
        self.write(files.limit, &bytes.to_string())?;
        let has_swap_limit = self.folder.join(files.swap).exists();
        match (self.version, has_swap_limit) {
            // In version 1 it is a limit on the sum of both.
            (Version::One, true) => self.write(files.swap, &bytes.to_string()),
            (Version::One, false) => self.write("memory.swappiness", "0"),
            (Version::Two, true) => self.write(files.swap, "0"),
            // The kernel has no swap.
            (Version::Two, false) => Ok(()),
        }
    }

    fn write(&self, name: &str, value: &str) -> Result<()> {
        let path = self.folder.join(name);
        context(fs::write(&path, value), "write to", &path)
    }

    fn read(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        context(fs::read_to_string(&path), "read", &path)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The guard removes it when its input ends.
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// How many processes of a group the kernel has killed: `oom_kill` of `memory.oom_control` or `memory.events`.
fn kills(events: &str) -> u64 {
    let line = events.lines().find_map(|l| l.strip_prefix("oom_kill "));
    line.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}

/// The directories in which a group may be made, the nearest first.
fn places() -> Result<Vec<(PathBuf, Version)>> {
    let read = |name: &str| context(fs::read_to_string(name), "read", Path::new(name));
    places_of(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?)
}

/// This process's group and those above it, from `/proc/self/mountinfo` and `/proc/self/cgroup` (proc(5), cgroups(7)). In version
/// 2, a group with processes has none below it with a memory controller, so a group beside it is needed.
fn places_of(mounts: &str, groups: &str) -> Result<Vec<(PathBuf, Version)>> {
    let mounted = |version: Version| mounts.lines().find_map(|line| mount(line, version));
    let (version, (root, point)) = mounted(Version::One)
        .map(|found| (Version::One, found))
        .or_else(|| mounted(Version::Two).map(|found| (Version::Two, found)))
        .ok_or("no memory controller is mounted")?;
    let own = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (number, controllers) = (parts.next()?, parts.next()?);
        let is_it = match version {
            Version::One => controllers.split(',').any(|c| c == "memory"),
            Version::Two => number == "0",
        };
        parts.next().filter(|_| is_it)
    });
    let own = own.ok_or("this process has no memory cgroup")?;
    // Seen from a container, a group may lie outside of what is mounted: `/../…`.
    let below = Path::new(own).strip_prefix(&root).unwrap_or(Path::new(""));
    let is_inside = !below.components().any(|c| c == Component::ParentDir);
    let own = match is_inside && below.components().next().is_some() {
        true => point.join(below),
        false => point.clone(),
    };
    let above = own
        .ancestors()
        .take_while(|folder| folder.starts_with(&point));
    Ok(above
        .map(|folder| (folder.to_path_buf(), version))
        .collect())
}

/// The root of the hierarchy that a line mounts, and where, if it is one with memory.
fn mount(line: &str, version: Version) -> Option<(PathBuf, PathBuf)> {
    let (left, right) = line.split_once(" - ")?;
    let mut right = right.split(' ');
    let (kind, options) = (right.next()?, right.nth(1)?);
    let is_it = match version {
        Version::One => kind == "cgroup" && options.split(',').any(|o| o == "memory"),
        Version::Two => kind == "cgroup2",
    };
    let mut left = left.split(' ').skip(3);
    let found = (left.next()?.into(), left.next()?.into());
    is_it.then_some(found)
}

#[cfg(test)]
mod tests;
