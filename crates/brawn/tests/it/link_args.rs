//! What the flags of `link-args` make of real link lines.

use crate::build::{OWN_FAMILY, PROGRAM, Room, libgcc, musl, zig};
use crate::common::{REFUSED, brawn, fail, read, succeed};
use brawn_payload::{Architecture, Profile};
use serde_json::Value;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::Path;

mod memory;

#[test]
fn gnu_ld_through_musl_gcc() {
    let room = Room::with(PROGRAM);
    let object = room.link_args("cc");
    room.run("musl-gcc", &["-static", &object, "main.c", "-o", "main"]);
    room.has_brawns_heap_only("main");
}

#[test]
fn a_libc_function_alone_brings_the_payload_in() {
    // Nothing but strdup asks for malloc.
    let room =
        Room::with("#include <string.h>\nint main(int n, char **v) { return !strdup(v[0]); }\n");
    let object = room.link_args("cc");
    room.run("musl-gcc", &["-static", &object, "main.c", "-o", "main"]);
    room.has_brawns_heap_only("main");
}

#[test]
fn sections_that_nobody_needs_may_be_dropped() {
    let room = Room::with(PROGRAM);
    let object = room.link_args("cc");
    let arguments = [
        "-static",
        "-Wl,--gc-sections",
        &object,
        "main.c",
        "-o",
        "main",
    ];
    room.run("musl-gcc", &arguments);
    room.has_brawns_heap_only("main");
}

fn link_with(room: &Room, linker: &str, first: &[&str]) {
    room.run(
        "musl-gcc",
        &["-fno-builtin", "-c", "main.c", "-o", "main.o"],
    );
    let [start, begin, libc, end] = ["crt1.o", "crti.o", "libc.a", "crtn.o"].map(musl);
    let libgcc = libgcc();
    let mut arguments = vec!["-static", "-o", "main", &start, &begin];
    arguments.extend(first);
    arguments.extend(["main.o", &libc, &libgcc, &end]);
    room.run(linker, &arguments);
}

#[test]
fn ld_lld_and_gnu_ld_by_themselves() {
    for linker in ["ld.lld", "ld.bfd"] {
        let room = Room::with(PROGRAM);
        let object = room.link_args("cc");
        link_with(&room, linker, &[&object]);
        room.has_brawns_heap_only("main");
    }
}

#[test]
fn the_archive_form_that_rustc_uses_with_both_linkers() {
    for linker in ["ld.lld", "ld.bfd"] {
        let room = Room::with(PROGRAM);
        room.link_args("rustc");
        let folder = format!("-L{}", room.path("brawn"));
        let pull = "-u__libc_malloc -umemcpy -umemset -ustrlen";
        link_with(
            &room,
            linker,
            &[pull, &folder, "-lbrawn_heap", "-lbrawn_memory"],
        );
        room.has_brawns_heap_only("main");
    }
}

#[test]
fn zig_cc_with_its_own_linker_and_libc() {
    let room = Room::with(PROGRAM);
    let object = room.link_args("cc");
    let arguments = ["cc", "-target", "x86_64-linux-musl", "-fno-builtin", "-O1"];
    let input = [object.as_str(), "main.c", "-o", "main"];
    room.run(&zig(), &[&arguments[..], &input].concat());
    room.has_brawns_heap_only("main");
    room.write("main.c", OWN_FAMILY);
    room.run(&zig(), &[&arguments[..], &input].concat());
    room.succeeds("main");
}

#[test]
fn a_program_with_its_own_family_links_and_uses_it() {
    let room = Room::with(OWN_FAMILY);
    let object = room.link_args("cc");
    room.run("musl-gcc", &["-static", &object, "main.c", "-o", "main"]);
    room.succeeds("main");
    for linker in ["ld.lld", "ld.bfd"] {
        link_with(&room, linker, &[&object]);
        room.succeeds("main");
        let report = room.inspect("main");
        assert_eq!(report["verdict"], "fine", "{report:#}");
        assert_eq!(report["heap"], "the program's own + brawn");
    }
}

/// The crates of a small program: what `libc` is to Rust's standard library, one that allocates,
/// and the program.
const CRATES: [(&str, &str); 3] = [
    (
        "bindings",
        "#![no_std]
#[link(name = \"c\", kind = \"static\", modifiers = \"-bundle\")]
unsafe extern \"C\" {
    pub fn malloc(n: usize) -> *mut u8;
    pub fn free(p: *mut u8);
    pub fn strdup(s: *const u8) -> *mut u8;
    pub fn setenv(name: *const u8, value: *const u8, over: i32) -> i32;
}
",
    ),
    (
        "middle",
        "#![no_std]
pub extern crate bindings;
pub fn allocates() -> bool {
    unsafe {
        let p = bindings::malloc(100);
        bindings::free(p);
        !p.is_null()
    }
}
",
    ),
    (
        "main",
        "#![no_std]
#![no_main]
extern crate middle;
use middle::bindings::{free, setenv, strdup};
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
#[unsafe(no_mangle)]
pub extern \"C\" fn main() -> i32 {
    unsafe {
        let s = strdup(c\"x\".as_ptr().cast());
        let failed = setenv(c\"A\".as_ptr().cast(), s, 1);
        free(s);
        if middle::allocates() { failed } else { 1 }
    }
}
",
    ),
];

#[test]
fn rustc_in_its_own_order_for_one_crate_and_for_all() {
    let room = Room::new();
    let flags = room.link_args("rustc");
    let flags: Vec<&str> = flags.split(' ').collect();
    for (name, source) in CRATES {
        room.write(&format!("{name}.rs"), source);
    }
    // What the toolchain for musl brings by itself.
    let library = format!(
        "native={}",
        Path::new(&musl("libc.a")).parent().unwrap().display()
    );
    let common = [
        "--edition=2024",
        "-Cpanic=abort",
        "-O",
        "-L.",
        "-L",
        &library,
    ];
    let rlib = |name: &str, flags: &[&str]| {
        let file = format!("{name}.rs");
        let arguments = [&common[..], &["--crate-type=rlib", &file], flags].concat();
        room.run("rustc", &arguments);
    };
    let start = format!("-Clink-args={}", musl("crt1.o"));
    let linkers: [&[&str]; 2] = [
        &["-Clinker=musl-gcc"],
        &["-Clinker=ld.lld", "-Clinker-flavor=ld.lld", &start],
    ];
    // Flags for the program alone, as with `cargo rustc`, and for every crate, as with RUSTFLAGS.
    for for_all in [&[][..], &flags] {
        rlib("bindings", for_all);
        rlib("middle", for_all);
        for linker in linkers {
            let base = [
                "-Crelocation-model=static",
                "-Ctarget-feature=+crt-static",
                "main.rs",
            ];
            room.run("rustc", &[&common[..], &base, linker, &flags].concat());
            room.has_brawns_heap_only("main");
        }
    }
}

#[test]
fn cmake_for_one_target_and_for_a_whole_project() {
    let room = Room::with(PROGRAM);
    let include = room.link_args("cmake");
    let head = "cmake_minimum_required(VERSION 3.13)\nproject(app C)\n";
    let target = "add_library(part STATIC part.c)\n\
                  add_executable(app main.c)\ntarget_link_libraries(app PRIVATE part c)\n";
    room.write("part.c", "int part(void) { return 0; }\n");
    let build = |list: &str, flags: &[&str]| {
        let _ = std::fs::remove_dir_all(room.path("build"));
        room.write("CMakeLists.txt", list);
        let base = [
            "-S",
            ".",
            "-B",
            "build",
            "-DCMAKE_C_COMPILER=musl-gcc",
            "-DCMAKE_EXE_LINKER_FLAGS=-static",
        ];
        room.run("cmake", &[&base[..], flags].concat());
        room.run("cmake", &["--build", "build"]);
    };
    let link = "target_link_libraries(app PRIVATE brawn::heap)\n";
    build(&format!("{head}{include}\n{target}{link}"), &[]);
    room.has_brawns_heap_only("build/app");
    let json: Value = serde_json::from_str(&room.link_args("json")).unwrap();
    let flags: Vec<&str> = json["flags"]["cmake"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f.as_str().unwrap())
        .collect();
    build(&format!("{head}{target}"), &flags);
    room.has_brawns_heap_only("build/app");
}

#[test]
fn pkg_config_reads_its_file() {
    let room = Room::with(PROGRAM);
    let text = room.link_args("pkg-config");
    assert_eq!(
        read(room.path("brawn/brawn.pc").as_ref()).trim_ascii(),
        text.as_bytes()
    );
    let path = format!("--with-path={}", room.path("brawn"));
    let libs = room.run("pkg-config", &[&path, "--libs", "brawn"]);
    room.run(
        "musl-gcc",
        &["-static", "main.c", libs.trim(), "-o", "main"],
    );
    room.has_brawns_heap_only("main");
}

#[test]
fn json_and_swift() {
    let room = Room::new();
    let json: Value = serde_json::from_str(&room.link_args("json")).unwrap();
    assert_eq!(json["directory"], room.path("brawn"));
    let object = json["objects"][0].as_str().unwrap();
    assert!(Path::new(object).exists());
    for key in ["archive", "cmake", "pkg_config"] {
        assert!(Path::new(json[key].as_str().unwrap()).exists(), "{key}");
    }
    assert_eq!(json["flags"]["cc"][0], object);
    let memory = json["memory_archive"].as_str().unwrap();
    assert!(Path::new(memory).exists());
    assert_eq!(
        json["flags"]["cc"].as_array().unwrap().last().unwrap(),
        memory
    );
    let libc = json["libc_archive"].as_str().unwrap();
    assert!(Path::new(libc).exists());
    let supplied = json["supplied_archive"].as_str().unwrap();
    assert!(Path::new(supplied).exists());
    assert_eq!(
        room.link_args("swift"),
        format!(".unsafeFlags([\"{object}\", \"{libc}\", \"{memory}\", \"{supplied}\"])")
    );
}

#[test]
fn the_cache_is_the_users_own_and_checked_every_time() {
    let room = Room::new();
    let run = || {
        let mut command = brawn();
        command.env("XDG_CACHE_HOME", room.path("cache"));
        command.arg("link-args");
        command
    };
    let first = |line: String| line.split(' ').next().unwrap().to_string();
    let object = first(succeed(&mut run()));
    assert!(object.starts_with(&room.path("cache/brawn/")), "{object}");
    let folder = Path::new(&object).parent().unwrap();
    let version = format!("{}-", env!("CARGO_PKG_VERSION"));
    assert!(
        folder
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(&version)
    );
    let before = std::fs::metadata(folder).unwrap();
    assert_eq!(before.mode() & 0o777, 0o700);
    // The second time nothing is written.
    let written = std::fs::metadata(&object).unwrap().ino();
    assert_eq!(first(succeed(&mut run())), object);
    assert_eq!(std::fs::metadata(&object).unwrap().ino(), written);
    // Damage is put right.
    let whole = read(object.as_ref());
    std::fs::write(&object, &whole[..100]).unwrap();
    succeed(&mut run());
    assert!(read(object.as_ref()) == whole);
    // Where others may write, nothing is trusted.
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
    let error = fail(&mut run(), REFUSED);
    assert!(
        error.contains("mode 777") && error.contains("--dir"),
        "{error}"
    );
}

#[test]
fn pkg_config_gives_one_word_for_each_file_also_in_a_folder_with_a_space() {
    let room = Room::with(PROGRAM);
    let dir = room.path("a b");
    for more in [
        &[][..],
        &["--only", "heap"],
        &["--only", "memory"],
        &["--profile", "secure"],
    ] {
        succeed(brawn().args(["link-args", "--dir", &dir]).args(more));
        let output = std::process::Command::new("pkg-config")
            .args(["--libs", "brawn"])
            .env("PKG_CONFIG_PATH", &dir)
            .output()
            .unwrap();
        let libs = String::from_utf8(output.stdout).unwrap();
        let words = shell_words::split(&libs).unwrap();
        let files: Vec<_> = words.iter().filter(|word| !word.starts_with('-')).collect();
        assert!(!files.is_empty());
        for file in files {
            assert!(std::path::Path::new(file).is_file(), "{file}: {libs}");
        }
        let folder = room.path("");
        let script = format!(
            "cd {folder} && musl-gcc -static -o main main.c {} && ./main",
            libs.trim()
        );
        crate::common::ok("sh", &["-c", &script]);
    }
}

#[test]
fn a_folder_with_a_space_and_a_file_that_is_not_brawns() {
    let room = Room::new();
    let dir = room.path("a b");
    let text = succeed(brawn().args(["link-args", "--dir", &dir]));
    let (object, archive) = (
        format!("'{dir}/brawn_heap.o' -u"),
        format!(" '{dir}/libbrawn_memory.a'"),
    );
    assert!(
        text.starts_with(&object) && text.trim_end().ends_with(&archive),
        "{text}"
    );
    room.write("a b/brawn_heap.o", "mine");
    let error = fail(brawn().args(["link-args", "--dir", &dir]), REFUSED);
    assert!(error.contains("did not write"), "{error}");
    assert_eq!(read(room.path("a b/brawn_heap.o").as_ref()), b"mine");
}

#[test]
fn zig_cc_for_aarch64() {
    let room = Room::with(PROGRAM);
    let dir = room.path("brawn");
    let object = succeed(brawn().args(["link-args", "--arch", "aarch64", "--dir", &dir]));
    let flags = ["cc", "-target", "aarch64-linux-musl", "-fno-builtin", "-O1"];
    let input = [object.trim_end(), "main.c", "-o", "main"];
    room.run(&zig(), &[&flags[..], &input].concat());
    for page in ["4096", "65536"] {
        room.run("qemu-aarch64", &["-p", page, "./main"]);
    }
    let report = room.inspect("main");
    let found = ["architecture", "libc", "heap", "verdict"].map(|key| &report[key]);
    assert_eq!(found, ["aarch64", "musl", "brawn", "fine"], "{report:#}");
}

#[test]
fn threads_that_no_destructor_serves_leave_nothing_behind() {
    // As conformance has it for a patched libc.a.  The link line leaves musl's own end of a thread as it is, and the heap is
    // bounded all the same: the next thread at the place of one that has ended takes its heap.
    let programs = crate::common::root().join("conformance/programs");
    let source = programs.join("threads_end_late.c");
    let include = format!("-I{}", programs.display());
    let room = Room::with("");
    let object = room.link_args("cc");
    let source = source.to_str().expect("UTF-8");
    let arguments = ["-static", "-O1", &include, &object, source, "-o", "main"];
    room.run("musl-gcc", &arguments);
    for case in ["every_round", "first_late", "all_keys", "detached"] {
        let mut command = std::process::Command::new(room.path("main"));
        let output = command.arg(case).env("CONFORMANCE_SHARE", "4").output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{case}: {output:?}");
    }
}
