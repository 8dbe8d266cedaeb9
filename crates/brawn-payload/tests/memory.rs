//! Compiles `payload/memory/` with every compiler that has to be able to, runs its test program, and looks at the objects.

#![allow(dead_code, missing_docs)] // the module is the build script's; these tests use its flags

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[path = "../build/engine.rs"]
mod engine;
#[path = "../build/recipe.rs"]
mod recipe;

/// Besides the heap's: clang would make three copies of what is written once.
const MORE_FLAGS: &[&str] = &["-fno-unroll-loops", "-Wextra", "-Werror"];

/// What musl's members define, and with it what the objects have to.
const NAMES: &[&str] = &[
    "__memcpy_fwd",
    "__memcpy_fwd_alias_1",
    "__memrchr",
    "__stpcpy",
    "__stpncpy",
    "__strchrnul",
    "bcmp",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "memrchr",
    "memset",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strrchr",
    "strstr",
];

fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("the workspace's folder")
        .to_owned()
}

fn must(output: Output, what: &Command) -> Result<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{what:?}: {}:\n{text}", output.status).into())
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    must(output, command)
}

/// The compiler's command, as the payload's recipe calls it.
fn compiler(name: &str, work: &Path) -> Command {
    if name != "zig" {
        return Command::new(name);
    }
    let mut command = Command::new(root().join("target/tools/zig/ziglang/zig"));
    command.args(["cc", "-target", "x86_64-linux-musl", "-fno-sanitize=all"]);
    command.env("ZIG_GLOBAL_CACHE_DIR", work.join("zig-cache"));
    command.env("ZIG_LOCAL_CACHE_DIR", work.join("zig-cache"));
    command
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "c") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Compiles `source` as a member and returns its object.
fn object(name: &str, source: &Path, work: &Path, more: &[&str]) -> Result<PathBuf> {
    let file = source.file_name().ok_or("a file")?;
    let object = work.join(file).with_extension("o");
    let mut command = compiler(name, work);
    command.args(recipe::FLAGS).args(MORE_FLAGS).args(more);
    command.arg("-fcf-protection=none");
    run(command.arg("-c").arg(source).arg("-o").arg(&object))?;
    Ok(object)
}

fn objects(name: &str, folder: &Path, work: &Path, more: &[&str]) -> Result<Vec<PathBuf>> {
    sources(folder)?
        .iter()
        .map(|source| object(name, source, work, more))
        .collect()
}

fn folder() -> PathBuf {
    root().join("payload/memory/x86_64")
}

const UNNAMED: &[&str] = &["-DBRAWN_MEMORY_UNNAMED"];

/// The test program, without the functions.
fn test_program(work: &Path) -> Result<PathBuf> {
    let object = work.join("test-program.o");
    let mut command = Command::new("gcc");
    command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-c"]);
    command.arg(root().join("payload/memory/tests/memory.c"));
    run(command.arg("-o").arg(&object))?;
    Ok(object)
}

/// Links it, with glibc, whose own functions are in it, too.
fn link(test: &Path, objects: &[PathBuf], work: &Path) -> Result<PathBuf> {
    let program = work.join("memory");
    let mut command = Command::new("gcc");
    run(command.arg(test).args(objects).arg("-o").arg(&program))?;
    Ok(program)
}

fn holds(compiler: &str, arguments: &[&str]) -> Result<()> {
    let work = tempfile::tempdir()?;
    let objects = objects(compiler, &folder(), work.path(), UNNAMED)?;
    let program = link(&test_program(work.path())?, &objects, work.path())?;
    let output = run(Command::new(program).args(arguments))?;
    print!("{output}");
    assert!(output.contains("level sse2: done"), "{output}");
    Ok(())
}

#[test]
fn every_function_holds_as_zig_compiles_it() -> Result<()> {
    holds("zig", &[])
}

#[test]
fn every_function_holds_as_gcc_compiles_it() -> Result<()> {
    holds("gcc", &["without-giants"])
}

#[test]
fn every_function_holds_as_clang_compiles_it() -> Result<()> {
    holds("clang", &["without-giants"])
}

/// A file, what is replaced in it, by what, and the function that has to be named: the first one tested of those that
/// use it.
const BROKEN: &[(&str, &str, &str, &str)] = &[
    ("memcpy.c", "d[n / 2] = middle;", "", "memcpy"),
    ("memcpy.c", "STOREU(d, head);", "", "memcpy"),
    (
        "memcpy.c",
        "- (uintptr_t)s >= n",
        "- (uintptr_t)s >= n / 2",
        "memcpy",
    ),
    (
        "memset.c",
        "PUT64(d + n - 8, bytes);",
        "PUT64(d + n - 7, bytes);",
        "memset",
    ),
    ("memcmp.c", "i += CTZ(m);", "", "memcmp"),
    ("memchr.c", "if (LIKELY(FITS(s)))", "if (1)", "strncpy"),
    ("memchr.c", "CTZ(m) < n ?", "1 ?", "memchr"),
    ("memrchr.c", "p += TOP(m);", "p += CTZ(m);", "memrchr"),
    ("strlen.c", "if (LIKELY(FITS(s)))", "if (1)", "strcat"),
    ("strnlen.c", "return i < n ? i : n;", "return i;", "strnlen"),
    ("strchrnul.c", "*p != (char)c ? NULL", "0 ? NULL", "strchr"),
    ("strrchr.c", "m &= end ^ (end - 1);", "", "strrchr"),
    ("strncmp.c", "if (at >= n) return 0;", "", "strncmp"),
    ("strncmp.c", "if (some > n) some = n;", "", "strncmp"),
    (
        "stpcpy.c",
        "- (WIDTH - 1), LOADU",
        "- (WIDTH - 2), LOADU",
        "strcpy",
    ),
    (
        "stpncpy.c",
        "if (length < n) brawn_memset",
        "if (length > n) brawn_memset",
        "strncpy",
    ),
    ("strncat.c", "end[length] = 0;", "", "strncat"),
    (
        "memmem.c",
        "known = repeats ? size - period : 0;",
        "known = size - period;",
        "memmem",
    ),
    ("strstr.c", "| carry)", ")", "strstr"),
];

#[test]
fn a_broken_function_is_found_and_named() -> Result<()> {
    let work = tempfile::tempdir()?;
    let whole = objects("gcc", &folder(), work.path(), UNNAMED)?;
    let test = test_program(work.path())?;
    let mut missed = Vec::new();
    for (file, from, to, function) in BROKEN {
        let broken = tempfile::tempdir()?;
        for entry in fs::read_dir(folder())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), broken.path().join(entry.file_name()))?;
            }
        }
        let source = broken.path().join(file);
        let text = fs::read_to_string(&source)?;
        assert!(text.contains(from), "{file} has no {from:?} to break");
        fs::write(&source, text.replace(from, to))?;
        let quiet = [UNNAMED, &["-Wno-unused", "-Wno-error"]].concat();
        let mut parts = whole.clone();
        parts.retain(|part| part.file_stem() != source.file_stem());
        parts.push(object("gcc", &source, broken.path(), &quiet)?);
        let output = Command::new(link(&test, &parts, broken.path())?)
            .arg("without-giants")
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let named = format!("memory: {function} at level");
        if output.status.code() != Some(1) || !text.contains(&named) {
            missed.push(format!("{file}: {from:?}: {}: {text}", output.status));
        }
    }
    assert!(
        missed.is_empty(),
        "not found, or not named:\n{}",
        missed.join("\n")
    );
    Ok(())
}

#[test]
fn the_objects_need_nothing_and_can_run_before_relocation() -> Result<()> {
    for name in ["zig", "gcc", "clang"] {
        let work = tempfile::tempdir()?;
        let (mut public, mut own, mut needed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for path in objects(name, &folder(), work.path(), &[])? {
            let bytes = fs::read(&path)?;
            let file = object::File::parse(&*bytes)?;
            let place = format!("{name}: {}", path.display());
            for section in file.sections() {
                for (at, relocation) in section.relocations() {
                    // Places relative to the code itself: the linker resolves them all.
                    let object::RelocationFlags::Elf { r_type } = relocation.flags() else {
                        return Err(format!("{place}: not ELF").into());
                    };
                    let relative = [object::elf::R_X86_64_PC32, object::elf::R_X86_64_PLT32];
                    assert!(relative.contains(&r_type), "{place}: {at:#x}: {r_type}");
                }
            }
            for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
                let symbol_name = symbol.name()?.to_owned();
                let object::SymbolFlags::Elf { st_other, .. } = symbol.flags() else {
                    return Err(format!("{place}: not ELF").into());
                };
                let hidden = st_other.0 & 3 == object::elf::STV_HIDDEN.0;
                if symbol.is_undefined() {
                    needed.insert(symbol_name);
                } else if hidden {
                    own.insert(symbol_name);
                } else {
                    assert!(symbol.is_weak(), "{place}: {symbol_name} is not weak");
                    assert!(
                        public.insert(symbol_name.clone()),
                        "{place}: {symbol_name} again"
                    );
                }
            }
        }
        assert_eq!(
            public,
            NAMES.iter().map(|&n| n.to_owned()).collect(),
            "{name}"
        );
        let missing: Vec<_> = needed.difference(&own).collect();
        assert!(missing.is_empty(), "{name}: needs {missing:?}");
    }
    Ok(())
}

#[test]
fn static_programs_of_musl_start_and_may_have_their_own() -> Result<()> {
    let work = tempfile::tempdir()?;
    let objects = objects("zig", &folder(), work.path(), &[])?;
    let source = work.path().join("own.c");
    // Thread-locals with an image, which libc copies before main; memcpy of its own, and strcat that needs none.
    fs::write(
        &source,
        "#include <stdio.h>\n#include <string.h>\n\
         static _Thread_local char image[300] = \"thread-local\";\n\
         static int calls;\n\
         #ifdef OWN\n\
         void *memcpy(void *restrict to, const void *restrict from, size_t n) {\n\
             volatile char *d = to; const char *s = from; calls++;\n\
             while (n--) *d++ = *s++;\n\
             return to; }\n\
         #endif\n\
         int main(void) {\n\
             char text[64] = \"a\"; char *volatile p = text;\n\
             void *(*volatile copy)(void *, const void *, size_t) = memcpy;\n\
             strcat(p, image); copy(p, \"b\", 1);\n\
             printf(\"%s %d\\n\", text, calls > 0);\n\
             return 0; }\n",
    )?;
    for (flags, own) in [(&["-static"][..], 0), (&["-static", "-DOWN"][..], 1)] {
        let program = work.path().join("own");
        let mut command = Command::new("musl-gcc");
        command
            .args(["-O2", "-fno-builtin"])
            .args(flags)
            .arg(&source);
        run(command.args(&objects).arg("-o").arg(&program))?;
        assert_eq!(
            run(&mut Command::new(&program))?,
            format!("bthread-local {own}\n")
        );
    }
    // zig's default for musl is static, and it can make static-pie.
    let program = work.path().join("pie");
    let mut command = compiler("zig", work.path());
    command
        .args(["-fPIE", "-pie", "-static", "-O2", "-fno-builtin"])
        .arg(&source);
    run(command.args(&objects).arg("-o").arg(&program))?;
    assert_eq!(run(&mut Command::new(&program))?, "bthread-local 0\n");
    Ok(())
}
