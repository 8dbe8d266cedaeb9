//! What brawn says of wrong inputs: `wrong_inputs.txt` is a table of command lines, with what each prints and its exit
//! code.  Read a row as somebody who has never seen brawn would.
//!
//! `$ brawn …` is run in a directory with files by the names that the rows use, `nobody$ brawn …` likewise by a user who may
//! write nothing.  What follows is all that is printed, on standard output and then on standard error, up to a line `...`
//! if there is one, and `? N` for the exit code.  `HERE` is the directory.  With `WRONG_INPUTS=write` in the environment the
//! test writes the table anew, for a look at the difference.

use crate::build::{PROGRAM, Room, zig};
use crate::common::{GLIBC, MUSL, brawn_path, ok, read};
use crate::rewrite_real::{ESBUILD, take};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Rows that the table has at least.
const ENOUGH: usize = 40;
/// Longer output is cut there when the table is written.
const LINES: usize = 4;

struct Row {
    /// What stands above it.
    comments: Vec<String>,
    is_nobody: bool,
    command: String,
    printed: Vec<String>,
    code: i32,
}

#[test]
fn the_table_says_what_is_printed() {
    let path = crate::common::root().join("crates/brawn/tests/it/wrong_inputs.txt");
    let table = fs::read_to_string(&path).expect("the table");
    let rows = rows(&table);
    assert!(rows.len() >= ENOUGH, "{} rows", rows.len());
    let folder = folder();
    let found: Vec<Row> = rows.iter().map(|row| row.run(&folder)).collect();
    if std::env::var_os("WRONG_INPUTS").is_some_and(|v| v == "write") {
        let text: Vec<String> = found.iter().map(Row::text).collect();
        fs::write(&path, text.join("\n")).expect("the table is written");
        return;
    }
    let wrong: Vec<String> = rows
        .iter()
        .zip(&found)
        .filter(|(row, found)| !row.agrees(found))
        .map(|(row, found)| format!("{}is now\n{}", row.text(), found.text()))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    // Nothing but what stood there, and what brawn was asked to write: refusals leave no trace.
    let left: Vec<String> = crate::common::names(Path::new(&folder.path("")))
        .into_iter()
        .filter(|name| name.contains("brawn-new") || name.starts_with("out"))
        .collect();
    assert_eq!(left, [""; 0]);
}

fn rows(table: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut comments = Vec::new();
    for line in table.lines() {
        let command = line.strip_prefix("$ brawn");
        let by_nobody = line.strip_prefix("nobody$ brawn");
        if let Some(command) = command.or(by_nobody) {
            rows.push(Row {
                comments: std::mem::take(&mut comments),
                is_nobody: by_nobody.is_some(),
                command: command.trim().into(),
                printed: Vec::new(),
                code: i32::MAX,
            });
        } else if line.starts_with('#') {
            comments.push(line.to_owned());
        } else if let Some(row) = rows.last_mut().filter(|row| row.code == i32::MAX) {
            match line.strip_prefix("? ") {
                Some(code) => row.code = code.parse().expect("a number"),
                None => row.printed.push(line.to_owned()),
            }
        }
    }
    rows
}

impl Row {
    fn run(&self, folder: &Room) -> Self {
        let words = shell_words::split(&self.command).expect("quoted as a shell reads it");
        let here = folder.path("");
        let here = here.trim_end_matches('/');
        let mut command = match self.is_nobody {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
                command.arg(folder.path("bin/brawn"));
                command
            }
            false => Command::new(brawn_path()),
        };
        let output = command
            .args(words)
            .current_dir(here)
            .env("LC_ALL", "C")
            .env("NO_COLOR", "1")
            .env("HOME", here)
            .env("XDG_CACHE_HOME", folder.path("cache"))
            .env("PATH", "/usr/bin:/bin")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .output()
            .expect("it runs");
        Self {
            comments: self.comments.clone(),
            is_nobody: self.is_nobody,
            command: self.command.clone(),
            printed: self.printed(&output, here),
            code: output.status.code().expect("no signal ended it"),
        }
    }

    /// The lines, as many as the table shows.
    fn printed(&self, output: &Output, here: &str) -> Vec<String> {
        let text = [&output.stdout[..], &output.stderr].concat();
        let text = String::from_utf8(text)
            .expect("UTF-8")
            .replace(here, "HERE");
        let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
        let is_cut = self.printed.last().is_some_and(|last| last == "...");
        let room = match is_cut {
            true => self.printed.len() - 1,
            false => LINES,
        };
        if is_cut || (self.printed.is_empty() && lines.len() > room) {
            lines.truncate(room);
            lines.push("...".into());
        }
        lines
    }

    fn agrees(&self, found: &Self) -> bool {
        self.printed == found.printed && self.code == found.code
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for comment in &self.comments {
            text.push_str(&format!("{comment}\n"));
        }
        if !self.comments.is_empty() {
            text.push('\n');
        }
        let who = if self.is_nobody { "nobody" } else { "" };
        text.push_str(&format!(
            "{who}{}\n",
            format!("$ brawn {}", self.command).trim_end()
        ));
        for line in &self.printed {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str(&format!("? {}\n", self.code));
        text
    }
}

/// Everything that the rows name.
fn folder() -> Room {
    let room = Room::with(PROGRAM);
    let path = |name: &str| PathBuf::from(room.path(name));
    let mode = |name: &str, mode| {
        fs::set_permissions(path(name), Permissions::from_mode(mode)).expect("changed");
    };
    mode("", 0o755);
    room.run("musl-gcc", &["-static -O1 -o program main.c"]);
    room.run("musl-gcc", &["-O1 -o musl-dynamic main.c"]);
    room.run("musl-gcc", &["-O1 -c -o object.o main.c"]);
    room.run("musl-gcc", &["-shared -fPIC -O1 -o library.so main.c"]);
    room.run("gcc", &["-O1 -o glibc-dynamic main.c"]);
    room.run("gcc", &["-static -O1 -o glibc-static main.c"]);
    let line = "cc -target aarch64-linux-musl -static -O1 -o aarch64 main.c";
    room.run(&zig(), &[line]);
    // Nobody looks at more of it than its header (`EM_RISCV`).
    let mut other = read(&path("program"));
    other[18..20].copy_from_slice(&243u16.to_le_bytes());
    fs::write(path("riscv64"), other).expect("written");
    mode("riscv64", 0o755);
    take(&room, ESBUILD, "go");
    room.write("text", "some text\n");
    room.write("script", "#!/bin/sh\nexit 0\n");
    room.write("empty", "");
    room.write("directory/file", "some text\n");
    fs::write(path("truncated"), &read(&path("program"))[..5000]).expect("written");
    for (name, from) in [("libc.a", MUSL), ("glibc.a", GLIBC)] {
        fs::copy(from, path(name)).expect("a libc.a of Debian's");
    }
    fs::write(path("truncated.a"), &read(&path("libc.a"))[..5000]).expect("written");
    fs::copy(path("libc.a"), path("patched.a")).expect("copied");
    ok(brawn_path(), &["patch", &room.path("patched.a")]);
    for copy in ["rewritten", "replaced", "setuid", "secret"] {
        fs::copy(path("program"), path(copy)).expect("copied");
    }
    for name in ["rewritten", "replaced"] {
        ok(brawn_path(), &["rewrite", &room.path(name)]);
    }
    fs::copy(path("glibc-static"), path("new")).expect("copied");
    fs::rename(path("new"), path("replaced")).expect("renamed");
    room.run("python3", &["-m zipfile -c package.whl program"]);
    room.run("tar", &["-czf package.tar.gz program"]);
    for name in ["text", "script", "empty", "truncated"] {
        mode(name, 0o755);
    }
    mode("setuid", 0o4755);
    mode("secret", 0o700);
    fs::create_dir(path("bin")).expect("made");
    fs::copy(brawn_path(), path("bin/brawn")).expect("copied");
    room
}

#[test]
fn json_of_verify_has_what_is_refused() {
    let room = crate::build::Room::with(crate::build::PROGRAM);
    room.run("musl-gcc", &["-static -o tool main.c"]);
    let output = crate::common::run(
        crate::common::brawn_path(),
        &[
            "verify",
            "--json",
            &room.path("main.c"),
            &room.path("tool"),
            &room.path("none"),
        ],
    );
    assert_eq!(output.status.code(), Some(5));
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 3);
    for (number, name, reason) in [
        (0, "main.c", "expected a static executable"),
        (2, "none", "cannot find it"),
    ] {
        let object = &all[number];
        assert_eq!(object["path"], room.path(name));
        assert_eq!(object["status"], "failed");
        assert!(
            object["reason"].as_str().unwrap().contains(reason),
            "{object}"
        );
    }
    assert_eq!(all[1]["verdict"], "not-replaced");
}
