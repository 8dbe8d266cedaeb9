//! `brawn cargo`: builds, each inspected.

use crate::cargo_room::{MUSL, Package, Said, has_heap, self_contained};
use crate::common::{REFUSED, brawn_path, make_program, ok};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

const BUILD: &str = "build --target x86_64-unknown-linux-musl";

/// A copy of brawn that brings another payload: the hash of its sources is another, also in its objects.
fn upgraded(folder: &Path) -> String {
    let mut bytes = std::fs::read(brawn_path()).expect("readable");
    let sources = brawn_payload::payloads().iter().map(|p| p.source);
    for source in sources.collect::<std::collections::BTreeSet<_>>() {
        let other: String = source.chars().rev().collect();
        let found: Vec<usize> = memchr::memmem::find_iter(&bytes, source).collect();
        assert!(!found.is_empty(), "{source} is not in brawn");
        for at in found {
            bytes[at..at + source.len()].copy_from_slice(other.as_bytes());
        }
    }
    let path = folder.join("brawn-upgraded");
    std::fs::write(&path, bytes).expect("written");
    make_program(&path);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn each_build_has_its_heap_whatever_was_built_before() {
    let package = Package::new();
    let upgraded = upgraded(&package.path(""));
    let upgraded = |words: &str| Said::by(package.command(&upgraded, &format!("cargo {words}")));
    let notes = || {
        let report = crate::build::inspect(package.program(MUSL).to_str().unwrap());
        report["heaps"][0]["note"]["source"]
            .as_str()
            .map(str::to_owned)
    };
    let profile = |name| {
        let report = crate::build::inspect(package.program(MUSL).to_str().unwrap());
        assert_eq!(report["heaps"][0]["note"]["profile"], name, "{report:#}");
    };
    for _ in 0..2 {
        package.cargo(BUILD).ok();
        package.has("musl mallocng");

        package.brawn(BUILD).ok();
        package.has("brawn");
        profile("fast");
        let source = notes();
        package.brawn(BUILD).nothing();

        upgraded(BUILD).ok();
        package.has("brawn");
        assert_ne!(notes(), source, "the old payload is still in it");
        upgraded(BUILD).nothing();

        package.brawn(&format!("--profile lean {BUILD}")).ok();
        package.has("brawn");
        profile("lean");
        package.brawn(&format!("--profile lean {BUILD}")).nothing();
    }
    // Each under a name of its own.
    assert_eq!(package.copies().len(), 3);
    package.brawn(BUILD).ok();
    assert_eq!(
        notes().as_deref(),
        Some(brawn_payload::payloads()[0].source)
    );
}

#[test]
fn one_part_alone() {
    let package = Package::new();
    let memory =
        || crate::build::inspect(package.program(MUSL).to_str().unwrap())["memory"].clone();
    package.brawn(&format!("--only heap {BUILD}")).ok();
    package.has("brawn");
    assert_eq!(memory(), "musl");
    package.brawn(&format!("--only memory {BUILD}")).ok();
    package.has("musl mallocng");
    assert_ne!(memory(), "musl");
}

#[test]
fn rust_and_c_have_one_heap() {
    let mut package = Package::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../brawn-rt/tests/fixtures/with-c");
    // Kept, with the cache whose directory is among the flags: SQLite and Zstandard are compiled once.
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("with-c");
    let target = kept.join("target");
    package.set("CARGO_TARGET_DIR", target.to_str().unwrap());
    package.set("XDG_CACHE_HOME", kept.join("cache").to_str().unwrap());
    let words = format!("cargo run --locked --target {MUSL}");
    let mut command = package.command(brawn_path(), &words);
    command.current_dir(source);
    let said = Said::by(command).ok();
    assert_eq!(said.out, "passed\n");
    let program = target.join(MUSL).join("debug/with-c");
    has_heap(&program, "brawn");
    let report = crate::build::inspect(program.to_str().unwrap());
    assert_eq!(
        (&report["verdict"], &report["memory"]),
        (&"fine".into(), &"brawn".into())
    );
    // No function of the heap is musl's, whoever calls it.
    let said = Said::by(package.command(
        brawn_path(),
        &format!("verify --json {}", program.display()),
    ));
    let reports: serde_json::Value = serde_json::from_str(&said.ok().out).expect("JSON");
    assert_eq!(reports[0]["verdict"], "replaced", "{reports:#}");
}

#[test]
fn cargos_exit_code_input_and_output_pass() {
    let package = Package::new();
    package.write(
        "src/main.rs",
        "fn main() {
            let mut text = String::new();
            std::io::stdin().read_line(&mut text).unwrap();
            print!(\"{}\", text.to_uppercase());
            std::process::exit(7)
        }",
    );
    let mut command = package.command(brawn_path(), &format!("cargo run -q --target {MUSL}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    child.stdin.take().unwrap().write_all(b"typed\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"TYPED\n");

    package.write("src/main.rs", "fn main() { wrong }");
    let said = package.brawn(BUILD);
    assert_eq!(said.code, Some(101));
    assert!(said.err.contains("E0425"), "{}", said.err);
}

#[test]
fn signals_reach_cargo() {
    let package = Package::new();
    // The process that was started has become cargo's program by then, or its parent.
    package.write(
        "src/main.rs",
        "fn main() { println!(\"up\"); std::thread::sleep(std::time::Duration::from_secs(600)) }",
    );
    let mut command = package.command(brawn_path(), &format!("cargo run -q --target {MUSL}"));
    command.stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "up\n");
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(9)
    );
    // cargo has become the program: nobody is left who holds its output.
    let left = std::io::Read::read_to_string(&mut out, &mut line).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn what_links_nothing_is_cargo_at_once() {
    let package = Package::new();
    let said = package.brawn("--version").ok();
    assert_eq!(said.out, package.cargo("--version").out);
    package.brawn(&format!("check --target {MUSL}")).ok();
    assert!(!package.path("cache").exists());
    let said = package.brawn("build --help").ok();
    assert_eq!(said.err, package.cargo("build --help").err);
    assert!(!package.path("cache").exists());
    // An error of cargo's own is told by cargo.
    package.write(".cargo/config.toml", "[build\n");
    let (ours, cargos) = (package.brawn(BUILD), package.cargo(BUILD));
    assert_eq!(ours.code, cargos.code);
    assert!(ours.err.ends_with(&cargos.err), "{}", ours.err);
}

#[test]
fn cargo_brawn_is_the_same() {
    let package = Package::new();
    package
        .cargo(&format!("brawn --profile secure {BUILD}"))
        .ok();
    package.has("brawn");
    package
        .brawn(&format!("--profile secure {BUILD}"))
        .nothing();
}

#[test]
fn one_inside_another_has_the_outer_ones_libc() {
    let package = Package::new();
    let said = package.brawn(&format!("brawn {BUILD}")).something();
    package.has("brawn");
    assert!(!said.err.contains("brawn: "), "{}", said.err);
    let said = package
        .brawn(&format!("brawn --profile secure {BUILD}"))
        .nothing();
    assert!(
        said.err.contains("a `brawn cargo` around this one"),
        "{}",
        said.err
    );
}

#[test]
fn a_target_that_is_not_installed_is_said() {
    let said = Package::new().brawn("build --target i686-unknown-linux-musl");
    assert_eq!(said.code, Some(101));
    assert!(
        said.err.contains("does not have that target"),
        "{}",
        said.err
    );
}

#[test]
fn a_toolchain_that_brings_a_new_libc_is_noticed() {
    let package = Package::with_own_toolchain();
    package.brawn(BUILD).ok();
    package.brawn(BUILD).nothing();
    let libc = self_contained(package.toolchain(), MUSL);
    let other = package.path("other.a");
    std::fs::copy(&libc, &other).expect("copied");
    ok("ar", &["dD", other.to_str().unwrap(), "ftok.lo"]);
    std::fs::rename(&other, &libc).expect("exchanged");
    package.brawn(BUILD).something();
    package.has("brawn");
    assert_eq!(package.copies().len(), 2);

    // Patched in place it needs no copy.
    let patched = Command::new(brawn_path()).arg("patch").arg(&libc).output();
    assert!(patched.expect("it runs").status.success());
    package.brawn(BUILD).ok();
    package.has("brawn");
    package.cargo(BUILD).nothing();

    // Where options choose other functions, the copy is made from the original, and keeps the profile.
    let patch = Command::new(brawn_path())
        .args(["patch", "--profile", "secure"])
        .arg(&libc)
        .output();
    assert!(patch.expect("it runs").status.success());
    package.brawn(&format!("--math exact {BUILD}")).something();
    let program = package.program(MUSL);
    let report = crate::build::inspect(program.to_str().unwrap());
    assert_eq!(
        report["heaps"][0]["note"]["profile"], "secure",
        "{report:#}"
    );
}

#[test]
fn what_brings_its_own_libc_is_left_alone_and_said() {
    let mut package = Package::new();
    // The toolchain's own unwinder is what the linker does not have.
    let unwinder = self_contained(package.toolchain(), MUSL).with_file_name("libunwind.a");
    std::fs::create_dir(package.path("unwinder")).unwrap();
    std::fs::copy(unwinder, package.path("unwinder/libunwind.a")).unwrap();
    let folder = package.path("unwinder");
    package.set(
        "RUSTFLAGS",
        &format!("-Clink-self-contained=no -L{}", folder.display()),
    );
    package.set(
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER",
        "x86_64-linux-musl-gcc",
    );
    let said = package.brawn(BUILD).ok();
    assert!(
        said.err
            .contains("left alone: your rustflags have link-self-contained=no"),
        "{}",
        said.err
    );
    package.has("musl mallocng");
    package.cargo(BUILD).nothing();
    // The next time too.
    assert!(package.brawn(BUILD).nothing().err.contains("left alone"));
}

#[test]
fn without_a_home_that_can_be_written_to_there_is_another_place() {
    let mut package = Package::new();
    package.write("file", "");
    let nowhere = package.path("file");
    package.set("XDG_CACHE_HOME", nowhere.to_str().unwrap());
    std::fs::create_dir(package.path("tmp")).unwrap();
    let tmp = package.path("tmp");
    package.set("TMPDIR", tmp.to_str().unwrap());
    package.brawn(BUILD).ok();
    package.has("brawn");
    package.brawn(BUILD).nothing();
    // cargo takes no such argument.
    let mut command = package.command(brawn_path(), &format!("cargo {BUILD}"));
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/n\xff");
    command.env("XDG_CACHE_HOME", name);
    let said = Said::by(command).nothing();
    assert!(!said.err.contains("brawn: "), "{}", said.err);
    let place = std::fs::read_dir(&tmp)
        .unwrap()
        .flatten()
        .find(|e| e.file_name().to_string_lossy().starts_with("brawn-"));
    let place = place.expect("a directory").path();
    assert_eq!(
        std::fs::metadata(&place).unwrap().permissions().mode() & 0o777,
        0o700
    );

    // What others may write to is not used, also if all that is needed lies in it.
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = package.brawn(BUILD);
    assert_eq!(said.code, Some(REFUSED), "{}", said.err);
    assert!(said.err.contains("--dir"), "{}", said.err);
    package
        .brawn(&format!("--dir {} {BUILD}", package.path("mine").display()))
        .ok();
    package.has("brawn");
}

#[test]
fn several_at_once_share_a_cache() {
    let packages: Vec<Package> = (0..4).map(|_| Package::new()).collect();
    let cache = packages[0].path("cache");
    let children: Vec<_> = packages
        .iter()
        .map(|package| {
            let mut command = package.command(brawn_path(), &format!("cargo {BUILD}"));
            command.env("XDG_CACHE_HOME", &cache).stderr(Stdio::null());
            command.spawn().expect("it runs")
        })
        .collect();
    for (mut child, package) in children.into_iter().zip(&packages) {
        assert!(child.wait().unwrap().success());
        package.has("brawn");
    }
    assert_eq!(packages[0].copies().len(), 1);
    let left = std::fs::read_dir(cache.join("brawn/cargo-package"))
        .unwrap()
        .count();
    assert_eq!(left, 3, "a scratch file was left");
}

#[test]
fn a_damaged_copy_is_made_again() {
    let package = Package::new();
    package.brawn(BUILD).ok();
    let copy = package.copies().remove(0).join("libc.a");
    let whole = std::fs::read(&copy).unwrap();
    std::fs::write(&copy, &whole[..1000]).unwrap();
    package.brawn(BUILD).ok();
    assert_eq!(std::fs::read(&copy).unwrap(), whole);
    std::fs::remove_dir_all(package.path("cache")).unwrap();
    package.brawn(BUILD).nothing();
    assert_eq!(std::fs::read(&copy).unwrap(), whole);
}
