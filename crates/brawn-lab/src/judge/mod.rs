//! What figures say: medians, pairs of runs, intervals, verdicts.

pub mod functions;
pub mod median;
pub mod pairs;
pub mod verdict;
