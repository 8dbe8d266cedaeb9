//! ELF files: objects, finished programs, and any file that `inspect` reads. Nothing here knows what a heap is.

pub(crate) mod comment;
pub(crate) mod dynamic;
pub(crate) mod frames;
pub mod ident;
pub mod image;
pub mod interpreter;
pub mod object;
pub mod program;
pub mod raw;
pub mod system;
