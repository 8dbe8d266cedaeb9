//! Real builds with the crate, as its users make them: static programs of Rust and C, shared objects in
//! programs of C and in Python, and targets that keep the system's heap.
#![allow(missing_docs)]

mod aarch64;
mod build;
mod decision;
mod patched;
mod shared;
mod unsupported;
mod whole;
