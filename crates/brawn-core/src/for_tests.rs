//! Builds the small ELF objects and archives that unit tests are made of.

/// One note in the layout of `docs/note.md`.
pub fn note_bytes(desc: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [6u32, desc.len() as u32, 1] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"brawn\0\0\0");
    bytes.extend(desc.as_bytes());
    while !bytes.len().is_multiple_of(4) {
        bytes.push(0);
    }
    bytes
}

/// A symbol of a test object.
#[derive(Clone, Copy, Debug)]
pub enum Sym<'a> {
    /// Defined, `STB_GLOBAL`.
    Strong(&'a str),
    /// Defined, `STB_WEAK`.
    Weak(&'a str),
    /// Undefined, `STB_GLOBAL`.
    Needs(&'a str),
}

/// Name, type, flags, offset and size, link, info, entry size.
type Section = (u32, u32, u64, (u64, u64), u32, u32, u64);

/// An x86_64 relocatable object with these symbols, and a note if `note` is given.
pub fn object(symbols: &[Sym<'_>], note: Option<&str>) -> Vec<u8> {
    let note = note.map(note_bytes).unwrap_or_default();
    let mut strings = vec![0u8];
    let mut table = vec![0u8; 24];
    for symbol in symbols {
        let (name, bind, section) = match symbol {
            Sym::Strong(name) => (name, 1u8, 1u16),
            Sym::Weak(name) => (name, 2, 1),
            Sym::Needs(name) => (name, 1, 0),
        };
        table.extend((strings.len() as u32).to_le_bytes());
        table.extend([bind << 4 | u8::from(section != 0), 0]);
        table.extend(section.to_le_bytes());
        table.extend([0u8; 16]);
        strings.extend(name.as_bytes());
        strings.push(0);
    }
    let names = b"\0.text\0.note.brawn\0.symtab\0.strtab\0.shstrtab\0";
    let mut bytes = vec![0u8; 64];
    let mut place = |part: &[u8]| {
        let at = bytes.len();
        bytes.extend(part);
        while !bytes.len().is_multiple_of(8) {
            bytes.push(0);
        }
        (at as u64, part.len() as u64)
    };
    let text = place(&[0xc3]);
    let note_at = place(&note);
    let table_at = place(&table);
    let strings_at = place(&strings);
    let names_at = place(names);
    let headers = bytes.len() as u64;
    let note_type = if note.is_empty() { 1 } else { 7 };
    let sections: [Section; 6] = [
        (0, 0, 0, (0, 0), 0, 0, 0),
        (1, 1, 6, text, 0, 0, 0),
        (7, note_type, 2, note_at, 0, 0, 0),
        (19, 2, 0, table_at, 4, 1, 24),
        (27, 3, 0, strings_at, 0, 0, 0),
        (35, 3, 0, names_at, 0, 0, 0),
    ];
    for (name, kind, flags, (offset, size), link, info, entry) in sections {
        bytes.extend(name.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        for word in [flags, 0, offset, size] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(link.to_le_bytes());
        bytes.extend(info.to_le_bytes());
        for word in [if kind == 0 { 0 } else { 4u64 }, entry] {
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    bytes[16..18].copy_from_slice(&1u16.to_le_bytes());
    bytes[18..20].copy_from_slice(&62u16.to_le_bytes());
    bytes[20..24].copy_from_slice(&1u32.to_le_bytes());
    bytes[40..48].copy_from_slice(&headers.to_le_bytes());
    bytes[52..54].copy_from_slice(&64u16.to_le_bytes());
    bytes[58..60].copy_from_slice(&64u16.to_le_bytes());
    bytes[60..62].copy_from_slice(&6u16.to_le_bytes());
    bytes[62..64].copy_from_slice(&5u16.to_le_bytes());
    bytes
}

/// A GNU archive of these members with a symbol index, in the bytes that `ar rcsD` gives.
pub fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut long_names = Vec::new();
    let mut bodies = Vec::new();
    for (name, data) in members {
        let field = if name.len() < 16 {
            format!("{name}/")
        } else {
            let at = long_names.len();
            long_names.extend(format!("{name}/\n").as_bytes());
            format!("/{at}")
        };
        bodies.push((field, data));
    }
    if long_names.len() % 2 == 1 {
        long_names.push(b'\n');
    }
    let mut names = Vec::new();
    let mut owners = Vec::new();
    for (number, (_, data)) in members.iter().enumerate() {
        if let Ok(Some(object)) = crate::elf::object::Object::read(data, 0) {
            for symbol in object.defined() {
                names.extend(symbol.name);
                names.push(0);
                owners.push(number);
            }
        }
    }
    if names.len() % 2 == 1 {
        names.push(0);
    }
    let mut at = 8 + 60 + 4 + 4 * owners.len() + names.len();
    if !long_names.is_empty() {
        at += 60 + long_names.len();
    }
    let mut places = Vec::new();
    for (_, data) in members {
        places.push(at as u32);
        at += 60 + data.len().next_multiple_of(2);
    }
    let mut bytes = b"!<arch>\n".to_vec();
    let size = 4 + 4 * owners.len() + names.len();
    bytes.extend(format!("{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", "/", 0, 0, 0, 0).as_bytes());
    bytes.extend((owners.len() as u32).to_be_bytes());
    for owner in owners {
        bytes.extend(places[owner].to_be_bytes());
    }
    bytes.extend(names);
    if !long_names.is_empty() {
        bytes.extend(format!("{:<48}{:<10}`\n", "//", long_names.len()).as_bytes());
        bytes.extend(long_names);
    }
    for (field, data) in bodies {
        let size = data.len();
        bytes.extend(
            format!(
                "{field:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
                0, 0, 0, 644
            )
            .as_bytes(),
        );
        bytes.extend(data);
        if size % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// The members of a small musl: its heap, with two members of one name, and what stays.
pub fn musl() -> Vec<(&'static str, Vec<u8>)> {
    use Sym::{Needs, Strong, Weak};
    let members: [(&str, &[Sym<'_>]); 10] = [
        (
            "__libc_start_main.lo",
            &[Strong("__init_libc"), Needs("__errno_location")],
        ),
        ("__lctrans.lo", &[Strong("__lctrans")]),
        (
            "calloc.lo",
            &[Strong("calloc"), Weak("__malloc_allzerop"), Needs("malloc")],
        ),
        ("free.lo", &[Strong("free"), Needs("__libc_free")]),
        (
            "lite_malloc.lo",
            &[
                Strong("__bump_lockptr"),
                Strong("__libc_malloc"),
                Weak("malloc"),
                Weak("__libc_malloc_impl"),
            ],
        ),
        (
            "free.lo",
            &[Strong("__libc_free"), Needs("__malloc_context")],
        ),
        (
            "malloc.lo",
            &[
                Strong("__libc_malloc_impl"),
                Strong("__malloc_atfork"),
                Strong("__malloc_context"),
                Strong("__malloc_allzerop"),
            ],
        ),
        (
            "fork.lo",
            &[
                Strong("fork"),
                Weak("__malloc_atfork"),
                Weak("__bump_lockptr"),
                Needs("__errno_location"),
            ],
        ),
        (
            "replaced.lo",
            &[
                Strong("__malloc_replaced"),
                Strong("__aligned_alloc_replaced"),
            ],
        ),
        ("errno.lo", &[Strong("__errno_location"), Needs("free")]),
    ];
    members
        .into_iter()
        .map(|(name, symbols)| (name, object(symbols, None)))
        .collect()
}

/// What a payload that supplies nothing supplies.
static NOTHING_SUPPLIED: brawn_payload::Supplies = brawn_payload::Supplies {
    version: "1.0.0",
    compiler: "test 2",
    source: "0",
    functions: &[],
};

/// A payload that stands in for musl's heap of [`musl`]; `version` goes into its note.
pub fn fake_payload(version: &str) -> brawn_payload::Payload {
    const SURFACE: &[&str] = &[
        "__libc_free",
        "__libc_malloc",
        "__libc_malloc_impl",
        "__malloc_allzerop",
        "__malloc_atfork",
        "calloc",
        "free",
        "malloc",
    ];
    let symbols: Vec<_> = SURFACE
        .iter()
        .map(|name| Sym::Strong(name))
        .chain([Sym::Needs("__errno_location")])
        .collect();
    let note = format!("brawn={version}\ncomponent=heap\n");
    brawn_payload::Payload {
        architecture: brawn_payload::Architecture::X86_64,
        profile: brawn_payload::Profile::Fast,
        version: "1.0.0",
        engine: "test 1",
        compiler: "test 2",
        source: "0",
        members: Box::leak(Box::new([brawn_payload::Member {
            name: "brawn-heap.o",
            bytes: brawn_payload::Bytes::plain(object(&symbols, Some(&note)).leak()),
            frames: brawn_payload::Frames::default(),
        }])),
        surface: SURFACE,
        needs: &["__errno_location"],
        memory: None,
        libc: &brawn_payload::Set::EMPTY,
        supplied: &NOTHING_SUPPLIED,
    }
}
