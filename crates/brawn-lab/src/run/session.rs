//! The runs of a comparison, from the first look to the last round.

use super::outputs::{MOST, Outputs, ended, how, is_answer};
use super::request::{Form, Host, Request, called};
use super::{machine, schedule};
use crate::data::{Command, Comparison, FORMAT, Finding, FindingKind, Phase, Run as Told, VERSION};
use crate::process::counters;
use crate::process::job::{End, Job, Output, Run};
use crate::process::tree;
use brawn_core::{Error, Result};
use std::ffi::OsString;
use std::time::Duration;

/// How long the measured runs may take together, if their number is not given.
const BUDGET: f64 = 6e9;
/// The smallest and the largest number of runs of each form in this case.
const RUNS: (f64, f64) = (10.0, 100.0);

/// A comparison that is being measured.
struct Session<'a> {
    request: &'a Request,
    forms: &'a [Form],
    host: &'a dyn Host,
    data: Comparison,
    /// How each form ended in its first run, while all are worth measuring.
    ends: Vec<Option<End>>,
    /// The longest time of the program as it is, in nanoseconds.
    longest: u64,
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// All of it, without verdicts.
    pub data: Comparison,
    /// For each form, whether all its runs ended as the first one did.
    pub is_well: Vec<bool>,
}

/// Runs `forms`, the first of which is the program as it is.
///
/// # Errors
/// A form could not be run, or everything should stop.
pub fn session(request: &Request, forms: &[Form], host: &dyn Host) -> Result<Measured> {
    let mut session = Session {
        request,
        forms,
        host,
        data: empty(request, forms),
        ends: vec![None; forms.len()],
        longest: 0,
    };
    host.expect(forms.len() as u64 + 1);
    session.look()?;
    if session.ends[0].is_some() && session.ends[1..].iter().any(Option::is_some) {
        session.rounds()?;
    }
    session.data.load[1] = machine::load();
    Ok(Measured {
        data: session.data,
        is_well: session.ends.iter().map(Option::is_some).collect(),
    })
}

fn empty(request: &Request, forms: &[Form]) -> Comparison {
    let text = |text: &OsString| text.to_string_lossy().into_owned();
    let folder = std::env::current_dir().unwrap_or_default();
    Comparison {
        format: FORMAT.into(),
        version: VERSION,
        brawn: env!("CARGO_PKG_VERSION").into(),
        date: machine::today(),
        command: Command {
            program: request.program.to_string_lossy().into_owned(),
            arguments: request.arguments.iter().map(text).collect(),
            line: std::env::args_os().map(|word| text(&word)).collect(),
            folder: folder.to_string_lossy().into_owned(),
            shell: request.shell.clone(),
            prepare: request.prepare.clone(),
            input: request
                .input
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned()),
            ignore_failure: request.ignore_failure,
            warmup: request.warmup as usize,
            rounds: 0,
            time_limit: request.time_limit,
            compare_output: request.compare_output.clone(),
        },
        machine: machine::machine(),
        load: [machine::load(); 2],
        counters: counters::look(),
        seed: request.seed.unwrap_or_else(schedule::seed),
        candidates: forms.iter().map(|form| form.told.clone()).collect(),
        ..Comparison::default()
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
        if first.end != End::Exit(0) && !self.request.ignore_failure {
            let what = ended(&first) + ": since it printed a result, this counts as its answer";
            self.find(0, FindingKind::Note, what);
        }
        let asked = &self.request.compare_output;
        if let Some(path) = Outputs::missing(asked) {
            let error = Error::not_applicable("the program wrote no such file");
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
                let name = called(&self.forms[0].told.name);
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
                self.data.findings.push(Finding {
                    candidate,
                    kind: FindingKind::Differs,
                    what: difference,
                    kept: expected.keep(&found)?,
                });
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
        if run.end != End::Limit && self.request.ignore_failure {
            return true;
        }
        if is_answer(run) && self.request.has_answers {
            return true;
        }
        let next = match run.end {
            _ if !self.request.has_answers => "",
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
            .request
            .runs
            .map_or_else(|| self.affordable(), |runs| runs as usize);
        let order = schedule::rounds(self.forms.len(), rounds, self.data.seed);
        self.data.command.rounds = rounds;
        self.data.order.clone_from(&order);
        let warmup = self.request.warmup as usize;
        self.host
            .expect(((rounds + warmup) * self.forms.len()) as u64);
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
            self.host.advance();
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
        match self.request.time_limit {
            Some(seconds) => Some(Duration::from_secs_f64(seconds)),
            None if self.longest == 0 => None,
            None => Some(Duration::from_nanos(self.longest * 10) + Duration::from_secs(10)),
        }
    }

    /// Runs a form once, and keeps its figures.
    fn run(&mut self, candidate: usize, phase: Phase, round: usize) -> Result<Run> {
        self.request.prepare(self.host)?;
        let form = &self.forms[candidate];
        let (path, arguments) = self.request.command(&form.path);
        let is_look = phase == Phase::Look;
        let job = Job {
            path: &path,
            arguments: &arguments,
            variables: &form.variables,
            input: self.request.input.as_deref(),
            output: match is_look {
                true => Output::Kept(MOST),
                false => Output::Nowhere,
            },
            limit: self.limit(),
            watch: is_look,
            counters: &self.data.counters,
            interrupt: Some(self.host.interrupt()),
        };
        let run = tree::run(&job).map_err(|failure| self.host.failed(&path, failure))?;
        self.host.advance();
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
}
