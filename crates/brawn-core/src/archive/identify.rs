//! Identifies what is in an archive: members are told apart by the symbols that they define, never by their names.

use super::mimalloc;
use crate::archive::read::{Archive, Entry};
use crate::component::Component;
use crate::elf::ident::Ident;
use crate::elf::object::{Binding, Object};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::identify::{LIBC_NOTE, Libc, MEMORY_OWN, is_heap, is_public, is_surface};
use crate::note::Note;
use std::collections::HashSet;

/// Symbols that every musl since 1.0 defines and no other libc does.
const MUSL: [&[u8]; 2] = [b"__init_libc", b"__lctrans"];
/// A symbol that every glibc defines and no other libc does.
const GLIBC: &[u8] = b"gnu_get_libc_version";

pub use super::findings::{Content, Findings, Member, Role};

/// Finds out what is in `archive`.
pub fn identify<'a>(archive: &Archive<'a>) -> Result<Findings<'a>> {
    let mut members = Vec::with_capacity(archive.entries.len());
    let mut ident: Option<(Ident, &[u8])> = None;
    for (number, entry) in archive.members() {
        let content = content(archive, entry)?;
        let its = match &content {
            Content::Object(object) => Some(object.ident),
            Content::OtherElf(ident) => Some(*ident),
            Content::Bitcode | Content::Other => None,
        };
        match (its, ident) {
            (Some(its), Some((first, name))) if its != first => {
                return Err(Error::refused(format!("object for {}", its.describe()))
                    .member(entry.name)
                    .at(entry.data.start as u64)
                    .expected(format!(
                        "{}, as member {} before it",
                        first.describe(),
                        crate::error::printable(name)
                    )));
            }
            (Some(its), None) => ident = Some((its, entry.name)),
            _ => {}
        }
        let role = match &content {
            Content::Object(object) => role(object),
            _ => Role::Rest,
        };
        members.push(Member {
            entry: number,
            name: entry.name,
            offset: entry.whole.start as u64,
            content,
            role,
        });
    }
    mimalloc::assign(&mut members);
    let unreadable: HashSet<usize> = members
        .iter()
        .filter(|m| !matches!(m.content, Content::Object(_)))
        .map(|m| m.entry)
        .collect();
    let indexed: Vec<_> = archive
        .index
        .iter()
        .flat_map(|index| &index.lines)
        .filter(|line| unreadable.contains(&line.entry))
        .map(|line| (line.symbol, line.entry))
        .collect();
    let libc = libc(&members, &indexed);
    Ok(Findings {
        libc,
        ident: ident.map(|(ident, _)| ident),
        members,
        indexed,
    })
}

fn content<'a>(archive: &Archive<'a>, entry: &Entry<'a>) -> Result<Content<'a>> {
    let data = archive.data(entry);
    let offset = entry.data.start as u64;
    let named = |e: Error| e.member(entry.name);
    Ok(match Format::of(data) {
        Format::Elf => match Object::read(data, offset).map_err(named)? {
            Some(object) => Content::Object(object),
            None => Content::OtherElf(Ident::read(data, offset).map_err(named)?),
        },
        Format::Bitcode => Content::Bitcode,
        _ => Content::Other,
    })
}

/// A member belongs to the heap if it defines one of the heap's names and a second definition would clash with it, or
/// if it defines a public name at all. A member with only weak private names is not the heap's: these are fallbacks,
/// as in the member with fork, which must stay.
fn role(object: &Object<'_>) -> Role {
    if object.notes.iter().any(Note::is_heap) {
        return Role::Ours(Component::Heap);
    }
    if object.notes.iter().any(Note::is_supplied) {
        return Role::Ours(Component::Supplied);
    }
    let symbols = || object.symbols.iter();
    if object.notes.iter().any(Note::is_libc) || symbols().any(|s| s.name == LIBC_NOTE) {
        return Role::Ours(Component::LIBC);
    }
    if !object.notes.is_empty() || object.defined().any(|s| s.name.starts_with(MEMORY_OWN)) {
        return Role::Ours(Component::Memory);
    }
    let is_its_business = object.defined().any(|s| match s.binding {
        Binding::Strong => is_surface(s.name),
        Binding::Weak => is_public(s.name),
    });
    if !is_its_business {
        return Role::Rest;
    }
    if object.defined().all(|s| is_heap(s.name)) {
        Role::MuslHeap
    } else {
        Role::ForeignHeap
    }
}

fn libc(members: &[Member<'_>], indexed: &[(&[u8], usize)]) -> Libc {
    let defined = members.iter().flat_map(Member::defined).map(|s| s.name);
    let (mut musl, mut glibc) = ([false; MUSL.len()], false);
    for name in defined.chain(indexed.iter().map(|(name, _)| *name)) {
        glibc |= name == GLIBC;
        for (seen, marker) in musl.iter_mut().zip(MUSL) {
            *seen |= name == marker;
        }
    }
    if glibc {
        Libc::Glibc
    } else if musl == [true; MUSL.len()] {
        Libc::Musl
    } else {
        Libc::Unknown
    }
}

#[cfg(test)]
mod tests;
