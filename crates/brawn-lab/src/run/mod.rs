//! Rounds of runs: their order, the machine, and the data that they leave.

pub mod beside;
pub mod data;
pub mod machine;
pub mod outputs;
pub mod request;
pub mod schedule;
pub mod session;
