//! Writes the table of payloads that `src/lib.rs` includes, for each architecture and profile: compiled here or, where
//! the checkout has no zig, unpacked from `prebuilt/` (`prebuilt.rs`).
//!
//! The compiler is zig of one pinned version or, where there is none and what is prebuilt is of other sources, the
//! host's own C compiler for the host's architecture; the payload's note says which.  `BRAWN_ZIG` names a zig to use,
//! `BRAWN_ZIG=none` asks for the host's compiler.

mod attach;
mod compiler;
mod embed;
mod engine;
mod finish;
mod frames;
mod heap;
mod libc;
mod memory;
mod parallel;
mod prebuilt;
mod preload;
mod recipe;
mod source;
mod supplied;
mod targets;

use compiler::Compiler;
use embed::Embed;
use prebuilt::Prebuilt;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() {
    if let Err(error) = run() {
        // Cargo shows this as the crate's build error.
        eprintln!("brawn-payload: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run through cargo")?);
    let manifest = PathBuf::from(
        env::var_os("CARGO_MANIFEST_DIR")
            .ok_or("CARGO_MANIFEST_DIR is not set: run through cargo")?,
    );
    let version = env::var("CARGO_PKG_VERSION")?;
    // In a checkout this is a link, in the published crate a directory.
    let payload = manifest.join("payload").canonicalize()?;
    let tools = payload.with_file_name("target").join("tools");

    println!("cargo::rerun-if-changed={}", payload.display());
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=prebuilt");
    println!("cargo::rerun-if-env-changed=BRAWN_ZIG");

    let inputs = prebuilt::inputs(&manifest, &payload, &version)?;
    let carried = Prebuilt::read(&manifest)?.filter(|carried| carried.inputs() == inputs);
    match (Compiler::of_checkout(&tools, &out)?, &carried) {
        (None, Some(carried)) => carried.unpack(&out)?,
        (Some(compiler), _) => compile(&compiler, &manifest, &payload, &version, &out)?,
        (None, None) => compile(
            &Compiler::of_machine(&out)?,
            &manifest,
            &payload,
            &version,
            &out,
        )?,
    }
    fs::write(out.join("inputs"), &inputs)?;
    // Without optimisation, unpacking takes a hundred times as long as reading.
    let packed = carried.filter(|_| env::var("OPT_LEVEL").is_ok_and(|level| level != "0"));
    let items = prebuilt::items(&out, packed.as_ref())?;
    Ok(fs::write(out.join("files.rs"), items)?)
}

/// Compiles the payload for every architecture that `compiler` has, and writes files and table.
fn compile(
    compiler: &Compiler,
    manifest: &Path,
    payload: &Path,
    version: &str,
    out: &Path,
) -> Result<()> {
    let engine = engine::patched(manifest, payload, out)?;
    let engine = source::share_engine(engine, compiler.cache())?;
    let targets = targets::build(compiler, payload, &engine, version, out)?;
    let embed = Embed {
        out,
        version,
        engine: &engine.version,
        compiler: &compiler.name,
    };
    let items = embed::items(&embed, &targets, &licenses(manifest, &engine.license)?)?;
    Ok(fs::write(out.join("payloads.rs"), items)?)
}

fn licenses(manifest: &Path, engine: &Path) -> Result<String> {
    let mut text = String::from(
        "brawn, and the parts of its payload that are its own: MIT or Apache-2.0, at your option.\n\n",
    );
    for (title, path) in [
        ("The MIT License (brawn)", manifest.join("LICENSE-MIT")),
        (
            "The Apache License, version 2.0 (brawn)",
            manifest.join("LICENSE-APACHE"),
        ),
        (
            "mimalloc, the heap's engine: the MIT License",
            engine.to_owned(),
        ),
    ] {
        let body = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        write!(text, "==== {title} ====\n\n{}\n\n", body.trim_end())?;
    }
    Ok(text)
}
