//! The kernel's records of events, as perf_event_open(2) has them.

use crate::hits::Sample;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// The words of a stack that come with a sample.
pub const STACK: usize = 32;

/// The registers that come with a sample, as bits: the stack's, the address and, where calls leave the way back in a
/// register, that one; on x86-64 the third argument's, which is the length of what musl copies, and the second one's, which
/// is the length of what it gives back to the kernel. In the order of their bits.
#[cfg(target_arch = "x86_64")]
pub const REGISTERS: u64 = 1 << LENGTH | 1 << GIVEN | 1 << 7 | 1 << 8;
/// The same of aarch64: x30, sp, pc.
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: u64 = 1 << 30 | 1 << 31 | 1 << 32;

/// The bit of rdx.
const LENGTH: u32 = 3;
/// The bit of rsi.
const GIVEN: u32 = 4;

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// A sample.
    Sample(Sample),
    /// A process mapped code: start, length, offset, file.
    Map(u32, [u64; 3], PathBuf),
    /// A process has a new program.
    Exec(u32),
    /// A thread, or the first one of a process: parent process, process, thread.
    Start(u32, u32, u32),
    /// A thread ended: process, thread.
    End(u32, u32),
    /// Records were lost.
    Lost(u64),
}

/// What happened, and when.
#[derive(Clone, Debug)]
pub struct Record {
    /// The kernel's time in nanoseconds.
    pub time: u64,
    /// What happened.
    pub what: What,
}

const MAP2: u32 = 10;
const LOST: u32 = 2;
const COMM: u32 = 3;
const EXIT: u32 = 4;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
/// In a record's `misc`: a name by exec; where a sample is from.
const COMM_EXEC: u16 = 1 << 13;
const MODE: u16 = 7;
const USER: u16 = 2;

/// Reads numbers from a record.
struct Numbers<'r>(&'r [u8]);

impl Numbers<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*first))
    }

    fn u64(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*first))
    }
}

impl Record {
    /// The record of that kind; `None` for those that do not matter here, and for broken ones.
    pub fn read(kind: u32, misc: u16, body: &[u8]) -> Option<Self> {
        if kind == SAMPLE {
            return sample(misc, body);
        }
        // Each other record ends with process, thread and time.
        let (head, time) = body.split_last_chunk()?;
        let time = u64::from_ne_bytes(*time);
        let mut numbers = Numbers(head);
        let what = match kind {
            MAP2 => {
                let process = numbers.u32()?;
                numbers.u32()?;
                let map = [numbers.u64()?, numbers.u64()?, numbers.u64()?];
                let name = numbers.0.get(32..)?;
                let end = name.iter().position(|b| *b == 0)?;
                What::Map(process, map, OsStr::from_bytes(&name[..end]).into())
            }
            COMM if misc & COMM_EXEC != 0 => What::Exec(numbers.u32()?),
            FORK => {
                let (process, parent) = (numbers.u32()?, numbers.u32()?);
                What::Start(parent, process, numbers.u32()?)
            }
            EXIT => {
                let (process, _) = (numbers.u32()?, numbers.u32()?);
                What::End(process, numbers.u32()?)
            }
            LOST => {
                numbers.u64()?;
                What::Lost(numbers.u64()?)
            }
            _ => return None,
        };
        Some(Self { time, what })
    }
}

fn sample(misc: u16, body: &[u8]) -> Option<Record> {
    let mut numbers = Numbers(body);
    let address = numbers.u64()?;
    let (process, thread) = (numbers.u32()?, numbers.u32()?);
    let time = numbers.u64()?;
    let mut sample = Sample {
        process,
        thread,
        address,
        kernel: misc & MODE != USER,
        call: None,
        length: None,
        stack: Vec::new(),
    };
    // Kernel threads, and a process that ends, have no registers of their own.
    let has_registers = numbers.u64()? != 0;
    let mut own = 0;
    if has_registers {
        for bit in (0..64).filter(|bit| REGISTERS >> bit & 1 != 0) {
            let value = numbers.u64()?;
            if cfg!(target_arch = "aarch64") && bit == 30 {
                sample.stack.push(value);
            }
            let length = if sample.kernel { GIVEN } else { LENGTH };
            if cfg!(target_arch = "x86_64") && bit == length {
                sample.length = Some(value);
            }
            // The address has the highest bit.
            own = value;
        }
    }
    if sample.kernel {
        sample.address = own;
    }
    let size = usize::try_from(numbers.u64()?).ok()?;
    if size != 0 && size <= numbers.0.len() {
        let (stack, rest) = numbers.0.split_at(size);
        let valid = usize::try_from(Numbers(rest).u64()?).ok()?.min(size);
        let words = stack[..valid].chunks_exact(8);
        let words = words.filter_map(|word| word.try_into().ok().map(u64::from_ne_bytes));
        sample.stack.extend(words);
    }
    Some(Record {
        time,
        what: What::Sample(sample),
    })
}
