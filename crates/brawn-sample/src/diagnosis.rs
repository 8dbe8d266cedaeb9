//! What the samples of a run say: shares of its processor time, and what threads waited for.

use crate::calls;
use crate::code::{Code, Function, Whose};
use crate::costs::head;
use crate::hits::LENGTHS;
use crate::samples::{FileOffset, Hit, Mode, Samples};
use brawn_core::listed::Listed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Where processor time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    /// malloc, free and what they alone call; what the kernel does for them.
    Heap,
    /// Memory and string functions.
    Memory,
    /// Other functions of libc.
    Libc,
    /// The kernel, other than for the heap.
    Kernel,
    /// The program's own code.
    Program,
    /// Other programs and libraries.
    Other,
}

impl Owner {
    /// Every part.
    pub const ALL: [Self; 6] = [
        Self::Heap,
        Self::Memory,
        Self::Libc,
        Self::Kernel,
        Self::Program,
        Self::Other,
    ];
}

/// A share of the samples, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// How many samples.
    pub count: u64,
    /// Of all, from 0 to 1.
    pub share: f64,
    /// The interval's ends.
    pub low: f64,
    /// The interval's ends.
    pub high: f64,
}

/// The share of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnerShare {
    /// The part.
    pub part: Owner,
    /// Its share.
    #[serde(flatten)]
    pub share: Share,
}

/// The share of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionShare {
    /// The part that it counts for.
    pub part: Owner,
    /// Its name; empty if unknown. In the part `kernel`, who called the kernel.
    pub name: String,
    /// Whether it is time in the kernel.
    pub kernel: bool,
    /// Its file, if not the program's.
    pub file: Option<String>,
    /// Whether it stays as it is if the program is rewritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
    /// Its share.
    #[serde(flatten)]
    pub share: Share,
}

/// What the samples say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// How the samples were taken.
    pub mode: Mode,
    /// How many samples there are.
    pub samples: u64,
    /// The run's processor time in seconds.
    pub seconds: f64,
    /// Its time on the wall.
    pub wall: f64,
    /// Threads that ran.
    pub threads: u64,
    /// The shares of all parts.
    pub parts: Vec<OwnerShare>,
    /// The shares of functions, the largest first.
    pub functions: Vec<FunctionShare>,
    /// Seconds that threads waited for the heap's lock.
    pub heap_wait: f64,
    /// The share of the page faults that were for memory which the program had before, and gave back.
    #[serde(default)]
    pub again: f64,
    /// Samples of functions that copy and fill, by the length of the copy: up to 64 bytes, 512, 4096, more. None where
    /// that is not seen.
    #[serde(default)]
    pub copies: [u64; LENGTHS.len() + 1],
    /// Of the time in which the kernel takes the heap's memory back, the share of blocks that brawn's heap would give back,
    /// too.
    #[serde(default)]
    pub large: f64,
    /// Functions that a sort's comparisons take time in, with the share of the samples there.
    #[serde(default)]
    pub comparing: Vec<(Owner, String, f64)>,
    /// Whether the program's file has a libc that brawn replaces functions of.
    pub has_musl: bool,
    /// Whether it has a build of musl that brawn does not know, so that nothing is known about its functions.
    #[serde(default)]
    pub has_unknown_musl: bool,
}

impl Diagnosis {
    /// The share of a part.
    pub fn part(&self, part: Owner) -> Share {
        let mut parts = self.parts.iter().filter(|p| p.part == part);
        parts
            .next()
            .map_or_else(|| share(0, self.samples), |p| p.share)
    }

    /// The share of page faults in the program's own code that are for memory which the heap had given back.
    pub fn heap_faults(&self) -> f64 {
        self.total(|f| f.part == Owner::Kernel && is_fault(f)) * self.given_back()
    }

    /// Of all page faults, those for memory that the heap had given back: where it gave little back, others did.
    pub fn given_back(&self) -> f64 {
        let given = self.total(is_given) / self.total(is_fault).max(1e-9);
        self.again.min(given / GIVING)
    }

    /// The share of the run in which the kernel works for the heap's own code.
    pub fn heap_in_kernel(&self) -> f64 {
        self.total(|f| f.part == Owner::Heap && f.kernel)
    }

    /// Whether threads waited for the heap's lock for a share of the run that is worth a word.
    pub fn has_heap_waits(&self) -> bool {
        self.heap_wait >= WAITED && self.heap_wait >= WAITS * (self.seconds + self.heap_wait)
    }

    /// The share of all functions that are so.
    pub(crate) fn total(&self, is: impl Fn(&&FunctionShare) -> bool) -> f64 {
        let functions = self.functions.iter().filter(is);
        functions.map(|f| f.share.share).sum()
    }
}

/// Page faults, which have no function's name.
pub(crate) fn is_fault(f: &&FunctionShare) -> bool {
    f.kernel && f.name.contains(' ')
}

/// What the kernel does to take the heap's memory back.
pub(crate) fn is_given(f: &&FunctionShare) -> bool {
    const GIVES: [&str; 3] = ["munmap", "madvise", "mremap"];
    f.part == Owner::Heap && f.kernel && GIVES.contains(&f.name.trim_start_matches('_'))
}

/// Waits for the heap's lock are worth a word from this share of the run's time on.
pub(crate) const WAITS: f64 = 0.05;
/// What is less, in seconds, would be said as none.
const WAITED: f64 = 0.05;
/// Giving memory back takes at least this share of the time that its page faults take.
const GIVING: f64 = 0.15;

/// Whether it is a function that copies or fills.
pub fn is_copy(name: &str) -> bool {
    ["memcpy", "memmove", "memset", "mempcpy"].contains(&name)
}

/// Whether it is a function that copies, of which musl's keep the length where it was.
fn is_move(name: &str) -> bool {
    is_copy(name) && name != "memset"
}

/// Wilson's interval for 95 %.
pub fn share(count: u64, all: u64) -> Share {
    const Z: f64 = 1.96;
    let n = all.max(1) as f64;
    let p = count as f64 / n;
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    Share {
        count,
        share: p,
        low: (middle - half).clamp(0.0, p),
        high: (middle + half).clamp(p, 1.0),
    }
}

/// Names what the samples are in. `program` is the program's file; that of a script's program is its own.
pub fn diagnose(samples: &Samples, program: &Path) -> Diagnosis {
    let program = std::fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
    let reader = Reader {
        codes: samples.files.iter().map(|f| Code::read(f)).collect(),
        samples,
        program: samples.files.iter().position(|f| *f == program),
    };
    let mut functions: HashMap<Key, u64> = HashMap::new();
    let mut copies = [0; LENGTHS.len() + 1];
    let mut given = [0; 2];
    let mut comparing: BTreeMap<(Owner, String), u64> = BTreeMap::new();
    for hit in &samples.hits {
        let key = reader.key(hit);
        let length = hit
            .length
            .filter(|_| key.part == Owner::Memory && is_move(&key.name));
        length
            .into_iter()
            .for_each(|class| copies[usize::from(class)] += hit.count);
        if key.part == Owner::Heap && key.kernel && key.name.trim_start_matches('_') == "munmap" {
            given[usize::from(hit.length.is_some())] += hit.count;
        }
        if reader.is_comparing(hit, &key) {
            *comparing.entry((key.part, key.name.clone())).or_default() += hit.count;
        }
        *functions.entry(key).or_default() += hit.count;
    }
    let kernel = reader.uncounted(&mut functions);
    let all: u64 = functions.values().sum::<u64>();
    let mut parts: BTreeMap<Owner, u64> = Owner::ALL.iter().map(|p| (*p, 0)).collect();
    for (key, count) in &functions {
        *parts.entry(key.part).or_default() += count;
    }
    let waits = samples.waits.iter();
    let waits = waits.filter(|w| reader.is_heaps(w.place, &w.callers));
    let mut functions: Vec<FunctionShare> = functions
        .into_iter()
        .map(|(key, count)| FunctionShare {
            part: key.part,
            name: key.name,
            kernel: key.kernel,
            file: key.file,
            stays: false,
            share: share(count, all),
        })
        .collect();
    functions.sort_by(|a, b| {
        let order = b.share.count.cmp(&a.share.count);
        order.then_with(|| (a.part, &a.name).cmp(&(b.part, &b.name)))
    });
    let parts = parts.into_iter().map(|(part, count)| OwnerShare {
        part,
        share: share(count, all),
    });
    let codes = reader.codes.iter();
    let share_of = |count: u64, of: u64| count as f64 / of.max(1) as f64;
    let comparing = comparing.into_iter();
    let comparing = comparing.map(|((part, name), count)| (part, name, share_of(count, all)));
    Diagnosis {
        mode: samples.mode,
        samples: all - kernel,
        seconds: samples.user + samples.system,
        wall: samples.wall,
        threads: samples.threads,
        parts: parts.collect(),
        functions,
        heap_wait: waits.map(|w| w.seconds).fold(0.0, |a, b| a + b),
        again: (1.0 - samples.pages as f64 / samples.faults.max(1) as f64).max(0.0),
        copies,
        large: share_of(given[1], given[0] + given[1]),
        comparing: comparing.collect(),
        has_musl: codes.clone().into_iter().any(Code::has_musl),
        has_unknown_musl: codes.into_iter().any(Code::has_unknown_musl),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    part: Owner,
    name: String,
    kernel: bool,
    file: Option<String>,
}

struct Reader<'s> {
    samples: &'s Samples,
    codes: Vec<Code>,
    program: Option<usize>,
}

/// Functions by which others of libc call the kernel, or wait.
const WAYS: Listed = Listed(
    "__syscall syscall __syscall_cp __syscall_cp_c __syscall_cp_asm sccp __cp_begin __cp_end \
     __cp_cancel __timedwait __timedwait_cp __futex4_cp",
);

/// Functions that the heap shares with others of libc.
const SHARED: Listed = Listed(
    "__lock __unlock __wait __wake __futexwait mmap mmap64 __mmap munmap __munmap brk __brk \
     madvise __madvise mremap __mremap mprotect __mprotect sbrk __vm_wait __vm_lock __vm_unlock \
     memset memcpy memmove __memcpy_fwd __memcpy_fwd_alias_1",
);

impl Reader<'_> {
    fn code(&self, place: FileOffset) -> Option<&Code> {
        self.codes.get(place.file as usize)
    }

    fn function(&self, place: FileOffset) -> Option<&Function> {
        self.code(place)?.function(place.at)
    }

    /// The functions that called, the last first, as far as their names are known.
    fn callers<'p>(&'p self, callers: &'p [FileOffset]) -> impl Iterator<Item = &'p Function> {
        let is_call = |p: &&FileOffset| self.code(**p).is_some_and(|c| c.is_after_call(p.at));
        // The call may be the last instruction of its function.
        let before = |p: &FileOffset| FileOffset {
            at: p.at.saturating_sub(1),
            ..*p
        };
        let places = callers.iter().filter(is_call).map(before);
        places.filter_map(|p| self.function(p))
    }

    /// Whether the heap runs there, or what runs there was called by it.
    fn is_heaps(&self, place: Option<FileOffset>, callers: &[FileOffset]) -> bool {
        let Some((place, code)) = place.and_then(|p| Some((p, self.code(p)?))) else {
            return false;
        };
        if !code.has_musl() {
            return false;
        }
        match self.function(place) {
            Some(f) if f.whose == Whose::Heap => return true,
            Some(f) if !SHARED.has(&f.name) => return false,
            None if !code.is_in_libc(place.at) => return false,
            _ => {}
        }
        let mut callers = self.callers(callers);
        let first = callers.find(|f| !SHARED.has(&f.name));
        first.is_some_and(|f| f.whose == Whose::Heap)
    }

    /// Whether musl's qsort called what runs there, or what called that: stacks have old words, too, so only the last
    /// calls count.
    fn is_comparing(&self, hit: &Hit, key: &Key) -> bool {
        const NEAR: usize = 4;
        let is_sort = |name: &str| head(name) == "qsort";
        let may = matches!(key.part, Owner::Program | Owner::Libc | Owner::Memory);
        may && !is_sort(&key.name) && {
            let mut callers = self.callers(&hit.callers).take(NEAR);
            callers.any(|f| f.whose == Whose::Libc && is_sort(&f.name))
        }
    }

    fn key(&self, hit: &Hit) -> Key {
        let place = hit.place;
        let function = place.and_then(|p| self.function(p));
        let code = place.and_then(|p| self.code(p));
        let is_program = place.is_some_and(|p| self.program == Some(p.file as usize));
        let is_libcs = code.zip(place).is_some_and(|(c, p)| c.is_in_libc(p.at));
        let is_call = hit.call.is_some()
            || code
                .zip(place)
                .is_some_and(|(c, p)| c.calls_the_kernel(p.at));
        let is_way = |f: &&Function| WAYS.has(&f.name);
        let whose = function.map(|f| f.whose);
        // What belongs to other programs, and to glibc, is not replaced.
        let is_musl = is_program || code.is_some_and(Code::has_musl);
        let part = if self.is_heaps(place, &hit.callers) {
            Owner::Heap
        } else if hit.kernel {
            Owner::Kernel
        } else {
            match whose.filter(|_| is_musl) {
                Some(Whose::Memory) => Owner::Memory,
                Some(Whose::Libc) => Owner::Libc,
                _ if is_musl && is_libcs && code.is_some_and(|c| c.is_libc) => Owner::Libc,
                _ if is_program => Owner::Program,
                _ => Owner::Other,
            }
        };
        let named = match function.filter(is_way) {
            // Who called the kernel by a function that many use.
            Some(way) => {
                let callers = self.callers(&hit.callers).filter(|f| !is_way(f));
                callers.take(1).next().or(Some(way))
            }
            None => function,
        };
        let name = match (part, hit.kernel && !is_call) {
            (Owner::Kernel | Owner::Heap, true) => "page faults and interrupts".to_owned(),
            (Owner::Program | Owner::Other, _) if whose.is_none() => String::new(),
            (Owner::Heap, false) if hit.kernel => self.call(hit).map_or_else(
                || named.map(|f| f.name.clone()).unwrap_or_default(),
                str::to_owned,
            ),
            (Owner::Kernel, false) if !named.is_some_and(|f| calls::is_name(&f.name)) => {
                let own = || named.map(|f| f.name.as_str());
                self.call(hit).or_else(own).unwrap_or_default().to_owned()
            }
            _ => named.map(|f| f.name.clone()).unwrap_or_default(),
        };
        let file = place.filter(|_| !is_program && part == Owner::Other);
        let file = file.and_then(|p| self.samples.files.get(p.file as usize));
        let file = file.and_then(|f| Some(f.file_name()?.to_string_lossy().into_owned()));
        Key {
            part,
            name,
            kernel: hit.kernel,
            file,
        }
    }

    /// The kernel's function that a program without symbols called.
    fn call(&self, hit: &Hit) -> Option<&'static str> {
        if let Some(number) = hit.call {
            return calls::name(number);
        }
        let place = hit.place?;
        let code = self.code(place)?;
        if let Some(number) = code.number(place.at, false) {
            return calls::name(number);
        }
        let mut callers = hit.callers.iter().filter_map(|p| {
            let code = self.code(*p)?;
            code.is_after_call(p.at).then(|| code.number(p.at, true))?
        });
        callers.next().and_then(calls::name)
    }

    /// Where samples in the kernel are forbidden, the run's own account has its time. Adds as many as there would be;
    /// gives their number.
    fn uncounted(&self, functions: &mut HashMap<Key, u64>) -> u64 {
        let samples = self.samples;
        if samples.mode != Mode::UserClock || samples.user <= 0.0 {
            return 0;
        }
        let count = (samples.count() as f64 * samples.system / samples.user).round() as u64;
        let key = Key {
            part: Owner::Kernel,
            name: String::new(),
            kernel: true,
            file: None,
        };
        *functions.entry(key).or_default() += count;
        count
    }
}
