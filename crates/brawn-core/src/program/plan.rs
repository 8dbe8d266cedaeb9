//! What to do with a program, as plain data: `--dry-run` prints it, and tests need no file.

use super::find::{Function, Left, Risk};
use super::layout::Layout;
use super::linked::Sizes;
use crate::elf::program::{Placement, Program};
use crate::provenance::Provenance;
use serde::Serialize;

/// A call that is redirected to the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hooked {
    /// The address of the call.
    pub at: u64,
    /// The function that it called.
    pub callee: u64,
    /// The payload's name for the function that it calls now.
    pub target: String,
}

/// Everything that is to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The architecture of the program.
    pub architecture: String,
    /// Whether the kernel may choose its address.
    pub placement: Placement,
    /// Its old entry point.
    pub entry: u64,
    /// The payload's name for its new entry point. Without the heap, a program at fixed addresses keeps its entry
    /// point.
    pub start: Option<String>,
    /// The payload.
    pub payload: Option<Provenance>,
    /// Functions that are replaced, by address.
    pub functions: Vec<Function>,
    /// Calls that are redirected.
    pub hooks: Vec<Hooked>,
    /// Functions with names of libc's that do not change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// Risks that the caller accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// Whether nobody chose parts now, and the program keeps those that it has, which are not all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// Further facts that the user should know, such as another heap that stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The sizes of the payload's parts.
    pub sizes: Sizes,
    /// Their places.
    pub layout: Layout,
}

impl Plan {
    /// A plan that replaces nothing yet.
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
            kept: false,
            notes: Vec::new(),
            sizes,
            layout,
        }
    }
}
