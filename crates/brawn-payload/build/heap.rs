//! Builds the heap in each of its forms: its note with the hash of its sources, compiled and finished.

use crate::Result;
use crate::compiler::Compiler;
use crate::engine::Engine;
use crate::finish::{self, Finished};
use crate::memory::Memory;
use crate::parallel;
use crate::preload;
use crate::recipe::{self, Architecture, Form, Part};
use crate::source;
use std::path::Path;

/// The inputs of every heap for one architecture.
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
    pub profile: &'static str,
    pub libc: Heap,
    /// If the architecture has it.
    pub shared: Option<Heap>,
    /// The heap and the memory functions as one shared object, if there are any.
    pub preload: Option<Preload>,
}

pub struct Preload {
    pub heap: Heap,
    pub linked: Vec<u8>,
}

impl Kit<'_> {
    /// Builds these profiles in every form.  `work` is a directory for what is linked.
    pub fn build(
        &self,
        profiles: &[&'static str],
        work: &Path,
        memory: Option<&Memory>,
    ) -> Result<Vec<Heaps>> {
        let shared = Some(&recipe::SHARED).filter(|_| self.architecture.has(Part::Shared));
        let preload = Some(&recipe::PRELOAD).filter(|_| memory.is_some());
        let forms = [Some(&recipe::LIBC), shared, preload];
        let forms: Vec<&Form> = forms.into_iter().flatten().collect();
        let pairs: Vec<_> = profiles
            .iter()
            .flat_map(|profile| forms.iter().map(|form| (*profile, *form)))
            .collect();
        let mut heaps =
            parallel::map(&pairs, |(profile, form)| self.form(form, profile))?.into_iter();
        let mut built = Vec::with_capacity(profiles.len());
        for &profile in profiles {
            let mut next = || heaps.next().ok_or("a form of the heap is missing");
            let libc = next()?;
            let shared = shared.map(|_| next()).transpose()?;
            let link = |memory| {
                let (compiler, architecture) = (self.compiler, self.architecture);
                let heap = next()?;
                let linked = preload::link(compiler, work, architecture, profile, &heap, memory)?;
                Ok::<_, Box<dyn std::error::Error>>(Preload { heap, linked })
            };
            built.push(Heaps {
                profile,
                libc,
                shared,
                preload: memory.map(link).transpose()?,
            });
        }
        Ok(built)
    }

    fn form(&self, form: &Form, profile: &str) -> Result<Heap> {
        let Self {
            compiler,
            payload,
            engine,
            architecture,
            version,
        } = self;
        let source = source::of_heap(payload, engine, architecture, form, profile, version)?;
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
        let needs = [form.needs, architecture.needs].concat();
        let object = finish::finish(&raw, &surface, &needs)?;
        Ok(Heap { source, object })
    }
}
