//! Runs the command, and collects what the sources give until it ends.

use crate::hits::Hits;
use crate::maps::Maps;
use crate::perf::Clock;
use crate::records::{Record, What};
use crate::samples::{Mode, Samples};
use crate::stops;
use crate::waits::Waits;
use std::io;
use std::mem::zeroed;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Where samples come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// From the kernel's clock, or by stopping threads if that is forbidden.
    #[default]
    Best,
    /// From the kernel's clock only.
    Clock,
    /// By stopping threads.
    Stops,
}

/// The caller's wishes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where samples come from.
    pub source: Source,
    /// Samples in a second of processor time.
    pub hertz: u32,
    /// After this time the process is killed.
    pub limit: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: Source::Best,
            hertz: 1000,
            limit: None,
        }
    }
}

/// The pause between two looks at what came.
const PAUSE: Duration = Duration::from_millis(10);
/// Not a whole number of milliseconds, since programs that do something every millisecond would be seen wrongly.
const DETUNED: u64 = 1_003;

/// Runs the command and samples it until its process ends. What the process leaves behind is not waited for.
///
/// The command's process and its descendants are seen. What it reads and writes is as the caller set it up.
///
/// # Errors
/// The command cannot be started; no way to sample is open.
pub fn sample(command: &mut Command, options: &Options) -> io::Result<Samples> {
    let mut reason = None;
    if options.source != Source::Stops {
        let hertz = u64::from(options.hertz.clamp(1, 10_000));
        match Clock::open(1_000_000 * DETUNED / hertz) {
            Ok(clock) => return with_clock(command, &clock, options),
            Err(error) if options.source == Source::Clock => return Err(error),
            Err(error) => reason = Some(format!("perf_event_open: {error}")),
        }
    }
    let mut samples = stops::sample(command, options)?;
    samples.reason = reason;
    Ok(samples)
}

fn with_clock(command: &mut Command, clock: &Clock, options: &Options) -> io::Result<Samples> {
    let mut seen = Seen::new();
    let mut run = Run::start(command, options)?;
    seen.waits.start(run.child.id(), run.child.id());
    let mut ended = false;
    while !ended {
        std::thread::sleep(PAUSE);
        // Whatever comes after this belongs to what the process left behind.
        ended = run.has_ended()?;
        clock.drain(&mut seen.records);
        seen.sort(ended);
        if !ended {
            seen.waits.look(&seen.maps);
        }
    }
    let period = 1e-3 * DETUNED as f64 / f64::from(options.hertz.clamp(1, 10_000));
    let (mode, reason) = if clock.kernel {
        (Mode::Clock, None)
    } else {
        let why = "the kernel allows no samples of itself (perf_event_paranoid)";
        (Mode::UserClock, Some(why.to_owned()))
    };
    let mut samples = seen.into_samples(mode, &run, period);
    samples.reason = reason;
    Ok(samples)
}

/// A run and how it ended.
#[derive(Debug)]
pub struct Run {
    /// The process.
    pub child: Child,
    start: Instant,
    limit: Option<Duration>,
    processor: f64,
    wall: f64,
    user: f64,
    system: f64,
    status: i32,
}

impl Run {
    /// Starts it.
    pub fn start(command: &mut Command, options: &Options) -> io::Result<Self> {
        let start = Instant::now();
        Ok(Self {
            child: command.spawn()?,
            start,
            limit: options.limit,
            processor: processor_time(),
            wall: 0.0,
            user: 0.0,
            system: 0.0,
            status: 0,
        })
    }

    /// Whether the process has ended; if so, keeps how.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        self.check_limit()?;
        // SAFETY: all zeros is a value of it.
        let mut usage: libc::rusage = unsafe { zeroed() };
        let mut status = 0;
        let id = self.child.id().cast_signed();
        let options = libc::WNOHANG | libc::__WALL;
        // SAFETY: the kernel writes the two; the process is this one's child, and nothing else waits for it.
        match unsafe { libc::wait4(id, &raw mut status, options, &raw mut usage) } {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(false),
            _ => {
                self.ended(status, &usage);
                Ok(true)
            }
        }
    }

    /// Kills the process if it has run for too long.
    pub fn check_limit(&mut self) -> io::Result<()> {
        if self.limit.is_some_and(|limit| self.start.elapsed() > limit) {
            self.limit = None;
            self.child.kill()?;
        }
        Ok(())
    }

    /// The process has ended so.
    pub fn ended(&mut self, status: i32, usage: &libc::rusage) {
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
        self.wall = self.start.elapsed().as_secs_f64();
        (self.user, self.system) = (seconds(usage.ru_utime), seconds(usage.ru_stime));
        self.status = status;
    }
}

/// What was seen so far.
#[derive(Debug)]
pub struct Seen {
    /// The records that may be followed by earlier ones.
    pub records: Vec<Record>,
    /// The samples.
    pub hits: Hits,
    /// The mapped code.
    pub maps: Maps,
    /// The waits.
    pub waits: Waits,
    /// Samples that were lost.
    pub lost: u64,
    /// The time of the latest record of an earlier look.
    before: u64,
}

impl Seen {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            records: Vec::new(),
            hits: Hits::default(),
            maps: Maps::default(),
            waits: Waits::new(),
            lost: 0,
            before: 0,
        }
    }

    /// Takes the records in the order of their time. Those of one processor come in order. Another processor's may
    /// come a look later, so the newest wait.
    fn sort(&mut self, all: bool) {
        self.records.sort_by_key(|r| r.time);
        let last = self.records.last().map_or(0, |r| r.time);
        let is_due = |r: &Record| all || r.time <= self.before;
        let due = self.records.partition_point(is_due);
        self.before = last;
        let due: Vec<Record> = self.records.drain(..due).collect();
        for record in due {
            self.take(record.what);
        }
    }

    fn take(&mut self, what: What) {
        match what {
            What::Sample(sample) => self.hits.add(&self.maps, &sample),
            What::Map(process, [start, length, offset], path) => {
                self.maps.add(process, start, length, offset, &path);
            }
            What::Exec(process) => self.maps.clear(process),
            What::Start(parent, process, thread) => {
                self.maps.fork(parent, process);
                self.waits.start(process, thread);
            }
            What::End(process, thread) => self.waits.end(process, thread),
            What::Lost(count) => self.lost += count,
        }
    }

    /// The result.
    pub fn into_samples(self, mode: Mode, run: &Run, period: f64) -> Samples {
        Samples {
            mode,
            runs: 1,
            reason: None,
            period,
            threads: self.hits.threads(),
            hits: self.hits.into_hits(),
            waits: self.waits.into_waits(),
            files: self.maps.into_files(),
            lost: self.lost,
            wall: run.wall,
            user: run.user,
            system: run.system,
            cost: processor_time() - run.processor,
            status: run.status,
        }
    }
}

/// The processor time of this thread, in seconds.
pub fn processor_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
