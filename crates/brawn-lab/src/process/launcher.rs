//! The process that becomes a program, without brawn's memory.
//!
//! A process keeps its peak over `execve`, and `fork` gives it the memory of brawn to begin with. So a program that needs
//! less than brawn would have brawn's peak. Therefore brawn's copy first becomes the program below: an executable of a
//! page, which makes the process that is measured (`CLONE_PARENT`: a child of brawn's, not of its own) and ends. That
//! process begins to count at nothing, and has two pages when it becomes the program.
#![allow(unsafe_code)]

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{OwnedFd, RawFd};

// Its arguments are the program's path, and then the program's arguments. In front of the code are the numbers of two
// pipes: it waits for the end of the first one before it becomes the program; into the second one it writes the number of
// the new process, or an error of `clone`, and later an error of `execve`, if there is one.
// It is data to brawn itself.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(include_str!("launcher/x86_64.s"));

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(include_str!("launcher/aarch64.s"));

/// Where the executable lies in memory.
const PLACE: u64 = 0x40_0000;
/// The length of its headers.
const HEADERS: u64 = 64 + 2 * 56;
/// ELF's number of the architecture.
#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;

/// The two numbers and the code.
fn code() -> &'static [u8] {
    // SAFETY: both labels are above, in one section, the end behind the begin.
    unsafe {
        unsafe extern "C" {
            static brawn_launcher_begin: u8;
            static brawn_launcher_end: u8;
        }
        let begin = &raw const brawn_launcher_begin;
        let length = (&raw const brawn_launcher_end).addr() - begin.addr();
        std::slice::from_raw_parts(begin, length)
    }
}

/// The executable for these two pipes.
fn image(wait: RawFd, tell: RawFd) -> Vec<u8> {
    let code = code();
    let length = HEADERS + code.len() as u64;
    let mut all = b"\x7fELF\x02\x01\x01".to_vec();
    all.resize(16, 0);
    let (executable, version) = (2u16, 1u32);
    all.extend([executable.to_le_bytes(), MACHINE.to_le_bytes()].concat());
    all.extend(version.to_le_bytes());
    // Where it begins, the program headers, no section headers.
    for place in [PLACE + HEADERS + 8, 64, 0] {
        all.extend(place.to_le_bytes());
    }
    all.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 2, 64, 0, 0] {
        all.extend(half.to_le_bytes());
    }
    // The file, readable and executable, then a stack that is not executable.
    let stack = 0x6474_e551u32;
    for (kind, rights, numbers) in [
        (1u32, 5u32, [0, PLACE, PLACE, length, length, 0x1_0000]),
        (stack, 6, [0, 0, 0, 0, 0, 16]),
    ] {
        all.extend([kind.to_le_bytes(), rights.to_le_bytes()].concat());
        for number in numbers {
            all.extend(number.to_le_bytes());
        }
    }
    all.extend([wait.to_le_bytes(), tell.to_le_bytes()].concat());
    all.extend(&code[8..]);
    all
}

/// The executable for these two pipes, in a file without a name.
pub fn make(wait: RawFd, tell: RawFd) -> io::Result<OwnedFd> {
    let new = |flags| memfd_create("brawn-launcher", MemfdFlags::CLOEXEC | flags);
    // Since Linux 6.3, files without a name may be executed only if they are made so.
    let file = match new(MemfdFlags::EXEC) {
        Err(Errno::INVAL) => new(MemfdFlags::empty()),
        made => made,
    };
    let mut file = File::from(file?);
    file.write_all(&image(wait, tell))?;
    Ok(file.into())
}
