//! Finished executables: the payload is linked to the program's own addresses, put behind its last segment, and the
//! entries of musl's functions become jumps to the payload's.
//!
//! ```text
//! bytes ─ program ─> Program ─ find ─> Functions ─ plan (layout, link) ─> Plan ─ apply ─> Content ─ check ─> published
//! ```

pub mod apply;
pub mod branch;
pub mod check;
mod edits;
pub mod find;
pub mod headers;
pub mod layout;
pub mod link;
pub mod linked;
pub mod names;
pub mod plan;
pub mod program;
pub mod relocations;
mod sections;
mod symbols;
pub mod tls;
