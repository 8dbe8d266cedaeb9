//! Reasons against changing a program.

use crate::advice::Advice;
use crate::component::Component;
use serde::Serialize;
use std::fmt;

/// The advice, except if the program has a heap of its own.
const RELINK: &str = "relink with a patched libc.a";
/// The advice for an old musl, whose libc.a cannot be patched either.
const RELINK_NEWER: &str = "relink with a patched libc.a of musl 1.2.2 or later";
/// The advice for a program that would crash with a patched libc.a, too.
const UNPROTECTED: &str = "compile its `memcpy` with `-fno-stack-protector`";

/// The kind of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskKind {
    /// `malloc` is not musl's.
    OtherHeap,
    /// A function of the heap is not musl's, or could not be found although others were.
    MissingFunction,
    /// Code that stays uses the state of musl's heap.
    HeapState,
    /// Code that stays runs a part of a function whose entry becomes a jump.
    EnteredInside,
    /// A function is too short for a jump.
    TooShort,
    /// The payload would not be called at a place where it must be: at a thread's end, or for errno.
    MissingHook,
    /// `fork` does not inform the heap, as in musl before 1.2.2.
    Fork,
    /// Code finds thread-locals by their distance from the block's start, which changes.
    ThreadLocals,
    /// musl would call the program's own `memcpy` before it works.
    OwnCopy,
    /// The processor only allows indirect branches to marked places, and the payload has no such marks.
    LandingPads,
    /// The file has bytes after the end that its headers give.
    Overlay,
    /// A relocation changes code.
    Relocation,
}

/// A reason not to rewrite a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Risk {
    /// Its kind.
    pub kind: RiskKind,
    /// The part of libc that can be left alone to avoid the risk; `None` if every rewrite has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<Component>,
    /// What was found, and what might happen.
    pub text: String,
    /// The address; for [`RiskKind::Overlay`], the place in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// What the user can do instead.
    pub next: String,
    /// The function whose entry would become a jump.
    #[serde(skip)]
    pub function: Option<u64>,
}

impl Risk {
    /// A risk of exchanging the heap.
    pub(super) fn heap(kind: RiskKind, text: impl Into<String>) -> Self {
        Self::of(kind, Some(Component::Heap), text)
    }

    /// A risk of exchanging the memory functions, the heap or, for `None`, either.
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

    /// Sets the advice. `rest` is the part with which the program can be rewritten in spite of this risk.
    pub(crate) fn advise(&mut self, rest: Option<Component>) {
        let rest = rest.map(|part| Advice::Only(&[part]).to_string());
        let relink = match self.kind {
            RiskKind::Fork => RELINK_NEWER,
            RiskKind::OwnCopy => UNPROTECTED,
            _ => RELINK,
        };
        self.next = match (rest, self.kind) {
            (Some(only), RiskKind::OtherHeap) => format!("rewrite with {only}"),
            (None, RiskKind::OtherHeap) => "brawn has nothing to replace in it".into(),
            (Some(only), _) => format!("rewrite with {only}, or {relink}"),
            (None, _) => relink.into(),
        };
    }

    /// Sets the address.
    pub(super) fn at(mut self, address: u64) -> Self {
        self.address = Some(address);
        self
    }

    /// Sets the function whose entry would become a jump.
    pub(super) fn function(mut self, address: u64) -> Self {
        self.function = Some(address);
        self
    }

    /// Sets the advice.
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
