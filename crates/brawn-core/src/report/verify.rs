//! Which functions of a finished executable are brawn's, and which are not.
//!
//! With symbols every function's code is compared with the payload's, but for what linkers change.
//! Without, what is left is brawn's note and the code itself, wherever it is.

mod code;

use crate::archive::mimalloc;
use crate::elf::image::{Image, Symbol, SymbolKind};
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::identify::executable;
use crate::identify::heap::{self, Heap, Sure};
use crate::identify::reach::refers_to;
use crate::identify::rewritten::Rewritten;
use crate::identify::{
    INTERNAL, Libc, Linkage, MEMORY, Memory, PRIVATE, PUBLIC, is_libcs, is_public,
};
use crate::note::Note;
use crate::report::inspect;
use crate::report::inspect::inspect;
use crate::work::Ranges;
use brawn_payload::Payload;
use code::{Code, Found, Located, Match};
use serde::Serialize;
use std::collections::HashSet;

/// Whose function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// brawn's payload's.
    Brawn,
    /// musl's.
    Musl,
    /// The program's own, a library's or the compiler's.
    Own,
    /// The program has none.
    Absent,
    /// It cannot be known.
    Unknown,
}

impl Provider {
    /// In the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::Brawn,
        Self::Musl,
        Self::Own,
        Self::Absent,
        Self::Unknown,
    ];

    /// The words for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brawn => "brawn's",
            Self::Musl => "musl's",
            Self::Own => "its own",
            Self::Absent => "not in it",
            Self::Unknown => "unknown",
        }
    }
}

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The heap's surface.
    Heap,
    /// Memory and strings.
    Memory,
    /// What an archive lacked: listed where brawn supplied it.
    Supplied,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub group: Group,
    /// Whose it is.
    pub provider: Provider,
    /// How far that can be relied on.
    pub sure: Sure,
    /// Where it is.
    pub address: Option<u64>,
    /// What says so.
    pub evidence: String,
}

/// What a user makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The heap is brawn's alone.
    Replaced,
    /// The program has no heap.
    NoHeap,
    /// The heap is musl's.
    NotReplaced,
    /// Functions of both, or a payload twice.
    Mixed,
    /// The program brings functions of the heap itself.
    Own,
    /// Too little is known.
    Unknown,
}

impl Verdict {
    /// The words for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::NoHeap => "no heap",
            Self::NotReplaced => "not replaced",
            Self::Mixed => "mixed",
            Self::Own => "its own",
            Self::Unknown => "unknown",
        }
    }

    /// Whether there is nothing left to replace.
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Replaced | Self::NoHeap)
    }
}

/// What is in an executable.  The names of these fields are published: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What it runs on.
    pub architecture: String,
    /// musl's version, where it can be known.
    pub libc_version: Option<String>,
    /// Whether it has symbols.
    pub has_symbols: bool,
    /// Whose heap, as `inspect` has it.
    pub heap: String,
    /// Where brawn's is from.
    pub note: Option<Note>,
    /// Whose memory functions, as `inspect` has it.
    pub memory: Memory,
    /// Where brawn's are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_note: Option<Note>,
    /// What to make of it.
    pub verdict: Verdict,
    /// How far that can be relied on.
    pub sure: Sure,
    /// The verdict in a sentence.
    pub why: String,
    /// Every function of the heap, then those of memory.
    pub functions: Vec<Function>,
}

/// Says which functions of the static musl executable in `bytes` are replaced; `payloads` are those
/// that its code is compared with.
pub fn verify(bytes: &[u8], payloads: &[Payload]) -> Result<Report> {
    let wanted = "a static executable of musl";
    if Format::of(bytes) != Format::Elf {
        return Err(match inspect(bytes) {
            Ok(_) => Error::not_applicable("an archive")
                .expected(wanted)
                .next("`brawn inspect` says what is in it"),
            Err(error) => error.expected(wanted),
        });
    }
    let image = Image::read(bytes, 0)?;
    let found = inspect(bytes)?;
    if let Some((system, sign)) = System::of_image(&image) {
        return Err(system.refused(&sign));
    }
    let is_static = matches!(found.linkage, Linkage::Static | Linkage::StaticPie);
    if !is_static || found.libc == Libc::Glibc {
        return Err(Error::not_applicable(format!(
            "{}, libc: {}",
            found.linkage.name(),
            found.libc.name()
        ))
        .expected(wanted)
        .next("`brawn inspect` says what is in it"));
    }
    let note = found.heaps.iter().find_map(|h| h.note.clone());
    let machine = image.ident.architecture();
    let codes = payloads
        .iter()
        .filter(|p| Some(p.architecture) == machine)
        .filter(|p| note.as_ref().is_none_or(|n| n.source == p.source));
    let codes = codes.map(Code::read).collect::<Result<Vec<_>>>()?;
    // One copy serves every profile.
    let memory_codes = payloads
        .iter()
        .find(|p| Some(p.architecture) == machine)
        .and_then(|p| Some((p, p.memory?)))
        .filter(|(_, m)| {
            found
                .memory_note
                .as_ref()
                .is_none_or(|n| n.source == m.source)
        })
        .map(|(payload, memory)| Code::memory(payload, memory))
        .transpose()?;
    let evidence = Evidence {
        memory: memory_codes
            .as_ref()
            .and_then(|c| Some((c, c.locate(&image)?))),
        memory_names: executable::memory_functions(&image).0,
        // Profiles share functions: without a note it is the one of which most is there.
        located: codes
            .iter()
            .rev()
            .filter_map(|c| Some((c, c.locate(&image)?)))
            .max_by_key(|(_, located)| located.count()),
        rewritten: Rewritten::of(&image),
        is_other: note.is_some() && codes.is_empty(),
        libc: libc(&image),
        image: &image,
        found: &found,
    };
    let heap = PUBLIC.iter().chain(PRIVATE);
    let mut functions: Vec<Function> = heap.map(|n| evidence.function(n, Group::Heap)).collect();
    functions.extend(MEMORY.iter().map(|n| evidence.function(n, Group::Memory)));
    functions.extend(supplied(&image, payloads)?);
    let (verdict, sure, why) = verdict(&found, &functions, image.has_symbol_table);
    Ok(Report {
        architecture: found.architecture,
        libc_version: found.libc_version,
        has_symbols: image.has_symbol_table,
        heap: found.heap,
        note,
        memory: found.memory,
        memory_note: found.memory_note,
        verdict,
        sure,
        why,
        functions,
    })
}

/// The functions that brawn supplied, by their notes.
fn supplied(image: &Image<'_>, payloads: &[Payload]) -> Result<Vec<Function>> {
    let machine = image.ident.architecture();
    // One copy serves every profile.
    let Some(payload) = payloads.iter().find(|p| Some(p.architecture) == machine) else {
        return Ok(Vec::new());
    };
    let code = Code::supplied(payload)?;
    let located = code.locate(image);
    let tell = |name: &'static str, note: &Note| {
        let symbol = image.defined().find(|s| s.name == name.as_bytes());
        let same = symbol.and_then(|s| located.as_ref()?.at(image, name, s.address).same());
        let evidence = match same {
            Some(bytes) => format!(
                "its code is brawn {}'s: {bytes} bytes are the same",
                code.version
            ),
            None => format!(
                "a note of brawn {}'s is its own",
                printable(note.brawn.as_bytes())
            ),
        };
        Function {
            name,
            group: Group::Supplied,
            provider: Provider::Brawn,
            sure: if same.is_some() {
                Sure::Certain
            } else {
                Sure::Likely
            },
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

/// What tells whose a function is.
struct Evidence<'e, 'a> {
    image: &'e Image<'a>,
    found: &'e inspect::Report,
    /// The payload's code in it.
    located: Option<(&'e Code, Located<'e>)>,
    /// The memory functions' code in it.
    memory: Option<(&'e Code, Located<'e>)>,
    /// The memory functions that have a name of brawn's, too.
    memory_names: Vec<&'static str>,
    /// Where brawn's are, if they were put into the finished executable.
    rewritten: Option<Rewritten>,
    /// Whether its note names a payload that this brawn does not have.
    is_other: bool,
    /// Where musl's functions begin: linkers put the members of an archive together, and libc.a
    /// comes last.
    libc: Option<u64>,
}

impl Evidence<'_, '_> {
    fn function(&self, name: &'static str, group: Group) -> Function {
        let (provider, sure, address, evidence) = if self.image.has_symbol_table {
            let symbol = self
                .image
                .defined()
                .filter(|s| s.name == name.as_bytes())
                .max_by_key(|s| s.global);
            match symbol {
                Some(symbol) => {
                    let (provider, sure, evidence) = self.named(name, symbol, group);
                    (provider, sure, Some(symbol.address), evidence)
                }
                None => (
                    Provider::Absent,
                    Sure::Certain,
                    None,
                    "no symbol of this name".to_string(),
                ),
            }
        } else {
            self.stripped(name, group)
        };
        Function {
            name,
            group,
            provider,
            sure,
            address,
            evidence,
        }
    }

    fn named(&self, name: &str, symbol: &Symbol<'_>, group: Group) -> (Provider, Sure, String) {
        let answer = |provider, sure, what: &str| (provider, sure, what.to_string());
        if let Some((code, located)) = self.code(group) {
            let version = code.version;
            let jump = self.rewritten.as_ref();
            let jump = jump.and_then(|r| r.behind(self.image, symbol.address));
            let what = match located.at(self.image, name, jump.unwrap_or(symbol.address)) {
                Match::Same(bytes) => Some(format!(
                    "its code is brawn {version}'s: {bytes} bytes are the same"
                )),
                Match::InPlace => Some(format!("its code and its place are brawn {version}'s")),
                Match::Other => None,
            };
            if let Some(what) = what {
                return (Provider::Brawn, Sure::Certain, what);
            }
        }
        let is_private = PRIVATE.contains(&name);
        let rewritten = self.rewritten.as_ref();
        if rewritten.is_some_and(|r| r.has(self.image, symbol.address)) {
            return answer(
                Provider::Brawn,
                Sure::Likely,
                "it is brawn's payload's, or jumps to it",
            );
        }
        if group == Group::Heap && self.is_other && (is_private || symbol.weak) {
            let what = "the note is of another brawn; its binding is the payload's";
            return answer(Provider::Brawn, Sure::Likely, what);
        }
        // Who hides functions of these names is not musl.
        let is_inside = symbol.global && self.libc.is_some_and(|start| symbol.address >= start);
        if group == Group::Memory {
            return match self.found.memory {
                _ if self.memory_names.contains(&name) => answer(
                    Provider::Brawn,
                    Sure::Likely,
                    "it is one with a function of brawn's",
                ),
                Memory::Musl if name == "memcpy" => {
                    answer(Provider::Musl, Sure::Certain, "its code is musl's")
                }
                Memory::Other if name == "memcpy" => {
                    answer(Provider::Own, Sure::Certain, "its code is not musl's")
                }
                _ if is_inside => answer(Provider::Musl, Sure::Likely, INSIDE),
                _ => answer(Provider::Own, Sure::Likely, OUTSIDE),
            };
        }
        let is_musls = self.found.heaps.iter().any(|h| h.heap.is_musl());
        let heaps = self.found.heaps.iter().map(|h| h.heap);
        if let Some(other) = heaps
            .filter(|h| !h.is_musl() && *h != Heap::Brawn)
            .find(|h| self.is_of(symbol, *h))
        {
            let what = format!(
                "it is one with, or works on, what only {} has",
                other.name()
            );
            return (Provider::Own, Sure::Certain, what);
        }
        // Without musl's heap no function is its entry; a weak one is the fallback of fork's member.
        if is_private && (is_musls || symbol.weak) {
            return answer(Provider::Musl, Sure::Certain, "a name of musl's own");
        }
        match is_inside {
            inside if is_musls && self.is_tied(symbol, is_musls_own) => match inside {
                true => answer(Provider::Musl, Sure::Certain, "it passes on to musl's heap"),
                false => answer(
                    Provider::Musl,
                    Sure::Likely,
                    "it passes on to musl's heap, but does not lie among musl's functions",
                ),
            },
            true => answer(Provider::Musl, Sure::Likely, INSIDE),
            false => answer(Provider::Own, Sure::Likely, OUTSIDE),
        }
    }

    /// The payload's code for functions of `group`.
    fn code(&self, group: Group) -> Option<&(&Code, Located<'_>)> {
        match group {
            Group::Heap => self.located.as_ref(),
            Group::Memory => self.memory.as_ref(),
            Group::Supplied => None,
        }
    }

    /// Whether `symbol` is a function of `heap`, which is neither musl's nor brawn's.
    fn is_of(&self, symbol: &Symbol<'_>, heap: Heap) -> bool {
        let is_its = |s: &Symbol<'_>| {
            heap::by_symbol(s.name) == Some(heap)
                || heap == Heap::Mimalloc && mimalloc::is_own(s.name)
        };
        let mut all = self.image.defined();
        if all.any(|s| s.address == symbol.address && is_its(s)) {
            return true;
        }
        // Who calls `malloc` may be anyone, whatever else it is called.
        let public = self.image.defined().filter(|s| is_public(s.name));
        let public: HashSet<u64> = public.map(|s| s.address).collect();
        self.is_tied(symbol, |s| is_its(s) && !public.contains(&s.address))
    }

    /// Whether `symbol` is one with, or uses, something for which `is_telling` holds.
    fn is_tied(&self, symbol: &Symbol<'_>, is_telling: impl Fn(&Symbol<'_>) -> bool) -> bool {
        let places = self.image.defined().filter(|s| is_telling(s));
        let mut is_one = false;
        let places = places.map(|s| {
            is_one |= s.address == symbol.address;
            s.address..s.address.saturating_add(s.size.max(1))
        });
        let places = Ranges::new(places);
        is_one || refers_to(self.image, symbol, &places)
    }

    fn stripped(&self, name: &str, group: Group) -> (Provider, Sure, Option<u64>, String) {
        let unknown = |what: &str| (Provider::Unknown, Sure::Guess, None, what.to_string());
        if group == Group::Memory && self.memory.is_none() {
            return match self.found.memory {
                Memory::Musl if name == "memcpy" => (
                    Provider::Musl,
                    Sure::Likely,
                    None,
                    "musl's code for it is in the program".to_string(),
                ),
                _ => unknown("stripped"),
            };
        }
        match self.code(group) {
            Some((code, located)) => {
                let brawns = |address, what: &str| {
                    let what = format!(
                        "brawn {}'s code for it is in the program{what}",
                        code.version
                    );
                    (Provider::Brawn, Sure::Likely, address, what)
                };
                match located.find(self.image, name) {
                    Found::At(address) => brawns(Some(address), ""),
                    Found::Parts => brawns(None, ", in parts"),
                    Found::Not => unknown(
                        "stripped, and brawn's code for it is not in the program: whether another's is cannot be told",
                    ),
                    Found::TooShort => unknown("stripped, and too short to be told by its code"),
                }
            }
            None if self.is_other => unknown("stripped, and the note is of another brawn"),
            None => unknown("stripped"),
        }
    }
}

const INSIDE: &str = "it lies behind the first of musl's functions";
const OUTSIDE: &str = "it lies before musl's functions, or is hidden";

/// Whether only musl's heap has something of this name: those that are local to its files are anybody's.
fn is_musls_own(symbol: &Symbol<'_>) -> bool {
    let mut names = PRIVATE.iter().chain(&INTERNAL);
    names.any(|n| n.as_bytes() == symbol.name)
}

/// The first function that is musl's by its name, the heap's apart.
fn libc(image: &Image<'_>) -> Option<u64> {
    let is_musls = |s: &&Symbol<'_>| s.kind != SymbolKind::Object && is_libcs(s.name);
    image.defined().filter(is_musls).map(|s| s.address).min()
}

fn verdict(
    found: &inspect::Report,
    functions: &[Function],
    has_symbols: bool,
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
    let others = found
        .heaps
        .iter()
        .find(|h| !h.heap.is_musl() && h.heap != Heap::Brawn);
    if is_brawns && (is_musls || !musl.is_empty()) {
        let why = format!("brawn's heap is in it, and of musl's {}", musl.join(", "));
        return (Verdict::Mixed, sure, why);
    }
    if is_musls {
        return (Verdict::NotReplaced, sure, found.why.clone());
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
        let why = "brawn's note is in it, and no sign of another heap; it is stripped, so that functions of its own cannot be excluded";
        return (Verdict::Replaced, Sure::Likely, why.to_string());
    }
    if has_symbols && found.libc == Libc::Musl && musl.is_empty() {
        let why = "no function of a heap is in it".to_string();
        return (Verdict::NoHeap, Sure::Certain, why);
    }
    let why = if musl.is_empty() {
        printable(found.why.as_bytes())
    } else {
        format!("of musl's heap it has {}", musl.join(", "))
    };
    let verdict = if musl.is_empty() {
        Verdict::Unknown
    } else {
        Verdict::NotReplaced
    };
    (verdict, sure, why)
}
