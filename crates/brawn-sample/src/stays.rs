//! Which functions of a program stay musl's if it is rewritten: the plan of `rewrite` says so, no list.

use crate::code::Code;
use crate::costs::{head, is_lock};
use crate::diagnosis::{Diagnosis, Owner};
use brawn_core::component::Component;
use brawn_core::program::{self, Options};
use brawn_payload::{Profile, payloads};
use std::collections::HashSet;
use std::path::Path;

/// What `rewrite` would replace.
struct Replaced {
    /// The functions, and those whose parts they are.
    heads: HashSet<String>,
    /// Those that brawn has, whether or not they can be replaced in this program.
    known: HashSet<&'static str>,
    /// Whether the heap is among them.
    heap: bool,
}

/// How functions that read numbers begin and go on; both strtol and strtod call them.
const OF_NUMBERS: &[&str] = &["shgetc", "shlim"];
const READS_NUMBERS: &[&str] = &["strtol", "strtod"];

impl Replaced {
    /// Nothing is known of a program that `rewrite` refuses.
    fn read(path: &Path, options: &Options<'_>) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let done = program::rewrite_for(&bytes, payloads(), Profile::Fast, options).ok()?;
        let functions = done.plan.map(|plan| plan.functions).unwrap_or_default();
        let addresses: HashSet<u64> = functions.iter().map(|f| f.address).collect();
        // A sample may be named otherwise than the plan names the same code.
        let code = Code::read(path);
        let others = code.functions().iter();
        let others = others.filter(|f| addresses.contains(&f.start));
        let own = payloads().iter().flat_map(|p| p.libc.functions);
        let known = own.flat_map(|f| f.surface).map(|name| head(name));
        let names = functions.iter().map(|f| f.name.as_str());
        let names = names.chain(others.map(|f| f.name.as_str()));
        Some(Self {
            known: known.collect(),
            heads: names.map(|name| head(name).to_owned()).collect(),
            heap: functions.iter().any(|f| f.component == Component::Heap),
        })
    }

    /// Whether samples of that name stay.
    fn leaves(&self, part: Owner, name: &str) -> bool {
        let is_of_numbers = || OF_NUMBERS.contains(&name.trim_start_matches('_'));
        let has_lock = || self.heads.iter().any(|head| is_lock(head));
        match part {
            Owner::Heap => !self.heap,
            Owner::Memory => !self.heads.contains(head(name)),
            Owner::Libc if is_of_numbers() => {
                !READS_NUMBERS.iter().any(|name| self.heads.contains(*name))
            }
            // Of others it is not known whether they are parts of what is replaced.
            Owner::Libc if is_lock(name) => !has_lock(),
            Owner::Libc => self.known.contains(head(name)) && !self.heads.contains(head(name)),
            Owner::Kernel => !has_lock(),
            Owner::Program | Owner::Other => true,
        }
    }
}

/// Marks what of the program at `path` stays as it is if it is rewritten so. If `rewrite` refuses it, nothing does: then
/// the prediction is for a program that is linked anew.
pub fn mark(diagnosis: &mut Diagnosis, path: &Path, options: &Options<'_>) {
    let Some(replaced) = Replaced::read(path, options) else {
        return;
    };
    for function in &mut diagnosis.functions {
        function.stays = replaced.leaves(function.part, &function.name);
    }
}
