//! `inspect` of archives that have files with holes in them: what an installer would unpack is looked at.

use crate::build::{PROGRAM, Room};
use crate::common::{brawn_path, ok};
use std::fs;

/// GNU tar's formats for files with holes, which it writes with `-S`.
#[test]
fn a_slow_program_with_a_hole_is_found_in_every_format_of_tar() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -o tool main.c"]);
    let tool = room.path("tool");
    let copy = |to: &str| ok("cp", &["--sparse=never", &tool, to]);
    // A hole behind the program, then a few bytes; and one at the end.
    let middle = room.path("middle");
    copy(&middle);
    ok("truncate", &["-s", "+300K", &middle]);
    fs::OpenOptions::new()
        .append(true)
        .open(&middle)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"the end"))
        .unwrap();
    let end = room.path("end");
    copy(&end);
    ok("truncate", &["-s", "+300K", &end]);
    // More parts than a header has place for.
    for (name, holes) in [("many", 8), ("most", 60)] {
        let many = room.path(name);
        copy(&many);
        for _ in 0..holes {
            ok("truncate", &["-s", "+100K", &many]);
            fs::OpenOptions::new()
                .append(true)
                .open(&many)
                .and_then(|mut file| std::io::Write::write_all(&mut file, &[b'x'; 5000]))
                .unwrap();
        }
    }
    let archive = room.path("archive.tar");
    let judged = |format: &[&str], name: &str| {
        let words = [
            "-S",
            "-C",
            &room.path(""),
            "-czf",
            &archive,
            name,
            "main.c",
            "tool",
        ];
        ok("tar", &[format, &words].concat());
        let output = crate::common::run(brawn_path(), &["inspect", "--fail-on", "slow", &archive]);
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    for format in [
        &["--format=gnu"][..],
        &["--format=pax", "--sparse-version=0.0"],
        &["--format=pax", "--sparse-version=0.1"],
        &["--format=pax", "--sparse-version=1.0"],
    ] {
        // With more than a first block of a continued map has room for, and followed by other files.
        for name in ["tool", "middle", "end", "many", "most"] {
            let (code, said) = judged(format, name);
            assert_eq!(code, Some(1), "{format:?} {name}: {said}");
            for name in [name, "tool"] {
                assert!(said.contains(&format!("archive.tar!{name}")), "{said}");
            }
        }
    }
}
