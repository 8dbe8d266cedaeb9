//! The processor's own counters (perf_event_open(2)), where the kernel gives them.

use crate::process::event::{
    self, DISABLED, ENABLE_ON_EXEC, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, Event, INHERIT,
};
use crate::process::figures::Figures;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read as _};

/// Whether runs are counted, and if not, why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Availability {
    /// Whether they are.
    pub available: bool,
    /// Whether the kernel's work is counted, too.
    pub with_kernel: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `PERF_TYPE_HARDWARE`.
const HARDWARE: u32 = 0;
/// `PERF_FORMAT_TOTAL_TIME_ENABLED` and `…_RUNNING`.
const TIMES: u64 = 1 | 2;

/// `PERF_COUNT_HW_…`, and where its number goes.
const EVENTS: [(u64, Field); 4] = [
    (1, |f| &mut f.instructions),
    (0, |f| &mut f.cycles),
    (3, |f| &mut f.cache_misses),
    (5, |f| &mut f.branch_misses),
];

type Field = fn(&mut Figures) -> &mut Option<u64>;

/// Open counters of one process and everything that it starts.
#[derive(Debug, Default)]
pub struct Counters(Vec<(usize, File)>);

impl Counters {
    /// Counters that begin when `process` calls `execve`.
    pub fn open(process: libc::pid_t, availability: &Availability) -> Self {
        if !availability.available {
            return Self::default();
        }
        let open = |(number, (event, _)): (usize, &(u64, Field))| {
            Some((
                number,
                open(*event, process, availability.with_kernel).ok()?,
            ))
        };
        Self(EVENTS.iter().enumerate().filter_map(open).collect())
    }

    /// Puts what was counted into `figures`.
    pub fn read(self, figures: &mut Figures) {
        for (number, mut file) in self.0 {
            let mut bytes = [0; 24];
            if file.read_exact(&mut bytes).is_err() {
                continue;
            }
            let word = |at: usize| {
                let mut word = [0; 8];
                word.copy_from_slice(&bytes[at * 8..][..8]);
                u64::from_ne_bytes(word)
            };
            let (count, enabled, running) = (word(0), word(1), word(2));
            // There are fewer counters than events, so the kernel counts them in turns.
            if running > 0 {
                let share = enabled as f64 / running as f64;
                *EVENTS[number].1(figures) = Some((count as f64 * share) as u64);
            }
        }
    }
}

/// Looks whether instructions can be counted.
pub fn look() -> Availability {
    let mut reason = None;
    for with_kernel in [true, false] {
        match open(EVENTS[0].0, 0, with_kernel) {
            Ok(_) => {
                return Availability {
                    available: true,
                    with_kernel,
                    reason: None,
                };
            }
            Err(error) => reason = Some(why(&error)),
        }
    }
    Availability {
        reason,
        ..Availability::default()
    }
}

fn why(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "the kernel has no counters of this processor, as in most virtual machines".into()
        }
        Some(libc::EACCES | libc::EPERM) => {
            let path = "/proc/sys/kernel/perf_event_paranoid";
            let level = std::fs::read_to_string(path).unwrap_or_default();
            format!("the kernel does not allow it ({path} is {})", level.trim())
        }
        Some(libc::ENOSYS) => "the kernel, or a container's filter, has no perf_event_open".into(),
        _ => format!("perf_event_open: {error}"),
    }
}

fn open(config: u64, process: libc::pid_t, with_kernel: bool) -> io::Result<File> {
    let hidden = if with_kernel { 0 } else { EXCLUDE_KERNEL };
    let event = Event {
        kind: HARDWARE,
        config,
        read: TIMES,
        flags: DISABLED | INHERIT | ENABLE_ON_EXEC | EXCLUDE_HYPERVISOR | hidden,
        ..Event::default()
    };
    let any_processor = -1;
    event::open(event, process, any_processor).map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_counters_or_a_reason() {
        let found = look();
        assert_eq!(found.available, found.reason.is_none(), "{found:?}");
    }
}
