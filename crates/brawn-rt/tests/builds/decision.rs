//! The table of tested targets, row by row, and what is next to it.

#[path = "../../build/targets.rs"]
#[allow(dead_code)]
mod targets;

use std::process::Command;
use targets::{Heap, Target};

/// A target as `rustc --print cfg` describes it.
fn target(triple: &str) -> Target {
    let output = Command::new("rustc")
        .args(["--print", "cfg", "--target", triple])
        .output()
        .expect("rustc runs");
    let text = crate::build::succeeded(&output, triple);
    let value = |key: &str| {
        let found = text
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix("=\""));
        found
            .map(|rest| rest.trim_end_matches('"').to_owned())
            .unwrap_or_default()
    };
    Target {
        triple: triple.to_owned(),
        arch: value("target_arch"),
        vendor: value("target_vendor"),
        os: value("target_os"),
        env: value("target_env"),
        abi: value("target_abi"),
        pointer_width: value("target_pointer_width"),
        endian: value("target_endian"),
        sanitizer: None,
        is_miri: false,
    }
}

#[test]
fn tested_targets_have_brawns_heap_and_no_other() {
    for (triple, heap) in [
        ("x86_64-unknown-linux-musl", Heap::ByLink),
        ("aarch64-unknown-linux-musl", Heap::ByLink),
        ("x86_64-unknown-linux-gnu", Heap::Rust),
        ("aarch64-unknown-linux-gnu", Heap::Rust),
    ] {
        assert_eq!(target(triple).heap(), Ok(heap), "{triple}");
    }
    for triple in [
        "x86_64-unknown-linux-gnux32",
        "aarch64_be-unknown-linux-gnu",
        "i686-unknown-linux-musl",
        "riscv64gc-unknown-linux-gnu",
        "x86_64-unknown-linux-ohos",
        "aarch64-linux-android",
        "x86_64-unikraft-linux-musl",
        "x86_64-apple-darwin",
        "x86_64-pc-windows-msvc",
        "x86_64-pc-windows-gnu",
        "wasm32-unknown-unknown",
        "x86_64-unknown-none",
        "x86_64-unknown-freebsd",
    ] {
        assert_eq!(
            target(triple).heap(),
            Err(format!("not tested on {triple}"))
        );
    }
}

#[test]
fn what_has_a_heap_of_its_own_keeps_it() {
    let plain = target("x86_64-unknown-linux-gnu");
    let sanitized = Target {
        sanitizer: Some("address".into()),
        ..plain.clone()
    };
    assert!(sanitized.heap().unwrap_err().contains("address"));
    let interpreted = Target {
        is_miri: true,
        ..plain
    };
    assert!(interpreted.heap().unwrap_err().contains("Miri"));
}

/// The feature `trace` says that it has no effect where this is false.
#[test]
fn programs_are_static_where_rustc_makes_them_so() {
    for (triple, flags, is_static) in [
        ("x86_64-unknown-linux-musl", "", true),
        ("x86_64-unknown-linux-gnu", "", false),
        (
            "x86_64-unknown-linux-gnu",
            "-Ctarget-feature=+crt-static",
            false,
        ),
        (
            "aarch64-unknown-linux-musl",
            "-Ctarget-feature=-crt-static",
            false,
        ),
        (
            "x86_64-unknown-linux-musl",
            "-C\x1ftarget-feature=+sse3,-crt-static",
            false,
        ),
        (
            "x86_64-unknown-linux-musl",
            "-Ctarget-feature=-crt-static\x1f-Ctarget-feature=+crt-static",
            true,
        ),
    ] {
        assert_eq!(
            target(triple).is_static(flags),
            is_static,
            "{triple}: {flags}"
        );
    }
    let alpine = Target {
        vendor: "alpine".into(),
        ..target("x86_64-unknown-linux-musl")
    };
    assert!(!alpine.is_static("") && alpine.is_static("-Ctarget-feature=+crt-static"));
}
