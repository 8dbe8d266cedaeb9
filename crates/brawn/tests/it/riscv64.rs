//! riscv64 has brawn's heap, and nothing else of brawn: it is in patched archives and linked programs, and everything
//! else is refused, with the reason.

use crate::build::{PROGRAM, Room, zig};
use crate::common::{REFUSED, brawn, fail, succeed};
use crate::musls::archive;

/// A program for riscv64, compiled by zig, with these words on the line.
fn link(room: &Room, words: &[&str]) {
    let flags = ["cc", "-target", "riscv64-linux-musl", "-fno-builtin", "-O1"];
    room.run(&zig(), &[&flags[..], words].concat());
}

#[test]
fn a_program_has_the_heap_of_the_link_line() {
    let room = Room::with(PROGRAM);
    for profile in ["fast", "secure", "lean"] {
        let dir = room.path(profile);
        let words = ["link-args", "--arch", "riscv64", "--profile", profile];
        let object = succeed(brawn().args(words).args(["--dir", &dir]));
        // Neither memory functions nor others of libc are on it.
        let object = object.trim_end();
        assert!(
            object.ends_with("/brawn_heap.o") && !object.contains(' '),
            "{object}"
        );
        for (pie, linkage) in [("-static", "static"), ("-fPIE", "static-pie")] {
            let pie = [
                pie,
                if linkage == "static" {
                    "-static"
                } else {
                    "-pie"
                },
            ];
            link(
                &room,
                &[&pie[..], &[object, "main.c", "-o", "main"]].concat(),
            );
            room.run("qemu-riscv64", &["./main"]);
            let report = room.inspect("main");
            let keys = ["architecture", "libc", "linkage", "heap", "verdict"];
            let found = keys.map(|key| &report[key]);
            assert_eq!(
                found,
                ["riscv64", "musl", linkage, "brawn", "fine"],
                "{report:#}"
            );
        }
        let said = succeed(brawn().args(["verify", &room.path("main")]));
        assert!(
            said.contains("every function of the heap that is in it is brawn's"),
            "{said}"
        );
    }
}

#[test]
fn an_archive_gets_the_heap_and_brawn_says_what_stays() {
    let room = Room::with("");
    let (old, out) = (archive("1.2.5-riscv64", "libc.a"), room.path("libc.a"));
    let old = old.to_str().expect("UTF-8");
    let said = succeed(brawn().args(["patch", old, "-o", &out]));
    for part in [
        "memory functions stay: this brawn has none for riscv64",
        "others of libc stay: this brawn has none for riscv64",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let report = room.inspect("libc.a");
    assert_eq!(
        [&report["heap"], &report["verdict"]],
        ["brawn", "fine"],
        "{report:#}"
    );
    // There is no more to have.
    let again = succeed(brawn().args(["patch", &out]));
    assert!(
        again.starts_with("unchanged") && !again.contains("keeps"),
        "{again}"
    );
    for only in ["memory", "libc"] {
        let error = fail(
            brawn().args(["patch", "--only", only, old, "-o", &out]),
            REFUSED,
        );
        assert!(error.contains("this brawn has none for riscv64"), "{error}");
    }
    let error = fail(
        brawn().args(["patch", "--profile", "trace", old, "-o", &out]),
        REFUSED,
    );
    assert!(
        error.contains("`trace` payload for (aarch64, x86_64)"),
        "{error}"
    );
}

#[test]
fn finished_programs_stay_as_they_are() {
    let room = Room::with(PROGRAM);
    link(&room, &["-static", "main.c", "-o", "main"]);
    let (main, out) = (room.path("main"), room.path("out"));
    let inspected = succeed(brawn().args(["inspect", &main]));
    let next = "for riscv64, brawn changes no finished program: link it with a libc.a of";
    assert!(
        inspected.contains(next) && !inspected.contains("rewrite"),
        "{inspected}"
    );
    let refused = "an executable for riscv64: brawn knows x86_64 and aarch64";
    let error = fail(brawn().args(["rewrite", &main, "-o", &out]), REFUSED);
    assert!(error.contains(refused), "{error}");
    let error = fail(brawn().args(["run", &main]), 126);
    assert!(error.contains(refused), "{error}");
    let preload = ["preload", "--arch", "riscv64", "-o", &out];
    let error = fail(brawn().args(preload), REFUSED);
    assert!(error.contains("no object for riscv64 (fast)"), "{error}");
    assert!(!std::path::Path::new(&out).exists());
}
