//! Finishes the compiler's object: drops every section that the surface does not reach, makes every
//! symbol but the surface local, and checks what is left against the lists in `recipe.rs`.

use crate::Result;
use crate::frames::{self, Frames};
use crate::recipe::MEMORY_PREFIX;
use object::build::Id as _;
use object::build::elf::{Builder, SectionData};
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, SymbolFlags, elf};
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub struct Finished {
    pub bytes: Vec<u8>,
    /// Unwind information, which the bytes do not have.
    pub frames: Frames,
    pub surface: Vec<String>,
    pub needs: Vec<String>,
}

/// Section type of `.llvm_addrsig` (LLVM, "Extensions", SHT_LLVM_ADDRSIG).
const SHT_LLVM_ADDRSIG: elf::SectionType = elf::SectionType(0x6fff_4c03);

/// Section that is kept although nothing refers to it.
const NOTE: &[u8] = b".note.brawn";

/// The section of zeros that a small program never touches, as the sources call it, and its name in the object.  A linker
/// that does not know a name puts such a section behind `.bss`.  So what a program touches as it begins lies on fewer
/// pages, and each page costs a fault.  (`.lbss.…` would be far away in a program with gigabytes of data.)
const LATE: (&[u8], &[u8]) = (b".bss.late", b".brawn.late");

/// The prefixes of sections with which an object would run something on its own, or have thread-locals.
pub const ACTIVE: [&str; 4] = [".init_array", ".ctors", ".tbss", ".tdata"];

/// Fails if the object has a section whose name begins so.
pub fn refuse_sections(bytes: &[u8], unwanted: &[&str]) -> Result<()> {
    for section in object::File::parse(bytes)?.sections() {
        let name = section.name()?;
        if unwanted.iter().any(|prefix| name.starts_with(prefix)) {
            return Err(format!("it has a section {name}").into());
        }
    }
    Ok(())
}

/// Whether the symbol is visible only to this object and to objects that are linked with it.
pub fn is_hidden<'a>(symbol: &impl object::ObjectSymbol<'a>) -> Result<bool> {
    match symbol.flags() {
        SymbolFlags::Elf { st_other, .. } => Ok(st_other.0 & 3 == elf::STV_HIDDEN.0),
        _ => Err("not ELF".into()),
    }
}

impl Finished {
    /// Whether some of libc's names that it defines are data.
    pub fn has_data(&self) -> Result<bool> {
        let object = object::File::parse(self.bytes.as_slice())?;
        let is_public = |s: &object::Symbol<'_, '_>| {
            let name = s.name_bytes().unwrap_or_default();
            !name.starts_with(MEMORY_PREFIX.as_bytes())
                && self.surface.iter().any(|n| n.as_bytes() == name)
        };
        let mut data = object
            .symbols()
            .filter(|s| s.kind() == object::SymbolKind::Data);
        Ok(data.any(|s| is_public(&s)))
    }

    /// The same with a need of `name`, a hidden symbol, although nothing refers to it: a linker that takes this
    /// object from an archive takes the one that defines the name, too.
    pub fn asking_for(mut self, name: &str) -> Result<Self> {
        let mut object = Builder::read(self.bytes.as_slice())?;
        let symbol = object.symbols.add();
        symbol.name = name.as_bytes().into();
        symbol.set_st_info(elf::STB_GLOBAL, elf::STT_NOTYPE);
        symbol.st_other = elf::SymbolOther(elf::STV_HIDDEN.0);
        symbol.st_shndx = elf::SHN_UNDEF;
        let mut bytes = Vec::new();
        object.write(&mut bytes)?;
        self.bytes = bytes;
        self.needs.push(name.to_owned());
        self.needs.sort();
        Ok(self)
    }
}

pub fn finish(raw: &[u8], surface: &[&str], needs: &[&str]) -> Result<Finished> {
    let mut changed = raw.to_vec();
    hide_address_significance(&mut changed)?;
    let mut object = Builder::read(changed.as_slice())?;
    let kept = reachable(&object, surface);

    drop_sections(&mut object, &kept);
    let (defines, wants) = sort_symbols(&mut object, surface);
    if defines != surface {
        return Err(format!("the payload defines {defines:?}, expected {surface:?}").into());
    }
    if let Some(stranger) = wants.iter().find(|name| !needs.contains(&name.as_str())) {
        return Err(
            format!("the payload needs {stranger}, which is not in the list of recipe.rs").into(),
        );
    }

    move_late(&mut object);
    name_sections(&mut object);
    close_gaps(&mut object);
    let mut bytes = Vec::new();
    object.write(&mut bytes)?;
    Ok(Finished {
        frames: frames::take(raw, &bytes)?,
        bytes,
        surface: defines,
        needs: wants,
    })
}

/// Marks all sections as deleted but the kept ones and the tables that describe them.
fn drop_sections(object: &mut Builder<'_>, kept: &HashSet<usize>) {
    for section in object.sections.iter_mut() {
        let keep = match &section.data {
            SectionData::Relocation(_) => section
                .sh_info_section
                .is_some_and(|target| kept.contains(&target.index())),
            SectionData::SectionString | SectionData::Symbol | SectionData::String => true,
            _ => {
                kept.contains(&section.id().index())
                    || section.name.as_slice() == b".note.GNU-stack"
            }
        };
        section.delete = !keep;
    }
}

/// Deletes the symbols of deleted sections, and makes all others local but the surface's.  Gives the public names that
/// are left, and the names that the object needs, both sorted.
fn sort_symbols(object: &mut Builder<'_>, surface: &[&str]) -> (Vec<String>, Vec<String>) {
    let used: HashSet<_> = object
        .sections
        .iter()
        .filter(|section| !section.delete)
        .filter_map(|section| match &section.data {
            SectionData::Relocation(relocations) => Some(relocations),
            _ => None,
        })
        .flatten()
        .filter_map(|relocation| Some(relocation.symbol?.index()))
        .collect();
    let deleted: HashSet<_> = object
        .sections
        .iter()
        .filter(|section| section.delete)
        .map(|section| section.id().index())
        .collect();
    let (mut defines, mut wants) = (Vec::new(), Vec::new());
    for symbol in object.symbols.iter_mut() {
        let name = String::from_utf8_lossy(symbol.name.as_slice()).into_owned();
        let is_public = surface.contains(&name.as_str());
        if symbol
            .section
            .is_some_and(|section| deleted.contains(&section.index()))
        {
            symbol.delete = true;
        } else if symbol.section.is_none() && symbol.st_shndx == elf::SHN_UNDEF {
            // The compiler lists what the dropped sections needed, too.
            symbol.delete = !used.contains(&symbol.id().index());
            if !symbol.delete {
                wants.push(name);
            }
        } else if is_public {
            defines.push(name);
        } else if symbol.st_type() == elf::STT_FILE {
            symbol.delete = true;
        } else {
            symbol.set_st_info(elf::STB_LOCAL, symbol.st_type());
            symbol.st_other = elf::SymbolOther(0);
        }
    }
    defines.sort();
    wants.sort();
    (defines, wants)
}

/// Gives what is [`LATE`] the name that puts it there.
fn move_late(object: &mut Builder<'_>) {
    for section in object.sections.iter_mut() {
        if section.name.as_slice() == LATE.0 {
            section.name = LATE.1.into();
        }
    }
}

/// Some assemblers keep the names of sections and symbols in one table, which is the symbols' now: the sections get one.
fn name_sections(object: &mut Builder<'_>) {
    let named = |data: &SectionData<'_>| matches!(data, SectionData::SectionString);
    if !object.sections.iter().any(|section| named(&section.data)) {
        let section = object.sections.add();
        section.name = b".shstrtab".as_slice().into();
        section.sh_type = elf::SHT_STRTAB;
        section.sh_addralign = 1;
        section.data = SectionData::SectionString;
    }
}

/// Closes the gaps that dropped sections left.
fn close_gaps(object: &mut Builder<'_>) {
    let mut end = 64; // the ELF header's size
    for section in object
        .sections
        .iter_mut()
        .filter(|section| !section.delete && section.is_alloc())
    {
        let align = section.sh_addralign.max(1);
        end = u64::div_ceil(end, align) * align;
        section.sh_offset = end;
        if !matches!(section.data, SectionData::UninitializedData(_)) {
            end += section.sh_size;
        }
    }
}

/// clang's `.llvm_addrsig` lists symbols by index, which `object` cannot renumber: as plain data that
/// nothing refers to, it is dropped.
fn hide_address_significance(raw: &mut [u8]) -> Result<()> {
    let header = elf::FileHeader64::<Endianness>::parse(&*raw)?;
    let endian = header.endian()?;
    let (start, size) = (header.e_shoff(endian), header.e_shentsize(endian));
    let hits: Vec<u64> = header
        .section_headers(endian, &*raw)?
        .iter()
        .zip(0..)
        .filter(|(section, _)| section.sh_type(endian) == SHT_LLVM_ADDRSIG)
        .map(|(_, index)| start + index * u64::from(size) + 4) // sh_type is the second word
        .collect();
    for offset in hits {
        let offset = usize::try_from(offset)?;
        raw[offset..offset + 4].copy_from_slice(&elf::SHT_PROGBITS.0.to_le_bytes());
    }
    Ok(())
}

/// The sections that the surface's symbols lie in, and all that those refer to, and so on.
fn reachable(object: &Builder<'_>, surface: &[&str]) -> HashSet<usize> {
    let mut references: HashMap<usize, Vec<usize>> = HashMap::new();
    for section in &object.sections {
        let (SectionData::Relocation(relocations), Some(from)) =
            (&section.data, section.sh_info_section)
        else {
            continue;
        };
        for symbol in relocations
            .iter()
            .filter_map(|relocation| relocation.symbol)
        {
            references
                .entry(from.index())
                .or_default()
                .extend(object.symbols.get(symbol).section.map(|s| s.index()));
        }
    }
    let mut todo: Vec<usize> = object
        .symbols
        .iter()
        .filter(|symbol| {
            surface
                .iter()
                .any(|name| name.as_bytes() == symbol.name.as_slice())
        })
        .filter_map(|symbol| Some(symbol.section?.index()))
        .collect();
    todo.extend(
        object
            .sections
            .iter()
            .filter(|s| s.name.as_slice() == NOTE)
            .map(|s| s.id().index()),
    );
    let mut found = HashSet::new();
    while let Some(section) = todo.pop() {
        if found.insert(section) {
            todo.extend(references.get(&section).into_iter().flatten());
        }
    }
    found
}
