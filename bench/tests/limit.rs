//! Programs are really limited by a cgroup, and nothing is left of it.
#![forbid(unsafe_code)]

use brawn_bench::own::limit::enter;
use brawn_lab::process::limits::{Group, Job, Limiter, Outcome, Version};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: u64 = 1 << 20;

/// A program that holds four buffers of 5 to 25 MB at a time; with `apart`, outside of its group.
fn buffers(folder: &Path, apart: bool) -> PathBuf {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.join(if apart { "apart" } else { "buffers" });
    let mut command = Command::new("musl-gcc");
    command.args(["-O1", "-pthread", "-static", "-o"]).arg(&out);
    command.arg(bench.join("workloads/buffers.c"));
    if apart {
        command.arg(bench.join("limit/apart.c"));
    }
    assert!(command.status().expect("musl-gcc").success());
    out
}

fn job(program: &Path, heap: u32) -> Job<'_> {
    Job {
        program,
        arguments: &["8"],
        variables: &[],
        heap,
    }
}

/// Whether this system lets root make groups with a memory controller: one is mounted for writing, and the groups of version 2
/// pass it on.
fn must_have_a_group() -> bool {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let is_root = read("/proc/self/status")
        .lines()
        .any(|l| l.starts_with("Uid:\t0\t0\t"));
    let mounts = read("/proc/self/mountinfo");
    let has_memory = mounts.lines().any(|line| {
        let Some((left, right)) = line.split_once(" - ") else {
            return false;
        };
        let mut left = left.split(' ').skip(4);
        let (point, options) = (left.next().unwrap_or("/"), left.next().unwrap_or(""));
        let is_writable = options.split(',').any(|option| option == "rw");
        let passes = read(&format!("{point}/cgroup.subtree_control"));
        let is_one = right.starts_with("cgroup ") && right.contains(",memory");
        let is_two = right.starts_with("cgroup2 ") && passes.contains("memory");
        is_writable && (is_one || is_two)
    });
    is_root && has_memory
}

#[test]
fn a_program_is_killed_beyond_its_limit_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a directory");
    let enter = enter(folder.path()).expect("built");
    let group = match Group::make(&enter) {
        Ok(group) => group,
        Err(reason) => {
            assert!(!must_have_a_group(), "{reason}");
            eprintln!("no memory cgroup can be made here, so nothing was tested: {reason}");
            return;
        }
    };
    let (path, version) = (group.folder().to_path_buf(), group.version());
    let limiter = Limiter::Group(group);
    let (program, apart) = (buffers(folder.path(), false), buffers(folder.path(), true));
    let run = |job: &Job, limit| limiter.run(job, limit).expect("run");

    let (free, peak) = run(&job(&program, 0), None);
    assert!(matches!(free, Outcome::Finished(_)), "{free:?}");
    if version == Version::One {
        assert!(peak.expect("known") > 20 * MIB, "{peak:?}");
    }
    let (limited, _) = run(&job(&program, 0), Some(200 * MIB));
    assert!(matches!(limited, Outcome::Finished(_)), "{limited:?}");
    let (limited, _) = run(&job(&program, 0), Some(8 * MIB));
    assert_eq!(limited, Outcome::Killed);

    // The same buffers outside of the group.
    let (limited, peak) = run(&job(&apart, 256), Some(8 * MIB));
    let Outcome::Finished(sample) = limited else {
        panic!("{limited:?}");
    };
    assert!(sample["live_bytes"] > 20e6, "{sample:?}");
    assert!(peak.unwrap_or(0) <= 8 * MIB, "{peak:?}");

    let missing = folder.path().join("missing");
    let error = limiter.run(&job(&missing, 0), None).expect_err("missing");
    assert!(error.contains("missing: No such file"), "{error}");
    assert!(path.is_dir());
    drop(limiter);
    assert!(!path.exists(), "{}", path.display());
}

#[test]
fn a_limit_of_data_makes_malloc_fail() {
    let folder = tempfile::tempdir().expect("a directory");
    let enter = enter(folder.path()).expect("built");
    let program = buffers(folder.path(), false);
    let limiter = Limiter::Data { enter };
    let run = |limit| limiter.run(&job(&program, 0), limit).expect("run").0;
    assert!(matches!(run(None), Outcome::Finished(_)));
    assert!(matches!(run(Some(200 * MIB)), Outcome::Finished(_)));
    let limited = run(Some(8 * MIB));
    let Outcome::Failed(how) = &limited else {
        panic!("{limited:?}");
    };
    assert!(how.contains("allocation failed"), "{how}");
}
