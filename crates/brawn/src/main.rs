//! The `brawn` command: parses, calls `brawn-core`, prints.
#![forbid(unsafe_code)]

fn main() {}
