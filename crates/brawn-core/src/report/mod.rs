//! Reports about files. Nothing here changes a file.

mod container;
mod holes;
pub mod inspect;
pub mod package;
mod room;
mod unpack;
pub mod verify;
mod zstd;
