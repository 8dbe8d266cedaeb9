//! A relocatable object of the payload: its loaded sections, their relocations, and its symbols.

use crate::error::{Error, Result};
use brawn_payload::{Frames, Function, Member};
use object::elf;
use object::read::elf::{ElfFile64, ElfSection64};
use object::{
    LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    RelocationTarget, SectionFlags, SymbolFlags,
};

/// The kinds of sections, in the order in which they are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// Code.
    Text,
    /// Data that does not change.
    Constant,
    /// Provenance notes.
    Note,
    /// Data.
    Data,
    /// Data that is zero at start.
    Zero,
    /// Thread-locals, which are zero at start.
    Local,
}

impl Area {
    /// All kinds, in that order.
    pub const ALL: [Self; 6] = [
        Self::Text,
        Self::Constant,
        Self::Note,
        Self::Data,
        Self::Zero,
        Self::Local,
    ];
}

/// A section that is loaded.
#[derive(Debug)]
pub struct Section<'a> {
    pub name: &'a str,
    pub area: Area,
    pub size: u64,
    pub align: u64,
    /// Its offset in the object's file.
    pub offset: u64,
    /// Its bytes; empty for a section of zeros.
    pub bytes: &'a [u8],
    pub relocations: Vec<Relocation>,
}

/// A place that contains a distance or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Its offset in its section.
    pub at: u64,
    /// `ELF64_R_TYPE`.
    pub kind: u32,
    /// The number of the symbol in [`Object::symbols`].
    pub symbol: usize,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    #[default]
    Local,
    Weak,
    Strong,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Symbol<'a> {
    pub name: &'a str,
    pub binding: Binding,
    /// The number of its section in [`Object::sections`] and its offset there; `None` if another object defines it.
    pub place: Option<(usize, u64)>,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
    pub is_function: bool,
    /// Whether it must be the program's, even if the payload has a symbol of that name.
    pub is_host: bool,
}

#[derive(Debug)]
pub struct Object<'a> {
    /// The member's name.
    pub name: &'a str,
    pub sections: Vec<Section<'a>>,
    /// Its symbols, in the order of its symbol table.
    pub symbols: Vec<Symbol<'a>>,
    /// The unwind information for its code.
    pub frames: Frames,
}

impl<'a> Object<'a> {
    /// Reads a member of the payload.
    pub fn member(member: &'a Member) -> Result<Self> {
        Ok(Self {
            frames: member.frames,
            ..Self::read(member.name, member.bytes.get())?
        })
    }

    /// Reads the object of a function of libc. Names in its `asks` are the program's own. The attach object, for
    /// example, has an `__environ` too, which `setenv` does not change.
    pub fn function(function: &'a Function) -> Result<Self> {
        let mut object = Self::member(&function.member)?;
        for symbol in &mut object.symbols {
            symbol.is_host = symbol.place.is_none() && function.asks.contains(&symbol.name);
        }
        Ok(object)
    }

    /// The names that other objects of the payload, or the program, define.
    pub fn undefined(&self) -> impl Iterator<Item = &'a str> {
        let symbols = self.symbols.iter();
        let undefined = symbols.filter(|s| s.binding != Binding::Local && s.place.is_none());
        undefined.filter(|s| !s.is_host).map(|s| s.name)
    }

    /// Reads the object `bytes`, which messages call `name`.
    ///
    /// Errors: [`Kind::Malformed`](crate::Kind::Malformed) if it is not such an object;
    /// [`Kind::Refused`](crate::Kind::Refused) for a kind of section that cannot be added to a program without a
    /// loader.
    pub fn read(name: &'a str, bytes: &'a [u8]) -> Result<Self> {
        Self::parse(name, bytes).map_err(|e| e.member(name.as_bytes()))
    }

    fn parse(name: &'a str, bytes: &'a [u8]) -> Result<Self> {
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(bad)?;
        let mut sections = Vec::new();
        // For each section of the file, its index in `sections`.
        let mut places = vec![None; file.sections().map(|s| s.index().0 + 1).max().unwrap_or(0)];
        for section in file.sections() {
            if let Some(area) = area(&section)? {
                places[section.index().0] = Some(sections.len());
                sections.push(read(&section, area)?);
            }
        }
        // The null symbol, which `symbols` leaves out, has the number 0.
        let mut symbols = vec![Symbol::default()];
        for symbol in file.symbols() {
            let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
                return Err(Error::malformed("no ELF symbol"));
            };
            let section = symbol.section_index();
            let section = section.and_then(|index| places.get(index.0).copied().flatten());
            let place = section.map(|section| (section, symbol.address()));
            let is_known = place.is_some() || symbol.is_undefined() || symbol.is_local();
            if !is_known {
                let found = format!("`{}` is in no section", symbol.name().map_err(bad)?);
                return Err(Error::refused(found).expected("a place that is loaded"));
            }
            symbols.push(Symbol {
                name: symbol.name().map_err(bad)?,
                binding: match (symbol.is_local(), symbol.is_weak()) {
                    (true, _) => Binding::Local,
                    (_, true) => Binding::Weak,
                    _ => Binding::Strong,
                },
                place,
                size: symbol.size(),
                is_function: st_info.0 & 15 == elf::STT_FUNC.0,
                is_host: false,
            });
        }
        for section in &sections {
            let last = section.relocations.iter().map(|r| r.symbol).max();
            if last.is_some_and(|last| last >= symbols.len()) {
                let found = format!("a relocation of {} names no symbol", section.name);
                return Err(Error::malformed(found));
            }
        }
        Ok(Self {
            name,
            sections,
            symbols,
            frames: Frames::default(),
        })
    }

    /// The global names that it defines.
    pub fn defined(&self) -> impl Iterator<Item = (usize, &Symbol<'a>)> {
        let symbols = self.symbols.iter().enumerate();
        symbols.filter(|(_, s)| s.binding != Binding::Local && s.place.is_some())
    }
}

fn bad(error: object::Error) -> Error {
    Error::malformed(error.to_string().to_lowercase())
}

/// The kind of `section`; `None` if it is not loaded.
fn area(section: &ElfSection64<'_, '_, LittleEndian>) -> Result<Option<Area>> {
    let SectionFlags::Elf {
        sh_type, sh_flags, ..
    } = section.flags()
    else {
        return Err(Error::malformed("no ELF section"));
    };
    let flags = sh_flags.0;
    let has = |flag: elf::SectionFlags| flags & flag.0 != 0;
    if !has(elf::SHF_ALLOC) {
        return Ok(None);
    }
    let (is_written, is_code) = (has(elf::SHF_WRITE), has(elf::SHF_EXECINSTR));
    let is_zero = sh_type == elf::SHT_NOBITS;
    let area = match sh_type {
        _ if has(elf::SHF_TLS) => (is_zero && is_written && !is_code).then_some(Area::Local),
        elf::SHT_NOTE if !is_written && !is_code => Some(Area::Note),
        elf::SHT_PROGBITS | elf::SHT_NOBITS => match (is_written, is_code, is_zero) {
            (false, true, false) => Some(Area::Text),
            (false, false, false) => Some(Area::Constant),
            (true, false, false) => Some(Area::Data),
            (true, false, true) => Some(Area::Zero),
            _ => None,
        },
        _ => None,
    };
    if area.is_none() {
        let name = section.name().map_err(bad)?;
        let found = format!(
            "section {name} of type {:#x} with flags {flags:#x}",
            sh_type.0
        );
        return Err(
            Error::refused(found).expected("code, data, a note, or thread-locals that are zero")
        );
    }
    Ok(area)
}

fn read<'a>(section: &ElfSection64<'a, '_, LittleEndian>, area: Area) -> Result<Section<'a>> {
    let name = section.name().map_err(bad)?;
    let align = section.align().max(1);
    if !align.is_power_of_two() {
        let found = format!("section {name} is aligned to {align}");
        return Err(Error::malformed(found).expected("a power of two"));
    }
    let mut relocations = Vec::new();
    for (at, relocation) in section.relocations() {
        let (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(symbol)) =
            (relocation.flags(), relocation.target())
        else {
            let found = format!("a relocation without a symbol in section {name}");
            return Err(Error::refused(found).at(at));
        };
        relocations.push(Relocation {
            at,
            kind: r_type.0,
            symbol: symbol.0,
            addend: relocation.addend(),
        });
    }
    Ok(Section {
        name,
        area,
        size: section.size(),
        align,
        offset: section.file_range().map_or(0, |(offset, _)| offset),
        bytes: section.data().map_err(bad)?,
        relocations,
    })
}
