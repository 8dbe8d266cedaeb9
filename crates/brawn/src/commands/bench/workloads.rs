//! The programs and their arguments.

/// Every source file of theirs, by its name.
pub const FILES: [(&str, &str); 9] = [
    ("workload.h", include_str!("../../../workloads/workload.h")),
    ("maps.h", include_str!("../../../workloads/maps.h")),
    ("threads.c", include_str!("../../../workloads/threads.c")),
    ("server.c", include_str!("../../../workloads/server.c")),
    ("realloc.c", include_str!("../../../workloads/realloc.c")),
    ("huge.c", include_str!("../../../workloads/huge.c")),
    ("bignum.c", include_str!("../../../workloads/bignum.c")),
    ("bytes.c", include_str!("../../../workloads/bytes.c")),
    (ONCE_FILE, include_str!("../../../workloads/once.c")),
];

/// The name of [`ONCE`]'s source.
const ONCE_FILE: &str = "once.c";
/// The smallest program.
pub const ONCE: &str = "once";

/// One measurement. `--list --json` has its name and its title.
#[derive(Debug, serde::Serialize)]
pub struct Workload {
    /// As `--only` has it.
    pub name: String,
    /// What it does, for people.
    pub title: String,
    /// Its source, without `.c`.
    #[serde(skip)]
    pub source: &'static str,
    /// Its arguments.
    #[serde(skip)]
    pub arguments: Vec<String>,
    /// The same with `--quick`.
    #[serde(skip)]
    pub quick: Vec<String>,
}

fn workload(name: &str, title: &str, source: &'static str, long: u64, short: u64) -> Workload {
    Workload {
        name: name.to_owned(),
        title: title.to_owned(),
        source,
        arguments: vec![long.to_string()],
        quick: vec![short.to_string()],
    }
}

/// The numbers of threads to try with this many processors: 1, 2, 4 … and the number of processors.
fn threads(processors: usize) -> Vec<usize> {
    let mut all: Vec<usize> = std::iter::successors(Some(1), |n| Some(n * 2))
        .take_while(|n| *n < processors)
        .collect();
    // The programs themselves stop at 1024.
    all.push(processors.clamp(1, 1024));
    all.retain(|n| *n <= 1024);
    all.dedup();
    all
}

/// All of them, for this many processors.
pub fn all(processors: usize) -> Vec<Workload> {
    let mut all = Vec::new();
    let counts = threads(processors);
    let most = counts.last().copied().unwrap_or(1);
    for count in counts {
        // The same work for any number of threads, so that it takes no longer with many.
        let told = |pairs: usize| vec![count.to_string(), (pairs / count).to_string()];
        let s = if count == 1 { "" } else { "s" };
        all.push(Workload {
            name: format!("threads-{count}"),
            title: format!("malloc and free of 1–1000 B, {count} thread{s}"),
            source: "threads",
            arguments: told(1_000_000),
            quick: told(200_000),
        });
    }
    let told = |rounds: usize| vec![most.to_string(), rounds.div_ceil(most).to_string()];
    all.push(Workload {
        name: "server".into(),
        title: "server tables that move on to new threads".into(),
        source: "server",
        arguments: told(50),
        quick: told(12),
    });
    let small = "short-lived numbers of 16–64 B";
    let large = "buffers of 256 KiB–8 MiB";
    all.push(workload("small", small, "bignum", 1_000_000, 200_000));
    all.push(workload(
        "growth",
        "growing vectors up to 1 MiB",
        "realloc",
        1000,
        300,
    ));
    all.push(workload("large", large, "huge", 100, 30));
    let bytes = "memcpy, memset, strlen … of 1–4096 B";
    all.push(workload("bytes", bytes, "bytes", 1_000_000, 300_000));
    all.push(Workload {
        name: "startup".into(),
        title: "a program that allocates once".into(),
        source: ONCE,
        arguments: Vec::new(),
        quick: Vec::new(),
    });
    all
}

#[cfg(test)]
mod tests;
