//! Measures `brawn rewrite` and `brawn run` on finished executables: time, memory, disk.
//!
//! Two programs are built: one of 100 MB, half code and half data, with symbols; and one with 64 MiB of `.bss`. The
//! third is the public `typos` (33 MB) from `tools/corpus.txt`.

use super::{MIB, Raw, Site, line, table};
use crate::progress::Progress;
use crate::show::Table;
use crate::work::remove;
use crate::{Result, context, file_size, repository};
use brawn_lab::build::checked;
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::Order;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const WHEEL: &str = "target/tools/corpus/typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl";
const MEMBER: &str = "typos-1.52.0.data/scripts/typos";
/// How often each round rewrites the large program, which takes a fifth of a second.
const REWRITES: usize = 5;

const MAIN: &str = include_str!("rewrite/main.c");
const FILLER: &str = include_str!("rewrite/filler.s");

/// Builds the programs, runs `rounds` rounds, and returns the raw data.
pub fn measure(site: &Site, rounds: usize, progress: &Progress) -> Result<Raw> {
    progress.step("building the programs");
    let large = build(site, "large", 100_000_000, 1)?;
    let bss = build(site, "bss", 0, 64 << 20)?;
    let typos = typos(site)?;
    let mut raw = Raw::new("brawn-bench rewrite", &site.brawn);
    raw.facts.insert("large".into(), file_size(&large)? as f64);
    raw.facts.insert("typos".into(), file_size(&typos)? as f64);
    raw.facts.insert("payload".into(), payload(site)? as f64);
    for (name, program) in [("typos", &typos), ("bss", &bss)] {
        let added = added(site, program)? as f64;
        raw.facts.insert(format!("added to {name}"), added);
    }
    let cache = site.at("cache");
    let variables: [(&str, &Path); 1] = [("XDG_CACHE_HOME", &cache)];
    let run = ["run".as_ref(), typos.as_os_str(), "--version".as_ref()];
    let first = site.run(&site.brawn, &run, &variables)?;
    raw.facts.insert("first run".into(), first["wall_ns"]);
    let (what, all) = (
        "rewrite and run",
        (&["rewrite", "plain", "run"][..], &[()][..]),
    );
    raw.measure(what, (rounds, Order::Given), all, progress, |turn| {
        let sample = match *turn.thing {
            "rewrite" if turn.round < REWRITES => rewrite(site, &large)?.1,
            "rewrite" => Sample::new(),
            "plain" => site.run(&typos, &["--version"], &[])?,
            _ => site.run(&site.brawn, &run, &variables)?,
        };
        Ok((turn.thing.to_string(), sample))
    })?;
    Ok(raw)
}

/// The table with the bars.
pub fn show(raw: &Raw) -> Table {
    let [large, typos] = ["large", "typos"].map(|name| format!("{:.0} MB", raw.fact(name) / 1e6));
    let rewrite = raw.median("rewrite", "wall_ns") / 1e6;
    let share = raw.most("rewrite", "peak_rss_kb") * 1024.0 / raw.fact("large");
    let more = raw.median_of(|r| Some(r.get("run")?["wall_ns"] - r.get("plain")?["wall_ns"])) / 1e6;
    let first = format!("{:.0} ms", raw.fact("first run") / 1e6);
    let added = |name: &str, title: &str| {
        let added = raw.fact(&format!("added to {name}"));
        let bar = ("≤ payload + 16 KiB", added <= raw.fact("payload") + 16384.0);
        let kib = format!("{:.0} KiB", added / MIB * 1024.0);
        line(format!("disk space added to {title}"), kib, Some(bar))
    };
    let time = Some(("≤ 500 ms", rewrite <= 500.0));
    let peak = Some(("≤ 2x", share <= 2.0));
    let start = Some(("≤ 10 ms", more <= 10.0));
    let rewritten = format!("`brawn rewrite` of a program of {large}");
    let run = format!("`brawn run` of a program of {typos}, cached, over running it");
    table([
        line(rewritten, format!("{rewrite:.0} ms"), time),
        line(
            "its peak memory, against the file",
            format!("{share:.2}x"),
            peak,
        ),
        line(run, format!("{more:.1} ms"), start),
        line("the first `brawn run` of it", first, None),
        added("typos", "the same program"),
        added("bss", "a small program with 64 MiB of .bss"),
    ])
}

/// A program with `size` bytes of code and data. No two of its pages are equal, and its code has no jumps.
fn build(site: &Site, name: &str, size: usize, bss: usize) -> Result<PathBuf> {
    let folder = site.at(&format!("{name}-parts"));
    context(fs::create_dir_all(&folder), "create", &folder)?;
    let write = |file: &str, bytes: &[u8]| {
        let path = folder.join(file);
        context(fs::write(&path, bytes), "write", &path)
    };
    let bytes: Vec<u8> = (1..200u8).cycle().take((size / 2).max(16)).collect();
    write("code", &bytes)?;
    write("data", &bytes)?;
    write("filler.s", FILLER.as_bytes())?;
    write("main.c", MAIN.as_bytes())?;
    let out = site.at(name);
    let mut command = Command::new("musl-gcc");
    command.args(["-static", "-O1", &format!("-DBSS={bss}"), "-o"]);
    command
        .arg(&out)
        .args(["main.c", "filler.s"])
        .current_dir(&folder);
    checked(&mut command)?;
    Ok(out)
}

/// The public program, taken out of its package.
fn typos(site: &Site) -> Result<PathBuf> {
    let wheel = repository().join(WHEEL);
    let out = site.at("typos");
    let mut command = Command::new("unzip");
    command
        .args(["-q", "-o", "-j"])
        .arg(&wheel)
        .arg(MEMBER)
        .arg("-d")
        .arg(&site.work);
    checked(&mut command).map_err(|error| format!("{error}; tools/corpus.sh gets {WHEEL}"))?;
    context(
        fs::set_permissions(&out, fs::Permissions::from_mode(0o755)),
        "make executable",
        &out,
    )?;
    Ok(out)
}

/// Rewrites `program` to a new file and runs that. Returns the file and the figures of `brawn rewrite`.
fn rewrite(site: &Site, program: &Path) -> Result<(PathBuf, Sample)> {
    let out = site.at("out");
    remove(&out)?;
    let arguments = [
        "rewrite".as_ref(),
        program.as_os_str(),
        "-o".as_ref(),
        out.as_os_str(),
    ];
    let sample = site.run(&site.brawn, &arguments, &[])?;
    site.run(&out, &["--version"], &[])?;
    Ok((out, sample))
}

/// How many more bytes of the disk the rewritten program takes.
fn added(site: &Site, program: &Path) -> Result<u64> {
    let (out, _) = rewrite(site, program)?;
    let allocated = |path: &Path| {
        // Some filesystems allocate late: the number is right only once the file is on the disk.
        let file = context(fs::File::open(path), "open", path)?;
        context(file.sync_all(), "synchronize", path)?;
        let blocks = context(file.metadata(), "look at", path)?.blocks();
        Ok::<u64, String>(blocks * 512)
    };
    Ok(allocated(&out)?.saturating_sub(allocated(program)?))
}

/// The size of the payload in a program that uses all of it, in bytes.
fn payload(site: &Site) -> Result<u64> {
    let folder = site.at("line");
    let mut command = Command::new(&site.brawn);
    checked(
        command
            .args(["link-args", "--format", "cc", "--dir"])
            .arg(&folder),
    )?;
    let mut total = 0;
    for entry in context(fs::read_dir(&folder), "list", &folder)? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path
            .extension()
            .is_some_and(|ending| ending == "o" || ending == "a")
        {
            let text = checked(Command::new("size").arg(&path))?;
            let sizes = text
                .lines()
                .skip(1)
                .flat_map(|l| l.split_whitespace().take(2));
            total += sizes
                .filter_map(|word| word.parse::<u64>().ok())
                .sum::<u64>();
        }
    }
    Ok(total)
}
