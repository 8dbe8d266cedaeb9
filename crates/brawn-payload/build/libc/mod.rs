//! The functions of libc beside the heap and the memory functions: one object to a file of `payload/libc/`, with
//! what each defines and needs checked against its row here and against the others.

mod math;
mod numbers;
mod regex;
mod sort;
mod stdio;
mod strings;
mod threads;
mod time;

use crate::Result;
use crate::compiler::Compiler;
use crate::memory::{self, Function, Memory};
use crate::parallel;
use crate::recipe::{self, Architecture, Part};
use crate::source;
use object::{Object as _, ObjectSection as _, elf};
use std::collections::HashSet;
use std::path::Path;

/// One file of `payload/libc/<family>/`, as the families' tables list it.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its name without the ending.
    pub file: &'static str,
    /// Every public name that its object defines, all weak: all that musl's member defines in any version from 1.2.2
    /// on, else that member cannot go.  The first is what people call it.  Empty for a file that only others of ours
    /// need.
    pub names: &'static [&'static str],
    /// What it may need of libc: names that every musl from 1.2.2 on has in libc.a.  Hidden names of brawn's need not
    /// be listed.
    pub needs: &'static [&'static str],
    /// Functions whose state others look at: all of a group go, or none.  Empty for a function on its own.
    pub group: &'static str,
    /// Whether its results are musl's to the bit.
    pub exact: bool,
    /// Which of two functions of the same names it is, between which an option chooses; empty for all others.
    pub choice: &'static str,
    /// The architecture that it is for; `None` for all.
    pub only: Option<&'static str>,
    /// Whether its data has addresses: of a name that musl has so, and that nobody reads before a program in static-pie
    /// has put them there.
    pub addresses: bool,
    /// Whether it cannot come into finished programs, which have states of it elsewhere.
    pub linked: bool,
    /// Compiler flags besides everyone's.
    pub flags: &'static [&'static str],
}

impl Row {
    /// A function on its own, exact and for every architecture, that needs nothing of libc.  The rest is said by
    /// `Row { needs: ..., ..Row::new(...) }`.
    pub const fn new(file: &'static str, names: &'static [&'static str]) -> Self {
        Self {
            file,
            names,
            needs: &[],
            group: "",
            exact: true,
            choice: "",
            only: None,
            addresses: false,
            linked: false,
            flags: &[],
        }
    }

    fn is_for(&self, architecture: &Architecture) -> bool {
        self.only.is_none_or(|only| only == architecture.name)
    }
}

/// The families, by their directory and their name on the command line.
pub const FAMILIES: &[(&str, &[Row])] = &[
    ("math", math::ROWS),
    ("numbers", numbers::ROWS),
    ("regex", regex::ROWS),
    ("sort", sort::ROWS),
    ("stdio", stdio::ROWS),
    ("strings", strings::ROWS),
    ("threads", threads::ROWS),
    ("time", time::ROWS),
];

/// The public names that are not musl's internal ones, sorted, of every architecture.
pub fn names() -> Vec<&'static str> {
    let rows = FAMILIES.iter().flat_map(|(_, rows)| rows.iter());
    let all = rows.flat_map(|row| row.names.iter().copied());
    let mut names: Vec<_> = all.filter(|name| !name.starts_with("__")).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Besides [`recipe::FLAGS`].
pub const FLAGS: &[&str] = &[
    "-fno-unroll-loops",
    // A product and a sum are rounded each for itself, whatever the processor has.
    "-ffp-contract=off",
    // Nothing sets errno behind the source's back, and the compiler's sqrt is an instruction.
    "-fno-math-errno",
];

/// The file that carries the note; all others ask for it by its name.
const NOTED: &str = "note";
const NOTE: &str = "brawn_libc_note";

/// A finished file, with what its row says of it.
pub struct Listed {
    pub family: &'static str,
    pub row: Row,
    pub function: Function,
}

pub struct Libc {
    /// SHA-256, in hex, over what went into them.
    pub source: String,
    pub functions: Vec<Listed>,
}

/// Builds them for `architecture`: none, where there are none yet.  `memory` are the memory functions, which they may
/// need.
pub fn build(
    compiler: &Compiler,
    payload: &Path,
    architecture: &Architecture,
    version: &str,
    memory: Option<&Memory>,
) -> Result<Libc> {
    if !architecture.has(Part::Libc) {
        let (source, functions) = (String::new(), Vec::new());
        return Ok(Libc { source, functions });
    }
    let families = FAMILIES.iter();
    let listed = families.flat_map(|(family, rows)| rows.iter().map(move |row| (*family, *row)));
    let mut rows: Vec<_> = listed.filter(|(_, row)| row.is_for(architecture)).collect();
    complete(payload)?;
    rows.push(("", Row::new(NOTED, &[])));
    let source = source_hash(payload, architecture, version)?;
    let note = note_text(version, architecture, &compiler.name, &source);
    let functions = parallel::map(&rows, |(family, row)| {
        let noted = (row.file == NOTED).then_some(note.as_str());
        let flags = [FLAGS, row.flags].concat();
        let raw = compiler.compile_libc(payload, architecture, family, row.file, &flags, noted)?;
        let place = || format!("payload/libc/{family}/{}.c", row.file);
        let function = function(row, &raw).map_err(|e| format!("{}: {e}", place()))?;
        Ok(Listed {
            family,
            row: *row,
            function,
        })
    })?;
    let mut functions = functions;
    whole_groups(&mut functions)?;
    together(&functions, memory)?;
    Ok(Libc { source, functions })
}

/// Whoever links one of a group links all: each asks for the others.
fn whole_groups(functions: &mut [Listed]) -> Result<()> {
    let grouped = functions.iter().filter(|f| !f.row.group.is_empty());
    let first = |f: &Listed| Some((f.row.group, f.row.file, f.function.own.first()?.clone()));
    let names: Vec<_> = grouped.filter_map(first).collect();
    for listed in functions {
        for (group, file, name) in &names {
            let needs = &listed.function.object.needs;
            if *group == listed.row.group && *file != listed.row.file && !needs.contains(name) {
                let object = std::mem::take(&mut listed.function.object);
                listed.function.object = object.asking_for(name)?;
            }
        }
    }
    Ok(())
}

/// Every file of the directories is in a table: one that nobody lists would be forgotten.
fn complete(payload: &Path) -> Result<()> {
    for (family, rows) in FAMILIES {
        let folder = payload.join("libc").join(family);
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if path.extension().is_some_and(|e| e == "c") && !rows.iter().any(|r| r.file == name) {
                return Err(format!(
                    "{}: not in the table, build/libc/{family}.rs",
                    path.display()
                )
                .into());
            }
        }
    }
    Ok(())
}

/// Checks what the object of a row's file defines, and finishes it.
pub fn function(row: &Row, raw: &[u8]) -> Result<Function> {
    let member = member(row.file);
    let function = memory::checked(member, raw, row.names, |name| row.needs.contains(&name))?;
    if let Some(missing) = row
        .names
        .iter()
        .find(|name| !function.surface.iter().any(|found| found == *name))
    {
        return Err(format!("it does not define {missing}, as its row says").into());
    }
    let mut function = function;
    if !row.addresses {
        refuse_addresses(&function.object.bytes)?;
    }
    if row.file != NOTED {
        function.object = function.object.asking_for(NOTE)?;
    }
    Ok(function)
}

/// A program in static-pie would have to write addresses into an object that has them, which may be before it does.
fn refuse_addresses(bytes: &[u8]) -> Result<()> {
    let file = object::File::parse(bytes)?;
    let address = match file.architecture() {
        object::Architecture::X86_64 => elf::R_X86_64_64,
        object::Architecture::Aarch64 => elf::R_AARCH64_ABS64,
        other => return Err(format!("which relocation is an address of {other:?}?").into()),
    };
    for section in file.sections() {
        for (at, relocation) in section.relocations() {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else {
                return Err("not ELF".into());
            };
            if r_type == address {
                let name = section.name()?;
                return Err(format!("{name} has an address at {at:#x}, expected none").into());
            }
        }
    }
    Ok(())
}

/// The member's name, of which every `ar` keeps 15 bytes: of a longer one the beginning, and two letters that tell
/// those with the same beginning apart.
pub fn member(file: &str) -> String {
    let prefix = recipe::MEMORY_PREFIX;
    let room = 15 - prefix.len() - ".o".len();
    if file.len() <= room {
        return format!("{prefix}{file}.o");
    }
    // FNV-1a (Fowler, Noll, Vo), 32 bits.
    let hash = file.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let letter = |n: u32| char::from_digit(n % 36, 36).unwrap_or('0');
    let begin = &file[..room - 2];
    format!("{prefix}{begin}{}{}.o", letter(hash), letter(hash / 36))
}

/// The text of their provenance note (docs/note.md).
fn note_text(version: &str, architecture: &Architecture, compiler: &str, source: &str) -> String {
    format!(
        "brawn={version}\ncomponent=libc\narchitecture={}\ncompiler={compiler}\nsource={source}\n",
        architecture.name
    )
}

/// The same as [`source::of_heap`], of these functions.  The memory functions' headers are in it, since libc.h
/// has them.
fn source_hash(payload: &Path, architecture: &Architecture, version: &str) -> Result<String> {
    let words = [&version, &architecture.name].into_iter();
    let words = words.chain(recipe::FLAGS).chain(FLAGS);
    let rows = FAMILIES.iter().flat_map(|(_, rows)| rows.iter());
    let rows = rows.flat_map(|row| row.flags.iter().chain([&row.file]));
    let mut hash = source::of_words(words.chain(architecture.flags).chain(rows));
    let memory = format!("memory/{}", architecture.name);
    let call = source::system_calls(architecture);
    source::add(&mut hash, &call, &payload.join(&call))?;
    for part in [source::COMMON, "libc", "memory/generic", &memory] {
        let is_input = |name: &Path| part != "libc" || !name.starts_with("tests");
        source::add_files(&mut hash, part, &payload.join(part), is_input)?;
    }
    source::add(&mut hash, "heap/note.c", &payload.join("heap/note.c"))?;
    Ok(source::hex(hash))
}

/// Every name is defined once, and what one needs of brawn's another has.
fn together(listed: &[Listed], memory: Option<&Memory>) -> Result<()> {
    let mut defined = HashSet::new();
    let functions = || listed.iter().map(|listed| &listed.function);
    let memory = memory.into_iter().flat_map(|memory| &memory.functions);
    for function in functions().chain(memory) {
        let names = function.own.iter().chain([&function.member]);
        for name in names {
            if !defined.insert(name) {
                return Err(format!("two functions define or are called {name}").into());
            }
        }
    }
    // Of two between which an option chooses, one comes.
    let mut public = HashSet::new();
    for listed in listed {
        for name in &listed.function.surface {
            if !public.insert((name, listed.row.choice)) {
                return Err(format!("two functions define {name}").into());
            }
        }
    }
    for function in functions() {
        let needs = function.object.needs.iter();
        let mut own = needs.filter(|name| name.starts_with(recipe::MEMORY_PREFIX));
        let is_there =
            |name: &&String| defined.contains(name) || recipe::WAIT.contains(&name.as_str());
        if let Some(name) = own.find(|name| !is_there(name)) {
            return Err(format!("{} needs {name}, which none defines", function.member).into());
        }
    }
    Ok(())
}
