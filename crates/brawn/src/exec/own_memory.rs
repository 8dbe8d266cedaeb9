//! Takes brawn's own memory out of the program's peak.
//!
//! A process keeps its peak over `execve` (`ru_maxrss` in getrusage(2)). So if brawn becomes a program that needs less,
//! whoever asks for the program's peak would be told brawn's. Therefore, right before `execve`, brawn drops what it does
//! not need any more, and has the kernel count anew. What is left is what brawn has written to since it began.

use libc::{c_int, c_void, dl_phdr_info, size_t};
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd as _;

/// The most objects and segments that are dropped; brawn and its libraries have fewer.
const MOST: usize = 64;
/// How much of the stack stays, for the functions that run until `execve`.
const STACK: usize = 64 << 10;
/// How much of the stack below this is dropped. The kernel keeps more than that free of other mappings below the first thread's
/// stack; below another thread's there may be anything.
const USED_STACK: usize = 4 << 20;

/// What can be dropped.
pub struct OwnMemory {
    /// Begin and length of mappings of files to which nobody wrote.
    ranges: [(usize, usize); MOST],
    count: usize,
    /// The size of a page, less one.
    within: usize,
    /// Where the kernel is told to count anew (proc(5)). Where there is no /proc, the peak stays what it was.
    clear: Option<File>,
}

impl OwnMemory {
    /// Finds it. This is a step of its own, since code that runs after [`Self::forget`] brings memory back.
    pub fn look() -> Self {
        let clear = OpenOptions::new().write(true).open("/proc/self/clear_refs");
        let mut own = Self {
            ranges: [(0, 0); MOST],
            count: 0,
            within: page() - 1,
            clear: clear.ok(),
        };
        // SAFETY: `add` is as the call wants it, and gets what it wants; both live until the call returns.
        #[allow(unsafe_code)]
        unsafe {
            libc::dl_iterate_phdr(Some(add), (&raw mut own).cast())
        };
        own
    }

    /// Drops it.
    #[inline(always)]
    pub fn forget(&self) {
        let here = 0u8;
        let stack = (&raw const here).addr().saturating_sub(STACK) & !self.within;
        // SAFETY: the ranges have only what is in files, from which it comes back when it is used; what is below the
        // end of the first thread's stack belongs to functions that have returned. The bytes to write live.
        #[allow(unsafe_code)]
        unsafe {
            // glibc's heap keeps what was freed.
            #[cfg(target_env = "gnu")]
            libc::malloc_trim(0);
            let drop =
                |begin, length| libc::madvise(begin as *mut c_void, length, libc::MADV_DONTNEED);
            if libc::gettid() == libc::getpid() {
                drop(stack.saturating_sub(USED_STACK), USED_STACK);
            }
            for (begin, length) in &self.ranges[..self.count] {
                drop(*begin, *length);
            }
            if let Some(clear) = &self.clear {
                libc::write(clear.as_raw_fd(), b"5".as_ptr().cast(), 1);
            }
        }
    }
}

/// The size of a page.
fn page() -> usize {
    // SAFETY: a call with a number.
    #[allow(unsafe_code)]
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Adds an object's segments that may not be written to: code and constants. Constants with addresses in them, which the
/// dynamic linker writes before it takes the right to do so, are in a segment that may be written to.
///
/// # Safety
/// `object` is what `dl_iterate_phdr` gives, and `own` an [`OwnMemory`].
#[allow(unsafe_code)]
unsafe extern "C" fn add(object: *mut dl_phdr_info, _: size_t, own: *mut c_void) -> c_int {
    // SAFETY: the caller vouches for both; the object's headers describe what is mapped at its address.
    let (object, own, headers) = unsafe {
        let object = &*object;
        let headers = std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into());
        (object, &mut *own.cast::<OwnMemory>(), headers)
    };
    for header in headers {
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 && own.count < MOST {
            let begin = object.dlpi_addr as usize + header.p_vaddr as usize;
            let end = begin + header.p_memsz as usize;
            // The last page may also be the first one of the next segment.
            let (begin, end) = (begin & !own.within, end & !own.within);
            own.ranges[own.count] = (begin, end.saturating_sub(begin));
            own.count += 1;
        }
    }
    0
}
