//! What the crate carries for who builds it without zig is what zig makes of the sources.
#![allow(missing_docs)]

#[path = "../build/engine.rs"]
#[allow(dead_code)]
mod engine;
#[path = "../build/prebuilt.rs"]
#[allow(dead_code)]
mod prebuilt;
#[path = "../build/recipe.rs"]
#[allow(dead_code)]
mod recipe;

use std::fs;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const OUT: &str = env!("OUT_DIR");
const HOME: &str = env!("CARGO_MANIFEST_DIR");

/// The first line, what it was made from, and the rest.
fn split(file: &Path) -> Result<(String, Vec<u8>)> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (line, rest) = bytes.split_at(end.ok_or("no line")?);
    Ok((String::from_utf8(line.to_vec())?, rest.to_vec()))
}

/// While somebody changes `payload/` they are of other sources, and nothing uses them: `make crates`, which packs them,
/// writes them first.
#[test]
fn prebuilt_objects_are_what_their_sources_give() -> Result<()> {
    let (inputs, built) = split(&Path::new(OUT).join("prebuilt/objects"))?;
    let (of, there) = split(&Path::new(HOME).join("prebuilt/objects"))?;
    if of != inputs {
        println!("prebuilt/objects is of other sources: `make rt-objects` writes it");
        return Ok(());
    }
    assert!(
        there == built,
        "prebuilt/objects is not what its sources give: run `make rt-objects`"
    );
    Ok(())
}

#[test]
fn every_file_comes_out_as_it_went_in() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, out) = (folder.path(), folder.path().join("out"));
    for made in [&home.join("prebuilt"), &out] {
        fs::create_dir_all(made)?;
    }
    let packed = Path::new(OUT).join("prebuilt/objects");
    fs::copy(&packed, home.join("prebuilt/objects"))?;
    let (inputs, _) = split(&packed)?;
    assert!(!prebuilt::unpack(home, "other 0.1.65", &out)?);
    assert_eq!(fs::read_dir(&out)?.count(), 0);
    assert!(prebuilt::unpack(home, &inputs, &out)?);
    let mut count = 0;
    for entry in fs::read_dir(&out)? {
        let entry = entry?;
        assert!(fs::read(entry.path())? == fs::read(Path::new(OUT).join(entry.file_name()))?);
        count += 1;
    }
    assert!(count > 600, "only {count} files");
    // Both architectures.
    for name in [
        "x86_64-fast-heap.o",
        "aarch64-lean-heap.o",
        "aarch64-secure-shared.o",
    ] {
        assert!(out.join(name).is_file(), "{name}");
    }
    // What is cut short is said so, and does not build half.
    let all = fs::read(&packed)?;
    fs::write(home.join("prebuilt/objects"), &all[..all.len() - 1])?;
    let error = prebuilt::unpack(home, &inputs, &out).expect_err("one byte is missing");
    assert!(error.to_string().contains("cut short"), "{error}");
    Ok(())
}

/// Cargo writes the published crate's manifest anew, without the tests' sources beside it.
#[test]
fn published_and_checked_out_sources_are_the_same_inputs() -> Result<()> {
    let payload = Path::new(HOME).join("payload");
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    for file in recipe::files(&Path::new(HOME).join("build"))? {
        copy(&file, &home.join(file.strip_prefix(HOME)?))?;
    }
    let is_test = |path: &Path| {
        path.starts_with(payload.join("libc/tests"))
            || path.starts_with(payload.join("memory/tests"))
    };
    for file in recipe::files(&payload)?
        .into_iter()
        .filter(|path| !is_test(path))
    {
        copy(&file, &home.join(file.strip_prefix(HOME)?))?;
    }
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&Path::new(HOME).join(license), &home.join(license))?;
    }
    let engine = "[target.\"cfg(brawn_sources_only)\".dependencies.libmimalloc-sys2]\nversion = \"=0.1.65\"\n";
    fs::write(home.join("Cargo.toml"), engine)?;
    let version = env!("CARGO_PKG_VERSION");
    let inputs = |home: &Path| prebuilt::inputs(home, &home.join("payload"), version);
    assert_eq!(inputs(home)?, inputs(Path::new(HOME))?);
    assert_eq!(
        inputs(home)?,
        split(&Path::new(OUT).join("prebuilt/objects"))?.0
    );
    // A source that is another makes them others.
    let header = home.join("payload/heap/tuning.h");
    let text = fs::read_to_string(&header)? + "\n";
    fs::write(&header, text)?;
    assert_ne!(inputs(home)?, inputs(Path::new(HOME))?);
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().ok_or("no folder")?)?;
    fs::write(to, fs::read(from)?)?;
    Ok(())
}
