//! What is said of a file without changing it.

mod container;
pub mod inspect;
pub mod package;
mod room;
mod unpack;
pub mod verify;
mod zstd;
