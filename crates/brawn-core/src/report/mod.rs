//! Reports about files. Nothing here changes a file.

mod allowance;
mod container;
mod holes;
pub mod inspect;
pub mod package;
mod unpack;
pub mod verify;
mod zstd;
