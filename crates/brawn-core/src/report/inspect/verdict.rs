//! The verdict on a file, the reason for it, and what to do next.

use super::Verdict;
use crate::advice::Advice;
use crate::arch::Isa;
use crate::component::Component;
use crate::demangle::demangled;
use crate::identify::heap::{FoundHeap, Heap, Sure};
use crate::identify::{Identity, Libc, Linkage, Memory};
use crate::note::Note;
use brawn_payload::Architecture;

/// A verdict with its reasons.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) sure: Sure,
    pub(super) why: String,
    pub(super) next: Option<String>,
}

impl Answer {
    fn new(verdict: Verdict, sure: Sure, why: impl Into<String>) -> Self {
        Self {
            verdict,
            sure,
            why: why.into(),
            next: None,
        }
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

/// The heaps of a file, by owner.
struct Heaps<'i> {
    musl: Vec<&'i FoundHeap>,
    brawn: Vec<&'i FoundHeap>,
    /// Heaps of other owners, but not glibc's.
    others: Vec<&'i FoundHeap>,
    /// How reliable the least certain finding is.
    sure: Sure,
}

impl<'i> Heaps<'i> {
    fn of(identity: &'i Identity) -> Self {
        let heaps = &identity.heaps;
        let of =
            |is: &dyn Fn(Heap) -> bool| -> Vec<_> { heaps.iter().filter(|h| is(h.heap)).collect() };
        Self {
            musl: of(&|h| h.is_musl()),
            brawn: of(&|h| h == Heap::Brawn),
            others: of(&|h| h.is_another() && h != Heap::Glibc),
            sure: heaps.iter().map(|h| h.sure).min().unwrap_or(Sure::Guess),
        }
    }

    fn answer(&self, verdict: Verdict, why: impl Into<String>) -> Answer {
        Answer::new(verdict, self.sure, why)
    }

    /// Whether brawn's heap serves only Rust code, and beside it there is only the libc's heap. The two heaps never
    /// meet: the file exports nothing, and Rust itself frees what Rust allocated.
    fn is_rusts(&self) -> bool {
        let is_rusts = |h: &&FoundHeap| h.note.as_ref().is_some_and(Note::serves_rust);
        self.brawn.iter().any(is_rusts)
            && self.musl.iter().all(|h| h.heap == Heap::Musl)
            && self.others.is_empty()
    }
}

/// The verdict on a file.
pub(super) fn of(identity: &Identity) -> Answer {
    let heaps = Heaps::of(identity);
    if let Some(system) = identity.system {
        let why = format!("it is for {}; brawn is for Linux", system.name());
        return Answer::new(Verdict::NotMusl, Sure::Certain, why);
    }
    if let Some(answer) = two_heaps(identity, &heaps) {
        return answer;
    }
    if identity.libc == Libc::Glibc {
        return heaps.answer(Verdict::NotMusl, "it uses glibc");
    }
    if let ([brawn], []) = (heaps.brawn.as_slice(), heaps.others.as_slice()) {
        let engine = brawn.note.as_ref().map_or("", |n| n.engine.as_str());
        let memory = match identity.memory {
            Memory::Brawn => "; so are its memory functions",
            Memory::Musl => "; its memory functions are musl's",
            Memory::Mixed => "; not all of its memory functions are",
            _ => "",
        };
        let why = format!("one heap, brawn's: {engine}{memory}");
        return heaps.answer(Verdict::Fine, why);
    }
    if !heaps.musl.is_empty() {
        return musls(identity, &heaps);
    }
    if !heaps.others.is_empty() {
        return others(identity, &heaps);
    }
    match (identity.linkage, identity.libc) {
        (Linkage::Archive, Libc::Musl) => {
            heaps.answer(Verdict::Unknown, "a musl libc without a heap")
        }
        (Linkage::Archive | Linkage::Object, _) => heaps.answer(
            Verdict::Unknown,
            "neither a libc nor a heap: they come from what it is linked with",
        ),
        (_, Libc::Musl) if identity.has_symbols => {
            Answer::new(Verdict::Fine, Sure::Certain, "it has no heap")
        }
        (_, Libc::Musl) => heaps.answer(
            Verdict::Unknown,
            "musl, and no sign of a heap: it never frees, or allocates nothing",
        ),
        _ => heaps.answer(Verdict::Unknown, "no libc and no heap that brawn knows"),
    }
}

/// The verdict if there is more than one heap, or a heap that does not belong there.
fn two_heaps(identity: &Identity, heaps: &Heaps<'_>) -> Option<Answer> {
    let once = || {
        let link = Advice::LinkArgs;
        format!("link brawn in by one way alone: a patched libc.a, {link}, or the crate brawn-rt")
    };
    if heaps.brawn.len() > 1 {
        let why = format!("brawn's payload is in it {} times", heaps.brawn.len());
        return Some(heaps.answer(Verdict::Mixed, why).next(once()));
    }
    let memory = identity.memory_notes.len();
    if memory > 1 {
        let why = format!("brawn's memory functions are in it {memory} times");
        return Some(Answer::new(Verdict::Mixed, Sure::Certain, why).next(once()));
    }
    if heaps.is_rusts() {
        return Some(match identity.libc {
            Libc::Glibc => heaps.answer(
                Verdict::NotMusl,
                "it uses glibc; its Rust code has brawn's heap",
            ),
            _ => heaps.answer(
                Verdict::Fine,
                "its Rust code has brawn's heap, C code the shared libc's",
            ),
        });
    }
    if identity.libc == Libc::Glibc && (memory > 0 || !heaps.brawn.is_empty()) {
        let why = match heaps.brawn.is_empty() {
            true => {
                "brawn's memory functions are in a file of glibc's, which they are not made for"
            }
            false => "brawn's heap is in a file of glibc's, which it is not made for",
        };
        let next = format!(
            "link it without {}, or with musl: glibc's own heap is not slow",
            Advice::LinkArgs
        );
        let answer = Answer::new(Verdict::Mixed, Sure::Certain, why);
        return Some(answer.next(next));
    }
    let old = heaps.musl.first()?;
    let other = heaps.brawn.first().or(heaps.others.first())?;
    let mut why = format!("{} is in it beside {}", old.heap.name(), other.heap.name());
    match (old.members.as_slice(), old.reached_by.as_slice()) {
        ([member, ..], _) => why.push_str(&format!(", by member {}", member.member)),
        ([], [caller, ..]) => why.push_str(&format!(", called by {}", demangled(caller))),
        ([], []) => {}
    }
    let next = next_of_two(identity, other);
    Some(heaps.answer(Verdict::Mixed, why).next(next))
}

/// What to do about musl's heap beside `other`.
fn next_of_two(identity: &Identity, other: &FoundHeap) -> String {
    let file = Some("FILE");
    let (patch, patch_it) = (Advice::Patch(None), Advice::Patch(file));
    let is_brawns = other.heap == Heap::Brawn;
    match identity.linkage {
        Linkage::Archive if is_brawns => {
            let restore_it = Advice::Restore(file);
            format!("{restore_it}, or install its package again; then {patch_it}")
        }
        Linkage::Archive => format!("{patch_it} says what it can do with it"),
        Linkage::Object => "do not link libc.a into this file".into(),
        Linkage::Dynamic => {
            let preload_it = Advice::Preload(file);
            format!(
                "{preload_it} gives brawn's heap to the callers of libc's; it is better to build it with one heap \
                 for all code"
            )
        }
        Linkage::SharedObject => {
            let preload = Advice::Preload(Some("PROGRAM"));
            format!(
                "{preload} gives brawn's heap to the code in it that calls libc's; who builds it can give all of its \
                 code one heap"
            )
        }
        _ if is_brawns => {
            format!("link it again with a libc.a of {patch}, and without a second musl inside")
        }
        _ if other.heap == Heap::Go => format!(
            "{} gives its C code brawn's heap; Go's code has Go's, as it must",
            Advice::Rewrite(file)
        ),
        _ => {
            let (rewrite_it, other) = (Advice::Rewrite(file), other.heap.name());
            format!(
                "{rewrite_it} replaces musl's heap, for the code that calls `malloc` by its name (C code, as a rule); \
                 what calls {other} keeps it. For one heap in all code, build it without {other}, and link it with a \
                 libc.a of {patch}"
            )
        }
    }
}

/// The verdict on musl's heap alone.
fn musls(identity: &Identity, heaps: &Heaps<'_>) -> Answer {
    let [heap] = heaps.musl.as_slice() else {
        let why = format!("musl's own heaps, {}", titles(&heaps.musl));
        let answer = heaps.answer(Verdict::SlowHeap, why);
        return answer.next(next_of_musls(identity));
    };
    let answer = match heap.heap {
        Heap::MuslSimple => {
            return heaps.answer(
                Verdict::Fine,
                "it never frees: musl's simple malloc only moves a pointer",
            );
        }
        Heap::Musl if identity.linkage == Linkage::Dynamic => heaps.answer(
            Verdict::SlowHeap,
            format!(
                "the shared musl's heap, in libc.so: {} gives it another one",
                Advice::Preload(None)
            ),
        ),
        Heap::Musl => heaps.answer(Verdict::SlowHeap, "the shared musl's heap"),
        _ => {
            let kind = heap.heap.name().trim_start_matches("musl ");
            heaps.answer(Verdict::SlowHeap, format!("musl's own heap, {kind}"))
        }
    };
    answer.next(next_of_musls(identity))
}

/// What a command needs besides for a file that has some of brawn's parts: without it, no part is added to those.
fn all_parts(identity: &Identity) -> String {
    match identity.memory_notes.is_empty() && identity.libc_notes.is_empty() {
        true => String::new(),
        false => format!(" with {}", Advice::Only(Component::ALL)),
    }
}

/// What to do about musl's heap.
fn next_of_musls(identity: &Identity) -> String {
    let Some(architecture) = identity.payload else {
        let names = Architecture::names();
        return format!("brawn has a heap only for {names}: nothing to do");
    };
    let file = Some("FILE");
    match identity.linkage {
        Linkage::Static | Linkage::StaticPie | Linkage::Dynamic | Linkage::SharedObject
            if Isa::of(architecture).is_none() =>
        {
            let (name, patch) = (architecture.name(), Advice::Patch(None));
            format!(
                "for {name}, brawn changes no finished program: link it with a libc.a of {patch}"
            )
        }
        Linkage::Static | Linkage::StaticPie => {
            let (rewrite_it, patch) = (Advice::Rewrite(file), Advice::Patch(None));
            let all = all_parts(identity);
            format!(
                "{rewrite_it}{all} gives it brawn's heap without linking; or link it again with a libc.a of {patch}"
            )
        }
        Linkage::Dynamic => format!("{} runs it with brawn's heap", Advice::Preload(file)),
        Linkage::SharedObject => {
            let preload = Advice::Preload(Some("PROGRAM"));
            format!(
                "who builds it gives its Rust code brawn's heap by the crate `brawn-rt`; who uses it gives one to the \
                 program that loads it: {preload}"
            )
        }
        Linkage::Archive => {
            let (patch_it, restore_it) = (Advice::Patch(file), Advice::Restore(file));
            let all = all_parts(identity);
            format!(
                "{patch_it}{all}, then link again what was linked with it; {restore_it} undoes it"
            )
        }
        Linkage::Object | Linkage::Other => {
            format!(
                "the program that is linked from it decides: see {}",
                Advice::LinkArgs
            )
        }
    }
}

/// The verdict on heaps that are neither musl's nor glibc's.
fn others(identity: &Identity, heaps: &Heaps<'_>) -> Answer {
    let names = titles(&heaps.others);
    let has_brawns = !heaps.brawn.is_empty();
    let verdict = match identity.libc {
        _ if has_brawns => Verdict::Fine,
        Libc::Musl => Verdict::Fine,
        _ if heaps.others.iter().all(|h| h.heap == Heap::Go) => Verdict::NotMusl,
        _ => Verdict::Unknown,
    };
    let mut why = match identity.libc {
        _ if has_brawns => format!("no heap of musl's, but {names}, and brawn's"),
        Libc::Musl => format!("no heap of musl's, but {names}"),
        _ => format!("{names}, and no libc that brawn knows"),
    };
    let is_slow = identity.libc == Libc::Musl && identity.memory == Memory::Musl;
    if !is_slow {
        return heaps.answer(verdict, why);
    }
    why.push_str("; its memory functions are musl's");
    let answer = heaps.answer(verdict, why);
    if !identity.linkage.is_static() || identity.payload.and_then(Isa::of).is_none() {
        return answer;
    }
    let rewrite_it = Advice::Rewrite(Some("FILE"));
    let alone = Advice::Only(&[Component::Memory, Component::LIBC]);
    answer.next(format!(
        "{rewrite_it} with {alone} gives it brawn's memory functions and other functions of libc; its heap stays"
    ))
}

fn titles(found: &[&FoundHeap]) -> String {
    let names: Vec<_> = found.iter().map(|h| h.title()).collect();
    names.join(" and ")
}
