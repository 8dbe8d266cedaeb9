//! `brawn cargo`: the user's rustflags, wherever they come from, and targets that are not ours.

use crate::cargo_room::{GNU, MUSL, Package, Said, has_heap, toolchain};
use crate::common::{REFUSED, make_program, ok, read};
use std::path::Path;

const RUN: &str = "run -q --target x86_64-unknown-linux-musl";
const BOTH: &str = "build --target x86_64-unknown-linux-musl --target x86_64-unknown-linux-gnu";
const OWN: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS";

/// A configuration with flags for the target, by its name and by a condition.
const TARGETS: &str = "[target.x86_64-unknown-linux-musl]
rustflags = [\"--cfg\", \"first\"]
[target.'cfg(target_env = \"musl\")']
rustflags = [\"--cfg\", \"second\"]
";

/// Holds that with brawn the program gets the flags that it gets without, which are `flags`.
fn kept(package: &Package, words: &str, flags: &str) {
    let plain = package.cargo(words).ok().out;
    assert_eq!(
        plain.trim_end(),
        format!("flags: {flags}").trim_end(),
        "{words}"
    );
    package.has("musl mallocng");
    let ours = package.brawn(words).ok();
    assert_eq!(ours.out, plain, "{words}");
    package.has("brawn");
}

#[test]
fn flags_of_the_configuration_are_kept() {
    let mut package = Package::new();
    kept(&package, RUN, "");
    package.write(".cargo/config.toml", TARGETS);
    kept(&package, RUN, "first second");
    let spaced = format!("{TARGETS}[build]\nrustflags = ['--cfg', 'spaced=\"a b\"']\n");
    package.write(".cargo/config.toml", &spaced);
    kept(&package, RUN, "first second");
    package.write(
        ".cargo/config.toml",
        "[build]\nrustflags = ['--cfg', 'spaced=\"a b\"']\n",
    );
    kept(&package, RUN, "spaced");
    package.write(
        ".cargo/config.toml",
        "[build]\nrustflags = \"--cfg first\"\n",
    );
    kept(&package, RUN, "first");
    package.set("CARGO_BUILD_RUSTFLAGS", "--cfg second");
    kept(&package, RUN, "first second");
    package.set(OWN, "--cfg second");
    kept(&package, RUN, "second");
}

#[test]
fn flags_of_the_command_line_are_kept() {
    let package = Package::new();
    package.write(
        "other.toml",
        "[build]\nrustflags = ['--cfg', 'spaced=\"a b\"']\n",
    );
    kept(&package, &format!("--config other.toml {RUN}"), "spaced");
    kept(&package, &format!("{RUN} --config other.toml"), "spaced");
    let own = format!("{RUN} --config=target.{MUSL}.rustflags=['--cfg','first']");
    kept(&package, &own, "first");
    // The file's contents count, not its name.
    package.write("other.toml", "[build]\nrustflags = ['--cfg', 'second']\n");
    kept(&package, &format!("{RUN} --config other.toml"), "second");
}

#[test]
fn variables_that_hide_flags_are_kept() {
    for (name, value, flags) in [
        ("RUSTFLAGS", "--cfg first", "first"),
        (
            "CARGO_ENCODED_RUSTFLAGS",
            "--cfg\x1fspaced=\"a b\"\x1f--cfg=first",
            "first spaced",
        ),
        ("RUSTFLAGS", "", ""),
    ] {
        let mut package = Package::new();
        package.set(name, value);
        kept(&package, RUN, flags);
        // Those below stay hidden.
        package.write(".cargo/config.toml", TARGETS);
        kept(&package, RUN, flags);
        package.write(
            ".cargo/config.toml",
            "[build]\nrustflags = [\"--cfg\", \"second\"]\n",
        );
        kept(&package, RUN, flags);
    }
}

#[test]
fn what_cargo_runs_sees_the_variables_as_they_were() {
    for configuration in ["", TARGETS] {
        let mut package = Package::new();
        package.write(".cargo/config.toml", configuration);
        package.write(
            "src/main.rs",
            "fn main() { for n in [\"RUSTFLAGS\", \"CARGO_BUILD_RUSTFLAGS\"] { println!(\"{:?}\", std::env::var(n)); } \
             println!(\"{:?}\", std::env::var(\"CARGO_ENCODED_RUSTFLAGS\").ok().filter(|f| f.contains(\"-L\"))); }",
        );
        package.set("RUSTFLAGS", "--cfg first");
        let plain = package.cargo(RUN).ok().out;
        assert!(plain.starts_with("Ok(\"--cfg first\")"), "{plain}");
        let said = package.brawn(RUN).ok().out;
        let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
        assert_eq!(
            (&lines(&said)[0], &lines(&said)[2]),
            (&lines(&plain)[0], &lines(&plain)[2])
        );
        package.has("brawn");
    }
}

#[test]
fn targets_may_be_named_anywhere() {
    let mut package = Package::new();
    package.write(
        ".cargo/config.toml",
        &format!("[build]\ntarget = [\"{MUSL}\", \"{GNU}\"]\n"),
    );
    package.brawn("build").ok();
    package.has("brawn");
    has_heap(&package.program(GNU), "glibc");
    package.write(
        ".cargo/config.toml",
        &format!("[alias]\nship = \"build --target {MUSL}\"\n"),
    );
    package.cargo("ship").ok();
    package.has("musl mallocng");
    package.brawn("ship").ok();
    package.has("brawn");
    package.write(".cargo/config.toml", "");
    package.cargo(&format!("build --target {MUSL}")).ok();
    package.set("CARGO_BUILD_TARGET", MUSL);
    package.brawn("build").ok();
    package.has("brawn");
}

#[test]
fn aliases_are_what_they_stand_for() {
    let mut package = Package::new();
    let aliases = format!(
        "[alias]\nb = \"build --target {MUSL}\"\nc = [\"--config\", \"build.jobs=1\", \"again\", \"-q\"]\n\
         again = \"run --target {MUSL}\"\nd = \"check\"\n"
    );
    package.write(".cargo/config.toml", &aliases);
    // cargo's own `b` and `c` build for the host, and nothing.
    let said = package.brawn("b").ok();
    assert!(!said.err.contains("nothing to do"), "{}", said.err);
    package.has("brawn");
    package.brawn("b").nothing();
    kept(&package, "c", "");
    package.brawn("c").nothing();
    // What stands behind one is cargo's.
    package.write("other.toml", "[build]\nrustflags = ['--cfg', 'first']\n");
    kept(&package, "c --config other.toml", "first");
    kept(
        &package,
        "again -q --config build.rustflags=['--cfg=second']",
        "second",
    );
    // One target is one target, whatever brings it.
    package.write(
        ".cargo/config.toml",
        &format!("{aliases}[build]\nrustflags = [\"--cfg\", \"second\"]\n"),
    );
    package.set("RUSTFLAGS", "--cfg first");
    kept(&package, "c", "first");
    let before = package.copies();
    std::fs::remove_dir_all(package.path("cache")).unwrap();
    package.brawn("d").ok();
    assert_eq!((before.len(), package.copies().len()), (1, 0));
    package.write(".cargo/config.toml", "");
    package.set("CARGO_ALIAS_C", &format!("build --target {MUSL}"));
    package.cargo("c").ok();
    package.has("musl mallocng");
    package.brawn("c").ok();
    package.has("brawn");
}

#[test]
fn what_is_installed_has_it_too() {
    let package = Package::new();
    // Not the configuration of the directory that it is called in.
    package.write(
        ".cargo/config.toml",
        "[build]\nrustflags = [\"--cfg\", \"first\"]\n",
    );
    package.write(
        "away/.cargo/config.toml",
        "[build]\nrustflags = [\"--cfg\", \"second\"]\n",
    );
    let words =
        format!("cargo install --path .. --root out --debug --target {MUSL} --target {MUSL}");
    let mut command = package.command(crate::common::brawn_path(), &words);
    command.current_dir(package.path("away"));
    Said::by(command).ok();
    let program = package.path("away/out/bin/program");
    has_heap(&program, "brawn");
    assert_eq!(ok(program.to_str().unwrap(), &[]), "flags: first\n");

    // Files are named as from there, and rustup goes by that directory, too.
    package.write("away/own.toml", &TARGETS.replace("first", "unused"));
    package.write("rust-toolchain", "/nowhere");
    package.write(
        "cargo",
        &format!(
            "#!/bin/sh
if [ ! \"$RUSTUP_TOOLCHAIN\" ]; then
  RUSTUP_TOOLCHAIN={}
  [ ! -e rust-toolchain ] || RUSTUP_TOOLCHAIN=$(cat rust-toolchain)
fi
export RUSTUP_TOOLCHAIN
exec \"$RUSTUP_TOOLCHAIN/bin/cargo\" \"$@\"
",
            toolchain().display()
        ),
    );
    let own = package.path("cargo");
    make_program(own.as_ref());
    let words = format!("{words} --force --config own.toml");
    let mut command = package.command(crate::common::brawn_path(), &words);
    command.current_dir(package.path("away")).env("CARGO", &own);
    let said = Said::by(command).ok();
    assert!(!said.err.contains("brawn: "), "{}", said.err);
    has_heap(&program, "brawn");
    assert_eq!(ok(program.to_str().unwrap(), &[]), "flags: second\n");
}

#[test]
fn other_targets_are_not_compiled_again() {
    let mut package = Package::new();
    package.write(
        "build.rs",
        "fn main() { println!(\"cargo::rerun-if-changed=build.rs\") }",
    );
    package.cargo(BOTH).ok();
    let before = read(&package.program(GNU));
    let said = package.brawn(&format!("{BOTH} -v")).ok();
    let fresh = |err: &str| {
        let compiled: Vec<&str> = err
            .lines()
            .filter(|l| l.contains("Running `") && l.contains("rustc"))
            .collect();
        assert!(compiled.iter().all(|l| l.contains("-Lnative=")), "{err}");
        compiled.len()
    };
    assert_eq!(fresh(&said.err), 1, "{}", said.err);
    assert_eq!(read(&package.program(GNU)), before);
    package.has("brawn");
    let said = package.brawn(&format!("build --target {GNU}")).nothing();
    assert!(
        said.err.contains("no target of this build is for musl"),
        "{}",
        said.err
    );
    package.brawn("build").ok();
    package.cargo("build").nothing();

    // With a variable that goes to all of them, too.
    package.set("RUSTFLAGS", "--cfg first");
    package.cargo(BOTH).ok();
    let said = package.brawn(&format!("{BOTH} -v")).ok();
    assert_eq!(fresh(&said.err), 1, "{}", said.err);
    package.has("brawn");

    // Where that cannot be, it is said, and how it can.
    package.write(".cargo/config.toml", TARGETS);
    let said = package.brawn(BOTH);
    assert_eq!(said.code, Some(REFUSED));
    assert!(
        said.err.contains("RUSTFLAGS hides rustflags"),
        "{}",
        said.err
    );
    package.brawn(&format!("build --target {MUSL}")).ok();
    package.has("brawn");
}

#[test]
fn what_is_dynamic_is_not_changed() {
    let mut package = Package::new();
    let linker = toolchain().join("bin/x86_64-linux-musl-gcc");
    package.set(
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER",
        linker.to_str().unwrap(),
    );
    package.set(OWN, "-Ctarget-feature=-crt-static");
    let manifest = std::fs::read_to_string(package.path("Cargo.toml")).unwrap();
    package.write(
        "Cargo.toml",
        &format!("{manifest}[lib]\ncrate-type = [\"cdylib\"]\nname = \"shared\"\n"),
    );
    package.write(
        "src/lib.rs",
        "#[no_mangle] pub extern \"C\" fn count(n: usize) -> usize { vec![n; n].len() }",
    );
    let words = format!("build --target {MUSL}");
    package.cargo(&words).ok();
    let library = package.path("target").join(MUSL).join("debug/libshared.so");
    let files = [library, package.program(MUSL)];
    let before = files.clone().map(|f| read(&f));
    let said = package.brawn(&words).nothing();
    assert!(
        said.err.contains("it is not linked statically"),
        "{}",
        said.err
    );
    assert_eq!(files.clone().map(|f| read(&f)), before);
    for file in &files {
        let needed = ok("readelf", &["-d", file.to_str().unwrap()]);
        assert!(needed.contains("Shared library: [libc.so]"), "{needed}");
    }
}

/// A compiler whose own target is musl's, as on Alpine: everything without a target is for that.
fn musl_host(package: &mut Package) {
    let rustc = toolchain().join("bin/rustc");
    let rustc = rustc.display();
    package.write(
        "rustc",
        &format!(
            "#!/bin/sh
if [ \"$*\" = -vV ]; then {rustc} -vV | sed 's/^host: .*/host: {MUSL}/'; exit; fi
case \" $* \" in *' --target '*) exec {rustc} \"$@\" ;; esac
exec {rustc} --target {MUSL} \"$@\"
"
        ),
    );
    let own = package.path("rustc");
    make_program(own.as_ref());
    package.set("RUSTC", own.to_str().unwrap());
    let linker = toolchain().join("bin/x86_64-linux-musl-gcc");
    package.set(
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER",
        linker.to_str().unwrap(),
    );
    // The system's compiler, there.
    let bin = package.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(&linker, bin.join("cc")).unwrap();
    let path = std::env::var("PATH").unwrap();
    package.set(
        "PATH",
        &format!(
            "{}:{}:{path}",
            bin.display(),
            toolchain().join("bin").display()
        ),
    );
}

#[test]
fn procedural_macros_on_a_musl_host_keep_their_libc() {
    let mut package = Package::new();
    musl_host(&mut package);
    package.write("src/main.rs", "fn main() { println!(\"flags:\"); }");
    package.write(
        "macros/Cargo.toml",
        "[package]\nname = \"macros\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
    );
    package.write(
        "macros/src/lib.rs",
        "use proc_macro::TokenStream;\n#[proc_macro] pub fn same(t: TokenStream) -> TokenStream { t }\n",
    );
    let manifest = std::fs::read_to_string(package.path("Cargo.toml")).unwrap();
    package.write("Cargo.toml", &format!("{manifest}members = [\"macros\"]\n"));
    let program = package.path("target/debug/program");
    let library = package.path("target/debug/libmacros.so");
    let libcs = |file: &Path| -> (String, bool) {
        let file = file.to_str().unwrap();
        let needed = ok("readelf", &["-d", file]);
        let needed = needed
            .lines()
            .filter(|l| l.contains("(NEEDED)"))
            .map(str::trim);
        (
            needed.collect::<Vec<_>>().join("\n"),
            ok("nm", &[file]).contains(" malloc"),
        )
    };
    package.cargo("build --workspace").ok();
    has_heap(&program, "musl mallocng");
    let before = (libcs(&library), read(&library).len());
    assert!(before.0.0.contains("libc.so"), "{before:?}");
    package.brawn("build --workspace").something();
    has_heap(&program, "brawn");
    assert_eq!((libcs(&library), read(&library).len()), before);
}
