//! What patching does to archives, and what it refuses.

use crate::common::{
    Folder, GLIBC, IO, MALFORMED, REFUSED, brawn, brawn_path, fail, names, ok, read, succeed, tools,
};
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn patch_twice_restore_and_every_other_member_is_untouched() {
    let folder = Folder::musl();
    assert!(folder.patch().starts_with("patched"));
    let new = read(&folder.libc());
    assert!(new != folder.old());
    assert!(folder.patch().starts_with("unchanged"));
    assert!(read(&folder.libc()) == new);

    let path = folder.libc();
    let listing = |path: &Path| ok("ar", &["tv", path.to_str().unwrap()]);
    let kept = listing(&folder.kept());
    let patched = listing(&path);
    let before: Vec<&str> = kept.lines().collect();
    let after: Vec<&str> = patched.lines().collect();
    let stayed: HashSet<&str> = after.iter().copied().collect();
    let rest: Vec<&str> = before
        .iter()
        .copied()
        .filter(|l| stayed.contains(l))
        .collect();
    assert_eq!(
        rest[..],
        after[..rest.len()],
        "order, owner, mode, size and date"
    );
    assert!(after[rest.len()..].iter().all(|l| l.contains("brawn")));

    folder.restore();
    assert!(read(&path) == folder.old());
    assert_eq!(folder.names(), ["libc.a"]);
}

#[test]
fn ten_times_is_once() {
    let folder = Folder::small();
    folder.patch();
    let once = read(&folder.libc());
    for _ in 0..9 {
        folder.patch();
    }
    assert!(read(&folder.libc()) == once);
}

#[test]
fn a_program_links_with_one_heap_and_runs() {
    let folder = Folder::musl();
    folder.patch();
    let source = folder.path().join("main.c");
    let program = folder.path().join("main");
    std::fs::write(
        &source,
        "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
         int main(void) {\n\
             char *s = strdup(\"x\");\n\
             if (!s || setenv(\"A\", s, 1) || strcmp(getenv(\"A\"), \"x\")) return 1;\n\
             free(realloc(s, 100));\n\
             return fork() < 0;\n\
         }\n",
    )
    .unwrap();
    let lib = Path::new(crate::common::MUSL).parent().unwrap();
    let part = |name: &str| lib.join(name).to_str().unwrap().to_string();
    let libc = folder.libc();
    ok(
        "cc",
        &[
            "-static",
            "-nostdinc",
            "-nostdlib",
            "-isystem",
            "/usr/include/x86_64-linux-musl",
            &part("crt1.o"),
            &part("crti.o"),
            source.to_str().unwrap(),
            libc.to_str().unwrap(),
            "-lgcc",
            "-lgcc_eh",
            libc.to_str().unwrap(),
            &part("crtn.o"),
            "-o",
            program.to_str().unwrap(),
        ],
    );
    ok(program.to_str().unwrap(), &[]);
    let symbols = ok("nm", &[program.to_str().unwrap()]);
    let mallocs = symbols.lines().filter(|l| l.ends_with(" malloc")).count();
    assert_eq!(mallocs, 1);
    assert!(
        !symbols.contains("__malloc_context"),
        "musl's heap is still in it"
    );
}

#[test]
fn the_plan_is_printed_and_nothing_written() {
    let folder = Folder::musl();
    let text = succeed(
        brawn()
            .args(["patch", "--dry-run", "-v"])
            .arg(folder.libc()),
    );
    assert!(text.starts_with("would patch"), "{text}");
    // Both members of that name.
    assert_eq!(text.matches("  free.lo ").count(), 2, "{text}");
    assert!(
        !text.contains("replaced.lo") && !text.contains("fork.lo"),
        "{text}"
    );
    let json = succeed(
        brawn()
            .args(["patch", "--dry-run", "--json"])
            .arg(folder.libc()),
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["status"], "planned");
    assert_eq!(json[0]["plan"]["action"], "patch");
    let removed = json[0]["plan"]["remove"].as_array().unwrap();
    let of = |part: &str| removed.iter().filter(|r| r["component"] == part).count();
    assert_eq!(of("heap") + of("memory"), 37);
    assert!(of("libc") >= 1, "{json}");
    assert_eq!(folder.names(), ["libc.a"]);
    assert!(read(&folder.libc()) == folder.old());
}

#[test]
fn json_of_a_patch_says_where_the_original_is() {
    let folder = Folder::small();
    let json = succeed(brawn().args(["patch", "--json"]).arg(folder.libc()));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["status"], "patched");
    assert_eq!(
        json[0]["original"],
        folder.kept().canonicalize().unwrap().to_str().unwrap()
    );
    assert_eq!(json[0]["other_links"], 0);
    assert_eq!(json[0]["in_place"], false);
}

#[test]
fn elsewhere_leaves_the_input_alone() {
    let folder = Folder::small();
    let out = folder.path().join("out.a");
    succeed(brawn().arg("patch").arg(folder.libc()).arg("-o").arg(&out));
    assert!(read(&folder.libc()) == folder.old());
    assert_eq!(folder.names(), ["libc.a", "out.a"]);
    let once = read(&out);
    // From an archive that is patched already, the output is still written.
    let again = folder.path().join("again.a");
    let text = succeed(brawn().arg("patch").arg(&out).arg("-o").arg(&again));
    assert!(text.starts_with("unchanged"), "{text}");
    assert!(read(&again) == once);
    // Onto itself, or a directory.
    fail(
        brawn()
            .arg("patch")
            .arg(folder.libc())
            .arg("-o")
            .arg(folder.libc()),
        2,
    );
    fail(
        brawn()
            .arg("patch")
            .arg(folder.libc())
            .arg("-o")
            .arg(folder.path()),
        2,
    );
    fail(
        brawn().arg("patch").arg(folder.path()).arg("-o").arg(&out),
        2,
    );
}

#[test]
fn a_folder_is_searched_and_what_is_not_musl_is_left_alone() {
    let folder = Folder::small();
    for (name, bytes) in [
        ("a/b", folder.old().to_vec()),
        ("glibc", read(Path::new(GLIBC))),
    ] {
        let sub = folder.path().join(name);
        std::fs::create_dir_all(&sub).unwrap();
        std::fs::write(sub.join("libc.a"), bytes).unwrap();
    }
    std::fs::write(folder.path().join("libm.a"), "!<arch>\n").unwrap();
    // A loop, and a link to an archive outside.
    symlink(folder.path(), folder.path().join("a/loop")).unwrap();
    let outside = Folder::small();
    std::fs::create_dir(folder.path().join("link")).unwrap();
    symlink(outside.libc(), folder.path().join("link/libc.a")).unwrap();

    let text = succeed(brawn().arg("patch").arg(folder.path()));
    assert_eq!(text.matches("patched ").count(), 3, "{text}");
    assert_eq!(
        text.lines().filter(|l| l.starts_with("patched")).count(),
        2,
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|l| l.starts_with("left alone")).count(),
        2,
        "{text}"
    );
    assert!(text.contains("glibc"), "{text}");
    assert!(read(&outside.libc()) == outside.old());
    assert!(read(&folder.path().join("glibc/libc.a")) == read(Path::new(GLIBC)));

    succeed(brawn().arg("restore").arg(folder.path()));
    assert!(read(&folder.libc()) == folder.old());
    assert!(read(&folder.path().join("a/b/libc.a")) == folder.old());
    assert_eq!(names(&folder.path().join("a/b")), ["libc.a"]);
}

#[test]
fn a_broken_archive_in_a_folder_does_not_stop_the_others() {
    let folder = Folder::small();
    std::fs::create_dir(folder.path().join("broken")).unwrap();
    std::fs::write(folder.path().join("broken/libc.a"), &folder.old()[..5000]).unwrap();
    let text = fail(brawn().arg("patch").arg(folder.path()), MALFORMED);
    assert!(
        text.contains("broken/libc.a: ") && text.contains("at 0x"),
        "{text}"
    );
    assert!(folder.kept().exists());
}

#[test]
fn a_folder_without_musl_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fail(brawn().arg("patch").arg(folder.path()), REFUSED);
}

#[test]
fn glibc_and_archives_without_a_heap_are_refused() {
    let text = fail(brawn().args(["patch", GLIBC, "-n"]), REFUSED);
    assert!(text.contains("glibc"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libm.a");
    std::fs::write(&path, "!<arch>\n").unwrap();
    let text = fail(brawn().arg("patch").arg(&path), REFUSED);
    assert!(
        text.contains("no heap") || text.contains("expected"),
        "{text}"
    );
    assert_eq!(names(folder.path()), ["libm.a"]);
}

#[test]
fn zig_s_archive_with_two_heaps_and_paths_as_names() {
    let zig = tools().join("zig/ziglang/zig");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("main.c");
    std::fs::write(
        &source,
        "#include <stdlib.h>\nint main(void) { return !malloc(1); }\n",
    )
    .unwrap();
    // Shared by all tests, since building musl takes a minute.
    let cache = tools().join("zig-cache");
    let output = std::process::Command::new(&zig)
        .args(["cc", "-target", "x86_64-linux-musl", "main.c", "-o", "main"])
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .env("ZIG_LOCAL_CACHE_DIR", folder.path().join("cache"))
        .env("ZIG_VERBOSE_LINK", "1")
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; `make tools` installs it", zig.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // The cache has those of other targets, too.
    let libc = said
        .split_whitespace()
        .find(|word| word.ends_with("/libc.a"))
        .map(|path| folder.path().join(path))
        .expect("zig's linker is given its libc.a");
    let out = folder.path().join("libc.a");
    succeed(brawn().arg("patch").arg(&libc).arg("-o").arg(&out));
    let text = ok("nm", &["-A", "-g", "--defined-only", out.to_str().unwrap()]);
    for name in ["malloc", "free", "__libc_free", "aligned_alloc"] {
        let end = format!(" {name}");
        assert_eq!(
            text.lines().filter(|l| l.ends_with(&end)).count(),
            1,
            "{name}"
        );
    }
    assert!(!text.contains("__bin_chunk") && !text.contains("__malloc_context"));
    ok("llvm-nm", &["--print-armap", out.to_str().unwrap()]);
}

#[test]
fn another_allocator_in_the_archive_is_refused_by_name() {
    let folder = Folder::small();
    let source = folder.path().join("jemalloc.c");
    std::fs::write(
        &source,
        "void *malloc(unsigned long n) { return 0; }\nvoid mallctl(void) {}\n",
    )
    .unwrap();
    let object = folder.path().join("jemalloc.o");
    ok(
        "cc",
        &[
            "-c",
            "-ffreestanding",
            source.to_str().unwrap(),
            "-o",
            object.to_str().unwrap(),
        ],
    );
    ok(
        "ar",
        &[
            "rD",
            folder.libc().to_str().unwrap(),
            object.to_str().unwrap(),
        ],
    );
    let before = read(&folder.libc());
    let text = fail(brawn().arg("patch").arg(folder.libc()), REFUSED);
    assert!(
        text.contains("member jemalloc.o") && text.contains("`mallctl`"),
        "{text}"
    );
    assert!(read(&folder.libc()) == before);
    assert!(!folder.record().exists());
}

#[test]
fn broken_input_has_an_offset_and_its_own_exit_code() {
    let folder = Folder::small();
    for cut in [9, 67, 100, 4000, folder.old().len() - 3] {
        std::fs::write(folder.libc(), &folder.old()[..cut]).unwrap();
        let text = fail(brawn().arg("patch").arg(folder.libc()), MALFORMED);
        assert!(text.contains("at 0x"), "{text}");
    }
    // A finished program, for which there is another command.
    let text = fail(brawn().arg("patch").arg(brawn_path()), REFUSED);
    assert!(
        text.contains("not an archive") && text.contains("`brawn rewrite`"),
        "{text}"
    );
    std::fs::write(folder.libc(), "!<thin>\n").unwrap();
    let text = fail(brawn().arg("patch").arg(folder.libc()), REFUSED);
    assert!(text.contains("thin archive"), "{text}");
}

#[test]
fn a_patched_archive_is_no_program() {
    let folder = Folder::small();
    let libc = folder.libc();
    let libc = libc.to_str().unwrap();
    succeed(brawn().args(["patch", libc]));
    let text = fail(brawn().args(["rewrite", libc]), REFUSED);
    assert!(text.contains("`brawn patch` is for"), "{text}");
}

#[test]
fn licences_help_and_colour() {
    let text = succeed(brawn().arg("--licenses"));
    assert!(text.contains("MIT"), "{text}");
    for arguments in [
        &["--help"][..],
        &["patch", "--help"],
        &["restore", "--help"],
    ] {
        let text = succeed(brawn().args(arguments));
        assert!(text.contains("Exit codes:"), "{text}");
        assert!(
            text.contains("Examples:") && !text.contains('\x1b'),
            "{text}"
        );
    }
    fail(&mut brawn(), 2);
    fail(brawn().arg("patch"), 2);
    let folder = Folder::small();
    let plain = succeed(brawn().args(["patch", "-n"]).arg(folder.libc()));
    assert!(!plain.contains('\x1b'));
    let colour = succeed(
        brawn()
            .args(["patch", "-n"])
            .arg(folder.libc())
            .env("CLICOLOR_FORCE", "1"),
    );
    assert!(colour.contains('\x1b'));
}

#[test]
fn one_part_first_and_the_other_later() {
    for (first, second) in [("heap", "memory"), ("memory", "heap")] {
        let folder = Folder::musl();
        let patch = |only: &[&str]| succeed(brawn().arg("patch").args(only).arg(folder.libc()));
        assert!(patch(&["--only", first]).starts_with("patched"));
        let report = crate::build::inspect(folder.libc().to_str().unwrap());
        let is_heap = first == "heap";
        assert_eq!(report["heap"] == "brawn", is_heap, "{report:#}");
        assert_eq!(report["memory"] == "brawn", !is_heap, "{report:#}");
        assert!(patch(&["--only", first]).starts_with("unchanged"));
        // Without a choice it keeps what it has; a choice is made from the original.
        assert!(patch(&[]).starts_with("unchanged"));
        assert!(patch(&["--only", second]).starts_with("upgraded"));
        let report = crate::build::inspect(folder.libc().to_str().unwrap());
        assert_eq!(report["heap"] == "brawn", !is_heap, "{report:#}");
        assert_eq!(report["memory"] == "brawn", is_heap, "{report:#}");
        assert!(patch(&["--only", "heap,memory"]).starts_with("upgraded"));
        assert!(patch(&[]).starts_with("unchanged"));
        folder.restore();
        assert!(read(&folder.libc()) == folder.old());
    }
}

#[test]
fn what_cannot_be_printed_is_an_error_and_a_reader_that_has_left_is_none() {
    let folder = Folder::small();
    let said = |arguments: &[&str], to: Stdio| {
        let mut command = Command::new(brawn_path());
        let command = command.args(arguments).stdout(to).stderr(Stdio::piped());
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let libc = folder.libc();
    let libc = libc.to_str().unwrap();
    for arguments in [
        &["patch", "--json", "--dry-run", libc][..],
        &["patch", "--dry-run", libc],
        &["inspect", libc],
        &["signatures", "list"],
        &["--help"],
        &["patch", "--help"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, text) = said(arguments, full.into());
        assert_eq!(code, Some(IO), "{arguments:?}: {text}");
        let is_told = text.matches("cannot write to standard output").count();
        assert_eq!(is_told, 1, "{arguments:?}: {text}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, text) = said(arguments, writer.into());
        assert_eq!((code, text.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
