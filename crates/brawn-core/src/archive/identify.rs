//! What is in an archive: members are told apart by what they define, never by their names.

use super::mimalloc;
use crate::archive::read::{Archive, Entry};
use crate::elf::ident::Ident;
use crate::elf::object::{Binding, Object, Symbol};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::identify::{Libc, MEMORY_OWN, is_heap, is_public, is_surface};
use crate::note::Note;
use std::collections::HashSet;

/// Symbols that every musl since 1.0 defines and no other libc does.
const MUSL: [&[u8]; 2] = [b"__init_libc", b"__lctrans"];
/// A symbol that every glibc defines and no other libc does.
const GLIBC: &[u8] = b"gnu_get_libc_version";

/// What a member holds.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// An ELF object that brawn reads.
    Object(Object<'a>),
    /// ELF of a class or byte order that brawn does not read further.
    OtherElf(Ident),
    /// LLVM bitcode.
    Bitcode,
    /// Anything else: text, an empty file.
    Other,
}

/// What part a member plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing but musl's heap.
    MuslHeap,
    /// Carries the note of brawn's heap.
    Brawn,
    /// One of brawn's memory functions: carries their note, or defines a name of theirs.
    BrawnMemory,
    /// A function of brawn's that the archive lacked: carries its note.
    BrawnSupplied,
    /// mimalloc's, in the place of musl's heap.
    Mimalloc,
    /// Defines names of the heap, and others that brawn does not know.
    ForeignHeap,
    /// Anything else.
    Rest,
}

/// One member.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Its position in [`Archive::entries`].
    pub entry: usize,
    /// Its name.
    pub name: &'a [u8],
    /// Where its header is in the file.
    pub offset: u64,
    /// What it holds.
    pub content: Content<'a>,
    /// What part it plays.
    pub role: Role,
}

impl<'a> Member<'a> {
    /// The global symbols that it defines.  Of bitcode that is only what the symbol index says,
    /// which [`Findings::indexed`] holds.
    pub fn defined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols().filter(|s| s.defined)
    }

    /// The global symbols that it needs from elsewhere.
    pub fn undefined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols().filter(|s| !s.defined)
    }

    /// brawn's notes in it.
    pub fn notes(&self) -> &[Note] {
        match &self.content {
            Content::Object(object) => &object.notes,
            _ => &[],
        }
    }

    fn symbols(&self) -> impl Iterator<Item = &Symbol<'a>> {
        let symbols: &[Symbol<'a>] = match &self.content {
            Content::Object(object) => &object.symbols,
            _ => &[],
        };
        symbols.iter()
    }
}

/// What is in an archive.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// Whose libc it is.
    pub libc: Libc,
    /// Class, byte order and machine of its ELF members; `None` where it has none.
    pub ident: Option<Ident>,
    /// Its members in file order.
    pub members: Vec<Member<'a>>,
    /// For members that brawn cannot read (bitcode): the symbols that the archive's own index
    /// ascribes to them, with their entry.
    pub indexed: Vec<(&'a [u8], usize)>,
}

impl<'a> Findings<'a> {
    /// The members that play `role`.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Member<'a>> {
        self.members.iter().filter(move |m| m.role == role)
    }

    /// Whether it has no member that defines a heap.
    pub fn has_no_heap(&self) -> bool {
        let is_none =
            |m: &Member<'_>| matches!(m.role, Role::Rest | Role::BrawnMemory | Role::BrawnSupplied);
        self.members.iter().all(is_none)
            && !self.indexed.iter().any(|(symbol, _)| is_surface(symbol))
    }
}

/// Says what is in `archive`.
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

/// A member is the heap's if it defines a name of the heap's surface so that another definition
/// would clash, or a public one at all.  Weak private names alone are fallbacks, as in fork's
/// member, which must stay.
fn role(object: &Object<'_>) -> Role {
    if object.notes.iter().any(Note::is_heap) {
        return Role::Brawn;
    }
    if object.notes.iter().any(Note::is_supplied) {
        return Role::BrawnSupplied;
    }
    if !object.notes.is_empty() || object.defined().any(|s| s.name.starts_with(MEMORY_OWN)) {
        return Role::BrawnMemory;
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
