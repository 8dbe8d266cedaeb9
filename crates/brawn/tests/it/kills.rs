//! Kills every command that writes at random instants, on two filesystems: what it was about to replace is the old file or the
//! new one, never half of one, and the same command finishes what the killed one began.
//!
//! `interrupted.rs` kills at each system call in turn; here the kill comes between and within them. `BRAWN_KILLS=3000` tries more (some minutes),
//! and writes bench/results/kills.json. With `BRAWN_KILLS_OF=cargo`, only the commands that begin so are killed, and the others' results stay there.

use crate::build::{PROGRAM, Room};
use crate::bundle_files::Made;
use crate::cargo_room::toolchain;
use crate::common::{Folder, brawn_path, make_program, ok, read, root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// How many kills, if nobody asks for more.
const KILLS: usize = 72;

/// The commands, with the beginning of the names of what each one writes.
const COMMANDS: [(&str, &str); 13] = [
    ("patch libc.a", "libc.a"),
    ("restore patched.a", "patched.a"),
    ("rewrite tool", "tool"),
    ("restore rewritten", "rewritten"),
    ("patch libc.a -o there.a", "there.a"),
    ("rewrite tool -o there", "there"),
    ("image tool -o new.tar", "new.tar"),
    ("preload -o new.so", "new.so"),
    ("link-args --dir new", "new/"),
    ("patch bundle.tar.gz", "bundle.tar.gz"),
    ("restore patched.tar.gz", "patched.tar.gz"),
    (
        "run --heap-interval 4096 --heap-profile heap ../fixed/recorded",
        "heap",
    ),
    ("cargo build --target x86_64-unknown-linux-musl", "cache/"),
];

/// Asks much for memory.
const RECORDED: &str = "#include <stdlib.h>
int main(void) { for (int i = 0; i < 9999; i++) { char *volatile p = malloc(9999); free(p); } return 0; }
";

/// What a file has. A profile, and what is known of cargo, differ from run to run: what counts is that they are whole.
fn contents(path: &Path) -> Vec<u8> {
    let bytes = read(path);
    let is_whole = match path.file_name().and_then(|name| name.to_str()) {
        Some("heap") => {
            let mut profile = Vec::new();
            let read = flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut profile);
            read.is_ok() && profile.len() > 100
        }
        Some("heap.html") => bytes.trim_ascii_end().ends_with(b"</html>"),
        // brawn's at first; then cargo writes it in its own way.
        Some("Cargo.lock") => bytes.ends_with(b"name = \"nothing\"\nversion = \"0.0.0\"\n"),
        // It has the times of the copies beside it.
        Some(name)
            if path
                .parent()
                .is_some_and(|folder| folder.ends_with("cargo-found")) =>
        {
            name.ends_with(".json") && serde_json::from_slice::<Value>(&bytes).is_ok()
        }
        _ => false,
    };
    match is_whole {
        true => b"whole".to_vec(),
        false => bytes,
    }
}

/// Every file below a directory, by its name in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_path_buf();
                    all.insert(name, contents(&path));
                }
            }
        }
    }
    all
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn command(words: &str, folder: &Path) -> Command {
    let mut command = Command::new(brawn_path());
    command.args(words.split(' ')).current_dir(folder);
    let fixed = folder.with_file_name("fixed");
    if words.starts_with("cargo ") {
        command
            .current_dir(&fixed)
            .env("CARGO", fixed.join("cargo"));
        let tools = toolchain().join("bin");
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path);
    }
    command.env("TMPDIR", fixed.join("tmp"));
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs it to its end, and to that of what it has started.
fn finish(mut command: Command) -> bool {
    let (mut pipe, end) = std::io::pipe().unwrap();
    command.stdout(end);
    let status = command.status().unwrap();
    drop(command);
    pipe.read_to_end(&mut Vec::new()).unwrap();
    status.success()
}

/// What stays where it is, with the times that it has: a program to be run, and a package for cargo.
fn fixed(folder: &Path) {
    fs::create_dir_all(folder.join("tmp")).unwrap();
    let room = Room::with(RECORDED);
    room.run(
        "musl-gcc",
        &["-static -O1 -fno-builtin -s -o recorded main.c"],
    );
    ok("cp", &[&room.path("recorded"), folder.to_str().unwrap()]);
    // The build itself is not brawn's.
    let cargo = toolchain().join("bin/cargo");
    let script = format!(
        "#!/bin/sh\n[ -z \"$RUSTC_WRAPPER\" ] || exec {} \"$@\"\n",
        cargo.display()
    );
    fs::write(folder.join("cargo"), script).unwrap();
    make_program(&folder.join("cargo"));
    let package =
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), package).unwrap();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
}

/// What the commands begin with.
fn template(folder: &Path) {
    fixed(&folder.with_file_name("fixed"));
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -s -o tool main.c"]);
    fs::create_dir(folder).unwrap();
    let libc = Folder::small();
    let made = Made::new(&[("x86_64", libc.old())]);
    let bundle = made.packed();
    for (name, text) in [("heap", "old profile"), ("heap.html", "old page")] {
        fs::write(folder.join(name), text).unwrap();
    }
    for (name, from) in [
        ("bundle.tar.gz", bundle.clone()),
        ("patched.tar.gz", bundle),
        ("libc.a", libc.libc()),
        ("patched.a", libc.libc()),
        ("there.a", libc.libc()),
        ("tool", room.path("tool").into()),
        ("rewritten", room.path("tool").into()),
        ("there", room.path("tool").into()),
    ] {
        fs::copy(from, folder.join(name)).unwrap();
    }
    for words in [
        "patch patched.a",
        "patch patched.tar.gz",
        "rewrite rewritten",
    ] {
        assert!(finish(command(words, folder)), "{words}");
    }
}

/// Numbers that are hard enough to foresee.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

/// What became of the file that is written.
#[derive(Default, serde::Serialize)]
struct Found {
    kills: usize,
    old: usize,
    new: usize,
    too_late: usize,
}

/// Kills `brawn WORDS`, which writes `file`, that often.
fn campaign(room: &Path, (words, file): (&str, &str), kills: usize, random: &mut Random) -> Found {
    let (begin, run) = (room.join("begin"), room.join("run"));
    let old = files(&begin);
    // The shortest run: one that was held up would let most kills come too late.
    let mut shortest = Duration::MAX;
    let mut new = BTreeMap::new();
    for _ in 0..3 {
        copy(&begin, &run);
        let begun = Instant::now();
        assert!(finish(command(words, &run)), "{words}");
        shortest = shortest.min(begun.elapsed());
        new = files(&run);
        fs::remove_dir_all(&run).unwrap();
    }
    let is_written = |name: &Path| name.to_str().unwrap().starts_with(file);
    let hidden = |name: &Path| {
        name.components()
            .any(|part| part.as_os_str().as_encoded_bytes()[0] == b'.')
    };
    let mut found = Found::default();
    while found.kills < kills {
        copy(&begin, &run);
        let (mut pipe, end) = std::io::pipe().unwrap();
        let mut brawn = command(words, &run).stdout(end).spawn().unwrap();
        let most = u64::try_from(shortest.as_micros()).unwrap();
        std::thread::sleep(Duration::from_micros(random.below(most)));
        brawn.kill().unwrap();
        let is_killed = !brawn.wait().unwrap().success();
        // What it has started may go on.
        pipe.read_to_end(&mut Vec::new()).unwrap();
        let now = files(&run);
        for (name, bytes) in now.iter().filter(|(name, _)| !hidden(name)) {
            let is_whole = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
            assert!(is_whole, "{words}: half of {}", name.display());
        }
        for name in old.keys().filter(|name| new.contains_key(*name)) {
            assert!(now.contains_key(name), "{words}: lost {}", name.display());
        }
        // A second restore has nothing to do if the first one was done.
        finish(command(words, &run));
        let mut after = files(&run);
        // In the cache, this goes with a run on another day: it might be another process's.
        after.retain(|name, _| !(name.starts_with("cache") && hidden(name)));
        assert!(
            after.keys().eq(new.keys()) && after == new,
            "{words}: again: {:?}",
            after.keys()
        );
        // A recording is kept, as it is where brawn can say so.
        let temporary = room.join("fixed/tmp");
        for name in crate::common::names(&temporary) {
            assert!(name.starts_with("brawn-heap-"), "{words}: {name}");
            fs::remove_dir_all(temporary.join(name)).unwrap();
        }
        fs::remove_dir_all(&run).unwrap();
        let written = |all: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<_> {
            let all = all
                .iter()
                .filter(|(name, _)| is_written(name) && !hidden(name));
            all.map(|(name, bytes)| (name.clone(), bytes.clone()))
                .collect()
        };
        match is_killed {
            true if written(&now) == written(&old) => found.old += 1,
            true => found.new += 1,
            false => found.too_late += 1,
        }
        found.kills += usize::from(is_killed);
    }
    found
}

#[test]
fn every_command_that_writes_leaves_the_old_file_or_the_new_one() {
    let asked = std::env::var("BRAWN_KILLS").ok();
    let asked = asked.map(|kills| kills.parse::<usize>().expect("BRAWN_KILLS: a number"));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = now.unwrap().as_nanos() as u64 | 1;
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let kills = asked.unwrap_or(KILLS).div_ceil(2 * COMMANDS.len());
    let only = std::env::var("BRAWN_KILLS_OF").unwrap_or_default();
    let file = root().join("bench/results/kills.json");
    let mut all: Value = serde_json::from_slice(&read(&file)).unwrap();
    let date = ok("date", &["-u", "+%Y-%m-%d"]);
    for (name, place) in [
        ("disk", root().join("target")),
        ("tmpfs", "/dev/shm".into()),
    ] {
        let room = tempfile::tempdir_in(place).unwrap();
        template(&room.path().join("begin"));
        for one in COMMANDS.iter().filter(|one| one.0.starts_with(&only)) {
            let found = campaign(room.path(), *one, kills, &mut random);
            let mut found = serde_json::to_value(found).unwrap();
            found["date"] = json!(date.trim_end());
            all[name][one.0] = found;
        }
    }
    if asked.is_some() {
        let mut text = serde_json::to_string_pretty(&all).unwrap();
        text.push('\n');
        fs::write(file, text).unwrap();
    }
}
