//! What a heap must do, stated as C and C++ programs, and the means to build and run them against
//! stock musl, glibc and brawn.
//!
//! `programs/` holds the statements; comments at the top of each say where it runs, which `brawn-verify` reads, as it
//! runs them with a user's toolchain.  [`place`] says what a program is linked with, [`toolchain`] where tools are,
//! [`musls`] which further versions of musl there are, [`build`] makes executables, and [`trial`] holds what they do
//! against what was declared.
#![forbid(unsafe_code)]

pub mod build;
pub mod draw;
pub mod failure;
mod files;
pub mod musls;
pub mod patched;
pub mod place;
mod recipe;
mod rewritten;
pub mod times;
pub mod toolchain;
pub mod trial;
