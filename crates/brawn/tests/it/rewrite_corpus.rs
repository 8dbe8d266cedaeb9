//! `brawn rewrite` on static musl executables of public packages: each is rewritten and says what it said before, or is
//! refused for the reason that the table has.

use crate::build::Room;
use crate::common::{REFUSED, brawn_path, tools};
use brawn_core::report::package::{Limits, members};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

const TABLE: &str = include_str!("rewrite_corpus.txt");
/// Set by `make corpus-all`: the programs that are large, too.
const ALL: &str = "BRAWN_CORPUS_ALL";

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

/// What of the row does not hold.
fn try_one(row: &Row) -> Result<(), String> {
    let (package, member) = row.file.split_once('!').unwrap_or((row.file, ""));
    let package = tools().join("corpus").join(package);
    let bytes = fs::read(&package).map_err(|e| format!("{e}: run tools/corpus.sh"))?;
    let mut program = None;
    let mut take = |name: &[u8], bytes: &[u8]| {
        if name == member.as_bytes() {
            program = Some(bytes.to_vec());
        }
    };
    members(&bytes, Limits::USUAL, &mut take).map_err(|e| e.to_string())?;
    let program = program.ok_or("not in its package")?;
    let room = Room::with("");
    let name = Path::new(member).file_name().and_then(|n| n.to_str());
    let name = name.ok_or("a name")?;
    for folder in ["old", "new"] {
        fs::create_dir(room.path(folder)).map_err(|e| e.to_string())?;
    }
    let [old, new] = ["old", "new"].map(|folder| room.path(&format!("{folder}/{name}")));
    fs::write(&old, program).map_err(|e| e.to_string())?;
    fs::set_permissions(&old, Permissions::from_mode(0o755)).map_err(|e| e.to_string())?;
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
    for argument in ["--version", "--help"] {
        let [before, after] = ["old", "new"].map(|folder| {
            let program = format!("./{name}");
            let mut command = match row.architecture {
                "aarch64" => Command::new("qemu-aarch64"),
                _ => Command::new(&program),
            };
            if row.architecture == "aarch64" {
                command.arg(&program);
            }
            command
                .arg(argument)
                .current_dir(room.path(folder))
                .stdin(Stdio::null())
                .output()
        });
        let (before, after): (Output, Output) = (
            before.map_err(|e| e.to_string())?,
            after.map_err(|e| e.to_string())?,
        );
        if before != after {
            return Err(format!("{argument}: {after:?}, not {before:?}"));
        }
    }
    Ok(())
}

#[test]
fn static_programs_are_rewritten_or_refused_with_reason() {
    let all = std::env::var_os(ALL).is_some();
    let rows: Vec<Row> = rows().into_iter().filter(|r| all || r.is_small).collect();
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
    assert!(rows.len() >= 60, "{}", rows.len());
    let arm = rows.iter().filter(|r| r.architecture == "aarch64").count();
    assert!(arm >= 15, "{arm}");
    let first = |r: &Row| r.toolchain.split([' ', ',']).next().map(str::to_owned);
    let kinds: BTreeSet<_> = rows.iter().map(first).collect();
    assert!(kinds.len() >= 5, "{kinds:?}");
    let wrong = rows.iter().filter(|r| !r.is_right).count();
    assert!(wrong * 100 <= rows.len() * 5, "{wrong} of {}", rows.len());
}
