//! What people get of brawn, installed and built with as they do it: packages and images (`packaging/`), and the guide's
//! book.
//!
//! It needs gigabytes and minutes that no other test needs (`tools/image-base.sh`, a static brawn for two
//! architectures, mdbook), so that `make test` leaves it out and says so; `make test-packaging` gets what it needs and
//! runs it.

mod aarch64;
mod book;
mod images;
mod packages;
mod recipes;

// What it shares with the other tests, which use the rest.
#[allow(dead_code)]
#[path = "../it/build.rs"]
mod build;
#[allow(dead_code)]
#[path = "../it/cargo_room.rs"]
mod cargo_room;
#[allow(dead_code)]
#[path = "../it/common.rs"]
mod common;
