//! Signs of a libc that stay after stripping: messages, notes, and code in assembly, which is the same in every
//! build.

use crate::arch::traits;
use crate::elf::image::Image;
use crate::identify::Memory;
use crate::identify::heap::{FoundHeap, SIGNS, Sure};
use crate::needle::{Needle, needle};
use aho_corasick::{Span, packed};
use brawn_payload::Architecture;
use memchr::memmem;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

/// The first of musl's messages for errno.
const MUSL_MESSAGES: Needle =
    needle!(b"No error information\0Illegal byte sequence\0Domain error\0");
/// The environment variable that every static glibc since 2.26 reads.
const GLIBC_OPTION: Needle = needle!(b"GLIBC_TUNABLES");

/// One search looks for all of these: first every one of [`SIGNS`], then the following needles, then the code of each
/// architecture.
const MESSAGES: usize = SIGNS.len();
const OPTION: usize = SIGNS.len() + 1;
const CODE: usize = SIGNS.len() + 2;

/// Code of musl's that is known of some architectures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    SetThreadArea,
    Memcpy,
}

impl Code {
    fn of(self, architecture: Architecture) -> Option<(Needle, usize)> {
        let traits = traits(architecture);
        match self {
            Self::SetThreadArea => traits.set_thread_area,
            Self::Memcpy => traits.memcpy,
        }
    }
}

/// Every code that is known, with its architecture, in the order of its needles from [`CODE`] on.
fn codes() -> impl Iterator<Item = (Architecture, Code, (Needle, usize))> {
    let all = Architecture::ALL.into_iter();
    let all = all.flat_map(|a| [Code::SetThreadArea, Code::Memcpy].map(|code| (a, code)));
    all.filter_map(|(a, code)| Some((a, code, code.of(a)?)))
}

/// Every needle, with the position in it where its search starts.
fn needles() -> Vec<(Needle, usize)> {
    let signs = SIGNS.iter().map(|sign| (sign.bytes, sign.from));
    let texts = [(MUSL_MESSAGES, 0), (GLIBC_OPTION, 0)];
    let codes = codes().map(|(_, _, needle)| needle);
    signs.chain(texts).chain(codes).collect()
}

/// Searches for all needles at once.
struct Search {
    whole: Vec<Vec<u8>>,
    from: Vec<usize>,
    /// `None` if the processor lacks the instructions for it.
    packed: Option<packed::Searcher>,
}

fn search() -> &'static Search {
    static SEARCH: OnceLock<Search> = OnceLock::new();
    SEARCH.get_or_init(|| {
        let needles = needles();
        let whole: Vec<Vec<u8>> = needles.iter().map(|(needle, _)| needle.bytes()).collect();
        let from: Vec<usize> = needles.iter().map(|(_, from)| *from).collect();
        let parts = whole.iter().zip(&from).map(|(bytes, from)| &bytes[*from..]);
        Search {
            packed: packed::Searcher::new(parts),
            whole,
            from,
        }
    })
}

impl Search {
    /// Calls `found` with the number and the place of each needle in `bytes`.
    fn run(&self, bytes: &[u8], mut found: impl FnMut(usize, usize)) {
        let Some(packed) = &self.packed else {
            for (number, whole) in self.whole.iter().enumerate() {
                memmem::find_iter(bytes, whole).for_each(|at| found(number, at));
            }
            return;
        };
        let mut from = 0;
        while let Some(hit) = packed.find_in(bytes, Span::from(from..bytes.len())) {
            let number = hit.pattern().as_usize();
            let start = hit.start().checked_sub(self.from[number]);
            let start = start.filter(|at| bytes[*at..].starts_with(&self.whole[number]));
            if let Some(start) = start {
                found(number, start);
            }
            from = hit.start() + 1;
        }
    }
}

/// The needles found in a file. One pass over its loaded parts finds all of them, at the first question.
pub struct Traces<'i, 'a> {
    image: &'i Image<'a>,
    found: OnceCell<Vec<bool>>,
}

impl<'i, 'a> Traces<'i, 'a> {
    /// For `image`; nothing is searched yet.
    pub fn new(image: &'i Image<'a>) -> Self {
        Self {
            image,
            found: OnceCell::new(),
        }
    }

    fn has(&self, number: usize) -> bool {
        self.found.get_or_init(|| pass(self.image))[number]
    }

    /// The evidence for musl in the file.
    pub fn musl(&self) -> Option<&'static str> {
        if self.has_code(Code::SetThreadArea) {
            return Some("the code of musl's __set_thread_area");
        }
        self.has(MESSAGES).then_some("musl's messages for errno")
    }

    /// The evidence for a static glibc in the file.
    pub fn glibc(&self) -> Option<&'static str> {
        if self.has(OPTION) {
            return Some("glibc's option for tuning");
        }
        // NT_GNU_ABI_TAG, which glibc's crt1.o carries and musl's does not.
        let mut notes = self.image.notes.iter();
        let is_tagged = notes.any(|n| n.owner == b"GNU" && n.kind == 1);
        is_tagged.then_some("the ABI note of glibc's crt1.o")
    }

    /// Heaps, by their signs in stripped files.
    pub fn heaps(&self) -> Vec<FoundHeap> {
        let mut found: Vec<FoundHeap> = Vec::new();
        for (number, sign) in SIGNS.iter().enumerate() {
            if !found.iter().any(|f| f.heap == sign.heap) && self.has(number) {
                let what = sign.what.to_string();
                found.push(FoundHeap::new(sign.heap, Sure::Likely, what));
            }
        }
        found
    }

    /// Whether musl's `memcpy` is anywhere in the file's code.
    pub fn has_musl_memcpy(&self) -> bool {
        self.has_code(Code::Memcpy)
    }

    fn has_code(&self, wanted: Code) -> bool {
        let architecture = Architecture::from_elf_machine(self.image.ident.machine);
        let place = codes().position(|(a, code, _)| Some(a) == architecture && code == wanted);
        place.is_some_and(|number| self.has(CODE + number))
    }
}

fn pass(image: &Image<'_>) -> Vec<bool> {
    let mut all = vec![false; search().whole.len()];
    let code = ranges(image, |is_executable| is_executable);
    for range in ranges(image, |_| true) {
        search().run(&image.bytes[range.clone()], |number, at| {
            let at = range.start + at;
            // Outside of code, code means nothing.
            let is_there = number < CODE || code.iter().any(|c| c.contains(&at));
            all[number] |= is_there;
        });
    }
    all
}

/// The loaded parts as ranges of the file. They do not overlap, so no byte is searched twice, however many segments
/// the file claims to have.
fn ranges(image: &Image<'_>, is_wanted: impl Fn(bool) -> bool) -> Vec<Range<usize>> {
    let start = image.bytes.as_ptr().addr();
    let mut ranges: Vec<Range<usize>> = image
        .loads
        .iter()
        .filter(|l| is_wanted(l.executable))
        .map(|l| {
            let from = l.data.as_ptr().addr().saturating_sub(start);
            from.min(image.bytes.len())..(from + l.data.len()).min(image.bytes.len())
        })
        .collect();
    ranges.sort_unstable_by_key(|r| r.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Which `memcpy` this code is.
pub fn memcpy(machine: u16, code: &[u8]) -> Memory {
    match pattern(machine) {
        None => Memory::Unknown,
        Some(pattern) if code.starts_with(&pattern.bytes()) => Memory::Musl,
        Some(_) => Memory::Other,
    }
}

fn pattern(machine: u16) -> Option<Needle> {
    let architecture = Architecture::from_elf_machine(machine)?;
    Code::Memcpy.of(architecture).map(|(needle, _)| needle)
}

/// The newest version of glibc's symbols that a dynamic file needs.
pub fn newest_glibc(image: &Image<'_>) -> Option<String> {
    let strings = image.sections.iter().find(|s| s.name == b".dynstr")?;
    let newest = image
        .data(strings)
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

#[cfg(test)]
mod tests;
