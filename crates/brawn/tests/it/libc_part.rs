//! The functions of libc beside heap and memory functions, from archive and link line into programs.

use crate::build::{Room, musl};
use crate::common::{Folder, REFUSED, brawn, fail, ok, read, succeed};
use std::fs;

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
    // What was left out comes when it is asked for, and not before.
    let again = folder.patch();
    assert!(
        again.starts_with("unchanged") && again.contains("keeps the parts"),
        "{again}"
    );
    assert!(!build());
    let all = ["patch", "--only", "heap,memory,libc"];
    assert!(succeed(brawn().args(all).arg(folder.libc())).starts_with("upgraded"));
    assert!(build());
    assert!(folder.patch().starts_with("unchanged"));
    folder.restore();
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn a_choice_holds_for_what_is_patched_already() {
    let folder = Folder::musl();
    let libc = folder.libc();
    let has = |name: &str| {
        let list = ok("ar", &["t", libc.to_str().unwrap()]);
        list.lines().any(|member| member == name)
    };
    let patch = |options: &[&str]| succeed(brawn().arg("patch").args(options).arg(&libc));
    patch(&[]);
    assert!(has("brawn_sin.o") && has("brawn_floor.o") && has("brawn_qsort.o"));
    assert!(patch(&["--math", "exact"]).starts_with("upgraded"));
    let exact = || !has("brawn_sin.o") && has("brawn_floor.o");
    assert!(exact());
    assert!(patch(&[]).starts_with("unchanged") && exact());
    assert!(patch(&["--profile", "lean"]).starts_with("upgraded") && exact());
    patch(&["--without", "sort"]);
    assert!(has("brawn_sin.o") && !has("brawn_qsort.o"));
    assert!(patch(&[]).starts_with("unchanged"));
    patch(&["--sort", "musl"]);
    assert!(has("brawn_sin.o") && has("brawn_qsort.o"));

    // Beside a copy there is no original.
    let room = Room::with("");
    let copy = room.path("copy.a");
    fs::copy(&libc, &copy).unwrap();
    for options in [
        ["--math", "exact"],
        ["--without", "sort"],
        ["--sort", "stable"],
    ] {
        let text = fail(brawn().arg("patch").args(options).arg(&copy), REFUSED);
        assert!(text.contains("the original libc.a"), "{text}");
    }
    assert!(fs::read(&copy).unwrap() == read(&libc));
    let text = succeed(brawn().args(["patch", "--without", "libc", &copy]));
    assert!(
        text.contains("other functions of libc are in it from before"),
        "{text}"
    );
}

/// Each page that a program touches as it begins costs a fault.  So buffers and tables that a small program does not use lie
/// behind all other zeros, and what every call of a memory function reads lies among the data.
#[test]
fn what_a_small_program_does_not_touch_lies_behind_the_rest() {
    let folder = Folder::musl();
    folder.patch();
    let room = Room::with(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         int main(int argc, char **argv) { return puts(strdup(argv[argc - 1])) < 0; }\n",
    );
    let search = format!("-L{}", folder.path().display());
    let main = room.path("main");
    let line = ["-static", "-fno-builtin", &search, "main.c", "-o", &main];
    room.run("musl-gcc", &line);
    ok(&main, &[]);
    let symbols = ok("nm", &["-n", &main]);
    let zeros = symbols
        .lines()
        .filter(|l| matches!(l.split(' ').nth(1), Some("b" | "B")));
    let zeros: Vec<&str> = zeros.filter_map(|l| l.split(' ').nth(2)).collect();
    let is_late = |name: &&str| {
        [
            "brawn_inboxes",
            "brawn_kept_large",
            "brawn_kept_threads",
            "brawn_main_parcels",
            "brawn_own_large",
            "brawn_passed",
            "brawn_slack_slots",
            "brawn_threads",
        ]
        .contains(name)
    };
    let first = zeros.iter().position(is_late).unwrap();
    let (before, late) = zeros.split_at(first);
    let late: Vec<_> = late.iter().filter(|name| **name != "_end").collect();
    assert_eq!(late.len(), 8, "{late:?}");
    assert!(late.iter().all(|name| is_late(name)), "{late:?}");
    assert!(before.contains(&"__environ"), "{before:?}");
    assert!(
        symbols.contains(" D brawn_memory_level") || symbols.contains(" d brawn_memory_level"),
        "{symbols}"
    );
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
    for options in [
        ["--sort", "stable", "--without", "sort"],
        ["--sort", "stable", "--only", "heap"],
        ["--buffers", "large", "--without", "libc"],
        ["--math", "exact", "--without", "math"],
    ] {
        let said = fail(brawn().arg("link-args").args(options), 2);
        assert!(said.contains("leave its functions out"), "{said}");
    }
}

/// A plain `rewrite` keeps to the parts that a program has, so what `inspect` advises says how to get the others.
#[test]
fn what_inspect_advises_brings_the_parts_that_are_missing() {
    let source = "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n";
    let room = Room::with(source);
    let path = room.path("p");
    room.run(
        "musl-gcc",
        &["-fno-builtin", "-static", "-o", "p", "main.c"],
    );
    succeed(brawn().args(["rewrite", "--only", "memory", &path]));
    let said = succeed(brawn().args(["inspect", &path]));
    let hint = format!("`brawn rewrite {path}` with `--only heap,memory,libc`");
    assert!(said.contains(&hint), "{said}");
    succeed(brawn().args(["rewrite", &path, "--only", "heap,memory,libc"]));
    assert!(succeed(brawn().args(["inspect", &path])).contains("fine"));
}

/// Sorts records by the first of two fields, and prints them.
const RECORDS: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
     static int by_key(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n\
     int main(void) {\n\
         struct { int key, number; } all[20];\n\
         for (int i = 0; i < 20; i++) all[i].key = i % 3, all[i].number = i;\n\
         qsort(all, 20, sizeof *all, by_key);\n\
         for (int i = 0; i < 20; i++) printf(\"%d \", all[i].number);\n\
         return 0;\n\
     }\n";

#[test]
fn equal_elements_stand_as_musl_has_them_or_as_they_came() {
    let room = Room::with(RECORDS);
    let (main, out) = (room.path("main"), room.path("out"));
    room.run("musl-gcc", &["-static", "main.c", "-o", &main]);
    let musls = ok(&main, &[]);
    let came = "0 3 6 9 12 15 18 1 4 7 10 13 16 19 2 5 8 11 14 17 ";
    assert_ne!(musls, came);
    let folder = Folder::musl();
    let search = format!("-L{}", folder.path().display());
    for (flags, expected) in [(&[][..], musls.as_str()), (&["--sort", "stable"], came)] {
        let line = ["rewrite", &main, "-o", &out];
        succeed(brawn().args(line).args(flags));
        assert_eq!(ok(&out, &[]), expected, "rewrite {flags:?}");
        let verified = succeed(brawn().args(["verify", "--json", &out]));
        assert_eq!(verified.matches("\"qsort\"").count(), 1, "{verified}");
        assert_eq!(
            succeed(brawn().arg("run").args(flags).arg(&main)),
            expected,
            "run {flags:?}"
        );
        succeed(brawn().arg("patch").args(flags).arg(folder.libc()));
        room.run("musl-gcc", &["-static", &search, "main.c", "-o", &out]);
        assert_eq!(ok(&out, &[]), expected, "patch {flags:?}");
        folder.restore();
        let mut command = brawn();
        command.args(["link-args", "--dir", &room.path("brawn")]);
        let given = succeed(command.args(flags));
        let [start, begin, libc, end] = ["crt1.o", "crti.o", "libc.a", "crtn.o"].map(musl);
        room.run("musl-gcc", &["-c", "main.c", "-o", "main.o"]);
        let mut line = vec!["-static", "-o", &out, &start, &begin, "main.o"];
        line.extend(given.split_whitespace());
        let libgcc = crate::build::libgcc();
        line.extend([libc.as_str(), &libgcc, &end]);
        room.run("ld.bfd", &line);
        assert_eq!(ok(&out, &[]), expected, "link-args {flags:?}");
    }
}

/// Writes to two streams that share a file, in pieces of all kinds, and starts a program that goes on with its input.
const MIXES: &str = r#"#include <stdio.h>
#include <stdlib.h>
static const char words[] = "some words of which the first ones are taken, more of them or fewer";
int main(void) {
    unsigned x = 1;
    for (int i = 0; i < 20000; i++) {
        x = x * 1103515245 + 12345;
        const int n = x >> 16 & 63;
        switch (x >> 24 & 15) {
        case 0: printf("%d is a number, and %s are words\n", i, words + n); break;
        case 1: printf("%5d|%-9u|%+d|%05d|%#x|%08.3d", n, i, n - 20, 0, i, n); break;
        case 2: printf("%.*s%*s|%-30.5s", n, words, n, "right", words); break;
        case 3: printf("%c%c%%%%%%%c at the end of a text of many characters %%", 'a', 'b', 'c'); break;
        case 4: puts(words + n); break;
        case 5: fputs(words + n, stdout); break;
        case 6: fwrite(words, 1, n, stdout); break;
        case 7: printf("%300d%-300dthe end", i, i); break;
        case 8: printf("%ld %lld %hhd %o %p", (long)i << 33, -1LL - i, i, i, (void *)words); break;
        case 9: if (n == 1) fflush(stdout); break;
        case 10: if (n % 8 == 1) fprintf(stderr, "<%d of %s>", i, words + n); break;
        default: putchar("0123456789"[n % 10]);
        }
    }
    char line[80];
    if (fgets(line, sizeof line, stdin)) printf("first: %s", line);
    fflush(stdout);
    return system("head -n 1");
}
"#;

/// The two streams go to one file, where others can see how large their buffers are; so can whoever shares the input.
#[test]
fn streams_that_are_shared_are_mixed_as_with_musl() {
    let room = Room::with(MIXES);
    let (main, out) = (room.path("main"), room.path("out"));
    room.run("musl-gcc", &["-static", "main.c", "-o", &main]);
    let lines: String = (0..2000).map(|n| format!("line {n}\n")).collect();
    let input = room.write("input", &lines);
    let printed = |program: &str| ok("sh", &["-c", "\"$0\" < \"$1\" 2>&1", program, &input]);
    let expected = printed(&main);
    for (flags, is_same) in [(&[][..], true), (&["--buffers", "large"], false)] {
        succeed(brawn().args(["rewrite", &main, "-o", &out]).args(flags));
        assert_eq!(printed(&out) == expected, is_same, "{flags:?}");
    }
}
