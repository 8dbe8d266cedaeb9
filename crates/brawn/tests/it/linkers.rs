//! Programs as some linkers and `strip -x` leave them.

use crate::build::{PROGRAM, Room, libgcc};
use crate::common::{brawn, ok, succeed};
use crate::musls::archive;

fn is_replaced(room: &Room, name: &str) {
    let told = succeed(brawn().args(["verify", &room.path(name)]));
    assert!(told.starts_with("replaced"), "{name}: {told}");
    room.succeeds(name);
}

/// `strip -x` removes the local names that show whose `malloc` it is; mold makes all names local.
#[test]
fn a_program_without_local_names_has_no_heap_of_its_own() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static", "-o", "before", "main.c"]);
    room.run("cp", &["before", "behind"]);
    room.run("strip", &["-x", "before"]);
    for name in ["before", "behind"] {
        succeed(brawn().args(["rewrite", &room.path(name)]));
    }
    room.run("strip", &["-x", "behind"]);
    room.run("musl-gcc", &["-static", "-o", "local", "main.c"]);
    room.run("objcopy", &["--localize-symbol=malloc", "local"]);
    succeed(brawn().args(["rewrite", &room.path("local")]));
    for name in ["before", "behind", "local"] {
        is_replaced(&room, name);
    }
}

/// gold fills the room between two functions with a jump over it, which is no use of the function behind.
#[test]
fn a_jump_over_padding_is_no_use_of_the_function_behind() {
    for version in ["1.2.5", "1.2.6"] {
        let room = Room::with(PROGRAM);
        let files = ["crt1.o", "crti.o", "libc.a", "crtn.o"].map(|file| archive(version, file));
        let [first, begin, libc, end] = files.each_ref().map(|path| path.to_str().unwrap());
        let (source, libgcc, output) = (room.path("main.c"), libgcc(), room.path("main"));
        let object = room.path("main.o");
        ok("musl-gcc", &["-O2", "-c", "-o", &object, &source]);
        let mut flags = vec!["-static", "-nostdlib", "-fuse-ld=gold", "-o", &output];
        flags.extend([first, begin, &object, libc, &libgcc, libc, end]);
        ok("gcc", &flags);
        succeed(brawn().args(["rewrite", &output]));
        is_replaced(&room, "main");
    }
}
