//! Real programs, rewritten with a payload of a few instructions: they run as before, and every tool reads them.

mod build;
#[path = "../common/mod.rs"]
mod common;
mod programs;
mod tools;
mod whole;
