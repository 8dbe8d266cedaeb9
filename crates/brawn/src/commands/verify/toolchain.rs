//! `brawn verify --cc`.

use super::{Args, Words};
use crate::exit::Exit;
use crate::inherited::is_ignored;
use crate::ui::{self, Tone};
use anstyle::{AnsiColor, Style};
use brawn_core::Result;
use brawn_core::error::printable;
use brawn_core::link_args::shell;
use brawn_core::report::verify::{Function, Group, Provider};
use brawn_verify::{
    Case, Outcome, Request, Results, Side, Sides, Step, Verdict, list as all, verify,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The report in `--json`.
#[derive(Serialize)]
struct Json<'a> {
    brawn: &'static str,
    #[serde(flatten)]
    report: &'a Results,
}

pub fn list(as_json: bool) -> Result<Exit> {
    let all = all()?;
    if as_json {
        let all: Vec<_> = all
            .into_iter()
            .map(|(name, states)| serde_json::json!({ "name": name, "states": states }))
            .collect();
        ui::json(&all);
    } else {
        let lines: Vec<String> = all.iter().map(|(n, s)| format!("{n}: {s}")).collect();
        ui::text(&lines.join("\n"));
    }
    Ok(Exit::Success)
}

pub fn run(args: &Args, cc: &[String]) -> Result<Exit> {
    let words = |words: &Option<Words>| words.as_ref().map(|words| words.0.clone());
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let request = Request {
        cc: cc.to_vec(),
        cxx: words(&args.cxx),
        runner: words(&args.runner).unwrap_or_default(),
        profile: args.profile.into(),
        jobs: args.jobs.map_or_else(processors, usize::from),
        filters: args.filter.clone(),
        full: args.full,
        keep: args.keep.clone(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::new(AtomicUsize::new(0));
    let numbers = [SIGINT, SIGTERM, SIGHUP];
    for number in numbers.into_iter().filter(|n| !is_ignored(*n)) {
        // The second interrupt ends everything at once.
        let registered = flag::register_conditional_default(number, Arc::clone(&stop))
            .and_then(|_| flag::register(number, Arc::clone(&stop)))
            .and_then(|_| flag::register_usize(number, Arc::clone(&signal), number as usize));
        if let Err(e) = registered {
            ui::error(&format_args!("cannot handle signal {number}: {e}"));
            return Ok(Exit::Io);
        }
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let progress = |step| match step {
        Step::Examining(toolchains) => begin(&bar, "looking at toolchains", toolchains),
        Step::Building(programs) => begin(&bar, "building programs", programs),
        Step::Running(cases) => begin(&bar, "running cases", cases),
        Step::Done => bar.inc(1),
    };
    let result = verify(&request, &progress, &stop);
    bar.finish_and_clear();
    // From now on the first signal ends brawn, which may wait for a reader of its report.
    let result = match stop.swap(true, Ordering::Relaxed) {
        true => result.map(|_| None),
        false => result,
    };
    let Some(report) = result? else {
        ui::info("interrupted: nothing was left behind except the directory of --keep");
        let number = i32::try_from(signal.load(Ordering::Relaxed)).unwrap_or(SIGINT);
        // The signal ends this process.  An exit code is needed only if that fails.
        let _ = low_level::emulate_default_handler(number);
        return Ok(Exit::Io);
    };
    if args.json {
        let brawn = env!("CARGO_PKG_VERSION");
        let report = &report;
        ui::json(&Json { brawn, report });
    } else {
        print(args, &request, &report);
    }
    Ok(Exit::of_findings(report.counts.new_failures > 0))
}

fn begin(bar: &ProgressBar, what: &str, length: usize) {
    let style = ProgressStyle::with_template(&format!("{what:<21} {{bar:40}} {{pos}} of {{len}}"));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_length(length as u64);
    bar.reset();
    bar.tick();
}

fn print(args: &Args, request: &Request, report: &Results) {
    toolchain("C", &request.cc, &report.c);
    if let (Some(command), Some(cxx)) = (&request.cxx, &report.cxx) {
        toolchain("C++", command, cxx);
    }
    ui::text("");
    ui::text(&table(&report.cases, args.verbose, ui::width()));
    let is_new = |case: &&Case| case.verdict == Verdict::NewFailure;
    let shown = if args.verbose { usize::MAX } else { FAILURES };
    for case in report.cases.iter().filter(is_new).take(shown) {
        failure(case, request);
    }
    let more = report.counts.new_failures.saturating_sub(shown);
    if more > 0 {
        ui::more(&format!("and {more} more: --verbose shows all"));
    }
    summary(report);
}

fn toolchain(language: &str, command: &[String], sides: &Sides) {
    let version = sides.libc_version.as_deref();
    let version = version.map_or_else(String::new, |v| format!(" {v}"));
    let text = format!("{}: {}, musl{version}", shell(command), sides.architecture);
    ui::line(Tone::Good, language, &text);
    match (&sides.before, &sides.unknown) {
        (Some(side), _) => ui::more(&format!("before: {} ({})", side.what, heap(side))),
        (None, why) => {
            let why = why.as_deref().unwrap_or_default();
            ui::more(&format!(
                "before: unknown, so every failure counts as new: {why}"
            ));
        }
    }
    ui::more(&format!(
        "with:   {} ({})",
        sides.with.what,
        heap(&sides.with)
    ));
    if let Some(text) = functions(&sides.with.functions) {
        ui::more(&text);
    }
}

/// How many functions of a kind are named.
const NAMED: usize = 12;

/// How many functions of libc, without the heap, are brawn's, and which are not.
fn functions(all: &[Function]) -> Option<String> {
    let of_libc = all
        .iter()
        .filter(|f| matches!(f.group, Group::Memory | Group::Libc));
    let (brawn, others): (Vec<_>, Vec<_>) = of_libc
        .filter(|f| f.provider != Provider::Absent)
        .partition(|f| f.provider == Provider::Brawn);
    let sum = brawn.len() + others.len();
    let mut text = format!("libc:   {} of {sum} functions are brawn's", brawn.len());
    let lead = [
        ("; musl's: ", Provider::Musl),
        ("; others': ", Provider::Own),
    ];
    for (lead, provider) in lead {
        let names = others.iter().filter(|f| f.provider == provider);
        let names: Vec<&str> = names.map(|f| f.name).collect();
        if let Some(more) = names.len().checked_sub(NAMED + 1) {
            let _ = write!(
                text,
                "{lead}{} and {} more",
                names[..NAMED].join(" "),
                more + 1
            );
        } else if !names.is_empty() {
            text += lead;
            text += &names.join(" ");
        }
    }
    (sum > 0).then_some(text)
}

fn heap(side: &Side) -> String {
    match &side.note {
        Some(note) => format!(
            "brawn {}, {}, profile {}",
            note.brawn, note.engine, note.profile
        ),
        None => side.heap.clone(),
    }
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

fn style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Passes | Verdict::Fixed => AnsiColor::Green,
        Verdict::NewFailure => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    colour.on_default().bold()
}

/// A line of the table.
struct Row {
    name: String,
    cells: [String; 3],
    style: Style,
    last: String,
}

/// One line for each program, and below it one for each case that does not pass on both sides.
fn table(cases: &[Case], is_verbose: bool, width: Option<usize>) -> String {
    let mut rows = vec![Row {
        name: "PROGRAM".to_owned(),
        cells: ["CASES", "BEFORE", "WITH"].map(str::to_owned),
        style: BOLD,
        last: "VERDICT".to_owned(),
    }];
    for program in cases.chunk_by(|a, b| a.program == b.program) {
        rows.extend(rows_of(program, is_verbose));
    }
    let first = rows.iter().map(|r| r.name.chars().count()).max();
    let first = first.unwrap_or(0);
    // Three columns of seven with a space before each, and two before the last.
    let room = width.map(|w| w.saturating_sub(first + 3 * 8 + 2));
    let mut text = String::new();
    for Row {
        name,
        cells: [a, b, c],
        style,
        last,
    } in rows
    {
        let last = cut(&last, room);
        // A String takes everything.
        let _ = writeln!(
            text,
            "{name:<first$} {a:>7} {b:>7} {c:>7}  {style}{last}{style:#}"
        );
    }
    text
}

fn rows_of(program: &[Case], is_verbose: bool) -> Vec<Row> {
    let passes = |of: &dyn Fn(&Case) -> &Outcome| {
        let known: Vec<&Outcome> = program
            .iter()
            .map(of)
            .filter(|o| **o != Outcome::Unknown)
            .collect();
        if known.is_empty() {
            return "-".to_owned();
        }
        let passed = known.iter().filter(|o| ***o == Outcome::Passes);
        passed.count().to_string()
    };
    let (worst, last) = program_verdict(program);
    let mut rows = vec![Row {
        name: program[0].program.clone(),
        cells: [
            program.len().to_string(),
            passes(&|c| &c.before),
            passes(&|c| &c.with),
        ],
        style: style(worst),
        last,
    }];
    let is_one = program.len() == 1 && program[0].case.is_none();
    let is_same = program
        .iter()
        .all(|c| c.verdict == worst && c.why == program[0].why);
    for case in program {
        let is_plain = case.verdict == Verdict::Passes
            || is_same && matches!(worst, Verdict::NotRun | Verdict::NotCompiled);
        if is_one || is_plain && !is_verbose {
            continue;
        }
        let name = case.verdict.name();
        rows.push(Row {
            name: format!("  {}", case.case.as_deref().unwrap_or_default()),
            cells: ["", case.before.name(), case.with.name()].map(str::to_owned),
            style: DIM,
            last: match reason(case) {
                Some(why) => format!("{name}: {why}"),
                None => name.to_owned(),
            },
        });
    }
    rows
}

/// The most important verdict of a program's cases, and the number of cases with each verdict.
fn program_verdict(cases: &[Case]) -> (Verdict, String) {
    const ORDER: [Verdict; 7] = [
        Verdict::NewFailure,
        Verdict::NotCompiled,
        Verdict::FailedBefore,
        Verdict::Declared,
        Verdict::NotRun,
        Verdict::Fixed,
        Verdict::Passes,
    ];
    let count = |verdict| cases.iter().filter(|c| c.verdict == verdict).count();
    let found: Vec<(Verdict, usize)> = ORDER
        .into_iter()
        .map(|v| (v, count(v)))
        .filter(|(_, n)| *n > 0)
        .collect();
    let worst = found.first().map_or(Verdict::NotRun, |(v, _)| *v);
    let words: Vec<String> = found
        .iter()
        .filter(|(v, _)| *v != Verdict::Passes || worst == Verdict::Passes)
        .map(|(v, n)| match found.len() {
            1 => v.name().to_owned(),
            _ if *v == Verdict::NewFailure && *n > 1 => format!("{n} NEW FAILURES"),
            _ => format!("{n} {}", v.name()),
        })
        .collect();
    let mut words = words.join(", ");
    let is_one = found.len() == 1 && cases.iter().all(|c| c.why == cases[0].why);
    if let Some(why) = cases.first().filter(|_| is_one).and_then(reason) {
        let is_shared = cases.len() == 1 || cases[0].why.is_some();
        if is_shared {
            let _ = write!(words, ": {why}");
        }
    }
    (worst, words)
}

/// The beginning of the message about a case that does not pass.
fn reason(case: &Case) -> Option<String> {
    if let Some(why) = &case.why {
        // A compiler's error message begins with its command.
        let is_said = case.verdict == Verdict::NotCompiled;
        let line = if is_said {
            complaint(why)
        } else {
            why.lines().next()
        };
        return line.map(|l| printable(l.as_bytes()));
    }
    let what = case.with.what().or(case.before.what())?;
    complaint(what).map(|l| printable(l.as_bytes()))
}

/// The most telling line of an output: the first failed expectation, or the first error.
fn complaint(text: &str) -> Option<&str> {
    let says = |l: &&str| l.contains("error: ") || l.contains("undefined");
    let expected = text
        .lines()
        .find_map(|l| l.find("expected ").map(|at| &l[at..]));
    expected
        .or_else(|| text.lines().find(says))
        .or_else(|| text.lines().next())
}

fn cut(text: &str, room: Option<usize>) -> String {
    match room {
        Some(room) if text.chars().count() > room => {
            let kept = text.chars().take(room.saturating_sub(1));
            kept.chain(['…']).collect()
        }
        _ => text.to_owned(),
    }
}

/// How many new failures are shown with their output, unless `--verbose` asks for all.
const FAILURES: usize = 3;
/// How much of a failed program's output is shown; `--json` has all of it.
const LINES: usize = 8;

fn failure(case: &Case, request: &Request) {
    let bad = style(Verdict::NewFailure);
    ui::text(&format!("{bad}NEW FAILURE{bad:#} {}", case.name()));
    ui::more(&format!("it states: {}", case.states));
    let what = case.with.what().unwrap_or_default();
    for line in what.lines().take(LINES) {
        ui::more(&printable(line.as_bytes()));
    }
    if what.lines().count() > LINES {
        ui::more("… (--json has everything)");
    }
    match &case.with {
        Outcome::Fails {
            repeat: Some(repeat),
            ..
        } => ui::more(&format!("to repeat: {repeat}")),
        _ => ui::more(&format!("to repeat: {}", repeat(case, request))),
    }
}

/// The command that does only this case again, and keeps what it built.
fn repeat(case: &Case, request: &Request) -> String {
    let mut words: Vec<String> = ["brawn", "verify", "--cc"].map(str::to_owned).to_vec();
    words.push(shell(&request.cc));
    for (flag, value) in [
        ("--cxx", request.cxx.as_deref()),
        ("--runner", Some(request.runner.as_slice())),
    ] {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            words.extend([flag.to_owned(), shell(value)]);
        }
    }
    words.extend(["--profile".to_owned(), request.profile.name().to_owned()]);
    words.extend(request.full.then(|| "--full".to_owned()));
    words.extend(["--filter".to_owned(), case.name()]);
    format!("{} --keep DIR", shell(&words))
}

fn summary(report: &Results) {
    let counts = &report.counts;
    let mut parts = vec![format!("{} pass", counts.passes)];
    for (count, what) in [
        (counts.fixed, "fixed"),
        (counts.failed_before, "failed before too"),
        (counts.declared, "declared to fail"),
        (counts.not_compiled, "not compiled"),
        (counts.not_run, "not run"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let new = counts.new_failures;
    parts.push(match new {
        0 => "no new failure".to_owned(),
        1 => "1 NEW FAILURE".to_owned(),
        new => format!("{new} NEW FAILURES"),
    });
    let tone = if new == 0 { Tone::Good } else { Tone::Bad };
    let text = format!("{} cases: {}", report.cases.len(), parts.join(", "));
    ui::line(tone, "verified", &text);
    let is_cxx = |case: &&Case| case.why.as_ref().is_some_and(|why| why.starts_with("C++"));
    let mut left: Vec<&Case> = report.cases.iter().filter(is_cxx).collect();
    left.retain(|case| case.verdict == Verdict::NotRun);
    let mut programs: Vec<&str> = left.iter().map(|case| case.program.as_str()).collect();
    programs.dedup();
    if !programs.is_empty() {
        let count = programs.len();
        ui::more(&format!(
            "C++ programs that were not run: {count}; name a compiler with --cxx"
        ));
    }
    if report.share > 1 {
        ui::more(&format!(
            "threads and forks were repeated one time in {}; --full does all",
            report.share
        ));
    }
    if let Some(kept) = &report.kept {
        ui::more(&format!("everything that was built is in {kept}"));
    }
}
