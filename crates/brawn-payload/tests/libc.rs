//! Compiles `payload/libc/` with every compiler that has to be able to, and runs each family's test program, which
//! holds its functions against stock musl's: natively, or under qemu-user.  Looks at the members of every musl that
//! they stand in for.

#![allow(dead_code, missing_docs)] // the modules are the build script's; these tests use their lists and flags

use object::Object as _;
use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

mod broken;
#[path = "broken/print.rs"]
mod broken_print;
#[path = "broken/regex.rs"]
mod broken_regex;
#[path = "broken/strings.rs"]
mod broken_strings;
mod common;
#[path = "../build/compiler.rs"]
mod compiler;
#[path = "../build/engine/mod.rs"]
mod engine;
#[path = "../build/finish.rs"]
mod finish;
#[path = "../build/frames.rs"]
mod frames;
#[path = "../build/libc/mod.rs"]
mod libc;
#[path = "common/members.rs"]
mod members;
#[path = "../build/memory.rs"]
mod memory;
#[path = "../build/parallel.rs"]
mod parallel;
#[path = "../build/recipe.rs"]
mod recipe;
#[path = "../build/source.rs"]
mod source;

use broken::copy_files;
use common::{kept, root, write_specs};
use libc::{FAMILIES, Row};
use members::members;
use recipe::Architecture;

/// With it, as `make test-everything` sets it, gcc's functions take all inputs, too.
const EVERYTHING: &str = "BRAWN_CONFORMANCE_ALL";

/// A file that the first test to need it makes, for all others too.
type Made = OnceLock<std::result::Result<PathBuf, String>>;

/// What compiles the functions, and what they run on.
struct Side {
    compiler: &'static str,
    architecture: &'static Architecture,
    /// The directory of the musl that the test programs are linked with, in `target/tools/musls/`.
    musl: &'static str,
    /// What runs them.
    emulator: &'static [&'static str],
    /// Has them take few inputs.
    arguments: &'static [&'static str],
    archive: Made,
    /// gcc's specs for the musl. Written once: a gcc that reads them half written links with the system's glibc.
    specs: Made,
}

impl Side {
    const fn new(
        compiler: &'static str,
        number: usize,
        musl: &'static str,
        arguments: &'static [&'static str],
    ) -> Self {
        Self {
            compiler,
            architecture: &recipe::ARCHITECTURES[number],
            musl,
            emulator: &[],
            arguments,
            archive: OnceLock::new(),
            specs: OnceLock::new(),
        }
    }
}

static ZIG: Side = Side::new("zig", 0, "1.2.3", &[]);
// zig's, which people get, take all inputs; that gcc compiles the same is seen with few.
static GCC: Side = Side::new("gcc", 0, "1.2.3", &["sparse"]);
static ARM: Side = Side {
    emulator: &["qemu-aarch64"],
    arguments: &["sparse"],
    compiler: "zig",
    architecture: &recipe::ARCHITECTURES[1],
    musl: "1.2.3-arm64",
    archive: OnceLock::new(),
    specs: OnceLock::new(),
};

fn once(made: &Made, make: impl FnOnce() -> Result<PathBuf>) -> Result<&Path> {
    let made = made.get_or_init(|| make().map_err(|error| error.to_string()));
    Ok(made.as_ref().map_err(String::as_str)?)
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{command:?}: {}:\n{text}", output.status).into())
    }
}

fn musls() -> PathBuf {
    root().join("target/tools/musls")
}

impl Side {
    /// A directory of its own, which outlives the test: what is compiled in it is looked at after a failure.
    fn folder(&self) -> Result<PathBuf> {
        let name = format!("libc-{}-{}", self.compiler, self.architecture.name);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn command(&self) -> Command {
        if self.compiler == "gcc" {
            return Command::new("gcc");
        }
        let mut command = Command::new(root().join("target/tools/zig/ziglang/zig"));
        command.args(["cc", "-target", self.architecture.zig_target]);
        command.arg("-fno-sanitize=all");
        let cache = root().join("target/tools/zig-cache");
        command.env("ZIG_GLOBAL_CACHE_DIR", &cache);
        command.env("ZIG_LOCAL_CACHE_DIR", cache);
        command
    }

    /// Compiles `source`, without public names, to an object called `name`.
    fn compile(&self, source: &Path, name: &str, flags: &[&str]) -> Result<PathBuf> {
        let object = self.folder()?.join(name);
        let mut command = self.command();
        command.args(recipe::FLAGS).args(self.architecture.flags);
        command.args(["-DBRAWN_MEMORY_UNNAMED", "-DBRAWN_NOTE=\"test\""]);
        command.args(["-Wextra", "-Werror"]).args(flags);
        if self.compiler == "gcc" {
            command.args(kept::CHECKS);
            kept::compile(&command, source, &object)?;
            return Ok(object);
        }
        run(command.arg("-c").arg(source).arg("-o").arg(&object))?;
        Ok(object)
    }

    /// An archive of all functions and the memory functions, by their own names alone.
    fn archive(&self) -> Result<&Path> {
        once(&self.archive, || self.build())
    }

    fn build(&self) -> Result<PathBuf> {
        let payload = root().join("payload");
        let mut files: Vec<(PathBuf, String, Vec<&str>)> = Vec::new();
        let of_libc = |row: &Row| [libc::FLAGS, row.flags].concat();
        for (family, row) in rows() {
            if row.only.is_none_or(|only| only == self.architecture.name) {
                let path = payload.join("libc").join(family);
                let path = path.join(row.file).with_extension("c");
                files.push((path, format!("{family}-{}.o", row.file), of_libc(row)));
            }
        }
        let note = payload.join("libc/note.c");
        files.push((note, "note.o".into(), libc::FLAGS.to_vec()));
        for entry in fs::read_dir(payload.join("memory").join(self.architecture.name))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "c") {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let name = format!("memory-{stem}.o");
                files.push((path, name, recipe::MEMORY_FLAGS.to_vec()));
            }
        }
        let objects = parallel::map(&files, |(path, name, flags)| {
            self.compile(path, name, flags)
        })?;
        let archive = self.folder()?.join("libbrawn.a");
        if archive.exists() {
            fs::remove_file(&archive)?;
        }
        run(Command::new("ar").arg("rcs").arg(&archive).args(objects))?;
        Ok(archive)
    }

    /// gcc for this architecture, with the headers and libc.a of the musl.
    fn gcc(&self) -> Result<Command> {
        let file = once(&self.specs, || {
            Ok(write_specs(&musls().join(self.musl), &self.folder()?)?)
        })?;
        let mut command = self.plain_gcc();
        command.arg(format!("-specs={}", file.display()));
        Ok(command)
    }

    fn plain_gcc(&self) -> Command {
        match self.architecture.name == std::env::consts::ARCH {
            true => Command::new("gcc"),
            false => Command::new(format!("{}-linux-gnu-gcc", self.architecture.name)),
        }
    }

    /// What starts a program that was built for it.
    fn start(&self, program: &Path) -> Command {
        match self.emulator.split_first() {
            None => Command::new(program),
            Some((emulator, arguments)) => {
                let mut command = Command::new(emulator);
                command.args(arguments).arg(program);
                command
            }
        }
    }

    /// Builds and runs the test program of `family`.
    fn holds(&self, family: &str) -> Result<()> {
        let source = root().join(format!("payload/libc/tests/{family}.c"));
        if !source.exists() {
            let named = rows().find(|(of, row)| *of == family && !row.names.is_empty());
            assert!(named.is_none(), "{}: not there", source.display());
            return Ok(());
        }
        let program = self.folder()?.join(family);
        let mut command = self.gcc()?;
        // The functions that are held against ours are the library's, not the compiler's.
        command.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fno-builtin"]);
        command.args(["-static", "-pthread"]).arg(&source);
        command.arg(self.archive()?).args(["-lm", "-o"]);
        run(command.arg(&program))?;
        // Where masked stores are checked (`compile`), all inputs tell.
        let is_checked = self.compiler == "gcc" && family == "strings";
        let is_all = self.emulator.is_empty() && std::env::var_os(EVERYTHING).is_some();
        let few = (!is_checked && !is_all).then_some(self.arguments);
        let said = run(self.start(&program).args(few.unwrap_or_default()))?;
        print!("{said}");
        Ok(())
    }
}

fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    let families = FAMILIES.iter();
    families.flat_map(|(family, rows)| rows.iter().map(move |row| (*family, row)))
}

macro_rules! families {
    ($($family:ident)*) => {
        $(mod $family {
            use super::{ARM, GCC, Result, ZIG};

            #[test]
            fn holds_as_zig_compiles_it() -> Result<()> {
                ZIG.holds(stringify!($family))
            }

            #[test]
            fn holds_as_gcc_compiles_it() -> Result<()> {
                GCC.holds(stringify!($family))
            }

            #[test]
            fn holds_on_aarch64() -> Result<()> {
                ARM.holds(stringify!($family))
            }
        })*

        #[test]
        fn every_family_is_tested() {
            let tested = [$(stringify!($family)),*];
            assert!(FAMILIES.iter().map(|(family, _)| *family).eq(tested));
        }
    };
}

families!(math numbers regex sort stdio strings threads time);

/// Links a family's program with every musl, and runs it.
fn holds_with_every_musl(family: &str, argument: &str) -> Result<()> {
    let mut seen = 0;
    for entry in fs::read_dir(musls())? {
        let entry = entry?;
        let (musl, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // Of zig's there are archives only, without a heap; for riscv64 there are no functions.
        if name.starts_with("zig") || name.contains("riscv") || !musl.join("lib/libc.a").exists() {
            continue;
        }
        seen += 1;
        let side = if name.ends_with("-arm64") { &ARM } else { &ZIG };
        let folder = side.folder()?.join(format!("{family}-{name}"));
        fs::create_dir_all(&folder)?;
        let specs = write_specs(&musl, &folder)?;
        let mut command = side.plain_gcc();
        command.arg(format!("-specs={}", specs.display()));
        command.args(["-O2", "-fno-builtin", "-static", "-pthread", "-o"]);
        let program = folder.join(family);
        command.arg(&program);
        command.arg(root().join(format!("payload/libc/tests/{family}.c")));
        run(command.arg(side.archive()?))?;
        run(side.start(&program).arg(argument)).map_err(|e| format!("{name}: {e}"))?;
    }
    assert!(seen >= 8, "musls in {}: {seen}", musls().display());
    Ok(())
}

/// The order of equal elements is the same in all, and brawn's.
#[test]
fn equal_elements_stand_as_in_every_musl() -> Result<()> {
    holds_with_every_musl("sort", "order")
}

/// What regcomp makes of a pattern is the same in all, and so is what is found.
#[test]
fn patterns_find_what_they_find_with_every_musl() -> Result<()> {
    holds_with_every_musl("regex", "glance")
}

/// Breaks each function in turn; every one has to be found, and named.
fn found_and_named(
    family: &str,
    list: &[(&str, &str, &str, &str)],
    source_of: impl Fn(&str) -> &'static str,
    named: impl Fn(&str) -> String,
) -> Result<()> {
    let payload = root().join("payload");
    let archive = GCC.archive()?;
    let mut missed = Vec::new();
    let tested = tempfile::tempdir()?;
    let test = tested.path().join("test.o");
    let mut command = GCC.gcc()?;
    command.args(["-O2", "-fno-builtin", "-c", "-o"]).arg(&test);
    run(command.arg(payload.join(format!("libc/tests/{family}.c"))))?;
    for (file, from, to, function) in list {
        let work = tempfile::tempdir()?;
        let work = work.path();
        let own = format!("libc/{family}");
        let parts =
            "arch/x86_64 common libc libc/numbers libc/threads memory/generic memory/x86_64";
        for part in parts.split(' ').chain([&*own]) {
            copy_files(&payload.join(part), &work.join(part))?;
        }
        let folder = work.join(&own);
        let header = folder.join(format!("{file}.h"));
        let is_header = header.exists();
        let path = match is_header {
            true => header,
            false => folder.join(format!("{file}.c")),
        };
        let text = fs::read_to_string(&path)?;
        assert!(text.contains(from), "{file} has no {from:?} to break");
        fs::write(&path, text.replace(from, to))?;
        let source = match is_header {
            true => folder.join(source_of(file)),
            false => path,
        };
        let object = work.join("broken.o");
        let object = object.display().to_string();
        let flags = [libc::FLAGS, &["-w"]].concat();
        GCC.compile(&source, &object, &flags)?;
        let program = work.join(family);
        let mut command = GCC.gcc()?;
        command.arg("-static").arg(&test);
        // What is linked first takes the place of the archive's.
        command.arg(&object).arg(archive).args(["-lm", "-o"]);
        run(command.arg(&program))?;
        let what = format!("{file}: {from:?}");
        let started = || Command::new(&program);
        // Streams write in part where a reader is late, which on a busy machine is now and then.
        let ways = [&["glance"][..], &["sparse"; 8]].concat();
        missed.extend(broken::missed(started, &ways, &named(function), &what)?);
    }
    let missed = missed.join("\n");
    assert!(missed.is_empty(), "not found, or not named:\n{missed}");
    Ok(())
}

#[test]
fn a_broken_string_function_is_found_and_named() -> Result<()> {
    let named = |function: &str| format!("strings: {function} at level");
    found_and_named(
        "strings",
        broken_strings::BROKEN,
        |_| "strncasecmp.c",
        named,
    )
}

#[test]
fn a_broken_print_function_is_found_and_named() -> Result<()> {
    let source_of = |header: &str| match header {
        "blocks" => "reals.c",
        _ => "print.c",
    };
    let named = |function: &str| format!("stdio: {function}");
    found_and_named("stdio", broken_print::BROKEN, source_of, named)
}

#[test]
fn a_broken_regexec_is_found_and_named() -> Result<()> {
    let named = |what: &str| format!("regex: {what}");
    found_and_named("regex", broken_regex::BROKEN, |_| "regexec.c", named)
}

/// A member stays where it defines a name that no row has; and a need that one musl does not have would leave that
/// musl without the function.
#[test]
fn every_member_of_every_musl_can_go_and_has_what_is_needed() -> Result<()> {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(musls())? {
        let archive = entry?.path().join("lib/libc.a");
        if !archive.exists() || archive.to_string_lossy().contains("-riscv64") {
            continue;
        }
        seen += 1;
        let musl = archive.display();
        let is_arm = musl.to_string().contains("arm64");
        let architecture = &recipe::ARCHITECTURES[usize::from(is_arm)];
        let ours = || rows().filter(|(_, row)| row.only.is_none_or(|a| a == architecture.name));
        let libc: HashSet<&str> = ours().flat_map(|(_, row)| row.names).copied().collect();
        let memory = recipe::MEMORY.iter().flat_map(|(_, names)| names.iter());
        let known = libc.iter().copied().chain(memory.copied());
        let defaults = brawn_payload::DEFAULTS.iter().copied();
        let known: HashSet<&str> = known.chain(defaults).collect();
        let members = members(&archive)?;
        for (member, defined) in &members {
            let is_default = |name: &str| memory::OVER_A_DEFAULT.contains(&name);
            // pthread_cancel's own, which takes the place of the one that does not cancel.
            let cancels = |name: &str| {
                name == "__syscall_cp_c" && defined.iter().any(|other| other == "pthread_cancel")
            };
            let goes = |name: &&String| {
                libc.contains(name.as_str()) && !is_default(name) && !cancels(name)
            };
            let stays: Vec<_> = defined
                .iter()
                .filter(|name| !known.contains(name.as_str()))
                .collect();
            if let Some(name) = defined.iter().find(goes)
                && !stays.is_empty()
            {
                wrong.push(format!(
                    "{musl}({member}): defines {name}, but also {stays:?}"
                ));
            }
        }
        let defined: HashSet<&str> = members
            .iter()
            .flat_map(|(_, names)| names.iter().map(String::as_str))
            // zig 0.16 has its heap elsewhere; a program has one in any case.
            .chain([recipe::SURFACE, recipe::WAIT].concat())
            // The linker's.
            .chain(["_DYNAMIC"])
            .collect();
        for (family, row) in ours() {
            for need in row.needs.iter().filter(|need| !defined.contains(*need)) {
                wrong.push(format!(
                    "{musl}: no {need}, which {family}/{}.c needs",
                    row.file
                ));
            }
        }
    }
    assert!(seen >= 8, "musls in {}: {seen}", musls().display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_object_is_small_named_once_and_asks_for_the_note() -> Result<()> {
    for payload in brawn_payload::payloads() {
        let mut names = HashSet::new();
        for function in payload.libc.functions {
            let member = function.member;
            assert!(member.name.len() <= 15, "{}", member.name);
            assert!(names.insert(member.name), "{} twice", member.name);
            let is_note = function.own == ["brawn_libc_note"];
            assert_eq!(is_note, function.family.is_empty(), "{}", member.name);
            assert_ne!(is_note, function.needs.contains(&"brawn_libc_note"));
            let object = object::File::parse(member.bytes.get())?;
            let has_note = object.section_by_name(".note.brawn").is_some();
            assert_eq!(has_note, is_note, "{}", member.name);
        }
    }
    Ok(())
}
