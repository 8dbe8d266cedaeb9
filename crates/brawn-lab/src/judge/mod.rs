//! What figures say: verdicts on programs, and on functions of libc.

pub mod functions;
pub mod verdict;
