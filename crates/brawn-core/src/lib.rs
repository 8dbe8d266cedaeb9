//! The steps of brawn: it reads bytes into a host, identifies what is in it, plans, edits, checks and publishes.
//! `ARCHITECTURE.md` says which module does which step.
#![forbid(unsafe_code)]

pub mod advice;
pub mod arch;
pub mod archive;
pub mod bundle;
pub mod component;
pub mod content;
pub mod demangle;
pub mod elf;
pub mod error;
pub mod fingerprint;
pub mod format;
pub mod identify;
pub mod image;
pub mod input;
pub mod link_args;
pub mod listed;
mod named;
pub mod needle;
pub mod note;
pub mod preload;
pub mod program;
pub mod provenance;
pub mod publish;
pub mod report;
pub mod shown;
pub mod signatures;
pub mod toolchains;
pub mod work;

#[cfg(test)]
mod for_tests;

pub use error::{Error, Kind, Result};
