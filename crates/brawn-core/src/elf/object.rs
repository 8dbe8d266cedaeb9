//! The facts that brawn needs about an ELF object: its machine, the global symbols that it defines and needs, and
//! brawn's notes in it.

use super::ident::Ident;
use super::image::strings;
use crate::error::{Error, Result};
use crate::note::{self, Note};
use crate::work::{Strings, overlap};
use object::LittleEndian;
use object::elf;
use object::read::elf::{FileHeader, SectionHeader, Sym, SymbolTable};

type Header = elf::FileHeader64<LittleEndian>;

/// Offset of `e_shoff` in a 64-bit ELF header.
const E_SHOFF: u64 = 40;

/// The binding of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `STB_GLOBAL` (and `STB_GNU_UNIQUE`): two definitions clash.
    Strong,
    /// `STB_WEAK`: a strong definition takes its place.
    Weak,
}

/// A global symbol of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name, as in the string table.
    pub name: &'a [u8],
    /// Its binding.
    pub binding: Binding,
    /// Whether it is defined here (this includes common symbols) or only referenced.
    pub defined: bool,
}

/// A 64-bit little-endian ELF object.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// Its class, byte order and machine.
    pub ident: Ident,
    /// Global symbols in the order of its symbol table.
    pub symbols: Vec<Symbol<'a>>,
    /// brawn's notes in it.
    pub notes: Vec<Note>,
}

impl<'a> Object<'a> {
    /// Reads the object in `bytes`, which begins at `offset` of its file.
    ///
    /// Returns `Ok(None)` for ELF of another class or byte order: brawn reads only its [`Ident`].
    pub fn read(bytes: &'a [u8], offset: u64) -> Result<Option<Self>> {
        let ident = Ident::read(bytes, offset)?;
        if !(ident.is_64 && ident.is_little) {
            return Ok(None);
        }
        let endian = LittleEndian;
        let bad = |place: u64| {
            move |error: object::read::Error| {
                Error::malformed(error.to_string().to_lowercase()).at(offset.saturating_add(place))
            }
        };
        let header = Header::parse(bytes).map_err(bad(0))?;
        let sections = header.sections(endian, bytes).map_err(bad(E_SHOFF))?;
        let table_at: u64 = header.e_shoff(endian);
        // The place of section `number`'s header, for errors.
        let header_at = |number: usize| (number as u64).saturating_mul(64).saturating_add(table_at);
        let mut object = Self {
            ident,
            symbols: Vec::new(),
            notes: Vec::new(),
        };
        let of = |kind| {
            let all = sections.iter();
            all.filter(move |s| s.sh_type(endian) == kind)
        };
        let notes = of(elf::SHT_NOTE).map(|s| s.sh_size(endian));
        overlap("notes", notes, bytes.len()).map_err(|e| e.at(header_at(0)))?;
        if let Some(second) = of(elf::SHT_SYMTAB).nth(1) {
            return Err(Error::malformed("a second table of symbols")
                .at(offset.saturating_add(second.sh_offset(endian)))
                .expected("one"));
        }
        for (number, section) in sections.enumerate() {
            let place = header_at(number.0);
            match section.sh_type(endian) {
                elf::SHT_SYMTAB => {
                    let table = SymbolTable::parse(endian, bytes, &sections, number, section)
                        .map_err(bad(place))?;
                    let number = table.string_section();
                    let names = strings(endian, bytes, &sections, number, table.len());
                    let names = names.map_err(bad(place))?;
                    let at = offset.saturating_add(section.sh_offset(endian));
                    object.symbols = symbols(&table, &names).map_err(|e| e.at(at))?;
                }
                elf::SHT_NOTE => {
                    let name = sections.section_name(endian, section).map_err(bad(place))?;
                    if name == note::SECTION {
                        let data = section.data(endian, bytes).map_err(bad(place))?;
                        let at = offset.saturating_add(section.sh_offset(endian));
                        object.notes.extend(note::read(data, at)?);
                    }
                }
                _ => {}
            }
        }
        Ok(Some(object))
    }

    /// The symbols that it defines.
    pub fn defined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols.iter().filter(|s| s.defined)
    }

    /// The symbols that it needs from elsewhere.
    pub fn undefined(&self) -> impl Iterator<Item = &Symbol<'a>> {
        self.symbols.iter().filter(|s| !s.defined)
    }
}

/// The global symbols of `table`, with their names from `names`.
fn symbols<'a>(table: &SymbolTable<'a, Header>, names: &Strings<'a>) -> Result<Vec<Symbol<'a>>> {
    let mut symbols = Vec::new();
    for symbol in table.iter() {
        let binding = match symbol.st_bind() {
            elf::STB_GLOBAL | elf::STB_GNU_UNIQUE => Binding::Strong,
            elf::STB_WEAK => Binding::Weak,
            _ => continue,
        };
        let name = names.get(symbol.st_name(LittleEndian).into())?;
        let name =
            name.ok_or_else(|| Error::malformed("a symbol's name behind the end of the names"))?;
        symbols.push(Symbol {
            name,
            binding,
            defined: symbol.st_shndx(LittleEndian) != elf::SHN_UNDEF,
        });
    }
    Ok(symbols)
}

#[cfg(test)]
mod tests;
