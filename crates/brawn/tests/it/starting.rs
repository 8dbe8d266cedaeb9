//! The commands that start programs and compilers, where little is left to them, and where others may write: `run`,
//! `run --heap-profile`, `verify --cc`. What the commands that only write do is in `each.rs` and `outputs.rs`.

use crate::build::Room;
use crate::common::{IO, REFUSED, names, ok, read};
use crate::mounts::in_namespace;
use crate::others::{as_user, at_once, err, open_folder};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// One case of one program, which is built twice.
const VERIFY: &str = "verify --cc 'musl-gcc -static' --filter semantics/distinct";

/// A directory with brawn and a program, which ends with 7.
fn inputs() -> TempDir {
    let folder = open_folder();
    let room = Room::with(
        "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 999; i++) free(malloc(9999)); return 7; }\n",
    );
    room.run("musl-gcc", &["-static -O1 -fno-builtin -o tool main.c"]);
    let tool = folder.path().join("tool");
    ok("cp", &[&room.path("tool"), tool.to_str().unwrap()]);
    folder
}

/// What a command says and leaves on a disk that has `room` blocks of 4 KiB, with its cache and temporary files there. `after`
/// has what is on the disk then.
fn on_a_disk(room: u32, words: &str) -> (Output, TempDir) {
    let folder = inputs();
    fs::create_dir(folder.path().join("after")).unwrap();
    let script = format!(
        "cd $1; mkdir disk; mount -t tmpfs -o size=24m none disk; cp tool disk; cd disk; export TMPDIR=$PWD/tmp XDG_CACHE_HOME=$PWD/cache; \
         mkdir tmp cache kept; if dd if=/dev/zero of=fills bs=4k 2> /dev/null; then exit 9; fi; \
         truncate -s -$(({room} * 4096)) fills; code=0; ../brawn {words} || code=$?; rm fills; cp -a . ../after; exit $code"
    );
    (in_namespace(folder.path(), &script), folder)
}

#[test]
fn a_program_whose_copy_has_no_room_in_the_cache_runs_from_memory_and_leaves_nothing() {
    for room in [0, 1, 4, 16] {
        let (output, folder) = on_a_disk(room, "run -v ./tool");
        let said = err(&output);
        assert_eq!(output.status.code(), Some(7), "{room}: {said}");
        assert!(said.contains("not kept: "), "{room}: {said}");
        assert!(said.contains("No space left"), "{room}: {said}");
        let cache = folder.path().join("after/cache");
        let words = [cache.to_str().unwrap(), "-type", "f", "-size", "+0"];
        assert_eq!(ok("find", &words), "", "{room}");
    }
    let (output, _) = on_a_disk(4000, "run -v ./tool");
    let said = err(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("kept in the cache"), "{said}");
}

#[test]
fn a_program_beside_which_brawn_stays_needs_one_process_more() {
    let id = "65429";
    let run = |limit: u32, words: &str, folder: &TempDir| {
        ok(
            "chown",
            &["-R", &format!("{id}:{id}"), folder.path().to_str().unwrap()],
        );
        let script = format!("ulimit -u {limit}; exec ./brawn {words}");
        let mut command = as_user(id, folder.path(), "bash");
        command.args(["-c", &script]).env_remove("HOME");
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        command.env("TMPDIR", folder.path().join("tmp"));
        fs::create_dir_all(folder.path().join("tmp")).unwrap();
        chown(folder.path().join("tmp"), Some(65429), Some(65429)).unwrap();
        command.env("PATH", "/usr/bin:/bin").output().unwrap()
    };
    let profile = "run --heap-interval 4096 --heap-profile heap ./tool";
    // There cannot be a program beside brawn.
    let folder = inputs();
    let output = run(1, profile, &folder);
    let said = err(&output);
    assert!(
        !said.contains("panicked") && said.contains("cannot"),
        "{said}"
    );
    assert!(matches!(output.status.code(), Some(125 | 126)), "{said}");
    assert!(!names(folder.path()).contains(&"heap".into()), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty(), "{said}");
    // There can.
    let output = run(2, profile, &folder);
    let said = err(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(names(folder.path()).contains(&"heap.html".into()), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty(), "{said}");

    // No compiler, and no program.
    let folder = inputs();
    let output = run(1, VERIFY, &folder);
    let said = err(&output);
    assert!(
        !said.contains("panicked") && said.contains("cannot run `musl-gcc`"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(IO), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty(), "{said}");
    // As many as a compiler has at once: its shell, its driver and what that starts.
    let output = run(4, VERIFY, &folder);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        err(&output)
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 pass, no new failure"), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty(), "{said}");
}

#[test]
fn a_toolchain_is_not_called_in_order_where_the_disk_is_full() {
    let mut errors = 0;
    for room in (0..1000).step_by(80).chain([2000]) {
        let (output, folder) = on_a_disk(room, VERIFY);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            err(&output)
        );
        let is_whole = said.contains("1 pass, no new failure");
        assert_eq!(output.status.success(), is_whole, "{room}: {said}");
        errors += u32::from(!is_whole);
        assert!(is_whole || said.contains("No space left"), "{room}: {said}");
        let left = names(&folder.path().join("after/tmp"));
        assert!(left.is_empty(), "{room}: {left:?}");
    }
    assert!((5..14).contains(&errors), "{errors}");
}

#[test]
fn nothing_is_built_where_another_users_link_leads_or_where_others_may_write() {
    let room = inputs();
    let at = |name: &str| room.path().join(name);
    fs::create_dir(at("precious")).unwrap();
    for shared in ["shared", "open"] {
        fs::create_dir(at(shared)).unwrap();
        fs::set_permissions(at(shared), Permissions::from_mode(0o1777)).unwrap();
    }
    fs::create_dir(at("everybodys")).unwrap();
    fs::set_permissions(at("everybodys"), Permissions::from_mode(0o777)).unwrap();
    symlink("../precious", at("shared/out")).unwrap();
    symlink("..", at("shared/up")).unwrap();
    fs::create_dir(at("shared/theirs")).unwrap();
    for link in ["shared/out", "shared/up", "shared/theirs"] {
        lchown(at(link), Some(65533), Some(65533)).unwrap();
    }
    let before = ok("find", &[room.path().to_str().unwrap()]);
    for (keep, found) in [
        ("shared/out", "a link of user 65533"),
        ("shared/up/precious", "a link of user 65533"),
        ("shared/up/new/one", "a link of user 65533"),
        ("shared/theirs", "user 65533"),
        ("shared/theirs/new", "user 65533"),
        ("open", "others could change the programs"),
        ("everybodys/new", "others could change the programs"),
    ] {
        let words = VERIFY
            .replace('\'', "")
            .replace("musl-gcc -static", "musl-gcc");
        let output = at_once(room.path(), &format!("{words} --keep {keep}"));
        let said = err(&output);
        assert_eq!(output.status.code(), Some(REFUSED), "{keep}: {said}");
        assert!(said.contains(found), "{keep}: {said}");
        assert_eq!(
            ok("find", &[room.path().to_str().unwrap()]),
            before,
            "{keep}"
        );
    }
    // What is made there is the user's alone, whatever the umask; a link of the user's own is followed.
    lchown(at("shared/out"), Some(0), Some(0)).unwrap();
    for (keep, made) in [
        ("shared/new/one", "shared/new/one"),
        ("shared/out", "precious"),
    ] {
        let script = format!("umask 0; exec ./brawn {VERIFY} --keep {keep}");
        let output = crate::common::run(
            "bash",
            &["-c", &format!("cd {}; {script}", room.path().display())],
        );
        assert!(output.status.success(), "{keep}: {}", err(&output));
        let mode = fs::metadata(at(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o755, "{keep}");
        assert!(!read(&at(made).join("with/semantics")).is_empty(), "{keep}");
        assert!(fs::symlink_metadata(at("shared/out")).unwrap().is_symlink());
    }
    assert!(Path::new(&at("shared/new")).is_dir());
}
