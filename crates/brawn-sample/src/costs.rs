//! What functions take with brawn, as a share of what they take with musl.

use std::collections::HashMap;

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

/// The shares of all functions.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The malloc family's own: of threads that are not in each other's way, of few that are, and of many.
    pub heap: [Cost; 3],
    /// The heap's lock's.
    pub lock: Cost,
    /// The kernel's, for memory that the heap gives back.
    pub given: Cost,
    /// Those of functions that copy and fill.
    pub copies: Cost,
    /// Other memory and string functions'.
    pub memory: Cost,
    /// The kernel's, for locks and condition variables.
    pub futex: Cost,
    functions: HashMap<&'static str, Cost>,
}

/// Measured by `brawn-bench libc`; `bench/predict/costs.py` writes it.
const TABLE: &str = include_str!("../costs.tsv");

// These were chosen so that they fit the whole programs in bench/results/predict/2026-11-23-calibration.json, so those
// programs do not test them. What a program gains may exceed a share: musl's copies by `rep movs` keep the code after
// them waiting, and blocks that lie close together make the code that uses them faster.

const LOCK: Cost = Cost {
    typical: 0.02,
    low: 0.0,
    high: 0.3,
};
const GIVEN: Cost = Cost {
    typical: 0.1,
    low: 0.0,
    high: 0.5,
};
const HEAP: Cost = Cost {
    typical: 0.22,
    low: -0.05,
    high: 0.45,
};
/// A heap that moves from one processor's memory to another's with each call.
const HEAP_OF_FEW: Cost = Cost {
    typical: 0.08,
    low: -0.05,
    high: 0.3,
};
/// Of many threads, each of which begins with a heap of its own.
const HEAP_OF_MANY: Cost = Cost {
    typical: 0.4,
    low: -0.05,
    high: 0.65,
};
const MANY: u64 = 8;
const COPIES: Cost = Cost {
    typical: 0.0,
    low: -0.3,
    high: 0.25,
};
/// Of short strings little is gained, of long ones nearly all.
const MEMORY: Cost = Cost {
    typical: 0.1,
    low: -0.2,
    high: 0.9,
};
/// Of locks: alone, and of threads in each other's way.
const LOCKS: Cost = Cost {
    typical: 0.4,
    low: 0.11,
    high: 0.83,
};
const FUTEX: Cost = Cost {
    typical: 0.5,
    low: 0.1,
    high: 1.0,
};

/// Parts of functions, by the names that have the samples.
const PARTS: &[(&str, &str)] = &[
    ("__fwritex", "fwrite"),
    ("__intscan", "strtol"),
    ("__floatscan", "strtod"),
    ("__shgetc", "strtod"),
    ("__shlim", "strtod"),
    ("__month_to_secs", "mktime"),
    ("__qsort_r", "qsort"),
    ("__secs_to_tm", "localtime_r"),
    ("__secs_to_zone", "localtime_r"),
    ("__strcasecmp_l", "strcasecmp"),
    ("__strftime_fmt_1", "strftime"),
    ("__strftime_l", "strftime"),
    ("__strncasecmp_l", "strncasecmp"),
    ("cycle", "qsort"),
    ("decfloat", "strtod"),
    ("fmodl", "strtod"),
    ("copysignl", "strtod"),
    ("scalbnl", "strtod"),
    ("frexpl", "snprintf"),
    ("fmt_fp", "snprintf"),
    ("fmt_u", "snprintf"),
    ("fputc", "putc"),
    ("fputs_unlocked", "fputs"),
    ("getdelim", "getline"),
    ("getint", "snprintf"),
    ("pad", "snprintf"),
    ("pop_arg", "snprintf"),
    ("printf_core", "snprintf"),
    ("qsort_r", "qsort"),
    ("sift", "qsort"),
    ("smoothsort", "qsort"),
    ("sn_write", "snprintf"),
    ("strftime_l", "strftime"),
    ("strtoul", "strtol"),
    ("strtoull", "strtol"),
    ("strtox", "strtod"),
    ("trinkle", "qsort"),
    ("vfprintf", "snprintf"),
    ("vsnprintf", "snprintf"),
    ("wctomb", "snprintf"),
];

/// How the names of locks' functions begin.
const LOCKED: &[&str] = &[
    "pthread_mutex_",
    "pthread_cond_",
    "pthread_rwlock_",
    "private_cond_signal",
    "sem_",
];

/// Of page faults for memory that was given back, those that are gone.
const KEPT: f64 = 0.9;
/// What is not known of page faults.
const UNSURE: f64 = 0.3;
/// What the kernel does for a heap's memory if none is given back.
const FRESH: f64 = 0.6;

/// How far programs are from the median of a function's rows, on the way to the slowest.
const SHORTER: f64 = 0.3;

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
            Some((name, Cost { typical, low, high }))
        });
        Self {
            heap: [HEAP, HEAP_OF_FEW, HEAP_OF_MANY],
            lock: LOCK,
            given: GIVEN,
            copies: COPIES,
            memory: MEMORY,
            futex: FUTEX,
            functions: functions.collect(),
        }
    }

    /// The heap's, in a program of so many threads, which may be in each other's way.
    pub fn heap_of(&self, threads: u64, is_contended: bool) -> Cost {
        let [one, few, many] = self.heap;
        match is_contended {
            false => one,
            true if threads < MANY => few,
            true => many,
        }
    }

    /// Page faults', of which that share is for memory that was given back before: brawn's heap keeps more of it.
    pub fn faults(&self, again: f64) -> Cost {
        Cost {
            typical: 1.0 - KEPT * again,
            low: 1.0 - again - UNSURE,
            high: 1.0 + UNSURE,
        }
    }

    /// What the kernel does for the heap, if that share of the page faults is for memory that was given back before.
    /// The memory that a program has at its peak costs the same with any heap; musl's asks for it in smaller pieces.
    pub fn memory_of_heap(&self, again: f64) -> Cost {
        let fresh = FRESH * (1.0 - again);
        Cost {
            typical: fresh,
            low: 0.0,
            high: (fresh + UNSURE).min(1.0),
        }
    }

    /// A function's of libc; `None` for one that nobody has measured, which stays as it is or gets faster.
    pub fn function(&self, name: &str) -> Option<Cost> {
        let part = PARTS.iter().find(|(part, _)| *part == name);
        let head = part.map_or(name, |(_, head)| head);
        let plain = head.trim_start_matches('_');
        if LOCKED.iter().any(|start| plain.starts_with(start)) {
            return Some(LOCKS);
        }
        let mut names = [head, plain].into_iter();
        names.find_map(|name| self.functions.get(name)).copied()
    }
}
