//! Tries another version of the engine: applies the series of `payload/engine/` to it, and compiles the heap of each profile and
//! architecture.  Says which patches do not apply, and how large the heaps become.  `make engine VERSION=…` gets the
//! version (`tools/engine.sh`).
//!
//! The argument is the folder of the engine's sources, with `include/` and `src/`.

#[path = "../build/compiler.rs"]
#[allow(dead_code)]
mod compiler;
#[path = "../build/engine/mod.rs"]
#[allow(dead_code)]
mod engine;
#[path = "../build/finish.rs"]
#[allow(dead_code)]
mod finish;
#[path = "../build/frames.rs"]
#[allow(dead_code)]
mod frames;
#[path = "../build/recipe.rs"]
#[allow(dead_code)]
mod recipe;

use compiler::Compiler;
use engine::{Engine, series};
use object::{Object as _, ObjectSection as _, SectionKind};
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::args_os().nth(1);
    let folder = PathBuf::from(folder.ok_or("usage: try-engine FOLDER, with include/ and src/")?);
    let payload = home.join("payload").canonicalize()?;
    let zig = payload.with_file_name("target/tools/zig/ziglang/zig");
    let work = std::env::temp_dir().join(format!("brawn-try-engine-{}", std::process::id()));
    let tried = tried(home, &folder, &payload, &zig, &work);
    let removed = std::fs::remove_dir_all(&work);
    tried?;
    Ok(removed?)
}

fn tried(home: &Path, folder: &Path, payload: &Path, zig: &Path, work: &Path) -> Result<()> {
    let (other, pinned) = (engine::at(folder)?, engine::find(home)?);
    println!("{} in the place of {}", other.version, pinned.version);
    let copy = other.copied(&work.join("other"))?;
    let patches = payload.join("engine");
    let mut failed = 0;
    for name in series::names(&patches)? {
        if let Err(error) = series::apply_one(&patches, &name, &copy.folder) {
            println!("does not apply: {error}");
            failed += 1;
        }
    }
    if failed > 0 {
        return Err(format!("{failed} patches do not apply: nothing was compiled").into());
    }
    println!("every patch applies");
    let pinned = pinned.patched(payload, &work.join("pinned"))?;
    let compiler = Compiler::zig(zig, work)
        .map_err(|error| format!("{error}\nrun `make tools`, which brings zig"))?;
    println!("bytes of code, before and after:");
    let mut broken = 0;
    for architecture in recipe::ARCHITECTURES {
        for profile in recipe::PROFILES {
            let code = |engine: &Engine| code(&compiler, payload, engine, architecture, profile);
            let name = format!("{} {profile}", architecture.name);
            match (code(&pinned)?, code(&copy)) {
                (before, Ok(after)) => println!("{name:16} {before:6} {after:6}"),
                (_, Err(error)) => {
                    println!("{name}: {error}");
                    broken += 1;
                }
            }
        }
    }
    match broken {
        0 => Ok(()),
        _ => Err(format!("{broken} heaps do not compile").into()),
    }
}

/// How many bytes of code the finished heap of one profile has.
fn code(
    compiler: &Compiler,
    payload: &Path,
    engine: &Engine,
    architecture: &recipe::Architecture,
    profile: &str,
) -> Result<u64> {
    let form = &recipe::LIBC;
    let raw = compiler.compile(payload, engine, architecture, form, profile, "a trial")?;
    let mut surface = form.surface.concat();
    surface.sort_unstable();
    let finished = finish::finish(&raw, &surface, form.needs)?;
    let object = object::File::parse(finished.bytes.as_slice())?;
    let code = object
        .sections()
        .filter(|section| section.kind() == SectionKind::Text);
    Ok(code.map(|section| section.size()).sum())
}
