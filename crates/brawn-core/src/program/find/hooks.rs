//! Finds the places besides its functions where the program calls the payload, and where the payload calls the
//! program.

use super::code::Code;
use super::risk::{Risk, RiskKind};
use super::whole::Whole;
use super::{CallSite, Functions, threads};
use crate::identify::fork;
use crate::signatures::names::Names;
use object::elf;

/// Names of the function that gives errno's address.
const ERRNO: [&str; 2] = ["__errno_location", "___errno_location"];
/// The function in which a thread ends.
const EXIT: [&str; 2] = ["__pthread_exit", "pthread_exit"];
/// The function that it calls first when a thread ends.
const DESTRUCTORS: &str = "__pthread_tsd_run_dtors";
const THEN: &str = "__block_app_sigs";
/// The function that copies the image of thread-locals.
const COPY: &str = "memcpy";

/// Finds the places that a heap needs.
pub fn find(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) {
    let any = |wanted: &[&str]| wanted.iter().find_map(|name| names.function(name));
    found.errno_location = any(&ERRNO).map(|n| n.address);
    if found.errno_location.is_none() {
        let text = "`__errno_location` could not be found: a failed allocation could not set errno";
        found.risks.push(Risk::heap(RiskKind::MissingHook, text));
    }
    check_copy(whole, code, names, found);
    found.thread_exit = thread_exit(code, names);
    let makes_threads = threads::may_be_made(whole, code, names);
    check_fork(code, names, makes_threads, found);
    if found.thread_exit.is_none() && makes_threads {
        let text = "the place where a thread ends (`__pthread_exit` calls `__pthread_tsd_run_dtors`) could not be \
        found: \
                    every thread that ends would leave its heap behind";
        let mut risk = Risk::heap(RiskKind::MissingHook, text);
        risk.address = any(&EXIT).map(|n| n.address);
        found.risks.push(risk);
    }
}

/// musl copies the image of thread-locals by `memcpy` while the thread pointer is still 0. A program without
/// thread-locals has no such image until it gets the heap's, so its own `memcpy` may rely on a thread pointer.
fn check_copy(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) {
    let is_first = whole.program.segment(elf::PT_TLS).is_none();
    let own = names.function(COPY).filter(|copy| {
        let mut functions = found.functions.iter();
        is_first && !functions.any(|f| f.address == copy.address)
    });
    let Some(own) = own else {
        return;
    };
    if code.reads_thread(&code.extent(own)) {
        let text = "the program's own `memcpy` uses the thread pointer, as code with a stack protector does: with the \
                    heap's thread-locals, musl would call it before there is one";
        let risk = Risk::heap(RiskKind::OwnCopy, text);
        found.risks.push(risk.at(own.address));
    }
}

/// Whether `fork` informs the heap (`identify/fork.rs`). If not, that is safe only in a program without other
/// threads.
fn check_fork(code: &Code<'_>, names: &Names, makes_threads: bool, found: &mut Functions) {
    let Some(fork) = names.function(fork::FORK).filter(|_| makes_threads) else {
        return;
    };
    let mut tells = names.functions.iter().filter(|n| n.name == fork::ATFORK);
    let references = code.references(&code.extent(fork));
    if !tells.any(|to| references.iter().any(|r| r.target == to.address)) {
        let text = format!("{}; expected {}", fork::FOUND, fork::EXPECTED);
        found
            .risks
            .push(Risk::heap(RiskKind::Fork, text).at(fork.address));
    }
}

fn thread_exit(code: &Code<'_>, names: &Names) -> Option<CallSite> {
    let exit = EXIT.iter().find_map(|name| names.function(name))?;
    let callee = names.function(DESTRUCTORS)?.address;
    let then = names.function(THEN).map(|n| n.address);
    let extent = code.extent(exit);
    let references = code.references(&extent);
    let calls = references
        .iter()
        .filter(|r| r.is_branch && !extent.contains(&r.target));
    let calls: Vec<_> = calls.collect();
    // Without keys it is at one address with other empty functions, which are called later.
    let is_it = |n: &usize| {
        let next = calls.get(n + 1).map(|c| c.target);
        calls[*n].target == callee && next != Some(callee) && (then.is_none() || next == then)
    };
    let site = (0..calls.len()).find(is_it).map(|n| calls[n])?;
    Some(CallSite {
        at: site.at,
        callee,
    })
}
