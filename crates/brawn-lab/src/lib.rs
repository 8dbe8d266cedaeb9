//! The laboratory: starts and watches programs, runs forms of a program side by side, judges the figures, and shows them.
//!
//! ```text
//! build ─> Job ─ process ─> figures ─ run ─> data ─ judge ─> verdict ─ show ─> words, tables, charts
//! ```
//!
//! Measuring and judging are separate: [`judge`] needs only the data in [`data`].  `brawn compare`, `brawn bench` and
//! the repository's benchmark share this crate.
#![deny(unsafe_code)]

pub mod build;
pub mod data;
pub mod judge;
pub mod process;
pub mod run;
pub mod show;
pub mod stats;
