//! What was found in an archive, as plain data.

use super::read::Archive;
use crate::component::Component;
use crate::elf::ident::Ident;
use crate::elf::image::Image;
use crate::elf::object::{Object, Symbol};
use crate::error::{Error, Result};
use crate::identify::{Libc, is_surface};
use crate::note::Note;

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

/// The role of a member in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing but musl's heap.
    MuslHeap,
    /// brawn's: carries a part's note. What carries none is a memory function if it defines one of their names, and one of
    /// brawn's other functions if it needs the member that carries theirs.
    Ours(Component),
    /// Part of a mimalloc that replaced musl's heap.
    Mimalloc,
    /// Defines names of the heap together with names that brawn does not know.
    ForeignHeap,
    /// Anything else.
    Rest,
}

/// One member.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Its position in [`Archive::entries`](super::read::Archive::entries).
    pub entry: usize,
    /// Its name.
    pub name: &'a [u8],
    /// Where its header is in the file.
    pub offset: u64,
    /// What it holds.
    pub content: Content<'a>,
    /// The role that it plays.
    pub role: Role,
}

impl<'a> Member<'a> {
    /// The global symbols that it defines. For bitcode this is only what the symbol index says, which is in
    /// [`Findings::indexed`].
    pub fn defined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols().filter(|s| s.defined)
    }

    /// The global symbols that it needs from elsewhere.
    pub fn undefined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols().filter(|s| !s.defined)
    }

    /// Whether it defines `name`.
    pub fn defines(&self, name: &[u8]) -> bool {
        self.defined().any(|s| s.name == name)
    }

    /// The error that it has something that brawn refuses.
    pub fn refused(&self, found: impl Into<String>) -> Error {
        let error = Error::refused(found);
        error.member(self.name).at(self.offset)
    }

    /// It, as the reader of whole files sees it.
    pub fn image<'b>(&self, archive: &Archive<'b>) -> Result<Image<'b>> {
        let entry = &archive.entries[self.entry];
        let image = Image::read(archive.data(entry), entry.data.start as u64);
        image.map_err(|e| e.member(entry.name))
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
    /// The symbols that the archive's own index gives for members that brawn cannot read (bitcode), each with its
    /// entry.
    pub indexed: Vec<(&'a [u8], usize)>,
}

impl<'a> Findings<'a> {
    /// The first member that defines `name`.
    pub fn defining(&self, name: &[u8]) -> Option<&Member<'a>> {
        self.members.iter().find(|m| m.defines(name))
    }

    /// The members that play `role`.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Member<'a>> {
        self.members.iter().filter(move |m| m.role == role)
    }

    /// Whether it has no member that defines a heap.
    pub fn has_no_heap(&self) -> bool {
        let is_none = |m: &Member<'_>| match m.role {
            Role::Rest => true,
            Role::Ours(part) => part != Component::Heap,
            _ => false,
        };
        self.members.iter().all(is_none)
            && !self.indexed.iter().any(|(symbol, _)| is_surface(symbol))
    }
}
