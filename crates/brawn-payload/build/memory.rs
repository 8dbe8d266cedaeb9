//! The memory functions: one object to a function, with what each defines and needs checked against
//! `recipe.rs` and against the others.

use crate::Result;
use crate::compiler::Compiler;
use crate::finish::{ACTIVE, Finished, finish, is_hidden, refuse_sections};
use crate::parallel;
use crate::recipe::{self, Architecture, MEMORY, MEMORY_NOTED, MEMORY_PREFIX, Part};
use crate::source;
use object::{Object as _, ObjectSymbol as _};
use std::collections::HashSet;
use std::path::Path;

/// One finished object.
pub struct Function {
    /// The member's name.
    pub member: String,
    /// What it needs are hidden names of the others.
    pub object: Finished,
    /// Public names, musl's internal ones among them, sorted: all weak.
    pub surface: Vec<String>,
    /// Hidden names by which the others call it, sorted.
    pub own: Vec<String>,
}

pub struct Memory {
    pub source: String,
    pub functions: Vec<Function>,
}

/// Builds those of `architecture`; `None` where there are none yet.
pub fn build(
    compiler: &Compiler,
    payload: &Path,
    architecture: &Architecture,
    version: &str,
) -> Result<Option<Memory>> {
    if !architecture.has(Part::Memory) {
        return Ok(None);
    }
    let folder = payload.join("memory").join(architecture.name);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "c") {
            let stem = path.file_stem().unwrap_or_default();
            files.push(stem.to_string_lossy().into_owned());
        }
    }
    files.sort();
    let source = source::of_memory(payload, architecture, version)?;
    let note = recipe::memory_note(version, architecture, &compiler.name, &source);
    let noted = MEMORY_NOTED
        .iter()
        .find(|name| files.iter().any(|file| file == *name))
        .ok_or_else(|| format!("{}: nothing to carry the note", folder.display()))?;
    let functions = parallel::map(&files, |file| {
        let note = (file == noted).then_some(note.as_str());
        let raw = compiler.compile_memory(payload, architecture, file, note)?;
        Ok(function(file, &raw).map_err(|e| format!("{file}.c: {e}"))?)
    })?;
    together(&functions)?;
    Ok(Some(Memory { source, functions }))
}

/// Checks what the object of `file` defines, and finishes it.
pub fn function(file: &str, raw: &[u8]) -> Result<Function> {
    let (_, allowed) = MEMORY
        .iter()
        .find(|(name, _)| *name == file)
        .ok_or("not in the list of recipe.rs")?;
    let function = checked(recipe::memory_member(file), raw, allowed, |_| false)?;
    if !allowed.is_empty() && !function.surface.iter().any(|name| name == file) {
        return Err(format!("it does not define {file}").into());
    }
    Ok(function)
}

/// Names for which other members of musl have weak functions that do nothing. Weak definitions of ours would come after
/// those, too late.
pub const OVER_A_DEFAULT: &[&str] = &[
    "__do_cleanup_pop",
    "__do_cleanup_push",
    "__timezone_lockptr",
    "__tl_lock",
    "__tl_sync",
    "__tl_unlock",
];

/// Checks that an object defines weak names of `allowed` and hidden ones of brawn's, and finishes it.  Of libc it may
/// need what `may_need` says.
pub fn checked(
    member: String,
    raw: &[u8],
    allowed: &[&str],
    may_need: impl Fn(&str) -> bool,
) -> Result<Function> {
    let object = object::File::parse(raw)?;
    let (mut surface, mut own) = (Vec::new(), Vec::new());
    for symbol in object.symbols() {
        if symbol.is_local() || symbol.is_undefined() {
            continue;
        }
        let name = symbol.name()?;
        let is_hidden = is_hidden(&symbol)?;
        let is_weak = symbol.is_weak() || OVER_A_DEFAULT.contains(&name);
        if allowed.contains(&name) && is_weak && !is_hidden {
            surface.push(name.to_owned());
        } else if name.starts_with(MEMORY_PREFIX) && !symbol.is_weak() && is_hidden {
            own.push(name.to_owned());
        } else {
            return Err(format!(
                "it defines {name}, expected weak names of {allowed:?} and hidden ones that begin with {MEMORY_PREFIX}"
            )
            .into());
        }
    }
    surface.sort();
    own.sort();
    let mut all: Vec<&str> = surface.iter().chain(&own).map(String::as_str).collect();
    all.sort_unstable();
    let needs: Vec<String> = object
        .symbols()
        .filter(|symbol| symbol.is_undefined() && !symbol.is_local())
        .filter_map(|symbol| Some(symbol.name().ok()?.to_owned()))
        .filter(|name| name.starts_with(MEMORY_PREFIX) || may_need(name))
        .collect();
    let listed: Vec<&str> = needs.iter().map(String::as_str).collect();
    let finished = finish(raw, &all, &listed)?;
    // libc calls them before a program is relocated, and before it has a stack protector.
    refuse_sections(&finished.bytes, &ACTIVE)?;
    refuse_sections(&finished.bytes, &[".eh_frame"])?;
    Ok(Function {
        member,
        surface,
        own,
        object: finished,
    })
}

/// Every name is defined once, and if one function needs a name, another defines it.
fn together(functions: &[Function]) -> Result<()> {
    let mut defined = HashSet::new();
    for function in functions {
        let names = function.surface.iter().chain(&function.own);
        for name in names.chain([&function.member]) {
            if !defined.insert(name) {
                return Err(format!("two memory functions define or are called {name}").into());
            }
        }
    }
    for function in functions {
        if let Some(name) = function
            .object
            .needs
            .iter()
            .find(|name| !defined.contains(name))
        {
            return Err(format!("{} needs {name}, which none defines", function.member).into());
        }
    }
    Ok(())
}
