//! The file that profile `trace` writes: `payload/heap/trace.h` says what is in it.

use brawn_core::arch::Isa;
use brawn_core::{Error, input};
use brawn_payload::Architecture;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"brawn heap trace";
const VERSION: u32 = 2;
const HEADER: usize = 4096;
const CHUNK: usize = 256 << 10;
/// Bytes of what every record begins with.
const HEAD: usize = 24;

/// A recording.
#[derive(Debug)]
pub struct Recording {
    bytes: Vec<u8>,
    /// Of the program.
    pub architecture: Isa,
    /// Bytes, on average, between two samples, at first.
    pub interval: u64,
    /// How many blocks should have been recorded, and could not be.
    pub lost: u64,
    /// What processes had in memory, each text of `/proc/PID/maps` once.
    pub images: Vec<String>,
    /// What happened, by time.
    pub events: Vec<Event>,
    /// The directory that was `/` to the processes, as it is seen from here: their files are looked for below it.
    pub root: PathBuf,
}

/// Something that happened to a block.
#[derive(Clone, Debug)]
pub struct Event {
    /// In nanoseconds, by `CLOCK_MONOTONIC`.
    pub time: u64,
    /// The process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// Which of the recording's images the process had.
    pub image: usize,
    /// The block's address.
    pub block: u64,
    /// Its beginning; `None` for its end.
    pub taken: Option<Taken>,
}

/// A block that a program asked for.
#[derive(Clone, Debug)]
pub struct Taken {
    /// In bytes, as it was asked for.
    pub size: u64,
    /// Bytes, on average, between two samples.
    pub interval: u64,
    /// Where who asked goes on, its stack pointer then, and its frame pointer.
    pub registers: [u64; 3],
    /// Its stack, from the stack pointer on: where in the recording that is.
    pub stack: Range<usize>,
}

impl Recording {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or is no recording.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = input::read(path).map_err(|e| input::failed("cannot read it", e).path(path))?;
        Self::parse(bytes).map_err(|error| error.path(path))
    }

    /// The same of bytes that were read.
    ///
    /// # Errors
    /// If they are no recording.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.get(..16) != Some(MAGIC) {
            return Err(Error::not_applicable("not a recording of a heap")
                .expected("what a program with profile `trace` wrote"));
        }
        let header = |at: usize| number(&bytes, at).unwrap_or(0);
        let (version, machine) = (header(16) as u32, (header(16) >> 32) as u16);
        if version != VERSION {
            let found = format!("a recording of version {version}");
            return Err(Error::malformed(found)
                .at(16)
                .expected(format!("version {VERSION}"))
                .next("use the brawn that the program was made with"));
        }
        let Some(architecture) = Architecture::from_elf_machine(machine).and_then(Isa::of) else {
            let found = format!("a recording of machine {machine}");
            return Err(Error::malformed(found)
                .at(20)
                .expected("62 (x86_64) or 183 (aarch64)"));
        };
        let (interval, lost) = (header(48), header(40));
        let mut all = Self {
            bytes,
            architecture,
            interval,
            lost,
            images: Vec::new(),
            events: Vec::new(),
            root: PathBuf::from("/"),
        };
        let (mut known, mut clock) = (HashMap::new(), Clock::default());
        for start in (HEADER..all.bytes.len()).step_by(CHUNK) {
            all.chunk(start, &mut known, &mut clock);
        }
        // Records of one thread are in order; a block's end and its next beginning may be of two.
        all.events.sort_by_key(|event| event.time);
        clock.sort();
        let mut latest = 0;
        for event in &mut all.events {
            latest = clock.nanoseconds(event.time).max(latest);
            event.time = latest;
        }
        Ok(all)
    }

    /// Reads a chunk's records.  A program may end at any time: what it has not finished is passed over.
    fn chunk(
        &mut self,
        start: usize,
        known: &mut HashMap<String, usize>,
        clock: &mut Clock,
    ) -> Option<()> {
        let taken = usize::try_from(number(&self.bytes, start)?).ok()?;
        let end = start + taken.min(CHUNK).min(self.bytes.len() - start);
        let mut at = start + 8;
        let mut image = None;
        while at + HEAD <= end {
            let word = number(&self.bytes, at)?;
            let (length, kind) = ((word & 0xffff_ffff) as usize, word >> 32);
            if length < HEAD || !length.is_multiple_of(8) || at + length > end {
                return None;
            }
            match kind {
                1 => image = Some(self.image(at..at + length, known)?),
                2 | 3 => {
                    let event = self.event(kind == 2, at..at + length, image?);
                    self.events.extend(event);
                }
                4 => {
                    let word = |offset| number(&self.bytes[..at + length], at + offset);
                    clock.points.extend(word(HEAD).zip(word(HEAD + 8)));
                }
                _ => {}
            }
            at += length;
        }
        Some(())
    }

    /// The number of a record's image.
    fn image(&mut self, record: Range<usize>, known: &mut HashMap<String, usize>) -> Option<usize> {
        let text = record.start + HEAD + 16;
        let length = usize::try_from(number(&self.bytes, record.start + HEAD + 8)?).ok()?;
        let bytes = self
            .bytes
            .get(text..text.checked_add(length)?.min(record.end))?;
        // Only what is code matters; a heap that grows makes no new image.
        let lines = String::from_utf8_lossy(bytes);
        let lines = lines.lines().filter(|line| {
            let rights = line.split(' ').nth(1);
            rights.is_some_and(|rights| rights.contains('x'))
        });
        let code: String = lines.flat_map(|line| [line, "\n"]).collect();
        let number = *known.entry(code).or_insert_with_key(|code| {
            self.images.push(code.clone());
            self.images.len() - 1
        });
        Some(number)
    }

    fn event(&self, is_taken: bool, record: Range<usize>, image: usize) -> Option<Event> {
        let field = |n: usize| {
            let at = record.start + HEAD + 8 * n;
            (at + 8 <= record.end).then(|| number(&self.bytes, at))?
        };
        let ids = number(&self.bytes, record.start + 8)?;
        let taken = match is_taken {
            true => {
                let stack = record.start + HEAD + 7 * 8;
                let length = usize::try_from(field(6)?).ok()?;
                Some(Taken {
                    size: field(1)?,
                    interval: field(2)?,
                    registers: [field(3)?, field(4)?, field(5)?],
                    stack: stack..stack.checked_add(length)?.min(record.end),
                })
            }
            false => None,
        };
        Some(Event {
            time: number(&self.bytes, record.start + 16)?,
            process: ids as u32,
            thread: (ids >> 32) as u32,
            image,
            block: field(0)?,
            taken,
        })
    }

    /// The word `offset` bytes into a stack.
    pub fn word(&self, stack: &Range<usize>, offset: u64) -> Option<u64> {
        let at = stack.start.checked_add(usize::try_from(offset).ok()?)?;
        (at + 8 <= stack.end).then(|| number(&self.bytes, at))?
    }
}

/// What the processor's counter was when the kernel's clock had these nanoseconds.
#[derive(Debug, Default)]
struct Clock {
    points: Vec<(u64, u64)>,
}

impl Clock {
    /// Puts the points in order, and drops as few as are needed for time not to go back: those of a process with a clock of its own
    /// (`unshare --time`), and what is damaged.
    fn sort(&mut self) {
        self.points.sort_unstable();
        self.points.dedup_by_key(|point| point.0);
        // The longest ascending row of clocks: `ends` has, by length, where the row with the smallest last clock ends.
        let clock = |n: &usize| self.points[*n].1;
        let mut ends: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = Vec::new();
        for n in 0..self.points.len() {
            let length = ends.partition_point(|end| clock(end) < clock(&n));
            before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
            match ends.get_mut(length) {
                Some(end) => *end = n,
                None => ends.push(n),
            }
        }
        let mut row = Vec::new();
        let mut next = ends.last().copied();
        while let Some(n) = next {
            row.push(self.points[n]);
            next = before[n];
        }
        row.reverse();
        self.points = row;
    }

    /// The clock when the counter was `counter`: between two points by a straight line, and outside by that through the first and the
    /// last one. With one point, all was then.
    fn nanoseconds(&self, counter: u64) -> u64 {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return 0;
        };
        let behind = self.points.partition_point(|(c, _)| *c <= counter);
        let inside = behind.checked_sub(1).zip(self.points.get(behind));
        let (from, to) = inside.map_or((first, last), |(before, to)| (&self.points[before], to));
        if from == to {
            return first.1;
        }
        let base = if behind == 0 {
            first
        } else {
            &self.points[behind - 1]
        };
        let slope = (to.1 - from.1) as f64 / (to.0 - from.0) as f64;
        let distance = counter.abs_diff(base.0) as f64 * slope;
        match counter < base.0 {
            true => base.1.saturating_sub(distance as u64),
            false => base.1.saturating_add(distance as u64),
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests;
