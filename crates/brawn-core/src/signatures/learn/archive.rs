//! Learns from a `libc.a`: relocations show which operands the linker writes.

use super::super::Function;
use super::super::operand::Form;
use super::super::wanted;
use super::{Learnt, Names, Raw, RawOperand};
use crate::arch::Isa;
use crate::archive::read::Archive;
use crate::elf::ident::Ident;
use crate::elf::image::Image;
use crate::error::{Error, Result};
use crate::work::Work;
use object::read::elf::ElfFile64;
use object::{
    LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    RelocationTarget, SectionIndex, SectionKind, SymbolKind,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

type File<'a> = ElfFile64<'a, LittleEndian>;

/// How many relocations and definitions are read at most, for each byte of an object.
const TIMES: usize = 16;
/// How many more are read at most.
const BESIDES: usize = 1 << 20;

/// A definition in a member.
struct Definition<'a> {
    name: &'a str,
    section: SectionIndex,
    at: u64,
    size: u64,
    is_code: bool,
    is_global: bool,
    is_weak: bool,
}

struct Member<'a> {
    name: &'a [u8],
    file: File<'a>,
    /// How many relocations and definitions may still be read.
    work: Work,
    /// How many relocations of functions that are not learnt may still be read. Behind that, such functions are not looked at.
    others: Work,
    definitions: Vec<Definition<'a>>,
}

pub fn learn(bytes: &[u8]) -> Result<Learnt<'_>> {
    let archive = Archive::read(bytes)?;
    let mut architecture = None;
    let mut members = Vec::new();
    for (_, entry) in archive.members() {
        let data = archive.data(entry);
        if data.get(..4) != Some(&object::elf::ELFMAG) {
            continue;
        }
        let ident = Ident::read(data, entry.data.start as u64).map_err(|e| e.member(entry.name))?;
        let found = ident.architecture().and_then(Isa::of).ok_or_else(|| {
            Error::not_applicable(format!("an object for {}", ident.describe()))
                .member(entry.name)
                .expected(Isa::names())
        })?;
        if *architecture.get_or_insert(found) != found {
            return Err(Error::malformed("objects for two architectures").member(entry.name));
        }
        members.push(Member::read(entry.name, data)?);
    }
    let architecture = architecture
        .ok_or_else(|| Error::not_applicable("no objects in it").expected("musl's libc.a"))?;
    // Names with a strong definition in the archive. A weak definition of such a name is only for programs without
    // that member.
    let mut definitions: HashMap<&str, (usize, usize)> = HashMap::new();
    for definition in members
        .iter()
        .flat_map(|m| &m.definitions)
        .filter(|d| d.is_global)
    {
        let (all, strong) = definitions.entry(definition.name).or_default();
        *all += 1;
        *strong += usize::from(!definition.is_weak);
    }
    let gives_way = |name: &str| matches!(definitions.get(name), Some((all, strong)) if *all > 1 && *strong > 0);
    let mut learnt = Learnt {
        architecture,
        functions: Vec::new(),
        constants: Vec::new(),
    };
    let mut others = Vec::new();
    for member in &members {
        member.learn(&mut learnt, &mut others, &gives_way)?;
    }
    leave_out(&mut learnt, &others);
    Ok(learnt)
}

/// Leaves out functions that would be taken for another one of libc's: their code alone is enough to recognize them, another
/// function, which is not learnt, has the same, and nothing is learnt of what they refer to instead of what it refers to.
fn leave_out<'a>(learnt: &mut Learnt<'a>, others: &[Raw<'a>]) {
    let mut names = Names::default();
    let mut signature = |raw: &Raw<'a>| raw.signature(learnt.architecture, &mut names);
    let mut alike: HashMap<_, Vec<Function>> = HashMap::new();
    for other in others.iter().map(&mut signature) {
        alike.entry(other.digest).or_default().push(other);
    }
    let signatures: Vec<Function> = learnt.functions.iter().map(signature).collect();
    let known: HashSet<u32> = signatures.iter().flat_map(|f| f.names.clone()).collect();
    let is_told = |own: &Function, other: &Function| {
        let mut pairs = own.operands.iter().zip(&other.operands);
        own.operands == other.operands
            || pairs.any(|(own, other)| {
                let is_known = own
                    .target
                    .is_some_and(|target| known.contains(&target.name));
                is_known && own.target != other.target
            })
    };
    let mut signatures = signatures.iter();
    learnt.functions.retain(|_| {
        let own = signatures.next().expect("one for each function");
        let mut alike = alike.get(&own.digest).into_iter().flatten();
        !own.is_telling() || alike.all(|other| is_told(own, other))
    });
}

impl<'a> Member<'a> {
    fn read(name: &'a [u8], data: &'a [u8]) -> Result<Self> {
        let bad = |e: object::Error| Error::malformed(e.to_string().to_lowercase()).member(name);
        // Refuses names that share their bytes: the other reader would read them again each time.
        Image::read(data, 0).map_err(|e| e.member(name))?;
        let file = File::parse(data).map_err(bad)?;
        let mut definitions = Vec::new();
        for symbol in file.symbols() {
            let Some(section) = symbol.section_index() else {
                continue;
            };
            let Ok(text) = symbol.name() else { continue };
            // `$x` and `$d` mark code and data on aarch64.
            if text.is_empty() || text.starts_with('$') {
                continue;
            }
            let is_code = file
                .section_by_index(section)
                .is_ok_and(|s| s.kind() == SectionKind::Text);
            if !matches!(
                symbol.kind(),
                SymbolKind::Text | SymbolKind::Data | SymbolKind::Unknown | SymbolKind::Label
            ) {
                continue;
            }
            definitions.push(Definition {
                name: text,
                section,
                at: symbol.address(),
                size: symbol.size(),
                is_code,
                is_global: symbol.is_global(),
                is_weak: symbol.is_weak(),
            });
        }
        definitions.sort_by_key(|d| (d.section.0, d.at));
        Ok(Self {
            name,
            file,
            work: Work::new(data.len().saturating_mul(TIMES) + BESIDES),
            others: Work::new(data.len().saturating_mul(TIMES) + BESIDES),
            definitions,
        })
    }

    /// Adds what is worth a signature to `learnt`, and other functions to `others`.
    fn learn(
        &self,
        learnt: &mut Learnt<'a>,
        others: &mut Vec<Raw<'a>>,
        gives_way: &impl Fn(&str) -> bool,
    ) -> Result<()> {
        let is_wanted = |d: &Definition<'_>| d.is_global && wanted::is_function(d.name);
        let is_wanted_here = self.definitions.iter().any(|d| d.is_code && is_wanted(d));
        let bad =
            |e: object::Error| Error::malformed(e.to_string().to_lowercase()).member(self.name);
        let groups: Vec<&[Definition<'_>]> = self
            .definitions
            .chunk_by(|a, b| (a.section, a.at) == (b.section, b.at))
            .collect();
        for (number, group) in groups.iter().enumerate() {
            let first = &group[0];
            let section = self.file.section_by_index(first.section).map_err(bad)?;
            let data = section.data().map_err(bad)?;
            // Functions in assembly have no size: they reach to the next function, or to the end.
            let next = groups.get(number + 1).map(|group| &group[0]);
            let next = next.filter(|d| d.section == first.section);
            let next = next.map_or(data.len() as u64, |d| d.at);
            let size = group.iter().map(|d| d.size).max().filter(|s| *s > 0);
            let end = size.map_or(next, |size| first.at.saturating_add(size));
            let range = usize::try_from(first.at)
                .ok()
                .zip(usize::try_from(end).ok());
            let bytes = range.and_then(|(from, to)| data.get(from..to));
            if !self.work.spend(bytes.map_or(0, <[u8]>::len)) {
                return Err(self.too_much());
            }
            if !first.is_code {
                let is_constant = is_wanted_here
                    && section.kind() == SectionKind::ReadOnlyData
                    && section.relocations().next().is_none();
                let name = group
                    .iter()
                    .find(|d| d.is_global && !d.is_weak && wanted::is_known(d.name));
                learnt.constants.extend(
                    name.zip(bytes)
                        .filter(|_| is_constant)
                        .map(|(d, b)| (d.name, b)),
                );
                continue;
            }
            let is_named = |d: &&Definition<'_>| {
                is_wanted_here && (is_wanted(d) || !d.is_global && wanted::is_local(d.name))
            };
            let named = |is_weak| -> Vec<&'a str> {
                let is_it = |d: &&Definition<'_>| (d.is_weak && gives_way(d.name)) == is_weak;
                let named = group.iter().filter(is_named).filter(is_it);
                named.map(|d| d.name).collect()
            };
            let (names, weak) = (named(false), named(true));
            let is_other = names.is_empty() && weak.is_empty();
            let Some(code) = bytes.filter(|b| !b.is_empty()) else {
                match is_other {
                    true => continue,
                    false => return Err(self.no_end(first, end)),
                }
            };
            let (kept, work) = match is_other {
                true => (&mut *others, &self.others),
                false => (&mut learnt.functions, &self.work),
            };
            let range = first.at..first.at.saturating_add(code.len() as u64);
            let Some(operands) = self.operands(learnt.architecture, &section, range, work) else {
                continue;
            };
            kept.push(Raw {
                names,
                weak,
                code,
                operands,
            });
        }
        match self.work.is_spent() {
            true => Err(self.too_much()),
            false => Ok(()),
        }
    }

    fn no_end(&self, first: &Definition<'_>, end: u64) -> Error {
        let size = end.saturating_sub(first.at);
        let found = format!("{} at {:#x} and {size:#x} bytes on", first.name, first.at);
        Error::malformed(found)
            .member(self.name)
            .expected("an end in its section")
    }

    fn too_much(&self) -> Error {
        Error::refused("its functions overlap, or have too many relocations")
            .member(self.name)
            .expected("code as compilers make it")
    }

    /// The operands; `None` for code that linkers may change as a whole.
    fn operands(
        &self,
        architecture: Isa,
        section: &object::read::elf::ElfSection64<'a, '_, LittleEndian>,
        range: Range<u64>,
        work: &Work,
    ) -> Option<Vec<RawOperand<'a>>> {
        let mut operands = Vec::new();
        for (place, relocation) in section.relocations() {
            if !work.spend(1) {
                return None;
            }
            if !range.contains(&place) {
                continue;
            }
            let at = place - range.start;
            let RelocationFlags::Elf { r_type } = relocation.flags() else {
                return None;
            };
            let (form, has_target) = match architecture {
                Isa::X86_64 => x86_64(r_type.0)?,
                Isa::Aarch64 => aarch64(r_type.0)?,
            };
            let target = has_target.then(|| self.target(relocation.target(), relocation.addend()));
            operands.push(RawOperand {
                at: u32::try_from(at).ok()?,
                form,
                target: target.flatten(),
            });
        }
        Some(operands)
    }

    /// The name that a relocation refers to. A local name counts only if it is one of musl's.
    fn target(&self, target: RelocationTarget, addend: i64) -> Option<(&'a str, i32)> {
        let RelocationTarget::Symbol(index) = target else {
            return None;
        };
        let symbol = self.file.symbol_by_index(index).ok()?;
        if symbol.kind() != SymbolKind::Section {
            let name = symbol.name().ok().filter(|n| !n.is_empty())?;
            let is_told = symbol.is_global() || wanted::is_known(name);
            return is_told.then_some((name, i32::try_from(addend).ok()?));
        }
        if !self.work.spend(self.definitions.len()) {
            return None;
        }
        // The symbol is a section's. If the section has only one name, as with one function or object per section,
        // that name is meant.
        let section = symbol.section_index()?;
        let mut inside = self
            .definitions
            .iter()
            .filter(|d| d.section == section && d.at == 0);
        let named = inside.find(|d| d.is_global || wanted::is_known(d.name))?;
        let is_alone = self
            .definitions
            .iter()
            .all(|d| d.section != section || d.at == 0);
        is_alone.then_some((named.name, i32::try_from(addend).ok()?))
    }
}

/// The form of a relocation's operand, and whether it shows the address of its symbol (System V ABI, AMD64, table
/// 4.10).
fn x86_64(kind: u32) -> Option<(Form, bool)> {
    Some(match kind {
        // R_X86_64_64
        1 => (Form::Word, true),
        // R_X86_64_PC32, R_X86_64_PLT32
        2 | 4 => (Form::Distance, true),
        // R_X86_64_GOTPCREL, GOTPCRELX, REX_GOTPCRELX
        9 | 41 | 42 => (Form::Table, true),
        // R_X86_64_GOTTPOFF
        22 => (Form::Table, false),
        // R_X86_64_32, R_X86_64_32S
        10 | 11 => (Form::Absolute, true),
        // R_X86_64_TPOFF32, R_X86_64_SIZE32
        23 | 32 => (Form::Opaque, false),
        _ => return None,
    })
}

/// The same for aarch64 (ELF for the Arm 64-bit Architecture, 5.7).
fn aarch64(kind: u32) -> Option<(Form, bool)> {
    Some(match kind {
        // R_AARCH64_ABS64
        257 => (Form::Word, true),
        // R_AARCH64_ADR_PREL_PG_HI21
        275 => (Form::Page, true),
        // R_AARCH64_ADD_ABS_LO12_NC, R_AARCH64_LDST{8,16,32,64,128}_ABS_LO12_NC
        277 | 278 | 284 | 285 | 286 | 299 => (Form::Low, true),
        // R_AARCH64_JUMP26, R_AARCH64_CALL26
        282 | 283 => (Form::Branch, true),
        // R_AARCH64_ABS32, PREL32, TSTBR14, CONDBR19, ADR_GOT_PAGE, LD64_GOT_LO12_NC, and thread-locals by offset
        258 | 261 | 279 | 280 | 311 | 312 | 541 | 542 | 549 | 550 | 551 => (Form::Opaque, false),
        _ => return None,
    })
}
