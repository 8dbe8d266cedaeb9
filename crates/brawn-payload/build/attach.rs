//! What a rewritten program runs before its own entry point, and at the end of a thread: one object for each
//! architecture, checked against `recipe.rs`.

use crate::Result;
use crate::compiler::Compiler;
use crate::finish::{Finished, finish};
use crate::recipe::{ATTACH_NEEDS, ATTACH_SURFACE, Architecture, Part};
use crate::source;
use std::path::Path;

pub struct Attach {
    pub source: String,
    pub object: Finished,
}

/// Builds that of `architecture`; `None` where there is none yet.
pub fn build(
    compiler: &Compiler,
    payload: &Path,
    architecture: &Architecture,
    version: &str,
) -> Result<Option<Attach>> {
    if !architecture.has(Part::Attach) {
        return Ok(None);
    }
    let source = source::of_attach(payload, architecture, version)?;
    let raw = compiler.compile_attach(payload, architecture)?;
    let object =
        finish(&raw, ATTACH_SURFACE, ATTACH_NEEDS).map_err(|e| format!("attach.c: {e}"))?;
    Ok(Some(Attach { source, object }))
}
