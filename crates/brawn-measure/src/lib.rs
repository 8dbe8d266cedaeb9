//! Runs programs side by side, keeps every figure, and says which is faster.
//!
//! ```text
//! candidates ─ schedule ─> rounds ─ tree ─> figures ─ data ─> file ─ pairs, verdict ─> words
//! ```
//!
//! Measuring and judging are separate: [`verdict`] needs only the data in [`data`].  `brawn compare` and the
//! repository's benchmark share this crate.
#![deny(unsafe_code)]

pub mod beside;
pub mod counters;
pub mod data;
mod descent;
pub mod event;
pub mod figures;
pub mod functions;
mod launcher;
pub mod machine;
pub mod median;
mod moments;
pub mod pairs;
pub mod schedule;
pub mod short;
pub mod start;
pub mod tree;
pub mod verdict;
