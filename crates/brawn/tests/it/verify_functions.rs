//! `brawn verify` on functions of libc beside heap and memory: whose each is.

use crate::build::Room;
use crate::common::{brawn, ok, succeed};
use crate::verify::patched;
use serde_json::Value;

/// Calls functions of every kind, and brings one of its own.
const PROGRAM: &str = "#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>
static int by(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
wchar_t *wcschr(const wchar_t *s, wchar_t c) { while (*s && *s != c) s++; return *s == c ? (wchar_t *)s : 0; }
int main(int argc, char **argv) {
    qsort(argv[0], argc, 1, by);
    return strcasecmp(argv[0], \"x\") + (int)strtod(argv[0], 0) + (int)floor(argc) + (int)time(0) + !wcschr(L\"x\", argc);
}
";

/// `name provider`, sorted, of the functions that are listed as libc's.
fn libc(report: &Value) -> Vec<String> {
    let functions = report["functions"].as_array().expect("an array");
    let functions = functions.iter().filter(|f| f["group"] == "libc");
    let text = |f: &Value, key: &str| f[key].as_str().unwrap().to_owned();
    functions
        .map(|f| format!("{} {}", text(f, "name"), text(f, "provider")))
        .collect()
}

fn look(room: &Room, name: &str) -> Value {
    let arguments = ["verify", "--json", &room.path(name)];
    let output = brawn().args(arguments).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    json[0].clone()
}

fn build(room: &Room, more: &[&str], name: &str) {
    room.write("main.c", PROGRAM);
    let first = ["-static", "-O1", "-fno-builtin", "-D_GNU_SOURCE", "main.c"];
    let arguments = [&first, more, &["-o", name]].concat();
    room.run("musl-gcc", &arguments);
}

#[test]
fn every_function_of_libc_has_a_provider() {
    let room = patched();
    let lib = format!("-L{}", room.path("lib"));
    build(&room, &[&lib], "patched");
    let report = look(&room, "patched");
    let found = libc(&report);
    for name in ["floor", "qsort", "strcasecmp", "strtod", "time"] {
        assert!(
            found.contains(&format!("{name} brawn")),
            "{name}: {found:?}"
        );
    }
    assert!(found.contains(&"wcschr own".to_owned()), "{found:?}");
    assert!(!found.iter().any(|f| f.ends_with("musl")), "{found:?}");
    assert!(!found.iter().any(|f| f.starts_with("powf")), "{found:?}");
    let text = succeed(brawn().args(["verify", &room.path("patched")]));
    let line = text
        .lines()
        .find(|l| l.trim().starts_with("libc    brawn's"));
    assert!(line.is_some_and(|l| l.contains(" strtod")), "{text}");
    // Without its symbols: by the code, and what several functions have tells none.
    ok("strip", &[&room.path("patched")]);
    let found = libc(&look(&room, "patched"));
    for name in ["floor", "strtod"] {
        assert!(
            found.contains(&format!("{name} brawn")),
            "{name}: {found:?}"
        );
    }
    assert!(!found.iter().any(|f| f.contains("round")), "{found:?}");
}

#[test]
fn what_stays_musls_is_musls() {
    let room = Room::new();
    build(&room, &[], "stock");
    let found = libc(&look(&room, "stock"));
    assert!(!found.iter().any(|f| f.ends_with("brawn")), "{found:?}");
    assert!(found.contains(&"strtod musl".to_owned()), "{found:?}");
    let room = Room::new();
    let archive = room.path("libc.a");
    let stock = crate::common::MUSL;
    succeed(brawn().args(["patch", "--without", "math", "-o", &archive, stock]));
    build(&room, &[&format!("-L{}", room.path(""))], "mixed");
    let found = libc(&look(&room, "mixed"));
    assert!(found.contains(&"floor musl".to_owned()), "{found:?}");
    assert!(found.contains(&"strtod brawn".to_owned()), "{found:?}");
}

#[test]
fn a_toolchain_says_whose_its_functions_are() {
    let command = |more: &[&str]| {
        let fixed = ["verify", "--filter", "semantics/malloc_zero"];
        let mut command = brawn();
        command.args(fixed).args(more);
        command
    };
    let text = succeed(&mut command(&["--cc", "musl-gcc -static"]));
    let line = text.lines().find(|l| l.trim().starts_with("libc:"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[1], words[3], "{line}");
    assert!(line.ends_with("functions are brawn's"), "{line}");
    // Where a family was left out, musl's are named.
    let room = Room::new();
    let archive = room.path("libc.a");
    succeed(brawn().args([
        "patch",
        "--without",
        "math",
        "-o",
        &archive,
        crate::common::MUSL,
    ]));
    let cc = format!("musl-gcc -static -L{}", room.path(""));
    let text = succeed(&mut command(&["--cc", &cc, "--json"]));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let functions = report["c"]["with"]["functions"].as_array().unwrap();
    let of = |name: &str| functions.iter().find(|f| f["name"] == name).unwrap();
    assert_eq!(of("floor")["provider"], "musl");
    assert_eq!(of("strtod")["provider"], "brawn");
    assert_eq!(of("malloc")["group"], "heap");
    assert!(report["c"]["before"]["functions"].is_null());
}
