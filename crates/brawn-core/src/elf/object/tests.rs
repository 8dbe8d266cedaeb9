use super::*;
use crate::for_tests::{Sym, object};
use proptest::prelude::*;

#[test]
fn reads_symbols_and_notes() {
    let bytes = object(
        &[
            Sym::Strong("free"),
            Sym::Weak("malloc"),
            Sym::Needs("errno"),
        ],
        Some("brawn=1\n"),
    );
    let read = Object::read(&bytes, 0).unwrap().unwrap();
    assert_eq!(read.ident.describe(), "x86_64");
    let names: Vec<_> = read
        .symbols
        .iter()
        .map(|s| (s.name, s.binding, s.defined))
        .collect();
    assert_eq!(
        names,
        [
            (&b"free"[..], Binding::Strong, true),
            (b"malloc", Binding::Weak, true),
            (b"errno", Binding::Strong, false)
        ]
    );
    assert_eq!(read.notes[0].brawn, "1");
}

#[test]
fn other_classes_are_named_but_not_read() {
    let mut bytes = object(&[], None);
    bytes[4] = 1;
    assert!(Object::read(&bytes, 0).unwrap().is_none());
    assert_eq!(Ident::read(&bytes, 0).unwrap().describe(), "x32");
    assert_eq!(Ident::read(&bytes, 0).unwrap().architecture(), None);
}

#[test]
fn lying_section_table_offset_has_a_place() {
    let mut bytes = object(&[Sym::Strong("free")], None);
    bytes[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = Object::read(&bytes, 0x1000).unwrap_err();
    assert_eq!(error.offset(), Some(0x1000 + E_SHOFF));
}

proptest! {
    #[test]
    fn no_mutation_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8), cut in any::<prop::sample::Index>()) {
        let mut bytes = object(&[Sym::Strong("free"), Sym::Needs("x")], Some("brawn=1\n"));
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let end = cut.index(bytes.len()) + 1;
        let _ = Object::read(&bytes[..end], 0x40);
        let _ = Object::read(&bytes, u64::MAX);
    }
}
