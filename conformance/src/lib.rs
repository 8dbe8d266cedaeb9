//! What a heap must do, stated as C and C++ programs, and the means to build and run them against
//! stock musl, glibc and brawn.
//!
//! `programs/` holds the statements; comments at the top of each say where it runs
//! ([`directives`]).  [`toolchain`] knows the libcs and the ways of linking, [`musls`] further
//! versions of musl, [`build`] makes executables, [`run`] runs them, and [`trial`] holds results against what was declared.
#![forbid(unsafe_code)]

pub mod build;
pub mod directives;
pub mod draw;
pub mod embedded;
pub mod musls;
pub mod patched;
mod recipe;
mod rewritten;
pub mod run;
pub mod times;
pub mod toolchain;
pub mod trial;
pub mod verify;
