//! Builds each binding with each heap, as its users do: cargo, maturin and pip.

use super::{Binding, HEAPS, is_chosen, product, sources, work};
use crate::progress::Progress;
use crate::work::remove;
use crate::{Result, context, repository};
use brawn_lab::build::checked;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the bindings whose BINDING/HEAP begins with one of the words, or all.
///
/// # Errors
///
/// A tool is missing or fails.
pub fn build(words: &[String], progress: &Progress) -> Result<()> {
    for binding in Binding::ALL {
        for (heap, feature) in HEAPS {
            let name = format!("{}/{heap}", binding.name());
            if !is_chosen(&name, words) {
                continue;
            }
            progress.step(&format!("building {name}"));
            let to = product(binding, heap);
            let folder = to.parent().unwrap_or(&to);
            context(fs::create_dir_all(folder), "create", folder)?;
            match binding {
                Binding::Rust => cargo("extensions-rust", "extensions-rust", feature, &to)?,
                Binding::Node => {
                    cargo("extensions-node", "libextensions_node.so", feature, &to)?;
                }
                Binding::Python => wheel(heap, feature, folder)?,
            }
        }
    }
    Ok(())
}

/// The bindings are a workspace of their own, with a directory of its own to build in.
fn target() -> PathBuf {
    repository().join("target/extensions")
}

fn cargo(package: &str, output: &str, feature: Option<&str>, to: &Path) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--release", "--locked", "-p", package]);
    command.args(feature.iter().flat_map(|f| ["--features", f]));
    let command = command.current_dir(sources());
    checked(command.env("CARGO_TARGET_DIR", target()))?;
    let from = target().join("release").join(output);
    context(fs::copy(&from, to), "copy", &from).map(drop)
}

/// A wheel as its authors build it, unpacked to `to` as pip installs it.
fn wheel(heap: &str, feature: Option<&str>, to: &Path) -> Result<()> {
    let wheels = work().join("wheels").join(heap);
    for folder in [&wheels, &to.join("extensions_python")] {
        remove(folder)?;
    }
    let mut maturin = Command::new(repository().join("target/tools/maturin/bin/maturin"));
    maturin.args(["build", "--release", "--locked", "--manifest-path"]);
    maturin.arg(sources().join("python/Cargo.toml"));
    maturin.arg("--out").arg(&wheels);
    maturin.args(feature.iter().flat_map(|f| ["--features", f]));
    checked(
        maturin
            .current_dir(sources())
            .env("CARGO_TARGET_DIR", target()),
    )?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]);
    pip.args([
        "--disable-pip-version-check",
        "--root-user-action",
        "ignore",
    ]);
    pip.args(["--upgrade", "--target"]).arg(to);
    for entry in context(fs::read_dir(&wheels), "list", &wheels)? {
        pip.arg(context(entry, "list", &wheels)?.path());
    }
    checked(&mut pip).map(drop)
}
