//! Chooses the heap for the target, and links the prebuilt objects of it.  No compiler is run, and
//! no target fails: where there are no objects, the system's heap is used.

mod targets;

use std::env;
use std::path::PathBuf;
use targets::{Heap, Target};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=objects");
    println!(
        "cargo::rustc-check-cfg=cfg(brawn_rt, values(\"by-link\", \"rust\", \"system\", \"none\"))"
    );
    let cfg = |name: &str| env::var(format!("CARGO_CFG_{name}")).unwrap_or_default();
    let target = Target {
        triple: env::var("TARGET").unwrap_or_default(),
        arch: cfg("TARGET_ARCH"),
        vendor: cfg("TARGET_VENDOR"),
        os: cfg("TARGET_OS"),
        env: cfg("TARGET_ENV"),
        abi: cfg("TARGET_ABI"),
        pointer_width: cfg("TARGET_POINTER_WIDTH"),
        endian: cfg("TARGET_ENDIAN"),
        sanitizer: env::var("CARGO_CFG_SANITIZE").ok(),
        is_miri: env::var_os("CARGO_CFG_MIRI").is_some(),
    };
    let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    // Features add up over a graph: what somebody wants for safety stays.
    let profile = match (feature("SECURE"), feature("TRACE"), feature("LEAN")) {
        (true, _, _) => "secure",
        (false, true, _) => "trace",
        (false, false, true) => "lean",
        (false, false, false) => "fast",
    };
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("objects");
    let shared = root.join(&target.arch);
    let own = shared.join(profile);
    // A shared object does not record: the record is the program's.
    let object = shared.join(if profile == "trace" { "fast" } else { profile });
    let chosen = target.heap().and_then(|heap| {
        let mut files = vec![object.join("libbrawn_shared.a")];
        if heap == Heap::ByLink {
            files.extend([
                own.join("libbrawn_heap.a"),
                shared.join("libbrawn_memory.a"),
            ]);
        }
        match files.iter().find(|file| !file.is_file()) {
            Some(missing) => Err(format!("there is no {}", missing.display())),
            None => Ok(heap),
        }
    });
    let (name, reason) = match chosen {
        Ok(heap) => {
            // src/ names the libraries.
            for folder in [own, object, shared] {
                println!("cargo::rustc-link-search=native={}", folder.display());
            }
            let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
            if profile == "trace" && !target.is_static(&flags) {
                println!(
                    "cargo::warning=the feature `trace` has no effect: only a static musl program records; \
                     this build has profile `fast`, and BRAWN_OPTIONS=heap_profile=FILE makes no file"
                );
            }
            (heap.cfg(), String::new())
        }
        Err(reason) => {
            println!("cargo::warning=the system's heap is used: {reason}");
            // Without an operating system there is none.
            let is_bare = target.os == "none";
            (if is_bare { "none" } else { "system" }, reason)
        }
    };
    println!("cargo::rustc-cfg=brawn_rt=\"{name}\"");
    println!("cargo::rustc-env=BRAWN_RT_REASON={reason}");
}
