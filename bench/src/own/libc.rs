//! Measures `bench/libc`: every function of libc whose time a program can notice, with stock musl, brawn and glibc.
//!
//! Each round runs each side's program once for each family, in a random order. The program reports the least time of
//! every row. A row's figure is the median of its ratios to glibc in all rounds, with the 95 % interval.

use super::{Choice, Raw, Site, chosen};
use crate::progress::Progress;
use crate::show::{self, Cell, Row, Table, Tone};
use crate::{Result, repository};
use brawn_lab::build::checked;
use brawn_lab::judge::functions::{
    BRAWN, CXX, FLAGS, GLIBC, LIFE, MAIN, ROWS, START, STARTS, STOCK, THROW, printed,
};
pub use brawn_lab::judge::functions::{
    FAMILIES, Line, behind, brawn, families, is_behind, mean, stock, usual,
};
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::Order;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) const SIDES: [&str; 3] = [STOCK, BRAWN, GLIBC];

/// What a row may take of stock musl's time.
pub const STOCK_BAR: f64 = 1.03;

/// Builds the programs, runs `count` rounds, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, count: usize, progress: &Progress) -> Result<Raw> {
    progress.step("building the programs");
    build(site, &objects(&choice.objects)?, choice.libc.as_deref())?;
    let mut families = chosen(&FAMILIES, &choice.only);
    if families.contains(&CXX) {
        match zig() {
            Some(zig) => build_cxx(site, &zig)?,
            None if choice.only.is_empty() => families.retain(|family| *family != CXX),
            None => return Err("no zig in target/tools/zig: `make tools` gets it".to_owned()),
        }
    }
    let mut raw = Raw::new("brawn-bench libc", &site.brawn);
    for side in SIDES {
        let size = std::fs::metadata(site.at(&format!("hello-{side}")));
        raw.facts.insert(
            format!("hello, {side}"),
            size.map_or(f64::NAN, |m| m.len() as f64),
        );
    }
    let (what, all) = ("rows of libc", (&families[..], &SIDES[..]));
    raw.measure(what, (count, Order::Sides), all, progress, |turn| {
        let side = *turn.side;
        let sample = match *turn.thing {
            START => start(site, side)?,
            CXX => rows(site, &format!("cxx-{side}"), CXX)?,
            family => rows(site, &format!("rows-{side}"), family)?,
        };
        Ok((side.to_owned(), sample))
    })?;
    Ok(raw)
}

/// Builds the program `NAME-SIDE` from these files, with these objects in front of brawn's libc.a, which is patched already.
pub(super) fn link(
    site: &Site,
    name: &str,
    side: &str,
    files: &[PathBuf],
    objects: &[PathBuf],
) -> Result<()> {
    let mut command = Command::new(if side == GLIBC { "gcc" } else { "musl-gcc" });
    command.args(FLAGS).arg("-s");
    if side != GLIBC {
        command.arg("-static");
    }
    let program = site.at(&format!("{name}-{side}"));
    command.arg("-o").arg(program).args(files);
    if side == BRAWN {
        command.args(objects).arg("-L").arg(site.at("patched"));
    }
    checked(command.arg("-lm"))?;
    Ok(())
}

/// Each side's programs. The user gives object files that are linked before brawn's libc.a, with functions that `brawn
/// patch` does not add yet; and the archive to patch, in place of the distribution's.
fn build(site: &Site, objects: &[PathBuf], libc: Option<&Path>) -> Result<()> {
    let folder = repository().join("bench/libc");
    let names = ROWS.iter().chain([&MAIN]);
    let sources: Vec<PathBuf> = names.map(|(name, _)| folder.join(name)).collect();
    site.patched(libc.unwrap_or(&site.libc))?;
    let hello = site.at("hello.c");
    let text = "#include <stdio.h>\nint main(int argc, char **argv) { return printf(\"hello, %s\\n\", argv[0]) < 0; }\n";
    crate::context(std::fs::write(&hello, text), "write", &hello)?;
    for side in SIDES {
        for (name, files) in [
            ("rows", &sources[..]),
            ("start", &[folder.join("start.c")]),
            ("hello", std::slice::from_ref(&hello)),
        ] {
            link(site, name, side, files, objects)?;
        }
    }
    Ok(())
}

/// zig, where `make tools` puts it.
fn zig() -> Option<PathBuf> {
    let zig = std::fs::canonicalize(repository().join("target/tools/zig/ziglang/zig"));
    zig.ok()
}

/// The programs of C++: for musl and for glibc by the same compiler, with the same unwinder.
fn build_cxx(site: &Site, zig: &Path) -> Result<()> {
    let folder = repository().join("bench/libc");
    for side in SIDES {
        let mut command = Command::new(zig);
        command.args(["c++", "-fno-sanitize=all", "-s"]).args(FLAGS);
        let machine = std::env::consts::ARCH;
        match side {
            GLIBC => command.args(["-target", &format!("{machine}-linux-gnu")]),
            _ => command.args(["-static", "-target", &format!("{machine}-linux-musl")]),
        };
        command.arg("-o").arg(site.at(&format!("cxx-{side}")));
        command.args([THROW, MAIN].map(|(name, _)| folder.join(name)));
        if side == BRAWN {
            let words = checked(Command::new(&site.brawn).arg("link-args"))?;
            command.args(words.split_whitespace());
        }
        let cache = repository().join("target/tools/zig-cache");
        command.env("ZIG_GLOBAL_CACHE_DIR", &cache);
        checked(command.env("ZIG_LOCAL_CACHE_DIR", &cache))?;
    }
    Ok(())
}

/// The rows of one family, by one of the programs.
pub(super) fn rows(site: &Site, program: &str, family: &str) -> Result<Sample> {
    let program = site.at(program);
    let text = checked(
        Command::new(&program)
            .arg(family)
            .env_clear()
            .env("PATH", "/usr/bin:/bin"),
    )?;
    Ok(printed(&text).collect())
}

/// The time from start to end of a small program: the least of [`STARTS`], since the machine's other work only adds
/// time.
fn start(site: &Site, side: &str) -> Result<Sample> {
    let program = site.at(&format!("start-{side}"));
    let mut least = f64::INFINITY;
    for _ in 0..STARTS {
        least = least.min(site.run::<&str>(&program, &[], &[])?["wall_ns"]);
    }
    Ok(Sample::from([(LIFE.to_owned(), least)]))
}

/// Every row that all sides have. The row in which brawn is slowest comes first.
pub fn lines(raw: &Raw) -> Vec<Line> {
    brawn_lab::judge::functions::lines(&raw.rounds, GLIBC)
}

/// The rows that take more than [`STOCK_BAR`] of stock musl's time, as far as their interval tells: its lower end is above
/// the bar. The others are not slower, or the run could not tell.
pub fn slower_than_stock(raw: &Raw) -> Vec<Line> {
    let mut lines = brawn_lab::judge::functions::lines(&raw.rounds, STOCK);
    lines.retain(|line| line.brawn.low > STOCK_BAR);
    lines
}

/// The table of the rows.
pub fn show(raw: &Raw) -> Table {
    let header = ["function", "glibc", "stock musl", "brawn"];
    let lines = lines(raw);
    let rows = lines.iter().map(|line| {
        let tone = match line.brawn.median {
            m if is_behind(m) => Tone::Bad,
            m if m <= 1.0 => Tone::Good,
            _ => Tone::Plain,
        };
        Row::Cells(vec![
            Cell::from(line.name.clone()),
            Cell::from(show::time(line.base)),
            Cell::from(show::ratio(line.stock)),
            Cell::new(show::ratio_and_interval(&line.brawn), tone),
        ])
    });
    Table::new(header, rows)
}

/// The bars, one sentence per line.
pub fn summary(raw: &Raw) -> String {
    let lines = lines(raw);
    let size = |side: &str| raw.fact(&format!("hello, {side}"));
    let grown = (size(BRAWN) - size(STOCK)) / 1024.0;
    let mut text = format!(
        "{} rows; more than 5 % behind glibc: stock musl {}, brawn {}\n\
         geometric mean of all rows, against glibc: stock musl {:.2}x, brawn {:.2}x (bar: ≤ 0.8x)\n\
         `hello, printf` grows by {grown:.0} KiB, stripped (bar for libc's part: ≤ 24 KiB beside heap and memory functions)\n",
        lines.len(),
        behind(&lines, stock),
        behind(&lines, brawn),
        mean(usual(&lines), stock),
        mean(usual(&lines), brawn),
    );
    if let Some(start) = raw.against([BRAWN, STOCK], |sample| sample.get(LIFE).copied()) {
        let is_met = match start.median <= 1.05 {
            true => "met",
            false => "not met",
        };
        text += &format!(
            "a small program's life, against stock musl: {:.3}x (bar: ≤ 1.05x): {is_met}\n",
            start.median
        );
    }
    text
}

/// The object files in `paths`, which are files or directories of them.
fn objects(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let of = |path: &PathBuf| match path.is_dir() {
        true => files(path, "o"),
        false => Ok(vec![path.clone()]),
    };
    let all: Result<Vec<_>> = paths.iter().map(of).collect();
    Ok(all?.concat())
}

/// The files in a directory whose names have this ending, in order.
pub(super) fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = crate::context(std::fs::read_dir(folder), "list", folder)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == ending));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests;
