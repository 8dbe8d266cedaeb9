//! The peak memory of a program is the program's own, whoever asks for it: not that of brawn, from which the process that
//! becomes the program has it at first.

use crate::build::Room;
use crate::common::brawn_path;
use std::process::Command;

/// Uses this many bytes, asks for some, and says its peak as `getrusage` has it, in KiB.
fn source(bytes: usize) -> String {
    format!(
        "#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
static volatile char all[{bytes}];
int main(void) {{
    struct rusage usage;
    for (size_t i = 0; i < sizeof all; i += 512) all[i] = 1;
    void *volatile block = malloc(5000);
    free(block);
    if (getrusage(RUSAGE_SELF, &usage)) return 1;
    printf(\"%ld\\n\", usage.ru_maxrss);
    return 0;
}}
"
    )
}

/// More than brawn keeps when it becomes the program, less than it has used by then.
const SOME: usize = 6 << 20;
/// The kernel counts pages for each processor, and brings the sums together now and then.
const CLOSE: u64 = 4 << 10;

/// What the program says that these words run.  A small shell makes its process: this one is large.
fn peak(room: &Room, words: &[&str]) -> u64 {
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\"; exit $?", "sh"]).args(words);
    command.env("XDG_CACHE_HOME", room.path("cache"));
    let output = command.output().expect("sh runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said.trim().parse();
    said.unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
}

#[test]
fn a_program_that_brawn_becomes_has_its_own() {
    let room = Room::with(&source(SOME));
    room.run("musl-gcc", &["-static -O1 -o still main.c"]);
    room.run("musl-gcc", &["-O1 -o dynamic main.c"]);
    let [still, dynamic] = ["still", "dynamic"].map(|name| room.path(name));
    let alone = peak(&room, &[&still]);
    let heap = room.path("heap.pb.gz");
    for words in [
        // First it is rewritten, then it is found.
        &["run", &still][..],
        &["run", &still],
        &["run", "--or-plain", &dynamic],
        &["run", "--heap-interval=1", "--heap-profile", &heap, &still],
        &["preload", &dynamic],
        &["preload", "--", &dynamic],
    ] {
        let found = peak(&room, &[&[brawn_path()], words].concat());
        assert!(
            found.abs_diff(alone) < CLOSE,
            "{words:?}: {found} KiB, alone {alone}"
        );
    }
}

/// Also of a program that needs less than the copy of brawn from which it begins.
#[test]
fn compare_measures_a_programs_own() {
    let room = Room::with(&source(SOME / 3));
    room.run("musl-gcc", &["-static -O1 -o still main.c"]);
    let still = room.path("still");
    let alone = peak(&room, &[&still]);
    let compare = |limit: &str| {
        let line = format!(
            "trap '' XFSZ; {limit} exec \"$0\" compare --json --runs 2 --compare-output none \"$1\""
        );
        let mut command = Command::new("sh");
        command.args(["-c", &line, brawn_path(), &still]);
        command.env("XDG_CACHE_HOME", room.path("cache"));
        let output = command.output().expect("brawn runs");
        let data: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        data["runs"].as_array().expect("runs").clone()
    };
    for run in compare("") {
        let figures = &run["figures"];
        let found = figures["peak_rss"].as_u64().expect("a number") >> 10;
        assert_eq!(figures["is_peak_bound"], false, "{figures}");
        assert!(
            found.abs_diff(alone) < CLOSE / 2,
            "{figures}, alone {alone} KiB"
        );
    }
    // Where no file may be written, the program begins as a copy of brawn; then that is said.
    for run in compare("ulimit -f 0;") {
        let figures = &run["figures"];
        assert_eq!(run["end"]["exit"], 0, "{run}");
        assert_eq!(figures["is_peak_bound"], true, "{figures}");
    }
}
