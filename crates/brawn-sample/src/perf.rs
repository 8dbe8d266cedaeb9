//! Samples by the kernel's processor clock: `perf_event_open(2)` with an event that forks and threads inherit.

use crate::records::{REGISTERS, Record, STACK};
use crate::ring::Ring;
use std::fs;
use std::io;
use std::mem::size_of;
use std::os::fd::{FromRawFd as _, OwnedFd};

/// `struct perf_event_attr` as of Linux 4.8; later kernels take it.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample: u64,
    read: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
    config2: u64,
    branches: u64,
    registers: u64,
    stack: u32,
    clock: i32,
    interrupted: u64,
    watermark: u32,
    depth: u16,
    reserved: u16,
}

const _: () = assert!(size_of::<Attributes>() == 112);

const SOFTWARE: u32 = 1;
const CPU_CLOCK: u64 = 0;
/// A sample's address, thread, time, registers, stack.
const SAMPLE: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 12 | 1 << 13;
const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const TASK: u64 = 1 << 13;
const ALL_HAVE_TIME: u64 = 1 << 18;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;
const CLOSE_ON_EXEC: u64 = 1 << 3;

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
    let mut attributes = Attributes {
        kind: SOFTWARE,
        size: size_of::<Attributes>() as u32,
        config: CPU_CLOCK,
        period,
        sample: SAMPLE,
        flags: DISABLED | INHERIT | EXCLUDE_HYPERVISOR | MMAP | COMM | ENABLE_ON_EXEC,
        registers: REGISTERS,
        stack: STACK as u32 * 8,
        ..Attributes::default()
    };
    attributes.flags |= TASK | ALL_HAVE_TIME | MMAP2 | COMM_EXEC;
    if !kernel {
        attributes.flags |= EXCLUDE_KERNEL;
    }
    // SAFETY: the kernel reads the attributes, whose size they tell, and gives a new file.
    let event = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            0,
            cpu,
            -1,
            CLOSE_ON_EXEC,
        )
    };
    let Ok(event) = i32::try_from(event) else {
        return Err(io::Error::other("perf_event_open gave no file"));
    };
    if event < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is new, and nothing else has it.
    Ring::new(unsafe { OwnedFd::from_raw_fd(event) })
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
