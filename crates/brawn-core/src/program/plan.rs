//! What to do with a program, as plain data: printed by `--dry-run`, tested without a file.

use super::find::{Left, Risk};
use super::layout::Layout;
use super::linked::Sizes;
use crate::component::Component;
use crate::elf::program::{Placement, Program};
use crate::provenance::Provenance;
use crate::signatures::names::Evidence;
use serde::Serialize;

/// A function whose entry becomes a jump to the payload's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// The name, as in musl's sources.
    pub name: String,
    /// The part of libc that it is of.
    pub component: Component,
    /// Its address.
    pub address: u64,
    /// Where the jump goes: behind an instruction that marks a target of indirect branches.
    pub patch_at: u64,
    /// Bytes from there on that may be overwritten.
    pub room: u64,
    /// The payload's name for what takes its place.
    pub target: String,
    /// How its place is known.
    pub evidence: Evidence,
}

/// A call that goes to the payload instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hooked {
    /// Address of the call.
    pub at: u64,
    /// What it called.
    pub callee: u64,
    /// The payload's name for what it calls now.
    pub target: String,
}

/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// What the program runs on.
    pub architecture: String,
    /// Whether it may be loaded anywhere.
    pub placement: Placement,
    /// Where it began to run.
    pub entry: u64,
    /// The payload's name for where it begins now; with memory functions alone at fixed addresses that stays.
    pub start: Option<String>,
    /// The payload.
    pub payload: Option<Provenance>,
    /// Functions that are replaced, by address.
    pub functions: Vec<Replaced>,
    /// Calls that are redirected.
    pub hooks: Vec<Hooked>,
    /// What has a name of libc's and is left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// What may go wrong, and was said to be risked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// What the payload takes.
    pub sizes: Sizes,
    /// Where it goes.
    pub layout: Layout,
}

impl Plan {
    /// One that replaces nothing yet.
    pub fn new(program: &Program<'_>, start: &str, sizes: Sizes, layout: Layout) -> Self {
        Self {
            architecture: program.architecture.name().into(),
            placement: program.placement,
            entry: program.entry,
            start: Some(start.into()),
            payload: None,
            functions: Vec::new(),
            hooks: Vec::new(),
            left: Vec::new(),
            risks: Vec::new(),
            sizes,
            layout,
        }
    }
}
