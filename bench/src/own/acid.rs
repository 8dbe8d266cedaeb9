//! Whole programs with real jobs: static with stock musl, static with brawn's `libc.a`, dynamic with glibc.
//!
//! Some programs are in `bench/acid`: each does the typical work of one kind of program. The others are built from the
//! sources that `tools/acid.sh` downloads. A program's output must be the same with every libc.

mod programs;

use super::{Choice, Raw, Site, key};
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::Estimate;
use crate::work::remove;
use crate::{Result, context, repository};
use brawn_lab::build::checked;
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::Order;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use programs::{PROGRAMS, Program};

const SIDES: [&str; 3] = ["stock musl", "brawn", "glibc"];

/// Builds everything, runs the chosen programs for `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let (only, quick) = (&choice.only, choice.quick);
    let chosen = |p: &&Program| only.is_empty() || only.iter().any(|name| name == p.name);
    let programs: Vec<&Program> = PROGRAMS.iter().filter(chosen).collect();
    let patched = site.patched(&site.libc)?;
    let input = text(if quick { 100_000 } else { 8_000_000 });
    for side in SIDES {
        let path = site.at(&format!("in-{side}"));
        context(fs::write(&path, &input), "write", &path)?;
    }
    for program in &programs {
        progress.step(&format!("building {}", program.name));
        build(site, program, &patched)?;
        said_alike(site, program, quick)?;
    }
    let mut raw = Raw::new("brawn-bench acid", &site.brawn);
    let (what, all) = ("whole programs", (&programs[..], &SIDES[..]));
    raw.measure(what, (rounds, Order::Sides), all, progress, |turn| {
        let (program, side) = (turn.thing, turn.side);
        Ok((key(program.name, side), run(site, program, side, quick)?))
    })?;
    Ok(raw)
}

/// A text of `size` bytes with words from programs.
pub(super) fn text(size: usize) -> Vec<u8> {
    let words = "the archive of member symbol is a relocation int return size_t \n = (x) 0x7f";
    let words: Vec<&str> = words.split(' ').collect();
    let mut state: u64 = 88_172_645_463_325_252;
    let mut bytes = Vec::with_capacity(size + 16);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(words[(state >> 33) as usize % words.len()].as_bytes());
        match state % 11 {
            0 => bytes.extend(format!("{}", state >> 44).as_bytes()),
            _ => bytes.push(b' '),
        }
    }
    bytes.truncate(size);
    bytes
}

/// Compiles it once for musl and once for glibc, then links it for each side.
fn build(site: &Site, program: &Program, patched: &Path) -> Result<()> {
    let home = repository().join("target/tools/acid");
    for (libc, compiler) in [("musl", "musl-gcc"), ("glibc", "gcc")] {
        let objects = site.at(&format!("{}-objects-{libc}", program.name));
        context(fs::create_dir_all(&objects), "create", &objects)?;
        let mut files = Vec::new();
        for source in sources(program, &home)? {
            let object = objects.join(format!("{}.o", files.len()));
            let mut command = Command::new(compiler);
            command.args(["-O2", "-w", "-pthread", "-c"]);
            for flag in program.flags.split_whitespace() {
                match flag.strip_prefix("-I") {
                    Some(folder) => command.arg("-I").arg(home.join(folder)),
                    None => command.arg(flag),
                };
            }
            checked(command.arg("-o").arg(&object).arg(source))?;
            files.push(object);
        }
        for side in SIDES
            .iter()
            .filter(|side| (**side == "glibc") == (libc == "glibc"))
        {
            let mut command = Command::new(compiler);
            command.args(["-O2", "-pthread", "-s"]);
            if libc == "musl" {
                command.arg("-static");
            }
            command
                .arg("-o")
                .arg(site.at(&format!("{}-{side}", program.name)))
                .args(&files);
            if *side == "brawn" {
                command.arg("-L").arg(patched);
            }
            checked(command.arg("-lm"))?;
        }
    }
    Ok(())
}

/// Its source files, in the order of their names.
fn sources(program: &Program, home: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for source in program.sources.split_whitespace() {
        let path = match source.strip_prefix("own/") {
            Some(own) => repository().join("bench/acid").join(own),
            None => home.join(source),
        };
        let folder = path.parent().unwrap_or(home);
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut found = match name.split_once('*') {
            None => vec![path.clone()],
            Some((start, end)) => {
                let entries = context(fs::read_dir(folder), "list", folder)
                    .map_err(|error| format!("{error}; tools/acid.sh gets it"))?;
                let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
                let names = names.filter(|n| n.starts_with(start) && n.ends_with(end));
                let names = names.filter(|n| !program.without.split(' ').any(|file| file == n));
                names.map(|n| folder.join(n)).collect()
            }
        };
        found.sort();
        all.extend(found);
    }
    Ok(all)
}

/// Its arguments on one side.
fn arguments(site: &Site, program: &Program, side: &str, quick: bool) -> Vec<String> {
    let [input, output] =
        ["in", "out"].map(|name| site.at(&format!("{name}-{side}")).display().to_string());
    let acid = repository().join("bench/acid").display().to_string();
    let arguments = if quick {
        program.quick
    } else {
        program.arguments
    };
    let filled = arguments
        .split_whitespace()
        .map(|a| a.replace("$IN", &input).replace("$OUT", &output));
    filled.map(|a| a.replace("$ACID", &acid)).collect()
}

fn run(site: &Site, program: &Program, side: &str, quick: bool) -> Result<Sample> {
    let executable = site.at(&format!("{}-{side}", program.name));
    site.run(&executable, &arguments(site, program, side, quick), &[])
        .map_err(|error| format!("{}, {side}: {error}", program.name))
}

/// Fails if it prints or writes something else with another libc.
fn said_alike(site: &Site, program: &Program, quick: bool) -> Result<()> {
    let mut first: Option<(&str, String, Option<Vec<u8>>)> = None;
    for side in SIDES {
        let output = site.at(&format!("out-{side}"));
        remove(&output)?;
        let mut command = Command::new(site.at(&format!("{}-{side}", program.name)));
        let said = checked(command.args(arguments(site, program, side, quick)))?;
        let written = fs::read(&output).ok();
        match &first {
            _ if !program.is_exact => {}
            None => first = Some((side, said, written)),
            Some((other, text, bytes)) if *text != said || *bytes != written => {
                return Err(format!(
                    "{}: with {side} it says {said:?}, with {other} {text:?}, or writes another file",
                    program.name
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The time of brawn or stock divided by glibc's, for each round.
fn ratio(raw: &Raw, program: &Program, side: &str, figure: &str) -> Option<Estimate> {
    let [side, base] = [side, "glibc"].map(|side| key(program.name, side));
    raw.against([&side, &base], |sample| sample.get(figure).copied())
}

/// Below this peak, in KiB, a ratio says nothing: wait4's peak may be some hundred KiB off (bench/workloads/launch.c).
const MEASURABLE: f64 = 4096.0;

/// Peak memory against glibc's, where the kernel's figure is exact enough.
fn memory(raw: &Raw, program: &Program) -> Option<String> {
    match raw.median(&key(program.name, "glibc"), "peak_rss_kb") < MEASURABLE {
        true => Some("below 4 MiB".to_owned()),
        false => Some(show::ratio(
            ratio(raw, program, "brawn", "peak_rss_kb")?.median,
        )),
    }
}

/// Processor time and memory of each program, against glibc.
pub fn show(raw: &Raw) -> Table {
    let header = ["program", "glibc", "stock musl", "brawn", "memory"];
    let rows = PROGRAMS.iter().filter_map(|program| {
        let glibc = raw.median(&key(program.name, "glibc"), "cpu_ns");
        let (stock, brawn) = (
            ratio(raw, program, "stock musl", "cpu_ns")?,
            ratio(raw, program, "brawn", "cpu_ns")?,
        );
        let memory = memory(raw, program)?;
        let tone = match brawn.low > 1.0 {
            true => Tone::Bad,
            false => Tone::Good,
        };
        Some(Row::Cells(vec![
            Cell::from(format!("{}: {}", program.name, program.title)),
            Cell::from(show::time(glibc)),
            Cell::from(show::ratio(stock.median)),
            Cell::new(show::ratio_and_interval(&brawn), tone),
            Cell::from(memory),
        ]))
    });
    Table::new(header, rows)
}

#[cfg(test)]
mod tests;
