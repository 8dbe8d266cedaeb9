//! Starts programs, watches them, and ends what is left of them.
//!
//! | who | what it does |
//! |---|---|
//! | [`tree`] | runs one program at a time, and measures it with everything that it starts |
//! | [`child`] | starts a command that others look at while it runs: samplers, a server's load |
//! | [`watch`] | runs commands, also many at a time, each with a limit of time |
//! | [`parent`] | runs a program below a small parent, where a copy of this process would change what is measured |
//! | [`limits`] | runs a program with at most so much memory |

pub mod child;
pub mod counters;
mod descent;
pub mod event;
pub mod figures;
pub mod job;
pub mod kernel;
mod launcher;
pub mod limits;
mod moments;
pub mod parent;
pub mod start;
pub mod tree;
pub mod watch;
