//! The signatures in this brawn: the files of this crate's directory `signatures/`, which its build script compresses.

use super::{Build, text};
use crate::arch::Isa;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::OnceLock;

/// One gzip stream for each architecture, with the pieces of its builds' texts as the build script sorted them.
const PACKED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/signatures.rs"));

/// All builds of that architecture, in the order of their names. They are read at the first call.
pub fn builds(architecture: Isa) -> Result<&'static [Build]> {
    static BUILDS: [OnceLock<Vec<Build>>; Isa::ALL.len()] =
        [const { OnceLock::new() }; Isa::ALL.len()];
    let cell = &BUILDS[architecture as usize];
    if let Some(builds) = cell.get() {
        return Ok(builds);
    }
    let builds = read(architecture)?;
    Ok(cell.get_or_init(|| builds))
}

fn read(architecture: Isa) -> Result<Vec<Build>> {
    text::read_all(&texts(architecture)?.concat())
}

/// The text of each build.
fn texts(architecture: Isa) -> Result<Vec<String>> {
    let mut all = String::new();
    for (_, packed) in PACKED
        .iter()
        .filter(|(name, _)| *name == architecture.name())
    {
        flate2::read::GzDecoder::new(*packed)
            .read_to_string(&mut all)
            .map_err(|e| match e.kind() {
                std::io::ErrorKind::OutOfMemory => {
                    Error::refused("memory ran out").next("raise the limit (`ulimit -v`)")
                }
                _ => Error::malformed(format!("signatures: {e}")),
            })?;
    }
    let mut builds = BTreeMap::<usize, BTreeMap<usize, &str>>::new();
    for piece in all.split('\u{1}').skip(1) {
        let (places, text) = piece.split_once('\n').unwrap_or((piece, ""));
        for place in places.split(' ') {
            let numbers = place.split_once(':');
            let numbers = numbers.and_then(|(b, p)| Some((b.parse().ok()?, p.parse().ok()?)));
            let (build, place) = numbers
                .ok_or_else(|| Error::malformed(format!("signatures: no place: {place}")))?;
            builds.entry(build).or_default().insert(place, text);
        }
    }
    let texts = builds
        .into_values()
        .map(|pieces| pieces.into_values().collect());
    Ok(texts.collect())
}

#[cfg(test)]
mod tests;
