//! The raw data: everything that a report needs. There is one JSON file for each measurement, and `run.json`.

use crate::variant::Variant;
use crate::{Result, context};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Where the measurements were made, and with which tools: `run.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// Version of this format.
    pub format: u32,
    /// The day on which it began, in UTC.
    pub date: String,
    /// The machine.
    pub machine: BTreeMap<String, String>,
    /// Compilers, linkers, libcs, and the engines of the heaps.
    pub versions: BTreeMap<String, String>,
    /// The command that built each executable.
    pub builds: Vec<Build>,
}

impl Run {
    /// Adds entries of an earlier run on this machine that this run does not have.
    pub fn join(&mut self, earlier: Self) {
        self.date = earlier.date;
        for (name, version) in earlier.versions {
            self.versions.entry(name).or_insert(version);
        }
        Build::join(&mut self.builds, earlier.builds);
    }
}

/// One executable and how it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Build {
    /// The libc or heap that it is linked with.
    pub variant: Variant,
    /// The workload's name.
    pub workload: String,
    /// The command, with `$WORK` for the work directory; other paths start at the repository's root.
    pub command: String,
}

impl Build {
    /// Adds builds of `earlier` that were not made again.
    pub(crate) fn join(builds: &mut Vec<Self>, earlier: Vec<Self>) {
        for build in earlier {
            let same = |own: &Self| own.variant == build.variant && own.workload == build.workload;
            if !builds.iter().any(same) {
                builds.push(build);
            }
        }
    }
}

/// One measurement of every variant: `ID.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// The name in the catalogue.
    pub id: String,
    /// The day on which it was made, in UTC; if absent, the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The command that is run.
    pub command: String,
    /// Load averages over one minute, before and after: they show what else the machine did. If rounds were added
    /// later, the largest values.
    pub load: [f64; 2],
    /// The seed for the order of the first rounds.
    pub seed: u64,
    /// The order within each round.
    pub order: Vec<Vec<Variant>>,
    /// For each variant and metric, one value per round; null if the run failed.
    pub samples: BTreeMap<Variant, BTreeMap<String, Vec<Option<f64>>>>,
    /// What failed.
    pub failures: Vec<Failure>,
}

/// A run without a figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// Which variant.
    pub variant: Variant,
    /// The round, counted from zero.
    pub round: usize,
    /// What happened.
    pub what: String,
}

impl Measurement {
    /// The values of a metric by round; NaN if there is none.
    pub fn values(&self, variant: Variant, metric: &str) -> Vec<f64> {
        self.samples
            .get(&variant)
            .and_then(|metrics| metrics.get(metric))
            .map(|values| values.iter().map(|v| v.unwrap_or(f64::NAN)).collect())
            .unwrap_or_default()
    }

    /// Adds the rounds of a later run of the same command.
    pub fn append(&mut self, later: Self) -> Result<()> {
        if self.command != later.command {
            return Err(format!(
                "{}: rounds of `{}` cannot be added to those of `{}`",
                self.id, later.command, self.command
            ));
        }
        let before = self.order.len();
        for (variant, metrics) in later.samples {
            let own = self.samples.entry(variant).or_default();
            for (name, values) in metrics {
                let own = own.entry(name).or_default();
                own.resize(before, None);
                own.extend(values);
            }
        }
        self.order.extend(later.order);
        // Metrics that only the earlier rounds have get gaps in the later ones.
        let metrics = self.samples.values_mut().flat_map(BTreeMap::values_mut);
        metrics.for_each(|values| values.resize(self.order.len(), None));
        let failures = later.failures.into_iter().map(|failure| Failure {
            round: before + failure.round,
            ..failure
        });
        self.failures.extend(failures);
        self.date = later.date;
        self.load = [0, 1].map(|i| self.load[i].max(later.load[i]));
        Ok(())
    }
}

/// A directory of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// `run.json`.
    pub run: Run,
    /// The measurements by their names.
    pub measurements: BTreeMap<String, Measurement>,
}

impl Results {
    /// Reads a directory.
    pub fn read(folder: &Path) -> Result<Self> {
        let run = read_json(&folder.join("run.json"))?;
        let mut measurements = BTreeMap::new();
        for entry in context(fs::read_dir(folder), "list", folder)? {
            let path = context(entry, "list", folder)?.path();
            let is_json = path.extension().is_some_and(|e| e == "json");
            if is_json && path.file_name().is_some_and(|n| n != "run.json") {
                let measurement: Measurement = read_json(&path)?;
                measurements.insert(measurement.id.clone(), measurement);
            }
        }
        Ok(Self { run, measurements })
    }
}

/// Reads one JSON file.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = context(fs::read_to_string(path), "read", path)?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes one JSON file. Each list of numbers is on one line, so that people can read changes.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let pretty = serde_json::to_string_pretty(value)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    context(
        fs::write(path, join_scalar_lists(&pretty) + "\n"),
        "write",
        path,
    )
}

/// Puts each list that contains no lists or objects on one line.
fn join_scalar_lists(pretty: &str) -> String {
    let lines: Vec<&str> = pretty.lines().collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let end = line.ends_with('[').then(|| {
            let length = lines[at + 1..].iter().position(|l| {
                l.ends_with(['[', '{', ']', '}']) || l.ends_with("],") || l.ends_with("},")
            });
            length.map(|n| at + 1 + n)
        });
        match end.flatten() {
            Some(end) if lines[end].trim_start().starts_with(']') => {
                let items: Vec<&str> = lines[at + 1..end].iter().map(|l| l.trim()).collect();
                out.push(format!(
                    "{line}{}{}",
                    items.join(" "),
                    lines[end].trim_start()
                ));
                at = end + 1;
            }
            _ => {
                out.push(line.to_owned());
                at += 1;
            }
        }
    }
    out.join("\n")
}

#[cfg(test)]
impl Measurement {
    /// A measurement without rounds, for tests.
    pub fn empty(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
impl Results {
    /// Results of one day on no machine, for tests.
    pub fn of(date: &str, measurements: impl IntoIterator<Item = Measurement>) -> Self {
        let measurements = measurements.into_iter().map(|m| (m.id.clone(), m));
        Self {
            run: Run {
                format: 1,
                date: date.to_owned(),
                ..Run::default()
            },
            measurements: measurements.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
