//! Files of the cache: each is named by a hash of everything that it is made from, and is written whole.

use brawn_core::fingerprint::hexadecimal;
use sha2::{Digest, Sha256};
use std::path::Path;

/// SHA-256 in hex.
pub fn hash<T: AsRef<[u8]>>(parts: &[T]) -> String {
    let mut state = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        state.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        state.update(part);
    }
    hexadecimal(&state.finalize())
}

fn create(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Writes a file whole, by renaming, since another runner may read it at the same time.
pub fn write_once(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}
