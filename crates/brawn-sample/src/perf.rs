//! Samples by the kernel's processor clock: `perf_event_open(2)` with an event that forks and threads inherit.

use crate::records::{REGISTERS, Record, STACK};
use crate::ring::Ring;
use brawn_lab::process::event::{
    self, DISABLED, ENABLE_ON_EXEC, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, Event, INHERIT,
};
use std::fs;
use std::io;

const SOFTWARE: u32 = 1;
const CPU_CLOCK: u64 = 0;
/// A sample's address, thread, time, registers, stack.
const SAMPLE: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 12 | 1 << 13;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
const TASK: u64 = 1 << 13;
const ALL_HAVE_TIME: u64 = 1 << 18;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;

/// The clock of whatever this thread starts next. It runs from the new program's first instruction on.
#[derive(Debug)]
pub struct Clock {
    rings: Vec<Ring>,
    /// Whether samples in the kernel are allowed.
    pub kernel: bool,
}

impl Clock {
    /// Opens it, with `period` nanoseconds from one sample to the next.
    pub fn open(period: u64) -> io::Result<Self> {
        let open = |kernel| -> io::Result<Self> {
            let rings = processors()
                .into_iter()
                .map(|cpu| ring(cpu, period, kernel));
            Ok(Self {
                rings: rings.collect::<io::Result<_>>()?,
                kernel,
            })
        };
        open(true).or_else(|_| open(false))
    }

    /// Takes the records so far.
    pub fn drain(&self, to: &mut Vec<Record>) {
        for ring in &self.rings {
            ring.drain(to);
        }
    }
}

fn ring(cpu: i32, period: u64, kernel: bool) -> io::Result<Ring> {
    let mut event = Event {
        kind: SOFTWARE,
        config: CPU_CLOCK,
        period,
        sample: SAMPLE,
        flags: DISABLED | INHERIT | EXCLUDE_HYPERVISOR | MMAP | COMM | ENABLE_ON_EXEC,
        registers: REGISTERS,
        stack: STACK as u32 * 8,
        ..Event::default()
    };
    event.flags |= TASK | ALL_HAVE_TIME | MMAP2 | COMM_EXEC;
    if !kernel {
        event.flags |= EXCLUDE_KERNEL;
    }
    let this_thread = 0;
    Ring::new(event::open(event, this_thread, cpu)?)
}

/// The processors that run: "0-3,6".
fn processors() -> Vec<i32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let ranges = text.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<i32>().ok()?..=last.parse().ok()?)
    });
    let found: Vec<i32> = ranges.flatten().collect();
    if !found.is_empty() {
        return found;
    }
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    (0..i32::try_from(count).unwrap_or(1)).collect()
}
