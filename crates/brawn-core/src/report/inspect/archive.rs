//! Finds out what is in an archive of objects: its libc, all heaps in it, and the functions that it lacks.

use crate::advice::Advice;
use crate::archive::identify;
use crate::archive::identify::{Content, Findings, Member, Role};
use crate::archive::mimalloc::{COPIES, Mimalloc};
use crate::archive::read::Archive;
use crate::component::Component;
use crate::elf::image::Image;
use crate::error::{Result, printable};
use crate::identify::heap::{self, FoundHeap, Heap, MemberUse};
use crate::identify::signs::Traces;
use crate::identify::{INTERNAL, Identity, Libc, Linkage, MEMORY, Memory, executable, is_heap};
use crate::note;
use std::collections::BTreeMap;

/// How many members, and how many symbols of each, are named as evidence for one heap.
const ENOUGH: usize = 3;

/// Finds out what is in `archive`.
pub(super) fn identify(archive: &Archive<'_>) -> Result<Identity> {
    let findings = identify::identify(archive)?;
    let mut heaps: Vec<FoundHeap> = findings
        .members
        .iter()
        .flat_map(|member| note::heaps(member.notes()))
        .map(FoundHeap::brawn)
        .collect();
    heaps.extend(named_heaps(&findings));
    if heaps.iter().any(|h| h.heap == Heap::Brawn) {
        second_heap(&findings, &mut heaps);
    }
    let is_bitcode = |m: &&Member<'_>| matches!(m.content, Content::Bitcode);
    let unreadable = findings.members.iter().filter(is_bitcode).count();
    let mut evidence = vec![format!("{} members", findings.members.len())];
    if unreadable > 0 {
        evidence.push(format!(
            "{unreadable} of them LLVM bitcode, known by the symbol index only"
        ));
    }
    let memory = memory(archive, &findings, &mut evidence)?;
    let supplied = findings.with_role(Role::Ours(Component::Supplied));
    evidence.extend(executable::supplied(supplied.flat_map(|m| m.notes())));
    let (mut missing, mut hint) = (Vec::new(), None);
    if let Some(found) = Mimalloc::of(archive, &findings)? {
        missing = lost(&findings);
        hint = Some(format!(
            "{} replaces it by brawn's heap, and supplies what the archive then lacks",
            Advice::Upgrade
        ));
        mimalloc(found, &mut heaps, &mut evidence);
    }
    let notes = findings
        .with_role(Role::Ours(Component::Memory))
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
        system: None,
        payload: findings.ident.and_then(|ident| ident.architecture()),
        heaps,
        has_symbols: true,
        memory,
        memory_notes,
        libc_notes: findings
            .with_role(Role::Ours(Component::LIBC))
            .flat_map(|member| member.notes().to_vec())
            .collect(),
        evidence,
        missing,
        hint,
    })
}

/// Adds the facts about mimalloc that only an archive shows.
fn mimalloc(found: Mimalloc, heaps: &mut [FoundHeap], evidence: &mut Vec<String>) {
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

/// Functions of libc that are removed when another heap is put in, and that the archive does not have.
fn lost(findings: &Findings<'_>) -> Vec<String> {
    let is_there = |name: &[u8]| {
        findings.defining(name).is_some()
            || findings.indexed.iter().any(|(other, _)| *other == name)
    };
    let names = COPIES.iter().filter(|name| !is_there(name.as_bytes()));
    names.map(|name| (*name).to_owned()).collect()
}

/// The members without those of brawn's heap.
fn not_brawns_heap<'f>(findings: &'f Findings<'f>) -> impl Iterator<Item = &'f Member<'f>> {
    let members = findings.members.iter();
    members.filter(|m| m.role != Role::Ours(Component::Heap))
}

/// Heaps by the symbols that members define.
fn named_heaps(findings: &Findings<'_>) -> Vec<FoundHeap> {
    let mut heaps: Vec<FoundHeap> = Vec::new();
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
                None => heaps.push(FoundHeap::certain(heap, what)),
            }
        }
    };
    for member in not_brawns_heap(findings) {
        let place = format!("member {} defines", printable(member.name));
        seen(place, &mut member.defined().map(|s| s.name));
    }
    let indexed = &mut findings.indexed.iter().map(|(name, _)| *name);
    seen("the symbol index lists".into(), indexed);
    // glibc's allocator exports its functions under other names.
    let malloc = findings.defining(b"malloc").filter(|_| heaps.is_empty());
    heaps.extend(malloc.and_then(|member| {
        let heap = match (findings.libc, member.role) {
            (Libc::Glibc, _) => Heap::Glibc,
            (_, Role::Ours(Component::Heap)) => return None,
            (Libc::Musl, Role::MuslHeap) => Heap::Musl,
            _ => Heap::Own,
        };
        let what = format!("member {} defines malloc", printable(member.name));
        Some(FoundHeap::certain(heap, what))
    }));
    heaps
}

/// In an archive with brawn's heap: finds the members that define musl's heap or refer to it.
fn second_heap(findings: &Findings<'_>, heaps: &mut Vec<FoundHeap>) {
    let is_internal = |name: &[u8]| INTERNAL.iter().any(|n| n.as_bytes() == name);
    let mut members = Vec::new();
    for member in not_brawns_heap(findings) {
        let is_heaps = matches!(member.role, Role::MuslHeap | Role::ForeignHeap);
        let defines: Vec<String> = member
            .defined()
            .filter(|s| is_heaps && is_heap(s.name))
            .map(|s| printable(s.name))
            .collect();
        // A weak definition of the name in the same member is a fallback, as in the member with fork.
        let refers_to: Vec<String> = member
            .undefined()
            .filter(|s| is_internal(s.name) && !member.defines(s.name))
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
    match heaps.iter_mut().find(|h| h.heap.is_musl()) {
        Some(found) => found.members = members,
        None => {
            let what = format!("member {}", members[0].member);
            heaps.push(FoundHeap {
                members,
                ..FoundHeap::certain(Heap::Musl, what)
            });
        }
    }
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

/// The version in glibc's banner; it is in the member that returns glibc's version.
fn glibc_version(image: &Image<'_>) -> Option<String> {
    const BEFORE: &[u8] = b"release version ";
    image.sections.iter().find_map(|section| {
        let data = image.data(section);
        let at = memchr::memmem::find(data, BEFORE)?;
        let rest = data.get(at + BEFORE.len()..)?;
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
    let ours: Vec<_> = findings.with_role(Role::Ours(Component::Memory)).collect();
    if !ours.is_empty() {
        let mut others = findings.members.iter().filter(|m| {
            m.role != Role::Ours(Component::Memory)
                && m.defined().any(|symbol| is_memory(symbol.name))
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
        return Ok(match is_indexed {
            true => Memory::Unknown,
            false => Memory::None,
        });
    };
    let traces = Traces::new(&image);
    let (linkage, libc) = (Linkage::Object, findings.libc);
    Ok(executable::memory(&image, linkage, libc, &traces, evidence))
}

/// The object that defines `name`.
fn defining<'a>(
    archive: &Archive<'a>,
    findings: &Findings<'_>,
    name: &[u8],
) -> Result<Option<Image<'a>>> {
    let member = findings.defining(name);
    member.map(|member| member.image(archive)).transpose()
}
