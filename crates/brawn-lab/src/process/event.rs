//! `perf_event_open(2)`: counters and clocks of the kernel.

use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};

/// What is asked of the kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    /// `PERF_TYPE_…`.
    pub kind: u32,
    /// Which one of that kind.
    pub config: u64,
    /// How many events are between two samples.
    pub period: u64,
    /// `PERF_SAMPLE_…`.
    pub sample: u64,
    /// `PERF_FORMAT_…`.
    pub read: u64,
    /// The bits of this module, and others.
    pub flags: u64,
    /// The registers that are sampled, as `PERF_REG_…`.
    pub registers: u64,
    /// How many bytes of the stack are sampled.
    pub stack: u32,
}

/// `struct perf_event_attr` as of Linux 4.8.  Later kernels accept it; older ones, too, if the fields that they do not
/// know are zero.
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

/// It begins when it is enabled.
pub const DISABLED: u64 = 1;
/// Threads and children have it, too.
pub const INHERIT: u64 = 1 << 1;
/// Not what the kernel does.
pub const EXCLUDE_KERNEL: u64 = 1 << 5;
/// Not what the machine's host does.
pub const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
/// It begins with `execve`.
pub const ENABLE_ON_EXEC: u64 = 1 << 12;

const CLOSE_ON_EXEC: u64 = 1 << 3;

/// Opens an event of a process, 0 for this thread, on one processor or, with -1, on all.
///
/// # Errors
/// What the kernel says.
pub fn open(event: Event, process: libc::pid_t, cpu: i32) -> io::Result<OwnedFd> {
    let attributes = Attributes {
        kind: event.kind,
        size: size_of::<Attributes>() as u32,
        config: event.config,
        period: event.period,
        sample: event.sample,
        read: event.read,
        flags: event.flags,
        registers: event.registers,
        stack: event.stack,
        ..Attributes::default()
    };
    let no_group = -1;
    // SAFETY: the structure is as large as it says, and the kernel only reads it.
    #[allow(unsafe_code)]
    let file = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            process,
            cpu,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given this number, and nobody else knows it.
    #[allow(unsafe_code)]
    Ok(unsafe { OwnedFd::from_raw_fd(file as i32) })
}
