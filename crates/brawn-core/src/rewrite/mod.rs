//! Finished executables: the payload is linked to the program's own addresses, put behind its last segment, and the
//! entries of musl's functions become jumps to the payload's.
//!
//! ```text
//! bytes ─ program ─> Program ─ find ─> Functions ─ plan (layout, link) ─> Plan ─ apply ─> Pieces ─ check ─> published
//! ```

pub mod linked;
pub mod names;
pub mod program;
