//! Who asks for memory: what a program with profile `trace` recorded, as stacks of functions.
//!
//! ```text
//! bytes ─ Recording::read ─> events ─ unwind ─> stacks of functions ─ profile ─> Profile
//! ```

mod profile;
mod recording;
mod unwind;

pub use profile::{Amount, Frame, Profile, Stack, ThreadCurve, profile};
pub use recording::Recording;
