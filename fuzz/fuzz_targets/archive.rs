//! Any bytes are an archive whose entries cover the file, or an error.

use brawn_core::archive::identify::identify;
use brawn_core::archive::read::{Archive, HEADER, MAGIC};

pub fn run(bytes: &[u8]) {
    let Ok(archive) = Archive::read(bytes) else {
        return;
    };
    let mut at = MAGIC.len();
    for entry in &archive.entries {
        assert_eq!(entry.whole.start, at);
        assert!(entry.data.start >= at + HEADER);
        assert!(entry.data.start <= entry.data.end && entry.data.end <= entry.whole.end);
        at = entry.whole.end;
    }
    assert_eq!(at, bytes.len());
    for line in archive.index.iter().flat_map(|index| &index.lines) {
        assert!(line.entry < archive.entries.len());
    }
    if let Ok(findings) = identify(&archive) {
        assert_eq!(findings.members.len(), archive.members().count());
    }
}
