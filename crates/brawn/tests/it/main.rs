//! Runs the `brawn` binary on real archives, in folders of its own.

mod common;
mod interrupted;
mod mounts;
mod patch;
mod publish;
