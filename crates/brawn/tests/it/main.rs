//! Runs the `brawn` binary on real archives, in folders of its own.

mod build;
mod cargo;
mod cargo_room;
mod cargo_targets;
mod common;
mod corpus;
mod inspect;
mod interrupted;
mod link_args;
mod mounts;
mod musls;
mod patch;
mod profiles;
mod publish;
mod rewrite;
mod rewrite_real;
mod run;
mod signatures;
mod toolchain_rust;
mod toolchain_states;
mod toolchains;
mod verify;
mod verify_executables;
