//! Measures the catalogue in rounds. Each round runs every variant once, in a random order.

use crate::catalogue::{Entry, Kind, QUICK_ROUNDS};
use crate::link::copy_writable;
use crate::prepare::Prepared;
use crate::raw::{Failure, Measurement};
use crate::traced::INTERVAL;
use crate::variant::Variant;
use crate::work::{remove, renew};
use crate::{Result, context, file_size, machine};
use brawn_lab::build::checked;
use brawn_lab::process::parent::Sample;
use brawn_lab::run::rounds::{Order, Request};
use brawn_lab::run::schedule;
use object::{Object, ObjectSection, SectionFlags};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

/// How much to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Short arguments and few rounds.
    pub quick: bool,
    /// The number of rounds, instead of the catalogue's.
    pub rounds: Option<usize>,
}

impl Effort {
    /// So many rounds of everything.
    pub(crate) const fn of(rounds: usize) -> Self {
        Self {
            quick: false,
            rounds: Some(rounds),
        }
    }

    /// The number of rounds of an entry.
    pub fn rounds(self, entry: &Entry) -> usize {
        let usual = if self.quick {
            QUICK_ROUNDS.min(entry.rounds)
        } else {
            entry.rounds
        };
        self.rounds.unwrap_or(usual).max(1)
    }

    fn arguments(self, entry: &Entry) -> Vec<&'static str> {
        let all = if self.quick {
            entry.quick
        } else {
            entry.arguments
        };
        all.split_whitespace().collect()
    }
}

/// Measures one entry.  `tick` is called after each run.
pub fn measure(
    prepared: &Prepared,
    entry: &Entry,
    effort: Effort,
    tick: &mut dyn FnMut(Variant),
) -> Result<Measurement> {
    let before = machine::load();
    let rounds = effort.rounds(entry);
    let arguments = effort.arguments(entry);
    let asked = prepared.variants.iter().copied();
    let variants: Vec<Variant> = asked.filter(|v| entry.variants.contains(v)).collect();
    if entry.kind == Kind::Patch && !variants.is_empty() {
        large_archive(prepared)?;
    }
    let seed = schedule::seed();
    let mut measurement = Measurement {
        id: entry.id.to_owned(),
        date: Some(machine::today()),
        command: [&[entry.workload], &arguments[..]].concat().join(" "),
        load: [before, before],
        seed,
        ..Measurement::default()
    };
    if entry.kind == Kind::Patch {
        measurement.command = "brawn patch libc.a".to_owned();
    }
    let request = Request {
        rounds,
        things: &[entry],
        sides: &variants,
        order: Order::Sides,
        seed,
    };
    measurement.order.resize(rounds, Vec::new());
    for turn in request.turns() {
        let (round, variant) = (turn.round, *turn.side);
        match one(prepared, entry, &arguments, variant) {
            Ok(sample) => record(&mut measurement, variant, round, sample),
            Err(what) => measurement.failures.push(Failure {
                variant,
                round,
                what,
            }),
        }
        measurement.order[round].push(variant);
        tick(variant);
    }
    // Every list has one place for each round, so that values of one round have the same index.
    for values in measurement
        .samples
        .values_mut()
        .flat_map(BTreeMap::values_mut)
    {
        values.resize(rounds, None);
    }
    measurement.load[1] = machine::load();
    Ok(measurement)
}

fn record(measurement: &mut Measurement, variant: Variant, round: usize, sample: Sample) {
    let metrics = measurement.samples.entry(variant).or_default();
    for (name, value) in sample {
        // The status is 0 in every sample that is kept.
        if name != "status" {
            let values = metrics.entry(name).or_default();
            values.resize(round, None);
            values.push(Some(value));
        }
    }
}

fn one(prepared: &Prepared, entry: &Entry, arguments: &[&str], variant: Variant) -> Result<Sample> {
    let executable = prepared.executable(variant, entry.workload);
    match entry.kind {
        Kind::Run => {
            let work = prepared.work.to_string_lossy();
            let arguments: Vec<_> = arguments
                .iter()
                .map(|a| a.replace("$WORK", &work))
                .collect();
            run(prepared, variant, &executable, &arguments)
        }
        Kind::Peak => prepared.launcher.run(&executable, arguments, true, &[]),
        Kind::Size => size(&executable),
        Kind::Patch => patch(prepared),
    }
}

/// Runs a program, which records its heap if that is what `variant` is.
fn run(
    prepared: &Prepared,
    variant: Variant,
    executable: &Path,
    arguments: &[String],
) -> Result<Sample> {
    let launcher = &prepared.launcher;
    if variant != Variant::Recording {
        return launcher.run(executable, arguments, false, &[]);
    }
    let recording = prepared.work.join("heap-profile");
    // The program would add to a recording that is there already.
    remove(&recording)?;
    let options = format!(
        "heap_interval={INTERVAL},heap_profile={}",
        recording.display()
    );
    let variables = [("BRAWN_OPTIONS", Path::new(&options))];
    let mut sample = launcher.run(executable, arguments, false, &variables)?;
    // Without one, what was timed is not what the table says.
    let read = brawn_sample::heap::Recording::read(&recording).map_err(|e| e.to_string())?;
    let taken = read.events.iter().filter(|event| event.taken.is_some());
    sample.insert("samples".to_owned(), taken.count() as f64);
    sample.insert("lost".to_owned(), read.lost as f64);
    let bytes = context(fs::metadata(&recording), "look at", &recording)?.blocks() * 512;
    sample.insert("recorded_bytes".to_owned(), bytes as f64);
    Ok(sample)
}

/// The size of the file, and the sizes of everything that is loaded from a stripped executable, by kind.
pub fn size(executable: &Path) -> Result<Sample> {
    let stripped = executable.with_extension("stripped");
    checked(
        Command::new("strip")
            .arg("-o")
            .arg(&stripped)
            .arg(executable),
    )?;
    let bytes = context(fs::read(&stripped), "read", &stripped)?;
    let file = object::File::parse(bytes.as_slice())
        .map_err(|error| format!("{}: {error}", stripped.display()))?;
    let (mut text, mut data, mut bss) = (0, 0, 0);
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, sh_type } = section.flags() else {
            continue;
        };
        if !sh_flags.contains(object::elf::SHF_ALLOC) {
            continue;
        }
        if sh_type == object::elf::SHT_NOBITS {
            bss += section.size();
        } else if sh_flags.contains(object::elf::SHF_WRITE) {
            data += section.size();
        } else {
            text += section.size();
        }
    }
    let figures = [
        ("text_bytes", text),
        ("data_bytes", data),
        ("loaded_bytes", text + data),
        ("bss_bytes", bss),
        ("file_bytes", bytes.len() as u64),
    ];
    Ok(figures
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value as f64))
        .collect())
}

/// Bytes of the archive that `brawn patch` is timed with.
const LARGE: u64 = 8_000_000;

/// The distribution's archive, with members added until it has 8 MB. Archives with debugging information have this
/// size; each added member has 200 functions and 50 KB of data.
fn large_archive(prepared: &Prepared) -> Result<()> {
    let folder = prepared.work.join("large");
    context(fs::create_dir_all(&folder), "create", &folder)?;
    let archive = folder.join("libc.a");
    copy_writable(&prepared.libc, &archive)?;
    for block in 0.. {
        if file_size(&archive)? >= LARGE {
            break;
        }
        let mut members = Vec::new();
        for member in 0..8 {
            let name = format!("filler_{block}_{member}");
            let mut text = String::new();
            for function in 0..200 {
                text += &format!(
                    ".globl {name}_{function}\n.type {name}_{function}, @function\n{name}_{function}: ret\n"
                );
            }
            text += ".data\n.fill 12500, 4, 0x5eed\n.section .note.GNU-stack,\"\",@progbits\n";
            let source = folder.join(format!("{name}.s"));
            context(fs::write(&source, text), "write", &source)?;
            let object = source.with_extension("lo");
            checked(Command::new("as").arg("-o").arg(&object).arg(&source))?;
            members.push(object);
        }
        checked(Command::new("ar").arg("q").arg(&archive).args(&members))?;
    }
    Ok(())
}

fn patch(prepared: &Prepared) -> Result<Sample> {
    let original = prepared.work.join("large/libc.a");
    let folder = prepared.work.join("large/patched");
    renew(&folder)?;
    let archive = folder.join("libc.a");
    copy_writable(&original, &archive)?;
    let arguments = ["patch".as_ref(), archive.as_os_str()];
    let launcher = &prepared.launcher;
    let mut sample = launcher.run(&prepared.brawn, &arguments, false, &[])?;
    let (before, after) = (fs::read(&original), fs::read(&archive));
    if context(before, "read", &original)? == context(after, "read", &archive)? {
        return Err("brawn patch changed nothing".to_owned());
    }
    let bytes = file_size(&original)? as f64;
    sample.insert("archive_bytes".to_owned(), bytes);
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_round_leaves_a_gap() {
        let mut m = Measurement::empty("m");
        let sample = |value| Sample::from([("ns".to_owned(), value), ("status".to_owned(), 0.0)]);
        record(&mut m, Variant::Brawn, 0, sample(1.0));
        record(&mut m, Variant::Brawn, 2, sample(3.0));
        assert_eq!(
            m.samples[&Variant::Brawn]["ns"],
            [Some(1.0), None, Some(3.0)]
        );
        assert!(!m.samples[&Variant::Brawn].contains_key("status"));
    }
}
