use super::*;
use crate::archive::identify::identify;
use crate::for_tests::{Sym, archive, musl, object};
use Sym::{Needs, Strong, Weak};

#[test]
fn its_names_are_told_in_c_and_in_cxx() {
    let own: [&[u8]; 6] = [
        b"mi_malloc",
        b"_mi_page_malloc",
        b"__mi_theap_main",
        b"_Z11_mi_os_initv",
        b"_Z10_mi_strlenPKc",
        b"_Z14mi_bitmap_initP11mi_bitmap_smb",
    ];
    assert!(own.iter().all(|name| is_own(name)));
    let others: [&[u8]; 8] = [
        b"malloc",
        b"mi",
        b"",
        b"___mi_malloc",
        b"semi_malloc",
        b"_Zmi_malloc",
        b"_ZN3Foo3mi_Ev",
        b"mincore",
    ];
    assert!(!others.iter().any(|name| is_own(name)));
    for name in [&b"_Znwm"[..], b"_ZdaPvSt11align_val_tRKSt9nothrow_t"] {
        assert!(is_operator(name));
    }
    // A class's own operator.
    assert!(!is_operator(b"_ZN3FoonwEm"));
}

type Members = Vec<(&'static str, Vec<u8>)>;

/// musl without its heap.
fn base() -> Members {
    let heap = ["calloc.lo", "free.lo", "lite_malloc.lo", "malloc.lo"];
    let mut members = musl();
    members.retain(|(name, _)| !heap.contains(name));
    members
}

fn roles(more: Members) -> Vec<(String, Role)> {
    let mut members = base();
    let start = members.len();
    members.extend(more);
    let bytes = archive(&members);
    let read = Archive::read(&bytes).unwrap();
    let findings = identify(&read).unwrap();
    let new = findings.members[start..].iter();
    new.map(|m| (printable(m.name), m.role)).collect()
}

#[test]
fn members_are_its_own_by_what_they_define() {
    let found = roles(vec![
        (
            "any.o",
            object(
                &[Strong("mi_malloc"), Strong("malloc"), Strong("strdup")],
                None,
            ),
        ),
        (
            "page.o",
            object(&[Strong("_mi_page_init"), Needs("mi_malloc")], None),
        ),
        // None of mimalloc's own names, but other names that it replaces.
        (
            "override.o",
            object(&[Strong("cfree"), Strong("free"), Weak("_Znwm")], None),
        ),
        // Not part of mimalloc.
        ("strndup.lo", object(&[Strong("strndup")], None)),
        (
            "stranger.o",
            object(&[Strong("mi_malloc_stats"), Strong("stranger")], None),
        ),
        (
            "clash.o",
            object(
                &[Strong("mi_x"), Strong("calloc"), Strong("stranger")],
                None,
            ),
        ),
    ]);
    let roles: Vec<Role> = found.iter().map(|(_, role)| *role).collect();
    assert_eq!(
        roles,
        [
            Role::Mimalloc,
            Role::Mimalloc,
            Role::Mimalloc,
            Role::Rest,
            Role::Rest,
            Role::ForeignHeap,
        ]
    );
}

#[test]
fn what_takes_no_heaps_place_is_no_heap() {
    let found = roles(vec![(
        "mi.o",
        object(&[Strong("mi_malloc"), Strong("mi_free")], None),
    )]);
    assert_eq!(found[0].1, Role::Rest);
}

#[test]
fn leftovers_of_musls_heap_stay_musls() {
    let found = roles(vec![
        ("free.lo", object(&[Strong("__libc_free")], None)),
        (
            "mi.o",
            object(&[Strong("mi_malloc"), Strong("malloc")], None),
        ),
    ]);
    assert_eq!(found[0].1, Role::MuslHeap);
    assert_eq!(found[1].1, Role::Mimalloc);
}

#[test]
fn versions_are_read_from_code_that_does_nothing_else() {
    let x86 = |code: &[u8]| (Isa::X86_64.facts().returned)(code);
    assert_eq!(x86(b"\xb8\xe0\0\0\0\xc3\x66\x2e"), Some(224));
    assert_eq!(x86(b"\xf3\x0f\x1e\xfa\xb8\x4e\x4f\0\0\xc3"), Some(20302));
    assert_eq!(x86(b"\x55\x48\x89\xe5\xb8\xe0\0\0\0\x5d\xc3"), Some(224));
    assert_eq!(
        x86(b"\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xb8\xe0\0\0\0\x5d\xc3"),
        Some(224)
    );
    // A frame that is not undone, a call, an end too early, no code at all.
    assert_eq!(x86(b"\x55\x48\x89\xe5\xb8\xe0\0\0\0\xc3"), None);
    assert_eq!(x86(b"\xe8\xe0\0\0\0\xc3"), None);
    assert_eq!(x86(b"\xb8\xe0\0\0"), None);
    assert_eq!(x86(b"\xb8\xe0\0\0\0"), None);
    assert_eq!(x86(b""), None);
    let arm = |words: &[u32]| {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        (Isa::Aarch64.facts().returned)(&code)
    };
    assert_eq!(arm(&[0x5280_1c00, 0xd65f_03c0]), Some(224));
    assert_eq!(arm(&[0xd503_245f, 0x5280_1c00, 0xd65f_03c0]), Some(224));
    let framed = [
        0xd503_233f,
        0xa9bf_7bfd,
        0x9100_03fd,
        0x5280_1c00,
        0xa8c1_7bfd,
    ];
    assert_eq!(
        arm(&[&framed[..], &[0xd503_23bf, 0xd65f_03c0]].concat()),
        Some(224)
    );
    assert_eq!(arm(&framed), None);
    assert_eq!(arm(&[0x5280_1c01, 0xd65f_03c0]), None, "another register");
    assert_eq!(arm(&[0x52a0_1c00, 0xd65f_03c0]), None, "another half");
    assert_eq!(arm(&[]), None);
}

#[test]
fn numbers_are_versions_as_mimalloc_writes_them() {
    assert_eq!(number(224).as_deref(), Some("2.2.4"));
    assert_eq!(number(315).as_deref(), Some("3.1.5"));
    assert_eq!(number(20302).as_deref(), Some("2.3.2"));
    for strange in [0, 99, 1000, 9999, 100_000, u32::MAX] {
        assert_eq!(number(strange), None, "{strange}");
    }
}
