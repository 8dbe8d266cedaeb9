//! Runs what is built, in turns, and keeps the raw data round by round.

use super::{
    Binding, CALLS, HEAPS, MAX_TEXT, Process, THREADS, is_chosen, product, sources, store, stored,
    work,
};
use crate::progress::Progress;
use crate::{Result, context, machine};
use brawn_lab::process::job::{self, End, Output};
use brawn_lab::process::tree;
use brawn_lab::run::rounds::{Order, Request};
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The clock ticks of /proc/stat in a second: 100 on every architecture (USER_HZ of the kernel's interface).
const TICKS: f64 = 100.0;

/// What a process prints.
#[derive(Deserialize)]
struct Told {
    heap: String,
    tokens: u64,
    seconds: Vec<f64>,
    rss_kib: u64,
}

/// Measures what is built and begins with one of the words (BINDING/THREADS/HEAP), and adds the rounds to the raw data.
/// Whoever ends it early loses one round.
///
/// # Errors
///
/// Nothing of it is built; a process fails, or has another heap than it should.
pub fn measure(rounds: u32, words: &[String], progress: &Progress) -> Result<()> {
    let job = Job {
        text: text()?,
        processor: processor()?,
        kernel: first_line("/proc/sys/kernel/osrelease")?,
    };
    let mut all = stored()?;
    let first = all.iter().map(|p| p.round).max().unwrap_or(0) + 1;
    for number in first..first + rounds {
        let request = Request {
            rounds: 1,
            things: &Binding::ALL
                .map(|binding| THREADS.map(|threads| (binding, threads)))
                .concat(),
            sides: &HEAPS,
            order: Order::Sides,
            seed: number.into(),
        };
        let due = request.turns().map(|turn| (*turn.thing, turn.side.0));
        let due: Vec<Turn> = due.filter(|turn| is_due(turn, words)).collect();
        if due.is_empty() {
            return Err(
                "nothing of that is built: `brawn-bench extensions build` builds it".into(),
            );
        }
        progress.steps("extensions", due.len());
        let mut done = Vec::new();
        for ((binding, threads), heap) in due {
            done.push(process(number, binding, threads, heap, &job)?);
            progress.advance();
        }
        all.append(&mut done);
        store(&all)?;
    }
    Ok(())
}

type Turn = ((Binding, u32), &'static str);

/// Whether it is asked for, and built.
fn is_due(((binding, threads), heap): &Turn, words: &[String]) -> bool {
    let name = format!("{}/{threads}/{heap}", binding.name());
    is_chosen(&name, words) && product(*binding, heap).exists()
}

/// The beginning of the text.
fn text() -> Result<PathBuf> {
    let path = work().join(format!("text-{MAX_TEXT}.txt"));
    if !path.exists() {
        let whole = work().join("text.txt");
        let bytes = context(fs::read(&whole), "read", &whole)?;
        context(
            fs::write(&path, &bytes[..MAX_TEXT.min(bytes.len())]),
            "write",
            &path,
        )?;
    }
    Ok(path)
}

/// What all processes of a call have in common.
struct Job {
    /// The file that they encode.
    text: PathBuf,
    processor: String,
    kernel: String,
}

fn process(round: u32, binding: Binding, threads: u32, heap: &str, job: &Job) -> Result<Process> {
    let built = product(binding, heap);
    let mut arguments: Vec<OsString> = vec!["env".into()];
    match binding {
        Binding::Rust => arguments.push(built.clone().into()),
        Binding::Python => {
            let folder = built.parent().unwrap_or(&built);
            let script = sources().join("python/measure.py");
            arguments.extend(["python3".into(), script.into(), folder.into()]);
        }
        Binding::Node => {
            let script = sources().join("node/measure.js");
            arguments.extend(["node".into(), script.into(), built.clone().into()]);
        }
    }
    let files = ["package/encoder.json", "package/vocab.bpe"].map(|file| work().join(file));
    arguments.extend(files.map(OsString::from));
    arguments.extend([job.text.clone().into(), CALLS.to_string().into()]);
    let (told, others) = run(&built, &arguments, threads)?;
    let expected = match heap {
        "system" | "mimalloc" => told.heap == heap,
        profile => told.heap.contains(&format!(", {profile})")),
    };
    if !expected {
        let (built, said) = (built.display(), &told.heap);
        return Err(format!("{built}: its heap is {said}, expected {heap}"));
    }
    let round_to = |value: f64, digits: i32| {
        let scale = 10f64.powi(digits);
        (value * scale).round() / scale
    };
    Ok(Process {
        round,
        day: machine::today(),
        processor: Some(job.processor.clone()),
        kernel: job.kernel.clone(),
        bytes: MAX_TEXT,
        binding,
        heap: heap.to_owned(),
        said: told.heap,
        threads,
        others: round_to(others.max(0.0), 4),
        tokens: told.tokens,
        seconds: told.seconds.into_iter().map(|s| round_to(s, 6)).collect(),
        rss_kib: told.rss_kib,
    })
}

/// Runs one process. Returns what it printed, and what others took of the processors meanwhile.
fn run(built: &Path, arguments: &[OsString], threads: u32) -> Result<(Told, f64)> {
    let variables = [
        ("TOKENIZERS_PARALLELISM", (threads > 1).to_string()),
        ("RAYON_NUM_THREADS", threads.to_string()),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let before = busy()?;
    let run = tree::run(&job::Job {
        variables: &variables,
        output: Output::Kept(1 << 20),
        ..job::Job::new(Path::new("/usr/bin/env"), arguments)
    });
    let failed = |why: &str| format!("{}: {why}", built.display());
    let run = run.map_err(|failure| failed(&failure.to_string()))?;
    let [stdout, stderr] = run.output.map(|kept| kept.bytes);
    if run.end != End::Exit(0) {
        let said = String::from_utf8_lossy(&stderr);
        return Err(failed(&format!("{:?}: {}", run.end, said.trim())));
    }
    let told = serde_json::from_slice(&stdout).map_err(|error| failed(&error.to_string()))?;
    let figures = run.figures;
    let ours = (figures.user_ns + figures.system_ns) as f64 / 1e9;
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let all = busy()? - before;
    Ok((
        told,
        (all - ours) / (figures.wall_ns as f64 / 1e9) / processors,
    ))
}

/// How many seconds all processors have worked since the machine started.
fn busy() -> Result<f64> {
    let line = first_line("/proc/stat")?;
    worked(&line).ok_or_else(|| format!("/proc/stat: begins with `{line}`"))
}

/// Of the fields user, nice, system, idle, iowait, irq, softirq, steal (proc(5)): all but idle and iowait.
fn worked(line: &str) -> Option<f64> {
    let fields: Option<Vec<f64>> = line
        .split_whitespace()
        .skip(1)
        .take(8)
        .map(|field| field.parse().ok())
        .collect();
    let fields = fields.filter(|fields| fields.len() == 8)?;
    let ticks: f64 = fields[..3].iter().chain(&fields[5..]).sum();
    Some(ticks / TICKS)
}

fn first_line(path: &str) -> Result<String> {
    let text = context(fs::read_to_string(path), "read", Path::new(path))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The processor's name, family and model, as far as the kernel says them.
fn processor() -> Result<String> {
    let path = "/proc/cpuinfo";
    let text = context(fs::read_to_string(path), "read", Path::new(path))?;
    let first = text.split("\n\n").next().unwrap_or_default();
    let fact = |wanted: &str| {
        let pairs = first.lines().filter_map(|line| line.split_once(':'));
        let mut values = pairs.filter(|(key, _)| key.trim() == wanted);
        values.next().map(|(_, value)| value.trim())
    };
    let known: Vec<&str> = ["model name", "cpu family", "model"]
        .into_iter()
        .filter_map(fact)
        .collect();
    Ok(match known.is_empty() {
        true => std::env::consts::ARCH.to_owned(),
        false => known.join("/"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_processors_do_not_work() {
        let line = "cpu  100 200 300 9999 8888 10 20 70 55 66";
        assert_eq!(worked(line), Some(7.0));
        assert_eq!(worked("cpu 1 2 3"), None);
        assert_eq!(worked("cpu a b c d e f g h"), None);
    }

    #[test]
    fn this_machine_says_both() {
        assert!(busy().expect("/proc/stat") > 0.0);
        assert!(!processor().expect("/proc/cpuinfo").is_empty());
    }
}
