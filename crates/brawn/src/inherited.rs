//! What brawn got from whoever started it: which signals are ignored, and which standard files are closed.
//!
//! Rust's runtime ignores SIGPIPE before `main` begins, and opens /dev/null for standard files that are closed. A program
//! that brawn becomes or starts must not notice that. And brawn does not watch for a signal that it was told to ignore:
//! `nohup` and services of systemd do so. So this looks before the runtime does anything.

use libc::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

/// A bit for each signal that was ignored.
static IGNORED: AtomicU64 = AtomicU64::new(0);
/// A bit for each standard file that was closed.
static CLOSED: AtomicU64 = AtomicU64::new(0);

/// The loader calls it before the runtime begins.
#[used]
#[allow(unsafe_code)]
// SAFETY: the section has addresses of functions that are called with C's convention; this one needs nothing of the
// runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[allow(unsafe_code)]
extern "C" fn look() {
    let mut ignored = 0;
    for signal in 1..=64 {
        // SAFETY: zeros are a value of this type; the kernel fills it in.
        let was = unsafe {
            let mut was: libc::sigaction = std::mem::zeroed();
            (libc::sigaction(signal, std::ptr::null(), &raw mut was) == 0).then_some(was)
        };
        if was.is_some_and(|was| was.sa_sigaction == libc::SIG_IGN) {
            ignored |= bit(signal);
        }
    }
    IGNORED.store(ignored, Ordering::Relaxed);
    // SAFETY: a call with numbers.
    let is_closed = |file: &c_int| unsafe { libc::fcntl(*file, libc::F_GETFD) } < 0;
    let closed = (0..3)
        .filter(is_closed)
        .fold(0, |all, file| all | 1 << file);
    CLOSED.store(closed, Ordering::Relaxed);
}

fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// Whether a signal was ignored when brawn began.
pub fn is_ignored(signal: c_int) -> bool {
    IGNORED.load(Ordering::Relaxed) & bit(signal) != 0
}

/// Gives SIGPIPE back what it was, and lets `execve` close the standard files that were closed.  Makes only system calls, so
/// it may be called between `fork` and `execve`.
#[allow(unsafe_code)]
pub fn give_back() {
    let pipe = match is_ignored(libc::SIGPIPE) {
        true => libc::SIG_IGN,
        false => libc::SIG_DFL,
    };
    // SAFETY: these need nothing of this process.
    unsafe { libc::signal(libc::SIGPIPE, pipe) };
    let closed = CLOSED.load(Ordering::Relaxed);
    for file in (0..3).filter(|file| closed & 1 << file != 0) {
        // SAFETY: a call with numbers.
        unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
