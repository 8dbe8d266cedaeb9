//! What a file is, and whether its heap is worth replacing: plain data for tables and scripts.

use crate::error::{Error, Result, printable};
use crate::identify::archive::{Content, Findings, Role};
use crate::identify::heap::{self, Found, Heap, MemberUse, Sure};
use crate::identify::mimalloc::{COPIES, Mimalloc};
use crate::identify::signs::Traces;
use crate::identify::{
    INTERNAL, Identity, Libc, Linkage, MEMORY, Memory, archive, executable, is_heap,
};
use crate::note::Note;
use crate::read::Format;
use crate::read::archive::Archive;
use crate::read::image::Image;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many members, and symbols of each, are named as evidence of one heap.
const ENOUGH: usize = 3;

/// What a user makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Verdict {
    /// One heap, and not musl's own.
    #[serde(rename = "fine")]
    Fine,
    /// musl's own heap.
    #[serde(rename = "slow heap")]
    SlowHeap,
    /// musl's own heap beside another, or a payload twice.
    #[serde(rename = "mixed")]
    Mixed,
    /// Nothing that brawn is for.
    #[serde(rename = "not musl")]
    NotMusl,
    /// Too little is known.
    #[serde(rename = "unknown")]
    Unknown,
}

impl Verdict {
    /// The words for tables, the same as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::SlowHeap => "slow heap",
            Self::Mixed => "mixed",
            Self::NotMusl => "not musl",
            Self::Unknown => "unknown",
        }
    }
}

/// What a file is.  The names of these fields are published: scripts read them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `elf` or `archive`.
    pub format: &'static str,
    /// The architecture, as in `x86_64`.
    pub architecture: String,
    /// Whose libc it holds or needs.
    pub libc: Libc,
    /// That libc's version, where it can be known.
    pub libc_version: Option<String>,
    /// How it takes part in a program.
    pub linkage: Linkage,
    /// The dynamic linker that it asks for.
    pub interpreter: Option<String>,
    /// Whose heap: names of `heaps`, joined by ` + `; `none` or `unknown` where that is empty.
    pub heap: String,
    /// Whose memory functions.
    pub memory: Memory,
    /// Where brawn's are from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_note: Option<Note>,
    /// What to make of it.
    pub verdict: Verdict,
    /// How far the verdict can be relied on.
    pub sure: Sure,
    /// The verdict in a sentence.
    pub why: String,
    /// Every heap, the one that `malloc` means first where that is known.
    pub heaps: Vec<Found>,
    /// What says the rest.
    pub evidence: Vec<String>,
    /// Functions of libc that an archive lacks since another heap was put in the place of musl's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Says what `bytes` are.
pub fn inspect(bytes: &[u8]) -> Result<Report> {
    match Format::of(bytes) {
        Format::Archive | Format::ThinArchive => {
            let archive = Archive::read(bytes)?;
            Ok(report("archive", identify_archive(&archive)?))
        }
        Format::Elf => {
            let image = Image::read(bytes, 0)?;
            Ok(report("elf", executable::identify(&image)))
        }
        Format::Bitcode => Err(Error::not_applicable("LLVM bitcode")
            .at(0)
            .expected("an ELF file or an archive")
            .next("inspect what is linked from it")),
        Format::Other if bytes.is_empty() => {
            Err(Error::malformed("an empty file").expected("an ELF file or an archive"))
        }
        Format::Zip | Format::Gzip | Format::Other => Err(Error::not_applicable(format!(
            "file begins with `{}`",
            printable(&bytes[..bytes.len().min(8)])
        ))
        .at(0)
        .expected("an ELF file or an archive")),
    }
}

fn report(format: &'static str, identity: Identity) -> Report {
    let (verdict, sure, why) = verdict(&identity);
    let names: Vec<&str> = identity.heaps.iter().map(|h| h.heap.name()).collect();
    let heap = match names.as_slice() {
        [] if identity.has_symbols => "none".to_string(),
        [] => "unknown".to_string(),
        names => names.join(" + "),
    };
    Report {
        format,
        architecture: identity.architecture,
        libc: identity.libc,
        libc_version: identity.libc_version,
        linkage: identity.linkage,
        interpreter: identity.interpreter,
        heap,
        memory: identity.memory,
        memory_note: identity.memory_notes.into_iter().next(),
        verdict,
        sure,
        why,
        heaps: identity.heaps,
        evidence: identity.evidence,
        missing: identity.missing,
        hint: identity.hint,
    }
}

fn verdict(identity: &Identity) -> (Verdict, Sure, String) {
    let heaps = &identity.heaps;
    let sure = heaps.iter().map(|h| h.sure).min().unwrap_or(Sure::Guess);
    let of = |is: &dyn Fn(Heap) -> bool| -> Vec<&Found> {
        heaps.iter().filter(|h| is(h.heap)).collect()
    };
    let musl = of(&|h| h.is_musl());
    let brawn = of(&|h| h == Heap::Brawn);
    let others = of(&|h| !h.is_musl() && h != Heap::Brawn && h != Heap::Glibc);
    let answer = |verdict, why: &str| (verdict, sure, why.to_string());
    if brawn.len() > 1 {
        let why = format!("brawn's payload is in it {} times", brawn.len());
        return (Verdict::Mixed, sure, why);
    }
    let memory = identity.memory_notes.len();
    if memory > 1 {
        let why = format!("brawn's memory functions are in it {memory} times");
        return (Verdict::Mixed, Sure::Certain, why);
    }
    // The two never meet: nothing of the file's is exported, and Rust frees what Rust allocated.
    let is_rusts = |h: &&Found| h.note.as_ref().is_some_and(Note::serves_rust);
    if brawn.iter().any(is_rusts) && musl.iter().all(|h| h.heap == Heap::Musl) && others.is_empty()
    {
        return match identity.libc {
            Libc::Glibc => answer(
                Verdict::NotMusl,
                "it uses glibc; its Rust code has brawn's heap",
            ),
            _ => answer(
                Verdict::Fine,
                "its Rust code has brawn's heap, C code the shared libc's",
            ),
        };
    }
    if let (Some(old), Some(other)) = (musl.first(), brawn.first().or(others.first())) {
        let mut why = format!("{} is in it beside {}", old.heap.name(), other.heap.name());
        match (old.members.as_slice(), old.reached_by.as_slice()) {
            ([member, ..], _) => why.push_str(&format!(", by member {}", member.member)),
            ([], [caller, ..]) => why.push_str(&format!(", called by {caller}")),
            ([], []) => {}
        }
        return (Verdict::Mixed, sure, why);
    }
    if identity.libc == Libc::Glibc {
        return answer(Verdict::NotMusl, "it uses glibc");
    }
    let names = |found: &[&Found]| {
        let names: Vec<_> = found.iter().map(|h| h.title()).collect();
        names.join(" and ")
    };
    if let ([brawn], []) = (brawn.as_slice(), others.as_slice()) {
        let engine = brawn.note.as_ref().map_or("", |n| n.engine.as_str());
        let memory = match identity.memory {
            Memory::Brawn => "; so are its memory functions",
            Memory::Musl => "; its memory functions are musl's",
            Memory::Mixed => "; of its memory functions not all are",
            _ => "",
        };
        let why = format!("one heap, brawn's: {engine}{memory}");
        return (Verdict::Fine, sure, why);
    }
    if let [heap] = musl.as_slice() {
        return match heap.heap {
            Heap::MuslSimple => answer(
                Verdict::Fine,
                "it never frees: musl's simple malloc only moves a pointer",
            ),
            Heap::Musl if identity.linkage == Linkage::Dynamic => answer(
                Verdict::SlowHeap,
                "the shared musl's heap, in libc.so: what changes static programs does not apply, \
                 `brawn preload` gives it another",
            ),
            Heap::Musl => answer(Verdict::SlowHeap, "the shared musl's heap"),
            _ => (
                Verdict::SlowHeap,
                sure,
                format!(
                    "musl's own heap, {}",
                    heap.heap.name().trim_start_matches("musl ")
                ),
            ),
        };
    }
    if !musl.is_empty() {
        let why = format!("musl's own heaps, {}", names(&musl));
        return (Verdict::SlowHeap, sure, why);
    }
    if !others.is_empty() {
        let verdict = match identity.libc {
            _ if !brawn.is_empty() => Verdict::Fine,
            Libc::Musl => Verdict::Fine,
            _ if others.iter().all(|h| h.heap == Heap::Go) => Verdict::NotMusl,
            _ => Verdict::Unknown,
        };
        let why = match identity.libc {
            _ if !brawn.is_empty() => {
                format!("no heap of musl's, but {}, and brawn's", names(&others))
            }
            Libc::Musl => format!("no heap of musl's, but {}", names(&others)),
            _ => format!("{}, and no libc that brawn knows", names(&others)),
        };
        return (verdict, sure, why);
    }
    match (identity.linkage, identity.libc) {
        (Linkage::Archive, Libc::Musl) => answer(Verdict::Unknown, "a musl libc without a heap"),
        (Linkage::Archive | Linkage::Object, _) => answer(
            Verdict::Unknown,
            "neither a libc nor a heap: what it is linked with decides",
        ),
        (_, Libc::Musl) if identity.has_symbols => {
            (Verdict::Fine, Sure::Certain, "it has no heap".to_string())
        }
        (_, Libc::Musl) => answer(
            Verdict::Unknown,
            "musl, and no sign of a heap: it never frees, or allocates nothing",
        ),
        _ => answer(Verdict::Unknown, "no libc and no heap that brawn knows"),
    }
}

fn identify_archive(archive: &Archive<'_>) -> Result<Identity> {
    let findings = archive::identify(archive)?;
    let mut heaps: Vec<Found> = findings
        .members
        .iter()
        .flat_map(|member| executable::heap_notes(member.notes()))
        .map(Found::brawn)
        .collect();
    heaps.extend(named_heaps(&findings));
    if heaps.iter().any(|h| h.heap == Heap::Brawn) {
        second_heap(&findings, &mut heaps);
    }
    let unreadable = findings
        .members
        .iter()
        .filter(|m| matches!(m.content, Content::Bitcode))
        .count();
    let mut evidence = vec![format!("{} members", findings.members.len())];
    if unreadable > 0 {
        evidence.push(format!(
            "{unreadable} of them LLVM bitcode, known by the symbol index only"
        ));
    }
    let memory = memory(archive, &findings, &mut evidence)?;
    let supplied = findings.with_role(Role::BrawnSupplied);
    evidence.extend(executable::supplied(supplied.flat_map(|m| m.notes())));
    let (mut missing, mut hint) = (Vec::new(), None);
    if let Some(found) = Mimalloc::of(archive, &findings)? {
        missing = lost(&findings);
        hint = Some(
            "`brawn patch --upgrade` puts brawn's heap in its place, and supplies what the archive then lacks".into(),
        );
        mimalloc(found, &mut heaps, &mut evidence);
    }
    let notes = findings
        .with_role(Role::BrawnMemory)
        .flat_map(|member| executable::memory_notes(member.notes()).map(move |n| (member, n)));
    let (noted, memory_notes): (Vec<_>, Vec<_>) = notes.unzip();
    if noted.len() > 1 {
        let names: Vec<_> = noted.iter().map(|m| printable(m.name)).collect();
        evidence.push(format!("notes of memory functions: {}", names.join(", ")));
    }
    Ok(Identity {
        architecture: findings
            .ident
            .map_or("unknown".into(), |ident| ident.describe()),
        libc: findings.libc,
        libc_version: version(archive, &findings)?,
        linkage: Linkage::Archive,
        interpreter: None,
        heaps,
        has_symbols: true,
        memory,
        memory_notes,
        evidence,
        missing,
        hint,
    })
}

/// Says of mimalloc what only an archive tells.
fn mimalloc(found: Mimalloc, heaps: &mut [Found], evidence: &mut Vec<String>) {
    if let Some(heap) = heaps.iter_mut().find(|h| h.heap == Heap::Mimalloc) {
        heap.evidence.insert(0, found.shape());
        if found.has_operators {
            heap.evidence.push(
                "C++'s operators new and delete are here, too: libc++abi.a may have lost its own"
                    .into(),
            );
        }
        heap.version = Some(found.version.unwrap_or_else(|| "unknown".into()));
    }
    if !found.leftovers.is_empty() {
        let names = found.leftovers.join(", ");
        evidence.push(format!("left of musl's heap: {names}"));
    }
}

/// What of libc goes where another heap is put in, and is not in the archive.
fn lost(findings: &Findings<'_>) -> Vec<String> {
    let is_there = |name: &str| {
        let name = name.as_bytes();
        let mut members = findings.members.iter();
        members.any(|m| m.defined().any(|s| s.name == name))
            || findings.indexed.iter().any(|(symbol, _)| *symbol == name)
    };
    let names = COPIES.iter().filter(|name| !is_there(name));
    names.map(|name| (*name).to_owned()).collect()
}

/// Heaps by the symbols that members define.
fn named_heaps(findings: &Findings<'_>) -> Vec<Found> {
    let mut heaps: Vec<Found> = Vec::new();
    let mut seen = |place: String, symbols: &mut dyn Iterator<Item = &[u8]>| {
        let mut named: BTreeMap<Heap, Vec<String>> = BTreeMap::new();
        for name in symbols {
            if let Some(heap) = heap::by_symbol(name) {
                let named = named.entry(heap).or_default();
                if named.len() < ENOUGH {
                    named.push(printable(name));
                }
            }
        }
        for (heap, names) in named {
            let what = format!("{place} {}", names.join(", "));
            match heaps.iter_mut().find(|h| h.heap == heap) {
                Some(found) if found.evidence.len() < ENOUGH => found.evidence.push(what),
                Some(_) => {}
                None => heaps.push(Found::new(heap, Sure::Certain, what)),
            }
        }
    };
    for member in findings.members.iter().filter(|m| m.role != Role::Brawn) {
        let place = format!("member {} defines", printable(member.name));
        seen(place, &mut member.defined().map(|s| s.name));
    }
    let indexed = &mut findings.indexed.iter().map(|(name, _)| *name);
    seen("the symbol index lists".into(), indexed);
    // glibc's allocator has other names for what it exports.
    let is_glibc = findings.libc == Libc::Glibc && heaps.is_empty();
    let defines = |name: &[u8]| {
        let mut members = findings.members.iter();
        members.find(|m| m.defined().any(|s| s.name == name))
    };
    match defines(b"malloc") {
        Some(member) if is_glibc => heaps.push(Found::new(
            Heap::Glibc,
            Sure::Certain,
            format!("member {} defines malloc", printable(member.name)),
        )),
        Some(member) if heaps.is_empty() && member.role != Role::Brawn => {
            let heap = match member.role {
                Role::MuslHeap if findings.libc == Libc::Musl => Heap::Musl,
                _ => Heap::Own,
            };
            heaps.push(Found::new(
                heap,
                Sure::Certain,
                format!("member {} defines malloc", printable(member.name)),
            ));
        }
        _ => {}
    }
    heaps
}

/// Says which members define, or refer to, musl's heap in an archive that has brawn's.
fn second_heap(findings: &Findings<'_>, heaps: &mut Vec<Found>) {
    let is_internal = |name: &[u8]| INTERNAL.iter().any(|n| n.as_bytes() == name);
    let mut members = Vec::new();
    for member in findings.members.iter().filter(|m| m.role != Role::Brawn) {
        let is_heaps = matches!(member.role, Role::MuslHeap | Role::ForeignHeap);
        let defines: Vec<String> = member
            .defined()
            .filter(|s| is_heaps && is_heap(s.name))
            .map(|s| printable(s.name))
            .collect();
        // A weak definition of the same name is the fallback of fork's member.
        let has = |name: &[u8]| member.defined().any(|s| s.name == name);
        let refers_to: Vec<String> = member
            .undefined()
            .filter(|s| is_internal(s.name) && !has(s.name))
            .map(|s| printable(s.name))
            .collect();
        if !defines.is_empty() || !refers_to.is_empty() {
            members.push(MemberUse {
                member: printable(member.name),
                offset: member.offset,
                defines,
                refers_to,
            });
        }
    }
    if members.is_empty() {
        return;
    }
    let Some(found) = heaps.iter_mut().find(|h| h.heap.is_musl()) else {
        let what = format!("member {}", members[0].member);
        let mut found = Found::new(Heap::Musl, Sure::Certain, what);
        found.members = members;
        heaps.push(found);
        return;
    };
    found.members = members;
}

fn version(archive: &Archive<'_>, findings: &Findings<'_>) -> Result<Option<String>> {
    let name: &[u8] = match findings.libc {
        Libc::Musl => b"__libc_version",
        Libc::Glibc => b"gnu_get_libc_version",
        Libc::Unknown => return Ok(None),
    };
    let Some(image) = defining(archive, findings, name)? else {
        return Ok(None);
    };
    Ok(match findings.libc {
        Libc::Musl => executable::musl_version(&image),
        _ => glibc_version(&image),
    })
}

/// The version in glibc's banner, which the member that answers for it holds.
fn glibc_version(image: &Image<'_>) -> Option<String> {
    const BEFORE: &[u8] = b"release version ";
    image.sections.iter().find_map(|section| {
        let at = memchr::memmem::find(section.data, BEFORE)?;
        let rest = section.data.get(at + BEFORE.len()..)?;
        let end = rest
            .iter()
            .position(|b| !(b.is_ascii_digit() || *b == b'.'))?;
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        let text = text.trim_end_matches('.');
        (!text.is_empty()).then(|| text.to_string())
    })
}

fn memory(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    evidence: &mut Vec<String>,
) -> Result<Memory> {
    let is_memory = |name: &[u8]| MEMORY.iter().any(|n| n.as_bytes() == name);
    let ours: Vec<_> = findings.with_role(Role::BrawnMemory).collect();
    if !ours.is_empty() {
        let mut others = findings.members.iter().filter(|m| {
            m.role != Role::BrawnMemory && m.defined().any(|symbol| is_memory(symbol.name))
        });
        evidence.push(format!(
            "{} members of brawn's memory functions",
            ours.len()
        ));
        if let Some(member) = others.next() {
            let name = printable(member.name);
            evidence.push(format!("member {name} defines memory functions, too"));
            return Ok(Memory::Mixed);
        }
        return Ok(Memory::Brawn);
    }
    if findings.libc == Libc::Glibc {
        return Ok(Memory::Glibc);
    }
    let Some(image) = defining(archive, findings, b"memcpy")? else {
        let is_indexed = findings.indexed.iter().any(|(name, _)| *name == b"memcpy");
        return Ok(if is_indexed {
            Memory::Unknown
        } else {
            Memory::None
        });
    };
    let traces = Traces::new(&image);
    Ok(executable::memory(
        &image,
        Linkage::Object,
        findings.libc,
        &traces,
        evidence,
    ))
}

/// The object that defines `name`.
fn defining<'a>(
    archive: &Archive<'a>,
    findings: &Findings<'_>,
    name: &[u8],
) -> Result<Option<Image<'a>>> {
    let Some(member) = findings
        .members
        .iter()
        .find(|m| m.defined().any(|s| s.name == name))
    else {
        return Ok(None);
    };
    let entry = &archive.entries[member.entry];
    let offset = entry.data.start as u64;
    let image = Image::read(archive.data(entry), offset).map_err(|e| e.member(entry.name))?;
    Ok(Some(image))
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
