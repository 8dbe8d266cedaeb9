//! The processes below this one, and how much memory they have.

use std::fs;

/// Every process below `process`.  It is the kernel's list of the moment; a process may come or go meanwhile.
pub fn below(process: libc::pid_t) -> Vec<libc::pid_t> {
    let mut found: Vec<libc::pid_t> = children(process);
    let mut at = 0;
    while let Some(process) = found.get(at) {
        found.extend(children(*process));
        at += 1;
    }
    found
}

/// What the threads of `process` have started and not waited for.
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
    /// Pages that they have, each as often as it is mapped.
    pub rss: u64,
    /// Pages that they have, shared ones by the number of those that share them.
    pub pss: u64,
}

impl Memory {
    /// That of `process` and all below it.
    pub fn of_tree(process: libc::pid_t) -> Self {
        let mut sum = Self::default();
        for process in [process].into_iter().chain(below(process)) {
            let Ok(text) = fs::read_to_string(format!("/proc/{process}/smaps_rollup")) else {
                continue;
            };
            let field = |name: &str| -> u64 {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
                kib.unwrap_or(0) * 1024
            };
            sum.rss += field("Rss:");
            sum.pss += field("Pss:");
        }
        sum
    }
}
