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
mod tests {
    use super::*;

    fn record(kind: u32, fields: &[u64], rest: &[u8]) -> Vec<u8> {
        let length = HEAD + 8 * fields.len() + rest.len().next_multiple_of(8);
        let mut bytes = Vec::new();
        for word in [length as u32, kind, 70, 71] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(5_u64.to_le_bytes());
        for field in fields {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(rest);
        bytes.resize(length, 0);
        bytes
    }

    fn file(records: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(62_u32.to_le_bytes());
        for word in [1_u64, 2, 3, 512 << 10] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(HEADER, 0);
        let records = records.concat();
        bytes.extend((records.len() as u64 + 8).to_le_bytes());
        bytes.extend(records);
        bytes
    }

    fn sample() -> Vec<u8> {
        let maps = b"400000-401000 r-xp 0 0:0 1 /x\n500000-501000 rw-p 0 0:0 1 /x\n";
        let image = record(1, &[0x400000, maps.len() as u64], maps);
        let taken = record(2, &[0x1000, 24, 4096, 0x400010, 0x7000, 0, 16], &[7; 16]);
        file(&[
            image,
            record(4, &[5, 900], &[]),
            taken,
            record(0, &[1], &[]),
            record(3, &[0x1000], &[]),
        ])
    }

    #[test]
    fn a_block_s_beginning_and_end_are_read() {
        let recording = Recording::parse(sample()).unwrap();
        assert_eq!((recording.lost, recording.interval), (3, 512 << 10));
        assert_eq!(recording.images, ["400000-401000 r-xp 0 0:0 1 /x\n"]);
        let [taken, given] = &recording.events[..] else {
            panic!("{:?}", recording.events)
        };
        assert_eq!((taken.process, taken.thread, taken.block), (70, 71, 0x1000));
        let of = taken.taken.as_ref().unwrap();
        assert_eq!((of.size, of.registers), (24, [0x400010, 0x7000, 0]));
        assert_eq!(recording.word(&of.stack, 8), Some(0x0707_0707_0707_0707));
        assert_eq!(recording.word(&of.stack, 16), None);
        assert!(given.taken.is_none() && given.block == 0x1000);
        assert_eq!((taken.time, given.time), (900, 900));
    }

    #[test]
    fn times_are_between_those_that_are_known() {
        let mut clock = Clock::default();
        assert_eq!(clock.nanoseconds(7), 0);
        clock.points = vec![(1000, 500_000)];
        assert_eq!(clock.nanoseconds(7), 500_000);
        // Two of them would have time go back.
        let strange = [(2500, 400_000), (1500, 900_000)];
        let right = [(3000, 501_000), (2000, 500_500), (5000, 501_500)];
        clock.points.extend(right.into_iter().chain(strange));
        clock.sort();
        let times = [900, 1000, 2000, 3000, 4000, 5000, 6000].map(|c| clock.nanoseconds(c));
        assert_eq!(times[1..6], [500_000, 500_500, 501_000, 501_250, 501_500]);
        // Outside by the mean: 1,500 ns in 4,000.
        assert_eq!((times[0], times[6]), (499_963, 501_875));
        assert!(clock.nanoseconds(u64::MAX) > times[6] && clock.nanoseconds(0) < times[0]);
    }

    #[test]
    fn what_is_cut_or_changed_is_no_panic() {
        let whole = sample();
        for length in 0..whole.len() {
            let _ = Recording::parse(whole[..length].to_vec());
        }
        for at in (0..64).chain(HEADER..whole.len()) {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                if let Ok(recording) = Recording::parse(changed) {
                    for event in &recording.events {
                        let stack = event.taken.as_ref().map(|t| t.stack.clone());
                        let _ = stack.map(|stack| recording.word(&stack, u64::MAX - 3));
                    }
                }
            }
        }
    }
}
