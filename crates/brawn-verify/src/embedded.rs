//! The programs of `conformance/`, embedded in this crate, for machines without a checkout.

use crate::directives::Program;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

/// The name and the length of every file.
const TABLE: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Their texts one after another, as gzip has them: a quarter of their length.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/programs.gz"));

static TEXT: LazyLock<String> = LazyLock::new(|| {
    // If there is no memory for it, this ends brawn with an error; reading would give one that is no reason to panic.
    let mut text = String::with_capacity(TABLE.iter().map(|(_, length)| length).sum());
    // A program's own bytes: they are what the build script wrote.
    let read = flate2::read::GzDecoder::new(PACKED).read_to_string(&mut text);
    read.expect("the embedded programs unpack");
    text
});

/// Every file of `programs/`, by its path there, sorted.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut at = 0;
    TABLE.iter().map(move |(name, length)| {
        let text = &TEXT[at..at + length];
        at += length;
        (*name, text)
    })
}

/// Writes the files into `folder`. Returns the programs among them.
pub fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for (name, text) in files() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        if !name.contains('/') && (name.ends_with(".c") || name.ends_with(".cc")) {
            programs.push(Program::parse(&path, text)?);
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_checkouts() {
        let folder = tempfile::tempdir().unwrap();
        let embedded = programs(folder.path()).unwrap();
        let names = |all: &[Program]| all.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/programs");
        let checkout = Program::all(Path::new(checkout)).unwrap();
        assert_eq!(names(&embedded), names(&checkout));
        for (ours, theirs) in embedded.iter().zip(&checkout) {
            let mut sources = vec![(&ours.path, &theirs.path)];
            sources.extend(ours.objects.iter().zip(&theirs.objects));
            sources.extend(ours.archives.iter().zip(&theirs.archives));
            for (a, b) in sources {
                let read = |path: &Path| std::fs::read_to_string(path).unwrap();
                assert_eq!(read(a), read(b), "{}", b.display());
            }
        }
    }
}
