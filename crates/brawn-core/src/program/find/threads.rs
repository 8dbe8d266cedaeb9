//! Finds out whether a program may make threads: whether it may call musl's `__clone` with the flag for threads.
//! `__clone` is in assembly. `posix_spawn` calls it too, but makes processes.

use super::code::Code;
use super::pass::pass;
use super::scan::Wanted;
use super::whole::Whole;
use super::{aarch64, x86_64};
use crate::arch::Isa;
use crate::signatures::names::Names;
use memchr::memmem;

/// Names that a program has if it makes threads.
const THREADS: [&str; 4] = [
    "__pthread_create",
    "pthread_create",
    "thrd_create",
    "__pthread_exit",
];
/// Names of the function with the system call.
const CLONE: [&str; 1] = ["__clone"];
/// musl's function for programs that make processes by themselves, which hands its caller's flags on. From musl 1.2.5 on, it
/// refuses `CLONE_THREAD`. Before that, a thread made by it has its maker's thread-locals and does not end by
/// `__pthread_exit`; musl's own heap, which locks only behind `pthread_create`, could not be used by both, either.
const PROCESSES: &str = "clone";
/// `CLONE_THREAD` (linux/sched.h).
const THREAD: u64 = 0x1_0000;

/// Whether the program may make threads. A call of `__clone` with unknown flags counts.
pub fn may_be_made(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names) -> bool {
    let clones = clones(whole, code, names);
    if clones.is_empty() {
        return THREADS.iter().any(|name| names.function(name).is_some());
    }
    let at: Vec<_> = clones.iter().map(|at| *at..at + 1).collect();
    let processes = names.functions.iter().filter(|n| n.name == PROCESSES);
    let mut processes: Vec<_> = processes.map(|n| code.extent(n)).collect();
    processes.sort_unstable_by_key(|extent| extent.start);
    let hits = pass(whole, code, &Wanted::new(at), &clones, &processes);
    hits.iter().any(|hit| {
        let flags = hit.is_code.then(|| flags(code, hit.from)).flatten();
        flags.is_none_or(|flags| flags & THREAD != 0)
    })
}

/// The addresses of `__clone`.
fn clones(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names) -> Vec<u64> {
    let begin = whole.program.architecture.facts().clone;
    let regions = code.regions.iter();
    let by_code = regions
        .flat_map(|(start, code)| memmem::find_iter(code, begin).map(move |at| start + at as u64));
    let by_name = CLONE.iter().filter_map(|name| names.function(name));
    let mut all: Vec<u64> = by_code.chain(by_name.map(|n| n.address)).collect();
    // If there is a landing pad before it, the entry is there.
    let pads: Vec<u64> = all.iter().map(|at| at.saturating_sub(4)).collect();
    let is_pad = |at: &u64| code.behind_landing(*at) != *at;
    all.extend(pads.into_iter().filter(is_pad));
    all.sort_unstable();
    all.dedup();
    all
}

/// The third argument of the call at `site`, if it is one number on every path.
fn flags(code: &Code<'_>, site: u64) -> Option<u64> {
    let (start, bytes) = code.before(site)?;
    match code.architecture {
        Isa::X86_64 => x86_64::third_argument(bytes, start),
        Isa::Aarch64 => aarch64::third_argument(bytes),
    }
}
