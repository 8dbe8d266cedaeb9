//! `--signatures`: a program of a build that brawn does not know, by what was learnt of another of that build.

use crate::build::Room;
use crate::common::{
    IO, MALFORMED, REFUSED, brawn, copy_of_brawn, fail, make_program, ok, read, succeed, tools,
};
use brawn_core::elf::program::Program;
use brawn_core::report::package::{Limits, members};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

/// Two programs of one toolchain that brawn has no signatures of: Ubuntu's musl.
const PACKAGE: &str = "staticx-0.14.2-py3-none-manylinux1_x86_64.whl";

/// The one with symbols, and the other without.
fn room() -> (Room, String, String) {
    let room = Room::with("");
    let package = tools().join("corpus").join(PACKAGE);
    let bytes = fs::read(&package)
        .unwrap_or_else(|e| panic!("{}: {e}: run tools/corpus.sh", package.display()));
    for (member, name) in [("debug", "program"), ("release", "stripped")] {
        let member = format!("staticx/assets/{member}/bootloader");
        let path = room.path(name);
        let mut take = |found: &[u8], bytes: &[u8]| {
            if found == member.as_bytes() {
                fs::write(&path, bytes).expect("written");
            }
        };
        members(&bytes, Limits::USUAL, &mut take).expect("a package");
        make_program(path.as_ref());
    }
    let (program, stripped) = (room.path("program"), room.path("stripped"));
    ok("strip", &["-s", &stripped]);
    (room, program, stripped)
}

/// What it says, and with which exit code: that nothing is appended to it.
fn said_by(program: &str) -> (Option<i32>, String) {
    let output = std::process::Command::new(program)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    let said = text.split_once(':').map_or("", |(_, said)| said);
    (output.status.code(), said.to_owned())
}

/// Learns of `program` under the name `mine`, and gives the file.
fn learnt(room: &Room, program: &str) -> String {
    let text = succeed(brawn().args(["signatures", "learn", "--name", "mine", program]));
    let file = room.path("mine.txt");
    fs::write(&file, text).expect("written");
    file
}

#[test]
fn what_was_learnt_is_listed_and_used() {
    let (room, program, stripped) = room();
    let file = learnt(&room, &program);
    let list = succeed(brawn().args(["signatures", "list", "--signatures", &file]));
    assert!(list.contains("\nmine: x86_64, "), "{list}");
    for command in [
        vec!["signatures", "find", &stripped],
        vec!["rewrite", "-n", "-v", &stripped],
        vec!["inspect", "-v", &stripped],
    ] {
        let said = succeed(brawn().args(&command).args(["--signatures", &file]));
        assert!(said.contains("malloc"), "{said}");
    }
    let verify = |more: &[&str]| {
        let mut command = brawn();
        command.args(["verify", "-v", &stripped]).args(more);
        let said = command.output().expect("it runs").stdout;
        String::from_utf8(said).expect("UTF-8")
    };
    let (with, without) = (verify(&["--signatures", &file]), verify(&[]));
    assert!(with.contains("its code is musl's, as in mine"), "{with}");
    assert!(!without.contains("as in mine"), "{without}");
    let new = room.path("new");
    succeed(brawn().args(["rewrite", &stripped, "-o", &new, "--signatures", &file]));
    assert_eq!(said_by(&new), said_by(&stripped));
    let refused = fail(brawn().args(["rewrite", "-n", &stripped]), REFUSED);
    assert!(refused.contains("brawn does not know"), "{refused}");
    let image = room.path("image.tar");
    let rest = ["--rewrite", "-o", &image, "--signatures", &file];
    succeed(brawn().args(["image", &stripped]).args(rest));
}

#[test]
fn the_cache_of_run_tells_signatures_apart() {
    let (room, program, stripped) = room();
    let file = learnt(&room, &program);
    let run = |more: &[&str]| {
        let mut command = brawn();
        command.env("XDG_CACHE_HOME", room.path("cache"));
        command.args(["run", "-v"]).args(more).arg(&stripped);
        let output = command.output().expect("it runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let with = ["--signatures", file.as_str()];
    assert!(run(&with).contains("kept in the cache"));
    assert!(run(&with).contains("rewritten before"));
    // Without them nothing is known of it, whatever lies in the cache.
    assert!(run(&[]).contains("brawn does not know"));
    let changed = read(file.as_ref());
    fs::write(&file, [&changed[..], b"\n"].concat()).expect("written");
    assert!(run(&with).contains("kept in the cache"));
}

#[test]
fn a_file_that_is_none_is_refused_with_its_line() {
    let (room, _, stripped) = room();
    let name = room.path("bad.txt");
    let begin = "brawn-signatures 1\nbuild b\narchitecture x86_64\n";
    let many = "function f - 5 - 00112233445566778899aabbccddeeff\n".repeat(600);
    for (text, line) in [
        ("nonsense\n".to_owned(), "line 1"),
        (format!("{begin}function f\n"), "line 4"),
        (format!("{begin}g \u{1b}[31m\n"), "line 4"),
        (format!("{begin}{many}"), "line 516"),
        ("brawn-signatures 1\n".to_owned(), "without a name"),
        (String::new(), "no signatures"),
    ] {
        fs::write(&name, text).expect("written");
        let said = fail(
            brawn().args(["rewrite", "-n", &stripped, "--signatures", &name]),
            MALFORMED,
        );
        assert!(said.contains(line) && said.contains("bad.txt"), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
    }
    fs::remove_file(&name).expect("removed");
    let arguments = ["signatures", "list", "--signatures", &name];
    fail(brawn().args(arguments), IO);
    // What never ends, and what never begins.
    for special in ["/dev/zero", "/dev/null"] {
        let arguments = ["signatures", "list", "--signatures", special];
        fail(brawn().args(arguments), REFUSED);
    }
}

#[test]
fn the_users_folder_is_read_if_nobody_else_may_write_there() {
    let (room, program, _) = room();
    let file = learnt(&room, &program);
    let folder = room.path("config/brawn/signatures");
    fs::create_dir_all(&folder).expect("a directory");
    let kept = format!("{folder}/mine.txt");
    fs::copy(&file, &kept).expect("a copy");
    fs::write(format!("{folder}/notes"), "not signatures").expect("written");
    let mode =
        |path: &str, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    for path in [&room.path("config"), &room.path("config/brawn"), &folder] {
        mode(path, 0o755);
    }
    mode(&kept, 0o644);
    let list = || {
        let mut command = brawn();
        command.env("XDG_CONFIG_HOME", room.path("config"));
        command.args(["signatures", "list"]);
        command
    };
    assert!(succeed(&mut list()).contains("\nmine: x86_64, "));
    // What is in a directory is as safe as those above it.
    for path in [
        &kept,
        &folder,
        &room.path("config/brawn"),
        &room.path("config"),
    ] {
        mode(path, 0o777);
        let said = fail(&mut list(), REFUSED);
        assert!(said.contains("another may change"), "{said}");
        mode(path, if path == &kept { 0o644 } else { 0o755 });
    }
    // Nothing there is nothing to say.
    fs::remove_dir_all(&folder).expect("removed");
    assert!(!succeed(&mut list()).contains("mine"));
}

#[test]
fn who_has_more_rights_than_its_user_reads_no_folder_of_the_users() {
    let (room, program, _) = room();
    let file = learnt(&room, &program);
    // A directory of the user's own, who is nobody.
    let home = tempfile::tempdir().expect("a directory");
    let folder = home.path().join("brawn/signatures");
    fs::create_dir_all(&folder).expect("a directory");
    fs::copy(&file, folder.join("mine.txt")).expect("a copy");
    ok(
        "chown",
        &["-R", "65534:65534", home.path().to_str().expect("UTF-8")],
    );
    ok(
        "chmod",
        &["-R", "u=rwX,go=rX", home.path().to_str().expect("UTF-8")],
    );
    let tools = tempfile::tempdir().expect("a directory");
    fs::set_permissions(tools.path(), Permissions::from_mode(0o755)).expect("ours");
    let binary = tools.path().join("brawn");
    copy_of_brawn(&binary);
    let list = || {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
        command.arg(&binary).args(["signatures", "list"]);
        command.env("XDG_CONFIG_HOME", home.path());
        let output = command.output().expect("setpriv of util-linux");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(list().contains("\nmine: "));
    // `AT_SECURE`: the file's owner is root, and whoever runs it gets root's rights.
    fs::set_permissions(&binary, Permissions::from_mode(0o4755)).expect("ours");
    assert!(!list().contains("\nmine: "));
}

/// Calls a function of which brawn has no signature where no program with symbols has it.
const USABLE: &str = r"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
	char *p = strdup(words[count - 1]);
	size_t size = malloc_usable_size(p);
	free(p);
	return size == 0;
}
";

/// The block of that function in a build's text.
fn block(text: &str, name: &str) -> Vec<String> {
    let lines = text.lines().map(str::to_owned);
    let mut lines = lines.skip_while(|line| !line.starts_with(&format!("function {name} ")));
    let first = lines.next().expect("it is there");
    let rest = lines.take_while(|line| !line.starts_with("function "));
    std::iter::once(first).chain(rest).collect()
}

#[test]
fn a_function_is_learnt_by_its_address() {
    let room = Room::with(USABLE);
    room.run("musl-gcc", &["-static", "-O1", "main.c", "-o", "program"]);
    let program = room.path("program");
    let bytes = fs::read(&program).expect("a program");
    let read = Program::read(&bytes).expect("a program");
    let place = |name: &str| read.symbol(name).map(|s| (s.address, s.size));
    let (address, size) = place("malloc_usable_size").expect("a symbol");
    let learn = |file: &str, function: &str| {
        let mut command = brawn();
        command.args(["signatures", "learn", file, "--function", function]);
        command
    };
    let function = format!("malloc_usable_size={address:#x}+{size:x}");
    let by_symbols = succeed(brawn().args(["signatures", "learn", &program]));
    ok("strip", &["-s", &program]);
    let by_address = succeed(&mut learn(&program, &function));
    let name = "malloc_usable_size";
    assert_eq!(block(&by_address, name), block(&by_symbols, name));
    assert_eq!(by_address.matches("\nfunction ").count(), 1, "{by_address}");
    // What cannot be that function is not learnt: another place, another size, and what is known under another name.
    let (malloc, of_malloc) = place("__libc_malloc_impl").expect("a symbol");
    for (address, size) in [
        (address + 1, size - 1),
        (address, size - 1),
        (address, size + 1),
        (malloc, of_malloc),
        (0, 1),
    ] {
        let wrong = format!("malloc_usable_size={address:x}+{size:x}");
        let said = fail(&mut learn(&program, &wrong), REFUSED);
        assert!(said.contains("no `malloc_usable_size` at"), "{said}");
    }
    for wrong in ["main=1+1", "malloc=x+1", "malloc"] {
        fail(&mut learn(&program, wrong), 2);
    }
}
