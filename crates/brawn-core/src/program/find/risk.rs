//! Reasons to leave a program alone.

use crate::component::Component;
use serde::Serialize;
use std::fmt;

/// What goes in every case but those where the program has a heap of its own.
const RELINK: &str = "relink with a patched libc.a";

/// What kind of reason it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskKind {
    /// The heap that `malloc` means is not musl's.
    OtherHeap,
    /// A function of the heap is not musl's, or could not be found where others of it were.
    MissingFunction,
    /// Code that stays works on the state of musl's heap.
    HeapState,
    /// Code that stays runs a part of a function whose entry becomes a jump.
    EnteredInside,
    /// A function is too short for a jump.
    TooShort,
    /// The payload would not be called where it must be: at a thread's end, or for errno.
    MissingHook,
    /// `fork` does not tell the heap, as in musl before 1.2.2.
    Fork,
    /// Thread-locals are looked up by their distance to the block's start, which changes.
    ThreadLocals,
    /// The processor lets indirect branches land only where the code says so, which the payload's does not.
    LandingPads,
    /// The file has bytes behind what its headers account for.
    Overlay,
    /// A relocation changes code.
    Relocation,
}

/// A reason not to rewrite a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Risk {
    /// What kind it is.
    pub kind: RiskKind,
    /// The part of libc that can be left alone to avoid it; `None` if every rewrite risks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// What was found, and what may come of it.
    pub text: String,
    /// Where in memory it is, or for [`RiskKind::Overlay`] where in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// What to do instead.
    pub next: String,
    /// The function whose entry would become a jump.
    #[serde(skip)]
    pub function: Option<u64>,
}

impl Risk {
    /// One of the heap.
    pub(super) fn heap(kind: RiskKind, text: impl Into<String>) -> Self {
        Self::of(kind, Some(Component::Heap), text)
    }

    /// One of the memory functions, the heap or, for `None`, both.
    pub(super) fn of(
        kind: RiskKind,
        component: Option<Component>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            component,
            text: text.into(),
            address: None,
            next: RELINK.into(),
            function: None,
        }
    }

    /// What to do about it, where the rest of the program can be rewritten without that part.
    pub(crate) fn advise(&mut self, rest: Option<Component>) {
        self.next = match (rest.map(Component::name), self.kind) {
            (Some(only), RiskKind::OtherHeap) => format!("rewrite with `--only {only}`"),
            (None, RiskKind::OtherHeap) => "brawn has nothing to replace in it".into(),
            (Some(only), _) => format!("rewrite with `--only {only}`, or {RELINK}"),
            (None, _) => RELINK.into(),
        };
    }

    /// Where it is.
    pub(super) fn at(mut self, address: u64) -> Self {
        self.address = Some(address);
        self
    }

    /// Which function's entry would become a jump.
    pub(super) fn function(mut self, address: u64) -> Self {
        self.function = Some(address);
        self
    }

    /// What to do about it.
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = next.into();
        self
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(address) = self.address {
            write!(f, "at {address:#x}: ")?;
        }
        write!(f, "{}; {}", self.text, self.next)
    }
}
