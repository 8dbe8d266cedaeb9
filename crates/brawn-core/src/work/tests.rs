use super::*;

#[test]
fn names_are_read_until_they_share_too_much() {
    let strings = Strings::new(b"\0abc\0end", 3);
    assert_eq!(strings.get(1).unwrap(), Some(&b"abc"[..]));
    assert_eq!(strings.get(2).unwrap(), Some(&b"bc"[..]));
    assert_eq!(strings.get(5).unwrap(), Some(&b"end"[..]));
    assert_eq!(strings.get(8).unwrap(), Some(&b""[..]));
    assert_eq!(strings.get(9).unwrap(), None);
    assert_eq!(strings.get(u64::MAX).unwrap(), None);
    let table = vec![b'a'; 10_000];
    let strings = Strings::new(&table, 10);
    let read = (0..10).take_while(|_| strings.get(0).is_ok()).count();
    assert_eq!(read, 4);
    let table = vec![b'a'; LONGEST_NAME + 1];
    let strings = Strings::new(&table, 1);
    assert!(strings.get(0).is_err());
    assert_eq!(strings.get(1).unwrap().map(<[u8]>::len), Some(LONGEST_NAME));
}

#[test]
fn ranges_are_found_whatever_they_overlap() {
    let ranges = Ranges::new([30..40, 5..9, 7..12, 12..13, 20..20]);
    let found: Vec<u64> = (0..50).filter(|at| ranges.contains(*at)).collect();
    assert_eq!(found, (5..13).chain(30..40).collect::<Vec<_>>());
    assert!(ranges.meets(&(0..6)) && !ranges.meets(&(0..5)) && !ranges.meets(&(13..30)));
}

#[test]
fn pieces_may_not_be_more_than_the_file() {
    assert!(overlap("segments", [100, 300], 100).is_ok());
    assert!(overlap("segments", [100, 301], 100).is_err());
    assert!(overlap("segments", [u64::MAX, u64::MAX], 100).is_err());
}
