//! Stock's executables, rewritten.

use crate::failure::Failure;
use crate::musls::Musl;
use crate::patched;
use crate::place::Place;
use brawn_core::component::Component;
use brawn_core::program::{Options, rewrite};
use brawn_payload::Architecture;
use brawn_verify::directives::{Program, Stage};
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Rewrites `stock`, the executable of `program`, into `folder`.
///
/// A program that brings functions of the heap must be refused; then only its memory functions are exchanged. In all
/// other programs both are exchanged. With optimization of the whole program, a program that brings a `calloc` which
/// calls `malloc` may have no such function left.
pub fn make(
    program: &Program,
    place: Place,
    stock: &Path,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let architecture = place
        .musl
        .map_or(Architecture::X86_64, |m: &Musl| m.tools.architecture);
    let payload = patched::payload(architecture, place.profile).map_err(Failure::setup)?;
    let failed = |text: String| {
        let stage = Stage::Link;
        Failure { stage, text }
    };
    let io = |e: std::io::Error| Failure::setup(format!("{}: {e}", folder.display()));
    let bytes = std::fs::read(stock).map_err(io)?;
    let attempt = |components| {
        let options = Options {
            components,
            keeps: false,
            force: false,
            builds: &[],
        };
        rewrite(&bytes, payload, &options)
    };
    let mut rewritten = attempt(Component::ALL);
    if program.own_heap && !(place.link.is_lto() && rewritten.is_ok()) {
        if rewritten.is_ok() {
            let text = "the program's own heap was exchanged".to_owned();
            return Err(failed(text));
        }
        rewritten = attempt(&[Component::Memory, Component::LIBC]);
    }
    let rewritten = rewritten.map_err(|e| failed(format!("{}: {e}", stock.display())))?;
    let Some(pieces) = rewritten.pieces else {
        return Err(failed(format!(
            "{}: nothing was rewritten",
            stock.display()
        )));
    };
    std::fs::create_dir_all(folder).map_err(io)?;
    let finished = folder.join(&program.name);
    let staged = folder.join(format!(".{}", program.name));
    let mut file = File::create(&staged).map_err(io)?;
    pieces.write(&mut file).map_err(io)?;
    file.set_permissions(Permissions::from_mode(0o755))
        .map_err(io)?;
    drop(file);
    std::fs::rename(&staged, &finished).map_err(io)?;
    Ok(finished)
}
