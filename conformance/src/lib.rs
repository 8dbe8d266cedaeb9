//! The requirements on a heap, as C and C++ programs; and the code that builds them and runs them on stock musl,
//! glibc and brawn.
//!
//! The programs are in `programs/`. Comments at the top of each say where it runs; `brawn-verify` reads them, since
//! it also runs the programs with a user's toolchain. [`place`] says what a program is linked with, [`toolchain`]
//! where the tools are, and [`musls`] which further versions of musl there are. [`build`] makes executables.
//! [`trial`] compares their results with the declared ones.
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
