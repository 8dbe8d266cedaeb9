use super::*;

#[test]
fn what_no_change_names_is_kept() {
    let mut edits = Edits::default();
    edits.insert(4, vec![Piece::Bytes(b"xy"[..].into()), Piece::Hole(2)]);
    edits.replace(1, b"BC".to_vec());
    edits.remove(6..8);
    edits.insert(4, vec![Piece::Bytes(b"z"[..].into())]);
    assert_eq!(edits.moved(3), 3);
    assert_eq!(edits.moved(4), 9);
    assert_eq!(edits.moved(8), 11);
    let new = edits.apply(b"abcdefghij").unwrap();
    assert_eq!(new.to_vec(), b"aBCdxy\0\0zefij");
}

#[test]
fn long_runs_of_zeros_are_holes() {
    let old = [
        &b"abc"[..],
        &[0; 40_000],
        b"de",
        &[0; 10_000],
        b"f",
        &[0; 20_000],
    ]
    .concat();
    let new = Edits::default().apply(&old).unwrap();
    assert_eq!(new.to_vec(), old);
    let holes = new.0.iter().filter(|p| matches!(p, Piece::Hole(_)));
    let holes: u64 = holes.map(Piece::size).sum();
    assert!((20_000..60_000).contains(&holes), "{holes} bytes of holes");
}

#[test]
fn changes_of_one_byte_are_an_error() {
    let mut edits = Edits::default();
    edits.replace(1, b"BC".to_vec());
    edits.replace(2, b"D".to_vec());
    let error = edits.apply(b"abcd").unwrap_err();
    assert_eq!(error.offset(), Some(2));
    let mut edits = Edits::default();
    edits.replace(3, b"DE".to_vec());
    assert!(edits.apply(b"abcd").is_err());
}
