//! Starts one program, watches it and everything that it starts, and ends what is left of it.

pub mod counters;
mod descent;
pub mod event;
pub mod figures;
mod launcher;
mod moments;
pub mod start;
pub mod tree;
