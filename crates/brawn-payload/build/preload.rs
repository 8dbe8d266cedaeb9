//! Links the heap and the memory functions into a shared object for `LD_PRELOAD`, and compares its dynamic section with
//! `recipe.rs`.

use crate::Result;
use crate::compiler::Compiler;
use crate::heap::Heap;
use crate::memory::Memory;
use crate::recipe::{self, Architecture};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _};
use object::{
    Endianness, Object as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationFlags,
    RelocationTarget, elf,
};
use std::fs;
use std::path::Path;

/// The file with the exported names.
const NAMES: &str = "preload.map";

/// The shared object's bytes; `work` is a directory for what is linked.
pub fn link(
    compiler: &Compiler,
    work: &Path,
    architecture: &Architecture,
    profile: &str,
    heap: &Heap,
    memory: &Memory,
) -> Result<Vec<u8>> {
    let folder = work.join(format!("{}-{profile}-preload", architecture.name));
    fs::create_dir_all(&folder)?;
    let names = recipe::preload_names();
    let script = format!("{{ global: {}; local: *; }};\n", names.join("; "));
    fs::write(folder.join(NAMES), script)?;
    let heap = (recipe::MEMBER_NAME, &heap.object);
    let functions = memory.functions.iter();
    let functions = functions.map(|f| (f.member.as_str(), &f.object));
    let mut objects = Vec::new();
    for (name, object) in [heap].into_iter().chain(functions) {
        fs::write(folder.join(name), &object.bytes)?;
        objects.push(name.to_owned());
    }
    let bytes = compiler.link_preload(&folder, &objects, recipe::PRELOAD_NAME)?;
    check(&bytes, &names).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(bytes)
}

/// Every exported name is in a list, every needed name too, and it needs no other file.
pub fn check(bytes: &[u8], names: &[&str]) -> Result<()> {
    let file = object::File::parse(bytes)?;
    let (mut defines, mut needs) = (Vec::new(), Vec::new());
    for symbol in file.dynamic_symbols() {
        let list = match symbol.is_undefined() {
            true => &mut needs,
            false => &mut defines,
        };
        list.push(symbol.name()?);
    }
    defines.sort_unstable();
    if defines != names {
        return Err(format!("it has {defines:?} for others, expected {names:?}").into());
    }
    let is_libcs = |name: &&&str| {
        recipe::PRELOAD_NEEDS.contains(*name) && !recipe::PRELOAD_LINKERS.contains(*name)
    };
    if let Some(stranger) = needs.iter().find(|name| !is_libcs(name)) {
        return Err(format!("it needs {stranger}, which is not in the list of recipe.rs").into());
    }
    // Calls of malloc go by a slot, and its address, which is not to be relied on, is nowhere (payload/preload/preload.c).
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let of_malloc: Vec<_> = relocations
        .filter_map(|(_, relocation)| {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return None;
            };
            let table = file.dynamic_symbol_table()?;
            let name = table.symbol_by_index(symbol).ok()?.name().ok()?;
            (name == "malloc").then_some(relocation.flags())
        })
        .collect();
    let is_slot = |flags: &RelocationFlags| {
        matches!(flags, RelocationFlags::Elf { r_type }
            if *r_type == elf::R_X86_64_JUMP_SLOT || *r_type == elf::R_AARCH64_JUMP_SLOT)
    };
    if !matches!(&of_malloc[..], [only] if is_slot(only)) {
        return Err(
            format!("it refers to malloc by {of_malloc:?}, expected one slot for calls").into(),
        );
    }
    let header = elf::FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let mut entries = None;
    for segment in header.program_headers(endian, bytes)? {
        entries = segment.dynamic(endian, bytes)?.or(entries);
    }
    let tags: Vec<_> = entries
        .ok_or("it has no dynamic section")?
        .iter()
        .map(|e| e.tag(endian))
        .collect();
    for (tag, name, wanted) in [
        (elf::DT_NEEDED, "DT_NEEDED", false),
        (elf::DT_TEXTREL, "DT_TEXTREL", false),
        (elf::DT_SONAME, "DT_SONAME", true),
        (elf::DT_INIT, "DT_INIT", true),
    ] {
        if tags.contains(&tag) != wanted {
            let has = if wanted { "no" } else { "a" };
            return Err(format!("it has {has} {name}").into());
        }
    }
    Ok(())
}
