//! `brawn preload`: whose functions run is asked of the program itself, on musl's dynamic linker.

mod locale;

use crate::build::{PROGRAM, Room};
use crate::common::{REFUSED, brawn, brawn_path, fail, names, ok, read, run, succeed, tools};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const NOT_RUN: i32 = 126;
const NOT_FOUND: i32 = 127;
const FAILED: i32 = 125;

/// Says whose `malloc` and `memcpy` come first behind the program, and how large the block is that libc's `strdup` of
/// 6 bytes has: musl's heap says 6, brawn's the block's 16.  Then threads, fork, and what its arguments ask for.
const WHO: &str = r#"#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static const char *owner(const char *name) {
    Dl_info info;
    void *function = dlsym(RTLD_NEXT, name);
    if (!function || !dladdr(function, &info)) return "nobody";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}
static void *blocks(void *first) {
    free(first);
    for (int i = 0; i < 2000; i++) free(malloc(i * 5));
    return strdup("of a thread");
}
int main(int argc, char **argv) {
    char *text = strdup("12345");
    printf("%s %s %zu", owner("malloc"), owner("memcpy"), malloc_usable_size(text));
    for (int i = 1; i < argc && strcmp(argv[1], "run"); i++) printf(" <%s>", argv[i]);
    printf(" %s\n", getenv("GIVEN") ? getenv("GIVEN") : "-");
    fflush(stdout);
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) if (pthread_create(&thread[i], 0, blocks, malloc(100))) return 1;
    int status = 1;
    if (fork() == 0) { free(blocks(malloc(1))); _exit(0); }
    if (wait(&status) < 0 || status != 0) return 2;
    for (int i = 0; i < 4; i++) {
        void *left;
        pthread_join(thread[i], &left);
        free(left);
    }
    free(text);
    if (argc > 2 && !strcmp(argv[1], "run")) execv(argv[2], argv + 2);
    return argc > 1 ? atoi(argv[1]) : 0;
}
"#;

/// A directory with programs, and a cache of its own.
fn setting() -> Room {
    let room = Room::with(WHO);
    room.run("musl-gcc", &["-O1 -w -o who main.c"]);
    room
}

/// `brawn preload` with these arguments.
fn preload(room: &Room, arguments: &[&str]) -> Output {
    let mut command = Command::new(brawn_path());
    command.arg("preload").args(arguments);
    command.env("XDG_CACHE_HOME", room.path("cache"));
    command.env("GIVEN", "it").env("LC_ALL", "C");
    command.output().expect("brawn runs")
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", err(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Holds that no program ran.
fn stopped(output: &Output, code: i32, words: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{}", err(output));
    assert!(output.stdout.is_empty());
    for word in words {
        assert!(err(output).contains(word), "{word}: {}", err(output));
    }
}

/// The object for `architecture` and `profile`, written here.
fn object(room: &Room, architecture: &str, profile: &str) -> String {
    let path = room.path(&format!("{architecture}-{profile}/brawn-preload.so"));
    fs::create_dir_all(Path::new(&path).parent().expect("it has one")).expect("made");
    let flags = ["--arch", architecture, "--profile", profile];
    succeed(brawn().args(["preload", "-o", &path]).args(flags));
    path
}

/// What `program` says with `object` preloaded.
fn with(object: &str, program: &[&str]) -> String {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).env("LD_PRELOAD", object);
    out(&command.output().expect("it runs"))
}

const OURS: &str = "brawn-preload.so brawn-preload.so";

#[test]
fn a_program_runs_with_it_and_is_the_programs_own_otherwise() {
    let room = setting();
    let who = room.path("who");
    assert_eq!(
        ok(&who, &[]),
        "ld-musl-x86_64.so.1 ld-musl-x86_64.so.1 6 -\n"
    );
    assert_eq!(
        out(&preload(&room, &["--", &who, "0", "a b", "--help"])),
        format!("{OURS} 16 <0> <a b> <--help> it\n")
    );
    // Profile `secure` knows what was asked for.
    let secure = out(&preload(&room, &["--profile", "secure", "--", &who]));
    assert_eq!(secure, format!("{OURS} 6 it\n"));
    let cached = names(&Path::new(&room.path("cache")).join("brawn"));
    assert_eq!(cached.len(), 2, "{cached:?}");
    let ended = preload(&room, &["--", &who, "9"]);
    assert_eq!(ended.status.code(), Some(9));
    // What it starts inherits it, and static programs have nobody who reads the variable.
    room.run("musl-gcc", &["-static -w -o static main.c"]);
    let twice = out(&preload(&room, &["--", &who, "run", &who]));
    assert_eq!(twice, format!("{OURS} 16 it\n{OURS} 16 it\n"));
    let child = out(&preload(&room, &["--", &who, "run", &room.path("static")]));
    assert_eq!(child, format!("{OURS} 16 it\nnobody nobody 6 it\n"));
}

#[test]
fn what_was_preloaded_already_stays_behind_it() {
    let room = setting();
    room.write("other.c", "int atoi(const char *text) { return 7; }\n");
    room.run("musl-gcc", &["-shared -fPIC -nostdlib -o other.so other.c"]);
    let mut command = Command::new(brawn_path());
    command.args(["preload", "--", &room.path("who"), "0"]);
    command.env("XDG_CACHE_HOME", room.path("cache"));
    // brawn's own dynamic linker takes the variable, too: hence an object that needs no libc.
    command.env("LD_PRELOAD", room.path("other.so"));
    let said = command.output().expect("brawn runs");
    assert_eq!(said.status.code(), Some(7), "{}", err(&said));
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!(text, format!("{OURS} 16 <0> -\n"));
}

#[test]
fn whom_it_is_not_for_is_told_so() {
    let room = setting();
    let who = room.path("who");
    room.run("musl-gcc", &["-static -w -o static main.c"]);
    let path = |name: &str| room.path(name);
    for (program, words) in [
        (path("static"), &["static", "`brawn run`"][..]),
        ("/bin/ls".into(), &["dynamic, linked with glibc", "musl"]),
        (
            room.write("script", "#!/bin/sh\n"),
            &["a script", "name the program"],
        ),
        (room.write("text", "some text"), &["not an ELF file"]),
        (room.write("short", "\x7fELF"), &["64 bits"]),
    ] {
        fs::set_permissions(&program, Permissions::from_mode(0o755)).ok();
        stopped(&preload(&room, &["--", &program]), NOT_RUN, words);
    }
    stopped(
        &preload(&room, &["--", "no-such"]),
        NOT_FOUND,
        &["cannot find it"],
    );
    for (mode, word) in [(0o4755, "setuid"), (0o2755, "setgid")] {
        fs::set_permissions(&who, Permissions::from_mode(mode)).expect("changed");
        let words = [word, "reads no LD_PRELOAD"];
        stopped(&preload(&room, &["--", &who]), NOT_RUN, &words);
    }
    room.run(
        "musl-gcc",
        &["-w -Wl,-dynamic-linker,/nowhere/ld-musl-x86_64.so.1 -o lost main.c"],
    );
    let words = ["no dynamic linker /nowhere/ld-musl-x86_64.so.1"];
    stopped(&preload(&room, &["--", &path("lost")]), NOT_RUN, &words);
    let mut command = Command::new(brawn_path());
    command
        .args(["preload", "--", &who])
        .env("XDG_CACHE_HOME", room.path("a cache"));
    fs::set_permissions(&who, Permissions::from_mode(0o755)).expect("changed");
    let output = command.output().expect("brawn runs");
    stopped(&output, FAILED, &["a space or a colon", "XDG_CACHE_HOME"]);
    // A cache that others may write to.
    let cache = room.path("cache/brawn");
    fs::create_dir_all(&cache).expect("made");
    fs::set_permissions(&cache, Permissions::from_mode(0o777)).expect("changed");
    let words = ["mode 777", "set XDG_CACHE_HOME", "`-o`"];
    stopped(&preload(&room, &["--", &who]), FAILED, &words);
    // `compare` would preload it, too, and reports the same fault.
    let mut command = Command::new(brawn_path());
    command
        .args(["compare", "--runs", "2", &who])
        .env("XDG_CACHE_HOME", "/dev/null/cache");
    let output = command.output().expect("brawn runs");
    let text = err(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("cannot create the cache"), "{text}");
    // One or the other.
    for arguments in [&[][..], &["-o", "x", "--", &who], &["--json", "--", &who]] {
        assert_eq!(preload(&room, arguments).status.code(), Some(2));
    }
}

/// Who asks for profile `trace` wants a record, and would wait for it in vain.
#[test]
fn profile_trace_is_refused_since_it_would_not_record() {
    let room = setting();
    let words = ["profile `trace` is for static programs", "--heap-profile"];
    let run = ["--profile", "trace", "--", &room.path("who")];
    stopped(&preload(&room, &run), NOT_RUN, &words);
    let object = room.path("object.so");
    let write = ["--profile", "trace", "-o", &object];
    stopped(&preload(&room, &write), REFUSED, &words);
    assert!(!Path::new(&object).exists());
}

#[test]
fn the_object_is_written_and_says_what_it_is() {
    let room = setting();
    let path = room.path("brawn-preload.so");
    let text = out(&preload(&room, &["-o", &path]));
    assert!(
        text.contains(&format!("LD_PRELOAD={path} PROGRAM")),
        "{text}"
    );
    assert!(
        text.contains("ENV LD_PRELOAD=/usr/lib/brawn-preload.so"),
        "{text}"
    );
    assert!(with(&path, &[&room.path("who")]).starts_with(OURS));
    expect_object(&room.inspect("brawn-preload.so"), "fast", "x86_64");
    // Another takes its place, nobody else's file does.
    let json = out(&preload(
        &room,
        &[
            "-o",
            &path,
            "--json",
            "--profile",
            "lean",
            "--arch",
            "aarch64",
        ],
    ));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["path"], path);
    assert_eq!(json["size"], read(Path::new(&path)).len());
    assert!(ok("sha256sum", &[&path]).starts_with(json["sha256"].as_str().expect("text")));
    expect_object(&room.inspect("brawn-preload.so"), "lean", "aarch64");
    let who = room.path("who");
    let error = fail(brawn().args(["preload", "-o", &who]), REFUSED);
    assert!(error.contains("a file that brawn did not write"), "{error}");
    let folder = room.path("");
    assert!(fail(brawn().args(["preload", "-o", &folder]), 2).contains("not a regular file"));
}

fn expect_object(report: &Value, profile: &str, architecture: &str) {
    for (key, value) in [
        ("heap", "brawn"),
        ("memory", "brawn"),
        ("linkage", "shared-object"),
        ("verdict", "fine"),
        ("architecture", architecture),
    ] {
        assert_eq!(report[key], value, "{report:#}");
    }
    assert_eq!(report["heaps"][0]["note"]["profile"], profile);
}

#[test]
fn other_commands_name_it_for_dynamic_programs_of_musl() {
    let room = setting();
    let who = room.path("who");
    let why = room.inspect("who")["why"].to_string();
    assert!(
        why.contains("libc.so") && why.contains("`brawn preload`"),
        "{why}"
    );
    for (command, code) in [("rewrite", REFUSED), ("run", NOT_RUN)] {
        let error = fail(brawn().args([command, &who]), code);
        assert!(error.contains("`brawn preload -- PROGRAM`"), "{error}");
    }
    // Of glibc's it would be no help.
    let error = fail(brawn().args(["rewrite", "/bin/ls"]), REFUSED);
    assert!(!error.contains("brawn preload"), "{error}");
}

/// In a program at a fixed address, `malloc`'s address may be a place in the program.
#[test]
fn the_address_of_malloc_does_not_tell_whose_it_is() {
    let room = Room::with(
        "#include <stdio.h>\n#include <stdlib.h>\nvoid *(*volatile taken)(size_t);\n\
         int main(void) {\n    taken = malloc;\n    char *p = aligned_alloc(64, 100), *q = calloc(10, 10);\n\
         if (!p || (unsigned long)p % 64 || !q || q[99] || !taken(5)) return 1;\n    free(p);\n    free(q);\n\
         puts((char *)taken < (char *)0x10000000 ? \"in the program\" : \"elsewhere\");\n    return 0;\n}\n",
    );
    let flags = "-O1 -fno-builtin -fno-pie -c -o main.o main.c";
    room.run("musl-gcc", &[flags]);
    let musl = |name: &str| format!("/usr/lib/x86_64-linux-musl/{name}");
    let (crt1, crti, libc, crtn) = (
        musl("crt1.o"),
        musl("crti.o"),
        musl("libc.so"),
        musl("crtn.o"),
    );
    let flags = "-no-pie -dynamic-linker /lib/ld-musl-x86_64.so.1 -o fixed";
    room.run("ld", &[flags, &crt1, &crti, "main.o", &libc, &crtn]);
    let object = object(&room, "x86_64", "fast");
    assert_eq!(with(&object, &[&room.path("fixed")]), "in the program\n");
}

/// Objects that come and go, constructors that run before anything else, and the object itself opened late.
#[test]
fn libraries_are_opened_and_closed_and_their_constructors_allocate_and_fork() {
    let room = Room::new();
    room.write(
        "plugin.c",
        "#include <stdlib.h>\n#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         static char *kept;\n\
         __attribute__((constructor)) static void come(void) {\n    kept = malloc(1000);\n    memset(kept, 1, 1000);\n\
         int status = 1;\n    if (fork() == 0) { free(malloc(50)); _exit(0); }\n\
         if (wait(&status) < 0 || status) abort();\n}\n\
         __attribute__((destructor)) static void go(void) { free(kept); }\n\
         char *give(void) { return strdup(\"given\"); }\n",
    );
    room.write(
        "main.c",
        "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         int main(int argc, char **argv) {\n    for (int i = 0; i < 20; i++) {\n\
         void *plugin = dlopen(argv[1], RTLD_NOW);\n        if (!plugin) return 1;\n\
         char *(*give)(void) = (char *(*)(void))dlsym(plugin, \"give\"), *text = give();\n\
         if (!dlsym(plugin, \"no_such\")) dlerror();\n        dlclose(plugin);\n\
         puts(text);\n        free(text);\n    }\n\
         if (argc > 2) puts(dlopen(argv[2], RTLD_NOW) ? \"opened\" : \"not opened\");\n    return 0;\n}\n",
    );
    room.run("musl-gcc", &["-shared -fPIC -o plugin.so plugin.c"]);
    room.run("musl-gcc", &["-w -o main main.c"]);
    room.run("musl-gcc", &["-w -o needing main.c ./plugin.so"]);
    let (main, plugin) = (room.path("main"), room.path("plugin.so"));
    let object = object(&room, "x86_64", "secure");
    let given = "given\n".repeat(20);
    assert_eq!(with(&object, &[&main, &plugin]), given);
    let both = format!("{object}:{plugin}");
    assert_eq!(with(&both, &[&main, &plugin]), given);
    assert_eq!(
        with(&format!("{plugin}:{object}"), &[&main, &plugin]),
        given
    );
    // Opened late it would give blocks that nobody frees with it: there is no room for its thread-locals.
    let late = ok(&main, &[&plugin, &object]);
    assert_eq!(late, format!("{given}not opened\n"));
}

/// A program that inherits the variable may be glibc's.
#[test]
fn programs_of_glibc_that_inherit_it_work_with_it() {
    let room = Room::with(WHO);
    room.run("gcc", &["-O1 -w -o who main.c -ldl -pthread"]);
    for profile in ["fast", "secure", "lean"] {
        let object = object(&room, "x86_64", profile);
        assert!(with(&object, &[&room.path("who")]).starts_with(OURS));
        let bound = format!("LD_PRELOAD={object}");
        let code = "import json, threading, subprocess as s\n\
                    t = [threading.Thread(target=lambda: json.loads('[1,2,{}]')) for _ in range(8)]\n\
                    [x.start() for x in t]; [x.join() for x in t]\n\
                    print(s.check_output(['ls', '/'])[:0].decode() + 'done')";
        let said = run("env", &[&bound, "LD_BIND_NOW=1", "python3", "-c", code]);
        assert_eq!(out(&said), "done\n");
    }
}

/// Every shared musl, its dynamic linker called by name, as a program that is given to it.
#[test]
fn every_shared_musl_loads_it() {
    let room = setting();
    let compile = "-O1 -w -nostdinc -mno-outline-atomics -o arm main.c -nostdlib -pie -fPIE";
    let shared = tools().join("musls-shared");
    let static_parts = tools().join("musls/1.2.3-arm64");
    let part = |name: &str| static_parts.join(name).display().to_string();
    let arm = shared.join("1.2.3-arm64/libc.so").display().to_string();
    let include = format!("-isystem {}", part("include"));
    let (start, first, last) = (part("lib/Scrt1.o"), part("lib/crti.o"), part("lib/crtn.o"));
    let linker = "-Wl,-dynamic-linker,/lib/ld-musl-aarch64.so.1";
    let words = [compile, &include, &start, &first, &arm, &last, linker];
    room.run("aarch64-linux-gnu-gcc", &words);
    let mut seen = 0;
    for name in names(&shared) {
        let folder = shared.join(&name);
        let of = |file: &str| folder.join(file).display().to_string();
        let is_arm = name.ends_with("-arm64");
        if !folder.join("libc.so").exists() {
            continue;
        }
        for profile in ["fast", "secure", "lean"] {
            let said = if is_arm {
                let variable = format!("LD_PRELOAD={}", object(&room, "aarch64", profile));
                let linker = of("ld-musl-aarch64.so.1");
                let words = ["-E", &variable, &linker, &room.path("arm")];
                out(&run("qemu-aarch64", &words))
            } else {
                let object = object(&room, "x86_64", profile);
                with(&object, &[&of("ld-musl-x86_64.so.1"), &room.path("who")])
            };
            let block = if profile == "secure" { 6 } else { 16 };
            assert_eq!(said, format!("{OURS} {block} -\n"), "{name} {profile}");
        }
        seen += 1;
    }
    assert_eq!(seen, 7, "run tools/musls-shared.sh");
}

/// A program's own family, of which `strdup` must give blocks; nothing of ours is in its way.
#[test]
fn a_programs_own_family_is_the_one_that_is_used() {
    let room = Room::with(crate::build::OWN_FAMILY);
    room.run("musl-gcc", &["-w -o own main.c"]);
    room.write("main.c", PROGRAM);
    room.run("musl-gcc", &["-w -o plain main.c"]);
    let object = object(&room, "x86_64", "fast");
    for name in ["own", "plain"] {
        with(&object, &[&room.path(name)]);
    }
}
