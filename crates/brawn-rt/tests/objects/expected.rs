//! The files below `objects/`, as the payload of this build gives them.

use brawn_core::link_args::{archive_of, memory_archive};
use brawn_payload::Profile;
use std::error::Error;
use std::path::{Path, PathBuf};

/// The directory that they lie in.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("objects")
}

/// A file's name below [`folder`], and its contents.
pub type File = (String, Vec<u8>);

/// A shared object records nothing: with the feature `trace` it has the heap of profile `fast`.
const NOT_SHARED: Profile = Profile::Trace;

/// Every file, sorted.
pub fn files() -> Result<Vec<File>, Box<dyn Error>> {
    let licenses = brawn_payload::licenses().as_bytes().to_vec();
    let mut files = vec![("LICENSES".to_owned(), licenses)];
    let is_known = |p: &&brawn_payload::Payload| {
        let mut shared = brawn_payload::shared().iter();
        shared.any(|shared| shared.architecture == p.architecture)
    };
    for payload in brawn_payload::payloads().iter().filter(is_known) {
        let (architecture, profile) = (payload.architecture.name(), payload.profile.name());
        let members: Vec<_> = payload
            .members
            .iter()
            .map(|m| (m.name, m.bytes.get()))
            .collect();
        let heap = archive_of(&members)?;
        files.push((format!("{architecture}/{profile}/libbrawn_heap.a"), heap));
        if let Some(memory) = payload.memory {
            let name = format!("{architecture}/libbrawn_memory.a");
            if !files.iter().any(|(known, _)| *known == name) {
                files.push((name, memory_archive(memory)?));
            }
        }
    }
    let shared = brawn_payload::shared().iter();
    for shared in shared.filter(|s| s.profile != NOT_SHARED) {
        let (architecture, profile) = (shared.architecture.name(), shared.profile.name());
        files.push((
            format!("{architecture}/{profile}/libbrawn_shared.a"),
            archive_of(&[("brawn_shared.o", shared.bytes.get())])?,
        ));
    }
    files.sort();
    Ok(files)
}
