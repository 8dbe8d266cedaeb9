//! A program gets profile `trace` by each route, and records.  `link-args`, `rewrite` and `run` are in the module above,
//! bundles of Swift SDKs in `swift.rs`, and `preload`, which has no such profile, in `preload.rs`.

use super::{DEEP, asked, figures, figures_below, is_right, records, room};
use crate::build::Room;
use crate::cargo_room::{MUSL, Package};
use crate::common::{brawn, ok, succeed};
use crate::image::unpack;
use std::process::Command;

#[test]
fn patch() {
    let room = Room::with(DEEP);
    let archive = room.path("lib/libc.a");
    room.write("lib/libc.a", "");
    ok("cp", &[crate::common::MUSL, &archive]);
    succeed(brawn().args(["patch", "--profile", "trace", &archive]));
    room.run("musl-gcc", &["-static -O2 -L lib -o patched main.c"]);
    records(&room, "patched");
}

/// The program runs in the image's own files, with the image's own variables.  Who looks at the recording has other files.
#[test]
fn image() {
    let room = room();
    let (program, out) = (room.path("deep"), room.path("image.tar"));
    let options = "BRAWN_OPTIONS=heap_interval=32768,heap_profile=/tmp/deep.heap";
    let command = &mut brawn();
    command.args(["image", &program, "-o", &out, "--env", options]);
    succeed(command.args(["--rewrite", "--profile", "trace"]));
    let unpacked = unpack(&room);
    let variables = unpacked.config["config"]["Env"].as_array().unwrap();
    let variables = variables.iter().map(|pair| pair.as_str().unwrap());
    // Container runtimes mount it.
    let line = "mkdir proc && mount --rbind /proc proc && exec env -i \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", line, "sh"]);
    command.args(variables);
    command.args(["/usr/sbin/chroot", ".", "/deep"]);
    command.current_dir(&unpacked.root);
    assert_eq!(command.output().unwrap().status.code(), Some(7));
    let recording = format!("{}/tmp/deep.heap", unpacked.root);
    is_right(&figures_below(&room, &recording, &unpacked.root));
}

#[test]
fn cargo() {
    let package = Package::new();
    package.write(
        "src/main.rs",
        "#[inline(never)]
fn asks(n: usize) -> Vec<u8> {
    std::hint::black_box(Vec::with_capacity(1000 + n % 2))
}
fn main() {
    for n in 0..20_000 {
        drop(asks(n));
    }
}
",
    );
    let words = format!("--profile trace build --target {MUSL}");
    package.brawn(&words).ok();
    let room = Room::new();
    let mut command = Command::new(package.program(MUSL));
    let options = format!(
        "heap_interval=32768,heap_profile={}",
        room.path("cargo.heap")
    );
    let output = command.env("BRAWN_OPTIONS", options).output().unwrap();
    assert!(output.status.success());
    let (bytes, names) = asked(&figures(&room, "cargo.heap"), "program::asks");
    assert!((bytes / 20e6 - 1.0).abs() < 0.3, "{bytes}");
    assert!(
        names.iter().any(|name| name == "program::main"),
        "{names:?}"
    );
}
