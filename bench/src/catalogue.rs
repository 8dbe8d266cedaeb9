//! What is measured: the workloads, their arguments, and the number of rounds.

mod heaps;

use crate::variant::Variant;

/// How one measurement is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Run the program and measure the process.
    Run,
    /// Run the program, and stop it at its exit to read its peak memory.
    Peak,
    /// Look at the stripped executable.
    Size,
    /// Time `brawn patch` on a large archive.
    Patch,
}

/// A measurement.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line and in the raw data.
    pub id: &'static str,
    /// The workload's source file without its extension.
    pub workload: &'static str,
    /// The program's arguments.
    pub arguments: &'static [&'static str],
    /// Its arguments with `--quick`.
    pub quick: &'static [&'static str],
    /// The number of rounds, unless the command line gives another.
    pub rounds: usize,
    /// How it is measured.
    pub kind: Kind,
    /// Its title in the tables.
    pub title: &'static str,
    /// The variants that are compared.
    pub variants: &'static [Variant],
}

/// The rounds of a quick run, which only shows that everything works.
pub const QUICK_ROUNDS: usize = 3;

const fn run(
    id: &'static str,
    workload: &'static str,
    arguments: &'static [&'static str],
    quick: &'static [&'static str],
    rounds: usize,
    title: &'static str,
) -> Entry {
    Entry {
        id,
        workload,
        arguments,
        quick,
        rounds,
        kind: Kind::Run,
        title,
        variants: &Variant::LIBCS,
    }
}

/// A program with every variant, for a module that runs it itself.
pub(crate) const fn by_itself(workload: &'static str, title: &'static str) -> Entry {
    Entry {
        variants: &Variant::ALL,
        ..run(workload, workload, &[], &[], 1, title)
    }
}

/// The same workload for brawn's profiles.
const fn profiles(id: &'static str, of: Entry) -> Entry {
    Entry {
        id,
        variants: &Variant::PROFILES,
        rounds: if of.rounds > 11 { 11 } else { of.rounds },
        ..of
    }
}

/// The same workload for profile `trace`, recording and not.
const fn traced(id: &'static str, of: Entry) -> Entry {
    Entry {
        variants: &Variant::TRACED,
        ..profiles(id, of)
    }
}

const THREADS_1: Entry = run(
    "threads-1",
    "threads",
    &["1", "2000000", "random"],
    &["1", "500000", "random"],
    21,
    "1–1000 B, 1 thread",
);
const THREADS_2: Entry = run(
    "threads-2",
    "threads",
    &["2", "1000000", "random"],
    &["2", "200000", "random"],
    21,
    "1–1000 B, 2 threads",
);
const THREADS_8: Entry = run(
    "threads-8",
    "threads",
    &["8", "250000", "random"],
    &["8", "50000", "random"],
    21,
    "1–1000 B, 8 threads",
);
const THREADS_32: Entry = run(
    "threads-32",
    "threads",
    &["32", "62500", "random"],
    &["32", "12500", "random"],
    21,
    "1–1000 B, 32 threads",
);
const SEED003: Entry = run(
    "seed003",
    "seed003",
    &[],
    &[],
    9,
    "filled vectors of 0–100,000 B, a thread per processor",
);
const SEED001: Entry = run(
    "seed001",
    "seed001",
    &[],
    &[],
    15,
    "filled vectors of 1–1000 B, a thread per processor",
);
const STRESS: Entry = run(
    "stress",
    "stress",
    &["20"],
    &["2"],
    5,
    "mixed stress, 16 B–1 MiB, blocks passed between 2 threads",
);
const SERVER_2: Entry = run(
    "server-2",
    "server",
    &["2", "100"],
    &["2", "25"],
    11,
    "server tables that move on to new threads, 2 workers",
);
const REALLOC: Entry = run(
    "realloc",
    "realloc",
    &["3000"],
    &["1000"],
    11,
    "growing vectors up to 1 MiB",
);
const HUGE: Entry = run(
    "huge",
    "huge",
    &["400"],
    &["100"],
    11,
    "buffers of 256 KiB–8 MiB, every page written",
);

/// A published Rust program, unchanged.
const fn rust(id: &'static str, rounds: usize, title: &'static str) -> Entry {
    Entry {
        variants: &Variant::RUST,
        ..run(id, id, &[], &[], rounds, title)
    }
}

/// `wasmtime compile` of the module that `bench/wasmtime.sh` gets.
const fn wasmtime(
    id: &'static str,
    arguments: &'static [&'static str],
    title: &'static str,
) -> Entry {
    Entry {
        variants: &Variant::LINKED,
        ..run(id, WASMTIME, arguments, arguments, 9, title)
    }
}

/// This program takes long to build, so it is only measured if `--only` names it.
pub const WASMTIME: &str = "wasmtime";

/// Everything that is measured. The iteration counts are such that glibc runs for at least 20 ms, so that the start
/// of threads does not matter, and that stock musl runs for no more than some seconds.
pub const CATALOGUE: &[Entry] = &[
    THREADS_1,
    THREADS_2,
    THREADS_8,
    THREADS_32,
    run(
        "counter-1",
        "threads",
        &["1", "2000000", "counter"],
        &["1", "500000", "counter"],
        11,
        "1, 2, … 1000 B, 1 thread",
    ),
    run(
        "counter-2",
        "threads",
        &["2", "1000000", "counter"],
        &["2", "200000", "counter"],
        11,
        "1, 2, … 1000 B, 2 threads",
    ),
    run(
        "counter-8",
        "threads",
        &["8", "250000", "counter"],
        &["8", "50000", "counter"],
        11,
        "1, 2, … 1000 B, 8 threads",
    ),
    run(
        "counter-32",
        "threads",
        &["32", "62500", "counter"],
        &["32", "12500", "counter"],
        11,
        "1, 2, … 1000 B, 32 threads",
    ),
    SEED003,
    SEED001,
    run(
        "startup",
        "once",
        &[],
        &[],
        500,
        "a program that allocates once, exec to exit",
    ),
    Entry {
        id: "peak",
        workload: "once",
        arguments: &[],
        quick: &[],
        rounds: 11,
        kind: Kind::Peak,
        title: "its peak RSS",
        variants: &Variant::LIBCS,
    },
    Entry {
        id: "size",
        workload: "once",
        arguments: &[],
        quick: &[],
        rounds: 1,
        kind: Kind::Size,
        title: "its executable, stripped",
        variants: &Variant::LIBCS,
    },
    run(
        "idle",
        "idle",
        &[],
        &[],
        7,
        "private writable address space after one malloc",
    ),
    run(
        "rlimit-64",
        "rlimit",
        &["64"],
        &["64"],
        3,
        "held under RLIMIT_AS 64 MiB, blocks of 64 B",
    ),
    run(
        "rlimit-1024",
        "rlimit",
        &["1024"],
        &["1024"],
        3,
        "held under RLIMIT_AS 64 MiB, blocks of 1 KiB",
    ),
    run(
        "rlimit-16384",
        "rlimit",
        &["16384"],
        &["16384"],
        3,
        "held under RLIMIT_AS 64 MiB, blocks of 16 KiB",
    ),
    run(
        "rlimit-102400",
        "rlimit",
        &["102400"],
        &["102400"],
        3,
        "held under RLIMIT_AS 64 MiB, blocks of 100 KiB",
    ),
    run(
        "rlimit-1048576",
        "rlimit",
        &["1048576"],
        &["1048576"],
        3,
        "held under RLIMIT_AS 64 MiB, blocks of 1 MiB",
    ),
    STRESS,
    run(
        "server-1",
        "server",
        &["1", "200"],
        &["1", "50"],
        11,
        "server tables that move on to new threads, 1 worker",
    ),
    SERVER_2,
    run(
        "server-8",
        "server",
        &["8", "25"],
        &["8", "6"],
        11,
        "server tables that move on to new threads, 8 workers",
    ),
    REALLOC,
    run(
        "bignum",
        "bignum",
        &["2000000"],
        &["500000"],
        11,
        "short-lived big numbers of 16–64 B, 1 thread",
    ),
    HUGE,
    run(
        "buffers",
        "buffers",
        &["60"],
        &["20"],
        11,
        "buffers of 5–25 MB, every page written",
    ),
    run(
        "handoff-2",
        "handoff",
        &["2", "1000000"],
        &["2", "100000"],
        11,
        "blocks of 16 B–4 KiB handed on, 2 threads in a ring",
    ),
    run(
        "handoff-8",
        "handoff",
        &["8", "250000"],
        &["8", "25000"],
        11,
        "blocks of 16 B–4 KiB handed on, 8 threads in a ring",
    ),
    run(
        "shuffled-2",
        "shuffled",
        &["2", "50"],
        &["2", "10"],
        11,
        "blocks of 16 B–1 KiB freed in random order, 2 threads",
    ),
    Entry {
        id: "patch",
        workload: "",
        arguments: &[],
        quick: &[],
        rounds: 21,
        kind: Kind::Patch,
        title: "brawn patch of a libc.a of 8 MB",
        variants: &[Variant::Brawn],
    },
    profiles("profiles-threads-1", THREADS_1),
    profiles("profiles-threads-2", THREADS_2),
    profiles("profiles-threads-8", THREADS_8),
    profiles("profiles-threads-32", THREADS_32),
    profiles("profiles-seed001", SEED001),
    profiles("profiles-seed003", SEED003),
    profiles("profiles-stress", STRESS),
    profiles("profiles-server-2", SERVER_2),
    profiles("profiles-realloc", REALLOC),
    profiles("profiles-huge", HUGE),
    Entry {
        id: "profiles-peak",
        workload: "once",
        arguments: &[],
        quick: &[],
        rounds: 11,
        kind: Kind::Peak,
        title: "a program that allocates once",
        variants: &Variant::PROFILES,
    },
    traced("traced-threads-1", THREADS_1),
    traced("traced-threads-2", THREADS_2),
    traced("traced-threads-8", THREADS_8),
    traced("traced-threads-32", THREADS_32),
    traced("traced-seed001", SEED001),
    traced("traced-seed003", SEED003),
    traced("traced-stress", STRESS),
    traced("traced-server-2", SERVER_2),
    traced("traced-realloc", REALLOC),
    traced("traced-huge", HUGE),
    heaps::SERVER,
    heaps::ONEWAY,
    heaps::GENERATIONS,
    heaps::BUFFERS,
    heaps::REPLAY,
    heaps::FORMAT,
    heaps::LEDGER,
    heaps::LEDGER_REALLOC,
    rust(
        "rust-003",
        9,
        "Rust: a thread per processor fills vectors of 0 to 100,000 bytes, 100,000 times",
    ),
    rust(
        "rust-001",
        15,
        "Rust: a thread per processor fills vectors of 1 to 1000 bytes, 100,000 times",
    ),
    wasmtime(
        "wasmtime-parallel",
        &["compile", "-o", "/dev/null", "$WORK/esbuild.wasm"],
        "wasmtime compile of a module of 14 MB, a thread per processor",
    ),
    wasmtime(
        "wasmtime-serial",
        &[
            "compile",
            "-C",
            "parallel-compilation=n",
            "-o",
            "/dev/null",
            "$WORK/esbuild.wasm",
        ],
        "the same, not parallel",
    ),
];

/// The measurement of that name.
pub fn entry(id: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|e| e.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sources_exist() {
        for (i, e) in CATALOGUE.iter().enumerate() {
            assert!(
                CATALOGUE[..i].iter().all(|other| other.id != e.id),
                "{} twice",
                e.id
            );
            let path = match e.workload.strip_prefix("rust-") {
                Some(number) => format!("bench/rust/src/bin/seed{number}.rs"),
                None => format!("bench/workloads/{}.c", e.workload),
            };
            let source = crate::repository().join(path);
            assert!(
                e.kind == Kind::Patch || e.workload == WASMTIME || source.is_file(),
                "{}",
                source.display()
            );
        }
    }
}
