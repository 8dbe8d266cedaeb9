//! `brawn patch --rust` on a real Rust toolchain for musl, with cargo before and after.

use crate::build::inspect;
use crate::common::{brawn, ok, read, succeed, tools};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

const TARGET: &str = "x86_64-unknown-linux-musl";

const MAIN: &str = "fn main() {
    let numbers: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    let all = numbers.concat();
    println!(\"{}\", all.len());
}
";

/// A farm of links to the shared toolchain, with every `libc.a` a file of its own, and a program.
struct Farm {
    folder: TempDir,
}

impl Farm {
    fn new() -> Self {
        let shared = tools().join("rust-musl");
        let shared = shared
            .canonicalize()
            .unwrap_or_else(|e| panic!("{}: {e}: run tools/rust-musl.sh", shared.display()));
        let farm = Self {
            folder: tempfile::tempdir().expect("a temporary directory"),
        };
        let sysroot = farm.path("toolchain");
        let paths = [shared.to_str(), sysroot.to_str()].map(|path| path.expect("UTF-8"));
        ok("cp", &["-as", paths[0], paths[1]]);
        for libc in farm.archives() {
            let bytes = read(&libc);
            fs::remove_file(&libc).expect("a link");
            fs::write(&libc, bytes).expect("a file");
        }
        fs::create_dir_all(farm.path("program/src")).expect("a directory");
        let manifest = "[package]\nname = \"program\"\nedition = \"2021\"\n";
        fs::write(farm.path("program/Cargo.toml"), manifest).expect("written");
        fs::write(farm.path("program/src/main.rs"), MAIN).expect("written");
        farm
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Every target's libc.
    fn archives(&self) -> Vec<PathBuf> {
        let targets = fs::read_dir(self.path("toolchain/lib/rustlib")).expect("targets");
        targets
            .map(|target| target.expect("a target").path())
            .map(|target| target.join("lib/self-contained/libc.a"))
            .filter(|libc| libc.exists())
            .collect()
    }

    /// Where its own toolchain comes first.
    fn environment(&self, set: &mut dyn FnMut(&str, Option<std::ffi::OsString>)) {
        let mut path = vec![self.path("toolchain/bin")];
        path.extend(std::env::split_paths(
            &std::env::var_os("PATH").expect("PATH"),
        ));
        set("PATH", Some(std::env::join_paths(path).expect("PATH")));
        set("HOME", Some(self.path("home").into()));
        // What the cargo that runs this test has set.
        for name in [
            "CARGO_BUILD_TARGET",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_HOME",
            "CARGO_TARGET_DIR",
            "LD_LIBRARY_PATH",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTDOC",
            "RUSTFLAGS",
            "RUSTUP_HOME",
            "RUSTUP_TOOLCHAIN",
        ] {
            set(name, None);
        }
    }

    fn brawn(&self, arguments: &[&str]) -> String {
        let mut command = brawn();
        command.args(arguments).current_dir(self.path("program"));
        self.environment(&mut |name, value| {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        });
        succeed(&mut command)
    }

    fn cargo(&self, arguments: &[&str]) {
        let mut command = Command::new(self.path("toolchain/bin/cargo"));
        command.args(arguments).current_dir(self.path("program"));
        self.environment(&mut |name, value| {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        });
        let output = command.output().expect("cargo");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo {arguments:?}: {text}");
    }

    /// Builds the program, runs it, and gives whose heap is in it.
    fn build(&self) -> String {
        self.cargo(&["build", "--offline", "--jobs=2", "--target", TARGET]);
        let program = self.path(&format!("program/target/{TARGET}/debug/program"));
        let program = program.to_str().expect("UTF-8");
        assert_eq!(ok(program, &[]), "2890\n");
        let report = inspect(program);
        assert_eq!(report["libc"], "musl");
        report["heap"].as_str().expect("a heap").to_owned()
    }
}

#[test]
fn a_toolchain_is_patched_used_and_restored() {
    let farm = Farm::new();
    let archives = farm.archives();
    let old: Vec<_> = archives.iter().map(|libc| read(libc)).collect();
    assert!(
        archives
            .iter()
            .any(|libc| libc.to_str().is_some_and(|path| path.contains(TARGET)))
    );
    let stock = farm.build();
    assert!(stock.starts_with("musl "), "{stock}");

    let text = farm.brawn(&["patch", "--rust"]);
    assert_eq!(text.matches("patched  ").count(), archives.len(), "{text}");
    // What the note says: cargo sees no reason to link again.
    assert_eq!(farm.build(), stock);
    fs::write(farm.path("program/src/main.rs"), MAIN).unwrap();
    assert_eq!(farm.build(), "brawn");

    // Under rustup's name for it, too.
    fs::create_dir_all(farm.path("home/.rustup/toolchains")).unwrap();
    let link = farm.path("home/.rustup/toolchains/mine");
    symlink(farm.path("toolchain"), link).unwrap();
    let list = farm.brawn(&["toolchains", "--kind=rust"]);
    assert_eq!(
        list.matches("\npatched  rust mine (active)").count(),
        archives.len(),
        "{list}"
    );

    farm.brawn(&["restore", "--rust"]);
    let now: Vec<_> = archives.iter().map(|libc| read(libc)).collect();
    assert!(now == old);
    farm.cargo(&["clean", "--offline"]);
    assert_eq!(farm.build(), stock);
}

/// Measurements compare programs for musl with such for glibc: they are to find two libcs, not two optimisations.
#[test]
fn std_for_musl_is_as_much_code_as_glibcs() {
    for arch in ["x86_64", "aarch64"] {
        let code = |libc: &str| -> u64 {
            let folder = format!("rust-musl/lib/rustlib/{arch}-unknown-linux-{libc}/lib");
            let files = fs::read_dir(tools().join(&folder)).expect("a directory");
            let paths = files.map(|file| file.expect("an entry").path());
            let is_std = |path: &PathBuf| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with("libstd-") && name.ends_with(".rlib"))
            };
            let std = paths.into_iter().find(is_std).expect("libstd");
            // It says of the member with metadata that it is no object.
            let output = Command::new("size").arg(&std).output().expect("it runs");
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            let first = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok();
            text.lines().filter_map(first).sum()
        };
        let (musl, glibc) = (code("musl"), code("gnu"));
        assert!(glibc > 100_000, "{glibc}");
        assert!(musl.abs_diff(glibc) * 10 < glibc, "{arch}: {musl}, {glibc}");
    }
}
