//! Tries `brawn compare` itself: whether it calls a program faster than itself, finds a small difference, and what
//! measuring and sampling cost the program.
//!
//! Each round is one trial of each kind.

use super::{Choice, Raw, Site, chosen, line, table};
use crate::progress::Progress;
use crate::show::Table;
use crate::{Result, repository};
use brawn_lab::build::checked;
use brawn_lab::data::Outcome;
use brawn_lab::process::counters::{self, Availability};
use brawn_lab::process::job::Job;
use brawn_lab::process::parent::Sample;
use brawn_lab::process::tree;
use brawn_lab::run::rounds::Order;
use brawn_sample::{Options, sample};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The kinds of trials: the program against itself while every processor is busy; against one that does 3 % more;
/// measured by the launcher and by brawn; run with samples and without.
pub const KINDS: [&str; 4] = ["same", "slower", "measured", "sampled"];
/// How long the programs take on an idle machine, in nanoseconds: for trials of verdicts, of measuring, and of
/// sampling.
const TIMES: [f64; 3] = [2e7, 1e8, 1e9];
/// Steps by which the programs' speed is found.
const STEPS: f64 = 2e7;

/// Runs `rounds` trials of the chosen kinds, or of all, and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, rounds: usize, progress: &Progress) -> Result<Raw> {
    let mut raw = Raw::new("brawn-bench compare", &site.brawn);
    let programs = [build(site, 0)?, build(site, 3)?];
    let speed = speed(site, &programs[0])?;
    let steps = TIMES.map(|time| (speed * time).round());
    for (name, count) in ["verdicts", "measuring", "sampling"].iter().zip(steps) {
        raw.facts.insert(format!("steps of {name}"), count);
    }
    let counters = counters::look();
    let all = (&chosen(&KINDS, &choice.only)[..], &[()][..]);
    raw.measure("trials", (rounds, Order::Given), all, progress, |turn| {
        let (kind, round) = (*turn.thing, turn.round);
        let trial = match kind {
            "same" => busy(|| verdict(site, &programs[0], &programs[0], steps[0]))?,
            "slower" => verdict(site, &programs[0], &programs[1], steps[0])?,
            "measured" => measured(site, &programs[0], steps[1], &counters, round)?,
            _ => sampled(&programs[0], steps[2], round)?,
        };
        Ok((kind.to_owned(), trial))
    })?;
    Ok(raw)
}

/// The program that does this many percent more.
fn build(site: &Site, extra: u32) -> Result<PathBuf> {
    let out = site.at(&format!("spin-{extra}"));
    let mut command = Command::new("musl-gcc");
    command.args(["-O2", "-static", &format!("-DEXTRA={extra}")]);
    command.arg(repository().join("bench/workloads/spin.c"));
    checked(command.arg("-o").arg(&out))?;
    Ok(out)
}

fn text(steps: f64) -> String {
    format!("{steps:.0}")
}

/// Steps in a nanosecond: the most of some runs.
fn speed(site: &Site, program: &Path) -> Result<f64> {
    let mut best: f64 = 0.0;
    for _ in 0..5 {
        let run = site.run(program, &[text(STEPS)], &[])?;
        best = best.max(STEPS / run.get("cpu_ns").copied().unwrap_or(f64::INFINITY));
    }
    Ok(best)
}

/// Does it while one thread for each processor runs an empty loop.
fn busy<T>(what: impl FnOnce() -> Result<T>) -> Result<T> {
    let stop = AtomicBool::new(false);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = what();
        stop.store(true, Ordering::Relaxed);
        done
    })
}

/// The verdict of `brawn compare` on two programs.
fn verdict(site: &Site, one: &Path, other: &Path, steps: f64) -> Result<Sample> {
    let begin = Instant::now();
    let mut command = Command::new(&site.brawn);
    command
        .args(["compare", "--json", "--with", "none", "--against"])
        .arg(other)
        .arg(one);
    let output = command.arg(text(steps)).output();
    let output = output.map_err(|error| format!("brawn: {error}"))?;
    let malformed = |error| format!("what `brawn compare` prints: {error}");
    let data: brawn_lab::data::Comparison =
        serde_json::from_slice(&output.stdout).map_err(malformed)?;
    let verdict = data.verdicts.first().ok_or("no verdict")?;
    let is = |outcome: Outcome| f64::from(u8::from(verdict.outcome == outcome));
    let mut sample = Sample::from([
        ("same".to_owned(), is(Outcome::Same)),
        ("faster".to_owned(), is(Outcome::Faster)),
        ("slower".to_owned(), is(Outcome::Slower)),
        ("noisy".to_owned(), is(Outcome::Noisy)),
        ("seconds".to_owned(), begin.elapsed().as_secs_f64()),
        ("load".to_owned(), data.load[1]),
    ]);
    for (name, ratio) in [("time", &verdict.time), ("cpu", &verdict.cpu)] {
        let Some(ratio) = ratio else { continue };
        sample.insert(format!("{name} ratio"), ratio.ratio);
        sample.insert(format!("{name} low"), ratio.low);
        sample.insert(format!("{name} high"), ratio.high);
        sample.insert("runs".to_owned(), ratio.pairs as f64);
    }
    Ok(sample)
}

/// Runs both, the second one first in every second round.
fn in_turn(
    round: usize,
    mut one: impl FnMut() -> Result<()>,
    mut other: impl FnMut() -> Result<()>,
) -> Result<()> {
    if round % 2 == 1 {
        other()?;
        return one();
    }
    one()?;
    other()
}

/// One run as brawn measures it.
fn run(program: &Path, steps: f64, counters: &Availability) -> Result<[f64; 2]> {
    let arguments = [OsString::from("spin"), text(steps).into()];
    let run = tree::run(&Job {
        counters,
        ..Job::new(program, &arguments)
    });
    let figures = run.map_err(|failure| failure.to_string())?.figures;
    Ok([
        figures.wall_ns as f64,
        (figures.user_ns + figures.system_ns) as f64,
    ])
}

/// A program's time as measured by the launcher, which only starts it and waits for it, and as measured by brawn.
fn measured(
    site: &Site,
    program: &Path,
    steps: f64,
    counters: &Availability,
    round: usize,
) -> Result<Sample> {
    let (mut alone, mut by_brawn) = (Sample::new(), [0.0; 2]);
    in_turn(
        round,
        || site.run(program, &[text(steps)], &[]).map(|s| alone = s),
        || run(program, steps, counters).map(|figures| by_brawn = figures),
    )?;
    let figure = |name: &str| alone.get(name).copied().unwrap_or(f64::NAN);
    Ok(both(
        [figure("wall_ns"), figure("cpu_ns")],
        by_brawn,
        figure("cpu_ns"),
    ))
}

/// Times without and with the tested feature, and the ratio of processor times.
fn both(without: [f64; 2], with: [f64; 2], cpu: f64) -> Sample {
    Sample::from([
        ("wall_ns without".to_owned(), without[0]),
        ("cpu_ns without".to_owned(), without[1]),
        ("wall_ns with".to_owned(), with[0]),
        ("cpu_ns with".to_owned(), with[1]),
        ("wall".to_owned(), with[0] / without[0]),
        ("cpu".to_owned(), with[1] / cpu),
    ])
}

/// A program's time with samples and without. The work of this process for the samples counts, too.
fn sampled(program: &Path, steps: f64, round: usize) -> Result<Sample> {
    let none = Availability::default();
    let (mut without, mut with) = ([0.0; 2], [0.0; 3]);
    in_turn(
        round,
        || run(program, steps, &none).map(|figures| without = figures),
        || {
            let mut command = Command::new(program);
            command.arg(text(steps)).stdin(Stdio::null());
            let samples = sample(&mut command, &Options::default());
            let samples = samples.map_err(|error| format!("{}: {error}", program.display()))?;
            let cpu = samples.user + samples.system;
            with = [samples.wall, cpu, samples.cost].map(|seconds| seconds * 1e9);
            Ok(())
        },
    )?;
    let [wall, cpu, cost] = with;
    let mut trial = both(without, [wall, cpu + cost], without[1]);
    trial.insert("cpu_ns of sampling".to_owned(), cost);
    Ok(trial)
}

/// The results of the trials, by kind.
pub fn show(raw: &Raw) -> Table {
    let count = |what: &str, kind: &str, percent: f64| {
        let found = raw.all(kind, kind);
        let (all, well) = (found.len() as f64, found.iter().sum::<f64>());
        let bar = format!("≥ {percent} %");
        let is_met = well >= all * percent / 100.0;
        let line = line(what, format!("{well} of {all}"), Some((&bar, is_met)));
        (!found.is_empty()).then_some(line)
    };
    let cost = |what: &str, kind: &str, figure: &str, most: f64| {
        let more = (raw.median(kind, figure) - 1.0) * 100.0;
        let bar = format!("≤ {most} %");
        let line = line(what, format!("{more:+.2} %"), Some((&bar, more <= most)));
        (!more.is_nan()).then_some(line)
    };
    let itself = "against itself on a busy machine: “no difference”";
    let lines = [
        count(itself, "same", 95.0),
        count("3 % more work is found", "slower", 90.0),
        cost("measuring 100 ms: time", "measured", "wall", 1.0),
        cost("measuring 100 ms: processor time", "measured", "cpu", 1.0),
        cost("sampling: time", "sampled", "wall", 3.0),
        cost("sampling: processor time of both", "sampled", "cpu", 3.0),
    ];
    table(lines.into_iter().flatten())
}
