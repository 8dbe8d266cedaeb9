//! Makes the musl that has brawn's payload as its heap.

use crate::build::hash;
use crate::toolchain;
use brawn_payload::{Architecture, Profile};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of the distribution's musl libraries with a patched `libc.a`.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The folder of the libraries.
    pub libraries: PathBuf,
    /// The payload's objects, as files.
    pub objects: Vec<PathBuf>,
    /// A hash of libc.a and payload.
    pub identity: String,
}

/// Patches a copy below `cache`, which is kept by what went into it.
pub fn make(cache: &Path) -> Result<Patched, String> {
    let stock = toolchain::musl_libraries()?;
    let archive = read(&stock.join("libc.a"))?;
    let members = members()?;
    let mut parts: Vec<&[u8]> = vec![&archive];
    parts.extend(members.iter().map(|(_, bytes)| bytes.as_slice()));
    let identity = hash(&parts);
    let libraries = cache.join("musl").join(&identity[..32]);
    let objects = libraries.join("payload");
    let patched = Patched {
        objects: members.iter().map(|(name, _)| objects.join(name)).collect(),
        libraries: libraries.clone(),
        identity,
    };
    if libraries.join("libc.a").is_file() {
        return Ok(patched);
    }
    create(&objects)?;
    for ((_, bytes), path) in members.iter().zip(&patched.objects) {
        write_once(path, bytes)?;
    }
    let entries = std::fs::read_dir(&stock).map_err(|e| format!("{}: {e}", stock.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if entry.path().is_file() && name != "libc.a" {
            write_once(&libraries.join(name), &read(&entry.path())?)?;
        }
    }
    patch(&stock.join("libc.a"), &libraries, &patched.objects)?;
    Ok(patched)
}

/// The payload's objects: the embedded ones, or those that `BRAWN_CONFORMANCE_PAYLOAD` names,
/// separated by colons, to try a heap before it is embedded.
fn members() -> Result<Vec<(String, Vec<u8>)>, String> {
    if let Some(paths) = std::env::var_os("BRAWN_CONFORMANCE_PAYLOAD") {
        let named = |path: PathBuf| {
            let name = path.file_name().unwrap_or_default();
            Ok((name.to_string_lossy().into_owned(), read(&path)?))
        };
        return std::env::split_paths(&paths).map(named).collect();
    }
    let payload = brawn_payload::payload(Architecture::X86_64, Profile::Fast)
        .ok_or("this build of brawn-payload embeds no payload for x86_64, profile fast")?;
    let member = |m: &brawn_payload::Member| (m.name.to_owned(), m.bytes.to_vec());
    Ok(payload.members.iter().map(member).collect())
}

/// The malloc family's members of musl's archive.
const FAMILY: [&str; 13] = [
    "aligned_alloc.lo", "calloc.lo", "donate.lo", "free.lo", "libc_calloc.lo", "lite_malloc.lo",
    "malloc.lo", "malloc_usable_size.lo", "memalign.lo", "posix_memalign.lo", "realloc.lo",
    "reallocarray.lo", "valloc.lo",
];

fn patch(stock: &Path, libraries: &Path, objects: &[PathBuf]) -> Result<(), String> {
    let work = tempfile::tempdir_in(libraries).map_err(|e| format!("{}: {e}", libraries.display()))?;
    let copy = work.path().join("libc.a");
    std::fs::copy(stock, &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
    // `free.lo` and `realloc.lo` are there twice, and `ar d` takes the first of a name.
    for _ in 0..2 {
        tool(Command::new("ar").arg("d").arg(&copy).args(FAMILY))?;
    }
    tool(Command::new("ar").arg("rs").arg(&copy).args(objects))?;
    let target = libraries.join("libc.a");
    std::fs::rename(&copy, &target).map_err(|e| format!("{}: {e}", target.display()))
}

fn tool(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{error}", output.status))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn create(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Writes a file whole, by renaming: another runner may read it at the same time.
pub fn write_once(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}
