//! Executables for tests: built once for each test, with the tools that `make test-tools` installs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that calls all functions of the heap and some memory functions, and makes a thread.
pub const THREADS: &str = r#"
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *work(void *argument) {
    free(malloc(10));
    return argument;
}
int main(int count, char **words) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    char *block = realloc(malloc(10 * count), 100);
    strcpy(block, words[0]);
    printf("%zu %zu\n", strlen(block), malloc_usable_size(block));
    void *other = calloc(3, count);
    memmove(other, block, 3);
    free(other);
    if (posix_memalign(&other, 64, 100)) return 1;
    free(other);
    free(valloc(3));
    free(memalign(32, 3));
    free(aligned_alloc(32, 3));
    free(reallocarray(0, 2, 3));
    free(block);
    return memcmp(words[0], "abc", 3) == 1 || (count > 9 && fork());
}
"#;

/// The specs of musl-gcc, and static-pie, which those lack.
const SPECS: &str = include_str!("../../../../../../conformance/src/musl.specs");

/// A command line that is being put together.
pub struct Build {
    compiler: Vec<String>,
    source: String,
    flags: Vec<String>,
    musl: Option<PathBuf>,
    behind: Option<String>,
}

impl Build {
    fn of(compiler: &[&str], source: &str) -> Self {
        Self {
            compiler: compiler.iter().map(ToString::to_string).collect(),
            source: source.into(),
            flags: Vec::new(),
            musl: None,
            behind: None,
        }
    }

    /// A build with gcc and a musl: a directory of `target/tools/musls`.
    pub fn musl(version: &str, source: &str) -> Self {
        let mut build = match version.ends_with("-arm64") {
            true => Self::of(&["aarch64-linux-gnu-gcc", "-mno-outline-atomics"], source),
            false => Self::of(&["gcc"], source),
        };
        build.musl = Some(tools().join("musls").join(version));
        build
    }

    /// A build with the system's compiler, for glibc.
    pub fn gcc(source: &str) -> Self {
        Self::of(&["gcc"], source)
    }

    /// Adds this assembly after libc.
    pub fn behind(mut self, assembly: &str) -> Self {
        self.behind = Some(assembly.into());
        self
    }

    /// Adds these flags.
    pub fn with(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(ToString::to_string));
        self
    }
}

/// The executable's bytes.
pub fn built(build: &Build) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = folder.path().join("program").with_extension("c");
    let program = folder.path().join("program");
    std::fs::write(&source, &build.source).expect("written");
    let mut command = Command::new(&build.compiler[0]);
    command.args(&build.compiler[1..]);
    if let Some(musl) = &build.musl {
        let specs = folder.path().join("specs");
        let part = |name: &str| musl.join(name).display().to_string();
        let text = SPECS
            .replace("@LIB@", &part("lib"))
            .replace("@INC@", &part("include"));
        std::fs::write(&specs, text).expect("written");
        command.arg(format!("-specs={}", specs.display()));
    }
    let last = folder.path().join("last.s");
    if let Some(assembly) = &build.behind {
        std::fs::write(&last, assembly).expect("written");
    }
    let behind = build.behind.iter().flat_map(|_| [Path::new("-lc"), &last]);
    let output = command
        .arg(&source)
        .args(&build.flags)
        .args(behind)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; `make test-tools` installs it", build.compiler[0]));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {said}", build.flags);
    std::fs::read(program).expect("readable")
}

/// The directory with what `make test-tools` fetches.
pub fn tools() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("the workspace's directory")
        .join("target/tools")
}

/// A file in a wheel of the corpus.
pub fn corpus(package: &str, file: &str) -> Vec<u8> {
    let path = tools().join("corpus").join(package);
    let bytes = std::fs::read(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; `make test-tools` fetches it", path.display()));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("a wheel");
    let mut entry = archive.by_name(file).expect("a file in it");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut entry, &mut bytes).expect("readable");
    bytes
}
