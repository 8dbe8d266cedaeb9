//! Samples by stopping the threads that run, and reading where they are: `ptrace(2)`. For where the kernel's clock is
//! forbidden, as in most containers.
//!
//! Only threads that the kernel says are running are stopped, so nothing that waits in the kernel is disturbed. All
//! else that ptrace brings up passes through: signals are delivered as they were, stopped processes stay stopped.

use crate::hits::Sample;
use crate::run::{Options, Run, Seen};
use crate::samples::{Mode, Samples};
use crate::waits::{processor_time, stack};
use brawn_lab::process::kernel;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time from one sample to the next.
const TICK: Duration = Duration::from_millis(5);
/// The time between two samples is at least this many times what one takes of a processor.
const SHARE: f64 = 40.0;
/// How often new threads and ends are looked for: the program waits for that.
const PAUSE: Duration = Duration::from_micros(500);
/// How long a thread may take until it stops: those that are in the kernel stop when they leave it.
const PATIENCE: Duration = Duration::from_millis(2);

const FOLLOW: i32 = libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;

#[derive(Clone, Copy, Debug)]
struct Thread {
    process: u32,
    /// Whether it was told to stop.
    asked: bool,
}

/// The threads that this thread traces.
struct Tracer {
    run: Run,
    seen: Seen,
    threads: BTreeMap<i32, Thread>,
    asked: usize,
    ended: bool,
}

/// Runs the command and samples it.
pub fn sample(command: &mut Command, options: &Options) -> io::Result<Samples> {
    let mut tracer = Tracer::start(command, options)?;
    let mut next = Instant::now() + TICK;
    while !tracer.ended {
        tracer.events()?;
        tracer.run.check_limit()?;
        let now = Instant::now();
        if now >= next && !tracer.ended {
            let before = processor_time();
            tracer.look()?;
            let took = Duration::try_from_secs_f64(SHARE * (processor_time() - before));
            next = now + TICK.max(took.unwrap_or(TICK));
        }
        if !tracer.ended {
            std::thread::sleep(PAUSE);
        }
    }
    tracer.leave();
    tracer.run.child.refuse_interrupted()?;
    let samples = tracer.seen.into_samples(Mode::Stops, &tracer.run, 0.0);
    let count = samples.count().max(1) as f64;
    Ok(Samples {
        period: (samples.user + samples.system) / count,
        ..samples
    })
}

/// Starts the command, traced and stopped before its first instruction.
fn start(command: &mut Command, options: &Options) -> io::Result<Run> {
    let armed = Arc::new(AtomicBool::new(true));
    let trace = {
        let armed = Arc::clone(&armed);
        move || {
            // SAFETY: it only changes the calling process.
            let done = !armed.load(Ordering::Relaxed)
                || unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } >= 0;
            done.then_some(()).ok_or_else(io::Error::last_os_error)
        }
    };
    // SAFETY: between fork and exec it only reads a flag and calls the kernel.
    unsafe { command.pre_exec(trace) };
    let run = Run::start(command, options);
    // The caller may use the command again.
    armed.store(false, Ordering::Relaxed);
    run
}

/// Waits until the thread stops. Gives its status, which is another one if it was killed.
fn wait(id: i32) -> io::Result<i32> {
    let mut status = 0;
    // SAFETY: the kernel writes the status.
    let found = unsafe { libc::waitpid(id, &raw mut status, libc::__WALL) };
    if found == id {
        Ok(status)
    } else {
        Err(io::Error::last_os_error())
    }
}

impl Tracer {
    /// A process that asked to be traced cannot be stopped from outside, so it is let go, stopped, and taken again.
    fn start(command: &mut Command, options: &Options) -> io::Result<Self> {
        let mut tracer = Self {
            run: start(command, options)?,
            seen: Seen::default(),
            threads: BTreeMap::new(),
            asked: 0,
            ended: false,
        };
        let id = tracer.run.child.id().cast_signed();
        let taken = || -> io::Result<()> {
            wait(id)?;
            let done = |result| {
                let failed: bool = result < 0;
                (!failed).then_some(()).ok_or_else(io::Error::last_os_error)
            };
            // SAFETY: the thread is stopped.
            done(unsafe { libc::ptrace(libc::PTRACE_DETACH, id, 0, libc::SIGSTOP) })?;
            // SAFETY: the thread is another one; the options are flags.
            done(unsafe { libc::ptrace(libc::PTRACE_SEIZE, id, 0, FOLLOW) })?;
            wait(id)?;
            // SAFETY: the thread is stopped, and stays so until it is told to continue.
            unsafe { libc::ptrace(libc::PTRACE_LISTEN, id, 0, 0) };
            // SAFETY: the process is a child that was not waited for.
            done(i64::from(unsafe { libc::kill(id, libc::SIGCONT) }))
        };
        if let Err(error) = taken() {
            tracer.run.child.stop();
            return Err(io::Error::new(error.kind(), format!("ptrace: {error}")));
        }
        tracer.add(id);
        Ok(tracer)
    }

    fn add(&mut self, id: i32) {
        let process = process_of(id).unwrap_or(id.cast_unsigned());
        let asked = false;
        self.threads.insert(id, Thread { process, asked });
        self.seen.waits.start(process, id.cast_unsigned());
    }

    /// Handles everything that has happened to traced threads.
    fn events(&mut self) -> io::Result<()> {
        loop {
            // Other threads of this process may wait for children of their own.
            let options = libc::WNOHANG | libc::__WALL | libc::__WNOTHREAD;
            let (id, status, usage) = match kernel::reap(-1, options) {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(()),
                // The process itself always leaves a status, unless someone else took it.
                Err(_) if self.ended => return Ok(()),
                Err(error) => return Err(error),
            };
            if libc::WIFSTOPPED(status) {
                self.stopped(id, status);
                continue;
            }
            self.forget(id);
            if id.cast_unsigned() == self.run.child.id() {
                self.run.ended(status, &usage);
                self.ended = true;
            }
        }
    }

    fn forget(&mut self, id: i32) {
        if let Some(thread) = self.threads.remove(&id) {
            self.asked -= usize::from(thread.asked);
            self.seen.waits.end(thread.process, id.cast_unsigned());
        }
    }

    fn stopped(&mut self, id: i32, status: i32) {
        if !self.threads.contains_key(&id) {
            self.add(id);
        }
        let signal = libc::WSTOPSIG(status);
        let proceed = |how, signal: i32| {
            // SAFETY: the thread is stopped; if it was killed meanwhile, nothing happens.
            unsafe { libc::ptrace(how, id, 0, signal) };
        };
        match status >> 16 {
            0 => proceed(libc::PTRACE_CONT, signal),
            libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => proceed(libc::PTRACE_LISTEN, 0),
            libc::PTRACE_EVENT_STOP => {
                self.read(id);
                proceed(libc::PTRACE_CONT, 0);
            }
            libc::PTRACE_EVENT_EXEC => {
                if let Some(thread) = self.threads.get(&id) {
                    self.seen.maps.clear(thread.process);
                }
                proceed(libc::PTRACE_CONT, 0);
            }
            _ => proceed(libc::PTRACE_CONT, 0),
        }
    }

    /// Stops the threads that run, and waits until they have stopped.
    fn look(&mut self) -> io::Result<()> {
        for (id, thread) in &mut self.threads {
            if !thread.asked && is_running(*id) {
                // SAFETY: the thread is traced, or is gone.
                let done = unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, *id, 0, 0) };
                thread.asked = done >= 0;
                self.asked += usize::from(thread.asked);
            }
        }
        let start = Instant::now();
        while self.asked > 0 && !self.ended && start.elapsed() < PATIENCE {
            self.events()?;
            std::thread::sleep(PATIENCE / 40);
        }
        self.seen.waits.look(&self.seen.maps);
        Ok(())
    }

    /// Takes a sample of a thread that has stopped because it was asked to.
    fn read(&mut self, id: i32) {
        let Some(thread) = self.threads.get_mut(&id).filter(|t| t.asked) else {
            return;
        };
        thread.asked = false;
        self.asked -= 1;
        let process = thread.process;
        let Some(place) = registers(id) else { return };
        let mut words = place.link.into_iter().collect::<Vec<u64>>();
        words.extend(stack(process, place.stack));
        let maps = &mut self.seen.maps;
        if !maps.knows(process) || maps.place(process, place.address).is_none() {
            maps.read(process);
        }
        let sample = Sample {
            process,
            thread: id.cast_unsigned(),
            address: place.address,
            kernel: place.call.is_some(),
            call: place.call,
            length: None,
            stack: words,
        };
        self.seen.hits.add(maps, &sample);
    }

    /// Lets go of what the process left behind.
    fn leave(&mut self) {
        let ids: Vec<i32> = self.threads.keys().copied().collect();
        for id in ids {
            // SAFETY: the thread is traced, or is gone.
            if unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, id, 0, 0) } < 0 {
                continue;
            }
            let mut status = 0;
            // SAFETY: the kernel writes the status. The thread stops or ends.
            let found = unsafe { libc::waitpid(id, &raw mut status, libc::__WALL) };
            if found == id && libc::WIFSTOPPED(status) {
                let is_signal = status >> 16 == 0;
                let signal = if is_signal { libc::WSTOPSIG(status) } else { 0 };
                // SAFETY: the thread is stopped.
                unsafe { libc::ptrace(libc::PTRACE_DETACH, id, 0, signal) };
            }
        }
    }
}

/// Where a stopped thread is.
struct Registers {
    address: u64,
    stack: u64,
    link: Option<u64>,
    call: Option<i64>,
}

/// One of a stopped thread's sets of registers.
fn set<T>(id: i32, kind: i32) -> Option<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let mut into = libc::iovec {
        iov_base: value.as_mut_ptr().cast(),
        iov_len: size_of::<T>(),
    };
    // SAFETY: the kernel writes at most that many bytes.
    let done = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, id, kind, ptr::from_mut(&mut into)) };
    // SAFETY: the types used are numbers, and the kernel wrote all of them.
    (done >= 0 && into.iov_len == size_of::<T>()).then(|| unsafe { value.assume_init() })
}

#[cfg(target_arch = "x86_64")]
fn registers(id: i32) -> Option<Registers> {
    let all: libc::user_regs_struct = set(id, libc::NT_PRSTATUS)?;
    let call = all.orig_rax.cast_signed();
    Some(Registers {
        address: all.rip,
        stack: all.rsp,
        link: None,
        call: (call >= 0).then_some(call),
    })
}

#[cfg(target_arch = "aarch64")]
fn registers(id: i32) -> Option<Registers> {
    const NT_ARM_SYSTEM_CALL: i32 = 0x404;
    let all: libc::user_regs_struct = set(id, libc::NT_PRSTATUS)?;
    let call: i32 = set(id, NT_ARM_SYSTEM_CALL).unwrap_or(-1);
    Some(Registers {
        address: all.pc,
        stack: all.sp,
        link: Some(all.regs[30]),
        call: (call >= 0).then_some(call.into()),
    })
}

/// Whether the thread runs, or waits for a processor: the letter after its name, which is in parentheses.
fn is_running(id: i32) -> bool {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let state = text.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|rest| rest.starts_with('R'))
}

/// The process that a thread belongs to.
fn process_of(thread: i32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    line.trim().parse().ok()
}
