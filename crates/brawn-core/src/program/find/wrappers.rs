//! A program's own functions that can make any of the kernel's calls, such as Zig's `syscall3` and Chromium's `Syscall::Call`: they
//! get the call's number as their first argument.

use super::code::Code;
use super::step::{MOST, Step};
use super::{arm, x86};
use brawn_payload::Architecture;

/// How many functions may be between a number and the wrapper with the kernel's call.
const BETWEEN: usize = 1;

/// Whether the program calls such a function with `number`, as far as its code tells. The functions at `except` do not count: they may be
/// called with it.
pub fn is_called(code: &Code<'_>, number: u32, except: &[u64]) -> bool {
    let mut places = code.first_arguments(number).into_iter();
    places.any(|behind| {
        let mut steps = steps(code, behind).into_iter();
        let to = steps.find_map(|step| match step {
            Step::To(to) => Some(to),
            Step::Kernel => None,
        });
        to.is_some_and(|to| !except.contains(&to) && calls_kernel(code, to, BETWEEN))
    })
}

/// Whether the function at `address` calls the kernel with a number that it was given, or one that it calls does.
fn calls_kernel(code: &Code<'_>, address: u64, between: usize) -> bool {
    let steps = steps(code, address);
    let mut on = steps.iter().filter_map(|step| match step {
        Step::To(to) if between > 0 => Some(*to),
        _ => None,
    });
    steps.contains(&Step::Kernel) || on.any(|to| calls_kernel(code, to, between - 1))
}

/// The steps of the code at `address`, until it returns or goes elsewhere.
fn steps(code: &Code<'_>, address: u64) -> Vec<Step> {
    let bytes = code.from(address).unwrap_or_default();
    if !code.spend(MOST) {
        return Vec::new();
    }
    match code.architecture {
        Architecture::X86_64 => x86::steps(bytes, address),
        Architecture::Aarch64 => arm::steps(bytes, address),
    }
}
