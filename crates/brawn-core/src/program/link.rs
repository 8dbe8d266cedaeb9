//! A small linker: turns the payload's relocatable objects, which all other routes use too, into code and data at
//! addresses in a program.
//!
//! [`Objects::choose`] takes the wanted objects and everything that they need, and drops every section to which
//! nothing refers. [`Objects::sizes`] gives the space that they need. [`link`] fills in the addresses. At that point
//! all addresses are known, even those of thread-locals, so nothing is left to do when the program runs. If an object
//! loads an address from a table, the instruction is changed to compute it, as linkers do (psABI x86-64, B.2; ELF for
//! the Arm 64-bit Architecture, "Relocation optimization").

mod aarch64;
mod frames;
mod names;
mod relocatable;
#[cfg(test)]
mod tests;
mod x86_64;

use crate::arch::Isa;
use crate::component::Families;
use crate::error::{Error, Result};
use brawn_payload::{Attach, Function, Member, Payload};
use names::Names;
use relocatable::{Area, Binding, Object, Relocation, Section};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

pub use super::linked::{At, Linked, Sizes};

/// The start of a rewritten program, in the attach object.
pub const START: &str = "brawn_attach_start";
/// The replacement for `__pthread_tsd_run_dtors`, in the attach object.
pub const THREAD_EXIT: &str = "brawn_attach_thread_exit";
/// The program's old entry point, to which the attach object jumps.
pub const HOST_ENTRY: &str = "brawn_host_entry";
/// The program's `__pthread_tsd_run_dtors`, which [`THREAD_EXIT`] calls.
pub const HOST_TSD_RUN_DTORS: &str = "brawn_host_tsd_run_dtors";
/// The words of a position-independent program that [`START`] relocates (`payload/attach/attach.c`). A program
/// without such words need not define it.
pub const TABLE: &str = "brawn_attach_table";

/// The family of the memory functions (`Function::memory`).
const MEMORY: &str = "memory";

/// Objects of the payload. Their sections have places relative to each other.
#[derive(Debug)]
pub struct Objects<'a> {
    architecture: Isa,
    objects: Vec<Object<'a>>,
    /// For each object and section: its place in its segment, if it is kept.
    places: Vec<Vec<Option<u64>>>,
    /// For each global name: the object and the symbol that define it.
    defined: HashMap<&'a str, (usize, usize)>,
    /// The names that the program must define. For each, the place in the code of a stub for distant calls, if there
    /// is one.
    needs: BTreeMap<&'a str, Option<u64>>,
    /// The place in the code of a table without entries.
    empty_table: Option<u64>,
    note: Range<u64>,
    sizes: Sizes,
}

/// The result of a step of one relocation, or the reason why it is not possible.
type Fixed<T> = std::result::Result<T, String>;

/// The target of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Address(u64),
    /// A thread-local, relative to the thread pointer.
    Local(i64),
}

/// A relocation whose place and value are known.
#[derive(Clone, Copy, Debug)]
struct Fix {
    /// `ELF64_R_TYPE`.
    kind: u32,
    /// Its place in the section's bytes.
    at: usize,
    /// Its address.
    place: u64,
    value: Value,
    addend: i64,
}

impl Fix {
    /// The address of its target.
    fn address(&self) -> Fixed<u64> {
        match self.value {
            Value::Address(address) => Ok(address.wrapping_add_signed(self.addend)),
            Value::Local(_) => Err("it refers to a thread-local as to an address".into()),
        }
    }

    /// The place of its target, a thread-local, relative to the thread pointer.
    fn local(&self) -> Fixed<i64> {
        match self.value {
            Value::Local(at) => Ok(at.wrapping_add(self.addend)),
            Value::Address(_) => Err("it refers to an address as to a thread-local".into()),
        }
    }

    /// The distance from its place to its target.
    fn distance(&self) -> Fixed<i64> {
        Ok(self.address()?.wrapping_sub(self.place).cast_signed())
    }
}

/// An object of the payload that may be chosen.
enum Source {
    Attach(&'static Attach),
    Heap(&'static Member, &'static [&'static str]),
    Function(&'static Function),
}

impl Source {
    /// All objects, in the order in which they are linked.
    fn all(payload: &Payload) -> Vec<Self> {
        let attach = brawn_payload::attach(payload.architecture);
        let heap = payload.members.iter();
        let all = attach.into_iter().map(Self::Attach);
        all.chain(heap.map(|m| Self::Heap(m, payload.surface)))
            .chain(payload.functions().map(Self::Function))
            .collect()
    }

    fn defines(&self, name: &str) -> bool {
        match self {
            Self::Attach(attach) => attach.surface.contains(&name),
            Self::Heap(_, surface) => surface.contains(&name),
            Self::Function(f) => f.surface.iter().chain(f.own).any(|own| *own == name),
        }
    }

    fn object(&self) -> Result<Object<'static>> {
        match self {
            Self::Attach(attach) => Object::member(&attach.member),
            Self::Heap(member, _) => Object::member(member),
            Self::Function(function) => Object::function(function),
        }
    }

    fn is_attach(&self) -> bool {
        matches!(self, Self::Attach(_))
    }

    fn is_memory(&self) -> bool {
        matches!(self, Self::Function(f) if f.family == MEMORY)
    }
}

impl Objects<'static> {
    /// Chooses the objects of `payload` that define `names`, and everything that they need. [`START`] comes with the
    /// heap. [`THREAD_EXIT`] is chosen like any other name, for programs that make threads.
    ///
    /// Errors: [`Kind::Refused`](crate::Kind::Refused) for a name that the payload does not define, and for objects
    /// that this linker cannot link.
    pub fn choose(payload: &Payload, names: &[&str]) -> Result<Self> {
        Self::choose_of(payload, Families::ALL, names)
    }

    /// The same, of two functions of one name the one that the options in `families` choose.
    ///
    /// Errors: those of [`Self::choose`].
    pub fn choose_of(payload: &Payload, families: Families, names: &[&str]) -> Result<Self> {
        let is_left_out = |s: &Source| matches!(s, Source::Function(f) if !families.chooses(f));
        let mut sources = Source::all(payload);
        sources.retain(|source| !is_left_out(source));
        let mut chosen = BTreeMap::new();
        let mut todo = names.to_vec();
        while let Some(name) = todo.pop() {
            for (number, source) in sources.iter().enumerate() {
                if source.defines(name) && !chosen.contains_key(&number) {
                    let object = source.object()?;
                    // What the attach object needs of the heap it needs only where the heap is wanted anyway.
                    let is_needed =
                        |name: &&str| !(source.is_attach() && payload.surface.contains(name));
                    todo.extend(object.undefined().filter(is_needed));
                    chosen.insert(number, object);
                }
            }
        }
        // One of the memory functions has the note for all of them.
        let is_memory = |n: &usize| sources[*n].is_memory();
        let has_note = |o: &Object<'_>| o.sections.iter().any(|s| s.area == Area::Note);
        let mut of_memory = chosen.iter().filter(|(n, _)| is_memory(n)).peekable();
        if of_memory.peek().is_some() && !of_memory.any(|(_, object)| has_note(object)) {
            for number in (0..sources.len()).filter(is_memory) {
                let object = sources[number].object()?;
                if has_note(&object) {
                    chosen.insert(number, object);
                    break;
                }
            }
        }
        let mut attach = chosen.keys().map(|n| &sources[*n]);
        let start = attach.any(Source::is_attach).then_some(START);
        let roots: Vec<&str> = names.iter().copied().chain(start).collect();
        let isa = Isa::of(payload.architecture).ok_or_else(|| {
            let found = format!("a payload for {}", payload.architecture.name());
            Error::refused(found).expected(Isa::names())
        })?;
        Self::of(isa, chosen.into_values().collect(), &roots)
    }
}

impl<'a> Objects<'a> {
    /// `objects` without the sections that `roots` do not reach.
    fn of(architecture: Isa, objects: Vec<Object<'a>>, roots: &[&str]) -> Result<Self> {
        let mut all = Self {
            architecture,
            places: objects
                .iter()
                .map(|o| vec![None; o.sections.len()])
                .collect(),
            defined: defined(&objects)?,
            objects,
            needs: BTreeMap::new(),
            empty_table: None,
            note: 0..0,
            sizes: Sizes::default(),
        };
        let (kept, called) = all.reach(roots)?;
        all.place(&kept, &called);
        Ok(all)
    }

    /// The space that they need.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The names that the program must define, sorted; [`TABLE`] is among them only if the program has one.
    pub fn needs(&self) -> impl Iterator<Item = &'a str> {
        self.needs.keys().copied()
    }

    /// The sections of `roots`, notes, and all sections that these refer to, directly or not; and the program's names
    /// that they call.
    fn reach(&mut self, roots: &[&str]) -> Result<(Kept, BTreeSet<&'a str>)> {
        let mut todo = Vec::new();
        for name in roots {
            let Some((object, symbol)) = self.defined.get(name) else {
                let found = format!("the payload has no `{name}`");
                return Err(Error::refused(found).expected("a name of its surface"));
            };
            let place = self.objects[*object].symbols[*symbol].place;
            todo.extend(place.map(|(section, _)| (*object, section)));
        }
        for (number, object) in self.objects.iter().enumerate() {
            let notes = object.sections.iter().enumerate();
            let notes = notes.filter(|(_, s)| s.area == Area::Note);
            todo.extend(notes.map(|(section, _)| (number, section)));
        }
        let (mut kept, mut called) = (Kept::new(), BTreeSet::new());
        while let Some((number, section)) = todo.pop() {
            if !kept.insert((number, section)) {
                continue;
            }
            let object = &self.objects[number];
            let section = &object.sections[section];
            for relocation in &section.relocations {
                let symbol = &object.symbols[relocation.symbol];
                match self.definition(number, relocation.symbol) {
                    Some((object, section, _)) => todo.push((object, section)),
                    None if symbol.binding == Binding::Local => {
                        let found = format!("{} refers to what is not loaded", section.name);
                        return Err(Error::refused(found)
                            .member(object.name.as_bytes())
                            .at(section.offset.saturating_add(relocation.at)));
                    }
                    None => {
                        self.needs.insert(symbol.name, None);
                        if aarch64::is_branch(relocation.kind) {
                            called.insert(symbol.name);
                        }
                    }
                }
            }
        }
        Ok((kept, called))
    }

    /// Gives every kept section its place.
    fn place(&mut self, kept: &Kept, called: &BTreeSet<&'a str>) {
        let mut sizes = Sizes {
            code_align: 1,
            data_align: 1,
            tls_align: 1,
            ..Sizes::default()
        };
        let mut data_end = 0;
        for area in Area::ALL {
            let section = |(o, s): (usize, usize)| &self.objects[o].sections[s];
            let mut sections: Vec<_> = kept.iter().copied().collect();
            sections.retain(|at| section(*at).area == area);
            // `verify` finds functions by their order, so that stays. All other sections are sorted, the largest
            // alignment first.
            if !matches!(area, Area::Text | Area::Note) {
                sections.sort_by_key(|at| std::cmp::Reverse(section(*at).align));
            }
            let (end, align) = match area {
                Area::Text | Area::Constant | Area::Note => {
                    (&mut sizes.code, &mut sizes.code_align)
                }
                Area::Data | Area::Zero => (&mut data_end, &mut sizes.data_align),
                Area::Local => (&mut sizes.tls, &mut sizes.tls_align),
            };
            let mut first = None;
            for at in sections {
                let section = section(at);
                *align = (*align).max(section.align);
                let from = end.next_multiple_of(section.align);
                first = first.or(Some(from));
                self.places[at.0][at.1] = Some(from);
                *end = from.saturating_add(section.size);
            }
            match area {
                Area::Text if self.architecture == Isa::Aarch64 => {
                    for name in called {
                        *end = end.next_multiple_of(4);
                        self.needs.insert(name, Some(*end));
                        *end += aarch64::WAY;
                    }
                }
                Area::Constant if self.needs.remove(TABLE).is_some() => {
                    *align = (*align).max(8);
                    let at = end.next_multiple_of(8);
                    self.empty_table = Some(at);
                    *end = at + 8;
                }
                Area::Note => self.note = first.unwrap_or(*end)..*end,
                Area::Data => sizes.data = data_end,
                _ => {}
            }
        }
        sizes.zero = data_end - sizes.data;
        self.sizes = sizes;
    }

    /// The object, section and offset that symbol `symbol` of object `object` stands for; `None` for a name of the
    /// program's.
    fn definition(&self, object: usize, symbol: usize) -> Option<(usize, usize, u64)> {
        let own = &self.objects[object].symbols[symbol];
        let (object, symbol) = match own.binding {
            _ if own.is_host => return None,
            Binding::Local => (object, symbol),
            _ => *self.defined.get(own.name)?,
        };
        let (section, at) = self.objects[object].symbols[symbol].place?;
        Some((object, section, at))
    }
}

/// Numbers of objects and sections.
type Kept = BTreeSet<(usize, usize)>;

/// The definition of each global name: a strong one before weak ones, and the first of several weak ones.
fn defined<'a>(objects: &[Object<'a>]) -> Result<HashMap<&'a str, (usize, usize)>> {
    let mut defined: HashMap<&str, (usize, usize)> = HashMap::new();
    for (number, object) in objects.iter().enumerate() {
        for (index, symbol) in object.defined() {
            let strong = |(o, s): &(usize, usize)| {
                let objects: &[Object<'_>] = objects;
                objects[*o].symbols[*s].binding == Binding::Strong
            };
            match defined.get(symbol.name) {
                Some(first) if symbol.binding == Binding::Strong && strong(first) => {
                    let found = format!("two objects define `{}`", symbol.name);
                    return Err(Error::refused(found)
                        .member(object.name.as_bytes())
                        .expected(format!("only {}", objects[first.0].name)));
                }
                Some(_) if symbol.binding == Binding::Weak => {}
                _ => {
                    defined.insert(symbol.name, (number, index));
                }
            }
        }
    }
    Ok(defined)
}

/// Links `objects` to the addresses of `at`.
///
/// Errors: [`Kind::Refused`](crate::Kind::Refused) for a name that is not defined, a relocation of an unknown type,
/// and a distance that an instruction cannot reach.
pub fn link(objects: &Objects<'_>, at: &At<'_>) -> Result<Linked> {
    let sizes = objects.sizes;
    for (what, address, align) in [
        ("code", at.code, sizes.code_align),
        ("data", at.data, sizes.data_align),
    ] {
        if !address.is_multiple_of(align) {
            return Err(
                Error::refused(format!("the payload's {what} at {address:#x}"))
                    .expected(format!("a multiple of {align}")),
            );
        }
    }
    let filler = objects.architecture.facts().filler;
    let mut code = vec![filler; size(sizes.code)?];
    let mut data = vec![0; size(sizes.data)?];
    let names = Names::of(objects, at)?;
    if let Some(at) = objects.empty_table {
        code[size(at)?..][..8].fill(0);
    }
    for (number, object) in objects.objects.iter().enumerate() {
        for (index, section) in object.sections.iter().enumerate() {
            let (Some(place), false) = (objects.places[number][index], section.bytes.is_empty())
            else {
                continue;
            };
            let (segment, address) = match section.area {
                Area::Data => (&mut data, at.data + place),
                _ => (&mut code, at.code + place),
            };
            let bytes = &mut segment[size(place)?..][..section.bytes.len()];
            bytes.copy_from_slice(section.bytes);
            for relocation in &section.relocations {
                let fixed = names.fix(number, relocation, address).and_then(|fix| {
                    match objects.architecture {
                        Isa::X86_64 => x86_64::apply(bytes, &fix),
                        Isa::Aarch64 => aarch64::apply(bytes, &fix),
                    }
                });
                fixed.map_err(|why| refuse(object, section, relocation, &why))?;
            }
        }
    }
    for (name, way) in &objects.needs {
        if let Some(place) = *way {
            let way = aarch64::way(at.code + place, names.host[name]);
            let way = way.map_err(|why| Error::refused(format!("the way to `{name}`: {why}")))?;
            code[size(place)?..][..way.len()].copy_from_slice(&way);
        }
    }
    Ok(Linked {
        code,
        data,
        symbols: names.symbols(),
        functions: names.functions(),
        debug_frame: names.debug_frame()?,
        note: at.code + objects.note.start..at.code + objects.note.end,
    })
}

fn size(size: u64) -> Result<usize> {
    usize::try_from(size).map_err(|_| Error::refused(format!("{size:#x} bytes of payload")))
}

fn refuse(object: &Object<'_>, section: &Section<'_>, relocation: &Relocation, why: &str) -> Error {
    let found = format!(
        "relocation {} at {}+{:#x} for `{}`: {why}",
        relocation.kind, section.name, relocation.at, object.symbols[relocation.symbol].name
    );
    Error::refused(found)
        .member(object.name.as_bytes())
        .at(section.offset.saturating_add(relocation.at))
}
