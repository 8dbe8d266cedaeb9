//! Builds the heap in one of its forms: its note with the hash of its sources, compiled and finished.

use crate::Result;
use crate::compiler::Compiler;
use crate::engine::Engine;
use crate::finish::{self, Finished};
use crate::recipe::{self, Architecture, Form};
use std::path::Path;

pub struct Heap {
    /// SHA-256, in hex, over what went into it.
    pub source: String,
    pub object: Finished,
}

pub fn build(
    compiler: &Compiler,
    payload: &Path,
    engine: &Engine,
    architecture: &Architecture,
    form: &Form,
    profile: &str,
    version: &str,
) -> Result<Heap> {
    let source = recipe::source_hash(payload, engine, architecture, form, profile, version)?;
    let note = recipe::note(
        version,
        &engine.version,
        form,
        profile,
        architecture,
        &compiler.name,
        &source,
    );
    let raw = compiler.compile(payload, engine, architecture, form, profile, &note)?;
    let object = finish::finish(&raw, form.surface, form.needs)?;
    Ok(Heap { source, object })
}
