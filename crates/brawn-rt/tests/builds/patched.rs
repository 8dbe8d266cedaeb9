//! A toolchain whose libc.a brawn has patched.

use crate::build::{Build, MUSL, musl_toolchain, succeeded};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of `fixtures/`, linked with a patched copy of the toolchain's libc.a.
pub fn program(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let mut command = Command::new(musl_toolchain("rustc"));
    let output = command
        .args(["--print", "sysroot"])
        .output()
        .expect("rustc runs");
    let sysroot = PathBuf::from(succeeded(&output, "rustc --print sysroot").trim());
    let libc = sysroot.join(format!("lib/rustlib/{MUSL}/lib/self-contained/libc.a"));
    let bytes = fs::read(&libc).unwrap_or_else(|e| panic!("{}: {e}", libc.display()));
    // Of another profile: the crate's is what the program gets.
    let payloads = brawn_payload::payloads();
    let edit =
        brawn_core::archive::edit_with_profile(&bytes, payloads, brawn_payload::Profile::Secure)
            .unwrap();
    fs::write(folder.join("libc.a"), edit.bytes.expect("a patch")).unwrap();
    let flags = format!("-Lnative={}", folder.display());
    Build {
        fixture: "program",
        target: Some(MUSL),
        rustflags: &flags,
        artifact: "program",
        name: "program-patched",
        ..Default::default()
    }
    .run()
}
