//! Rounds of runs: their order, the machine, and what the programs said.

pub mod beside;
pub mod machine;
pub mod outputs;
pub mod request;
pub mod rounds;
pub mod schedule;
pub mod session;
