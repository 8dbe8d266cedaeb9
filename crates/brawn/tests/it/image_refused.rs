//! What `brawn image` makes no image of.

use crate::build::{PROGRAM, Room};
use crate::common::{IO, MALFORMED, REFUSED, brawn, fail, ok, read};
use crate::image::{USAGE, room};
use std::fs;
use std::path::Path;

/// What must not become an image, and why.
pub fn refused(room: &Room, code: i32, arguments: &[&str], words: &[&str]) {
    let out = room.path("none.tar");
    let command = &mut brawn();
    command.args(["image", &room.path("p"), "-o", &out]);
    let text = fail(command.args(arguments), code);
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!Path::new(&out).exists());
    assert!(!Path::new(&room.path(".none.tar.brawn-new")).exists());
}

#[test]
fn what_does_not_run_alone_is_refused() {
    let room = Room::with(PROGRAM);
    let loader = "/lib64/ld-linux-x86-64.so.2";
    room.run("gcc", &["-o p main.c"]);
    refused(&room, REFUSED, &[], &["dynamic", loader, "-static"]);
    refused(&room, REFUSED, &["--rewrite"], &["dynamic", loader]);
    room.run("musl-gcc", &["-o p main.c"]);
    refused(
        &room,
        REFUSED,
        &[],
        &["dynamic", "/lib/ld-musl-x86_64.so.1"],
    );
    // Position-independent, without an interpreter, and not alone all the same.
    room.run("gcc", &["-pie -Wl,--no-dynamic-linker -o p main.c"]);
    refused(&room, REFUSED, &[], &["libc.so.6"]);
    room.run("gcc", &["-shared -fPIC -o p main.c"]);
    refused(&room, REFUSED, &[], &["a shared object"]);
    room.run("gcc", &["-c -o p main.c"]);
    refused(&room, REFUSED, &[], &["an object"]);
    fs::copy(crate::common::MUSL, room.path("p")).unwrap();
    refused(&room, REFUSED, &[], &["not an ELF file"]);
    room.write("p", "#!/usr/bin/env python3\n");
    refused(&room, REFUSED, &[], &["a script for /usr/bin/env python3"]);
    room.run("musl-gcc", &["-static -o p main.c"]);
    let bytes = read(Path::new(&room.path("p")));
    fs::write(room.path("p"), &bytes[..bytes.len() / 3]).unwrap();
    refused(&room, MALFORMED, &[], &["cut short"]);
    for (at, value, word) in [(7, 9, "FreeBSD (OS/ABI 9 in its header)"), (18, 40, "arm")] {
        let mut other = bytes.clone();
        other[at] = value;
        fs::write(room.path("p"), other).unwrap();
        refused(&room, REFUSED, &[], &[word]);
    }
    fs::remove_file(room.path("p")).unwrap();
    refused(&room, IO, &[], &["cannot read it"]);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let room = room();
    for (arguments, word) in [
        (&["--name", "Tool"][..], "lowercase"),
        (&["--user", "me"], "number"),
        (&["--env", "A"], "KEY=VALUE"),
        (&["--expose", "0"], "65535"),
        (&["--workdir", "here"], "from the image's root"),
        (&["--profile", "lean"], "--rewrite"),
        (&["--add", "x:y"], "SOURCE:/PLACE"),
        (&["--env", "A=1", "--env", "A=2"], "twice"),
    ] {
        refused(&room, USAGE, arguments, &[word]);
    }
    let add = format!("{}:/p", room.path("main.c"));
    refused(&room, USAGE, &["--add", &add], &["two things at /p"]);
    let fifo = room.path("fifo");
    ok("mkfifo", &[&fifo]);
    refused(
        &room,
        REFUSED,
        &["--add", &format!("{fifo}:/x")],
        &["neither a file"],
    );
    let program = room.path("p");
    let old = read(Path::new(&program));
    let text = fail(brawn().args(["image", &program, "-o", &program]), USAGE);
    assert!(text.contains("write to another file"), "{text}");
    assert!(read(Path::new(&program)) == old);
    fail(brawn().args(["image", &program]), USAGE);
    let text = fail(
        brawn().args(["image", &program, "-o", &room.path("no/image.tar")]),
        IO,
    );
    assert!(
        text.contains("no/image.tar") || text.contains(".image.tar"),
        "{text}"
    );
}

#[test]
fn a_minus_is_no_file_and_a_folder_that_is_not_there_is_named_so() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -o p main.c"]);
    for command in [
        &["image", "p"][..],
        &["rewrite", "p"],
        &["patch", crate::common::MUSL],
        &["preload"],
    ] {
        let run = |out: &str, code| {
            let mut brawn = brawn();
            let brawn = brawn.current_dir(room.path("")).args(command);
            fail(brawn.args(["-o", out]), code)
        };
        let text = run("-", USAGE);
        assert!(text.contains("`./-` is a file of that name"), "{text}");
        assert!(!Path::new(&room.path("-")).exists());
        let text = run("no/out", IO);
        assert!(text.to_lowercase().contains("no such "), "{text}");
        assert!(!text.contains("must be writable"), "{text}");
    }
}

#[test]
fn an_image_does_not_replace_what_goes_into_it() {
    let room = room();
    room.write("note", "a note\n");
    let note = room.path("note");
    let add = format!("--add={note}:/note");
    for output in [note.clone(), format!("{}/./note", room.path("."))] {
        let arguments = ["image", &room.path("p"), "-o", &output, &add];
        let text = fail(brawn().args(arguments), USAGE);
        assert!(text.contains("would be lost"), "{text}");
        assert_eq!(fs::read_to_string(&note).unwrap(), "a note\n");
    }
}
