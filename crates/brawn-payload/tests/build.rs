//! Builds the payload again, with the build script's own modules, and looks at what comes out.

#![allow(dead_code, missing_docs)] // the modules are the build script's; these tests call some of it

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[path = "build/aarch64.rs"]
mod aarch64;
mod common;
#[path = "../build/compiler.rs"]
mod compiler;
#[path = "../build/engine/mod.rs"]
mod engine;
#[path = "../build/finish.rs"]
mod finish;
#[path = "../build/frames.rs"]
mod frames;
#[path = "../build/heap.rs"]
mod heap;
#[path = "../build/libc/mod.rs"]
mod libc;
#[path = "../build/memory.rs"]
mod memory;
#[path = "../build/parallel.rs"]
mod parallel;
#[path = "../build/preload.rs"]
mod preload;
#[path = "../build/recipe.rs"]
mod recipe;
#[path = "../build/source.rs"]
mod source;

use common::{copy_tree, root};
use compiler::Compiler;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

fn zig() -> PathBuf {
    root().join("target/tools/zig/ziglang/zig")
}

/// With it, as `make test-everything` sets it, every profile is built each time.
const EVERYTHING: &str = "BRAWN_CONFORMANCE_ALL";

/// Those of an architecture's profiles that are built, where `are_enough` are for what is shown.
fn profiles(architecture: &recipe::Architecture, are_enough: &[&str]) -> Vec<&'static str> {
    let everything = std::env::var_os(EVERYTHING).is_some();
    let all = architecture.profiles();
    all.filter(|profile| everything || are_enough.contains(profile))
        .collect()
}

/// Which profile shows for an architecture that zig's bytes are the same everywhere: what the profiles change is one header.
fn shown(architecture: &recipe::Architecture) -> Vec<&'static str> {
    let shows = match architecture.name {
        "x86_64" => "fast",
        "aarch64" => "secure",
        _ => "lean",
    };
    profiles(architecture, &[shows])
}

/// Copies payload and engine below `folder`, and builds there with what `compiler` makes: of each architecture and those
/// of its `profiles` the heap in both forms, and the object for LD_PRELOAD.
fn build_in(
    folder: &Path,
    profiles: impl Fn(&recipe::Architecture) -> Vec<&'static str>,
    compiler: impl Fn(&Path) -> Result<Compiler>,
) -> Result<Vec<Vec<u8>>> {
    let (payload, work) = (folder.join("payload"), folder.join("work"));
    copy_tree(&root().join("payload"), &payload)?;
    fs::create_dir(&work)?;
    let engine = engine::patched(Path::new(env!("CARGO_MANIFEST_DIR")), &payload, folder)?;
    let compiler = compiler(&work)?;
    let version = env!("CARGO_PKG_VERSION");
    let mut built = Vec::new();
    for architecture in recipe::ARCHITECTURES
        .iter()
        .filter(|a| compiler.targets(a.name))
    {
        let functions = memory::build(&compiler, &payload, architecture, version)?;
        let kit = heap::Kit {
            compiler: &compiler,
            payload: &payload,
            engine: &engine,
            architecture,
            version,
        };
        for heaps in kit.build(&profiles(architecture), &work, functions.as_ref())? {
            built.push(heaps.libc.object.bytes);
            built.extend(heaps.shared.map(|heap| heap.object.bytes));
            built.extend(heaps.preload.map(|preload| preload.linked));
        }
    }
    Ok(built)
}

/// What zig builds in a directory with another name than the checkout's, and longer.
struct Elsewhere {
    /// A part of the directory's path that no other has.
    name: String,
    objects: Vec<Vec<u8>>,
}

/// Built once: two tests look at it.
fn elsewhere() -> Result<&'static Elsewhere> {
    static BUILT: OnceLock<std::result::Result<Elsewhere, String>> = OnceLock::new();
    let build = || -> Result<Elsewhere> {
        let folder = tempfile::tempdir()?;
        let name = folder.path().file_name().and_then(OsStr::to_str);
        let name = name.ok_or("a name")?.to_owned();
        let deep = folder.path().join("another directory/with a longer name");
        let objects = build_in(&deep, shown, |work| Compiler::zig(&zig(), work))?;
        Ok(Elsewhere { name, objects })
    };
    let built = BUILT.get_or_init(|| build().map_err(|error| error.to_string()));
    Ok(built.as_ref().map_err(String::as_str)?)
}

/// The build script's directory is the other one.
#[test]
fn two_folders_give_the_same_bytes() -> Result<()> {
    let built = &elsewhere()?.objects;
    let forms = |a: &recipe::Architecture| {
        1 + [recipe::Part::Shared, recipe::Part::Memory]
            .map(|part| usize::from(a.has(part)))
            .iter()
            .sum::<usize>()
    };
    let all = recipe::ARCHITECTURES.iter();
    let expected: usize = all.map(|a| forms(a) * shown(a).len()).sum();
    assert_eq!(built.len(), expected);
    let mut embedded: Vec<&[u8]> = Vec::new();
    let is_shown = |p: &brawn_payload::Payload| {
        let mut all = recipe::ARCHITECTURES.iter();
        let own = all.find(|a| a.name == p.architecture.name());
        own.is_some_and(|a| shown(a).contains(&p.profile.name()))
    };
    for p in brawn_payload::payloads().iter().filter(|p| is_shown(p)) {
        embedded.push(p.members[0].bytes.get());
        let mut shared = brawn_payload::shared().iter();
        let shared = shared.find(|s| s.architecture == p.architecture && s.profile == p.profile);
        embedded.extend(shared.map(|shared| shared.bytes.get()));
        let preload = brawn_payload::preload(p.architecture, p.profile);
        embedded.extend(preload.map(|preload| preload.bytes.get()));
    }
    assert!(
        *built == embedded,
        "the embedded payload is not what zig builds from these sources in another directory"
    );
    Ok(())
}

#[test]
fn no_path_of_the_build_is_in_the_object() -> Result<()> {
    let Elsewhere { name, objects } = elsewhere()?;
    for object in objects {
        let found = object
            .windows(name.len())
            .any(|window| window == name.as_bytes());
        assert!(!found, "the object names its build directory");
    }
    Ok(())
}

#[test]
fn the_hosts_compilers_build_it_and_the_note_says_so() -> Result<()> {
    // Each profile by one of them.
    for (program, its) in [("gcc", ["fast", "secure"]), ("clang", ["lean", "trace"])] {
        let folder = tempfile::tempdir()?;
        let its = |architecture: &_| profiles(architecture, &its);
        let built = build_in(folder.path(), its, |work| {
            Compiler::host(OsStr::new(program), work)
        })
        .map_err(|error| format!("{program}: {error}"))?;
        let object = built.first().ok_or("no payload for this host")?;
        let note = note(object)?;
        let compiler = note
            .lines()
            .find(|line| line.starts_with("compiler="))
            .ok_or("no compiler")?;
        assert!(compiler.contains(program), "{compiler}");
    }
    Ok(())
}

/// What `brawn preload` promises of every object: exactly these names, no other file, and only what every libc has.
#[test]
fn objects_for_ld_preload_ask_for_no_file_and_give_the_public_names_alone() -> Result<()> {
    let names = brawn_payload::PRELOAD_NAMES;
    assert_eq!(names.len(), 10 + 2 + 1 + 22);
    // An architecture without memory functions has none.
    for payload in brawn_payload::payloads()
        .iter()
        .filter(|p| p.memory.is_some())
    {
        let preload = brawn_payload::preload(payload.architecture, payload.profile);
        let bytes = preload.ok_or("no object for LD_PRELOAD")?.bytes.get();
        preload::check(bytes, names)?;
        let file = object::File::parse(bytes)?;
        let strong = file
            .dynamic_symbols()
            .filter(|s| s.is_undefined() && !s.is_weak());
        let mut strong: Vec<&str> = strong
            .map(|s| s.name())
            .collect::<std::result::Result<_, _>>()?;
        strong.sort_unstable();
        assert_eq!(strong, ["__environ", "__errno_location", "getauxval"]);
        assert!(file.symbols().next().is_none(), "it is stripped");
        for prefix in [".eh_frame", ".init_array", ".fini_array"] {
            let found = file.section_by_name(prefix).is_some();
            assert!(!found, "{prefix}");
        }
        let other: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| *name != "valloc")
            .collect();
        let error = preload::check(bytes, &other).expect_err("one name too many");
        assert!(error.to_string().contains("valloc"), "{error}");
    }
    Ok(())
}

/// Builds the memory functions for x86_64 from a copy of their sources below `folder`.
fn memory_in(
    folder: &Path,
    compiler: impl Fn(&Path) -> Result<Compiler>,
) -> Result<memory::Memory> {
    let (payload, work) = (folder.join("payload"), folder.join("work"));
    copy_tree(&root().join("payload"), &payload)?;
    fs::create_dir(&work)?;
    let architecture = &recipe::ARCHITECTURES[0];
    let version = env!("CARGO_PKG_VERSION");
    let built = memory::build(&compiler(&work)?, &payload, architecture, version)?;
    built.ok_or_else(|| "no memory functions".into())
}

#[test]
fn memory_functions_are_the_same_wherever_they_are_built_and_say_what_they_are() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let deep = folder.path().join("another directory/with a longer name");
    let elsewhere = memory_in(&deep, |work| Compiler::zig(&zig(), work))?;
    let payload = brawn_payload::payload(brawn_payload::Architecture::X86_64, Default::default());
    let embedded = payload.and_then(|p| p.memory).ok_or("none embedded")?;
    assert_eq!(elsewhere.functions.len(), embedded.functions.len());
    for (built, ours) in elsewhere.functions.iter().zip(embedded.functions) {
        let member = &built.member;
        assert!(built.object.bytes == ours.member.bytes.get(), "{member}");
        assert!(member == ours.member.name && member.len() <= 15);
        let has_note = note(&built.object.bytes).is_ok();
        assert_eq!(has_note, member == "brawn_level.o", "{member}");
        if has_note {
            let text = note(&built.object.bytes)?;
            for line in [
                "component=memory\n",
                &format!("source={}\n", embedded.source),
            ] {
                assert!(text.contains(line), "{line} is not in the note:\n{text}");
            }
        }
    }
    for program in ["gcc", "clang"] {
        let folder = tempfile::tempdir()?;
        let compiler = |work: &Path| Compiler::host(OsStr::new(program), work);
        let built = memory_in(folder.path(), compiler)?;
        assert_eq!(built.functions.len(), embedded.functions.len(), "{program}");
        for (host, zigs) in built.functions.iter().zip(&elsewhere.functions) {
            assert_eq!((&host.surface, &host.own), (&zigs.surface, &zigs.own));
        }
    }
    Ok(())
}

#[test]
fn a_memory_function_that_defines_or_needs_what_is_not_listed_is_refused() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let hidden = "__attribute__((visibility(\"hidden\")))";
    let weak = "__attribute__((weak, visibility(\"default\")))";
    for (source, expected) in [
        (
            format!("{weak} int strlen(void) {{ return 0; }} int other(void) {{ return 1; }}"),
            "other",
        ),
        (
            format!("{hidden} int brawn_strlen(void) {{ return 0; }}"),
            "does not define strlen",
        ),
        (
            format!(
                "__attribute__((visibility(\"default\"))) int strlen(void) {{ return 0; }} {hidden} int \
                 brawn_strlen(void) {{ return 0; }}"
            ),
            "strlen",
        ),
        (
            format!("int puts(const char *); {weak} int strlen(void) {{ return puts(\"\"); }}"),
            "needs puts",
        ),
    ] {
        let (path, object) = (folder.path().join("x.c"), folder.path().join("x.o"));
        fs::write(&path, source)?;
        let mut command = std::process::Command::new("gcc");
        command.args([
            "-w",
            "-fno-builtin",
            "-fPIC",
            "-ffunction-sections",
            "-c",
            "-o",
        ]);
        assert!(command.arg(&object).arg(&path).status()?.success());
        let error = match memory::function("strlen", &fs::read(&object)?) {
            Ok(_) => return Err(format!("taken, expected {expected}").into()),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(expected), "{error}");
    }
    Ok(())
}

/// Fuzz targets, releases and tests have a build directory each: zig's work is done once for all of them.
#[test]
fn builds_of_one_checkout_share_what_is_compiled() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let tools = folder.path().join("target/tools");
    fs::create_dir_all(&tools)?;
    std::os::unix::fs::symlink(root().join("target/tools/zig"), tools.join("zig"))?;
    let payload = folder.path().join("payload");
    copy_tree(&root().join("payload"), &payload)?;
    let compile = |work: &str| -> Result<Vec<u8>> {
        let work = folder.path().join(work);
        fs::create_dir_all(&work)?;
        let compiler = Compiler::of_checkout(&tools, &work)?.ok_or("no zig")?;
        compiler.compile_attach(&payload, &recipe::ARCHITECTURES[0])
    };
    let kept = || -> Result<usize> { Ok(fs::read_dir(tools.join("zig-cache/o"))?.count()) };
    let first = compile("first")?;
    let compiled = kept()?;
    assert!(compile("second")? == first);
    assert_eq!(kept()?, compiled, "it was compiled again");
    // The engine's folder is among zig's arguments for a heap: it is the same for all of them, and has the same files.
    let engine = |work: &str| -> Result<engine::Engine> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let patched = engine::patched(manifest, &payload, &folder.path().join(work))?;
        source::share_engine(patched, &tools.join("zig-cache"))
    };
    let (first_engine, second_engine) = (engine("first")?, engine("second")?);
    assert_eq!(first_engine.folder, second_engine.folder);
    let own = fs::read(folder.path().join("second/engine/src/alloc.c"))?;
    assert!(fs::read(second_engine.folder.join("src/alloc.c"))? == own);
    // What a file includes counts as the file itself does.
    let header = payload.join("attach/x86_64/start.h");
    let other = fs::read_to_string(&header)? + "int brawn_other(void) { return 1; }\n";
    fs::write(&header, other)?;
    assert!(compile("third")? != first);
    Ok(())
}

#[test]
fn what_is_built_on_threads_keeps_its_order_and_its_errors() -> Result<()> {
    let numbers: Vec<u32> = (0..100).collect();
    let doubled = parallel::map(&numbers, |n| Ok(n * 2))?;
    assert!(doubled.iter().copied().eq((0..100).map(|n| n * 2)));
    let failed = parallel::map(&numbers, |n| match n {
        70 | 80 => Err(format!("{n} failed").into()),
        _ => Ok(()),
    });
    assert_eq!(failed.expect_err("two failed").to_string(), "70 failed");
    Ok(())
}

fn note(object: &[u8]) -> Result<String> {
    let file = object::File::parse(object)?;
    let section = file
        .section_by_name(".note.brawn")
        .ok_or("no .note.brawn")?;
    let data = section.data()?;
    let size = u32::from_le_bytes(data[4..8].try_into()?) as usize;
    Ok(String::from_utf8(data[20..20 + size].to_vec())?)
}

/// No section is writable and executable, runs on its own, or has thread-locals that are not zero at start.
fn sections_keep_their_promises(file: &object::File<'_>) -> Result<()> {
    let mut tls = 0;
    for section in file.sections() {
        let name = section.name()?;
        let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            panic!("not ELF");
        };

        let both = object::elf::SHF_WRITE | object::elf::SHF_EXECINSTR;
        assert!(
            !sh_flags.contains(both),
            "{name} is writable and executable"
        );
        if sh_flags.contains(object::elf::SHF_TLS) {
            assert!(
                name.starts_with(".tbss"),
                "{name}: thread-locals are zero at start"
            );
            assert!(
                section.align() <= 16,
                "{name}: aligned to {}",
                section.align()
            );
            tls += section.size();
        }
        for prefix in [
            ".init_array",
            ".preinit_array",
            ".ctors",
            ".fini_array",
            ".eh_frame",
        ] {
            assert!(
                !name.starts_with(prefix),
                "{name}: a payload runs nothing on its own"
            );
        }
    }
    assert!(tls <= 96, "{tls} bytes of thread-locals");
    Ok(())
}

/// What the design and docs/note.md promise of every embedded object.
#[test]
fn embedded_objects_keep_their_promises() -> Result<()> {
    for payload in brawn_payload::payloads() {
        let bytes = payload.members[0].bytes.get();
        let file = object::File::parse(bytes)?;

        sections_keep_their_promises(&file)?;
        let globals: Vec<&str> = file
            .symbols()
            .filter(|symbol| symbol.is_global() && symbol.is_definition())
            .map(|symbol| symbol.name())
            .collect::<std::result::Result<_, _>>()?;
        assert_eq!(globals.len(), payload.surface.len());
        for name in &globals {
            assert!(payload.surface.contains(name), "{name} is global");
        }
        for symbol in file
            .symbols()
            .filter(|symbol| symbol.is_weak() && symbol.is_definition())
        {
            let name = symbol.name()?;
            assert!(!name.starts_with("__libc_"), "{name} is musl's own");
            // The size saves nothing: it is one jump to free, whosever that is; on riscv64 of two instructions.
            let is_jump = name.ends_with("_sized") && payload.profile.name() != "secure";
            assert!(!is_jump || symbol.size() <= 8, "{name} is no jump");
        }

        let note = note(bytes)?;
        for line in [
            format!("brawn={}", payload.version),
            "component=heap".to_owned(),
            format!("engine={}", payload.engine),
            format!("profile={}", payload.profile.name()),
            format!("architecture={}", payload.architecture.name()),
            format!("compiler={}", payload.compiler),
            format!("source={}", payload.source),
        ] {
            assert!(
                note.lines().any(|found| found == line),
                "{line} is not in the note:\n{note}"
            );
        }
    }
    Ok(())
}
