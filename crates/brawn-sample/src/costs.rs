//! What functions take with brawn, as a share of what they take with musl.

use std::collections::{HashMap, HashSet};

/// A share, and the range that it is in. Negative ones: what calls the function gets faster too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The most likely one.
    pub typical: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// The shares of libc's functions, by name.
#[derive(Clone, Debug)]
pub struct Costs(HashMap<&'static str, Cost>);

/// Measured by `brawn-bench libc`; `bench/predict/costs.py` writes it.
const TABLE: &str = include_str!("../costs.tsv");

// These were chosen so that they fit the whole programs in bench/results/predict/*-looked-at.json, so those programs do
// not test them. A range is what the parts of nearly all of these programs were in, each beside the same part of the
// rewritten program.

const fn cost(typical: f64, low: f64, high: f64) -> Cost {
    Cost { typical, low, high }
}
/// Of functions that brawn has none of.
const AS_IT_WAS: Cost = cost(1.0, 1.0, 1.0);
/// The heap's lock's.
pub const LOCK: Cost = cost(0.02, 0.0, 0.15);
/// What is given back later, in larger pieces.
const GIVEN: Cost = cost(0.1, 0.0, 0.4);
/// The kernel's, where the heap asks for new memory: musl's asks in small pieces.
pub const ASKED: Cost = cost(0.06, 0.0, 0.25);
/// How many comparisons a sort needs: of 100 to 1,000,000 random numbers brawn's qsort takes 0.40 to 0.60 of the
/// comparisons that musl's takes, and about as many of numbers that are in order. Their results are the program's.
pub const COMPARISONS: Cost = cost(0.45, 0.3, 0.7);
/// Its own work and what it copies take 0.15 to 0.32. Where musl's heap waits for memory, the program waits after it.
const HEAP: Cost = cost(0.24, 0.12, 0.38);
/// A heap that moves from one processor's memory to another's with each call.
const HEAP_OF_FEW: Cost = cost(0.14, 0.0, 0.3);
/// Of many threads, each of which begins with a heap of its own.
const HEAP_OF_MANY: Cost = cost(0.3, 0.1, 0.5);
const MANY: u64 = 8;
/// musl's `rep movs` takes as long to begin as to copy a thousand bytes, and keeps the code after it waiting. The copies
/// alone take 0.27, 0.14 to 0.24, 0.4 to 0.55 and 1.0 where the memory is near, 0.3 and then 0.8 to 1.0 where it is far.
const COPIES: [Cost; 4] = [copies(0.0), copies(0.2), copies(0.5), copies(0.9)];
const fn copies(typical: f64) -> Cost {
    cost(typical, typical - 0.35, typical + 0.3)
}
/// memcmp's.
pub const COMPARES: Cost = cost(0.9, 0.4, 1.2);
/// Other memory and string functions': of short strings little is gained, of long ones nearly all.
pub const MEMORY: Cost = cost(0.1, -0.05, 0.35);
/// Of locks: alone, and of threads in each other's way.
const LOCKS: Cost = cost(0.4, 0.2, 0.8);
/// The kernel's, for locks and condition variables.
pub const FUTEX: Cost = cost(0.6, 0.2, 1.0);

/// Functions, each with its parts: the names that have the samples.
const PARTS: &[(&str, &str)] = &[
    ("fwrite", "__fwritex"),
    ("strtol", "__intscan strtoul strtoull"),
    (
        "strtod",
        "__floatscan __shgetc __shlim decfloat fmodl copysignl scalbnl strtox",
    ),
    ("mktime", "__month_to_secs"),
    ("qsort", "__qsort_r cycle qsort_r sift smoothsort trinkle"),
    ("localtime_r", "__secs_to_tm __secs_to_zone"),
    ("strcasecmp", "__strcasecmp_l"),
    ("strftime", "__strftime_fmt_1 __strftime_l strftime_l"),
    ("strncasecmp", "__strncasecmp_l"),
    (
        "snprintf",
        "frexpl fmt_fp fmt_u getint pad pop_arg printf_core sn_write asprintf dprintf \
         fprintf printf sprintf vasprintf vdprintf vfprintf vprintf vsprintf vsnprintf \
         wctomb",
    ),
    ("putc", "fputc"),
    ("fputs", "fputs_unlocked"),
    ("getline", "getdelim"),
    (
        "regexec",
        "tre_match tre_tnfa_run_backtrack tre_tnfa_run_parallel",
    ),
];

/// How the names of locks' functions begin.
const LOCKED: &[&str] = &[
    "pthread_mutex_",
    "pthread_cond_",
    "pthread_rwlock_",
    "private_cond_signal",
    "sem_",
];

/// Of page faults for memory that was given back, those that are gone, and what is known of that.
const KEPT: Cost = cost(0.85, 0.6, 1.0);
/// What is not known of other page faults.
const UNSURE: f64 = 0.12;
/// Programs' calls of a function differ from its rows', and from one another, by so much.
const UNLIKE: f64 = 0.15;

/// How far programs are from the median of a function's rows, on the way to the slowest.
const SHORTER: f64 = 0.15;

impl Cost {
    /// Those of functions that copy, of so many samples of each class of lengths.
    pub fn of_copies(samples: [u64; 4]) -> Self {
        // Where no length was seen, all are as likely.
        let all: u64 = samples.iter().sum();
        let weights = samples.map(|n| {
            if all == 0 {
                0.25
            } else {
                n as f64 / all as f64
            }
        });
        let mean = |of: fn(&Self) -> f64| {
            let costs = COPIES.iter().zip(weights);
            costs.map(|(cost, weight)| of(cost) * weight).sum()
        };
        Self {
            typical: mean(|c| c.typical),
            low: mean(|c| c.low),
            high: mean(|c| c.high),
        }
    }

    /// The heap's, in a program of so many threads, which may be in each other's way.
    pub fn of_heap(threads: u64, is_contended: bool) -> Self {
        match is_contended {
            false => HEAP,
            true if threads < MANY => HEAP_OF_FEW,
            true => HEAP_OF_MANY,
        }
    }

    /// The kernel's, for memory that the heap gives back, of which that share is in blocks that brawn's gives back, too.
    pub fn of_given_back(large: f64) -> Self {
        let with_large = |cost: f64| cost + (1.0 - cost) * large;
        Self {
            typical: with_large(GIVEN.typical),
            low: GIVEN.low,
            high: with_large(GIVEN.high),
        }
    }

    /// Page faults', of which that share is for memory that the heap gave back before: brawn's heap keeps more of it, but
    /// for the share in large blocks. The memory that a program has at its peak costs the same with any heap.
    pub fn of_faults(again: f64, large: f64) -> Self {
        let again = again * (1.0 - large);
        cost(
            1.0 - KEPT.typical * again,
            (1.0 - KEPT.high * again - UNSURE).max(0.0),
            1.0 - KEPT.low * again + UNSURE,
        )
    }
}

impl Costs {
    /// Those that were measured for this brawn.
    pub fn measured() -> Self {
        let lines = TABLE.lines().filter(|l| !l.starts_with('#'));
        let functions = lines.filter_map(|line| {
            let mut words = line.split('\t');
            let name = words.next()?;
            let mut number = || words.next()?.parse().ok();
            let (median, low, high): (f64, f64, f64) = (number()?, number()?, number()?);
            // Programs' arguments are shorter than benchmarks'.
            let typical = median + SHORTER * (high - median);
            // What is slower is so for a few bytes: who is seen in it has longer ones.
            let (typical, low) = (typical.min(1.0), low.min(1.0));
            let low = low
                .max(typical - UNLIKE)
                .min((typical - UNLIKE / 2.0).max(0.0));
            let high = high.min(typical + UNLIKE).max(typical + UNLIKE / 2.0);
            Some((name, Cost { typical, low, high }))
        });
        // Rows of functions that stay musl's measure those that they call: regcomp's is malloc's.
        let payload = brawn_payload::payloads();
        let own = payload.iter().flat_map(|p| p.libc.functions);
        let own: HashSet<&str> = own.flat_map(|f| f.surface).map(|n| head(n)).collect();
        let functions = functions.map(|(name, cost)| match own.contains(head(name)) {
            true => (name, cost),
            false => (name, AS_IT_WAS),
        });
        Self(functions.collect())
    }

    /// A function's of libc; `None` for one that nobody has measured, which stays as it is or gets faster.
    pub fn function(&self, name: &str) -> Option<Cost> {
        if is_lock(name) {
            return Some(LOCKS);
        }
        self.0.get(head(name)).copied()
    }
}

/// The function whose part it is; without the underscores of names that only libc uses.
pub fn head(name: &str) -> &str {
    let plain = name.trim_start_matches('_');
    let is_it = |part: &str| part == name || part == plain;
    let has_it = |(_, parts): &&(&str, &str)| parts.split(' ').any(is_it);
    let found = PARTS.iter().find(has_it);
    found.map_or(plain, |(head, _)| head)
}

/// Whether it is a function of locks, semaphores or condition variables.
pub fn is_lock(name: &str) -> bool {
    let plain = name.trim_start_matches('_');
    LOCKED.iter().any(|start| plain.starts_with(start))
}
