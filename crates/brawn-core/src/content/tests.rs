use super::*;
use std::os::unix::fs::MetadataExt as _;

#[test]
fn holes_are_zeros_without_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let hole = 3 << 20;
    for pieces in [
        vec![
            Piece::Bytes(b"ab"[..].into()),
            Piece::Hole(hole),
            Piece::Bytes(b"c"[..].into()),
        ],
        vec![Piece::Bytes(b"ab"[..].into()), Piece::Hole(hole)],
    ] {
        let content = Content(pieces);
        content.write(&mut File::create(&path).unwrap()).unwrap();
        let there = std::fs::read(&path).unwrap();
        assert_eq!(there, content.to_vec());
        assert_eq!(there.len() as u64, content.size());
        assert!(there[2..2 + hole as usize].iter().all(|b| *b == 0));
        assert_eq!(content.array(1), Some(*b"b\0\0"));
        assert_eq!(content.array::<1>(there.len() as u64), None);
        assert_eq!(content.read(1..5).collect::<Vec<_>>().concat(), there[1..5]);
        let mut streamed = Vec::new();
        content.reader().read_to_end(&mut streamed).unwrap();
        assert!(streamed == there);
        assert!(content.is(&there) && !content.is(&there[1..]));
        assert!(!content.is(&[&there[..], b"x"].concat()));
        assert_eq!(
            content.sha256().as_ref(),
            Content::from(&there).sha256().as_ref()
        );
        let taken = std::fs::metadata(&path).unwrap().blocks() * 512;
        assert!(taken < 1 << 20, "{taken} bytes");
    }
}
