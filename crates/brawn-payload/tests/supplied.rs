//! Builds what archives may lack again, with the build script's own modules, and looks at what comes out.

#![allow(dead_code, missing_docs)] // the modules are the build script's; these tests call some of it

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

mod common;
#[path = "../build/compiler.rs"]
mod compiler;
#[path = "../build/engine/mod.rs"]
mod engine;
#[path = "../build/finish.rs"]
mod finish;
#[path = "../build/frames.rs"]
mod frames;
#[path = "../build/parallel.rs"]
mod parallel;
#[path = "../build/recipe.rs"]
mod recipe;
#[path = "../build/source.rs"]
mod source;
#[path = "../build/supplied.rs"]
mod supplied;

use brawn_payload::{Architecture, Profile, Supplies};
use common::root;
use compiler::Compiler;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

fn embedded(architecture: Architecture) -> Result<&'static Supplies> {
    let payload = brawn_payload::payload(architecture, Profile::Fast);
    Ok(payload.ok_or("no payload")?.supplied)
}

/// Builds them from a copy of their sources below `folder`.
fn build_in(
    folder: &Path,
    architecture: &recipe::Architecture,
    compiler: impl Fn(&Path) -> Result<Compiler>,
) -> Result<supplied::Supplied> {
    let (payload, work) = (folder.join("payload"), folder.join("work"));
    for (part, files) in [
        ("supplied", &["copies.c", "operators.cpp", "note.h"][..]),
        ("heap", &["note.c"]),
    ] {
        fs::create_dir_all(payload.join(part))?;
        for file in files {
            let from = root().join("payload").join(part).join(file);
            fs::copy(from, payload.join(part).join(file))?;
        }
    }
    fs::create_dir(&work)?;
    let version = env!("CARGO_PKG_VERSION");
    supplied::build(&compiler(&work)?, &payload, architecture, version)
}

#[test]
fn they_are_the_same_wherever_they_are_built() -> Result<()> {
    for (architecture, described) in Architecture::ALL.into_iter().zip(recipe::ARCHITECTURES) {
        assert_eq!(architecture.name(), described.name);
        let folder = tempfile::tempdir()?;
        let deep = folder
            .path()
            .join("a directory/with another name, and longer");
        let zig = root().join("target/tools/zig/ziglang/zig");
        let built = build_in(&deep, described, |work| Compiler::zig(&zig, work))?;
        let embedded = embedded(architecture)?;
        assert_eq!(built.source, embedded.source);
        assert_eq!(built.functions.len(), embedded.functions.len());
        for (built, ours) in built.functions.iter().zip(embedded.functions) {
            assert!(
                built.object.bytes == ours.member.bytes.get(),
                "{}",
                built.member
            );
            assert_eq!(
                (built.name, built.member.as_str(), &*built.object.needs),
                (ours.name, ours.member.name, &*owned(ours.needs))
            );
        }
    }
    Ok(())
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn gcc_and_clang_build_them() -> Result<()> {
    let names: Vec<&str> = embedded(Architecture::X86_64)?
        .functions
        .iter()
        .map(|f| f.name)
        .collect();
    for program in ["gcc", "clang"] {
        let folder = tempfile::tempdir()?;
        let compiler = |work: &Path| Compiler::host(OsStr::new(program), work);
        let built = build_in(folder.path(), &recipe::ARCHITECTURES[0], compiler)?;
        let its: Vec<&str> = built.functions.iter().map(|f| f.name).collect();
        assert_eq!(its, names, "{program}");
    }
    Ok(())
}

#[test]
fn each_defines_one_name_and_says_what_it_is() -> Result<()> {
    for architecture in Architecture::ALL {
        let supplied = embedded(architecture)?;
        assert_eq!(supplied.functions.len(), 23);
        for function in supplied.functions {
            let (name, member) = (function.name, function.member.name);
            assert!(
                member.starts_with("brawn_") && member.len() <= 15,
                "{member}"
            );
            let object = object::File::parse(function.member.bytes.get())?;
            let is_visible = |s: &object::Symbol<'_, '_>| s.is_definition() && s.is_global();
            for symbol in object.symbols().filter(is_visible) {
                assert!(symbol.is_weak(), "{member}: {}", symbol.name()?);
            }
            let mut defined = object.symbols().filter(is_visible);
            assert!(defined.any(|s| s.name() == Ok(name)), "{member}");
            let note = object.section_by_name(".note.brawn").ok_or("no note")?;
            let text = String::from_utf8_lossy(note.data()?).into_owned();
            for line in [
                "component=supplied\n",
                &format!("function={name}\n"),
                &format!("architecture={}\n", architecture.name()),
                &format!("source={}\n", supplied.source),
            ] {
                assert!(
                    text.contains(line),
                    "{line} is not in {member}'s note: {text}"
                );
            }
            // Notes of several objects end up in one section.
            assert_eq!(note.size() % 4, 0, "{member}");
            assert_eq!(note.align(), 4, "{member}");
            // Exceptions pass through operators alone.
            let has_frames = object.section_by_name(".eh_frame").is_some();
            assert_eq!(has_frames, function.is_operator(), "{member}");
        }
    }
    Ok(())
}

#[test]
fn one_that_defines_or_needs_what_is_not_listed_is_refused() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let weak = "__attribute__((weak, visibility(\"default\")))";
    for (name, source, expected) in [
        (
            "strdup",
            "char *strdup(const char *s) { return 0; }".to_owned(),
            "defines strdup, expected strdup, weak",
        ),
        (
            "strdup",
            format!("{weak} char *strndup(const char *s) {{ return 0; }}"),
            "defines strndup",
        ),
        (
            "strdup",
            "static int other(void) { return 0; } int (*volatile f)(void) = other;".to_owned(),
            "defines f",
        ),
        (
            "strdup",
            format!(
                "int puts(const char *); {weak} char *strdup(const char *s) {{ puts(s); return 0; }}"
            ),
            "needs puts",
        ),
        (
            "_Znwm",
            format!(
                "int puts(const char *); {weak} void *_Znwm(unsigned long n) {{ puts(\"\"); return 0; }}"
            ),
            "needs puts",
        ),
        (
            "_Znwm",
            format!("{weak} void *_Znam(unsigned long n) {{ return 0; }}"),
            "defines _Znam",
        ),
        (
            "_Znwm",
            "extern int a; int f(void);".to_owned(),
            "does not define _Znwm",
        ),
    ] {
        let (path, object) = (folder.path().join("x.c"), folder.path().join("x.o"));
        fs::write(&path, &source)?;
        let mut command = Command::new("gcc");
        command.args([
            "-w",
            "-O1",
            "-fno-builtin",
            "-fPIC",
            "-ffunction-sections",
            "-fexceptions",
            "-c",
            "-o",
        ]);
        assert!(command.arg(&object).arg(&path).status()?.success());
        let error = match supplied::function(name, fs::read(&object)?) {
            Ok(_) => return Err(format!("taken, expected {expected}: {source}").into()),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(expected), "{error}");
    }
    Ok(())
}

/// A program with the heap of profile `secure` and these operators; `own` is what it brings itself.
fn program(folder: &Path, own: &str, main: &str) -> Result<std::process::ExitStatus> {
    let payload = brawn_payload::payload(Architecture::X86_64, Profile::Secure);
    let payload = payload.ok_or("no payload")?;
    let (heap, archive) = (folder.join("heap.o"), folder.join("libsupplied.a"));
    fs::write(&heap, payload.members[0].bytes.get())?;
    let mut ar = Command::new("ar");
    ar.arg("rcs").arg(&archive);
    for function in payload
        .supplied
        .functions
        .iter()
        .filter(|f| f.is_operator())
    {
        let member = folder.join(function.member.name);
        fs::write(&member, function.member.bytes.get())?;
        ar.arg(member);
    }
    assert!(ar.status()?.success());
    let (source, program) = (folder.join("main.cc"), folder.join("main"));
    let text = format!("#include <cstdlib>\n#include <new>\n{own}\nint main() {{ {main} }}\n");
    fs::write(&source, text)?;
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O0", "-fsized-deallocation", "-static", "-o"]);
    command.arg(&program).arg(&source).arg(&heap).arg(&archive);
    assert!(command.status()?.success(), "{own} {main}");
    Ok(Command::new(&program).status()?)
}

/// What a sized delete says of the block is compared with what `new` asked for, unless the program has one of both.
#[test]
fn sized_delete_is_checked_where_new_and_delete_are_brawns() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let aligned = "std::align_val_t(64)";
    let right = "for (std::size_t n = 0; n < 200000; n += 1 + n / 3) {
        ::operator delete(::operator new(n), n);
        ::operator delete[](::operator new[](n), n);
        auto a = std::align_val_t(64);
        ::operator delete(::operator new(n, a), n, a);
        ::operator delete[](::operator new[](n, a), n, a);
        ::operator delete(::operator new(n, std::nothrow), n);
    }";
    assert!(program(folder.path(), "", right)?.success());
    let own_new = "void *operator new(std::size_t n) { return std::malloc(n + 16); }";
    let own_delete = "int given;
        void operator delete(void *p) noexcept { given++; std::free(p); }";
    let own_arrays = "void *operator new[](std::size_t n) { return std::malloc(n + 16); }";
    for (of, more) in [
        ("", String::new()),
        ("[]", String::new()),
        ("", format!(", {aligned}")),
        ("[]", format!(", {aligned}")),
    ] {
        let wrong =
            format!("void *p = ::operator new{of}(100{more}); ::operator delete{of}(p, 99{more});");
        let status = program(folder.path(), "", &wrong)?;
        assert_eq!(status.code(), None, "{wrong}: {status}");
    }
    let right = |of: &str| format!("::operator delete{of}(::operator new{of}(100), 100);");
    assert!(program(folder.path(), own_new, &right(""))?.success());
    assert!(program(folder.path(), own_new, &right("[]"))?.success());
    assert!(program(folder.path(), own_arrays, &right("[]"))?.success());
    let counted = format!("{} return given - 1;", right(""));
    assert!(program(folder.path(), own_delete, &counted)?.success());
    Ok(())
}
