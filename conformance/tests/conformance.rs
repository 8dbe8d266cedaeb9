//! One test for each (libc, link, program, case); `conformance/README.md` says how to choose tests.

use brawn_conformance::build::Builder;
use brawn_conformance::draw::draw;
use brawn_conformance::musls::{ALL, matrix};
use brawn_conformance::times::Times;
use brawn_conformance::trial::{Trial as Attempt, programs, trials};
use brawn_verify::ways::Link;
use libtest_mimic::{Arguments, Trial};
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Trials are processes with threads of their own, and some fill the memory; a third of their time they wait.
    arguments.test_threads.get_or_insert(4);
    let programs = match programs() {
        Ok(programs) => Box::leak(programs.into_boxed_slice()),
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    // If another archive takes brawn's place, there is only one musl.
    let matrix = match std::env::var_os("BRAWN_CONFORMANCE_LIBC") {
        Some(_) => Ok(Vec::new()),
        None => matrix(),
    };
    let matrix = match matrix {
        Ok(matrix) => Box::leak(matrix.into_boxed_slice()),
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let builder = Arc::new(Builder::new(
        &Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance"),
    ));
    let machine = Arc::new(RwLock::new(()));
    let times = Arc::new(Times::default());
    let mut all: Vec<_> = programs.iter().flat_map(|p| trials(p, matrix)).collect();
    let everything = is_everything(&arguments);
    if everything && std::env::var_os(ALL).is_none() {
        keep_drawn(&mut all);
    }
    let all = in_turns(all);
    if everything {
        build_ahead(&builder, &all);
    }
    let tests = all.into_iter().map(|trial| {
        let (builder, machine) = (Arc::clone(&builder), Arc::clone(&machine));
        let times = Arc::clone(&times);
        let reason = trial.not_covered().map(|r| format!("not covered: {r}"));
        let test = Trial::test(trial.name(), move || {
            let begun = Instant::now();
            // A program that must run alone can still be compiled beside others.
            let _ = builder.build(trial.program, trial.place);
            let waited = begun.elapsed();
            let attempt = || {
                let begun = Instant::now();
                let result = trial.attempt(&builder);
                times.add(&trial.name(), waited, begun.elapsed());
                result
            };
            let result = if trial.program.alone {
                let _alone = machine.write().unwrap_or_else(PoisonError::into_inner);
                attempt()
            } else {
                let _shared = machine.read().unwrap_or_else(PoisonError::into_inner);
                attempt()
            };
            result.map_err(Into::into)
        });
        // The trial counts as ignored, never as passed, and is listed with the reason.
        let is_ignored = reason.is_some();
        test.with_kind(reason.unwrap_or_default())
            .with_ignored_flag(is_ignored)
    });
    let tests = tests.collect();
    let conclusion = libtest_mimic::run(&arguments, tests);
    if conclusion.num_passed + conclusion.num_failed > 1 {
        eprint!("{times}");
    }
    if !conclusion.has_failed()
        && let Err(e) = builder.forget_rewritten()
    {
        eprintln!("rewritten programs are not removed: {e}");
    }
    conclusion.exit_code()
}

/// The trials of all programs in turns, so that of those that wait most of their time (`idles`) few run at once and leave
/// the processors idle; last those that run alone, since each of them waits for the others, and these for it.
fn in_turns(trials: Vec<Attempt<'static>>) -> Vec<Attempt<'static>> {
    let mut of_program = HashMap::<_, usize>::new();
    let mut numbered: Vec<_> = trials
        .into_iter()
        .map(|trial| {
            let count = of_program.entry(trial.program.name.as_str()).or_default();
            *count += 1;
            (*count, trial)
        })
        .collect();
    // A program's n-th trial of m stands where n/m of all have run.
    let turn = |(n, trial): &(usize, Attempt<'_>)| {
        let of = of_program[trial.program.name.as_str()];
        (trial.program.alone, n * 10_000 / of)
    };
    numbered.sort_by_key(turn);
    numbered.into_iter().map(|(_, trial)| trial).collect()
}

/// Leaves those trials that cover the others.
fn keep_drawn(all: &mut Vec<Attempt<'static>>) {
    let total = all.len();
    let mut chosen = draw(all).into_iter();
    all.retain(|_| chosen.next().unwrap_or(true));
    eprintln!("{} of {total} trials ({ALL}=1 runs all)", all.len());
}

/// Whether no trial is left out.
fn is_everything(arguments: &Arguments) -> bool {
    let chooses = arguments.filter.is_some() || !arguments.skip.is_empty();
    !(chooses || arguments.list || arguments.ignored)
}

/// Builds programs ahead of their trials: while one trial runs alone, the other processors are free. zig's programs
/// come first, since zig compiles its C++ library for them, which takes minutes. If a program cannot be built, its
/// trials fail.
fn build_ahead(builder: &Arc<Builder>, trials: &[Attempt<'static>]) {
    let builder = Arc::clone(builder);
    let mut trials = trials.to_vec();
    trials.retain(|trial| trial.not_covered().is_none());
    trials.sort_by_key(|trial| trial.place.link != Link::Zig);
    std::thread::spawn(move || {
        for trial in trials {
            let _ = builder.build(trial.program, trial.place);
        }
    });
}
