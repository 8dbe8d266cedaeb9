//! What brawn would change, from a diagnosis and what functions cost: a time, as an interval.

use crate::costs::{ASKED, COMPARES, COMPARISONS, Cost, Costs, FUTEX, LOCK, MEMORY, head};
use crate::diagnosis::{Diagnosis, FunctionShare, Owner, WAITS, is_copy, is_fault, is_given};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How much of the gain a part has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The part or function.
    pub what: String,
    /// The share of the run's time that would be gone.
    pub share: f64,
    /// The share of the run's time that it has now.
    #[serde(default)]
    pub of: f64,
}

/// Why no useful interval can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclear {
    /// There are so many samples, which are too few.
    Short(u64),
    /// Threads wait for the heap's lock: how much they do without it, samples do not say.
    Threads,
    /// What the program spends its time in gains very differently from program to program.
    Parts,
}

/// The expected time with brawn, as a share of the time without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The most likely ratio; 0.5 is half the time.
    pub ratio: f64,
    /// The interval's ends.
    pub low: f64,
    /// The interval's ends.
    pub high: f64,
    /// Where the gain is, the largest first.
    pub gains: Vec<Gain>,
    /// Whether there is anything that brawn could replace.
    pub has_musl: bool,
    /// Whether it has a build of musl that brawn does not know.
    #[serde(default)]
    pub has_unknown_musl: bool,
    /// What has most of the time and stays as it is, with its share.
    #[serde(default)]
    pub rest: Option<(String, f64)>,
    /// Why the interval says little, if it does.
    #[serde(default)]
    pub unclear: Option<Unclear>,
}

/// What two runs of one program differ by, and what changes with the places of code and data.
const ALWAYS: f64 = 0.05;
/// The same as a share of what remains.
const ALWAYS_OF_REST: f64 = 0.08;
/// The interval's ends are of use up to this factor between them.
const USEFUL: f64 = 1.6;
/// Fewer samples than these say too little, whatever they are in.
const FEW: u64 = 100;
/// The least that can remain.
const LEAST: f64 = 0.03;
/// Of other functions' time, what may change.
const UNKNOWN: f64 = 0.15;
/// Threads are in each other's way if the heap's lock takes this share of its time.
const CONTENDED: f64 = 0.1;
/// What takes more than this of its time stays as it is.
const STAYS: f64 = 0.9;
/// A smaller difference is none.
const NONE: f64 = 0.01;

/// The sum of what is expected, with the deviations of its parts.
#[derive(Default)]
struct Sum {
    saved: f64,
    less: f64,
    more: f64,
    /// What comes of having few samples, in both.
    chance: f64,
    gains: Vec<Gain>,
}

impl Sum {
    fn add(&mut self, what: &str, share: f64, error: f64, cost: Cost) {
        let saved = share * (1.0 - cost.typical);
        self.saved += saved;
        let of_sampling = error * (1.0 - cost.typical);
        self.less += (share * (cost.high - cost.typical)).powi(2) + of_sampling.powi(2);
        self.more += (share * (cost.typical - cost.low)).powi(2) + of_sampling.powi(2);
        self.chance += of_sampling.powi(2);
        self.gain(what, saved, share);
    }

    fn gain(&mut self, what: &str, saved: f64, of: f64) {
        if saved >= NONE {
            self.gains.push(Gain {
                what: what.to_owned(),
                share: saved,
                of,
            });
        }
    }
}

fn is_futex(f: &&FunctionShare) -> bool {
    f.part == Owner::Kernel && (f.name == "futex" || f.name.starts_with("pthread_"))
}

/// What the heap's lock takes.
fn is_lock(f: &&FunctionShare) -> bool {
    const LOCKS: [&str; 6] = ["lock", "unlock", "wait", "wake", "futexwait", "futex"];
    f.part == Owner::Heap && LOCKS.contains(&f.name.trim_start_matches('_'))
}

/// What else it does when the heap calls it.
fn is_asked(f: &&FunctionShare) -> bool {
    const ASKS: [&str; 4] = ["", "brk", "mmap", "mprotect"];
    f.part == Owner::Heap && f.kernel && ASKS.contains(&f.name.trim_start_matches('_'))
}

/// Calls that no heap makes: musl's code for them is shared, and the caller was not seen.
fn is_others(f: &&FunctionShare) -> bool {
    f.part == Owner::Heap && f.kernel && !(is_lock(f) || is_given(f) || is_fault(f) || is_asked(f))
}

/// Comparisons end at the first difference, which is near in most programs.
fn is_compare(name: &str) -> bool {
    ["memcmp", "bcmp"].contains(&name)
}

/// Half of the 95 % interval of a share.
fn error_of(share: f64, samples: u64) -> f64 {
    1.96 * (share * (1.0 - share) / samples.max(1) as f64)
        .max(0.0)
        .sqrt()
}

/// Predicts the time of a program's run with brawn.
pub fn predict(diagnosis: &Diagnosis, costs: &Costs) -> Prediction {
    let mut sum = Sum::default();
    if diagnosis.has_musl {
        of_heap(&mut sum, diagnosis);
        let of_memory = |is: fn(&str) -> bool| {
            diagnosis.total(|f| f.part == Owner::Memory && !f.stays && is(&f.name))
        };
        let rest = |name: &str| !is_copy(name) && !is_compare(name);
        for (what, share, cost) in [
            (
                "memcpy and its kin",
                of_memory(is_copy),
                Cost::of_copies(diagnosis.copies),
            ),
            ("memcmp", of_memory(is_compare), COMPARES),
            ("string functions", of_memory(rest), MEMORY),
            (
                "waiting for locks",
                diagnosis.total(|f| !f.stays && is_futex(f)),
                FUTEX,
            ),
        ] {
            sum.add(what, share, error_of(share, diagnosis.samples), cost);
        }
        for function in &diagnosis.functions {
            if function.part == Owner::Libc && !function.stays {
                of_libc(&mut sum, function, costs);
            }
        }
        of_sorts(&mut sum, diagnosis, costs);
    }
    finish(sum, diagnosis, costs)
}

/// The interval of what is expected.
fn finish(sum: Sum, diagnosis: &Diagnosis, costs: &Costs) -> Prediction {
    let has_musl = diagnosis.has_musl;
    let ratio = |saved: f64| (1.0 - saved).max(LEAST);
    // Threads that wait for the heap's lock could work meanwhile, as far as there are processors for them. Often they
    // then wait for something else.
    let waits = waits(diagnosis);
    let always = match has_musl {
        true => ALWAYS.min(ALWAYS_OF_REST * ratio(sum.saved)),
        false => 0.0,
    };
    let width = |square: f64| (square + always * always).sqrt();
    let mut found = Prediction {
        ratio: ratio(sum.saved),
        low: ratio(sum.saved + width(sum.more)) * (1.0 - waits),
        high: ratio(sum.saved - width(sum.less)),
        rest: rest(diagnosis, costs),
        unclear: None,
        gains: sum.gains,
        has_musl,
        has_unknown_musl: diagnosis.has_unknown_musl,
    };
    if waits >= WAITS {
        found.gains.push(Gain {
            what: "waiting for the heap's lock".to_owned(),
            share: waits,
            of: waits,
        });
    }
    found.gains.sort_by(|a, b| b.share.total_cmp(&a.share));
    if has_musl {
        let by_threads = found.high / (found.low / (1.0 - waits)) <= USEFUL;
        let by_chance = 2.0 * sum.chance > sum.less.min(sum.more);
        let is_wide = found.high / found.low > USEFUL;
        found.unclear = match diagnosis.samples {
            samples if samples < FEW || is_wide && by_chance => Some(Unclear::Short(samples)),
            _ if is_wide && by_threads => Some(Unclear::Threads),
            _ => is_wide.then_some(Unclear::Parts),
        };
    }
    found
}

/// What has most of the time of all that stays: a function of libc or of the kernel, or the program itself.
fn rest(diagnosis: &Diagnosis, costs: &Costs) -> Option<(String, f64)> {
    let stays = |f: &&FunctionShare| match f.part {
        Owner::Libc => f.stays || costs.function(&f.name).is_none_or(|c| c.typical > STAYS),
        Owner::Kernel => !is_fault(f) && !is_futex(f),
        Owner::Heap | Owner::Memory => f.stays,
        Owner::Program | Owner::Other => true,
    };
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for function in diagnosis.functions.iter().filter(stays) {
        let what = match function.part {
            Owner::Heap => "malloc and free".to_owned(),
            Owner::Program => "the program itself".to_owned(),
            Owner::Other => "other programs and libraries".to_owned(),
            _ if function.name.is_empty() => continue,
            Owner::Libc | Owner::Memory => head(&function.name).to_owned(),
            Owner::Kernel => format!("the kernel, in {}", function.name),
        };
        *shares.entry(what).or_default() += function.share.share;
    }
    let most = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.filter(|(_, share)| *share >= NONE)
}

/// The heap, in parts: its lock, which is gone; memory that is given back, of which brawn's keeps more; new memory, as
/// far as that was given back before; its own work, which is more where threads take its memory from each other's processors.
fn of_heap(sum: &mut Sum, diagnosis: &Diagnosis) {
    let mut functions = diagnosis.functions.iter();
    if functions.any(|f| f.part == Owner::Heap && f.stays) {
        return;
    }
    let heap = diagnosis.part(Owner::Heap);
    let locks = diagnosis.total(is_lock);
    let faults = diagnosis.total(|f| f.part == Owner::Heap && is_fault(f));
    let asked = diagnosis.total(is_asked);
    let given = diagnosis.total(is_given);
    let others = diagnosis.total(is_others);
    let own = (heap.share - locks - faults - asked - given - others).max(0.0);
    let error = (heap.high - heap.low) / 2.0;
    let is_contended = locks > CONTENDED * heap.share;
    let cost = Cost::of_heap(diagnosis.threads, is_contended);
    let before = sum.gains.len();
    let saved = sum.saved;
    let all = own + locks + faults + asked + given;
    sum.add("", own, error, cost);
    sum.add("", locks, 0.0, LOCK);
    sum.add("", given, 0.0, Cost::of_given_back(diagnosis.large));
    sum.add("", asked, 0.0, ASKED);
    let of_faults = Cost::of_faults(diagnosis.given_back(), diagnosis.large);
    sum.add("", faults, 0.0, of_faults);
    // Of those in the program's own code some are for memory that the heap gave back, and of which it keeps more now.
    let is_programs = |f: &&FunctionShare| f.part == Owner::Kernel && is_fault(f);
    let programs = diagnosis.total(is_programs);
    sum.add("", programs, 0.0, of_faults);
    let all = all + programs * (1.0 - of_faults.typical);
    sum.gains.truncate(before);
    sum.gain("malloc and free", sum.saved - saved, all);
}

fn of_libc(sum: &mut Sum, function: &FunctionShare, costs: &Costs) {
    let share = function.share;
    let error = (share.high - share.low) / 2.0;
    let unknown = Cost {
        typical: 1.0,
        low: 1.0 - UNKNOWN,
        high: 1.0,
    };
    let cost = costs.function(&function.name).unwrap_or(unknown);
    sum.add(&function.name, share.share, error, cost);
}

/// A sort that compares less often saves the time of comparisons, whoever's function compares: what is left of it after
/// other gains.
fn of_sorts(sum: &mut Sum, diagnosis: &Diagnosis, costs: &Costs) {
    let stays = |name: &str| {
        let mut functions = diagnosis.functions.iter();
        functions.any(|f| f.stays && f.part != Owner::Program && f.name == name)
    };
    let mut sorts = diagnosis.functions.iter();
    if sorts.any(|f| f.part == Owner::Libc && f.stays && head(&f.name) == "qsort") {
        return;
    }
    let left = |(part, name, share): &(Owner, String, f64)| {
        let cost = match part {
            _ if stays(name) => 1.0,
            Owner::Memory if is_copy(name) => Cost::of_copies(diagnosis.copies).typical,
            Owner::Memory if is_compare(name) => COMPARES.typical,
            Owner::Memory => MEMORY.typical,
            Owner::Libc => costs.function(name).map_or(1.0, |cost| cost.typical),
            _ => 1.0,
        };
        share * cost
    };
    let share = diagnosis.comparing.iter().map(left).sum();
    sum.add("fewer comparisons by qsort", share, 0.0, COMPARISONS);
}

/// The share of the run that threads waited for the heap's lock while a processor was free.
fn waits(diagnosis: &Diagnosis) -> f64 {
    let processors = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    let free = (processors * diagnosis.wall - diagnosis.seconds).max(0.0);
    let waited = if diagnosis.has_musl {
        diagnosis.heap_wait.min(free)
    } else {
        0.0
    };
    waited / (diagnosis.seconds + waited).max(1e-9)
}

impl Prediction {
    /// The prediction in words: "1.42x as fast (1.30–1.55): malloc and free".
    pub fn words(&self) -> String {
        if self.has_unknown_musl && !self.has_musl {
            return "not predicted: brawn does not know this build of musl".to_owned();
        }
        if !self.has_musl {
            return "nothing to gain: no musl in it".to_owned();
        }
        let speed = |ratio: f64| 1.0 / ratio;
        let what = self.reason();
        let what = what.map_or_else(String::new, |what| format!(": {what}"));
        match self.unclear {
            Some(Unclear::Short(samples)) => {
                let samples = match samples {
                    1 => "1 sample".to_owned(),
                    _ => format!("{samples} samples"),
                };
                return format!("too short a run to tell ({samples}): more work gives more");
            }
            Some(unclear) if self.high <= 1.0 - NONE => {
                let why = match unclear {
                    Unclear::Threads => "how long threads wait for one another",
                    _ => "how much more",
                };
                let least = speed(self.high);
                return format!("at least {least:.2}x as fast{what}; only measuring tells {why}");
            }
            _ => {}
        }
        if self.high > 1.0 - NONE {
            let most = speed(self.low);
            return format!("little or nothing to gain: at most {most:.2}x as fast");
        }
        format!(
            "{:.2}x as fast ({:.2}–{:.2}){what}",
            speed(self.ratio),
            speed(self.high),
            speed(self.low)
        )
    }

    /// What the gain comes from; what stays before it, if that has more of the time: "malloc and free", "46 % of the
    /// time stays, in regcomp; malloc and free".
    pub fn reason(&self) -> Option<String> {
        let gain = self.gains.first()?;
        let name = gain.what.strip_prefix("waiting for ");
        let name = name.unwrap_or(&gain.what);
        match &self.rest {
            Some((rest, share)) if *share > gain.of => {
                let share = share * 100.0;
                Some(format!("{share:.0} % of the time stays, in {rest}; {name}"))
            }
            _ => Some(name.to_owned()),
        }
    }
}
