//! What many figures say together: medians with intervals, and pairs of runs.

pub mod median;
pub mod pairs;
