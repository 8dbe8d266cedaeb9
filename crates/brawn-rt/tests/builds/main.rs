//! Real builds with the crate, as its users make them: static programs of Rust and C, shared objects in
//! programs of C and in Python, modules of Python and Node, and targets that keep the system's heap.
#![allow(missing_docs)]

mod aarch64;
mod build;
mod decision;
mod modules;
mod patched;
mod shared;
mod unsupported;
mod whole;
