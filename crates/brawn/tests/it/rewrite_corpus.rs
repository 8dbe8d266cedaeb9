//! `brawn rewrite` on static musl executables of public packages: each is rewritten and does what it did before, or is
//! refused for the reason that the table has.

use crate::build::{Room, inspect};
use crate::common::{REFUSED, brawn_path, make_program, root, tools};
use crate::rewrite_jobs::{self, Place};
use brawn_core::report::package::{Limits, members};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const TABLE: &str = include_str!("rewrite_corpus.txt");
/// Set by `make corpus-all`: the programs that are large, too.
const ALL: &str = "BRAWN_CORPUS_ALL";
/// Set to a part of a file's name: those programs alone.
const ONLY: &str = "BRAWN_CORPUS_ONLY";

struct Row {
    file: &'static str,
    architecture: &'static str,
    toolchain: &'static str,
    /// Whether it is tried each time.
    is_small: bool,
    /// The reason why it is refused; `None` where it is rewritten.
    reason: Option<&'static str>,
    /// Whether that is as it should be.
    is_right: bool,
}

impl Row {
    fn name(&self) -> &'static str {
        self.file
            .rsplit('/')
            .next()
            .expect("a path has a last part")
    }

    /// The heap that is in the program besides musl's.
    fn other_heap(&self) -> Option<&'static str> {
        let heap = self.toolchain.rsplit(", ").next();
        heap.filter(|heap| ["jemalloc", "mimalloc"].contains(heap))
    }
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [file, architecture, toolchain, when, outcome] =
                line.split(" | ").collect::<Vec<_>>()[..]
            else {
                panic!("five columns: {line}");
            };
            Row {
                file,
                architecture,
                toolchain,
                is_small: when == "always",
                reason: outcome.split_once("refused: ").map(|(_, reason)| reason),
                is_right: !outcome.starts_with("wrongly"),
            }
        })
        .collect()
}

/// The program out of its package.
fn program(row: &Row) -> Result<Vec<u8>, String> {
    let (package, member) = row.file.split_once('!').unwrap_or((row.file, ""));
    let package = tools().join("corpus").join(package);
    let bytes = fs::read(&package).map_err(|e| format!("{e}: run tools/corpus.sh"))?;
    if member.is_empty() {
        return Ok(bytes);
    }
    let mut program = None;
    let mut take = |name: &[u8], bytes: &[u8]| {
        if name == member.as_bytes() {
            program = Some(bytes.to_vec());
        }
    };
    members(&bytes, Limits::USUAL, &mut take).map_err(|e| e.to_string())?;
    program.ok_or_else(|| "not in its package".to_owned())
}

/// What of the row does not hold.
fn try_one(row: &Row) -> Result<(), String> {
    let room = Room::with("");
    let name = row.name();
    for folder in ["old", "new"] {
        fs::create_dir(room.path(folder)).map_err(|e| e.to_string())?;
    }
    let [old, new] = ["old", "new"].map(|folder| room.path(&format!("{folder}/{name}")));
    fs::write(&old, program(row)?).map_err(|e| e.to_string())?;
    make_program(old.as_ref());
    if let Some(heap) = row.other_heap() {
        let seen = inspect(&old)["heap"].to_string();
        if !seen.contains(heap) {
            return Err(format!("{heap} is not in it, but {seen}"));
        }
    }
    let done = Command::new(brawn_path())
        .args(["rewrite", &old, "-o", &new])
        .output()
        .map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&done.stderr);
    if let Some(reason) = row.reason {
        let is_refused = done.status.code() == Some(REFUSED) && said.contains(reason);
        return is_refused
            .then_some(())
            .ok_or_else(|| format!("not refused for that: {:?}: {said}", done.status));
    }
    if !done.status.success() {
        return Err(format!("refused: {said}"));
    }
    let place = Place::new(&room.path("place"), row.architecture);
    let mut jobs: Vec<_> = rewrite_jobs::of(name).map(str::to_owned).collect();
    jobs.extend(["--version", "--help"].map(|argument| format!("{name} {argument}")));
    for job in &jobs {
        place.difference(&old, &new, job)?;
    }
    Ok(())
}

#[test]
fn static_programs_are_rewritten_or_refused_with_reason() {
    let all = std::env::var_os(ALL).is_some();
    let only = std::env::var(ONLY).ok();
    let is_tried = |row: &Row| match &only {
        Some(part) => row.file.contains(part),
        None => all || row.is_small,
    };
    let rows: Vec<Row> = rows().into_iter().filter(is_tried).collect();
    assert!(!rows.is_empty(), "no program of that name");
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut wrong = Vec::new();
            while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(what) = try_one(row) {
                    wrong.push(format!("{}: {what}", row.file));
                }
            }
            wrong
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|w| w.join());
        results.flat_map(|r| r.expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_of_many_programs_and_toolchains() {
    let rows = rows();
    assert!(rows.len() >= 120, "{}", rows.len());
    let arm = rows.iter().filter(|r| r.architecture == "aarch64").count();
    assert!(arm >= 40, "{arm}");
    let first = |r: &Row| r.toolchain.split([' ', ',']).next().map(str::to_owned);
    let kinds: BTreeSet<_> = rows.iter().map(first).collect();
    assert!(kinds.len() >= 8, "{kinds:?}");
    let mixed = rows.iter().filter(|r| r.other_heap().is_some()).count();
    assert!(mixed >= 20, "{mixed}");
    let wrong = rows.iter().filter(|r| !r.is_right).count();
    assert!(wrong * 100 <= rows.len() * 5, "{wrong} of {}", rows.len());
}

#[test]
fn almost_every_program_has_a_job_and_every_job_a_program() {
    let rows = rows();
    let named: BTreeSet<_> = rows.iter().map(Row::name).collect();
    let jobs: BTreeSet<_> = rewrite_jobs::names().collect();
    let stale: Vec<_> = jobs.difference(&named).collect();
    assert!(stale.is_empty(), "{stale:?}");
    let idle: Vec<_> = named.difference(&jobs).collect();
    assert!(idle.len() * 10 <= named.len(), "{idle:?}");
    for (at, row) in rows.iter().enumerate() {
        assert!(
            rows[..at].iter().all(|r| r.file != row.file),
            "twice: {}",
            row.file
        );
    }
}

/// The numbers of docs/rewrite.md.
#[test]
fn the_guide_has_the_tables_numbers() {
    let rows = rows();
    let count = |holds: fn(&Row) -> bool| rows.iter().filter(|r| holds(r)).count();
    let said = format!(
        "Of {} static programs of public packages, {} with jemalloc or mimalloc in them, {} are rewritten, {} are refused, and {} of these for a reason \
         that does not hold.",
        rows.len(),
        count(|r| r.other_heap().is_some()),
        count(|r| r.reason.is_none()),
        count(|r| r.reason.is_some()),
        count(|r| !r.is_right),
    );
    let guide = fs::read_to_string(root().join("docs/rewrite.md")).expect("the guide");
    let guide: Vec<_> = guide.split_whitespace().collect();
    assert!(
        guide.join(" ").contains(&said),
        "docs/rewrite.md must say: {said}"
    );
}
