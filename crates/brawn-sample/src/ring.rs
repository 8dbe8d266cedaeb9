//! The memory that the kernel writes its records to.

use crate::records::Record;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Pages of records, a power of two. With the first page it is what any user may lock for each processor.
const PAGES: usize = 64;
/// Where the first page has the ends of what was written and of what was read.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// An event and the memory of its records.
#[derive(Debug)]
pub struct Ring {
    memory: *mut u8,
    page: usize,
    _event: OwnedFd,
}

impl Ring {
    /// Maps the event's memory.
    pub fn new(event: OwnedFd) -> io::Result<Self> {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).unwrap_or(4096);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let size = page * (PAGES + 1);
        // SAFETY: the kernel chooses the address.
        let memory = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size,
                rights,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            memory: memory.cast(),
            page,
            _event: event,
        })
    }

    fn end(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the first page is mapped, and has an aligned number there that only the two ends write.
        unsafe { &*self.memory.add(at).cast::<AtomicU64>() }
    }

    /// Takes every record out of it.
    pub fn drain(&self, to: &mut Vec<Record>) {
        let size = self.page * PAGES;
        // SAFETY: the pages after the first are mapped. The kernel does not write between tail and head.
        let data = unsafe { self.memory.add(self.page) };
        let byte = |at: u64| {
            // SAFETY: as above; the offset is less than the size.
            unsafe { ptr::read_volatile(data.add((at % size as u64) as usize)) }
        };
        let head = self.end(HEAD).load(Ordering::Acquire);
        let mut at = self.end(TAIL).load(Ordering::Relaxed);
        let mut bytes = Vec::new();
        while head.saturating_sub(at) >= 8 {
            let header: [u8; 8] = std::array::from_fn(|n| byte(at + n as u64));
            let [a, b, c, d, e, f, g, h] = header;
            let length = u64::from(u16::from_ne_bytes([g, h]));
            if length < 8 || length > head - at {
                at = head;
                break;
            }
            bytes.clear();
            bytes.extend((at + 8..at + length).map(byte));
            let kind = u32::from_ne_bytes([a, b, c, d]);
            to.extend(Record::read(kind, u16::from_ne_bytes([e, f]), &bytes));
            at += length;
        }
        self.end(TAIL).store(at, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: it was mapped with that size, and nothing refers to it any more.
        unsafe { libc::munmap(self.memory.cast(), self.page * (PAGES + 1)) };
    }
}
