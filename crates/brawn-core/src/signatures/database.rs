//! The signatures in this brawn: the files of this crate's directory `signatures/`, which its build script compresses.

use super::{Build, text};
use crate::error::{Error, Result};
use brawn_payload::Architecture;
use std::io::Read as _;
use std::sync::OnceLock;

/// One gzip stream for each architecture, with the texts of its builds one after another.
const PACKED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/signatures.rs"));

/// All builds of that architecture, in the order of their names. They are read at the first call.
pub fn builds(architecture: Architecture) -> Result<&'static [Build]> {
    static BUILDS: [OnceLock<Vec<Build>>; 2] = [OnceLock::new(), OnceLock::new()];
    let cell = &BUILDS[usize::from(architecture == Architecture::Aarch64)];
    if let Some(builds) = cell.get() {
        return Ok(builds);
    }
    let builds = read(architecture)?;
    Ok(cell.get_or_init(|| builds))
}

fn read(architecture: Architecture) -> Result<Vec<Build>> {
    let mut all = String::new();
    for (_, packed) in PACKED
        .iter()
        .filter(|(name, _)| *name == architecture.name())
    {
        flate2::read::GzDecoder::new(*packed)
            .read_to_string(&mut all)
            .map_err(|e| Error::malformed(format!("signatures: {e}")))?;
    }
    text::read_all(&all)
}
