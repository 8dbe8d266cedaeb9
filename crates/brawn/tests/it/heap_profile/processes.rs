//! What programs record that have children, or wait for long.

use super::{asked, figures, run};
use crate::build::Room;
use serde_json::Value;
use std::process::Command;

/// Builds that program, gives it the profile, and runs it.
fn recorded(source: &str, interval: u32) -> (Room, Value) {
    let room = Room::with(source);
    room.run("musl-gcc", &["-static -O2 -fno-builtin -o both main.c"]);
    run(&room, &["rewrite", "--profile", "trace", "both"]);
    let mut command = Command::new(room.path("both"));
    let options = format!("heap_interval={interval},heap_profile=both.heap");
    command
        .current_dir(room.path("."))
        .env("BRAWN_OPTIONS", options);
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let figures = figures(&room, "both.heap");
    (room, figures)
}

/// Another program of the same run goes on with the file, and leaves in it what is there.
#[test]
fn a_program_that_starts_another_shares_the_file_with_it() {
    let (_room, figures) = recorded(
        r#"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int after;
static char *keep[40000];
__attribute__((noinline)) void in_first(int i) { keep[i] = malloc(1000); after++; }
__attribute__((noinline)) void in_second(int i) { keep[i] = malloc(1000); after++; }
int main(int argc, char **argv) {
    int status;
    if (argc > 1) { for (int i = 0; i < 20000; i++) in_second(i); return 0; }
    for (int i = 0; i < 20000; i++) in_first(i);
    if (fork() == 0) { execl(argv[0], argv[0], "second", (char *)0); _exit(1); }
    wait(&status);
    for (int i = 20000; i < 40000; i++) in_first(i);
    return status;
}
"#,
        32768,
    );
    for (function, expected) in [("in_first", 40e6), ("in_second", 20e6)] {
        let (bytes, _) = asked(&figures, function);
        assert!((bytes / expected - 1.0).abs() < 0.3, "{function}: {bytes}");
    }
}

/// All samples are of the program's first millisecond, and their ends of its last one.
#[test]
fn the_time_between_is_the_clocks() {
    let begun = std::time::Instant::now();
    let (_room, figures) = recorded(
        r"
#include <stdlib.h>
#include <unistd.h>
static char *volatile keep[4];
int main(void) {
    for (int i = 0; i < 4; i++) keep[i] = malloc(1 << 20);
    usleep(500000);
    for (int i = 0; i < 4; i++) free(keep[i]);
    return 0;
}
",
        4096,
    );
    let seconds = figures["seconds"].as_f64().unwrap();
    let all = begun.elapsed().as_secs_f64();
    assert!(seconds >= 0.5 && seconds < all, "{seconds} of {all}");
}

#[test]
fn a_child_by_fork_and_threads_are_told() {
    let (_room, figures) = recorded(
        r#"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int after;
static char *keep[20000], *kept[20000];
__attribute__((noinline)) void in_parent(int i) { kept[i] = malloc(1000); after++; }
__attribute__((noinline)) void in_child(int i) { keep[i] = malloc(1000); after++; }
__attribute__((noinline)) void in_thread(int i) { free(malloc(1000 + i % 7)); after++; }
static void *thread(void *unused) { for (int i = 0; i < 20000; i++) in_thread(i); return unused; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    if (fork() == 0) { for (int i = 0; i < 20000; i++) in_child(i); _exit(0); }
    int status, silent;
    wait(&status);
    for (int i = 0; i < 20000; i++) in_parent(i);
    // Of this one the heap is not told.  What it frees is its own.
    if (_Fork() == 0) { for (int i = 0; i < 20000; i++) free(kept[i]); _exit(0); }
    wait(&silent);
    return status + silent;
}
"#,
        32768,
    );
    let all = [("in_child", 20e6), ("in_thread", 80e6), ("in_parent", 20e6)];
    for (function, expected) in all {
        let (bytes, _) = asked(&figures, function);
        assert!((bytes / expected - 1.0).abs() < 0.3, "{function}: {bytes}");
    }
    let of = |function: &str| -> Vec<&Value> {
        let stacks = figures["stacks"].as_array().unwrap().iter();
        let names = |stack: &Value| {
            let frame = stack["frames"][0].as_u64().unwrap() as usize;
            figures["frames"][frame]["function"] == function
        };
        stacks.filter(|stack| names(stack)).collect()
    };
    assert_eq!(of("in_thread").len(), 4, "a stack for each thread");
    // The child's blocks stay, and its parent's; the threads' do not.
    let at_end = |function: &str| -> f64 {
        of(function)
            .iter()
            .map(|s| s["at_end"]["bytes"].as_f64().unwrap())
            .sum()
    };
    assert!(at_end("in_child") > 14e6 && at_end("in_thread") < 1e6);
    assert!(at_end("in_parent") > 14e6);
}
