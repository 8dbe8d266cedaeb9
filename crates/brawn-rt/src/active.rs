//! Which heap is in use, found out at run time.

use core::fmt;

/// The heap that serves Rust code, as [`active`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Active {
    /// brawn's, for the whole process: Rust and C share it.
    Process(About),
    /// brawn's, for the Rust code of this program or shared object; C has the process's heap.
    Rust(About),
    /// Another `malloc` took the place of brawn's when the program was linked: the program's own, or that of a
    /// crate.  Rust and C share it.
    Foreign,
    /// The system's, and why.
    System(&'static str),
}

/// What brawn's heap says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// Version of brawn.
    pub version: &'static str,
    /// The engine and its version, as in `mimalloc 2.5.2`.
    pub engine: &'static str,
    /// `fast`, `secure`, `lean` or `trace`.
    pub profile: &'static str,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            engine,
            profile,
        } = self;
        write!(f, "brawn {version} ({engine}, {profile})")
    }
}

impl fmt::Display for Active {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(about) => write!(f, "{about}, for Rust and C"),
            Self::Rust(about) => write!(f, "{about}, for Rust"),
            Self::Foreign => f.write_str("another malloc, in brawn's place"),
            Self::System(reason) => write!(f, "the system's heap: {reason}"),
        }
    }
}

/// Which heap serves the Rust code of the calling program or shared object.
///
/// It reads the provenance note that is in memory, so it tells of the heap that was linked, not of the one
/// that was asked for.
pub fn active() -> Active {
    crate::heap::active()
}
