//! The runs of a comparison, from the first look to the last round.

use super::Args;
use super::candidates::{self, Form};
use super::diagnosis::{Diagnosed, Sampled};
use super::outputs::{MOST, Outputs, ended, how, is_answer};
use super::sampled;
use super::signals::{SHELL, Signals, prepare};
use crate::bar::Bar;
use brawn_core::{Error, Kind, Result};
use brawn_lab::process::counters;
use brawn_lab::process::tree::{self, End, Failure, Job, Output, Run};
use brawn_lab::run::data::{
    Command, Comparison, FORMAT, Finding, FindingKind, Phase, Run as Told, VERSION,
};
use brawn_lab::run::machine;
use brawn_lab::run::schedule;
use brawn_sample::{Costs, diagnose, predict};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

/// How long the measured runs may take together, if their number is not given.
const BUDGET: f64 = 6e9;
/// The smallest and the largest number of runs of each form in this case.
const RUNS: (f64, f64) = (10.0, 100.0);

/// A comparison that is being measured.
struct Session<'a> {
    args: &'a Args,
    name: &'a OsStr,
    forms: &'a [Form],
    signals: &'a Signals,
    bar: Bar,
    is_bench: bool,
    data: Comparison,
    /// How each form ended in its first run, while all are worth measuring.
    ends: Vec<Option<End>>,
    /// The longest time of the program as it is, in nanoseconds.
    longest: u64,
}

/// Runs `forms`, the first of which is the program as it is.
pub fn measure(name: &OsStr, forms: &[Form], args: &Args) -> Result<Comparison> {
    measured(name, forms, args, &Signals::watch()?, false)
}

/// The same if the caller watches for signals. `brawn bench` takes no samples, and none of its programs answers by its
/// exit code.
pub fn measured(
    name: &OsStr,
    forms: &[Form],
    args: &Args,
    signals: &Signals,
    is_bench: bool,
) -> Result<Comparison> {
    let looks = forms.len() as u64 + 1;
    let mut session = Session {
        args,
        name,
        forms,
        signals,
        bar: Bar::new(looks, "{bar:30} {pos}/{len} runs, {eta} left"),
        is_bench,
        data: empty(name, forms, args),
        ends: vec![None; forms.len()],
        longest: 0,
    };
    session.look()?;
    if session.ends[0].is_some() && session.ends[1..].iter().any(Option::is_some) {
        session.rounds()?;
        if !is_bench {
            session.sample();
        }
    }
    session.data.load[1] = machine::load();
    Ok(session.data)
}

fn empty(name: &OsStr, forms: &[Form], args: &Args) -> Comparison {
    let text = |text: &OsString| text.to_string_lossy().into_owned();
    let folder = std::env::current_dir().unwrap_or_default();
    Comparison {
        format: FORMAT.into(),
        version: VERSION,
        brawn: env!("CARGO_PKG_VERSION").into(),
        date: machine::today(),
        command: Command {
            program: name.to_string_lossy().into_owned(),
            arguments: args.arguments().iter().map(text).collect(),
            line: std::env::args_os().map(|word| text(&word)).collect(),
            folder: folder.to_string_lossy().into_owned(),
            shell: args.shell.clone(),
            prepare: args.prepare.clone(),
            input: args
                .input
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned()),
            ignore_failure: args.ignore_failure,
            warmup: args.warmup as usize,
            rounds: 0,
            time_limit: args.time_limit,
            compare_output: args.compare_output.clone(),
        },
        machine: machine::machine(),
        load: [machine::load(); 2],
        counters: counters::look(),
        seed: args.seed.unwrap_or_else(schedule::seed),
        candidates: forms.iter().map(|form| form.told.clone()).collect(),
        order: Vec::new(),
        runs: Vec::new(),
        findings: Vec::new(),
        verdicts: Vec::new(),
        apart: None,
        diagnosis: None,
        prediction: None,
    }
}

/// The finding for an unexpected end.
fn kind(end: End) -> FindingKind {
    match end {
        End::Limit => FindingKind::Hung,
        End::Exit(_) | End::Signal(_) => FindingKind::Failed,
    }
}

impl Session<'_> {
    /// Runs each form once, and the program as it is twice: output that differs between these two is not a finding.
    fn look(&mut self) -> Result<()> {
        let first = self.run(0, Phase::Look, 0)?;
        if !self.is_well(&first) {
            return Ok(());
        }
        let again = self.run(0, Phase::Look, 1)?;
        if again.end != first.end {
            let what = format!("{}, and the first time it {}", ended(&again), ended(&first));
            self.find(0, kind(again.end), what);
            return Ok(());
        }
        self.ends[0] = Some(first.end);
        if first.end != End::Exit(0) && !self.args.ignore_failure {
            let what = ended(&first) + ": since it printed a result, this counts as its answer";
            self.find(0, FindingKind::Note, what);
        }
        let asked = &self.args.compare_output;
        if let Some(path) = Outputs::missing(asked) {
            let error = Error::new(Kind::NotApplicable, "the program wrote no such file");
            return Err(error
                .path(path)
                .expected("what `--compare-output` is to compare"));
        }
        let mut expected = Outputs::of(&first, asked);
        if let Some(where_) = expected.difference(&Outputs::of(&again, asked)) {
            let what = format!("its output is not the same each time, and not compared ({where_})");
            self.find(0, FindingKind::Note, what);
            expected = Outputs::default();
        }
        if first.figures.left_behind > 0 {
            let left = first.figures.left_behind;
            let what = format!("it leaves {left} running when it ends; they are ended, too");
            self.find(0, FindingKind::Note, what);
        }
        for candidate in 1..self.forms.len() {
            let run = self.run(candidate, Phase::Look, 0)?;
            if run.end != first.end {
                let name = candidates::called(&self.forms[0].told.name);
                let what = format!("{}; {name} {}", ended(&run), ended(&first));
                self.find(candidate, kind(run.end), what);
                continue;
            }
            let asked = match expected == Outputs::default() {
                true => &[][..],
                false => asked,
            };
            let found = Outputs::of(&run, asked);
            if let Some(difference) = expected.difference(&found) {
                self.find(candidate, FindingKind::Differs, difference);
                let kept = expected.keep(&found)?;
                self.data
                    .findings
                    .last_mut()
                    .into_iter()
                    .for_each(|last| last.kept.clone_from(&kept));
                continue;
            }
            self.ends[candidate] = Some(first.end);
        }
        Ok(())
    }

    /// Whether the program as it is ended in such a way that it can be measured; otherwise a finding.
    fn is_well(&mut self, run: &Run) -> bool {
        if run.end == End::Exit(0) {
            return true;
        }
        if run.end != End::Limit && self.args.ignore_failure {
            return true;
        }
        if is_answer(run) && !self.is_bench {
            return true;
        }
        let next = match run.end {
            _ if self.is_bench => "",
            End::Exit(_) => {
                "; if this is its answer, and not a failure, `--ignore-failure` measures it"
            }
            End::Signal(_) => "; `--ignore-failure` measures it all the same",
            End::Limit => "",
        };
        self.find(0, kind(run.end), ended(run) + next);
        false
    }

    fn find(&mut self, candidate: usize, kind: FindingKind, what: String) {
        self.data.findings.push(Finding {
            candidate,
            kind,
            what,
            kept: Vec::new(),
        });
    }

    /// Warm-up, then the rounds that count.
    fn rounds(&mut self) -> Result<()> {
        let rounds = self
            .args
            .runs
            .map_or_else(|| self.affordable(), |runs| runs as usize);
        let order = schedule::rounds(self.forms.len(), rounds, self.data.seed);
        self.data.command.rounds = rounds;
        self.data.order.clone_from(&order);
        let warmup = self.args.warmup as usize;
        self.bar
            .inc_length(((rounds + warmup) * self.forms.len()) as u64);
        for round in 0..warmup {
            for candidate in 0..self.forms.len() {
                self.one(candidate, Phase::WarmUp, round)?;
            }
        }
        for (round, order) in order.into_iter().enumerate() {
            for candidate in order {
                self.one(candidate, Phase::Measured, round)?;
            }
            if self.ends[0].is_none() || self.ends[1..].iter().all(Option::is_none) {
                break;
            }
        }
        Ok(())
    }

    fn one(&mut self, candidate: usize, phase: Phase, round: usize) -> Result<()> {
        if self.ends[candidate].is_none() {
            self.bar.inc(1);
            return Ok(());
        }
        let run = self.run(candidate, phase, round)?;
        let expected = self.ends[candidate];
        if let Some(before) = expected.filter(|expected| *expected != run.end) {
            let what = format!(
                "run {} {}; before, it {}",
                round + 1,
                ended(&run),
                how(before)
            );
            self.find(candidate, kind(run.end), what);
            self.ends[candidate] = None;
        }
        Ok(())
    }

    /// As many rounds as there is time for.
    fn affordable(&self) -> usize {
        let looks = self.data.runs.iter().filter(|run| run.round == 0);
        let one: u64 = looks.map(|run| run.figures.wall_ns).sum();
        let rounds = (BUDGET / one.max(1) as f64).clamp(RUNS.0, RUNS.1);
        // Whole pairs of rounds there and back.
        (rounds as usize).next_multiple_of(2)
    }

    fn limit(&self) -> Option<Duration> {
        match self.args.time_limit {
            Some(seconds) => Some(Duration::from_secs_f64(seconds)),
            None if self.longest == 0 => None,
            None => Some(Duration::from_nanos(self.longest * 10) + Duration::from_secs(10)),
        }
    }

    /// Runs a form once, and keeps its figures.
    fn run(&mut self, candidate: usize, phase: Phase, round: usize) -> Result<Run> {
        if let Some(line) = &self.args.prepare {
            let failed = |failure| self.failed(SHELL.as_ref(), failure);
            prepare(line, self.signals, failed)?;
        }
        let form = &self.forms[candidate];
        let (path, arguments) = candidates::command(&form.path, self.name, self.args);
        let is_look = phase == Phase::Look;
        let job = Job {
            path: &path,
            arguments: &arguments,
            variables: &form.variables,
            input: self.args.input.as_deref(),
            output: match is_look {
                true => Output::Kept(MOST),
                false => Output::Nowhere,
            },
            limit: self.limit(),
            watch: is_look,
            counters: &self.data.counters,
            interrupt: Some(self.signals.file()),
        };
        let run = tree::run(&job).map_err(|failure| self.failed(&path, failure))?;
        self.bar.inc(1);
        if candidate == 0 {
            self.longest = self.longest.max(run.figures.wall_ns);
        }
        self.data.runs.push(Told {
            candidate,
            round,
            phase,
            end: run.end,
            figures: run.figures.clone(),
            memory: run.moments.clone(),
        });
        Ok(run)
    }

    /// Samples the program as it is and the first form beside it, in runs that do not count.
    fn sample(&mut self) {
        // A signal may end the process here, so the bar is removed from the screen first.
        self.bar.clear();
        let mut kept = Diagnosed::default();
        let forms = self.forms.iter().enumerate().take(2);
        // Its runs have all ended as the first one did, whatever that means.
        let args = Args {
            ignore_failure: true,
            ..self.args.clone()
        };
        // The object of LD_PRELOAD would also be sampled in brawn's own helper.
        let forms = forms
            .filter(|(number, form)| self.ends[*number].is_some() && form.variables.is_empty());
        for (candidate, form) in forms {
            let most = self.data.command.rounds.max(1);
            let samples = sampled::several(self.name, &form.path, &args, self.signals, most);
            let samples = match samples {
                Ok((samples, _)) => samples,
                Err(error) => {
                    kept.reason = Some(error.to_string());
                    break;
                }
            };
            let is_first = candidate == 0;
            let diagnosis = match is_first {
                true => sampled::marked(&samples, &form.path, &args),
                false => Ok(diagnose(&samples, &form.path)),
            };
            let diagnosis = match diagnosis {
                Ok(diagnosis) => diagnosis,
                Err(error) => {
                    kept.reason = Some(error.to_string());
                    break;
                }
            };
            if is_first {
                let expected = predict(&diagnosis, &Costs::measured());
                self.data.prediction = serde_json::to_value(expected).ok();
            }
            kept.reason = kept.reason.or(samples.reason);
            kept.forms.push(Sampled {
                candidate,
                runs: samples.runs,
                words: diagnosis.words(),
                diagnosis,
            });
        }
        self.data.diagnosis = serde_json::to_value(kept).ok();
    }

    fn failed(&self, path: &Path, failure: Failure) -> Error {
        match failure {
            Failure::Interrupted => {
                // The process ends here, so the bar is removed from the screen first.
                self.bar.clear();
                self.signals.obey()
            }
            Failure::Start(error) => crate::exec::failed(path, error).path(path),
            Failure::System(what, error) => Error::io(what, error),
        }
    }
}
