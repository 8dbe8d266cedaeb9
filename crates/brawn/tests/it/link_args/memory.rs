//! The memory functions alone, and a program that brings its own.

use super::*;

/// Uses a few memory functions, and libc others.
const MEMORY: &str = "#include <stdio.h>
#include <string.h>
static _Thread_local char image[300] = \"thread-local\";
int main(int argc, char **argv) {
    char text[400];
    snprintf(text, sizeof text, \"%s %d\", image, argc);
    return strcmp(strrchr(text, ' '), \" 1\") || !argv[0] || strnlen(image, 300) != 12;
}
";

#[test]
fn one_part_alone_and_only_what_a_program_uses() {
    let room = Room::with(MEMORY);
    let dir = room.path("only");
    let only = |part: &str| {
        let _ = std::fs::remove_dir_all(&dir);
        let text = succeed(brawn().args(["link-args", "--only", part, "--dir", &dir]));
        text.trim_end().to_string()
    };
    let heap = only("heap");
    assert!(
        heap.ends_with("/brawn_heap.o") && !heap.contains(' '),
        "{heap}"
    );
    room.run("musl-gcc", &["-static", "main.c", &heap, "-o", "main"]);
    room.succeeds("main");
    assert_eq!(room.inspect("main")["memory"], "musl");
    let memory = only("memory");
    assert!(
        memory.ends_with("/libbrawn_memory.a") && !memory.contains("heap"),
        "{memory}"
    );
    for more in [
        "-fno-builtin",
        "-fstack-protector-all",
        "-flto",
        "-Wl,--gc-sections",
    ] {
        let line = ["-static", "-O1", more, "main.c", &memory, "-o", "main"];
        room.run("musl-gcc", &line);
        room.succeeds("main");
        let symbols = crate::common::ok("nm", &[&room.path("main")]);
        // Asked for by the program, by libc alone, and by nobody.
        for name in ["strrchr", "memcpy", "memset", "memchr"] {
            room.has_brawns(&symbols, name);
        }
        assert!(symbols.contains(" brawn_memory_level"), "{symbols}");
        assert!(!symbols.contains(" brawn_strstr"), "{symbols}");
        assert_eq!(room.inspect("main")["memory_note"]["component"], "memory");
        room.run("strip", &["main"]);
        assert_eq!(room.inspect("main")["memory"], "brawn");
    }
}

#[test]
fn a_program_with_its_own_memcpy_links_and_uses_it() {
    let room = Room::with(
        "#include <string.h>\nstatic int calls;\n\
         void *memcpy(void *restrict to, const void *restrict from, size_t n) {\n\
             volatile char *d = to; const char *s = from; calls++;\n\
             while (n--) *d++ = *s++;\n\
             return to; }\n\
         int main(void) { char a[9], *volatile p = a; memcpy(p, \"12345678\", 9); \
         return strlen(strcat(strcpy(p, \"a\"), \"b\")) != 2 || !calls; }\n",
    );
    let line = room.link_args("cc");
    for inputs in [[line.as_str(), "main.c"], ["main.c", &line]] {
        let flags = ["-static", "-fno-builtin", "-o", "main"];
        room.run("musl-gcc", &[&flags[..], &inputs].concat());
        room.succeeds("main");
        assert_eq!(room.inspect("main")["memory"], "mixed");
    }
    for linker in ["ld.lld", "ld.bfd"] {
        link_with(&room, linker, &[&line]);
        room.succeeds("main");
    }
}

/// Before the payload: libc calls `strchr` in `fopen`.
const BEFORE: &str = "#include <stdio.h>
int behind(const char *, char *);
int main(int n, char **v) {
    char text[64];
    return !fopen(\"/dev/null\", v[0] ? \"r\" : \"w\") || behind(\"a b\", text);
}
";

/// Behind it: the only one to call these.
const BEHIND: &str = "#include <string.h>
int behind(const char *s, char *to) {
    strcpy(to, s);
    return strstr(to, \"b\") != to + 2 || strrchr(s, ' ') != s + 1;
}
";

/// Runs the program, and holds that every memory function in it is brawn's, and that none is there
/// for nothing.
fn has_brawns_functions_only(room: &Room) {
    room.succeeds("main");
    let symbols = crate::common::ok("nm", &[&room.path("main")]);
    let place = |name: &str| {
        let line = symbols
            .lines()
            .find(|l| l.split(' ').nth(2) == Some(name))?;
        line.split(' ').next()
    };
    let payload = brawn_payload::payload(Architecture::X86_64, Profile::Fast).unwrap();
    let mut seen = Vec::new();
    for function in payload.memory.unwrap().functions {
        let own: Vec<_> = function.own.iter().filter_map(|name| place(name)).collect();
        for name in function.surface {
            if let Some(found) = place(name) {
                assert!(own.contains(&found), "{name} is not brawn's\n{symbols}");
                seen.push(*name);
            }
        }
    }
    for used in ["memcpy", "strchr", "strcpy", "strrchr", "strstr"] {
        assert!(seen.contains(&used), "{used} is not among {seen:?}");
    }
    for unused in ["brawn_strncat", "brawn_memrchr", "brawn_stpncpy"] {
        assert_eq!(place(unused), None, "{symbols}");
    }
}

#[test]
fn whoever_asks_wherever_they_stand_with_lld_and_zig() {
    let room = Room::with(BEFORE);
    room.write("behind.c", BEHIND);
    let line = room.link_args("cc");
    room.run(
        "musl-gcc",
        &["-fno-builtin", "-c", "behind.c", "-o", "behind.o"],
    );
    link_with(&room, "ld.lld", &[&line, "behind.o"]);
    has_brawns_functions_only(&room);
    let zig_cc = ["cc", "-target", "x86_64-linux-musl", "-fno-builtin", "-O1"];
    let input = ["main.c", &line, "behind.c", "-o", "main"];
    room.run(&zig(), &[&zig_cc[..], &input].concat());
    has_brawns_functions_only(&room);
}

#[test]
fn whoever_asks_wherever_they_stand_with_gnu_ld_and_a_patched_copy() {
    let room = Room::with(BEFORE);
    room.write("behind.c", BEHIND);
    room.write("copy/README", "");
    let copy = room.path("copy/libc.a");
    succeed(brawn().args(["patch", &musl("libc.a"), "-o", &copy]));
    let folder = format!("-L{}", room.path("copy"));
    for line in [
        ["main.c", "behind.c", &folder],
        [&folder, "main.c", "behind.c"],
    ] {
        let flags = ["-static", "-fno-builtin", "-o", "main"];
        room.run("musl-gcc", &[&flags[..], &line].concat());
        has_brawns_functions_only(&room);
        room.has_brawns_heap_only("main");
    }
}
