//! Functions that a libc.a, or its C++ runtime, may lack after another heap's members were removed: one object for each
//! function, each with the note, checked against the lists here.

use crate::Result;
use crate::compiler::Compiler;
use crate::finish::{ACTIVE, Finished, finish, is_hidden, refuse_sections};
use crate::frames::Frames;
use crate::parallel;
use crate::recipe::{self, Architecture};
use crate::source;
use object::{Object as _, ObjectSymbol as _};
use std::path::Path;

/// The name of a function's object, which the sources use, and the function's own name.
pub const FUNCTIONS: &[(&str, &str)] = &[
    ("strdup", "strdup"),
    ("strndup", "strndup"),
    ("wcsdup", "wcsdup"),
    // Itanium C++ ABI, "Operator Encodings": nw new, na new[], dl delete, da delete[].
    ("nw", "_Znwm"),
    ("nw_n", "_ZnwmRKSt9nothrow_t"),
    ("nw_a", "_ZnwmSt11align_val_t"),
    ("nw_an", "_ZnwmSt11align_val_tRKSt9nothrow_t"),
    ("na", "_Znam"),
    ("na_n", "_ZnamRKSt9nothrow_t"),
    ("na_a", "_ZnamSt11align_val_t"),
    ("na_an", "_ZnamSt11align_val_tRKSt9nothrow_t"),
    ("dl", "_ZdlPv"),
    ("dl_m", "_ZdlPvm"),
    ("dl_n", "_ZdlPvRKSt9nothrow_t"),
    ("dl_a", "_ZdlPvSt11align_val_t"),
    ("dl_ma", "_ZdlPvmSt11align_val_t"),
    ("dl_an", "_ZdlPvSt11align_val_tRKSt9nothrow_t"),
    ("da", "_ZdaPv"),
    ("da_m", "_ZdaPvm"),
    ("da_n", "_ZdaPvRKSt9nothrow_t"),
    ("da_a", "_ZdaPvSt11align_val_t"),
    ("da_ma", "_ZdaPvmSt11align_val_t"),
    ("da_an", "_ZdaPvSt11align_val_tRKSt9nothrow_t"),
];

/// What they may need of libc.
const NEEDS: &[&str] = &[
    "free",
    "free_sized",
    "malloc",
    "memcpy",
    "posix_memalign",
    "strlen",
    "strnlen",
    "wcslen",
];

/// The names that the operators may need from any C++ runtime (Itanium C++ ABI, "Exception Handling").
const RUNTIME: &[&str] = &[
    "_Unwind_Resume",
    "_ZNSt9bad_allocD1Ev",
    "_ZSt15get_new_handlerv",
    "_ZSt9terminatev",
    "_ZTISt9bad_alloc",
    "_ZTVSt9bad_alloc",
    "__cxa_allocate_exception",
    "__cxa_begin_catch",
    "__cxa_call_terminate",
    "__cxa_end_catch",
    "__cxa_throw",
    "__gxx_personality_v0",
];

/// What the linker says of their section.
const SECTION: &[&str] = &["__start_brawn_operators", "__stop_brawn_operators"];

/// Hidden names that compilers put into every object with such code; linkers keep one of each.
const SHARED: &[&str] = &["DW.ref.__gxx_personality_v0", "__clang_call_terminate"];

/// One finished object.
pub struct Function {
    /// The member's name.
    pub member: String,
    /// The function's.
    pub name: &'static str,
    pub object: Finished,
}

pub struct Supplied {
    /// SHA-256, in hex, over what went into them.
    pub source: String,
    pub functions: Vec<Function>,
}

/// Builds them for `architecture`.
pub fn build(
    compiler: &Compiler,
    payload: &Path,
    architecture: &Architecture,
    version: &str,
) -> Result<Supplied> {
    let source = source::of_supplied(payload, architecture, version)?;
    let functions = parallel::map(FUNCTIONS, |(file, name)| {
        let note = recipe::supplied_note(version, name, architecture, &compiler.name, &source);
        let raw =
            compiler.compile_supplied(payload, architecture, file, is_operator(name), &note)?;
        let object = function(name, raw).map_err(|e| format!("payload/supplied, {file}: {e}"))?;
        let member = recipe::memory_member(file);
        Ok(Function {
            member,
            name,
            object,
        })
    })?;
    Ok(Supplied { source, functions })
}

/// Whether it is one of C++'s operators, by its mangled name.
pub fn is_operator(name: &str) -> bool {
    name.starts_with("_Z")
}

/// Checks what an object defines and needs, and finishes it.
pub fn function(name: &str, raw: Vec<u8>) -> Result<Finished> {
    if !is_operator(name) {
        is_weak(&raw, name)?;
        let finished = finish(&raw, &[name], NEEDS)?;
        refuse_sections(&finished.bytes, &ACTIVE)?;
        refuse_sections(&finished.bytes, &[".eh_frame"])?;
        return Ok(finished);
    }
    // Exceptions pass through it: the compiler's object stays whole, with its unwind information.
    is_weak(&raw, name)?;
    refuse_sections(&raw, &ACTIVE)?;
    let object = object::File::parse(&*raw)?;
    let operators = FUNCTIONS
        .iter()
        .map(|(_, name)| *name)
        .filter(|name| is_operator(name));
    let known: Vec<&str> = operators
        .chain(NEEDS.iter().chain(RUNTIME).chain(SECTION).copied())
        .collect();
    let mut needs = Vec::new();
    for symbol in object
        .symbols()
        .filter(|s| s.is_undefined() && !s.is_local())
    {
        let needed = symbol.name()?;
        // gcc names what linkers make.
        if needed.is_empty() || needed == "_GLOBAL_OFFSET_TABLE_" {
            continue;
        }
        if !known.contains(&needed) {
            return Err(
                format!("it needs {needed}, which is not in the lists of supplied.rs").into(),
            );
        }
        needs.push(needed.to_owned());
    }
    needs.sort();
    if object.section_by_name(".eh_frame").is_none() {
        return Err("it has no unwind information".into());
    }
    Ok(Finished {
        frames: Frames::default(),
        surface: vec![name.to_owned()],
        needs,
        bytes: raw,
    })
}

/// Fails unless the object defines `name` as a weak visible symbol, and no other visible symbol.
fn is_weak(raw: &[u8], name: &str) -> Result<()> {
    let object = object::File::parse(raw)?;
    let mut has_it = false;
    for symbol in object
        .symbols()
        .filter(|s| s.is_definition() && !s.is_local())
    {
        let is_hidden = is_hidden(&symbol)?;
        match symbol.name()? {
            found if found == name && symbol.is_weak() && !is_hidden => has_it = true,
            found if SHARED.contains(&found) && symbol.is_weak() && is_hidden => {}
            found => return Err(format!("it defines {found}, expected {name}, weak").into()),
        }
    }
    if has_it {
        Ok(())
    } else {
        Err(format!("it does not define {name}").into())
    }
}
