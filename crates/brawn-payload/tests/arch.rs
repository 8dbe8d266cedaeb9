//! Every `payload/arch/*/arch.h`, compiled as the payload is and run: natively or under qemu-user.

#![allow(dead_code, missing_docs)] // the modules are the build script's; these tests call some of it

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

mod common;
#[path = "../build/recipe.rs"]
mod recipe;

use common::root;
use object::{Object as _, ObjectSymbol as _};
use recipe::Architecture;

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    Err(format!("{command:?}: {}\n{text}", output.status).into())
}

/// The pinned zig for `architecture`, and every gcc and clang that `make tools` installs for it.
fn compilers(architecture: &Architecture, work: &Path) -> Vec<Command> {
    let tools = root().join("target/tools");
    let mut zig = Command::new(tools.join("zig/ziglang/zig"));
    zig.args(["cc", "-target", architecture.zig_target, "-static"]);
    zig.env("ZIG_GLOBAL_CACHE_DIR", tools.join("zig-cache"));
    zig.env("ZIG_LOCAL_CACHE_DIR", work.join("zig"));
    let mut all = vec![zig];
    if architecture.name == std::env::consts::ARCH {
        all.extend(["gcc", "clang"].map(Command::new));
    } else {
        all.push(Command::new(format!("{}-linux-gnu-gcc", architecture.name)));
    }
    all
}

fn build(
    compiler: Command,
    architecture: &Architecture,
    work: &Path,
) -> Result<(PathBuf, PathBuf)> {
    let (copies, program) = (work.join("copies.o"), work.join("main"));
    let common = |sources: &[&Path]| {
        let mut command = Command::new(compiler.get_program());
        command.args(compiler.get_args()).args(sources);
        for (name, value) in compiler.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.args(recipe::FLAGS).args(architecture.flags);
        command
            .arg("-I")
            .arg(format!("../../payload/arch/{}", architecture.name));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command
    };
    run(common(&[Path::new("tests/arch/copies.c")])
        .arg("-c")
        .arg("-o")
        .arg(&copies))?;
    let mut link = common(&[Path::new("tests/arch/main.c"), &copies]);
    run(link.args(["-static", "-pthread", "-o"]).arg(&program))?;
    Ok((copies, program))
}

#[test]
fn every_architecture_does_what_the_payload_asks() -> Result<()> {
    for architecture in recipe::ARCHITECTURES {
        let work = tempfile::tempdir()?;
        for compiler in compilers(architecture, work.path()) {
            let (copies, program) = build(compiler, architecture, work.path())?;
            let bytes = std::fs::read(copies)?;
            let object = object::File::parse(bytes.as_slice())?;
            // A copy that calls memcpy would call itself: memory.c makes memcpy of it.
            let needs: Vec<_> = object
                .symbols()
                .filter(|s| s.is_undefined() && s.is_global())
                .map(|s| s.name().unwrap_or_default().to_owned())
                .collect();
            assert_eq!(needs, [""; 0], "{}", architecture.name);
            if architecture.name == std::env::consts::ARCH {
                run(&mut Command::new(program))?;
                continue;
            }
            // Of those that need an emulator, Arm's kernels alone have pages of several sizes.
            let pages: &[&str] = match architecture.name {
                "aarch64" => &["4096", "65536"],
                _ => &["4096"],
            };
            for page in pages {
                let mut qemu = Command::new(format!("qemu-{}", architecture.name));
                run(qemu.args(["-p", page]).arg(&program))?;
            }
        }
    }
    Ok(())
}
