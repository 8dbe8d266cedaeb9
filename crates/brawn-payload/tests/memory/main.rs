//! Compiles `payload/memory/` with every compiler that has to be able to, runs its test program, natively or under
//! qemu-user, and looks at the objects.

#![allow(dead_code, missing_docs)] // the module is the build script's; these tests use its flags

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

mod breaks;
#[path = "../broken/mod.rs"]
mod broken;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../build/recipe.rs"]
mod recipe;
use breaks::{AARCH64_ALONE, Break, X86_64_ALONE};
use common::{kept, root, write_specs};
use recipe::Architecture;

/// Besides the heap's: clang would make three copies of what is written once.
const MORE_FLAGS: &[&str] = &["-fno-unroll-loops", "-Wextra", "-Werror"];

/// An architecture, what compiles for it, and what the objects have to be there.
struct Kind {
    architecture: &'static Architecture,
    compilers: &'static [&'static str],
    /// The level that is always there.
    level: &'static str,
    /// The names that only this architecture's members have.
    names: &'static [&'static str],
    /// Places relative to the code itself: the linker resolves them all.
    relative: &'static [object::elf::RelocationType],
    broken: &'static [Break],
    /// What the broken functions run under: here all of their code runs.
    emulator: &'static [&'static str],
}

const X86_64: Kind = Kind {
    architecture: &recipe::ARCHITECTURES[0],
    compilers: &["zig", "gcc", "clang"],
    level: "sse2",
    names: &["__memcpy_fwd", "__memcpy_fwd_alias_1"],
    relative: &[object::elf::R_X86_64_PC32, object::elf::R_X86_64_PLT32],
    broken: X86_64_ALONE,
    emulator: &[],
};

const AARCH64: Kind = Kind {
    architecture: &recipe::ARCHITECTURES[1],
    compilers: &["zig", "gcc"],
    level: "neon",
    names: &[],
    relative: &[
        object::elf::R_AARCH64_CALL26,
        object::elf::R_AARCH64_JUMP26,
        object::elf::R_AARCH64_ADR_PREL_PG_HI21,
        object::elf::R_AARCH64_ADD_ABS_LO12_NC,
        object::elf::R_AARCH64_LDST128_ABS_LO12_NC,
    ],
    broken: AARCH64_ALONE,
    emulator: CORTEX,
};

/// A processor that clears blocks of 64 bytes, which memset asks for.
const CORTEX: &[&str] = &["qemu-aarch64", "-cpu", "cortex-a57"];
/// qemu's own, whose blocks have 512, with the kernel's smallest and largest pages.
const SMALL_PAGES: &[&str] = &["qemu-aarch64", "-p", "4096"];
const LARGE_PAGES: &[&str] = &["qemu-aarch64", "-p", "65536"];

/// What musl's members define on every architecture, and with it what the objects have to.
const NAMES: &[&str] = &[
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
fn compiler(name: &str, kind: &Kind, work: &Path) -> Command {
    if name == "gcc" && kind.architecture.name != std::env::consts::ARCH {
        return Command::new(format!("{}-linux-gnu-gcc", kind.architecture.name));
    }
    if name != "zig" {
        return Command::new(name);
    }
    let mut command = Command::new(root().join("target/tools/zig/ziglang/zig"));
    command.args(["cc", "-target", kind.architecture.zig_target]);
    command.arg("-fno-sanitize=all");
    command.env(
        "ZIG_GLOBAL_CACHE_DIR",
        root().join("target/tools/zig-cache"),
    );
    command.env("ZIG_LOCAL_CACHE_DIR", work.join("zig-cache"));
    command
}

fn started(emulator: &[&str], program: &Path) -> Command {
    let Some((emulator, arguments)) = emulator.split_first() else {
        return Command::new(program);
    };
    let mut command = Command::new(emulator);
    command.args(arguments).arg(program);
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
fn object(name: &str, kind: &Kind, source: &Path, work: &Path, more: &[&str]) -> Result<PathBuf> {
    let file = source.file_name().ok_or("a file")?;
    let object = work.join(file).with_extension("o");
    let mut command = compiler(name, kind, work);
    command.args(recipe::FLAGS).args(kind.architecture.flags);
    command.args(MORE_FLAGS).args(more);
    if command.get_program() == "gcc" {
        kept::compile(&command, source, &object)?;
        return Ok(object);
    }
    run(command.arg("-c").arg(source).arg("-o").arg(&object))?;
    Ok(object)
}

fn objects(name: &str, kind: &Kind, work: &Path, more: &[&str]) -> Result<Vec<PathBuf>> {
    sources(&folder().join(kind.architecture.name))?
        .iter()
        .map(|source| object(name, kind, source, work, more))
        .collect()
}

fn folder() -> PathBuf {
    root().join("payload/memory")
}

const UNNAMED: &[&str] = &["-DBRAWN_MEMORY_UNNAMED"];
/// With them, a masked store that lies on two pages ends the program (x86_64/vector.h).
const CHECKED: &[&str] = &["-DBRAWN_MEMORY_UNNAMED", "-DBRAWN_MEMORY_CHECK_MASKED"];

/// The test program, without the functions.
fn test_program(kind: &Kind, work: &Path) -> Result<PathBuf> {
    let object = work.join("test-program.o");
    let mut command = compiler("gcc", kind, work);
    // -O3: the references' loops over bytes are most of its time.
    command.args(["-O3", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-c"]);
    command.arg(folder().join("tests/memory.c"));
    run(command.arg("-o").arg(&object))?;
    Ok(object)
}

/// Links it, with glibc, whose own functions are in it, too.
fn link(kind: &Kind, test: &Path, objects: &[PathBuf], work: &Path) -> Result<PathBuf> {
    let program = work.join("memory");
    let mut command = compiler("gcc", kind, work);
    command.arg("-static").arg(test).args(objects);
    run(command.arg("-o").arg(&program))?;
    Ok(program)
}

/// Runs it as each of the emulators does, with the arguments.
fn holds(compiler: &str, kind: &Kind, emulators: &[&[&str]], arguments: &[&str]) -> Result<()> {
    let work = tempfile::tempdir()?;
    let work = work.path();
    let flags = if compiler == "gcc" { CHECKED } else { UNNAMED };
    let objects = objects(compiler, kind, work, flags)?;
    let program = link(kind, &test_program(kind, work)?, &objects, work)?;
    for emulator in emulators {
        let output = run(started(emulator, &program).args(arguments))?;
        print!("{output}");
        let done = format!("level {}: done", kind.level);
        assert!(output.contains(&done), "{output}");
    }
    Ok(())
}

#[test]
fn every_function_holds_as_zig_compiles_it() -> Result<()> {
    holds("zig", &X86_64, &[&[]], &[])
}

#[test]
fn every_function_holds_as_gcc_compiles_it() -> Result<()> {
    holds("gcc", &X86_64, &[&[]], &["without-giants"])
}

#[test]
fn every_function_holds_as_clang_compiles_it() -> Result<()> {
    holds("clang", &X86_64, &[&[]], &["sparse"])
}

#[test]
fn every_function_holds_on_aarch64_as_zig_compiles_it() -> Result<()> {
    holds("zig", &AARCH64, &[SMALL_PAGES, LARGE_PAGES], &["sparse"])
}

#[test]
fn every_function_holds_on_aarch64_as_gcc_compiles_it() -> Result<()> {
    holds("gcc", &AARCH64, &[CORTEX], &["sparse"])
}

/// A masked load or store that reaches into a page that is not there takes a hundred times as long, and no test of
/// results sees it. So there are none but where vector.h has their place checked.
#[test]
fn masked_accesses_are_those_whose_place_is_checked() -> Result<()> {
    let mut checked = 0;
    for part in ["memory/generic", "memory/x86_64", "libc/strings"] {
        for entry in fs::read_dir(root().join("payload").join(part))? {
            let path = entry?.path();
            for line in fs::read_to_string(&path)?.lines() {
                let masked = [
                    "mask_store",
                    "mask_load",
                    "maskz_load",
                    "maskload",
                    "maskstore",
                ];
                if masked.iter().any(|word| line.contains(word)) {
                    assert!(line.contains("MUST_FIT(p)"), "{}: {line}", path.display());
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(checked, 2);
    Ok(())
}

fn needs_nothing(kind: &Kind) -> Result<()> {
    for name in kind.compilers {
        let work = tempfile::tempdir()?;
        let (mut public, mut own, mut needed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for path in objects(name, kind, work.path(), &[])? {
            let bytes = fs::read(&path)?;
            let file = object::File::parse(&*bytes)?;
            let place = format!("{name}: {}", path.display());
            // Unwind information is taken out of the objects and kept beside them (build/frames.rs).
            let sections = file.sections();
            for section in sections.filter(|s| s.name() != Ok(".eh_frame")) {
                for (at, relocation) in section.relocations() {
                    let object::RelocationFlags::Elf { r_type } = relocation.flags() else {
                        return Err(format!("{place}: not ELF").into());
                    };
                    let relative = kind.relative.contains(&r_type);
                    assert!(relative, "{place}: {at:#x}: relocation {r_type}");
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
            (NAMES.iter().chain(kind.names))
                .map(|&n| n.to_owned())
                .collect(),
            "{name}"
        );
        let missing: Vec<_> = needed.difference(&own).collect();
        assert!(missing.is_empty(), "{name}: needs {missing:?}");
    }
    Ok(())
}

#[test]
fn the_objects_need_nothing_and_can_run_before_relocation() -> Result<()> {
    needs_nothing(&X86_64)?;
    needs_nothing(&AARCH64)
}

/// A program with thread-locals that have an image, which libc copies before main; with memcpy of its own (-DOWN), and
/// strcat that needs none.
fn own(work: &Path) -> Result<PathBuf> {
    let source = work.join("own.c");
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
    Ok(source)
}

/// Links it by each of the commands, with what they add, and runs it, which has to say whether it has its own.
fn starts(
    commands: Vec<(Command, &[&str], u32)>,
    objects: &[PathBuf],
    emulator: &[&str],
    work: &Path,
) -> Result<()> {
    let source = own(work)?;
    let program = work.join("own");
    for (mut command, flags, own) in commands {
        command.args(["-O2", "-fno-builtin"]).args(flags);
        run(command.arg(&source).args(objects).arg("-o").arg(&program))?;
        let said = run(&mut started(emulator, &program))?;
        assert_eq!(said, format!("bthread-local {own}\n"), "{command:?}");
    }
    Ok(())
}

#[test]
fn static_programs_of_musl_start_and_may_have_their_own() -> Result<()> {
    let work = tempfile::tempdir()?;
    let work = work.path();
    let objects = objects("zig", &X86_64, work, &[])?;
    let musl = || Command::new("musl-gcc");
    let commands: Vec<(_, &[&str], _)> = vec![
        (musl(), &["-static"], 0),
        (musl(), &["-static", "-DOWN"], 1),
        // zig's default for musl is static, and it can make static-pie.
        (
            compiler("zig", &X86_64, work),
            &["-fPIE", "-pie", "-static"],
            0,
        ),
    ];
    starts(commands, &objects, &[], work)
}

#[test]
fn static_programs_of_musl_start_on_aarch64() -> Result<()> {
    let musl = root().join("target/tools/musls/1.2.3-arm64");
    assert!(
        musl.join("lib/libc.a").exists(),
        "{}: not there: run `make test-tools`",
        musl.display()
    );
    let work = tempfile::tempdir()?;
    let work = work.path();
    let specs_file = write_specs(&musl, work)?;
    let specs_flag = format!("-specs={}", specs_file.display());
    for name in AARCH64.compilers {
        let objects = objects(name, &AARCH64, work, &[])?;
        let musl = || {
            let mut command = compiler("gcc", &AARCH64, work);
            command.arg(&specs_flag);
            command
        };
        let commands: Vec<(_, &[&str], _)> = vec![
            (musl(), &["-static"], 0),
            (musl(), &["-static", "-DOWN"], 1),
            (musl(), &["-fPIE", "-static-pie"], 0),
            (
                compiler("zig", &AARCH64, work),
                &["-fPIE", "-pie", "-static"],
                0,
            ),
        ];
        starts(commands, &objects, SMALL_PAGES, work)?;
    }
    Ok(())
}
