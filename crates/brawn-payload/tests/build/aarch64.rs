//! The heap for aarch64, as the host's compiler builds it there.

use crate::common::root;
use crate::compiler::Compiler;
use crate::{Result, engine, finish, recipe};
use std::ffi::OsStr;
use std::path::Path;

/// gcc on an aarch64 machine, for which one that compiles for it stands here.
fn gcc_for_aarch64(folder: &Path, flags: &'static [&'static str]) -> Result<Vec<u8>> {
    let payload = root().join("payload");
    let engine = engine::patched(Path::new(env!("CARGO_MANIFEST_DIR")), &payload, folder)?;
    let compiler = Compiler::host(OsStr::new("aarch64-linux-gnu-gcc"), folder)?;
    let architecture = recipe::Architecture {
        name: "aarch64",
        variant: "Aarch64",
        zig_target: "aarch64-linux-musl",
        flags,
        parts: &[],
        needs: &[],
        machine: 183,
        distance: Some(261),
    };
    compiler.compile(&payload, &engine, &architecture, &recipe::LIBC, "fast", "x")
}

fn surface() -> Vec<&'static str> {
    let mut names = recipe::LIBC.surface.concat();
    names.sort_unstable();
    names
}

#[test]
fn gcc_builds_it_for_aarch64() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let architecture = recipe::ARCHITECTURES.iter().find(|a| a.name == "aarch64");
    let flags = architecture.ok_or("no aarch64")?.flags;
    let raw = gcc_for_aarch64(folder.path(), flags)?;
    let finished = finish::finish(&raw, &surface(), recipe::NEEDS)?;
    assert_eq!(finished.needs, recipe::NEEDS);
    Ok(())
}

/// They would be undefined in a program that rustc links, and in musl's they would not be found either.
#[test]
fn outline_atomics_are_refused_by_name() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let raw = gcc_for_aarch64(folder.path(), &["-moutline-atomics"])?;
    let error = match finish::finish(&raw, &surface(), recipe::NEEDS) {
        Ok(_) => return Err("an object with outline atomics was taken".into()),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("the payload needs __aarch64_"), "{error}");
    Ok(())
}
