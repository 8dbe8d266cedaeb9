//! By how much a stripped executable grows.

use crate::common::*;
use std::path::Path;

/// Text and data of a stripped program, with stock musl's and with a patched `libc.a`.
fn sizes(patch: &[&str], source: &Path) -> (u64, u64) {
    let folder = Folder::musl();
    succeed(brawn().arg("patch").args(patch).arg(folder.libc()));
    let source = source.to_str().unwrap();
    let size = |more: &[&str], name: &str| {
        let program = folder.path().join(name);
        let program = program.to_str().unwrap();
        let flags = ["-O2", "-static", "-s", source, "-o", program];
        ok("musl-gcc", &[&flags[..], more].concat());
        ok(program, &[]);
        let sizes = ok("size", &[program]);
        let line = sizes.lines().nth(1).unwrap();
        let mut words = line.split_whitespace().map(|w| w.parse::<u64>().unwrap());
        words.next().unwrap() + words.next().unwrap()
    };
    let patched = format!("-L{}", folder.path().display());
    (size(&[], "stock"), size(&[&patched], "ours"))
}

#[test]
fn a_stripped_program_grows_by_20_kib_at_most_by_all_memory_functions() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("all.c");
    let text = format!(
        "#define _GNU_SOURCE\n#include <string.h>\n#include <strings.h>\n\
         void *volatile all[] = {{ {} }};\nint main(void) {{ return !all[0]; }}\n",
        brawn_core::identify::MEMORY.join(", ")
    );
    std::fs::write(&source, text).unwrap();
    let (stock, ours) = sizes(&["--only", "memory"], &source);
    // What musl's take is no more than 4 KiB: else the programs are not what they should be.
    assert!(ours > stock + 8000, "{stock} and {ours} bytes");
    // 370 bytes of it count calls before the processor is asked (payload/memory/x86_64/level.c): 38 us of a short program's life.
    assert!(ours <= stock + 20 * 1024, "{stock} and {ours} bytes");
}

#[test]
fn a_stripped_program_that_allocates_once_grows_by_40_kib_at_most() {
    let (stock, ours) = sizes(&[], &root().join("bench/workloads/once.c"));
    assert!(ours > stock + 20 * 1024, "{stock} and {ours} bytes");
    assert!(ours <= stock + 40 * 1024, "{stock} and {ours} bytes");
}
