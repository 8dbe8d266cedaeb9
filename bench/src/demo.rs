//! The demonstration: stock musl, patched musl and glibc side by side in one table.

use crate::catalogue::{Entry, entry};
use crate::measure::{Effort, measure};
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::raw::{Measurement, Results, Run};
use crate::show::{self, Cell, Row, Table, Tone};
use crate::stats::estimate;
use crate::tables::{self, PROGRAMS};
use crate::variant::Variant;
use crate::{Result, machine, repository};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

const VARIANTS: [Variant; 3] = [Variant::Stock, Variant::Brawn, Variant::Glibc];

/// A program is run again until this much time is over. With many processors, a single run with stock musl takes
/// minutes.
const BUDGET: Duration = Duration::from_secs(40);

/// Builds, runs and prints.
pub fn demo(work: &Path, brawn: &Path) -> Result<()> {
    let progress = Progress::new();
    let entries: Vec<&Entry> = ["seed003", "seed001", "startup", "peak", "size"]
        .into_iter()
        .filter_map(entry)
        .collect();
    let prepared = Prepared::build(work, brawn, &VARIANTS, &entries, &mut |what| {
        progress.step(&format!("building {what}"))
    })?;
    let mut measurements = BTreeMap::new();
    for entry in entries {
        let measurement = measured(&prepared, entry, &progress)?;
        if let Some(failure) = measurement.failures.first() {
            return Err(format!(
                "{} against {}: {}",
                entry.workload,
                failure.variant.title(),
                failure.what
            ));
        }
        measurements.insert(measurement.id.clone(), measurement);
    }
    progress.finish();
    let patched = commands(&prepared);
    let run = Run {
        format: 1,
        date: machine::today(),
        machine: machine::machine(),
        versions: BTreeMap::new(),
        builds: prepared.builds,
    };
    let results = Results { run, measurements };
    anstream::print!(
        "\n{}\n{}\n{}",
        patched,
        table(&results).terminal(),
        words(&results)
    );
    Ok(())
}

fn measured(prepared: &Prepared, entry: &Entry, progress: &Progress) -> Result<Measurement> {
    let most = match entry.id {
        "startup" => 300,
        "size" => 1,
        _ => 7,
    };
    let message = format!("running {}", entry.title);
    progress.steps(&message, VARIANTS.len());
    let begin = Instant::now();
    let measured = |rounds| {
        let tick = &mut |_| progress.advance();
        measure(prepared, entry, Effort::of(rounds), tick)
    };
    let first = measured(1)?;
    let fit = BUDGET.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-6);
    let rounds = (fit as usize).min(most);
    if rounds < 2 || !first.failures.is_empty() {
        return Ok(first);
    }
    // The first round warmed the caches; only the others count.
    progress.steps(&message, VARIANTS.len() * rounds);
    measured(rounds)
}

/// The commands that made the difference, as a user would type them.
fn commands(prepared: &Prepared) -> String {
    let faint = anstyle::Style::new().dimmed();
    let folder = prepared.executable(Variant::Brawn, "lib/");
    let near = |text: &str| text.replace(&folder.display().to_string(), "");
    let mut out = format!("{faint}$ brawn patch libc.a{faint:#}\n");
    for line in near(&prepared.patch_output).lines() {
        out += &format!("{}\n", show::wrap(line, 84).join("\n            "));
    }
    let root = format!("{}/", repository().display());
    let there = folder.display().to_string().replace(&root, "");
    out + &format!("{faint}$ musl-gcc -O2 -static -pthread -L {there} …{faint:#}\n")
}

fn median(results: &Results, id: &str, metric: &str, variant: Variant) -> Option<f64> {
    Some(estimate(&results.measurements.get(id)?.values(variant, metric))?.median)
}

fn table(results: &Results) -> Table {
    let title = |v: &Variant| match v {
        Variant::Stock => Cell::from("stock musl"),
        Variant::Brawn => Cell::new("musl + brawn", Tone::Good),
        _ => Cell::from(v.title()),
    };
    let mut header: Vec<Cell> = vec![Cell::default()];
    header.extend(VARIANTS.iter().map(title));
    header.push("brawn against stock".into());
    let mut rows = Vec::new();
    for (heading, figures) in PROGRAMS {
        rows.push(Row::Heading((*heading).to_owned()));
        for (name, id, metric, show) in *figures {
            let of = |v: Variant| median(results, id, metric, v);
            let mut cells: Vec<Cell> = vec![Cell::from(format!("  {name}"))];
            for variant in VARIANTS {
                let cell = |value| Cell::new(show(value), tables::tone(variant));
                cells.push(Cell::or_dash(of(variant).map(cell)));
            }
            let both = of(Variant::Brawn).zip(of(Variant::Stock));
            let against = both.map(|(brawn, stock)| against(metric, brawn, stock));
            cells.push(against.map_or(Cell::default(), |text| Cell::new(text, Tone::Faint)));
            rows.push(Row::Cells(cells));
        }
    }
    Table { header, rows }
}

/// The text of the last column: a ratio for speeds, a difference for counts.
fn against(metric: &str, brawn: f64, stock: f64) -> String {
    let signed = |text: String| show::signed(brawn - stock, text);
    match metric {
        "wall_ns" => faster(stock / brawn),
        "per_second" => show::ratio(brawn / stock),
        "voluntary" if brawn < stock => format!("{} fewer", show::grouped(stock - brawn)),
        "voluntary" => format!("{} more", show::grouped(brawn - stock)),
        "file_bytes" => signed(show::memory((brawn - stock) / 1024.0)),
        _ => signed(show::memory(brawn - stock)),
    }
}

fn faster(ratio: f64) -> String {
    match ratio {
        r if r >= 1.05 => format!("{} as fast", show::ratio(r)),
        r if r > 0.95 => "the same".to_owned(),
        r => format!("{} the time", show::ratio(1.0 / r)),
    }
}

/// Explains the table in plain words.
fn words(results: &Results) -> String {
    let bold = anstyle::Style::new().bold();
    let of =
        |id: &str, metric: &str, v: Variant| median(results, id, metric, v).unwrap_or(f64::NAN);
    let time = |id: &str, v: Variant| show::time(of(id, "wall_ns", v));
    let speed = |id: &str| of(id, "wall_ns", Variant::Stock) / of(id, "wall_ns", Variant::Brawn);
    let switches = |v: Variant| show::grouped(of("seed003", "voluntary", v));
    let growth =
        |id: &str, metric: &str| of(id, metric, Variant::Brawn) - of(id, metric, Variant::Stock);
    format!(
        "{bold}What this shows.{bold:#} The same C programs were linked with three libcs; between the first two\n\
         columns only `brawn patch` on a copy of libc.a makes the difference.  The growing vectors take\n\
         {} instead of {} ({} with glibc): {} as fast as stock musl; the small ones {}.\n\
         Threads wait for each other's heap lock in stock musl ({} voluntary context switches,\n\
         {} after the patch).  What it costs a program that allocates once: {} of memory,\n\
         {} of executable, and a start-up of {} instead of {} ({} with glibc).\n",
        time("seed003", Variant::Brawn),
        time("seed003", Variant::Stock),
        time("seed003", Variant::Glibc),
        show::ratio(speed("seed003")),
        show::ratio(speed("seed001")),
        switches(Variant::Stock),
        switches(Variant::Brawn),
        show::memory(growth("peak", "hwm_kb")),
        show::memory(growth("size", "file_bytes") / 1024.0),
        time("startup", Variant::Brawn),
        time("startup", Variant::Stock),
        time("startup", Variant::Glibc),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_in_the_metric_s_own_words() {
        assert_eq!(against("wall_ns", 1.0, 49.0), "49.0x as fast");
        assert_eq!(against("wall_ns", 1.02, 1.0), "the same");
        assert_eq!(against("wall_ns", 1.5, 1.0), "1.50x the time");
        assert_eq!(against("voluntary", 4.0, 312_208.0), "312,204 fewer");
        assert_eq!(against("hwm_kb", 100.0, 40.0), "+60 KiB");
    }
}
