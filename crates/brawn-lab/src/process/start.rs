//! Starts a program so that the clock begins with `execve`: the new process waits until its counters are set up.

use crate::process::job::Job;
use crate::process::{kernel, launcher};
use std::ffi::{CString, OsString, c_char};
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether programs begin with SIGPIPE ignored.
static PIPE_IS_IGNORED: AtomicBool = AtomicBool::new(false);

/// Says whether SIGPIPE was ignored when this process began: then it is for the programs that it runs. (Rust's runtime ignores
/// it in this process in any case.)
pub fn pipe_is_ignored(is_ignored: bool) {
    PIPE_IS_IGNORED.store(is_ignored, Ordering::Relaxed);
}

/// A process that waits for its start.
pub struct Waiting {
    /// Its number, and that of its process group.
    pub process: libc::pid_t,
    go: PipeWriter,
    started: Started,
}

/// A pipe that ends when the process has become another program, or has ended.
pub struct Started {
    pipe: PipeReader,
    /// Whether the process began as a copy of brawn: then its peak says how large that was.
    is_copy: bool,
}

impl Waiting {
    /// Lets it run.
    pub fn go(self) -> Started {
        // It waits for the end of this pipe.
        drop(self.go);
        self.started
    }
}

impl Started {
    /// Whether `execve` is done; until then, the process is not the program.
    pub fn is_over(&self) -> bool {
        kernel::is_over(&self.pipe)
    }

    /// How much memory the process had before it became the program, in bytes, and why `execve` failed, if it did.
    /// Call this after the process has ended.
    pub fn told(mut self) -> (u64, Option<io::Error>) {
        let mut before = [0; 8];
        if self.is_copy && self.pipe.read_exact(&mut before).is_err() {
            return (0, None);
        }
        let mut error = [0; 4];
        let is_error = self.pipe.read_exact(&mut error).is_ok();
        let error = is_error.then(|| io::Error::from_raw_os_error(i32::from_ne_bytes(error)));
        (u64::from_ne_bytes(before), error)
    }
}

/// What a new program gets, as C strings. They are made before its process exists, since the process must not allocate.
pub struct Strings {
    /// The program's file.
    pub path: CString,
    /// The arguments, its name the first.
    pub arguments: Vec<CString>,
    /// This process's environment with the variables in place of those of the same names.
    pub environment: Vec<CString>,
}

impl Strings {
    /// Those of the program at `path`, with these arguments and variables.
    ///
    /// # Errors
    /// If one of them has a zero byte.
    pub fn of<'a>(
        path: &Path,
        arguments: impl IntoIterator<Item = &'a OsString>,
        variables: &[(OsString, OsString)],
    ) -> io::Result<Self> {
        let pair = |(name, value): (OsString, OsString)| {
            CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())
        };
        let is_other = |name: &OsString| variables.iter().all(|(own, _)| own != name);
        let others = std::env::vars_os().filter(|(name, _)| is_other(name));
        let environment = others.chain(variables.iter().cloned()).map(pair);
        let arguments = arguments.into_iter().map(|a| CString::new(a.as_bytes()));
        Ok(Self {
            path: CString::new(path.as_os_str().as_bytes())?,
            arguments: arguments.collect::<Result<_, _>>()?,
            environment: environment.collect::<Result<_, _>>()?,
        })
    }
}

/// Pointers to strings, which have to outlive them, and null after the last one.
pub fn pointers<'s>(strings: impl IntoIterator<Item = &'s CString>) -> Vec<*const c_char> {
    let pointers = strings.into_iter().map(|s| s.as_ptr());
    pointers.chain([std::ptr::null()]).collect()
}

/// Makes the process that will become the program of `job`, with these files as its standard input and output.
pub fn start(job: &Job<'_>, files: [RawFd; 3]) -> io::Result<Waiting> {
    match begin(job, files, true)? {
        Some(waiting) => Ok(waiting),
        // Something here ends or refuses what brawn does without: a filter of system calls, an emulator.
        None => begin(job, files, false)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The same; with `launcher`, the process does not begin as a copy of brawn, if that can be had. `None` if the process
/// ended before it said its number.
fn begin(job: &Job<'_>, files: [RawFd; 3], launcher: bool) -> io::Result<Option<Waiting>> {
    let strings = Strings::of(job.path, job.arguments, job.variables)?;
    // The launcher gets the path as its first argument.
    let words = pointers(std::iter::once(&strings.path).chain(&strings.arguments));
    let environment = pointers(&strings.environment);
    let (wait, go) = io::pipe()?;
    let (mut pipe, tell) = io::pipe()?;
    let (go_end, wait_end, tell_end) = (go.as_raw_fd(), wait.as_raw_fd(), tell.as_raw_fd());
    let launcher = launcher
        .then(|| launcher::make(wait_end, tell_end).ok())
        .flatten();
    let launcher = launcher.as_ref().map_or(-1, |file| file.as_raw_fd());
    // SAFETY: the new process calls nothing but system calls until it is another program or ends, and reads memory that
    // was set up before: the arrays end with null, and their strings with zero.
    #[allow(unsafe_code)]
    let copy = unsafe {
        let process = libc::fork();
        if process == 0 {
            become_program(
                [words.as_ptr(), environment.as_ptr()],
                files,
                [go_end, wait_end, tell_end],
                launcher,
            );
        }
        process
    };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    drop((wait, tell));
    let mut number = [0; 4];
    let told = pipe.read_exact(&mut number);
    let process = i32::from_ne_bytes(number);
    let is_copy = process == copy;
    if !is_copy {
        let mut status = 0;
        // SAFETY: the place lives.  The launcher has ended, or is about to.
        #[allow(unsafe_code)]
        while unsafe { libc::waitpid(copy, &raw mut status, 0) } < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
    if told.is_err() || process <= 0 {
        return Ok(None);
    }
    // SAFETY: a call with numbers.
    #[allow(unsafe_code)]
    unsafe {
        libc::setpgid(process, process)
    };
    let started = Started { pipe, is_copy };
    Ok(Some(Waiting {
        process,
        go,
        started,
    }))
}

/// The new process's part.
///
/// # Safety
/// The two arrays are as `execve` wants them; the first one begins with the program's path, then come its arguments.
#[allow(unsafe_code)]
unsafe fn become_program(
    [words, environment]: [*const *const c_char; 2],
    files: [RawFd; 3],
    [go, wait, tell]: [RawFd; 3],
    launcher: RawFd,
) -> ! {
    // SAFETY: system calls with numbers, with memory of this function, and with what the caller vouches for.
    unsafe {
        for (number, file) in files.into_iter().enumerate() {
            if libc::dup2(file, number as RawFd) < 0 {
                libc::_exit(127);
            }
        }
        let pipe = match PIPE_IS_IGNORED.load(Ordering::Relaxed) {
            true => libc::SIG_IGN,
            false => libc::SIG_DFL,
        };
        libc::signal(libc::SIGPIPE, pipe);
        if launcher >= 0 {
            for pipe in [wait, tell] {
                libc::fcntl(pipe, libc::F_SETFD, 0);
            }
            let (empty, flag) = (c"".as_ptr(), libc::AT_EMPTY_PATH);
            libc::syscall(
                libc::SYS_execveat,
                launcher,
                empty,
                words,
                environment,
                flag,
            );
            for pipe in [wait, tell] {
                libc::fcntl(pipe, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
        let own = libc::getpid();
        libc::write(tell, (&raw const own).cast(), 4);
        libc::setpgid(0, 0);
        // If brawn is killed, the program is killed, too.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::close(go);
        let mut byte = 0u8;
        // The pipe ends when the process may run.
        while libc::read(wait, (&raw mut byte).cast(), 1) < 0 {}
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        let before = usage.ru_maxrss as u64 * 1024;
        libc::write(tell, (&raw const before).cast(), 8);
        libc::execve(*words, words.add(1), environment);
        let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        libc::write(tell, (&raw const error).cast(), 4);
        libc::_exit(127)
    }
}
