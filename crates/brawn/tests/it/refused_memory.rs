//! Memory that runs out at each request in turn: also where a library, such as that for gzip, asks for it.

use crate::build::{PROGRAM, Room};
use crate::common::{REFUSED, brawn_path, names};
use crate::others::err;
use std::path::Path;
use std::process::{Command, Output};

/// Runs brawn with this much address space, in KiB.
fn with(space: u64, folder: &Path, words: &str) -> Output {
    let script = format!(
        "ulimit -c 0; ulimit -v {space}; exec {} {words}",
        brawn_path()
    );
    let mut command = Command::new("bash");
    // Each request for a page and more is one to the kernel, which is refused by itself.
    let each = "glibc.malloc.mmap_threshold=4096:glibc.malloc.top_pad=0";
    command
        .args(["-c", &script])
        .current_dir(folder)
        .env("GLIBC_TUNABLES", each);
    command.output().expect("bash")
}

/// The least space with which it succeeds, to the page.
fn least(folder: &Path, words: &str) -> u64 {
    let (mut little, mut enough) = (0, 1 << 20);
    while enough - little > 4 {
        let between = (little + enough) / 8 * 4;
        match with(between, folder, words).status.success() {
            true => enough = between,
            false => little = between,
        }
    }
    enough
}

#[test]
fn memory_that_a_library_does_not_get_is_an_error_and_no_panic() {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -s -o tool main.c"]);
    let folder = room.path("");
    let folder = Path::new(&folder);
    // What reads gzip, and what writes it.
    for words in ["verify --list", "image tool -o new.tar"] {
        let enough = least(folder, words);
        let _ = std::fs::remove_file(folder.join("new.tar"));
        let before = names(folder);
        let (mut library, mut refused) = (0, 0);
        for space in (enough.saturating_sub(1200)..enough).step_by(8) {
            let output = with(space, folder, words);
            let said = err(&output);
            // With less, not even Rust's runtime begins.
            let is_begun = !said.contains("stack_overflow.rs") && !said.contains("loading shared");
            assert!(
                !is_begun || !said.contains("panicked"),
                "{words}, {space}: {said}"
            );
            // The kernel puts things elsewhere each time, so a little less may be enough.
            if output.status.success() {
                let _ = std::fs::remove_file(folder.join("new.tar"));
            }
            assert_eq!(names(folder), before, "{words}, {space}: {said}");
            refused += usize::from(output.status.code() == Some(REFUSED));
            library += usize::from(said.contains("memory ran out; expected some more"));
        }

        assert!(
            library > 0 && refused > library,
            "{words}: {library} of {refused}"
        );
    }
}
