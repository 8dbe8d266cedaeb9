//! Signals that people send to brawn while it waits for a program, and mean for the program.
//!
//! Each of them is sent on. A terminal sends its signals to both, so only those are passed on that another process has sent to
//! brawn. What was ignored when brawn began stays ignored, by brawn and by the program.

use crate::inherited::is_ignored;
use libc::{c_int, c_void, siginfo_t};
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

/// Where the handler writes a byte for each signal.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Signals that are watched for.
pub struct Signals {
    pipe: PipeReader,
    _end: PipeWriter,
}

impl Signals {
    /// Watches from now on.
    pub fn watch() -> io::Result<Self> {
        let (pipe, end) = io::pipe()?;
        // A handler must not wait.
        rustix::fs::fcntl_setfl(&end, rustix::fs::OFlags::NONBLOCK)?;
        PIPE.store(end.as_raw_fd(), Ordering::Relaxed);
        // Without it, nobody could ask how the program ended.
        handle(libc::SIGCHLD)?;
        for signal in all().filter(|signal| !is_ignored(*signal)) {
            handle(signal)?;
        }
        Ok(Self { pipe, _end: end })
    }

    /// Waits for the program, and sends it what comes.
    pub fn wait(mut self, child: &mut Child) -> io::Result<ExitStatus> {
        let mut byte = [0];
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            match self.pipe.read(&mut byte) {
                Ok(_) if c_int::from(byte[0]) == libc::SIGCHLD => {}
                Ok(_) => send(child, byte[0].into()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // Soon the number may be another file's.
        PIPE.store(-1, Ordering::Relaxed);
    }
}

/// What a signal makes brawn say before it ends.
static LAST_WORDS: OnceLock<String> = OnceLock::new();

/// Lets those signals end brawn that ask for it, since the program has ended and brawn may wait for a reader of what it
/// writes. It says `words` then. What else comes late for the program goes nowhere.
pub fn end_at_signals(words: String) -> io::Result<()> {
    let _ = LAST_WORDS.set(words);
    let signals = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
    let mut watched = signals.into_iter().filter(|signal| !is_ignored(*signal));
    watched.try_for_each(|signal| set(signal, end as *const () as usize, libc::SA_RESETHAND))
}

/// Says the last words, and ends brawn as the signal does by default, which `SA_RESETHAND` has brought back.
#[allow(unsafe_code)]
extern "C" fn end(signal: c_int) {
    let words = LAST_WORDS.get().map_or("", |words| words);
    // SAFETY: these calls may be made in a handler; the bytes live as long as the process.
    unsafe {
        libc::write(2, words.as_ptr().cast(), words.len());
        libc::raise(signal);
    }
}

/// All that somebody may send to a program to tell it something.
fn all() -> impl Iterator<Item = c_int> {
    [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGALRM,
        libc::SIGTERM,
        libc::SIGWINCH,
        libc::SIGIO,
        libc::SIGPWR,
    ]
    .into_iter()
    .chain(libc::SIGRTMIN()..=libc::SIGRTMAX())
}

fn handle(signal: c_int) -> io::Result<()> {
    let flags = libc::SA_SIGINFO | libc::SA_RESTART;
    set(signal, on_signal as *const () as usize, flags)
}

/// Sets a handler, which has three arguments if `flags` say so, else one.
#[allow(unsafe_code)]
fn set(signal: c_int, handler: usize, flags: c_int) -> io::Result<()> {
    // SAFETY: zeros are a value of this type; the handler is one of the two above, with its own flags.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut())
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Notes that a signal came. It makes one system call, and keeps `errno`.
#[allow(unsafe_code)]
extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel gives a valid `info`; the byte lives until the call returns; `errno` is the thread's own.
    unsafe {
        // Above 0 are the kernel's own, which the program gets, too.
        if signal == libc::SIGCHLD || (*info).si_code <= 0 {
            let errno = *libc::__errno_location();
            let byte = signal as u8;
            libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1);
            *libc::__errno_location() = errno;
        }
    }
}

#[allow(unsafe_code)]
fn send(child: &Child, signal: c_int) {
    let Ok(process) = i32::try_from(child.id()) else {
        return;
    };
    // SAFETY: a call with numbers; the process was not waited for, so the number is still its own.
    unsafe { libc::kill(process, signal) };
}

/// Makes the program that `command` starts get what brawn got: the standard library would give it an empty signal mask and
/// SIGPIPE's default.
#[allow(unsafe_code)]
pub fn as_inherited(command: &mut Command) {
    // SAFETY: zeros are a value of this type; the call fills it in.
    let mask = unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
        mask
    };
    let give_back = move || {
        crate::inherited::give_back();
        // SAFETY: system calls with numbers and a set that lives.
        unsafe {
            if is_ignored(libc::SIGCHLD) {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
        }
        Ok(())
    };
    // SAFETY: it makes only system calls.
    unsafe { command.pre_exec(give_back) };
}
