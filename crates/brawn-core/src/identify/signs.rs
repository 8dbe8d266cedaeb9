//! Signs of a libc that stripping leaves: messages, notes, and code that was written by hand and is
//! therefore the same in every build.

use crate::identify::Memory;
use crate::identify::heap::{Found, Needle, SIGNS, Sure, needle};
use crate::read::image::{Image, Section};
use memchr::memmem;

/// musl's `__set_thread_area` on x86_64, which every static program runs before its main.
const SET_THREAD_AREA_X86_64: Needle =
    needle!(b"\x48\x89\xfe\xbf\x02\x10\x00\x00\xb8\x9e\x00\x00\x00\x0f\x05\xc3");
/// The same on aarch64: `msr tpidr_el0, x0; mov w0, #0; ret`.
const SET_THREAD_AREA_AARCH64: Needle =
    needle!(b"\x40\xd0\x1b\xd5\x00\x00\x80\x52\xc0\x03\x5f\xd6");
/// The beginning of musl's messages for errno.
const MUSL_MESSAGES: Needle =
    needle!(b"No error information\0Illegal byte sequence\0Domain error\0");
/// What every static glibc since 2.26 looks for in its environment.
const GLIBC_OPTION: Needle = needle!(b"GLIBC_TUNABLES");

/// The first instructions of musl's memcpy on x86_64.
const MEMCPY_X86_64: Needle = needle!(
    b"\x48\x89\xf8\x48\x83\xfa\x08\x72\x14\xf7\xc7\x07\x00\x00\x00\x74\x0c\xa4\x48\xff\xca"
);
/// The first instructions of musl's memcpy on aarch64: the ends of both blocks, and the first
/// comparison with 128.
const MEMCPY_AARCH64: Needle = needle!(b"\x24\x00\x02\x8b\x05\x00\x02\x8b\x5f\x00\x02\xf1");

/// `e_machine`.
const X86_64: u16 = 62;
const AARCH64: u16 = 183;

/// What says that musl is in the file.
pub fn musl(image: &Image<'_>) -> Option<&'static str> {
    let code = match image.ident.machine {
        X86_64 => Some(SET_THREAD_AREA_X86_64),
        AARCH64 => Some(SET_THREAD_AREA_AARCH64),
        _ => None,
    };
    if code.is_some_and(|code| in_code(image, code)) {
        return Some("the code of musl's __set_thread_area");
    }
    in_file(image, MUSL_MESSAGES).then_some("musl's messages for errno")
}

/// What says that a static glibc is in the file.
pub fn glibc(image: &Image<'_>) -> Option<&'static str> {
    if in_file(image, GLIBC_OPTION) {
        return Some("glibc's option for tuning");
    }
    // NT_GNU_ABI_TAG, which glibc's crt1.o carries and musl's does not.
    let is_tagged = image.notes.iter().any(|n| n.owner == b"GNU" && n.kind == 1);
    is_tagged.then_some("the ABI note of glibc's crt1.o")
}

/// Heaps by what they leave in stripped files.
pub fn heaps(image: &Image<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for sign in &SIGNS {
        if found.iter().any(|f| f.heap == sign.heap) || !in_file(image, sign.bytes) {
            continue;
        }
        found.push(Found::new(sign.heap, Sure::Likely, sign.what.to_string()));
    }
    found
}

/// Whose `memcpy` this code is.
pub fn memcpy(machine: u16, code: &[u8]) -> Memory {
    match pattern(machine) {
        None => Memory::Unknown,
        Some(pattern) if code.starts_with(&pattern.bytes()) => Memory::Musl,
        Some(_) => Memory::Other,
    }
}

/// Whether musl's `memcpy` is anywhere in the file's code.
pub fn has_musl_memcpy(image: &Image<'_>) -> bool {
    pattern(image.ident.machine).is_some_and(|pattern| in_code(image, pattern))
}

fn pattern(machine: u16) -> Option<Needle> {
    match machine {
        X86_64 => Some(MEMCPY_X86_64),
        AARCH64 => Some(MEMCPY_AARCH64),
        _ => None,
    }
}

/// The newest version of glibc's symbols that a dynamic file needs.
pub fn newest_glibc(image: &Image<'_>) -> Option<String> {
    let strings = image.sections.iter().find(|s| s.name == b".dynstr")?;
    let Section { data, .. } = strings;
    let newest = data
        .split(|b| *b == 0)
        .filter_map(|s| s.strip_prefix(b"GLIBC_"))
        .filter_map(|s| std::str::from_utf8(s).ok())
        .filter_map(|s| {
            let numbers: Option<Vec<u32>> = s.split('.').map(|n| n.parse().ok()).collect();
            Some((numbers?, s))
        })
        .max()?;
    Some(newest.1.to_string())
}

fn in_code(image: &Image<'_>, needle: Needle) -> bool {
    let needle = needle.bytes();
    let mut code = image.loads.iter().filter(|l| l.executable);
    code.any(|l| memmem::find(l.data, &needle).is_some())
}

fn in_file(image: &Image<'_>, needle: Needle) -> bool {
    let needle = needle.bytes();
    let mut loads = image.loads.iter();
    loads.any(|l| memmem::find(l.data, &needle).is_some())
}
