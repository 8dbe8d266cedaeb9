//! Finds the place where a program is about to wait: musl's `__syscall_cp`, by which all calls go in which a thread can be
//! cancelled. It is one jump. The payload comes between it and its target, and gives back what is free.
//!
//! Nothing of this is a reason to refuse a program: one in which it is not found waits as before.

use super::code::{Argument, Code};
use super::pass::{Hit, pass};
use super::scan::Wanted;
use super::whole::Whole;
use super::{CallSite, Functions};
use crate::program::{branched, link};
use crate::signatures::names::{Evidence, Named, Names};
use brawn_payload::Architecture;
use memchr::memmem;

/// The function. It has one argument more than the kernel's calls.
const WAIT: &str = "__syscall_cp";
/// Functions whose code shows that a thread's structure is as in musl 1.2.2 to 1.2.6: the payload reads it.
pub const THREAD: [&str; 1] = ["__init_tp"];
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
    let (Some(restore), true) = (restore(whole, code), is_known(names)) else {
        return;
    };
    if may_restrict(whole, code, names) {
        return;
    }
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

/// Whether the program's threads are those of a musl that brawn knows.
fn is_known(names: &Names) -> bool {
    let is_of = |n: &Named| THREAD.contains(&&*n.name) && n.evidence != Evidence::Symbol;
    names.functions.iter().any(is_of)
}

/// The code to which handlers return, if it is at one place: who brings another has handlers that the payload would not see.
fn restore(whole: &Whole<'_, '_>, code: &Code<'_>) -> Option<u64> {
    let of = whole.program.architecture;
    let mut all = code.kernel_calls(number(of, RT_SIGRETURN));
    match of {
        Architecture::X86_64 => {
            for (start, code) in &code.regions {
                all.extend(memmem::find_iter(code, RESTORE_X86_64).map(|at| start + at as u64));
            }
        }
        Architecture::Aarch64 => all.iter_mut().for_each(|at| *at -= 4),
    }
    let begins = |at: &u64| {
        let bytes = code.from(*at).unwrap_or_default();
        [RESTORE_X86_64, RESTORE_AARCH64]
            .iter()
            .any(|begin| bytes.starts_with(begin))
    };
    match all[..] {
        [one] => Some(one).filter(begins),
        _ => None,
    }
}

/// One of a kernel call's numbers on x86_64 and aarch64.
fn number(of: Architecture, numbers: [u32; 2]) -> u32 {
    match of {
        Architecture::X86_64 => numbers[0],
        Architecture::Aarch64 => numbers[1],
    }
}

/// `prctl` and `seccomp` in the kernel's tables of calls, and the former's option `PR_SET_SECCOMP` (linux/prctl.h).
const PRCTL: [u32; 2] = [157, 167];
const SECCOMP: [u32; 2] = [317, 277];
const SET_SECCOMP: u64 = 22;

/// Whether the program may have the kernel restrict its system calls. Then it may leave itself nothing but the one in which
/// it waits, and would be killed for giving memory back. In doubt it may.
fn may_restrict(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names) -> bool {
    let of = whole.program.architecture;
    let may = |site: u64| {
        let option = code.argument(site, Argument::First);
        option.is_none_or(|all| all.contains(&SET_SECCOMP))
    };
    // By `syscall`, the number is the first argument.
    let by_number = [PRCTL, SECCOMP].map(|numbers| code.calls_with(number(of, numbers)));
    if !code.kernel_calls(number(of, SECCOMP)).is_empty() || by_number.iter().any(|c| !c.is_empty())
    {
        return true;
    }
    let named = names.functions.iter().filter(|n| n.name == "prctl");
    let (prctl, extents): (Vec<u64>, Vec<_>) = named.map(|n| (n.address, code.extent(n))).unzip();
    let is_own = |at: &u64| extents.iter().any(|extent| extent.contains(at));
    // Other code makes the call itself, as that of `pthread_setname_np`.
    let others = code.kernel_calls(number(of, PRCTL)).into_iter();
    if others.filter(|at| !is_own(at)).any(may) {
        return true;
    }
    let wanted = Wanted::new(prctl.iter().map(|at| *at..at + 1).collect());
    let hits = pass(whole, code, &wanted, &prctl, &[]);
    let is_call = |hit: &Hit| {
        let branch = code
            .from(hit.from)
            .and_then(|c| branched::read(of, c, hit.from));
        branch.is_some_and(|branch| branch.target == hit.target)
    };
    hits.iter().any(|hit| !is_call(hit) || may(hit.from))
}
