//! Facts about the file as a whole: its libc and heaps, its relocations, and bytes after its end.

mod overlay;
mod relocations;

use super::risk::{Risk, RiskKind};
use crate::advice::{Advice, look_at_it};
use crate::arch::{Isa, words};
use crate::component::Component;
use crate::elf::program::{Program, WANTED};
use crate::error::{Error, Result};
use crate::identify::heap::{FoundHeap, Heap};
use crate::identify::{Identity, Libc, executable};
use crate::note::Note;
use crate::signatures::names::Names;
use brawn_payload::Payload;
use object::elf;
pub use relocations::Relocation;

/// The facts about a file.
pub struct Whole<'p, 'a> {
    /// The program.
    pub program: &'p Program<'a>,
    /// The payload that will be added.
    pub payload: &'p Payload,
    /// Its libc, heaps and memory functions.
    pub identity: Identity,
    /// The relocations that are applied when it is loaded.
    pub relocations: Vec<Relocation>,
    risks: Vec<Risk>,
}

impl<'p, 'a> Whole<'p, 'a> {
    /// Examines the file, whose `identity` is known, and in which `names` were found. Fails if it has no musl.
    pub fn of(
        program: &'p Program<'a>,
        mut identity: Identity,
        names: &Names,
        payload: &'p Payload,
    ) -> Result<Self> {
        // A small program that is stripped may have no text or table of musl's. Its code is musl's all the same.
        if identity.libc == Libc::Unknown && names.begin_as_musl() {
            identity.libc = Libc::Musl;
        }
        let not = |found: &str, next: &str| {
            Err(Error::not_applicable(format!("{found}: {WANTED}")).next(next))
        };
        let has = |heap: Heap| identity.heaps.iter().any(|h| h.heap == heap);
        if identity.evidence.iter().any(|e| e == executable::PACKED) {
            return Err(
                Error::refused(executable::PACKED).next("unpack it with `upx -d`, then rewrite")
            );
        }
        if identity.libc == Libc::Glibc {
            return not(
                "static, linked with glibc",
                "glibc's heap and memory functions are fast already, so there is nothing to do",
            );
        }
        if has(Heap::Go) && identity.libc != Libc::Musl {
            return not(
                "a Go program",
                "Go has a heap of its own and no libc, so there is nothing to do",
            );
        }
        if identity.libc != Libc::Musl && !has(Heap::Brawn) {
            return not("no sign of musl in it", &look_at_it());
        }
        let (relocations, mut risks) = relocations::read(program)?;
        risks.extend(overlay::check(program));
        risks.extend(landing_pads(program));
        Ok(Self {
            program,
            payload,
            identity,
            relocations,
            risks,
        })
    }

    /// The risks of any change of the file.
    pub fn risks(&self) -> Vec<Risk> {
        self.risks.clone()
    }

    /// Whether a heap of musl's is in it that keeps a state: musl's simple malloc only moves a pointer.
    pub fn keeps_state(&self) -> bool {
        let mut heaps = self.identity.heaps.iter();
        heaps.any(|h| matches!(h.heap, Heap::MuslMallocng | Heap::MuslOldmalloc))
    }

    /// A heap that is neither musl's nor brawn's.
    pub fn other_heap(&self) -> Option<&FoundHeap> {
        let mut heaps = self.identity.heaps.iter();
        heaps.find(|h| h.heap.is_another())
    }

    /// The parts of `wanted` that the program already has from this payload; an error if it has another payload.
    pub fn present(&self, wanted: &[Component]) -> Result<Vec<Component>> {
        let heaps = self.identity.heaps.iter();
        let heap = heaps.filter_map(|h| h.note.as_ref());
        let heap: Vec<&Note> = heap.filter(|n| !n.serves_rust()).collect();
        let memory: Vec<&Note> = self.identity.memory_notes.iter().collect();
        let mut present = Vec::new();
        for component in wanted {
            let (notes, source) = match component {
                Component::Heap => (&heap, Some(self.payload.source)),
                Component::Memory => (&memory, self.payload.memory.map(|m| m.source)),
                // Functions of libc may be of any version: they are only there for speed, so they refuse nothing.
                Component::Libc(_) | Component::Supplied => {
                    present.extend((!self.identity.libc_notes.is_empty()).then_some(*component));
                    continue;
                }
            };
            match notes.iter().find(|n| Some(n.source.as_str()) != source) {
                Some(other) => return Err(another(*component, other)),
                None if notes.is_empty() => {}
                None => present.push(*component),
            }
        }
        Ok(present)
    }
}

/// On aarch64, the kernel enforces landing pads in programs with a certain property (System V ABI for the Arm 64-bit
/// architecture, "Program Property").
fn landing_pads(program: &Program<'_>) -> Option<Risk> {
    const FEATURES: u32 = 0xc000_0000;
    const BTI: u32 = 1;
    let segment = program.segment(elf::PT_GNU_PROPERTY)?;
    let note = program.at(segment.address, segment.file_size)?;
    // After the note's header and owner come pairs of type and size, each with its data.
    let words: Vec<u32> = words(note).collect();
    let mut features = words
        .get(4..)?
        .windows(3)
        .filter(|w| w[0] == FEATURES && w[1] == 4);
    let is_enforced = program.architecture == Isa::Aarch64 && features.any(|w| w[2] & BTI != 0);
    let text = "it is built for landing pads (BTI), which the payload's code does not have";
    is_enforced.then(|| Risk::of(RiskKind::LandingPads, None, text).at(segment.address))
}

fn another(component: Component, note: &Note) -> Error {
    let (what, profile) = match component {
        Component::Heap => ("heap", note.profile.as_str()),
        Component::Memory => ("memory functions", ""),
        Component::Libc(_) | Component::Supplied => ("functions of libc", ""),
    };
    let profile = if profile.is_empty() {
        String::new()
    } else {
        format!(", profile {profile}")
    };
    Error::refused(format!(
        "it has the {what} of brawn {}{profile}",
        note.brawn
    ))
    .expected("musl's")
    .next(format!(
        "rewrite its original ({} brings it back), or, if it was linked with brawn, link it again",
        Advice::Restore(None)
    ))
}
