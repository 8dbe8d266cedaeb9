//! The functions of libc beside heap and memory functions, from archive and link line into programs.

use crate::build::{Room, musl};
use crate::common::{Folder, brawn, fail, ok, read, succeed};

const CLOCK: &str = "#include <stdio.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n\
     int main(void) {\n\
         struct timespec coarse;\n\
         syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &coarse);\n\
         time_t now = time(0);\n\
         return now < coarse.tv_sec || now > coarse.tv_sec + 60;\n\
     }\n";

/// Says whose `time` the program has, once it has run.
fn has_brawns(program: &str) -> bool {
    ok(program, &[]);
    let symbols = ok("nm", &[program]);
    let notes = |lines: &str| lines.matches("brawn_libc_note").count();
    let has = symbols.lines().any(|line| line.ends_with(" brawn_time"));
    assert_eq!(notes(&symbols), usize::from(has), "{symbols}");
    has
}

#[test]
fn a_patched_archive_has_them_and_restore_takes_them_back() {
    let folder = Folder::musl();
    assert!(folder.patch().contains("others of libc"));
    let room = Room::with(CLOCK);
    let search = format!("-L{}", folder.path().display());
    let build = || {
        let main = room.path("main");
        room.run("musl-gcc", &["-static", &search, "main.c", "-o", &main]);
        has_brawns(&main)
    };
    assert!(build());
    let said = succeed(brawn().args(["verify", &room.path("main")]));
    assert!(said.contains("others of libc"), "{said}");
    assert!(folder.patch().starts_with("unchanged"));
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
    // `syscall`, which the program calls, is of the threads' family.
    let without = ["patch", "--without", "time,math,threads"];
    succeed(brawn().args(without).arg(folder.libc()));
    assert!(!build());
    // What was left out comes later, when it is asked for.
    assert!(folder.patch().starts_with("upgraded"));
    assert!(build());
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn a_link_line_has_what_a_program_calls() {
    let room = Room::with(CLOCK);
    let flags = |more: &[&str]| -> Vec<String> {
        let mut command = brawn();
        command.args(["link-args", "--dir", &room.path("brawn")]);
        let text = succeed(command.args(more));
        text.split_whitespace().map(str::to_owned).collect()
    };
    let build = |linker: &str, flags: Vec<String>| {
        room.run("musl-gcc", &["-c", "main.c", "-o", "main.o"]);
        let main = room.path("main");
        let [start, begin, libc, end] = ["crt1.o", "crti.o", "libc.a", "crtn.o"].map(musl);
        let mut line = vec!["-static", "-o", &main, &start, &begin, "main.o"];
        line.extend(flags.iter().map(String::as_str));
        let libgcc = crate::build::libgcc();
        line.extend([libc.as_str(), &libgcc, &end]);
        room.run(linker, &line);
        has_brawns(&main)
    };
    for linker in ["ld.lld", "ld.bfd"] {
        assert!(build(linker, flags(&[])), "{linker}");
        assert!(build(linker, flags(&["--only", "memory,libc"])), "{linker}");
        assert!(!build(linker, flags(&["--without", "libc"])), "{linker}");
    }
    let said = fail(brawn().args(["link-args", "--only", "libc"]), 2);
    assert!(said.contains("--only memory,libc"), "{said}");
    let said = fail(
        brawn().args(["link-args", "--only", "heap", "--without", "heap"]),
        2,
    );
    assert!(said.contains("leave nothing"), "{said}");
}
