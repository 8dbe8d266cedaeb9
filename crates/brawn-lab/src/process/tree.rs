//! Runs one program and everything that it starts, and measures all of it.
//!
//! The kernel gives orphans below this process to it (`PR_SET_CHILD_SUBREAPER`), so that none escapes: a daemon is
//! ended together with the program that left it, and its work is counted.  So **a process that measures must not have
//! other children**: they would be ended and waited for, too.

use crate::process::counters::Counters;
use crate::process::descent::{self, Memory};
use crate::process::figures::Figures;
use crate::process::job::{End, Failure, Job, Kept, Output, Run};
use crate::process::kernel;
use crate::process::moments::{Moments, STEP};
use crate::process::start;
use std::fs::File;
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// A process's peak starts with the peak of the process that called `execve`, and the kernel counts in steps of some pages
/// for each processor. So a peak that is closer to it than this says nothing about the program. (Before `execve`, there
/// are two pages, or a copy of brawn where nothing else can be had.)
const SLACK: u64 = 256 << 10;
/// How long to wait for processes that do not end although they were killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs `job`.
///
/// # Errors
/// See [`Failure`].
pub fn run(job: &Job<'_>) -> Result<Run, Failure> {
    let system = |what| move |error| Failure::System(what, error);
    take_in_orphans().map_err(system("cannot take in orphans"))?;
    let input = job.input.unwrap_or(Path::new("/dev/null"));
    let input = File::open(input).map_err(system("cannot open the input"))?;
    let mut streams = Streams::new(job.output).map_err(system("cannot make a pipe"))?;
    let files = [
        input.as_raw_fd(),
        streams.ends[0].as_raw_fd(),
        streams.ends[1].as_raw_fd(),
    ];
    let waiting = start::start(job, files).map_err(system("cannot start a process"))?;
    let process = waiting.process;
    let watched = kernel::handle(process).inspect_err(|_| end_all(process, &mut Sum::default()));
    let watched = watched.map_err(system("cannot watch a process by pidfd_open, of Linux 5.3"))?;
    let counters = Counters::open(process, job.counters);
    // The program has them by now.
    streams.ends.clear();
    let mut moments = Moments::default();
    let begin = Instant::now();
    let started = waiting.go();
    let waited = wait(
        job,
        begin,
        &watched,
        &mut streams,
        (process, &started),
        &mut moments,
    );
    let wall = begin.elapsed();
    let mut sum = Sum::default();
    if matches!(waited, Ok(Waited::Over)) {
        sum.reap(process, 0);
    }
    end_all(process, &mut sum);
    let drained = streams.drain();
    match waited.map_err(system("cannot wait for a process"))? {
        Waited::Interrupted => return Err(Failure::Interrupted),
        Waited::Limit => sum.end = Some(End::Limit),
        Waited::Over => drained.map_err(system("cannot read the program's output"))?,
    }
    let (before, error) = started.told();
    if let Some(error) = error {
        return Err(Failure::Start(error));
    }
    let mut figures = sum.figures;
    figures.is_peak_bound = figures.peak_rss <= before + SLACK;
    figures.wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    counters.read(&mut figures);
    Ok(Run {
        end: sum.end.unwrap_or(End::Limit),
        figures,
        output: streams.kept,
        moments: moments.all,
    })
}

/// Tells the kernel to give orphans below this process to it.
///
/// # Errors
/// The kernel cannot.
pub fn take_in_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// What [`wait`] came back for.
enum Waited {
    Over,
    Limit,
    Interrupted,
}

/// Waits until the program ends, its time is over, or everything should stop. Meanwhile, reads its output and watches
/// its memory.
fn wait(
    job: &Job<'_>,
    begin: Instant,
    watched: &OwnedFd,
    streams: &mut Streams,
    process: (libc::pid_t, &start::Started),
    moments: &mut Moments,
) -> io::Result<Waited> {
    let (process, started) = process;
    let mut next_look = job.watch.then_some(Duration::ZERO);
    loop {
        let now = begin.elapsed();
        if job.limit.is_some_and(|limit| now >= limit) {
            return Ok(Waited::Limit);
        }
        let is_due = next_look.is_some_and(|at| now >= at);
        if is_due && !started.is_over() {
            next_look = Some(now + STEP);
        } else if is_due {
            moments.add(now, Memory::of_tree(process));
            // Watching takes at most a tenth of the time.
            let cost = begin.elapsed().saturating_sub(now);
            next_look = Some(begin.elapsed() + (cost * 9).max(moments.step));
        }
        let until = [job.limit, next_look].into_iter().flatten().min();
        let left = until.map(|until| until.saturating_sub(begin.elapsed()));
        let files = [
            Some(watched.as_raw_fd()),
            job.interrupt.map(|file| file.as_raw_fd()),
            streams.pipes[0].as_ref().map(|pipe| pipe.as_raw_fd()),
            streams.pipes[1].as_ref().map(|pipe| pipe.as_raw_fd()),
        ];
        let ready = kernel::poll(files, left)?;
        if ready[1] {
            return Ok(Waited::Interrupted);
        }
        if ready[0] {
            return Ok(Waited::Over);
        }
        for stream in [0, 1] {
            if ready[2 + stream] {
                streams.read(stream)?;
            }
        }
    }
}

/// A program's standard output and standard error.
#[derive(Default)]
struct Streams {
    ends: Vec<OwnedFd>,
    pipes: [Option<PipeReader>; 2],
    kept: [Kept; 2],
    most: usize,
}

impl Streams {
    fn new(output: Output) -> io::Result<Self> {
        let mut streams = Self::default();
        for (number, pipe) in streams.pipes.iter_mut().enumerate() {
            streams.ends.push(match output {
                Output::Nowhere => File::options().write(true).open("/dev/null")?.into(),
                Output::Shown if number == 0 => clone(&io::stdout())?,
                Output::Shown => clone(&io::stderr())?,
                Output::Kept(most) => {
                    let (read, write) = io::pipe()?;
                    streams.most = most;
                    *pipe = Some(read);
                    write.into()
                }
            });
        }
        Ok(streams)
    }

    /// Reads the available bytes of one stream.
    fn read(&mut self, stream: usize) -> io::Result<()> {
        let Some(pipe) = &mut self.pipes[stream] else {
            return Ok(());
        };
        let mut bytes = [0; 65536];
        let count = match pipe.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            count => count?,
        };
        if count == 0 {
            self.pipes[stream] = None;
        }
        let kept = &mut self.kept[stream];
        let room = self.most.saturating_sub(kept.bytes.len());
        kept.bytes.extend_from_slice(&bytes[..count.min(room)]);
        kept.length += count as u64;
        Ok(())
    }

    /// Reads the rest; no process writes any more.
    fn drain(&mut self) -> io::Result<()> {
        for stream in [0, 1] {
            while self.pipes[stream].is_some() {
                self.read(stream)?;
            }
        }
        Ok(())
    }
}

fn clone(file: &impl std::os::fd::AsFd) -> io::Result<OwnedFd> {
    file.as_fd().try_clone_to_owned()
}

/// What all processes that have been waited for used.
#[derive(Debug, Default)]
struct Sum {
    end: Option<End>,
    figures: Figures,
}

impl Sum {
    /// Waits for `process`, or for any process if it is -1, and adds what it used.  Returns whether one had ended;
    /// `None` if there is no process at all.
    fn reap(&mut self, process: libc::pid_t, options: libc::c_int) -> Option<bool> {
        let Some((_, status, usage)) = kernel::reap(process, options).ok()? else {
            return Some(false);
        };
        if process > 0 {
            self.end = Some(match libc::WIFEXITED(status) {
                true => End::Exit(libc::WEXITSTATUS(status)),
                false => End::Signal(libc::WTERMSIG(status)),
            });
        }
        self.add(&usage);
        Some(true)
    }

    fn add(&mut self, usage: &libc::rusage) {
        let time = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
        let sum = &mut self.figures;
        sum.user_ns += time(usage.ru_utime);
        sum.system_ns += time(usage.ru_stime);
        // The kernel counts in KiB.
        sum.peak_rss = sum.peak_rss.max(usage.ru_maxrss as u64 * 1024);
        sum.minor_faults += usage.ru_minflt as u64;
        sum.major_faults += usage.ru_majflt as u64;
        sum.voluntary += usage.ru_nvcsw as u64;
        sum.involuntary += usage.ru_nivcsw as u64;
    }
}

/// Ends every process below this one, and waits for them. Returns how many there were.
pub fn end_left() -> u32 {
    let mut sum = Sum::default();
    end_all(0, &mut sum);
    sum.figures.left_behind
}

/// Ends everything that is left of the tree of `process`, and waits for it.
fn end_all(process: libc::pid_t, sum: &mut Sum) {
    let own = std::process::id() as libc::pid_t;
    let mut ended = std::collections::BTreeSet::new();
    let begin = Instant::now();
    // A process with more rights than this one may stay.
    while begin.elapsed() < PATIENCE {
        match sum.reap(-1, libc::WNOHANG) {
            None => break,
            Some(true) => continue,
            Some(false) => {}
        }
        // SAFETY: a call with numbers.  The group's number is not another's: one of its processes was not waited for,
        // or else there is none with it.
        #[allow(unsafe_code)]
        let kill = |process| unsafe { libc::kill(process, libc::SIGKILL) };
        if process > 0 {
            kill(-process);
        }
        for process in descent::below(own) {
            if kill(process) == 0 {
                ended.insert(process);
            }
        }
        // One of them ends now, unless it waits for the disk.
        std::thread::sleep(Duration::from_micros(200));
    }
    sum.figures.left_behind = u32::try_from(ended.len()).unwrap_or(u32::MAX);
}
