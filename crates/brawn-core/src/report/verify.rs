//! Finds out which functions of a finished executable are brawn's.
//!
//! In a program with symbols, each function's code is compared with the payload's, except for the bytes that linkers
//! change. Without symbols, there are only brawn's note and the code itself, anywhere in the program.

mod code;
mod evidence;

use crate::advice::look_at_it;
use crate::component::Component;
use crate::elf::image::Image;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::identify::executable;
use crate::identify::heap::{FoundHeap, Heap, Sure};
use crate::identify::rewritten::Rewritten;
use crate::identify::{Libc, MEMORY, Memory, PRIVATE, PUBLIC};
use crate::note::Note;
use crate::report::inspect;
use crate::report::inspect::{by_code, inspect, inspect_image_with};
use crate::signatures::Build;
use crate::signatures::names::Names;
use brawn_payload::{Payload, Set};
use code::{Code, Located};
use evidence::{Evidence, libc, own_places};
use serde::Serialize;

crate::named! {
    /// Where a function comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Provider {
        /// From brawn's payload.
        Brawn = "brawn's",
        /// From musl.
        Musl = "musl's",
        /// From the program itself, a library or the compiler.
        Own = "its own",
        /// The program does not have the function.
        Absent = "not in it",
        /// It is not known.
        Unknown = "unknown",
    }
}

/// The group of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The heap's public functions.
    Heap,
    /// Memory and string functions.
    Memory,
    /// Other functions of libc; listed if the program has them.
    Libc,
    /// Functions that an archive lacked; listed if brawn supplied them.
    Supplied,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// Where it comes from.
    pub provider: Provider,
    /// How reliable this is.
    pub sure: Sure,
    /// Its address.
    pub address: Option<u64>,
    /// The evidence.
    pub evidence: String,
}

crate::named! {
    /// The verdict on a program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// The heap is entirely brawn's.
        Replaced = "replaced",
        /// The program has no heap.
        NoHeap = "no heap",
        /// The heap is musl's.
        NotReplaced = "not replaced",
        /// There are functions of both, or two payloads.
        Mixed = "mixed",
        /// Another heap serves the program, and nothing of musl's is left that brawn replaces.
        OtherHeap = "another heap",
        /// The program has functions of the heap of its own.
        Own = "its own",
        /// Too little is known about it.
        Unknown = "unknown",
    }
}

impl Verdict {
    /// Whether nothing is left to replace.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Replaced | Self::NoHeap | Self::OtherHeap)
    }
}

/// The report on an executable. The names of these fields are a public interface: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// The architecture that it runs on.
    pub architecture: String,
    /// musl's version, if known.
    pub libc_version: Option<String>,
    /// Whether it has symbols.
    pub has_symbols: bool,
    /// Its heap, as `inspect` reports it.
    pub heap: String,
    /// Heaps that are neither brawn's nor musl's, which code in it calls by their own names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<FoundHeap>,
    /// Where brawn's heap comes from.
    pub note: Option<Note>,
    /// Its memory functions, as `inspect` reports them.
    pub memory: Memory,
    /// Where brawn's memory functions come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_note: Option<Note>,
    /// The note of brawn's other functions of libc.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc_note: Option<Note>,
    /// The verdict.
    pub verdict: Verdict,
    /// How reliable the verdict is.
    pub sure: Sure,
    /// The reason for the verdict, in a sentence.
    pub why: String,
    /// All functions of the heap, then the memory functions, then other functions of libc.
    pub functions: Vec<Function>,
}

/// The kind of file that is expected.
const WANTED: &str = "a static executable of musl";

/// Finds out which functions of the static musl executable in `bytes` are replaced. Its code is compared with
/// `payloads`.
pub fn verify(bytes: &[u8], payloads: &[Payload]) -> Result<Verification> {
    verify_with(bytes, payloads, &[])
}

/// The same with the user's own `builds` of musl in addition to the database's. Builds are for programs without
/// symbols: musl's functions are recognized by their code.
///
/// Errors: as [`verify`].
pub fn verify_with(bytes: &[u8], payloads: &[Payload], builds: &[Build]) -> Result<Verification> {
    if Format::of(bytes) != Format::Elf {
        return Err(no_elf(bytes));
    }
    let image = Image::read(bytes, 0)?;
    let found = inspect_image_with(&image, bytes, builds)?;
    refuse_others(&image, &found)?;
    let note = found.heaps.iter().find_map(|h| h.note.clone());
    let machine = image.ident.architecture();
    let codes = payloads
        .iter()
        .filter(|p| Some(p.architecture) == machine)
        .filter(|p| note.as_ref().is_none_or(|n| n.source == p.source));
    let codes = codes.map(|payload| Code::read(payload, Component::Heap));
    let codes = codes.collect::<Result<Vec<_>>>()?;
    // All profiles have the same of these functions.
    let payload = payloads.iter().find(|p| Some(p.architecture) == machine);
    let set = |part, set: Option<&Set>, note: &Option<Note>| {
        let (payload, set) = payload.zip(set)?;
        let is_it = note.as_ref().is_none_or(|n| n.source == set.source);
        is_it.then(|| Code::read(payload, part))
    };
    let (memory, libc_set) = (payload.and_then(|p| p.memory), payload.map(|p| p.libc));
    let memory_codes = set(Component::Memory, memory, &found.memory_note).transpose()?;
    let libc_codes = set(Component::LIBC, libc_set, &found.libc_note).transpose()?;
    let evidence = Evidence {
        memory: memory_codes.as_ref().and_then(|c| c.locate(&image)),
        others: libc_codes.as_ref().and_then(|c| c.locate(&image)),
        own_places: own_places(&image),
        memory_names: executable::memory_functions(&image).0,
        // Profiles have functions in common. Without a note, the profile with the most functions in the program
        // counts.
        located: codes
            .iter()
            .rev()
            .filter_map(|code| code.locate(&image))
            .max_by_key(Located::count),
        rewritten: Rewritten::of(&image),
        is_other: note.is_some() && codes.is_empty(),
        libc: libc(&image),
        names: match image.has_symbol_table {
            true => Names::default(),
            false => by_code::names(bytes, builds)?,
        },
        image: &image,
        found: &found,
    };
    let heap = PUBLIC.iter().chain(PRIVATE);
    let mut functions: Vec<Function> = heap.map(|n| evidence.function(n, Group::Heap)).collect();
    functions.extend(MEMORY.iter().map(|n| evidence.function(n, Group::Memory)));
    if let Some(payload) = payload {
        functions.extend(others(&evidence, payload));
        functions.extend(supplied(&image, payload)?);
    }
    let (verdict, sure, why) = verdict(
        &found,
        &functions,
        image.has_symbol_table,
        evidence.rewritten.is_some(),
    );
    let beside = found.heaps.into_iter().filter(|h| h.heap.is_another());
    Ok(Verification {
        architecture: found.architecture,
        libc_version: found.libc_version,
        has_symbols: image.has_symbol_table,
        heap: found.heap,
        beside: beside.collect(),
        note,
        memory: found.memory,
        memory_note: found.memory_note,
        libc_note: found.libc_note,
        verdict,
        sure,
        why,
        functions,
    })
}

/// The error for a file that is not ELF.
fn no_elf(bytes: &[u8]) -> Error {
    match inspect(bytes) {
        Ok(_) => Error::not_applicable("an archive")
            .expected(WANTED)
            .next(look_at_it()),
        Err(error) => error.expected(WANTED),
    }
}

/// Other functions of libc: those that the program has, which are few.
fn others(evidence: &Evidence<'_, '_>, payload: &Payload) -> Vec<Function> {
    let names = payload.libc.surface();
    let mut names: Vec<&str> = names.filter(|n| !n.starts_with("__")).collect();
    names.sort_unstable();
    // Two have one name where an option chooses between them.
    names.dedup();
    let all = names.into_iter().map(|n| evidence.function(n, Group::Libc));
    all.filter(|f| !matches!(f.provider, Provider::Absent | Provider::Unknown))
        .collect()
}

/// Only static programs have musl's functions, but not those of glibc.
fn refuse_others(image: &Image<'_>, found: &inspect::Inspection) -> Result<()> {
    if let Some((system, sign)) = System::of_image(image) {
        return Err(system.refused(&sign));
    }
    if !found.linkage.is_static() || found.libc == Libc::Glibc {
        let of = match found.libc {
            Libc::Unknown => "of an unknown libc".to_owned(),
            libc => format!("linked with {}", libc.name()),
        };
        let next = match found.libc {
            Libc::Glibc => "glibc's heap is fast already, so there is nothing to do".into(),
            _ => look_at_it(),
        };
        let what = format!("{}, {of}", found.linkage.name());
        return Err(Error::not_applicable(what).expected(WANTED).next(next));
    }
    Ok(())
}

/// The functions that brawn supplied, found by their notes.
fn supplied(image: &Image<'_>, payload: &Payload) -> Result<Vec<Function>> {
    let code = Code::read(payload, Component::Supplied)?;
    let located = code.locate(image);
    let tell = |name: &'static str, note: &Note| {
        let symbol = image.defined().find(|s| s.name == name);
        let same = symbol.and_then(|s| located.as_ref()?.at(image, name, s.address).same());
        let (sure, evidence) = match same {
            Some(bytes) => {
                let version = code.version;
                let what = format!("its code is brawn {version}'s: {bytes} bytes are the same");
                (Sure::Certain, what)
            }
            None => {
                let version = printable(note.brawn.as_bytes());
                let what = format!("a note of brawn {version}'s is its own");
                (Sure::Likely, what)
            }
        };
        Function {
            name,
            group: Group::Supplied,
            provider: Provider::Brawn,
            sure,
            address: symbol.map(|s| s.address),
            evidence,
        }
    };
    let noted = |name: &str| {
        let mut notes = image.brawn.iter();
        notes.find(|note| note.is_supplied() && note.function == name)
    };
    let names = payload.supplied.functions.iter().map(|f| f.name);
    Ok(names
        .filter_map(|name| Some(tell(name, noted(name)?)))
        .collect())
}

/// The verdict on a program with `other`, a heap that is known and has none of libc's names, or all of them: of musl's
/// nothing is left. `knows` is whether it is known whose `malloc` is.
fn beside(
    other: &FoundHeap,
    found: &inspect::Inspection,
    is_brawns: bool,
    knows: bool,
) -> Option<(Verdict, Sure, String)> {
    let name = other.heap.name();
    if other.heap == Heap::Own {
        return None;
    }
    if !is_brawns {
        let why = format!("the heap is {name}; its memory functions are brawn's");
        let is_done = found.memory == Memory::Brawn;
        return is_done.then_some((Verdict::OtherHeap, found.sure, why));
    }
    let whose = match knows {
        true => "what calls `malloc` by its name has brawn's",
        false => {
            "brawn's is in it; it is stripped, so brawn cannot tell which of the two `malloc` is"
        }
    };
    let why = format!(
        "of musl's heap nothing is left: {whose}; {name} is beside it, for the code that calls {name}"
    );
    Some((Verdict::Replaced, found.sure, why))
}

fn verdict(
    found: &inspect::Inspection,
    functions: &[Function],
    has_symbols: bool,
    is_rewritten: bool,
) -> (Verdict, Sure, String) {
    let of = |provider: Provider| -> Vec<&str> {
        let heap = functions.iter().filter(|f| f.group == Group::Heap);
        heap.filter(|f| f.provider == provider)
            .map(|f| f.name)
            .collect()
    };
    let sure = found.sure;
    if found.verdict == inspect::Verdict::Mixed {
        return (Verdict::Mixed, sure, found.why.clone());
    }
    let has = |heap: Heap| found.heaps.iter().any(|h| h.heap == heap);
    let is_musls = found.heaps.iter().any(|h| h.heap.is_musl());
    let (brawn, musl, own) = (of(Provider::Brawn), of(Provider::Musl), of(Provider::Own));
    let is_brawns = has(Heap::Brawn) || !brawn.is_empty();
    let others = found.heaps.iter().find(|h| h.heap.is_another());
    if is_brawns && (is_musls || !musl.is_empty()) {
        let why = format!("brawn's heap is in it, and of musl's {}", musl.join(", "));
        return (Verdict::Mixed, sure, why);
    }
    if is_musls {
        return (Verdict::NotReplaced, sure, found.why.clone());
    }
    let is_whole = musl.is_empty() && (own.is_empty() || !is_brawns);
    let other = others.filter(|_| is_whole);
    let knows = has_symbols || is_rewritten;
    if let Some(answer) = other.and_then(|other| beside(other, found, is_brawns, knows)) {
        return answer;
    }
    if !own.is_empty() || others.is_some() {
        let whose = others.map_or("the program's own", |h| h.heap.name());
        let rest = if is_brawns {
            "; the rest is brawn's"
        } else {
            ""
        };
        let names = if own.is_empty() {
            String::new()
        } else {
            format!(": {}", own.join(", "))
        };
        return (Verdict::Own, sure, format!("{whose}{names}{rest}"));
    }
    if is_brawns {
        if has_symbols {
            let why = "every function of the heap that is in it is brawn's".to_string();
            return (Verdict::Replaced, sure, why);
        }
        let why = "brawn's note is in it, and no sign of another heap; it is stripped, so brawn cannot exclude that \
        it has functions of its own";
        return (Verdict::Replaced, Sure::Likely, why.to_string());
    }
    if has_symbols && found.libc == Libc::Musl && musl.is_empty() {
        let why = "no function of a heap is in it".to_string();
        return (Verdict::NoHeap, Sure::Certain, why);
    }
    match musl.is_empty() {
        true => (Verdict::Unknown, sure, printable(found.why.as_bytes())),
        false => {
            let why = format!("of musl's heap it has {}", musl.join(", "));
            (Verdict::NotReplaced, sure, why)
        }
    }
}
