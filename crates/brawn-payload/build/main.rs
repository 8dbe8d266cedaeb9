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
use heap::{Heap, Kit};
use recipe::{ARCHITECTURES, Architecture, Form, PROFILES};
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
    let made_by = |source: &str| {
        format!(
            "version: {version:?}, compiler: {:?}, source: {source:?},",
            compiler.name
        )
    };
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
                let functions = memory.functions.iter().map(|f| {
                    let member = embedded(&out, architecture, &f.member, &f.object)?;
                    Ok(format!(
                        "Function {{ member: {member}, surface: &{:?}, own: &{:?}, needs: &{:?} }}",
                        f.surface, f.own, f.object.needs
                    ))
                });
                let item = format!("{name}: Memory = Memory");
                set(&mut statics, &item, &made_by(&memory.source), functions)?;
                format!("Some(&{name})")
            }
        };
        let supplied = supplied::build(&compiler, &payload, architecture, &version)?;
        let supplied_name = format!("SUPPLIED_{}", architecture.name.to_uppercase());
        let functions_supplied = supplied.functions.iter().map(|f| {
            let member = embedded(&out, architecture, &f.member, &f.object)?;
            Ok(format!(
                "Supply {{ name: {:?}, member: {member}, needs: &{:?} }}",
                f.name, f.object.needs
            ))
        });
        let item = format!("{supplied_name}: Supplies = Supplies");
        set(
            &mut statics,
            &item,
            &made_by(&supplied.source),
            functions_supplied,
        )?;
        let kit = Kit {
            compiler: &compiler,
            payload: &payload,
            engine: &engine,
            architecture,
            version: &version,
        };
        for profile in PROFILES {
            let heaps = kit.build(&out, profile, functions.as_ref())?;
            let file = |form: &Form| format!("{}-{profile}-{}.o", architecture.name, form.name);
            if let Some(bytes) = &heaps.linked {
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
                    heaps.preload.source,
                    format!("/{file}"),
                )?;
            }
            let shared_name = file(&recipe::SHARED);
            fs::write(out.join(&shared_name), &heaps.shared.object.bytes)?;
            writeln!(
                shared,
                "    Shared {{ architecture: Architecture::{}, profile: Profile::{}, \
                 bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), {:?})) }},",
                architecture.variant,
                capitalized(profile),
                format!("/{shared_name}"),
            )?;
            let Heap { source, object } = heaps.libc;
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
                member(&out, recipe::MEMBER_NAME, &file(&recipe::LIBC), &object)?,
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
        "/// The heap's public names, sorted: what ISO C, POSIX and musl's headers declare.\n\
         pub const HEAP_NAMES: &[&str] = &{:?};\n\
         /// The names by which musl itself reaches its heap, sorted.\n\
         pub const HEAP_PRIVATE: &[&str] = &{:?};\n\
         /// Both.\n\
         pub const HEAP_SURFACE: &[&str] = &{:?};\n\
         /// The memory functions, by the names that programs call, sorted.\n\
         pub const MEMORY_NAMES: &[&str] = &{:?};\n\
         /// What their own names begin with, by which they call each other.\n\
         pub const MEMORY_PREFIX: &str = {:?};\n\
         /// What the dynamic linker calls the object for `LD_PRELOAD`, and its file's usual name.\n\
         pub const PRELOAD_NAME: &str = {:?};\n\
         /// The names that it defines for others, sorted.\n\
         pub const PRELOAD_NAMES: &[&str] = &{:?};",
        recipe::PUBLIC,
        recipe::PRIVATE,
        recipe::SURFACE,
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

/// Adds a static item that holds a set of functions, of which each is one expression.
fn set(
    statics: &mut String,
    item: &str,
    made_by: &str,
    functions: impl Iterator<Item = Result<String>>,
) -> Result<()> {
    writeln!(
        statics,
        "static {item} {{\n    {made_by}\n    functions: &["
    )?;
    for function in functions {
        writeln!(statics, "        {},", function?)?;
    }
    statics.push_str("    ],\n};\n");
    Ok(())
}

/// [`member`] of a function's object, whose file is named after it.
fn embedded(
    out: &Path,
    architecture: &Architecture,
    name: &str,
    object: &Finished,
) -> Result<String> {
    member(out, name, &format!("{}-{name}", architecture.name), object)
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
