//! What this script makes, as one file that the published crate carries: `prebuilt/objects`.
//!
//! Its first line is the hash of what it was made from.  A line follows for each file, with its length and name, then an
//! empty line, then the files' bytes.  It is not compressed: packages are, and git keeps what changed.

use crate::Result;
use crate::recipe;
use std::fs;
use std::path::Path;

/// The file's name, below the crate's folder and below `OUT_DIR`.
const FILE: &str = "prebuilt/objects";

/// The table of `embed.rs`, which names every other file.
const TABLE: &str = "payloads.rs";

/// SHA-256, in hex, over all that the files are made from: this script, the payload's sources, the engine's pinned
/// version (in `Cargo.toml`; the registry's checksum holds the bytes), the licences, the version.
pub fn inputs(manifest: &Path, payload: &Path, version: &str) -> Result<String> {
    let mut hash = recipe::of_words(&[version]);
    let build = manifest.join("build");
    for (label, folder) in [("build", build.as_path()), ("payload", payload)] {
        for file in recipe::files(folder)? {
            let name = file.strip_prefix(folder)?;
            // The crate is published without them.
            let is_test = label == "payload" && name.iter().any(|part| part == "tests");
            if !is_test {
                recipe::add(&mut hash, &format!("{label}/{}", name.display()), &file)?;
            }
        }
    }
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        recipe::add(&mut hash, license, &manifest.join(license))?;
    }
    let text = fs::read_to_string(manifest.join("Cargo.toml"))?;
    Ok(format!("{} {}", recipe::hex(hash), engine(&text)?))
}

/// The engine's version as a manifest pins it, whether it is the one of the checkout or as cargo rewrites it.
fn engine(manifest: &str) -> Result<&str> {
    let after = manifest.split_once("libmimalloc-sys2");
    let pinned = after.and_then(|(_, rest)| rest.split_once("\"="));
    let version = pinned.and_then(|(_, rest)| rest.split('"').next());
    Ok(version.ok_or("Cargo.toml: found no version of libmimalloc-sys2")?)
}

/// Writes what was made into one file below `out`, for `make rt-objects` to take.
pub fn pack(inputs: &str, out: &Path) -> Result<()> {
    let table = fs::read_to_string(out.join(TABLE))?;
    let mut names: Vec<&str> = table
        .split("env!(\"OUT_DIR\"), \"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    names.push(TABLE);
    names.sort_unstable();
    names.dedup();
    let (mut text, mut bytes) = (format!("{inputs}\n"), Vec::new());
    for name in names {
        let file = fs::read(out.join(name))?;
        text += &format!("{} {name}\n", file.len());
        bytes.extend(file);
    }
    let file = out.join(FILE);
    fs::create_dir_all(file.parent().unwrap_or(out))?;
    fs::write(file, [text.as_bytes(), b"\n", &bytes].concat())?;
    Ok(())
}

/// Writes the files into `out`, if they were made from `inputs`.
pub fn unpack(manifest: &Path, inputs: &str, out: &Path) -> Result<bool> {
    let Ok(all) = fs::read(manifest.join(FILE)) else {
        return Ok(false);
    };
    let end = all.windows(2).position(|two| two == b"\n\n");
    let (text, mut bytes) = all.split_at(end.ok_or_else(broken)? + 2);
    let mut lines = std::str::from_utf8(text)?.lines();
    if lines.next() != Some(inputs) {
        return Ok(false);
    }
    for line in lines.filter(|line| !line.is_empty()) {
        let (length, name) = line.split_once(' ').ok_or_else(broken)?;
        let file = bytes.split_at_checked(length.parse()?);
        let (file, rest) = file.ok_or_else(broken)?;
        fs::write(out.join(name), file)?;
        bytes = rest;
    }
    Ok(true)
}

fn broken() -> String {
    format!("{FILE}: cut short")
}
