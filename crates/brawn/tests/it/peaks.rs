//! How much memory each command takes for a large input: at most three times what it must hold of it.

use crate::build::Room;
use crate::bundle_files::{Made, debian};
use crate::common::{brawn_path, read};
use std::fs;
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;
/// How large the inputs are.
const LARGE: u64 = 104 * MIB;
/// What a command takes of which nothing must be held: brawn itself, and buffers.
const LITTLE: u64 = 64 * MIB;

/// Starts what follows the first argument, and writes there how much it took, as the kernel has counted. The peak of a process
/// begins with that of its parent: this one is small.
const COUNT: &str = "#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (!child) { execv(words[2], words + 2); _exit(99); }
    if (wait4(child, &status, 0, &usage) != child) return 98;
    FILE *file = fopen(words[1], \"w\");
    fprintf(file, \"%ld\", usage.ru_maxrss);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
";

/// A program that has much data.
const PROGRAM: &str = "#include <stdlib.h>
__asm__(\".section .rodata\\n.global large\\nlarge: .incbin \\\"large\\\"\\n.text\");
extern const char large[];
int main(void) { for (int i = 0; i < 99; i++) { char *volatile p = malloc(9999); free(p); } return large[1000] != 'x'; }
";

fn room() -> Room {
    let room = Room::with(PROGRAM);
    room.write("count.c", COUNT);
    room.run("musl-gcc", &["-static -O1 -o count count.c"]);
    // Not as regular as what brawn takes for an attack.
    let mut large = vec![b'x'; LARGE as usize];
    let mut random = 1u64;
    for byte in large.chunks_mut(1024).flat_map(|block| &mut block[..64]) {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (random >> 56) as u8;
    }
    fs::write(room.path("large"), large).unwrap();
    room.run("musl-gcc", &["-static -O1 -o tool main.c"]);
    fs::copy(crate::common::MUSL, room.path("libc.a")).unwrap();
    room.run("ar", &["q libc.a large"]);
    let lib = room.path("root/usr/lib/x86_64-linux-musl");
    fs::create_dir_all(&lib).unwrap();
    fs::hard_link(room.path("libc.a"), Path::new(&lib).join("libc.a")).unwrap();
    room.run("tar", &["-cf packed.tar tool libc.a"]);
    room.run("tar", &["-czf packed.tar.gz tool"]);
    let made = Made::new(&[("x86_64", &debian())]);
    let large = made.bundle().join("large");
    fs::copy(room.path("large"), large).unwrap();
    fs::copy(made.packed(), room.path("bundle.tar.gz")).unwrap();
    for (name, from) in [("patched.a", "libc.a"), ("rewritten", "tool")] {
        fs::copy(room.path(from), room.path(name)).unwrap();
    }
    room
}

/// The most that it took, in bytes.
fn peak(room: &Room, words: &str) -> u64 {
    let mut command = Command::new(room.path("count"));
    command.args(["peak", brawn_path()]).args(words.split(' '));
    command.current_dir(room.path(""));
    command.env("XDG_CACHE_HOME", room.path("cache"));
    let output = command.output().unwrap();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{words}: {output:?}");
    let peak = read(Path::new(&room.path("peak")));
    String::from_utf8(peak).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn no_command_takes_more_than_three_times_what_it_must_hold() {
    let room = room();
    for (words, held) in [
        // What is changed is held as a whole: what is wrong in it must be known before anything is written.
        ("patch patched.a", LARGE),
        ("patch -n libc.a", LARGE),
        ("patch libc.a -o new.a", LARGE),
        ("rewrite rewritten", LARGE),
        ("rewrite -n tool", LARGE),
        ("rewrite tool -o new", LARGE),
        ("image tool -o new.tar", LARGE),
        ("run --heap-interval 4096 --heap-profile heap ./tool", LARGE),
        ("compare --runs 2 ./tool", LARGE),
        ("compare --predict ./tool", LARGE),
        ("verify tool", LARGE),
        ("inspect tool", LARGE),
        ("inspect libc.a", LARGE),
        ("signatures find tool", LARGE),
        ("toolchains --root root", LARGE),
        // A package is held as it is, and one member at a time.
        ("inspect packed.tar", 2 * LARGE),
        ("inspect packed.tar.gz", LARGE),
        // What is copied, or read as a stream, is not held.
        ("restore patched.a", 0),
        ("restore rewritten", 0),
        ("patch -n bundle.tar.gz", 0),
        ("patch bundle.tar.gz", 0),
        ("restore bundle.tar.gz", 0),
    ] {
        let found = peak(&room, words);
        let most = (3 * held).max(LITTLE);
        assert!(
            found <= most,
            "{words}: {} MiB, at most {}",
            found / MIB,
            most / MIB
        );
        eprintln!("{words}: {} MiB", found / MIB);
    }
}
