//! Everything that is built, as plain data; `embed.rs` turns it into Rust code.

use crate::Result;
use crate::attach::{self, Attach};
use crate::compiler::Compiler;
use crate::engine::Engine;
use crate::heap::{Heaps, Kit};
use crate::libc::{self, Libc};
use crate::memory::{self, Memory};
use crate::recipe::{ARCHITECTURES, Architecture};
use crate::supplied::{self, Supplied};
use std::path::Path;

/// What is built for one architecture.
pub struct Target {
    pub architecture: &'static Architecture,
    /// `None` where there is none yet, as of the memory functions.
    pub attach: Option<Attach>,
    pub memory: Option<Memory>,
    pub libc: Libc,
    pub supplied: Supplied,
    /// One for each profile.
    pub heaps: Vec<Heaps>,
}

/// Builds it for each architecture that `compiler` knows.  `work` is a directory for what is linked.
pub fn build(
    compiler: &Compiler,
    payload: &Path,
    engine: &Engine,
    version: &str,
    work: &Path,
) -> Result<Vec<Target>> {
    let known = ARCHITECTURES.iter().filter(|a| compiler.targets(a.name));
    let built = known.map(|architecture| {
        let memory = memory::build(compiler, payload, architecture, version)?;
        let kit = Kit {
            compiler,
            payload,
            engine,
            architecture,
            version,
        };
        let profiles: Vec<_> = architecture.profiles().collect();
        Ok(Target {
            architecture,
            attach: attach::build(compiler, payload, architecture, version)?,
            supplied: supplied::build(compiler, payload, architecture, version)?,
            libc: libc::build(compiler, payload, architecture, version, memory.as_ref())?,
            heaps: kit.build(&profiles, work, memory.as_ref())?,
            memory,
        })
    });
    built.collect()
}
