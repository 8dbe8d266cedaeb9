//! The signatures that brawn comes with: the files of this crate's folder `signatures/`, compressed by its build script.

use super::{Build, text};
use crate::error::{Error, Result};
use brawn_payload::Architecture;
use std::io::Read as _;
use std::sync::OnceLock;

/// One gzip stream for each architecture: the builds' texts, one behind another.
const PACKED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/signatures.rs"));

/// Every build of that architecture, in the order of their names.  They are read when first asked for.
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
