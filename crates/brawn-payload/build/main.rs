//! Compiles the payload for each architecture and profile that a compiler was found for, and writes
//! the table of payloads that `src/lib.rs` includes.
//!
//! The compiler is zig of one pinned version (releases) or, where there is none, the host's own C
//! compiler for the host's architecture; the payload's note says which.  `BRAWN_ZIG` names a zig to
//! use, `BRAWN_ZIG=none` asks for the host's compiler.

mod attach;
mod compiler;
mod engine;
mod finish;
mod frames;
mod heap;
mod memory;
mod preload;
mod recipe;
mod supplied;

use compiler::Compiler;
use finish::Finished;
use heap::Heap;
use recipe::{ARCHITECTURES, Architecture, Form, PROFILES};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

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
    let root = manifest
        .ancestors()
        .nth(2)
        .ok_or("this crate is not in a workspace")?;
    let payload = root.join("payload");

    println!("cargo::rerun-if-changed={}", payload.display());
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=BRAWN_ZIG");

    let engine = engine::find(&manifest)?;
    let compiler = Compiler::find(root, &out)?;
    let mut statics = String::new();
    let mut table =
        String::from("/// Every payload of this build.\nstatic PAYLOADS: &[Payload] = &[\n");
    let mut shared = String::from(
        "/// Every object for shared objects of this build.\nstatic SHARED: &[Shared] = &[\n",
    );
    let mut attach = String::from(
        "/// What rewritten programs run, for each architecture.\nstatic ATTACH: &[Attach] = &[\n",
    );
    let mut preload = String::from(
        "/// Every object for `LD_PRELOAD` of this build.\nstatic PRELOADS: &[Preload] = &[\n",
    );
    for architecture in ARCHITECTURES {
        if !compiler.targets(architecture.name) {
            continue;
        }
        let built = attach::build(&compiler, &payload, architecture, &version)?;
        let name = format!("{}-{}", architecture.name, recipe::ATTACH_NAME);
        writeln!(
            attach,
            "    Attach {{ architecture: Architecture::{}, source: {:?}, surface: &{:?}, needs: &{:?}, \
             member: {} }},",
            architecture.variant,
            built.source,
            built.object.surface,
            built.object.needs,
            member(&out, recipe::ATTACH_NAME, &name, &built.object)?,
        )?;
        let functions = memory::build(&compiler, &payload, architecture, &version)?;
        let memory = match &functions {
            None => "None".to_owned(),
            Some(memory) => {
                let name = format!("MEMORY_{}", architecture.name.to_uppercase());
                embed(
                    &mut statics,
                    &out,
                    architecture,
                    &name,
                    memory,
                    &version,
                    &compiler,
                )?;
                format!("Some(&{name})")
            }
        };
        let supplied = supplied::build(&compiler, &payload, architecture, &version)?;
        let supplied_name = format!("SUPPLIED_{}", architecture.name.to_uppercase());
        embed_supplied(
            &mut statics,
            &out,
            architecture,
            &supplied_name,
            &supplied,
            &version,
            &compiler,
        )?;
        for profile in PROFILES {
            let build = |form: &Form| -> Result<(String, Heap)> {
                let heap = heap::build(
                    &compiler,
                    &payload,
                    &engine,
                    architecture,
                    form,
                    profile,
                    &version,
                )?;
                let name = format!("{}-{profile}-{}.o", architecture.name, form.name);
                fs::write(out.join(&name), &heap.object.bytes)?;
                Ok((name, heap))
            };
            // All forms at once: everything else waits for this crate.
            let (libc, shared_form, preload_form) = thread::scope(|scope| {
                let other = |form| move || build(form).map_err(|e| e.to_string());
                let others = [&recipe::SHARED, &recipe::PRELOAD].map(|f| scope.spawn(other(f)));
                let [shared, preload] = others;
                (build(&recipe::LIBC), shared.join(), preload.join())
            });
            let (name, Heap { source, object }) = libc?;
            let panicked = |_| "a thread of the build panicked";
            let (shared_name, ..) = shared_form.map_err(panicked)??;
            let (_, heap) = preload_form.map_err(panicked)??;
            if let Some(functions) = &functions {
                let bytes =
                    preload::link(&compiler, &out, architecture, profile, &heap, functions)?;
                let file = format!("{}-{profile}-{}", architecture.name, recipe::PRELOAD_NAME);
                fs::write(out.join(&file), bytes)?;
                writeln!(
                    preload,
                    "    Preload {{ architecture: Architecture::{}, profile: Profile::{}, version: {version:?}, \
                     engine: {:?}, compiler: {:?}, source: {:?}, \
                     bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), {:?})) }},",
                    architecture.variant,
                    capitalized(profile),
                    engine.version,
                    compiler.name,
                    heap.source,
                    format!("/{file}"),
                )?;
            }
            writeln!(
                shared,
                "    Shared {{ architecture: Architecture::{}, profile: Profile::{}, \
                 bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), {:?})) }},",
                architecture.variant,
                capitalized(profile),
                format!("/{shared_name}"),
            )?;
            write!(
                table,
                "    Payload {{\n        architecture: Architecture::{},\n        profile: Profile::{},\n        \
                 version: {version:?},\n        engine: {:?},\n        compiler: {:?},\n        source: {source:?},\n        \
                 members: &[{}],\n        \
                 surface: &{:?},\n        needs: &{:?},\n        memory: {memory},\n        \
                 supplied: &{supplied_name},\n    }},\n",
                architecture.variant,
                capitalized(profile),
                engine.version,
                compiler.name,
                member(&out, recipe::MEMBER_NAME, &name, &object)?,
                object.surface,
                object.needs,
            )?;
        }
    }
    table.push_str("];\n");
    shared.push_str("];\n");
    attach.push_str("];\n");
    preload.push_str("];\n");
    table.push_str(&shared);
    table.push_str(&attach);
    table.push_str(&preload);
    table.push_str(&statics);
    writeln!(
        table,
        "/// The memory functions, by the names that programs call, sorted.\n\
         pub const MEMORY_NAMES: &[&str] = &{:?};\n\
         /// What their own names begin with, by which they call each other.\n\
         pub const MEMORY_PREFIX: &str = {:?};\n\
         /// What the dynamic linker calls the object for `LD_PRELOAD`, and its file's usual name.\n\
         pub const PRELOAD_NAME: &str = {:?};\n\
         /// The names that it defines for others, sorted.\n\
         pub const PRELOAD_NAMES: &[&str] = &{:?};",
        recipe::memory_names(),
        recipe::MEMORY_PREFIX,
        recipe::PRELOAD_NAME,
        recipe::preload_names()
    )?;
    write!(
        table,
        "/// Licence texts of what the payload contains.\nstatic LICENSES: &str = {:?};\n",
        licenses(root, &engine.license)?
    )?;
    fs::write(out.join("payloads.rs"), table)?;
    Ok(())
}

/// Writes the objects of the memory functions, and a static item that holds them.
fn embed(
    statics: &mut String,
    out: &Path,
    architecture: &Architecture,
    name: &str,
    memory: &memory::Memory,
    version: &str,
    compiler: &Compiler,
) -> Result<()> {
    write!(
        statics,
        "/// The memory functions for {}.\nstatic {name}: Memory = Memory {{\n    version: {version:?},\n    \
         compiler: {:?},\n    source: {:?},\n    functions: &[\n",
        architecture.name, compiler.name, memory.source
    )?;
    for function in &memory.functions {
        let file = format!("{}-{}", architecture.name, function.member);
        writeln!(
            statics,
            "        Function {{ member: {}, surface: &{:?}, own: &{:?}, needs: &{:?} }},",
            member(out, &function.member, &file, &function.object)?,
            function.surface,
            function.own,
            function.object.needs
        )?;
    }
    statics.push_str("    ],\n};\n");
    Ok(())
}

/// The same for the functions that an archive may lack.
fn embed_supplied(
    statics: &mut String,
    out: &Path,
    architecture: &Architecture,
    name: &str,
    supplied: &supplied::Supplied,
    version: &str,
    compiler: &Compiler,
) -> Result<()> {
    write!(
        statics,
        "/// What an archive may lack, for {}.\nstatic {name}: Supplies = Supplies {{\n    version: {version:?},\n    \
         compiler: {:?},\n    source: {:?},\n    functions: &[\n",
        architecture.name, compiler.name, supplied.source
    )?;
    for function in &supplied.functions {
        let file = format!("{}-{}", architecture.name, function.member);
        writeln!(
            statics,
            "        Supply {{ name: {:?}, member: {}, needs: &{:?} }},",
            function.name,
            member(out, &function.member, &file, &function.object)?,
            function.object.needs
        )?;
    }
    statics.push_str("    ],\n};\n");
    Ok(())
}

/// Writes an object to `file`, and gives the expression that embeds it as the member `name`.
fn member(out: &Path, name: &str, file: &str, object: &Finished) -> Result<String> {
    let frames = format!("{file}.eh_frame");
    fs::write(out.join(file), &object.bytes)?;
    fs::write(out.join(&frames), &object.frames.bytes)?;
    let include = |file: &str| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\"))");
    Ok(format!(
        "Member {{ name: {name:?}, bytes: {}, frames: Frames {{ bytes: {}, functions: &{:?} }} }}",
        include(file),
        include(&frames),
        object.frames.functions
    ))
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn licenses(root: &Path, engine: &Path) -> Result<String> {
    let mut text = String::from(
        "brawn, and the parts of its payload that are its own: MIT or Apache-2.0, at your option.\n\n",
    );
    for (title, path) in [
        ("The MIT License (brawn)", root.join("LICENSE-MIT")),
        (
            "The Apache License, version 2.0 (brawn)",
            root.join("LICENSE-APACHE"),
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
