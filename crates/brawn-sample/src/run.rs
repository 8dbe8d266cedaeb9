//! A run of the command, and what the sources have given of it.

use crate::hits::Hits;
use crate::maps::Maps;
use crate::records::{Record, What};
use crate::samples::{Mode, Samples};
use crate::waits::{Waits, processor_time};
use brawn_lab::process::child::Child;
use brawn_lab::process::kernel::Fields;
use std::io;
use std::os::fd::RawFd;
use std::process::Command;
use std::time::Duration;

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
    /// When this file becomes readable, the process is killed, and there are no samples.
    pub interrupt: Option<RawFd>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: Source::Best,
            hertz: 500,
            limit: None,
            interrupt: None,
        }
    }
}

/// The pauses between two looks at what came: the shortest one, which is kept where threads may wait for each other,
/// and the longest. A processor's memory for records holds those of more than half a second.
pub const PAUSES: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(100)];
/// A run and how it ended.
#[derive(Debug)]
pub struct Run {
    /// The process.
    pub child: Child,
    processor: f64,
    /// What is known without the samples. The pages are the largest peak of memory that was seen.
    known: Samples,
    /// How many of those pages were a file's, and when that was looked at.
    of_files: u64,
    looked: Duration,
}

impl Run {
    /// Starts it.
    pub fn start(command: &mut Command, options: &Options) -> io::Result<Self> {
        Ok(Self {
            child: Child::start(command, options.limit, options.interrupt)?,
            processor: processor_time(),
            known: Samples::default(),
            of_files: 0,
            looked: Duration::ZERO,
        })
    }

    /// Whether the process has ended; if so, keeps how.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        self.check_limit()?;
        let ended = self.child.ended()?;
        if let Some((status, usage)) = &ended {
            self.ended(*status, usage);
        }
        Ok(ended.is_some())
    }

    /// Kills the process if it has run for too long, or if all is to stop. Looks at its memory, now and then.
    pub fn check_limit(&mut self) -> io::Result<()> {
        let now = self.child.start.elapsed();
        if now >= self.looked + now / 8 + PAUSES[0] {
            self.looked = now;
            let seen = Pages::of(self.child.id());
            self.known.pages = self.known.pages.max(seen.peak);
            self.of_files = self.of_files.max(seen.of_files);
        }
        self.child.check_limit()
    }

    /// The process has ended so.
    pub fn ended(&mut self, status: i32, usage: &libc::rusage) {
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
        let known = &mut self.known;
        known.wall = self.child.start.elapsed().as_secs_f64();
        (known.user, known.system) = (seconds(usage.ru_utime), seconds(usage.ru_stime));
        known.faults = usage.ru_minflt.cast_unsigned();
        let most = usage.ru_maxrss.cast_unsigned() * 1024 / PAGE;
        // The kernel begins with the pages of the process that called exec: nearer than those it says nothing.
        if most > Pages::of(std::process::id()).peak {
            known.pages = most;
        }
        if known.pages == 0 {
            // Nobody knows: none of them is said to have come again.
            known.pages = known.faults;
        }
        // Pages of files come many by one fault, and no heap has them.
        let of_files = self.of_files.min(known.pages);
        known.pages -= of_files - of_files / AROUND;
        known.status = status;
    }
}

/// The size of a page, as far as shares of them matter.
const PAGE: u64 = 4096;

/// How many pages of a file the kernel maps by one fault, where it has them: 64 KiB.
const AROUND: u64 = 65536 / PAGE;

/// A process's pages; none if it is gone.
struct Pages {
    /// The most that it has had.
    peak: u64,
    /// Those of files that it has now.
    of_files: u64,
}

impl Pages {
    fn of(process: u32) -> Self {
        let fields = Fields::of(process, "status").ok();
        let kib = |name: &str| fields.as_ref().and_then(|fields| fields.kib(name));
        let pages = |name: &str| kib(name).unwrap_or(0) * 1024 / PAGE;
        Self {
            peak: pages("VmHWM:"),
            of_files: pages("RssFile:"),
        }
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
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
    /// Takes the records in the order of their time. Those of one processor come in order. Another processor's may
    /// come a look later, so the newest wait.
    pub fn sort(&mut self, all: bool) {
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
            period,
            threads: self.hits.threads(),
            hits: self.hits.into_hits(),
            waits: self.waits.into_waits(),
            files: self.maps.into_files(),
            lost: self.lost,
            cost: processor_time() - run.processor,
            ..run.known.clone()
        }
    }
}
