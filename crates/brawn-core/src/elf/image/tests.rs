use super::*;
use crate::for_tests::{Sym as TestSym, object};
use proptest::prelude::*;

#[test]
fn reads_objects() {
    let bytes = object(
        &[TestSym::Strong("free"), TestSym::Needs("errno")],
        Some("brawn=1\n"),
    );
    let image = Image::read(&bytes, 0).unwrap();
    assert_eq!(image.kind, Type::Object);
    assert_eq!(image.brawn[0].brawn, "1");
    let named = |name| image.symbols.iter().find(|s| s.name == name).unwrap();
    assert!(named("free").defined && !named("errno").defined);
    assert_eq!(image.contents(named("free"), 4), Some(&[0xc3][..]));
}

#[test]
fn a_segment_outside_of_the_file_is_named_with_its_place() {
    let mut bytes = vec![0u8; 64 + 56];
    bytes[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    bytes[16] = 2;
    bytes[18] = 62;
    bytes[20] = 1;
    bytes[32] = 64;
    bytes[54] = 56;
    bytes[56] = 1;
    bytes[64] = 1;
    bytes[64 + 8..64 + 16].copy_from_slice(&0x1234u64.to_le_bytes());
    bytes[64 + 32] = 9;
    let error = Image::read(&bytes, 0).unwrap_err();
    assert_eq!(error.part(), Some(&crate::error::Piece::Segment(0)));
    assert_eq!(error.offset(), Some(0x1234));
    // A large one: the file is cut short, and nothing overlaps.
    bytes[64 + 8..64 + 16].copy_from_slice(&0u64.to_le_bytes());
    bytes[64 + 32..64 + 40].copy_from_slice(&0x100_0000u64.to_le_bytes());
    let error = Image::read(&bytes, 0).unwrap_err();
    assert!(error.to_string().contains("cut short"), "{error}");
}

#[test]
fn a_hidden_brawn_note_is_an_error_and_not_overlooked() {
    let mut bytes = object(&[], Some("brawn=1\n"));
    let at = bytes.windows(6).position(|w| w == b"brawn\0").unwrap() - 12;
    bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = Image::read(&bytes, 0).unwrap_err();
    assert_eq!(error.offset(), Some(at as u64));
}

proptest! {
    #[test]
    fn no_mutation_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = object(&[TestSym::Strong("free"), TestSym::Needs("x")], Some("brawn=1\n"));
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let end = cut.index(bytes.len()) + 1;
        let _ = Image::read(&bytes[..end], 0x40);
        let _ = Image::read(&bytes, u64::MAX);
    }
}
