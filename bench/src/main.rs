//! `brawn-bench`: parses arguments, calls the library, and prints.
#![forbid(unsafe_code)]

mod cli;
mod kinds;

use brawn_bench::catalogue::{CATALOGUE, Entry, WASMTIME};
use brawn_bench::measure::{Effort, measure};
use brawn_bench::own::{self, Site};
use brawn_bench::prepare::Prepared;
use brawn_bench::progress::Progress;
use brawn_bench::raw::{Measurement, Results, Run, read_json, write_json};
use brawn_bench::show::Table;
use brawn_bench::variant::Variant;
use brawn_bench::{Result, demo, machine, pages, readme, tables};
use clap::{CommandFactory as _, FromArgMatches as _};
use cli::{Cli, Command, Extensions, Places, Selection};
use kinds::{KINDS, Kind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

impl Extensions {
    fn execute(self) -> Result<()> {
        let progress = Progress::new();
        match self {
            Self::Build { only } => own::extensions::build(&only, &progress)?,
            Self::Measure { only, rounds } => {
                own::extensions::measure(rounds, &only, &progress)?;
            }
            Self::Table {
                first,
                last,
                markdown,
            } => {
                let stored = own::extensions::stored()?;
                let rounds = first..=last.unwrap_or(u32::MAX);
                let (table, left_out) = own::extensions::show(&stored, rounds);
                print(&table, markdown);
                anstream::println!(
                    "{left_out} rounds are left out: other processes took too much of the processors."
                );
            }
        }
        progress.finish();
        Ok(())
    }
}

fn print(table: &Table, markdown: bool) {
    match markdown {
        true => anstream::println!("{}", table.markdown()),
        false => anstream::println!("{}", table.terminal()),
    }
}

/// The exit code of `limit` where no cgroup can be made.
const NO_GROUP: u8 = 3;

fn main() -> ExitCode {
    let command = Cli::command().subcommands(KINDS.iter().map(Kind::command));
    let matches = command.get_matches();
    let kind = matches
        .subcommand()
        .and_then(|(name, of_it)| Some((Kind::named(name)?, of_it)));
    let done = match kind {
        Some((kind, of_it)) => kind.run(of_it),
        None => match Cli::from_arg_matches(&matches) {
            Ok(cli) => execute(cli.command),
            Err(error) => error.exit(),
        },
    };
    let Err(error) = done else {
        return ExitCode::SUCCESS;
    };
    anstream::eprintln!("brawn-bench: {error}");
    match error.starts_with(own::limit::NO_GROUP) {
        true => ExitCode::from(NO_GROUP),
        false => ExitCode::FAILURE,
    }
}

fn execute(command: Command) -> Result<()> {
    match command {
        Command::Build { part, places } => {
            let progress = Progress::new();
            prepared(&part, &places, false, &progress)?;
            progress.finish();
            Ok(())
        }
        Command::Run {
            part,
            built,
            append,
            rounds,
            quick,
            out,
            places,
        } => {
            let out = out.unwrap_or_else(|| joined_or_new(&part));
            let effort = Effort { quick, rounds };
            run(&part, &places, built, effort, &out, append)
        }
        Command::Report { folder, markdown } => {
            let newest =
                || readme::newest(&readme::results_folder()).ok_or("no raw data in bench/results");
            report(&folder.map_or_else(newest, Ok)?, markdown)
        }
        Command::Readme => rewrite_pages(),
        Command::Demo { places } => demo::demo(&places.work("demo")?, &places.brawn()?),
        Command::Extensions(command) => command.execute(),
        Command::List => {
            for entry in CATALOGUE.iter() {
                anstream::println!("{:16} {:3} rounds  {}", entry.id, entry.rounds, entry.title);
            }
            Ok(())
        }
        Command::Where {
            programs,
            profile,
            rests,
            markdown,
            places,
        } => {
            let progress = Progress::new();
            let site = Site::new(&places.work("bench-where")?, &places.brawn()?)?;
            let all = || own::inside::names(rests);
            let programs = Some(programs).filter(|named| !named.is_empty());
            for program in programs.unwrap_or_else(all) {
                let peak = own::inside::look(&site, &program, &profile, rests, &progress)?;
                print(&own::inside::show(&program, &peak), markdown);
            }
            progress.finish();
            Ok(())
        }
    }
}

/// Where raw data go unless the user says it.  A part of the measurements is added to the newest directory of this
/// machine, since each table of README comes from one directory.
fn joined_or_new(part: &Selection) -> PathBuf {
    let cpu = machine::cpu_slug();
    let joined = readme::newest(&readme::results_folder())
        .filter(|folder| !part.only.is_empty() && folder.to_string_lossy().ends_with(&cpu));
    joined.unwrap_or_else(|| readme::results_folder().join(format!("{}-{cpu}", machine::today())))
}

/// Writes the generated tables of all pages, and says for each page whether it has changed.
fn rewrite_pages() -> Result<()> {
    let changes = readme::rewrite()?.into_iter();
    for (name, is_changed) in changes.chain(pages::rewrite()?) {
        let what = match is_changed {
            true => "rewritten",
            false => "up to date",
        };
        anstream::println!("{name}: {what}");
    }
    Ok(())
}

fn chosen(only: &[String]) -> Result<Vec<&'static Entry>> {
    if let Some(unknown) = only
        .iter()
        .find(|o| !CATALOGUE.iter().any(|e| e.id.starts_with(o.as_str())))
    {
        return Err(format!(
            "no measurement begins with {unknown}; `brawn-bench list` shows them"
        ));
    }
    let wanted = |e: &&Entry| {
        only.is_empty() && e.workload != WASMTIME
            || only.iter().any(|o| e.id.starts_with(o.as_str()))
    };
    Ok(CATALOGUE.iter().filter(wanted).collect())
}

fn chosen_variants(names: &[String]) -> Result<Vec<Variant>> {
    if names.is_empty() {
        return Ok(Variant::ALL.to_vec());
    }
    let variant =
        |name: &String| Variant::from_name(name).ok_or_else(|| format!("no variant {name}"));
    names.iter().map(variant).collect()
}

/// Builds everything that a part of the catalogue needs, or uses what was built before.
fn prepared(
    part: &Selection,
    places: &Places,
    built: bool,
    progress: &Progress,
) -> Result<Prepared> {
    let entries = chosen(&part.only)?;
    let variants = chosen_variants(&part.variants)?;
    // brawn is only needed if one of the variants is brawn.
    let needs_brawn = variants.iter().any(|v| v.is_brawn());
    let brawn = if needs_brawn {
        places.brawn()?
    } else {
        PathBuf::from("brawn")
    };
    let work = places.work("bench")?;
    if built {
        return Prepared::built(&work, &brawn, &variants, &entries);
    }
    Prepared::build(&work, &brawn, &variants, &entries, &mut |what| {
        progress.step(&format!("building {what}"));
    })
}

/// Prepares and measures `part`, and writes the raw data into `out`.
fn run(
    part: &Selection,
    places: &Places,
    built: bool,
    effort: Effort,
    out: &Path,
    append: bool,
) -> Result<()> {
    let progress = Progress::new();
    let prepared = prepared(part, places, built, &progress)?;
    let entries = chosen(&part.only)?;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut versions = brawn_bench::versions::versions(&prepared.brawn);
    versions.extend(prepared.engines.clone());
    let mut description = Run {
        format: 1,
        date: machine::today(),
        machine: machine::machine(),
        versions,
        builds: prepared.builds.clone(),
    };
    // New measurements replace or join those in the directory, if they are of the same machine.
    match Results::read(out) {
        Ok(before) if before.run.machine == description.machine => description.join(before.run),
        Ok(_) if append => {
            let out = out.display();
            return Err(format!("{out} is of another machine: no rounds are added"));
        }
        _ => {}
    }
    write_json(&out.join("run.json"), &description)?;
    let mut failures = 0;
    for entry in entries {
        let variants = prepared.variants.iter();
        let compared = variants.filter(|v| entry.variants.contains(v));
        let compared = compared.count();
        if compared == 0 {
            continue;
        }
        progress.steps(entry.id, effort.rounds(entry) * compared);
        let mut measurement = measure(&prepared, entry, effort, &mut |_| progress.advance())?;
        failures += measurement.failures.len();
        let path = out.join(format!("{}.json", entry.id));
        if append && path.is_file() {
            let mut earlier: Measurement = read_json(&path)?;
            earlier.append(measurement)?;
            measurement = earlier;
        }
        write_json(&path, &measurement)?;
    }
    progress.finish();
    report(out, false)?;
    anstream::println!("raw data: {}", out.display());
    match failures {
        0 => Ok(()),
        n => Err(format!("{n} runs failed; the raw data says which")),
    }
}

fn report(folder: &Path, markdown: bool) -> Result<()> {
    let results = Results::read(folder)?;
    let print = |table: &Table| print(table, markdown);
    anstream::println!("{}", tables::machine(&results));
    let shown = readme::SHOWN.iter().filter(|(name, _)| *name != "rule");
    for table in shown.filter_map(|(_, shown)| shown.table(&results)) {
        print(&table);
    }
    for measurement in results.measurements.values() {
        for failure in &measurement.failures {
            let (id, variant) = (&measurement.id, failure.variant.name());
            anstream::println!(
                "failed: {id}, {variant}, round {}: {}",
                failure.round,
                failure.what
            );
        }
    }
    Ok(())
}
