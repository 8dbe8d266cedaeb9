//! Builds the heap in each of its forms: its note with the hash of its sources, compiled and finished.

use crate::Result;
use crate::compiler::Compiler;
use crate::engine::Engine;
use crate::finish::{self, Finished};
use crate::memory::Memory;
use crate::preload;
use crate::recipe::{self, Architecture, Form};
use std::path::Path;
use std::thread;

/// What every heap for one architecture is made from.
pub struct Kit<'a> {
    pub compiler: &'a Compiler,
    pub payload: &'a Path,
    pub engine: &'a Engine,
    pub architecture: &'a Architecture,
    pub version: &'a str,
}

pub struct Heap {
    /// SHA-256, in hex, over what went into it.
    pub source: String,
    pub object: Finished,
}

/// The heap of one profile in every form.
pub struct Heaps {
    pub libc: Heap,
    pub shared: Heap,
    pub preload: Heap,
    /// The last one and the memory functions as one shared object, if there are any.
    pub linked: Option<Vec<u8>>,
}

impl Kit<'_> {
    /// Builds all forms at once: everything else waits for this crate.  `work` is a folder for what is linked.
    pub fn build(&self, work: &Path, profile: &str, memory: Option<&Memory>) -> Result<Heaps> {
        let (libc, shared, preload) = thread::scope(|scope| {
            // Errors of other kinds do not leave their threads.
            let other = |form| move || self.form(form, profile).map_err(|e| e.to_string());
            let others = [&recipe::SHARED, &recipe::PRELOAD].map(|f| scope.spawn(other(f)));
            let [shared, preload] = others;
            let libc = self.form(&recipe::LIBC, profile);
            (libc, shared.join(), preload.join())
        });
        let panicked = |_| "a thread of the build panicked";
        let preload = preload.map_err(panicked)??;
        let link = |memory| {
            preload::link(
                self.compiler,
                work,
                self.architecture,
                profile,
                &preload,
                memory,
            )
        };
        Ok(Heaps {
            libc: libc?,
            shared: shared.map_err(panicked)??,
            linked: memory.map(link).transpose()?,
            preload,
        })
    }

    fn form(&self, form: &Form, profile: &str) -> Result<Heap> {
        let Self {
            compiler,
            payload,
            engine,
            architecture,
            version,
        } = self;
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
        let mut surface = form.surface.concat();
        surface.sort_unstable();
        let object = finish::finish(&raw, &surface, form.needs)?;
        Ok(Heap { source, object })
    }
}
