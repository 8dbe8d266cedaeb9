//! What an object is made from, as a hash: it is in the object's note, and says whether an object that is there already is the one that would be
//! built.

use crate::Result;
use crate::engine::{Engine, FOLDERS};
use crate::recipe::{ATTACH_FLAGS, Architecture, CXX_FLAGS, FLAGS, Form, MEMORY_FLAGS};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// What the heap and other functions share.
pub const COMMON: &str = "common";

/// How an architecture's system calls are made: the file below `payload/`.
pub fn system_calls(architecture: &Architecture) -> String {
    format!("arch/{}/syscall.h", architecture.name)
}

/// SHA-256, in hex, over the version, every flag, and the name and bytes of every file that can end
/// up in the object, in the order of their names.
pub fn of_heap(
    payload: &Path,
    engine: &Engine,
    architecture: &Architecture,
    form: &Form,
    profile: &str,
    version: &str,
) -> Result<String> {
    let mut words = vec![version, &engine.version, profile];
    words.extend(FLAGS);
    words.extend(architecture.flags);
    words.extend(form.flags(architecture));
    words.extend(form.clang_flags);
    let mut hash = of_words(&words);
    let folders = [
        ("heap", payload.join("heap")),
        (COMMON, payload.join(COMMON)),
        ("arch", payload.join("arch").join(architecture.name)),
        ("profile", payload.join("profiles").join(profile)),
        ("engine/include", engine.folder.join("include")),
        ("engine/src", engine.folder.join("src")),
    ];
    let own = form.folder.map(|folder| (folder, payload.join(folder)));
    for (label, folder) in folders.into_iter().chain(own) {
        add_files(&mut hash, label, &folder, |_| true)?;
    }
    Ok(hex(hash))
}

/// The same as [`of_heap`], of what a rewritten program runs before its own entry point.
pub fn of_attach(payload: &Path, architecture: &Architecture, version: &str) -> Result<String> {
    let words = [&version, &architecture.name].into_iter().chain(FLAGS);
    let mut hash = of_words(words.chain(ATTACH_FLAGS).chain(architecture.flags));
    for name in [
        "attach/attach.c",
        &format!("attach/{}/start.h", architecture.name),
        &system_calls(architecture),
        "libc/libc.h",
        "memory/generic/memory.h",
    ] {
        add(&mut hash, name, &payload.join(name))?;
    }
    // Headers there include each other.
    let is_header = |file: &Path| file.extension().is_some_and(|e| e == "h");
    for folder in [COMMON, "libc/threads"] {
        add_files(&mut hash, folder, &payload.join(folder), is_header)?;
    }
    Ok(hex(hash))
}

/// The same as [`of_heap`], of the memory functions.
pub fn of_memory(payload: &Path, architecture: &Architecture, version: &str) -> Result<String> {
    let words = [&version, &architecture.name].into_iter().chain(FLAGS);
    let mut hash = of_words(words.chain(MEMORY_FLAGS).chain(architecture.flags));
    for part in [architecture.name, "generic"] {
        let folder = payload.join("memory").join(part);
        add_files(&mut hash, &format!("memory/{part}"), &folder, |_| true)?;
    }
    add(&mut hash, "heap/note.c", &payload.join("heap/note.c"))?;
    Ok(hex(hash))
}

/// The same as [`of_heap`], of the functions in `supplied.rs`.
pub fn of_supplied(payload: &Path, architecture: &Architecture, version: &str) -> Result<String> {
    let words = [&version, &architecture.name].into_iter().chain(FLAGS);
    let mut hash = of_words(words.chain(CXX_FLAGS).chain(architecture.flags));
    add_files(&mut hash, "supplied", &payload.join("supplied"), |_| true)?;
    add(&mut hash, "heap/note.c", &payload.join("heap/note.c"))?;
    Ok(hex(hash))
}

/// Moves the engine to a folder below `cache` that is named after what is in it. zig finds its results by the names of folders,
/// too: so every build of a checkout gives the same name, and the heaps are compiled once for all of them.
pub fn share_engine(engine: Engine, cache: &Path) -> Result<Engine> {
    let mut hash = of_words(&[&*engine.version]);
    for part in FOLDERS {
        add_files(&mut hash, part, &engine.folder.join(part), |_| true)?;
    }
    let folder = cache.join(format!("engine-{}", &hex(hash)[..32]));
    if folder.is_dir() {
        return Ok(Engine { folder, ..engine });
    }
    fs::create_dir_all(cache)?;
    // Published whole, whoever else builds at this moment. `cache` may be on another filesystem.
    let new = folder.with_extension(std::process::id().to_string());
    let copy = engine
        .copied(&new)
        .inspect_err(|_| drop(fs::remove_dir_all(&new)))?;
    if let Err(error) = fs::rename(&new, &folder) {
        fs::remove_dir_all(&new)?;
        if !folder.is_dir() {
            return Err(format!("{}: {error}", folder.display()).into());
        }
    }
    Ok(Engine { folder, ..copy })
}

/// A hash begun with `words`, each ended by a 0.
pub fn of_words<'a>(words: impl IntoIterator<Item = &'a &'a str>) -> Sha256 {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    hash
}

pub fn add(hash: &mut Sha256, name: &str, file: &Path) -> Result<()> {
    hash.update(name.as_bytes());
    hash.update([0]);
    let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(&bytes);
    Ok(())
}

/// Adds what is below `folder` and is an input by its name there, named as below `label`.
pub fn add_files(
    hash: &mut Sha256,
    label: &str,
    folder: &Path,
    is_input: impl Fn(&Path) -> bool,
) -> Result<()> {
    for file in files(folder)? {
        let name = file.strip_prefix(folder)?;
        if is_input(name) {
            add(hash, &format!("{label}/{}", name.display()), &file)?;
        }
    }
    Ok(())
}

pub fn hex(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All files below `folder`, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
