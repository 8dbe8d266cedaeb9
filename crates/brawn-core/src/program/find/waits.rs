//! Finds the place where a program is about to wait: musl's `__syscall_cp`, by which all calls go in which a thread can be
//! cancelled. It is one jump. The payload comes between it and its target, and gives back what is free.
//!
//! `syscall` and `prctl` are replaced with it, where the program has musl's: by `syscall`, programs wait for a futex (Rust's
//! `thread::park`), and by both they may restrict their system calls.
//!
//! Nothing of this is a reason to refuse a program: one in which it is not found waits as before.

use super::code::Code;
use super::pass::pass;
use super::scan::Wanted;
use super::whole::Whole;
use super::{CallSite, Function, Functions, Left, heap, place, reach, wrappers};
use crate::component::Component;
use crate::elf::program::SymbolKind;
use crate::program::{branched, link};
use crate::signatures::database;
use crate::signatures::names::{Evidence, Named, Names};
use brawn_payload::Architecture;
use std::iter;

/// The function. It has one argument more than the kernel's calls.
const WAIT: &str = "__syscall_cp";
/// Functions whose code shows that a thread's structure is as in musl 1.2.2 to 1.2.6: the payload reads it. The second has a copy of
/// the first, which a linker may leave out then.
const THREAD: [&str; 2] = ["__init_tp", "__init_tls"];
/// Functions by which a program makes any of the kernel's calls, and what replaces them.
const SYSCALL: [&str; 2] = ["syscall", "brawn_attach_syscall"];
const PRCTL: [&str; 2] = ["prctl", "brawn_attach_prctl"];
/// Names that are looked up by their code, too.
pub const KNOWN: [&str; 5] = [WAIT, THREAD[0], THREAD[1], SYSCALL[0], PRCTL[0]];
/// A branch reaches 128 MiB on aarch64, and the payload lies behind the program.
const NEAR: u64 = 100 << 20;

/// What handlers of signals return to, which is in assembly: `mov $15,%rax; syscall` (musl, src/signal/x86_64/restore.s).
const RESTORE_X86_64: &[u8] = b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05";
/// The same on aarch64: `mov x8,#139; svc #0`.
const RESTORE_AARCH64: &[u8] = b"\x68\x11\x80\xd2\x01\0\0\xd4";
/// `rt_sigreturn` in the kernel's tables of calls.
const RT_SIGRETURN: [u32; 2] = [15, 139];

/// Finds the jump and what the payload needs beside it.
pub fn find(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) {
    let Some(wait) = jump(whole, code, names) else {
        return;
    };
    let (Some(restore), true) = (restore(whole, code), is_known(whole, names)) else {
        return;
    };
    let replaced = replaced(whole, code, names);
    if may_restrict(whole, code, names, &replaced) {
        return;
    }
    // `libc::find` may have listed them as left, since none of brawn's functions of libc takes their places. But they do not stay as they are.
    let mut gone: Vec<u64> = replaced.iter().map(|f| f.patch_at).collect();
    gone.extend([wait.at, code.behind_landing(wait.callee)]);
    let is_gone = |left: &Left| gone.contains(&code.behind_landing(left.address));
    found.left.retain(|left| !is_gone(left));
    found.functions.extend(replaced);
    found.functions.sort_by_key(|f| f.address);
    let host = &mut found.host;
    host.insert(link::HOST_SYSCALL_CP_C.to_owned(), wait.callee);
    host.insert(link::HOST_RESTORE_RT.to_owned(), restore);
    found.wait = Some(wait);
}

/// The jump that is all of `__syscall_cp`.
fn jump(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names) -> Option<CallSite> {
    let mut named = names.functions.iter().filter(|n| n.name == WAIT);
    let wait = named.next().filter(|_| named.next().is_none())?;
    let at = code.behind_landing(wait.address);
    let of = whole.program.architecture;
    let branch = branched::read(of, code.from(at)?, at)?;
    let is_it = !branch.is_call
        && branch.length == branched::instruction(of)
        && branch.target != wait.address
        && code.from(branch.target).is_some();
    let end = whole.program.loads().map(|s| s.addresses().end).max()?;
    (is_it && end - at < NEAR).then_some(CallSite {
        at,
        callee: branch.target,
    })
}

/// Whether the program's threads are those of a musl that brawn knows, and so is the function in which they wait.
fn is_known(whole: &Whole<'_, '_>, names: &Names) -> bool {
    let is_known = |name| known(whole, names, name).next().is_some();
    is_known(WAIT) && THREAD.into_iter().any(is_known)
}

/// The functions whose code shows that they are `name` of a musl that brawn knows. The user's own builds do not count: they may be of any musl.
fn known<'n>(
    whole: &Whole<'_, '_>,
    names: &'n Names,
    name: &str,
) -> impl Iterator<Item = &'n Named> {
    let builds = database::builds(whole.program.architecture).unwrap_or_default();
    let is_of = move |n: &&Named| match &n.evidence {
        Evidence::Symbol => false,
        Evidence::Signature(build) | Evidence::Reference(build) => {
            builds.iter().any(|b| b.name == *build)
        }
    };
    let named = names.functions.iter().filter(move |n| n.name == name);
    named.filter(is_of)
}

/// `syscall` and `prctl`, each if it is at one place, is musl's, and can be replaced.
fn replaced(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names) -> Vec<Function> {
    let mut replaced = Vec::new();
    for [name, target] in [SYSCALL, PRCTL] {
        let mut all = names.functions.iter().filter(|n| n.name == name);
        let (Some(only), None) = (all.next(), all.next()) else {
            continue;
        };
        if known(whole, names, name).next().is_none() {
            continue;
        }
        let mut alone = Functions::default();
        place::add(code, only, Component::Heap, &mut alone);
        place::measure(code, &mut alone);
        reach::check(whole, code, names, &heap::State::default(), &mut alone);
        if alone.risks.is_empty() {
            for function in &mut alone.functions {
                target.clone_into(&mut function.target);
            }
            replaced.append(&mut alone.functions);
        }
    }
    replaced
}

/// The code to which handlers return, if there is only one such place. With a second one, the payload would not see all handlers.
fn restore(whole: &Whole<'_, '_>, code: &Code<'_>) -> Option<u64> {
    let of = whole.program.architecture;
    let begin = match of {
        Architecture::X86_64 => RESTORE_X86_64,
        Architecture::Aarch64 => RESTORE_AARCH64,
    };
    let [site] = code.kernel_calls(number(of, RT_SIGRETURN))[..] else {
        return None;
    };
    // The call itself is the last instruction.
    let call = match of {
        Architecture::X86_64 => 2,
        Architecture::Aarch64 => 4,
    };
    let at = site.checked_sub(begin.len() as u64 - call)?;
    code.from(at)?.starts_with(begin).then_some(at)
}

/// One of a kernel call's numbers on x86_64 and aarch64.
fn number(of: Architecture, numbers: [u32; 2]) -> u32 {
    match of {
        Architecture::X86_64 => numbers[0],
        Architecture::Aarch64 => numbers[1],
    }
}

/// `prctl` and `seccomp` in the kernel's tables of calls, and the former's option `PR_SET_SECCOMP` (linux/prctl.h).
const PRCTL_CALL: [u32; 2] = [157, 167];
const SECCOMP_CALL: [u32; 2] = [317, 277];
const SET_SECCOMP: u64 = 22;

/// A program with more calls of `prctl` than this is not looked through.
const MOST: usize = 64;

/// Whether the program may have the kernel restrict its system calls without calling one of `replaced`, as far as its code tells.
/// Then the call in which it waits may be the only one that it is allowed, and the kernel would kill it when it gives memory back.
/// If in doubt, the answer is yes.
fn may_restrict(
    whole: &Whole<'_, '_>,
    code: &Code<'_>,
    names: &Names,
    replaced: &[Function],
) -> bool {
    let of = whole.program.architecture;
    let (prctl, seccomp) = (number(of, PRCTL_CALL), number(of, SECCOMP_CALL));
    if !code.kernel_calls(seccomp).is_empty() {
        return true;
    }
    let is_replaced = |name: &str| replaced.iter().any(|f| f.name == name);
    // By `syscall`, the number is the first argument; so it is by what other libraries have for it.
    let may_be_unseen = !is_replaced(SYSCALL[0]) && may_have(whole, names, SYSCALL[0]);
    let seen: Vec<u64> = replaced
        .iter()
        .flat_map(|f| [f.address, f.patch_at])
        .collect();
    let is_unseen = |number: u32| match may_be_unseen {
        true => !code.first_arguments(number).is_empty(),
        false => wrappers::is_called(code, number, &seen),
    };
    if is_unseen(prctl) || is_unseen(seccomp) {
        return true;
    }
    let mut named = names.functions.iter().filter(|n| n.name == PRCTL[0]);
    let function = named.next();
    if named.next().is_some() {
        return true;
    }
    let own = function.map_or(0..0, |n| code.extent(n));
    // Other code makes the call itself, as that of `pthread_setname_np`.
    let mut sites = code.kernel_calls(prctl);
    sites.retain(|at| !own.contains(at));
    if let Some(function) = function.filter(|_| !is_replaced(PRCTL[0])) {
        let at = function.address;
        // The program's own may be near its caller.
        if code.is_jumped_to(&(at..at + 1)) {
            return true;
        }
        for hit in pass(
            whole,
            code,
            &Wanted::new(iter::once(at..at + 1).collect()),
            &[at],
            &[],
        ) {
            let branch = code
                .from(hit.from)
                .and_then(|c| branched::read(of, c, hit.from));
            if !hit.is_code || branch.is_none_or(|branch| branch.target != at) {
                return true;
            }
            sites.push(hit.from);
        }
    }
    sites.len() > MOST || !restrict_nothing(whole, code, &sites)
}

/// Whether the program may have that function. `strip -x` takes local names out, and LTO makes names local.
fn may_have(whole: &Whole<'_, '_>, names: &Names, name: &str) -> bool {
    let is_symbol = |n: &Named| n.evidence == Evidence::Symbol;
    let has_global = names.function("__libc_start_main").is_some_and(is_symbol);
    let mut symbols = whole.program.symbols.iter();
    let has_local = symbols.any(|s| s.is_local && s.kind == SymbolKind::Function);
    !(has_global && has_local) || names.function(name).is_some()
}

/// Whether each of these calls of `prctl` has a known option that restricts nothing: the code puts the option into its register
/// and goes straight on from there to the call, and no other code leads into this part.
fn restrict_nothing(whole: &Whole<'_, '_>, code: &Code<'_>, sites: &[u64]) -> bool {
    let mut ranges = Vec::new();
    for site in sites {
        match code.straight_argument(*site) {
            Some((option, range)) if option != SET_SECCOMP && !code.is_jumped_to(&range) => {
                ranges.push(range);
            }
            _ => return false,
        }
    }
    pass(whole, code, &Wanted::new(ranges), &[], &[]).is_empty()
}
