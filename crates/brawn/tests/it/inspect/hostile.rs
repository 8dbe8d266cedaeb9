//! Names, files and packages that are not what they say, and directories.

use super::*;

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let room = Room::with(
        "__asm__(\".section .note.brawn,\\\"a\\\",@note\\n.balign 4\\n\"\n\
         \".long 6, 16, 1\\n.asciz \\\"brawn\\\"\\n.balign 4\\n\"\n\
         \".ascii \\\"engine=x\\\\033[31my\\\\r\\\\n\\\"\\n.balign 4\\n.previous\");\n\
         int main(void) { return 0; }\n",
    );
    room.run("musl-gcc", &["-static", "main.c", "-o", "m\x1b[32m"]);
    let mut command = brawn();
    command.env("CLICOLOR_FORCE", "1");
    let text = succeed(command.args(["inspect", "-v", &room.path("m\x1b[32m")]));
    assert!(text.contains("x\\u{1b}[31my"), "{text:?}");
    assert!(text.contains("/m\\u{1b}[32m\n"), "{text:?}");
}

#[test]
fn brawn_is_not_taken_for_what_it_looks_for() {
    let room = Room::new();
    std::fs::copy(brawn_path(), room.path("brawn")).unwrap();
    strip(&room, "brawn");
    let report = room.inspect("brawn");
    expect(&report, &[("libc", "glibc"), ("heap", "glibc")]);
    let bytes = read(room.path("brawn").as_ref());
    let found = |text: &[u8]| bytes.windows(text.len()).any(|w| w == text);
    assert!(!found(b"<jemalloc>: ") && !found(b"Scudo ERROR: "));
}

#[test]
fn damaged_executables_never_panic() {
    let room = Room::with(PROGRAM);
    let object = room.link_args("cc");
    room.run("musl-gcc", &["-static", &object, "main.c", "-o", "main"]);
    let whole = read(room.path("main").as_ref());
    // A generator of its own, so that a failure can be repeated.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let tables = whole.len() - 4000..whole.len();
    for round in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + next(6) {
            // Headers at the beginning and the tables at the end are what is read most.
            let at = match next(3) {
                0 => next(64 + 56 * 10),
                1 => tables.start + next(tables.len()),
                _ => next(bytes.len()),
            };
            bytes[at] = next(256) as u8;
        }
        if round % 4 == 0 {
            bytes.truncate(next(bytes.len()));
        }
        // Whatever it says, it says it.
        let _ = brawn_core::report::inspect::inspect(&bytes);
    }
}

#[test]
fn folders_are_walked_in_order_and_links_left_alone() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "z"]);
    std::fs::create_dir_all(room.path("sub/deep")).unwrap();
    for copy in ["sub/deep/a", "sub/b", "a"] {
        std::fs::copy(room.path("z"), room.path(copy)).unwrap();
    }
    std::os::unix::fs::symlink("..", room.path("sub/loop")).unwrap();
    std::os::unix::fs::symlink("z", room.path("link")).unwrap();
    room.run("mkfifo", &["pipe"]);
    let output = brawn().args(["inspect", "--json", &room.path("")]).unwrap();
    let reports: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let paths: Vec<&str> = reports
        .iter()
        .map(|r| r["path"].as_str().unwrap())
        .collect();
    let expected = ["a", "sub/b", "sub/deep/a", "z"].map(|name| room.path(name));
    assert_eq!(paths, expected);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("1 file passed over"), "{text}");
}

#[test]
fn packages_that_lie_are_errors() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    room.run("tar", &["czf", "main.tgz", "main", "main.c"]);
    let text = succeed(brawn().args(["inspect", &room.path("main.tgz")]));
    assert!(text.contains("main.tgz!main\n"), "{text}");
    let bytes = read(room.path("main.tgz").as_ref());
    std::fs::write(room.path("cut.tgz"), &bytes[..bytes.len() / 2]).unwrap();
    let error = fail(brawn().args(["inspect", &room.path("cut.tgz")]), MALFORMED);
    assert!(error.contains("truncated or damaged"), "{error}");
    room.write("x.whl", "PK\u{3}\u{4}and nothing else");
    let error = fail(brawn().args(["inspect", &room.path("x.whl")]), MALFORMED);
    assert!(error.contains("zip archive"), "{error}");
}
