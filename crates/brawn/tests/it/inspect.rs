//! What `inspect` says of real files.

use crate::build::{ARCHIVES, OWN_FAMILY, PROGRAM, Room, inspect, libgcc, musl};
use crate::common::{Folder, MALFORMED, brawn, brawn_path, fail, read, succeed};
use serde_json::Value;

mod compressed;
mod hostile;

fn expect(report: &Value, expected: &[(&str, &str)]) {
    for (key, value) in expected {
        assert_eq!(report[key], *value, "{key} in {report:#}");
    }
}

fn strip(room: &Room, name: &str) {
    room.run("strip", &[name]);
}

#[test]
fn archives_of_both_libcs() {
    let [of_musl, of_glibc] = ARCHIVES.map(inspect);
    expect(
        &of_musl,
        &[
            ("path", ARCHIVES[0]),
            ("format", "archive"),
            ("architecture", "x86_64"),
            ("libc", "musl"),
            ("libc_version", "1.2.3"),
            ("linkage", "archive"),
            ("heap", "musl mallocng"),
            ("memory", "musl"),
            ("verdict", "slow heap"),
            ("sure", "certain"),
        ],
    );
    expect(
        &of_glibc,
        &[
            ("libc", "glibc"),
            ("libc_version", "2.36"),
            ("heap", "glibc"),
            ("memory", "glibc"),
            ("verdict", "not musl"),
        ],
    );
}

#[test]
fn a_program_linked_with_a_patched_archive_has_one_heap() {
    let folder = Folder::musl();
    folder.patch();
    let report = inspect(folder.libc().to_str().unwrap());
    expect(&report, &[("heap", "brawn"), ("verdict", "fine")]);
    let room = Room::with(PROGRAM);
    let library = format!("-L{}", folder.path().display());
    room.run("musl-gcc", &["-static", &library, "main.c", "-o", "main"]);
    room.has_brawns_heap_only("main");
    strip(&room, "main");
    let report = room.inspect("main");
    expect(
        &report,
        &[
            ("format", "elf"),
            ("linkage", "static"),
            ("libc", "musl"),
            ("heap", "brawn"),
            ("memory", "brawn"),
            ("verdict", "fine"),
            ("sure", "certain"),
        ],
    );
    let note = &report["heaps"][0]["note"];
    assert_eq!(note["brawn"], env!("CARGO_PKG_VERSION"));
    assert_eq!(note["profile"], "fast");
    assert!(note["engine"].as_str().unwrap().starts_with("mimalloc "));
    assert_eq!(note["source"].as_str().unwrap().len(), 64);
}

#[test]
fn stock_musl_with_and_without_symbols() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    let slow = [
        ("libc", "musl"),
        ("libc_version", "1.2.1 or later"),
        ("linkage", "static"),
        ("heap", "musl mallocng"),
        ("memory", "musl"),
        ("verdict", "slow heap"),
    ];
    let report = room.inspect("main");
    expect(&report, &slow);
    expect(&report, &[("sure", "certain")]);
    strip(&room, "main");
    let report = room.inspect("main");
    expect(&report, &slow);
    expect(&report, &[("sure", "likely")]);
    assert!(
        report["heaps"][0]["evidence"][0]
            .as_str()
            .unwrap()
            .contains("size classes")
    );
}

#[test]
fn a_program_that_never_frees() {
    let room =
        Room::with("#include <stdlib.h>\nint main(int n, char **v) { return !malloc(n); }\n");
    room.run(
        "musl-gcc",
        &["-static", "-fno-builtin", "main.c", "-o", "main"],
    );
    let report = room.inspect("main");
    expect(
        &report,
        &[("heap", "musl simple malloc"), ("verdict", "fine")],
    );
    strip(&room, "main");
    let report = room.inspect("main");
    expect(
        &report,
        &[
            ("libc", "musl"),
            ("heap", "musl simple malloc"),
            ("sure", "likely"),
            ("verdict", "fine"),
        ],
    );
}

#[test]
fn a_program_that_allocates_nothing() {
    let room = Room::with("int main(void) { return 0; }\n");
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    expect(
        &room.inspect("main"),
        &[
            ("libc", "musl"),
            ("heap", "none"),
            ("memory", "musl"),
            ("verdict", "fine"),
        ],
    );
}

/// musl-gcc's own specs make a dynamic executable of `-static-pie`; the linker does it right.
fn static_pie(room: &Room, first: &[&str]) {
    room.run(
        "musl-gcc",
        &["-fPIE", "-fno-builtin", "-c", "main.c", "-o", "main.o"],
    );
    let [start, begin, libc, end] = ["rcrt1.o", "crti.o", "libc.a", "crtn.o"].map(musl);
    let libgcc = libgcc();
    let mut arguments = vec![
        "-static",
        "-pie",
        "--no-dynamic-linker",
        "-z",
        "text",
        "-o",
        "main",
    ];
    arguments.extend([start.as_str(), &begin]);
    arguments.extend(first);
    arguments.extend(["main.o", &libc, &libgcc, &end]);
    room.run("ld", &arguments);
}

#[test]
fn static_pie_stock_and_with_the_payload() {
    let room = Room::with(PROGRAM);
    static_pie(&room, &[]);
    expect(
        &room.inspect("main"),
        &[
            ("linkage", "static-pie"),
            ("heap", "musl mallocng"),
            ("verdict", "slow heap"),
        ],
    );
    let object = room.link_args("cc");
    static_pie(&room, &[&object]);
    room.has_brawns_heap_only("main");
    strip(&room, "main");
    expect(
        &room.inspect("main"),
        &[
            ("linkage", "static-pie"),
            ("libc", "musl"),
            ("heap", "brawn"),
            ("verdict", "fine"),
        ],
    );
}

#[test]
fn glibc_static_dynamic_and_stripped() {
    let room = Room::with(PROGRAM);
    room.run("gcc", &["-static", "main.c", "-o", "static"]);
    room.run("gcc", &["main.c", "-o", "dynamic"]);
    let common = [
        ("libc", "glibc"),
        ("heap", "glibc"),
        ("verdict", "not musl"),
    ];
    for (name, linkage, memory) in [
        ("static", "static", "glibc"),
        ("dynamic", "dynamic", "shared"),
    ] {
        for _ in 0..2 {
            let report = room.inspect(name);
            expect(&report, &common);
            expect(&report, &[("linkage", linkage), ("memory", memory)]);
            strip(&room, name);
        }
    }
    let report = room.inspect("dynamic");
    expect(&report, &[("interpreter", "/lib64/ld-linux-x86-64.so.2")]);
    assert!(report["libc_version"].as_str().unwrap().starts_with("2."));
}

#[test]
fn dynamic_musl_objects_and_shared_objects() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["main.c", "-o", "main"]);
    expect(
        &room.inspect("main"),
        &[
            ("linkage", "dynamic"),
            ("libc", "musl"),
            ("interpreter", "/lib/ld-musl-x86_64.so.1"),
            ("heap", "musl"),
            ("memory", "shared"),
            ("verdict", "slow heap"),
        ],
    );
    room.run("gcc", &["-c", "main.c", "-o", "main.o"]);
    expect(
        &room.inspect("main.o"),
        &[
            ("linkage", "object"),
            ("heap", "none"),
            ("verdict", "unknown"),
        ],
    );
    room.run("gcc", &["-shared", "-fPIC", "main.c", "-o", "main.so"]);
    expect(
        &room.inspect("main.so"),
        &[
            ("linkage", "shared-object"),
            ("libc", "glibc"),
            ("verdict", "not musl"),
        ],
    );
}

#[test]
fn other_heaps_by_their_symbols() {
    for (symbol, heap) in [
        ("mi_malloc", "mimalloc"),
        ("_rjem_mallctl", "jemalloc"),
        ("rpmalloc", "rpmalloc"),
        ("tc_malloc", "tcmalloc"),
    ] {
        let source =
            format!("void {symbol}(void) {{}}\nint main(void) {{ {symbol}(); return 0; }}\n");
        let room = Room::with(&source);
        room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
        expect(
            &room.inspect("main"),
            &[("heap", heap), ("verdict", "fine")],
        );
        // As with a global allocator of Rust's: C code stays with musl's heap.
        // A function within musl's heap is called `trim`, too.
        let trim = "__attribute__((used, noinline)) static void trim(void *p) { free(p); }";
        let both = format!("{PROGRAM}{trim}\nvoid {symbol}(void) {{}}\n");
        room.write("main.c", &both);
        room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
        let report = room.inspect("main");
        expect(&report, &[("verdict", "mixed")]);
        assert_eq!(report["heap"], format!("{heap} + musl mallocng"));
        let callers = report["heaps"][1]["reached_by"].to_string();
        assert!(
            ["\"main\"", "strdup", "\"trim\""]
                .iter()
                .all(|c| callers.contains(c)),
            "{callers}"
        );
    }
    let room = Room::with(OWN_FAMILY);
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    expect(
        &room.inspect("main"),
        &[("heap", "the program's own"), ("verdict", "fine")],
    );
}

#[test]
fn two_heaps_on_purpose_and_who_reaches_the_second() {
    let room = Room::with(
        "#include <stdlib.h>\nvoid *plugin(void);\n\
         int main(void) { free(malloc(10)); return !plugin(); }\n",
    );
    // A library that brought musl's heap with it, as a partial link that hides its symbols does.
    room.write(
        "plugin.c",
        "#include <stdlib.h>\nvoid *plugin(void) { free(malloc(40)); return malloc(50); }\n",
    );
    room.run("musl-gcc", &["-fno-builtin", "-c", "plugin.c"]);
    room.run("ar", &["x", &musl("libc.a"), "malloc.lo", "lite_malloc.lo"]);
    // The second of two members of this name.
    room.run("ar", &["xN", "2", &musl("libc.a"), "free.lo"]);
    std::fs::rename(room.path("free.lo"), room.path("free2.lo")).unwrap();
    room.run("ar", &["x", &musl("libc.a"), "free.lo"]);
    let objects = [
        "plugin.o",
        "malloc.lo",
        "lite_malloc.lo",
        "free.lo",
        "free2.lo",
    ];
    room.run("ld", &[&["-r", "-o", "hidden.o"][..], &objects].concat());
    room.run("objcopy", &["--keep-global-symbol=plugin", "hidden.o"]);
    let object = room.link_args("cc");
    let arguments = [
        "-static",
        "-fno-builtin",
        &object,
        "main.c",
        "hidden.o",
        "-o",
        "main",
    ];
    room.run("musl-gcc", &arguments);
    room.succeeds("main");
    let report = room.inspect("main");
    expect(
        &report,
        &[("heap", "brawn + musl mallocng"), ("verdict", "mixed")],
    );
    assert_eq!(
        report["heaps"][1]["reached_by"],
        serde_json::json!(["plugin"])
    );
    let text = succeed(brawn().args(["inspect", "-v", &room.path("main")]));
    assert!(text.contains("called by plugin"), "{text}");
    strip(&room, "main");
    let report = room.inspect("main");
    expect(
        &report,
        &[
            ("heap", "brawn + musl mallocng"),
            ("verdict", "mixed"),
            ("sure", "likely"),
        ],
    );
}

#[test]
fn a_second_heap_in_an_archive_is_named_with_its_members() {
    let folder = Folder::small();
    let room = Room::new();
    room.link_args("cc");
    let path = folder.libc();
    room.run("ar", &["rc", path.to_str().unwrap(), "brawn/brawn_heap.o"]);
    let report = inspect(path.to_str().unwrap());
    expect(
        &report,
        &[("heap", "brawn + musl mallocng"), ("verdict", "mixed")],
    );
    let members = report["heaps"][1]["members"].to_string();
    assert!(
        members.contains("malloc.lo") && members.contains("__malloc_context"),
        "{members}"
    );
    assert!(
        !members.contains("fork.lo") && !members.contains("strdup.lo"),
        "{members}"
    );
}

#[test]
fn the_memory_functions_twice() {
    let room = Room::with(PROGRAM);
    let line = room.link_args("cc");
    succeed(brawn().args(["patch", &musl("libc.a"), "-o", &room.path("libc.a")]));
    // The payload on the line of a patched libc.a comes once.
    room.run(
        "musl-gcc",
        &["-static", "main.c", &line, "-L.", "-o", "main"],
    );
    room.has_brawns_heap_only("main");
    // What another link has made local is there besides.
    room.run("ar", &["x", "brawn/libbrawn_memory.a", "brawn_level.o"]);
    room.run(
        "objcopy",
        &["--localize-hidden", "brawn_level.o", "local.o"],
    );
    let input = ["-static", "main.c", "local.o", &line, "-o", "main"];
    room.run("musl-gcc", &input);
    room.run("ar", &["q", "libc.a", "local.o"]);
    for name in ["main", "libc.a"] {
        let report = room.inspect(name);
        expect(&report, &[("verdict", "mixed"), ("heap", "brawn")]);
        let why = report["why"].as_str().unwrap();
        assert_eq!(why, "brawn's memory functions are in it 2 times");
    }
}
