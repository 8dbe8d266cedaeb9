//! Builds programs for the tests of `inspect` and `link-args`.  A tool that is missing fails them.

use crate::common::{GLIBC, MUSL, brawn, ok, succeed, tools};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Allocates, itself and through libc, and says whether everything was as it should be.
pub const PROGRAM: &str = "#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char *s = strdup(argv[0]);
    if (!s || setenv(\"A\", s, 1) || strcmp(getenv(\"A\"), s)) return 1;
    char *volatile p = malloc(100 * argc);
    p = realloc(p, 5000);
    memcpy(p, s, strlen(s) + 1);
    int wrong = strcmp(p, s);
    free(p);
    free(s);
    return wrong;
}
";

/// The same with a family of its own, which `strdup` must use.
pub const OWN_FAMILY: &str = "#include <stdlib.h>
#include <string.h>
static char pool[1 << 16];
static size_t at;
void *malloc(size_t n) {
    char *p = pool + at;
    at += (n + 15) & ~(size_t)15;
    return at <= sizeof pool ? p : 0;
}
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) {
    void *q = malloc(n);
    if (p && q) memcpy(q, p, n);
    return q;
}
int main(void) {
    char *s = strdup(\"x\");
    return !(s >= pool && s < pool + sizeof pool);
}
";

/// With a heap in the place of musl's that has mimalloc's names, and that nothing of musl's passes on to.
pub const OTHER_HEAP: &str = "#include <stddef.h>
#include <string.h>
static char pool[1 << 16];
static size_t at;
void *mi_malloc(size_t n) {
    char *p = pool + at;
    at += (n + 15) & ~(size_t)15;
    return at <= sizeof pool ? p : 0;
}
void mi_free(void *p) { (void)p; }
void *malloc(size_t n) { return mi_malloc(n); }
void free(void *p) { mi_free(p); }
void *calloc(size_t a, size_t b) { return mi_malloc(a * b); }
void *realloc(void *p, size_t n) {
    void *q = mi_malloc(n);
    if (p && q) memcpy(q, p, n);
    return q;
}
void *__libc_malloc(size_t n) { return mi_malloc(n); }
void __libc_free(void *p) { mi_free(p); }
int main(int count, char **words) {
    char *s = strdup(words[count - 1]), copy[100];
    memcpy(copy, s, strlen(s) + 1);
    return strcmp(copy, words[count - 1]);
}
";

/// A directory to build in.
pub struct Room(TempDir);

impl Room {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// With `main.c`.
    pub fn with(source: &str) -> Self {
        let room = Self::new();
        room.write("main.c", source);
        room
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().expect("it has one")).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    }

    pub fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str()
            .expect("temporary directories are UTF-8")
            .into()
    }

    /// Runs a tool; paths are relative to the directory.  What `link_args` gave is split, as by a shell.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let words: Vec<&str> = arguments.iter().flat_map(|a| a.split(' ')).collect();
        run_in(self.0.path(), program, &words)
    }

    /// Runs a program that was built here, which must succeed.
    pub fn succeeds(&self, name: &str) {
        ok(&self.path(name), &[]);
    }

    /// What `inspect --json` says of a file here.
    pub fn inspect(&self, name: &str) -> Value {
        inspect(&self.path(name))
    }

    /// The payload and its flags, in a directory here.
    pub fn link_args(&self, format: &str) -> String {
        let dir = self.path("brawn");
        let text = succeed(brawn().args(["link-args", "--format", format, "--dir", &dir]));
        text.trim_end().to_string()
    }

    /// Runs the program, and holds that one heap is in it, which is brawn's.
    pub fn has_brawns_heap_only(&self, name: &str) {
        self.succeeds(name);
        let report = self.inspect(name);
        assert_eq!(report["heap"], "brawn", "{report:#}");
        assert_eq!(report["verdict"], "fine", "{report:#}");
        assert_eq!(report["libc"], "musl", "{report:#}");
        let symbols = ok("nm", &[&self.path(name)]);
        for musls in ["__malloc_context", "__bin_chunk", "__simple_malloc"] {
            assert!(!symbols.contains(musls), "{musls} is in {name}");
        }
        // Whoever asks for them, be it libc alone.
        assert!(
            ["brawn", "mixed"].contains(&report["memory"].as_str().unwrap()),
            "{report:#}"
        );
        for name in ["memcpy", "memset", "strlen"] {
            self.has_brawns(&symbols, name);
        }
        for shared in [" malloc", " free", " __libc_malloc"] {
            let count = symbols.lines().filter(|l| l.ends_with(shared)).count();
            assert_eq!(count, 1, "definitions of{shared}");
        }
    }
}

impl Room {
    /// Holds that of these symbols `name` is one with brawn's, if it is there.
    pub fn has_brawns(&self, symbols: &str, name: &str) {
        let place = |wanted: &str| {
            let mut words = symbols.lines().map(|l| l.split_whitespace());
            words.find_map(|mut w| {
                let place = w.next();
                (w.last() == Some(wanted)).then_some(place).flatten()
            })
        };
        if let Some(found) = place(name) {
            assert_eq!(
                place(&format!("brawn_{name}")),
                Some(found),
                "{name}\n{symbols}"
            );
        }
    }
}

/// What `inspect --json` says of one file.
pub fn inspect(path: &str) -> Value {
    let json = succeed(brawn().args(["inspect", "--json", path]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let files = json.as_array().expect("an array");
    assert_eq!(files.len(), 1);
    files[0].clone()
}

pub fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = std::process::Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("ZIG_GLOBAL_CACHE_DIR", tools().join("zig-cache"))
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The pinned zig.
pub fn zig() -> String {
    let zig = tools().join("zig/ziglang/zig");
    assert!(zig.exists(), "{}: run `make tools`", zig.display());
    zig.to_str().expect("UTF-8").into()
}

/// A file of Debian's musl.
pub fn musl(name: &str) -> String {
    let path = Path::new(MUSL).with_file_name(name);
    path.to_str().expect("UTF-8").into()
}

/// gcc's own library, which musl's long doubles need.
pub fn libgcc() -> String {
    ok("gcc", &["-print-libgcc-file-name"]).trim_end().into()
}

pub const ARCHIVES: [&str; 2] = [MUSL, GLIBC];
