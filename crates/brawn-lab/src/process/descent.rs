//! The processes below this one, and how much memory they have.

use super::kernel::Fields;
use std::fs;

/// Every process below `process`.  The list comes from the kernel and may be outdated at once: processes may start and
/// end meanwhile.
pub fn below(process: libc::pid_t) -> Vec<libc::pid_t> {
    let mut found: Vec<libc::pid_t> = children(process);
    let mut at = 0;
    while let Some(process) = found.get(at) {
        found.extend(children(*process));
        at += 1;
    }
    found
}

/// The processes that threads of `process` have started and not waited for.
fn children(process: libc::pid_t) -> Vec<libc::pid_t> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .map(|t| fs::read_to_string(t.path().join("children")));
    let numbers = |list: String| -> Vec<libc::pid_t> {
        list.split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect()
    };
    lists.flatten().flat_map(numbers).collect()
}

/// Memory of processes, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Their pages; a page counts once for each process that maps it.
    pub rss: u64,
    /// Their pages; a shared page is divided by the number of processes that share it.
    pub pss: u64,
}

impl Memory {
    /// That of `process` and all below it.
    pub fn of_tree(process: libc::pid_t) -> Self {
        let mut sum = Self::default();
        for process in [process].into_iter().chain(below(process)) {
            let Ok(fields) = Fields::of(process.cast_unsigned(), "smaps_rollup") else {
                continue;
            };
            let bytes = |name: &str| fields.kib(name).unwrap_or(0) * 1024;
            sum.rss += bytes("Rss:");
            sum.pss += bytes("Pss:");
        }
        sum
    }
}
