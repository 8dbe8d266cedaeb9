use super::*;
use crate::for_tests::note_bytes;

#[test]
fn reads_its_own_and_passes_over_others() {
    let mut bytes = Vec::new();
    // A GNU build-id note, which linkers put beside it.
    for word in [4u32, 3, 3] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"GNU\0abc\0");
    bytes.extend(note_bytes(
        "brawn=1.2.3\ncomponent=heap\nfuture=x\nprofile=fast\n",
    ));
    bytes.extend(note_bytes("brawn=9\n"));
    let notes = read(&bytes, 0).unwrap();
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[0].brawn, "1.2.3");
    assert_eq!(notes[0].component, "heap");
    assert_eq!(notes[0].profile, "fast");
    assert_eq!(notes[1].brawn, "9");
}

#[test]
fn every_truncation_is_an_error_with_a_place_or_nothing() {
    let bytes = note_bytes("brawn=1\n");
    for end in 1..bytes.len() - 4 {
        if let Err(error) = read(&bytes[..end], 0x40) {
            assert_eq!(error.offset(), Some(0x40), "cut at {end}");
        }
    }
}

#[test]
fn lying_sizes_do_not_overflow() {
    let mut bytes = note_bytes("brawn=1\n");
    bytes[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read(&bytes, u64::MAX).is_err());
    let mut bytes = note_bytes("brawn=1\n");
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read(&bytes, u64::MAX).is_err());
}
