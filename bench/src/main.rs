//! `brawn-bench`: parses arguments, calls the library, and prints.
#![forbid(unsafe_code)]

use brawn_bench::catalogue::{CATALOGUE, Entry, WASMTIME};
use brawn_bench::measure::{Effort, measure};
use brawn_bench::own::{self, Raw, Room};
use brawn_bench::prepare::Prepared;
use brawn_bench::progress::Progress;
use brawn_bench::raw::{Measurement, Results, Run, read_json, write_json};
use brawn_bench::show::Table;
use brawn_bench::variant::Variant;
use brawn_bench::{Result, bars, demo, libc_page, machine, readme, repository, tables, work};
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "brawn-bench",
    about = "Measures brawn against stock musl, glibc, and mimalloc put into libc.a by hand"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Args)]
struct Places {
    /// Folder for everything that is built, which is emptied: a new or empty one [default: target/bench]
    #[arg(long)]
    work: Option<PathBuf>,
    /// The brawn to patch with [default: the one beside this program]
    #[arg(long)]
    brawn: Option<PathBuf>,
}

impl Places {
    /// The folder that the user named, or one below `target/`, which is the benchmark's own.
    fn work(&self, folder: &str) -> Result<PathBuf> {
        let Some(work) = self.work.clone() else {
            let default = repository().join("target").join(folder);
            return work::mark(&default).map(|()| default);
        };
        work::claim(&work).map(|()| work)
    }

    fn brawn(&self) -> Result<PathBuf> {
        let beside = || std::env::current_exe().map(|own| own.with_file_name("brawn"));
        let path = self.brawn.clone().map_or_else(beside, Ok);
        let path = path.and_then(std::fs::canonicalize);
        path.map_err(|error| format!("brawn: {error}; build it with `cargo build --release -p brawn`, or name it with --brawn"))
    }
}

#[derive(Args)]
struct Part {
    /// Only the measurements whose names begin with one of these
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only these variants: stock, mimalloc2, mimalloc3, glibc, brawn
    #[arg(long, value_delimiter = ',')]
    variants: Vec<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Build what the measurements need, and run nothing
    Build {
        #[command(flatten)]
        part: Part,
        #[command(flatten)]
        places: Places,
    },
    /// Build and run the catalogue; write the raw data
    Run {
        #[command(flatten)]
        part: Part,
        /// Build nothing: run what `build` has left
        #[arg(long)]
        built: bool,
        /// Add the rounds to those that the folder has, instead of replacing them
        #[arg(long)]
        append: bool,
        /// Rounds of each measurement, whatever the catalogue says
        #[arg(long)]
        rounds: Option<usize>,
        /// Short programs and few rounds, to try the machinery
        #[arg(long)]
        quick: bool,
        /// Folder of the raw data [default: bench/results/DATE-CPU; with --only the newest of this CPU]
        #[arg(long)]
        out: Option<PathBuf>,
        #[command(flatten)]
        places: Places,
    },
    /// Print the bars and the figures of a results folder
    Report {
        /// The folder [default: the newest in bench/results]
        folder: Option<PathBuf>,
        /// As Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Rewrite what README.md, docs/benchmarks.md and docs/libc.md show of the newest raw data in bench/results
    Readme,
    /// Run the two benchmark programs against stock musl, patched musl and glibc; print one table
    Demo {
        #[command(flatten)]
        places: Places,
    },
    /// Measure every function of libc that a program can feel, with stock musl, brawn and glibc
    Libc {
        /// Only these families: strings, wide, time, environment, numbers, math, sort, stdio, threads, other, start
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Object files, or folders of them, to link in front of brawn's libc.a
        #[arg(long)]
        objects: Vec<PathBuf>,
        /// The libc.a to patch [default: that of musl-gcc]
        #[arg(long)]
        libc: Option<PathBuf>,
        /// Write no raw data
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Measure whole programs with real jobs, with stock musl, brawn and glibc (tools/acid.sh gets their sources)
    Acid {
        /// Only these programs
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Short jobs, and no raw data: to try the machinery
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// Measure `brawn rewrite` and `brawn run`: time, memory, disk
    Rewrite {
        #[command(flatten)]
        own: Own,
    },
    /// Measure dynamic programs of musl as they are, with `brawn preload`, and against glibc
    Preload {
        #[command(flatten)]
        own: Own,
    },
    /// Measure `brawn patch` of a Swift SDK's bundle of 200 MB against tar
    Bundle {
        #[command(flatten)]
        own: Own,
    },
    /// Try `brawn compare`: a program against itself and against a slower one, and what measuring costs; each round
    /// is a trial
    Compare {
        /// Only these kinds of trials: same, slower, measured, sampled
        #[arg(long, value_delimiter = ',', value_parser = own::compare::KINDS)]
        only: Vec<String>,
        /// Write no raw data
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        own: Own,
    },
    /// List the measurements
    List,
}

#[derive(Args)]
struct Own {
    /// Rounds
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print this raw data again, and measure nothing
    #[arg(long)]
    from: Option<PathBuf>,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    places: Places,
}

type Measured = fn(&Room, usize, &Progress) -> Result<Raw>;

impl Own {
    /// The raw data: read from an earlier run, or measured now. If it is to be kept, `name` is its folder's name.
    fn raw(
        &self,
        name: &str,
        keep: bool,
        measure: impl FnOnce(&Room, usize, &Progress) -> Result<Raw>,
    ) -> Result<Raw> {
        if let Some(path) = &self.from {
            return read_json(path);
        }
        let progress = Progress::new();
        let work = self.places.work(&format!("bench-{name}"))?;
        let room = Room::new(&work, &self.places.brawn()?)?;
        let mut raw = measure(&room, self.rounds.into(), &progress)?;
        progress.finish();
        if keep {
            let path = raw.write(name)?;
            anstream::println!("raw data: {}", path.display());
        }
        Ok(raw)
    }

    fn run(&self, name: &str, measure: Measured, show: fn(&Raw) -> Table) -> Result<()> {
        print(&show(&self.raw(name, true, measure)?), self.markdown);
        Ok(())
    }
}

fn print(table: &Table, markdown: bool) {
    match markdown {
        true => anstream::println!("{}", table.markdown()),
        false => anstream::println!("{}", table.terminal()),
    }
}

fn main() -> ExitCode {
    match execute(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("brawn-bench: {error}");
            ExitCode::FAILURE
        }
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
            let progress = Progress::new();
            let prepared = prepared(&part, &places, built, &progress)?;
            // A part of the measurements is added to the newest folder of this machine, since each table of README
            // comes from one folder.
            let cpu = machine::cpu_slug();
            let joined = || {
                readme::newest(&readme::results_folder()).filter(|folder| {
                    !part.only.is_empty() && folder.to_string_lossy().ends_with(&cpu)
                })
            };
            let default = || {
                joined().unwrap_or_else(|| {
                    readme::results_folder().join(format!("{}-{cpu}", machine::today()))
                })
            };
            run(
                &prepared,
                &chosen(&part.only)?,
                Effort { quick, rounds },
                &out.unwrap_or_else(default),
                append,
                &progress,
            )
        }
        Command::Report { folder, markdown } => {
            let newest =
                || readme::newest(&readme::results_folder()).ok_or("no raw data in bench/results");
            report(&folder.map_or_else(newest, Ok)?, markdown)
        }
        Command::Readme => {
            let changes = readme::rewrite()?.into_iter();
            for (name, is_changed) in changes.chain(libc_page::rewrite()?) {
                let what = if is_changed {
                    "rewritten"
                } else {
                    "up to date"
                };
                anstream::println!("{name}: {what}");
            }
            Ok(())
        }
        Command::Demo { places } => demo::demo(&places.work("demo")?, &places.brawn()?),
        Command::Libc {
            only,
            objects,
            libc,
            quick,
            own,
        } => {
            if let Some(unknown) = only
                .iter()
                .find(|f| !own::libc::FAMILIES.contains(&f.as_str()))
            {
                return Err(format!(
                    "no family {unknown}; there are {}",
                    own::libc::FAMILIES.join(", ")
                ));
            }
            let choice = own::libc::Choice {
                families: only,
                objects: own::libc::objects(&objects)?,
                libc,
            };
            let raw = own.raw("libc", !quick, |room, rounds, progress| {
                own::libc::measure(room, &choice, rounds, progress)
            })?;
            print(&own::libc::show(&raw), own.markdown);
            anstream::print!("{}", own::libc::summary(&raw));
            Ok(())
        }
        Command::Acid { only, quick, own } => {
            let names = || own::acid::PROGRAMS.iter().map(|p| p.name);
            if let Some(unknown) = only.iter().find(|o| !names().any(|name| name == *o)) {
                let names: Vec<&str> = names().collect();
                return Err(format!(
                    "no program {unknown}; there are {}",
                    names.join(", ")
                ));
            }
            let raw = own.raw("acid", !quick, |room, rounds, progress| {
                own::acid::measure(room, &only, rounds, quick, progress)
            })?;
            print(&own::acid::show(&raw), own.markdown);
            Ok(())
        }
        Command::Compare { only, quick, own } => {
            let raw = own.raw("compare", !quick, |room, rounds, progress| {
                own::compare::measure(room, &only, rounds, progress)
            })?;
            print(&own::compare::show(&raw), own.markdown);
            Ok(())
        }
        Command::Rewrite { own } => own.run("rewrite", own::rewrite::measure, own::rewrite::show),
        Command::Preload { own } => own.run("preload", own::preload::measure, own::preload::show),
        Command::Bundle { own } => own.run("bundle", own::bundle::measure, own::bundle::show),
        Command::List => {
            for entry in CATALOGUE {
                anstream::println!("{:16} {:3} rounds  {}", entry.id, entry.rounds, entry.title);
            }
            Ok(())
        }
    }
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
fn prepared(part: &Part, places: &Places, built: bool, progress: &Progress) -> Result<Prepared> {
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

fn run(
    prepared: &Prepared,
    entries: &[&Entry],
    effort: Effort,
    out: &Path,
    append: bool,
    progress: &Progress,
) -> Result<()> {
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
    // New measurements replace or join those in the folder, if they are of the same machine.
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
        let mut measurement = measure(prepared, entry, effort, &mut |_| progress.advance())?;
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
    print(&bars::table(&results));
    print(&tables::times(&results));
    print(&tables::memory(&results));
    print(&tables::programs(
        &results,
        tables::PROGRAMS,
        &Variant::LIBCS,
    ));
    print(&bars::profiles(&results));
    print(&tables::profile_times(&results));
    print(&tables::profile_memory(&results));
    print(&bars::rust(&results));
    print(&tables::programs(&results, tables::RUST, &Variant::RUST));
    print(&bars::wasmtime_compile(&results));
    print(&tables::programs(
        &results,
        tables::WASMTIME,
        &Variant::LINKED,
    ));
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
