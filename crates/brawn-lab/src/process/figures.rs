//! What is measured of one run.

use serde::{Deserialize, Serialize};

/// The figures of one run of a whole process tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// From just before `execve` to the end of the program's own process, in nanoseconds.
    pub wall_ns: u64,
    /// Processor time of all processes in their own code.
    pub user_ns: u64,
    /// Processor time of all processes in the kernel.
    pub system_ns: u64,
    /// The largest memory of one process in the tree, in bytes.
    pub peak_rss: u64,
    /// Whether this is only an upper limit: the kernel counts too coarsely for so little, or has also counted a copy of
    /// brawn before `execve`.
    #[serde(default)]
    pub is_peak_bound: bool,
    /// Faults that needed no disk.
    pub minor_faults: u64,
    /// Faults that waited for the disk.
    pub major_faults: u64,
    /// How often a process waited.
    pub voluntary: u64,
    /// How often a process lost its processor to another.
    pub involuntary: u64,
    /// Processes that were still there when the program ended; they were ended.
    #[serde(default)]
    pub left_behind: u32,
    /// From the processor's counters, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// As above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// As above: accesses that missed all caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_misses: Option<u64>,
    /// As above: mispredicted branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_misses: Option<u64>,
}

/// One figure: its name, its unit, and its field.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Its name in files.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// `ns`, `bytes` or nothing for counts.
    pub unit: &'static str,
    /// Takes it out of a run's.
    pub of: fn(&Figures) -> Option<f64>,
}

impl std::fmt::Debug for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn metric(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    of: fn(&Figures) -> Option<f64>,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        of,
    }
}

const fn count(name: &'static str, title: &'static str, of: fn(&Figures) -> Option<f64>) -> Metric {
    metric(name, title, "", of)
}

/// The time from start to end.
pub const WALL: Metric = metric("wall_ns", "time", "ns", |f| Some(f.wall_ns as f64));
/// The time that processors worked.
pub const CPU: Metric = metric("cpu_ns", "processor time", "ns", |f| {
    Some((f.user_ns + f.system_ns) as f64)
});
/// The most memory of one process.
pub const PEAK: Metric = metric("peak_rss", "peak memory", "bytes", |f| {
    (!f.is_peak_bound).then_some(f.peak_rss as f64)
});

/// All of them, in the order of tables.
pub const METRICS: [Metric; 13] = [
    WALL,
    CPU,
    metric("user_ns", "user", "ns", |f| Some(f.user_ns as f64)),
    metric("system_ns", "system", "ns", |f| Some(f.system_ns as f64)),
    PEAK,
    count("minor_faults", "page faults", |f| {
        Some(f.minor_faults as f64)
    }),
    count("major_faults", "faults from disk", |f| {
        Some(f.major_faults as f64)
    }),
    count("voluntary", "waits", |f| Some(f.voluntary as f64)),
    count("involuntary", "lost its processor", |f| {
        Some(f.involuntary as f64)
    }),
    count("instructions", "instructions", |f| {
        f.instructions.map(|n| n as f64)
    }),
    count("cycles", "cycles", |f| f.cycles.map(|n| n as f64)),
    count("cache_misses", "cache misses", |f| {
        f.cache_misses.map(|n| n as f64)
    }),
    count("branch_misses", "branch misses", |f| {
        f.branch_misses.map(|n| n as f64)
    }),
];
