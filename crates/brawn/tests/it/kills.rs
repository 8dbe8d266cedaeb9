//! Kills every command that writes at random instants, on two filesystems: what it was about to replace is the old file or the
//! new one, never half of one, and the same command finishes what the killed one began.
//!
//! `interrupted.rs` kills at each system call in turn; here the kill comes between and within them. `BRAWN_KILLS=3000` tries more (some minutes),
//! and writes bench/results/kills.json.

use crate::build::{PROGRAM, Room};
use crate::common::{Folder, brawn_path, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// How many kills, if nobody asks for more.
const KILLS: usize = 72;

/// The commands, with the file that each one writes. The last is where its cache is, if it writes there.
const COMMANDS: [(&str, &str); 9] = [
    ("patch libc.a", "libc.a"),
    ("restore patched.a", "patched.a"),
    ("rewrite tool", "tool"),
    ("restore rewritten", "rewritten"),
    ("patch libc.a -o there.a", "there.a"),
    ("rewrite tool -o there", "there"),
    ("image tool -o new.tar", "new.tar"),
    ("preload -o new.so", "new.so"),
    ("link-args --dir new", "new/"),
];

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
                    all.insert(name, fs::read(&path).unwrap());
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
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What the commands begin with.
fn template(folder: &Path) {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-static -O1 -s -o tool main.c"]);
    fs::create_dir(folder).unwrap();
    let libc = Folder::small();
    for (name, from) in [
        ("libc.a", libc.libc()),
        ("patched.a", libc.libc()),
        ("there.a", libc.libc()),
        ("tool", room.path("tool").into()),
        ("rewritten", room.path("tool").into()),
        ("there", room.path("tool").into()),
    ] {
        fs::copy(from, folder.join(name)).unwrap();
    }
    for words in ["patch patched.a", "rewrite rewritten"] {
        assert!(
            command(words, folder).status().unwrap().success(),
            "{words}"
        );
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
        assert!(command(words, &run).status().unwrap().success(), "{words}");
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
        let mut brawn = command(words, &run).spawn().unwrap();
        let most = u64::try_from(shortest.as_micros()).unwrap();
        std::thread::sleep(Duration::from_micros(random.below(most)));
        brawn.kill().unwrap();
        let is_killed = !brawn.wait().unwrap().success();
        let now = files(&run);
        for (name, bytes) in now.iter().filter(|(name, _)| !hidden(name)) {
            let is_whole = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
            assert!(is_whole, "{words}: half of {}", name.display());
        }
        for name in old.keys().filter(|name| new.contains_key(*name)) {
            assert!(now.contains_key(name), "{words}: lost {}", name.display());
        }
        // A second restore has nothing to do if the first one was done.
        let _ = command(words, &run).status().unwrap();
        let after = files(&run);
        assert!(
            after.keys().eq(new.keys()) && after == new,
            "{words}: again: {:?}",
            after.keys()
        );
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
    let mut all = BTreeMap::new();
    for (name, place) in [
        ("disk", root().join("target")),
        ("tmpfs", "/dev/shm".into()),
    ] {
        let room = tempfile::tempdir_in(place).unwrap();
        template(&room.path().join("begin"));
        let mut of = BTreeMap::new();
        for one in COMMANDS {
            of.insert(one.0, campaign(room.path(), one, kills, &mut random));
        }
        all.insert(name, of);
    }
    if asked.is_some() {
        let mut text = serde_json::to_string_pretty(&all).unwrap();
        text.push('\n');
        fs::write(root().join("bench/results/kills.json"), text).unwrap();
    }
}
