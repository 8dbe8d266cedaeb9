//! What the crate carries for who builds it without zig is what zig makes of the sources.
#![allow(missing_docs)]

#[allow(dead_code)]
mod common;
#[path = "../build/engine/mod.rs"]
#[allow(dead_code)]
mod engine;
#[path = "../build/prebuilt.rs"]
#[allow(dead_code)]
mod prebuilt;
#[path = "../build/recipe.rs"]
#[allow(dead_code)]
mod recipe;
#[path = "../build/source.rs"]
#[allow(dead_code)]
mod source;

use common::copy_tree;
use prebuilt::Prebuilt;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const OUT: &str = env!("OUT_DIR");
const HOME: &str = env!("CARGO_MANIFEST_DIR");

fn carried() -> Result<Prebuilt> {
    Ok(Prebuilt::read(Path::new(HOME))?.ok_or("the crate carries no prebuilt/objects")?)
}

fn inputs_of_build() -> Result<String> {
    Ok(fs::read_to_string(Path::new(OUT).join("inputs"))?)
}

/// While somebody changes `payload/` they are of other sources, and nothing uses them: `make crates` and `make dist`,
/// which use them, refuse such.
#[test]
fn prebuilt_objects_are_what_their_sources_give() -> Result<()> {
    let carried = carried()?;
    if carried.inputs() != inputs_of_build()? {
        println!("prebuilt/objects is of other sources: `make rt-objects` writes it");
        return Ok(());
    }
    let built = prebuilt::built(Path::new(OUT))?;
    assert!(
        carried.files()?.iter().eq(built.values().flatten()),
        "prebuilt/objects is not what its sources give: run `make rt-objects`"
    );
    Ok(())
}

#[test]
fn every_file_comes_out_as_it_went_in() -> Result<()> {
    let out = tempfile::tempdir()?;
    let out = out.path();
    carried()?.unpack(out)?;
    let count = fs::read_dir(out)?.count();
    assert!(count > 600, "only {count} files");
    // Both architectures.
    for name in [
        "x86_64-fast-heap.o",
        "aarch64-lean-heap.o",
        "aarch64-secure-shared.o",
    ] {
        assert!(out.join(name).is_file(), "{name}");
    }
    // A build without zig goes on from here, as one with zig does.
    let built: Vec<_> = prebuilt::built(out)?.into_values().flatten().collect();
    assert!(carried()?.files()? == built);
    Ok(())
}

/// What is cut short is said so, and what is damaged, and neither builds half.
#[test]
fn damaged_objects_are_refused() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    assert!(Prebuilt::read(home)?.is_none());
    fs::create_dir(home.join("prebuilt"))?;
    let mut all = fs::read(Path::new(HOME).join(prebuilt::FILE))?;
    let whole = carried()?.files()?;
    let damaged = |bytes: &[u8]| -> Result<String> {
        fs::write(home.join(prebuilt::FILE), bytes)?;
        let files = Prebuilt::read(home).and_then(|p| p.ok_or("nothing")?.files());
        Ok(match files {
            // A few bits of a frame have no meaning.
            Ok(files) if files == whole => "the same files".into(),
            Ok(_) => "other files".into(),
            Err(error) => error.to_string(),
        })
    };
    let error = damaged(&all[..all.len() - 1])?;
    assert!(error.contains("cut short"), "{error}");
    let frames = all.windows(2).position(|two| two == b"\n\n");
    let frames = frames.ok_or("no frames")? + 2;
    let mut refused = 0;
    for share in 1..10 {
        let at = frames + (all.len() - frames) * share / 10;
        all[at] ^= 1;
        let said = damaged(&all)?;
        refused += usize::from(said.contains("frame"));
        assert_ne!(said, "other files", "at {at:#x}");
        all[at] ^= 1;
    }
    assert!(refused > 5, "{refused} of 9");
    Ok(())
}

/// Release builds embed the frames: the items name the places of the very bytes that debug builds embed as they are.
#[test]
fn packed_items_hold_the_same_bytes() -> Result<()> {
    let out = tempfile::tempdir()?;
    let out = out.path();
    let carried = carried()?;
    carried.unpack(out)?;
    let items = prebuilt::items(out, Some(&carried))?;
    let mut count = 0;
    for (frame, files) in prebuilt::built(out)? {
        let item = frame.to_uppercase().replace('-', "_");
        let packed = fs::read(out.join(format!("{frame}.zst")));
        if frame == "table" {
            assert!(packed.is_err());
            continue;
        }
        let mut whole = Vec::new();
        ruzstd::decoding::StreamingDecoder::new(packed?.as_slice())?.read_to_end(&mut whole)?;
        let mut at = 0;
        for (name, bytes) in files {
            let place = format!(
                "({name:?}) => {{ Bytes::packed(&{item}, {at}, {}) }};",
                bytes.len()
            );
            assert!(items.contains(&place), "{place}");
            assert!(whole[at..at + bytes.len()] == bytes);
            at += bytes.len();
            count += 1;
        }
    }
    assert!(count > 600, "only {count} files");
    // One byte that is another: all is embedded as it was built.
    let mut object = fs::read(out.join("x86_64-fast-heap.o"))?;
    object[100] ^= 1;
    fs::write(out.join("x86_64-fast-heap.o"), object)?;
    assert!(!prebuilt::items(out, Some(&carried))?.contains("packed"));
    Ok(())
}

/// Cargo writes the published crate's manifest anew, without the tests' sources beside it.
#[test]
fn published_and_checked_out_sources_are_the_same_inputs() -> Result<()> {
    let payload = Path::new(HOME).join("payload");
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    for file in source::files(&Path::new(HOME).join("build"))? {
        copy(&file, &home.join(file.strip_prefix(HOME)?))?;
    }
    let is_test = |path: &Path| {
        path.starts_with(payload.join("libc/tests"))
            || path.starts_with(payload.join("memory/tests"))
    };
    for file in source::files(&payload)?
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
    assert_eq!(inputs(home)?, inputs_of_build()?);
    // A source that is another makes them others.
    let header = home.join("payload/heap/tuning.h");
    let text = fs::read_to_string(&header)? + "\n";
    fs::write(&header, text)?;
    assert_ne!(inputs(home)?, inputs(Path::new(HOME))?);
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().ok_or("no directory")?)?;
    fs::write(to, fs::read(from)?)?;
    Ok(())
}

/// A checkout of this crate alone, in which nobody called `make tools`.
fn checkout_without_tools() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-tools");
    let _ = fs::remove_dir_all(root.join("crates"));
    let _ = fs::remove_dir_all(root.join("payload"));
    let home = Path::new(HOME);
    let ours = home.ancestors().nth(2).ok_or("no workspace")?;
    let to = root.join("crates/brawn-payload");
    copy_tree(home, &to)?;
    copy_tree(&ours.join("payload"), &root.join("payload"))?;
    std::os::unix::fs::symlink("../../payload", to.join("payload"))?;
    let manifest = fs::read_to_string(ours.join("Cargo.toml"))?;
    let (before, rest) = manifest.split_once("members = [").ok_or("no members")?;
    let (_, after) = rest.split_once(']').ok_or("no end of members")?;
    let manifest = format!("{before}members = [\"crates/brawn-payload\"]{after}");
    fs::write(root.join("Cargo.toml"), manifest)?;
    fs::copy(ours.join("Cargo.lock"), root.join("Cargo.lock"))?;
    Ok(root)
}

/// A build script that names a file which is not there is run at every build, and all that needs it is compiled again.
#[test]
fn a_second_build_without_zig_finds_all_done() -> Result<()> {
    let root = checkout_without_tools()?;
    let build = || -> Result<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--offline", "--verbose"]);
        cargo.current_dir(&root).env_remove("BRAWN_ZIG");
        cargo.env("CARGO_TARGET_DIR", root.join("target"));
        let output = cargo.output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        Ok(said)
    };
    let first = build()?;
    assert!(first.contains("Compiling brawn-payload"), "{first}");
    let second = build()?;
    let is_work = |line: &&str| {
        ["Compiling", "Dirty", "Running"].contains(&line.trim().split(' ').next().unwrap_or(""))
    };
    let work: Vec<_> = second.lines().filter(is_work).collect();
    assert!(work.is_empty(), "{work:#?}");
    assert!(second.contains("Fresh brawn-payload"), "{second}");
    Ok(())
}
