//! Makes a musl whose heap is brawn's payload.

use crate::failure::Failure;
use crate::files::{hash, write_once};
use crate::musls::Musl;
use crate::toolchain;
use brawn_core::component::Component;
use brawn_core::link_args;
use brawn_payload::{Architecture, Payload, Profile};
use std::path::{Path, PathBuf};

/// A copy of the distribution's musl libraries with a patched `libc.a`.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The directory of the libraries.
    pub libraries: PathBuf,
    /// The words for the link line that bring the payload into a program, as `brawn link-args` prints them.
    pub line: Vec<String>,
    /// A hash of libc.a and payload.
    pub identity: String,
}

impl Patched {
    /// The words for a link line.
    pub fn line(&self) -> Result<Vec<String>, Failure> {
        if self.line.is_empty() {
            return Err(Failure::setup(
                "there are no objects to BRAWN_CONFORMANCE_LIBC",
            ));
        }
        Ok(self.line.clone())
    }
}

/// Patches a copy of the libraries of `musl`, or of the distribution's, below `cache`. The copy is kept under a hash
/// of everything that it was made from.
pub fn make(cache: &Path, musl: Option<&Musl>, profile: Profile) -> Result<Patched, String> {
    let stock = match musl {
        Some(musl) => musl.libraries()?,
        None => toolchain::musl_libraries()?,
    };
    let architecture = musl.map_or(Architecture::X86_64, |m| m.tools.architecture);
    let (archive, payload) = if musl.is_some_and(|m| m.link.payload_on_line()) {
        // The payload is on the line, and the libraries do not change.
        let payload = payload(architecture, profile)?;
        (read(&stock.join("libc.a"))?, Some(payload))
    } else {
        archive_and_payload(&stock.join("libc.a"), architecture, profile)?
    };
    let others = others(&stock)?;
    let name = |payload| link_args::folder_name(payload, Component::ALL);
    let payload_name = payload.map(name).unwrap_or_default();
    let mut parts: Vec<&[u8]> = vec![&archive, payload_name.as_bytes()];
    for (name, bytes) in &others {
        parts.extend([name.as_bytes(), bytes]);
    }
    let identity = hash(&parts);
    let libraries = cache.join("musl").join(&identity[..32]);
    let folder = libraries.join("payload");
    let mut line = Vec::new();
    let mut files = Vec::new();
    if let Some(payload) = payload {
        let link = link_args::link(payload, Component::ALL, &folder).map_err(|e| e.to_string())?;
        files = link_args::files(payload, &link).map_err(|e| e.to_string())?;
        line = link.flags.cc;
    }
    let patched = Patched {
        line,
        libraries: libraries.clone(),
        identity,
    };
    if libraries.join("libc.a").is_file() {
        return Ok(patched);
    }
    for file in &files {
        write_once(&folder.join(&file.name), &file.bytes)?;
    }
    for (name, bytes) in &others {
        write_once(&libraries.join(name), bytes)?;
    }
    // This is last: if it exists, the other files are complete.
    write_once(&libraries.join("libc.a"), &archive)?;
    Ok(patched)
}

/// Names and contents of the files beside `libc.a`, in the order of their names.
fn others(libraries: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let entries =
        std::fs::read_dir(libraries).map_err(|e| format!("{}: {e}", libraries.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_file() && !p.ends_with("libc.a"))
        .collect();
    paths.sort();
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok((name.into_owned(), read(path)?))
    };
    paths.iter().map(named).collect()
}

/// The result of `brawn patch` for `stock`, and the payload for the link line. `BRAWN_CONFORMANCE_LIBC` names an
/// archive with another heap, to run the same programs on that; there is no payload for it.
fn archive_and_payload(
    stock: &Path,
    architecture: Architecture,
    profile: Profile,
) -> Result<(Vec<u8>, Option<&'static Payload>), String> {
    if let Some(path) = std::env::var_os("BRAWN_CONFORMANCE_LIBC") {
        return Ok((read(&PathBuf::from(path))?, None));
    }
    let bytes = read(stock)?;
    let edit = brawn_core::archive::edit_with_profile(&bytes, brawn_payload::payloads(), profile)
        .map_err(|e| format!("{}: {e}", stock.display()))?;
    let archive = edit.bytes.ok_or_else(|| {
        format!(
            "{}: it is patched already: no stock to compare with",
            stock.display()
        )
    })?;
    Ok((archive, Some(payload(architecture, profile)?)))
}

/// The embedded payload for this architecture and profile.
pub fn payload(architecture: Architecture, profile: Profile) -> Result<&'static Payload, String> {
    brawn_payload::payload(architecture, profile).ok_or_else(|| {
        let (name, profile) = (architecture.name(), profile.name());
        format!("this build of brawn-payload embeds no payload for {name}, profile {profile}")
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}
