//! Identifies what is in a single ELF file: an executable, a shared object or a relocatable object.

use super::heap::{self, FoundHeap, Heap};
use super::rewritten::Rewritten;
use super::signs::{self, Traces};
use super::{Identity, Libc, Linkage, MEMORY, MEMORY_OWN, Memory, reach};
use crate::elf::image::{Image, Symbol, Type};
use crate::elf::interpreter;
use crate::elf::system::System;
use crate::error::printable;
use crate::note::{self, Note};
use crate::work::Ranges;
use std::collections::{BTreeMap, HashSet};

/// How many symbols are named as evidence for one finding.
const ENOUGH: usize = 3;

/// A function that only jumps elsewhere has no more bytes than this, including a landing pad.
const JUMP: u64 = 16;

/// The evidence in a program that UPX packed: whatever else is found, is found in what unpacks it.
pub const PACKED: &str = "packed by UPX: what is inside cannot be seen";

/// Functions that a static musl program has, apart from its heap's.
const MUSL: [&str; 3] = ["__init_libc", "__libc_start_init", "__lctrans"];
/// Functions that a static glibc program has.
const GLIBC: [&str; 3] = [
    "gnu_get_libc_version",
    "__libc_start_call_main",
    "_dl_relocate_static_pie",
];

/// Finds out what is in `image`.
pub fn identify(image: &Image<'_>) -> Identity {
    let linkage = linkage(image);
    let mut evidence = Vec::new();
    if is_packed(image) {
        evidence.push(PACKED.to_string());
    }
    if linkage.is_static() && !image.has_symbol_table {
        evidence.push("stripped: identified by tables, messages and code".to_string());
    }
    let traces = Traces::new(image);
    let has_symbols = image.has_symbol_table && !is_thin(image);
    let rewritten = Rewritten::of(image);
    let (mut heaps, embedded) = heaps(image, linkage, has_symbols, rewritten.as_ref(), &traces);
    let embedded = embedded.iter().flat_map(|found| &found.evidence);
    evidence.extend(embedded.map(|what| format!("in a program that is embedded in it: {what}")));
    let system = System::of_image(image);
    let libc = match system {
        // Other systems may have a libc.so too, or functions that are written like musl's.
        Some((_, ref sign)) => {
            evidence.push(sign.clone());
            Libc::Unknown
        }
        None => libc(image, linkage, &heaps, &traces, &mut evidence),
    };
    if matches!(linkage, Linkage::Dynamic | Linkage::SharedObject) {
        shared(image, libc, &mut heaps);
    }
    let libc_version = version(image, libc, &heaps);
    if let Some(rewritten) = &rewritten {
        evidence.push("rewritten: the payload is behind the program, which jumps to it".into());
        if rewritten.has_heap {
            // musl's heap is still in the file, but nothing calls it.
            heaps.retain(|h| !h.heap.is_musl());
        }
    }
    second_heaps(image, &mut heaps);
    evidence.extend(supplied(&image.brawn));
    let memory = memory(image, linkage, libc, &traces, &mut evidence);
    let libc_notes = image.brawn.iter().filter(|n| n.is_libc());
    Identity {
        architecture: image.ident.describe(),
        libc,
        libc_version,
        linkage,
        interpreter: image.interpreter.map(printable),
        system: system.map(|(system, _)| system),
        payload: image.ident.architecture(),
        memory,
        memory_notes: memory_notes(&image.brawn).collect(),
        libc_notes: libc_notes.cloned().collect(),
        heaps,
        has_symbols,
        evidence,
        missing: Vec::new(),
        hint: None,
    }
}

fn linkage(image: &Image<'_>) -> Linkage {
    match image.kind {
        Type::Object => Linkage::Object,
        Type::Other(_) => Linkage::Other,
        _ if image.interpreter.is_some() => Linkage::Dynamic,
        Type::Executable => Linkage::Static,
        // Linkers have marked position-independent executables since 2015. Older ones are told from shared objects by
        // the absence of everything that a shared object has.
        Type::Shared if image.is_pie => Linkage::StaticPie,
        Type::Shared
            if image.entry != 0
                && image.needed.is_empty()
                && !image.has_soname
                && !image.has_exports =>
        {
            Linkage::StaticPie
        }
        Type::Shared => Linkage::SharedObject,
    }
}

fn is_packed(image: &Image<'_>) -> bool {
    let start = image.bytes.get(..image.bytes.len().min(4096));
    image.sections.is_empty()
        && start.is_some_and(|bytes| memchr::memmem::find(bytes, b"UPX!").is_some())
}

/// This much code without symbols is no accident of how a program was linked.
const THIN: usize = 1 << 16;

/// Whether the symbol table is only a part of what the linker wrote: its functions are less than a quarter of the code.
/// Some tools keep what other files need, and remove all else.
fn is_thin(image: &Image<'_>) -> bool {
    let code = image.sections.iter().filter(|s| s.name == b".text");
    let code: usize = code.map(|s| image.data(s).len()).sum();
    if code < THIN {
        return false;
    }
    let functions = image.defined().filter(|s| s.kind.may_be_code());
    let mut functions: Vec<(u64, u64)> = functions.map(|s| (s.address, s.size)).collect();
    functions.sort_unstable();
    functions.dedup_by_key(|(address, _)| *address);
    let covered = functions
        .iter()
        .fold(0_u64, |sum, (_, size)| sum.saturating_add(*size));
    covered < code as u64 / 4
}

/// The heaps that are in the file itself, and libcs' heaps that are in a program that it embeds.
fn heaps(
    image: &Image<'_>,
    linkage: Linkage,
    has_symbols: bool,
    rewritten: Option<&Rewritten>,
    traces: &Traces<'_, '_>,
) -> (Vec<FoundHeap>, Vec<FoundHeap>) {
    let mut heaps: Vec<FoundHeap> = note::heaps(&image.brawn).map(FoundHeap::brawn).collect();
    let has_brawn = !heaps.is_empty();
    let mut named: BTreeMap<Heap, Vec<&Symbol<'_>>> = BTreeMap::new();
    for symbol in image.defined() {
        match heap::by_symbol(symbol.name.as_bytes()) {
            // The engine in brawn's payload has local names of its own.
            Some(Heap::Mimalloc) if has_brawn && !symbol.global => {}
            Some(heap) => named.entry(heap).or_default().push(symbol),
            None => {}
        }
    }
    // musl's simple malloc is in the same member as the function that calls the other heaps; beside them it is
    // unused.
    let is_idle = named.contains_key(&Heap::MuslMallocng)
        || named.contains_key(&Heap::MuslOldmalloc)
        || has_brawn;
    if is_idle {
        named.remove(&Heap::MuslSimple);
    }
    for (heap, mut symbols) in named {
        symbols.sort_by_key(|s| (!s.global, s.name));
        let names = symbols
            .iter()
            .take(ENOUGH)
            .map(|s| printable(s.name.as_bytes()));
        let evidence = format!("symbols {}", names.collect::<Vec<_>>().join(", "));
        heaps.push(FoundHeap::certain(heap, evidence));
    }
    // `strip -x` keeps `malloc` and removes the local names that show which heap it is.
    let is_part =
        linkage.is_static() && heaps.is_empty() && image.defined().any(|s| s.name == "malloc");
    // A file that asks for a libc has none in it.
    let asks = image.interpreter.is_some() || !image.needed.is_empty();
    let mut embedded = Vec::new();
    if (!has_symbols || is_part) && linkage != Linkage::Object {
        for found in traces.heaps() {
            let is_new = !heaps.iter().any(|h| h.heap == found.heap);
            if asks && found.heap.is_libcs() {
                embedded.push(found);
            } else if is_new && (!has_symbols || found.heap.is_musl()) {
                heaps.push(found);
            }
        }
    }
    if let Some(found) = own(image, rewritten, &heaps) {
        heaps.push(found);
    }
    // The heap that defines `malloc` comes first: the program's own, then heaps that it brought, then the libc's.
    heaps.sort_by_key(|h| match h.heap {
        Heap::Own => 0,
        Heap::Brawn => 2,
        heap if heap.is_libcs() => 3,
        _ => 1,
    });
    (heaps, embedded)
}

/// A `malloc` that belongs neither to the libc nor to a known heap.
fn own(image: &Image<'_>, rewritten: Option<&Rewritten>, heaps: &[FoundHeap]) -> Option<FoundHeap> {
    let is_libc = |h: &FoundHeap| h.heap.is_libcs() || h.heap == Heap::Brawn;
    if !image.has_symbol_table || heaps.iter().any(|h| !is_libc(h)) {
        return None;
    }
    let malloc = image.named("malloc")?;
    // The payload's, or the libc's, which jumps to it and no longer to what the local names below belong to.
    if rewritten.is_some_and(|r| r.has_heap && r.has(image, malloc.address)) {
        return None;
    }
    // A libc uses these names for its own `malloc`. They are at `malloc`'s address unless the program replaced
    // `malloc`.
    const LIBC: [&str; 4] = [
        "__libc_malloc",
        "__libc_malloc_impl",
        "__malloc",
        "default_malloc",
    ];
    let mut others = image
        .defined()
        .filter(|s| LIBC.contains(&s.name))
        .peekable();
    let is_replaced = if others.peek().is_none() {
        heaps.is_empty()
    } else {
        // If local names are missing: a replaced `malloc` still has an address of its own, and only jumps elsewhere.
        let is_jump = |s: &Symbol<'_>| {
            let entry = s.address..s.address.saturating_add(1);
            malloc.size <= JUMP && reach::refers_to(image, malloc, &Ranges::new([entry]))
        };
        !others.any(|s| s.address == malloc.address && s.section == malloc.section || is_jump(s))
    };
    let what = "symbol malloc, which is not the libc's";
    is_replaced.then(|| FoundHeap::certain(Heap::Own, what))
}

/// Adds the heap of the shared libraries: the libc's, or that of a library that replaces it.
fn shared(image: &Image<'_>, libc: Libc, heaps: &mut Vec<FoundHeap>) {
    let mut is_replaced = image.defined().any(|s| s.name == "malloc" && s.global);
    for name in &image.needed {
        if let Some(heap) = heap::by_library(name) {
            is_replaced = true;
            if !heaps.iter().any(|h| h.heap == heap) {
                let what = format!("it needs {}", printable(name));
                heaps.push(FoundHeap::certain(heap, what));
            }
        }
    }
    let heap = match libc {
        Libc::Musl => Heap::Musl,
        Libc::Glibc => Heap::Glibc,
        Libc::Unknown => return,
    };
    let is_libc_itself = heaps.iter().any(|h| h.heap.is_musl() || h.heap == heap);
    // A program that has a heap under other names may never call the libc's heap.
    const ALLOCATES: [&str; 6] = [
        "aligned_alloc",
        "calloc",
        "malloc",
        "memalign",
        "posix_memalign",
        "realloc",
    ];
    let mut needs = image.symbols.iter().filter(|s| !s.defined);
    let is_used = heaps.is_empty() || needs.any(|s| ALLOCATES.contains(&unversioned(s.name)));
    if !is_replaced && !is_libc_itself && is_used {
        heaps.push(FoundHeap::certain(heap, "the shared libc's"));
    }
}

/// A symbol's name without the version that full symbol tables append to it.
fn unversioned(name: &str) -> &str {
    name.split('@').next().unwrap_or_default()
}

/// If musl's heap is not the only heap: finds the functions that call it.
fn second_heaps(image: &Image<'_>, heaps: &mut [FoundHeap]) {
    if heaps.len() < 2 || !image.has_symbol_table {
        return;
    }
    for found in heaps {
        let state: &[&str] = match found.heap {
            Heap::MuslMallocng => &["__malloc_context", "__malloc_alloc_meta"],
            Heap::MuslOldmalloc => &["mal", "__bin_chunk"],
            Heap::MuslSimple => &["__simple_malloc"],
            _ => continue,
        };
        found.reached_by = reach::callers(image, state);
    }
}

fn libc(
    image: &Image<'_>,
    linkage: Linkage,
    heaps: &[FoundHeap],
    traces: &Traces<'_, '_>,
    evidence: &mut Vec<String>,
) -> Libc {
    let mut say = |libc, what: String| {
        evidence.push(what);
        libc
    };
    if let Some(interpreter) = image.interpreter {
        let name = interpreter::name(interpreter);
        let what = format!("interpreter {}", printable(interpreter));
        if name.starts_with(b"ld-musl") {
            return say(Libc::Musl, what);
        }
        if name.starts_with(b"ld-linux") || name.starts_with(b"ld64.so") || name == b"ld.so.1" {
            return say(Libc::Glibc, what);
        }
    }
    for name in &image.needed {
        let what = || format!("it needs {}", printable(name));
        if name.starts_with(b"libc.musl-") || *name == b"libc.so" {
            return say(Libc::Musl, what());
        }
        if *name == b"libc.so.6" {
            return say(Libc::Glibc, what());
        }
    }
    if linkage == Linkage::Object {
        return Libc::Unknown;
    }
    for (libc, names) in [(Libc::Musl, &MUSL), (Libc::Glibc, &GLIBC)] {
        if let Some(symbol) = image.defined().find(|s| names.contains(&s.name)) {
            return say(
                libc,
                format!("symbol {}", printable(symbol.name.as_bytes())),
            );
        }
    }
    if linkage == Linkage::Dynamic {
        return Libc::Unknown;
    }
    if let Some(what) = traces.musl() {
        return say(Libc::Musl, what.into());
    }
    if let Some(what) = traces.glibc() {
        return say(Libc::Glibc, what.into());
    }
    match heaps.iter().find(|h| h.heap.is_libcs()) {
        Some(h) if h.heap.is_musl() => say(Libc::Musl, "its heap is musl's".into()),
        Some(_) => say(Libc::Glibc, "its heap is glibc's".into()),
        None => Libc::Unknown,
    }
}

fn version(image: &Image<'_>, libc: Libc, heaps: &[FoundHeap]) -> Option<String> {
    match libc {
        Libc::Musl => musl_version(image).or_else(|| {
            let is_new = heaps.iter().any(|h| h.heap == Heap::MuslMallocng);
            is_new.then(|| "1.2.1 or later".into())
        }),
        Libc::Glibc => signs::newest_glibc(image).map(|v| format!("{v} or later")),
        Libc::Unknown => None,
    }
}

/// The text of musl's `__libc_version`, if it is in the file.
pub fn musl_version(image: &Image<'_>) -> Option<String> {
    let symbol = image.defined().find(|s| s.name == "__libc_version")?;
    let text = image.contents(symbol, 16)?.split(|b| *b == 0).next()?;
    let text = std::str::from_utf8(text).ok()?;
    let is_version = text.starts_with(|c: char| c.is_ascii_digit());
    is_version.then(|| printable(text.as_bytes()))
}

/// Names the functions of libc or C++ that brawn added because libc.a lacked them.
pub fn supplied<'n>(notes: impl IntoIterator<Item = &'n Note>) -> Option<String> {
    let notes = notes.into_iter().filter(|note| note.is_supplied());
    let names: Vec<String> = notes.map(|n| printable(n.function.as_bytes())).collect();
    (!names.is_empty()).then(|| format!("supplied by brawn: {}", names.join(", ")))
}

/// The memory functions' notes among `notes`.
pub fn memory_notes(notes: &[Note]) -> impl Iterator<Item = Note> {
    let notes = notes.iter().filter(|note| note.is_memory());
    notes.cloned().map(Note::printable)
}

/// The memory functions that symbols name: first brawn's, which have one of brawn's names at the same address, then
/// all others.
pub fn memory_functions(image: &Image<'_>) -> (Vec<&'static str>, Vec<&'static str>) {
    let own = image
        .defined()
        .filter(|s| s.name.as_bytes().starts_with(MEMORY_OWN));
    let own: HashSet<_> = own.map(|s| (s.section, s.address)).collect();
    let mut found: BTreeMap<&str, &Symbol<'_>> = BTreeMap::new();
    for symbol in image.defined() {
        let Some(name) = MEMORY.iter().find(|n| **n == symbol.name) else {
            continue;
        };
        // There may be local functions of the same name too: the global one counts.
        if symbol.global || !found.contains_key(name) {
            found.insert(name, symbol);
        }
    }
    let rewritten = Rewritten::of(image);
    let is_rewritten = |address| rewritten.as_ref().is_some_and(|r| r.has(image, address));
    let (brawn, others): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(_, s)| own.contains(&(s.section, s.address)) || is_rewritten(s.address));
    let names = |of: Vec<(&'static str, _)>| of.into_iter().map(|(name, _)| name).collect();
    (names(brawn), names(others))
}

/// Which memory functions a file has: brawn's are found by their names or their note, all others by `memcpy`.
pub fn memory(
    image: &Image<'_>,
    linkage: Linkage,
    libc: Libc,
    traces: &Traces<'_, '_>,
    evidence: &mut Vec<String>,
) -> Memory {
    let (brawn, others) = memory_functions(image);
    let notes: Vec<Note> = memory_notes(&image.brawn).collect();
    if !brawn.is_empty() || !notes.is_empty() {
        for note in notes {
            evidence.push(format!("note: memory functions of brawn {}", note.brawn));
        }
        // A stripped shared object keeps only names that it exports, and brawn's own names are not among them.
        if !others.is_empty() && image.has_symbol_table {
            evidence.push(format!("not brawn's: {}", others.join(", ")));
            return Memory::Mixed;
        }
        let is_rewritten = Rewritten::of(image).is_some();
        if !image.has_symbol_table && !is_rewritten && traces.has_musl_memcpy() {
            evidence.push("not brawn's: the code of musl's memcpy".into());
            return Memory::Mixed;
        }
        return Memory::Brawn;
    }
    match image.named("memcpy") {
        Some(_) if libc == Libc::Glibc => Memory::Glibc,
        Some(symbol) => {
            let code = image.contents(symbol, 64).unwrap_or_default();
            signs::memcpy(image.ident.machine, code)
        }
        None if matches!(linkage, Linkage::Dynamic | Linkage::SharedObject) => match libc {
            Libc::Unknown => Memory::Unknown,
            Libc::Musl | Libc::Glibc => Memory::Shared,
        },
        None if image.has_symbol_table => Memory::None,
        None if traces.has_musl_memcpy() => Memory::Musl,
        None if libc == Libc::Glibc => Memory::Glibc,
        None => Memory::Unknown,
    }
}
