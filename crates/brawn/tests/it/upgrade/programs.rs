//! C and C++ through a libc.a with mimalloc, before and after, by lld and GNU ld.

use super::{ARCHITECTURES, archive, text, upgraded};
use crate::build::{Room, inspect};
use crate::common::{brawn, ok, run, succeed, tools};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Swift's SDK as tools/swift-sdk.sh makes it, whose libc++abi has lost its operators.
struct Sdk {
    root: PathBuf,
    architecture: &'static str,
}

impl Sdk {
    fn new(architecture: &'static str) -> Self {
        const NAME: &str = "swift-6.3-RELEASE_static-linux-0.1.0";
        let bundle = tools()
            .join("swift-sdk")
            .join(format!("{NAME}.artifactbundle"));
        let root = bundle
            .join(NAME)
            .join("swift-linux-musl/musl-1.2.5.sdk")
            .join(architecture);
        assert!(root.is_dir(), "{}: run tools/swift-sdk.sh", root.display());
        let names = ok("llvm-ar", &["t", text(&root.join("usr/lib/libc++abi.a"))]);
        assert!(!names.contains("stdlib_new_delete"), "it has its operators");
        Self { root, architecture }
    }

    fn lib(&self, name: &str) -> String {
        text(&self.root.join("usr/lib").join(name)).into()
    }

    /// Compiles one of the programs.
    fn compile(&self, room: &Room, name: &str, flags: &[&str]) -> String {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/upgrade")
            .join(name);
        let object = room.path(&format!("{name}.{}.o", self.architecture));
        let is_cxx = name.ends_with(".cpp");
        let clang = tools()
            .join("swift-sdk/bin")
            .join(if is_cxx { "clang++" } else { "clang" });
        let target = format!("{}-swift-linux-musl", self.architecture);
        let resources = self.lib("swift_static/clang");
        let mut arguments = vec![
            "-target",
            &target,
            "--sysroot",
            text(&self.root),
            "-resource-dir",
            &resources,
        ];
        if is_cxx {
            arguments.push("-stdlib=libc++");
        }
        arguments.extend([
            "-O1",
            "-fPIE",
            "-fno-builtin",
            "-Werror",
            "-c",
            text(&source),
            "-o",
            &object,
        ]);
        arguments.extend(flags);
        ok(text(&clang), &arguments);
        object
    }

    /// Links it with this libc.a; the error is what the linker says.
    fn link(
        &self,
        room: &Room,
        object: &str,
        libc: &Path,
        linker: &Linker,
    ) -> Result<String, String> {
        let out = room.path("program");
        let builtins = format!(
            "swift/clang/lib/linux/libclang_rt.builtins-{}.a",
            self.architecture
        );
        let program = match (linker.program, self.architecture) {
            ("ld.bfd", "aarch64") => "aarch64-linux-gnu-ld.bfd",
            (program, _) => program,
        };
        let mut arguments: Vec<String> = linker.flags.iter().map(|f| (*f).into()).collect();
        arguments.extend(["--eh-frame-hdr", "-o", &out].map(String::from));
        let start = ["crti.o", "swift/clang/lib/linux/crtbeginT.o"].map(|name| self.lib(name));
        arguments.push(self.lib(linker.start));
        arguments.extend(start);
        arguments.extend([object.into(), "--start-group".into()]);
        // LLVM's own build leaves the operators to libc++abi, of which the SDK's has none.
        let cxx = room.path("libc++.a");
        std::fs::copy(self.lib("libc++.a"), &cxx).expect("copied");
        if ok("llvm-ar", &["t", &cxx])
            .lines()
            .any(|name| name == "new.cpp.o")
        {
            ok("llvm-ar", &["d", &cxx, "new.cpp.o"]);
        }
        if object.contains(".cpp.") {
            arguments.push(cxx);
            arguments.extend(["libc++abi.a", "libunwind.a"].map(|name| self.lib(name)));
        }
        arguments.extend([text(libc).into(), self.lib(&builtins), "--end-group".into()]);
        arguments.extend(["swift/clang/lib/linux/crtend.o", "crtn.o"].map(|name| self.lib(name)));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(program, &arguments);
        match output.status.success() {
            true => Ok(out),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    fn runs(&self, program: &str) -> Output {
        match self.architecture {
            "aarch64" => run("qemu-aarch64", &[program]),
            _ => run(program, &[]),
        }
    }

    /// Links and runs it, and holds that it succeeds.
    fn succeeds(&self, room: &Room, object: &str, libc: &Path, linker: &Linker) -> String {
        let program = self
            .link(room, object, libc, linker)
            .unwrap_or_else(|e| panic!("{object}: {e}"));
        let output = self.runs(&program);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{object}, {}, {}: {} {said}{}",
            libc.display(),
            linker.program,
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        program
    }
}

struct Linker {
    program: &'static str,
    flags: &'static [&'static str],
    start: &'static str,
}

const LLD: Linker = Linker {
    program: "ld.lld",
    flags: &["-static"],
    start: "crt1.o",
};
const GNU: Linker = Linker {
    program: "ld.bfd",
    flags: &["-static"],
    start: "crt1.o",
};
/// Anywhere in memory, with no relocation in code.
const PIE: Linker = Linker {
    program: "ld.lld",
    flags: &["-pie", "--no-dynamic-linker", "-z", "text"],
    start: "rcrt1.o",
};

/// One heap, brawn's, and nothing of the others'; gives the names of what brawn supplied.
fn has_one_heap(program: &str) -> Vec<String> {
    let report = inspect(program);
    assert_eq!(report["heap"], "brawn", "{report:#}");
    assert_eq!(report["verdict"], "fine", "{report:#}");
    let symbols = ok("llvm-nm", &[program]);
    let count = |name: &str| {
        symbols
            .lines()
            .filter(|l| l.ends_with(&format!(" {name}")))
            .count()
    };
    assert_eq!(count("malloc"), 1);
    for other in [
        "mi_malloc",
        "_mi_malloc_generic",
        "__malloc_context",
        "__simple_malloc",
    ] {
        let global = |l: &&str| l.ends_with(&format!(" {other}")) && !l.contains(" t ");
        assert_eq!(symbols.lines().find(global), None);
    }
    let verified = succeed(brawn().args(["verify", "--json", program]));
    let verified: Value = serde_json::from_str(&verified).expect("JSON");
    assert_eq!(verified[0]["verdict"], "replaced", "{verified:#}");
    // What brawn supplied is its own, and nothing else has such a note.
    let functions = verified[0]["functions"].as_array().unwrap();
    let supplied = functions.iter().filter(|f| f["group"] == "supplied");
    let names: Vec<&str> = supplied
        .map(|f| {
            assert_eq!(f["provider"], "brawn", "{f:#}");
            assert!(f["address"].as_u64().is_some(), "{f:#}");
            f["name"].as_str().unwrap()
        })
        .collect();
    let found = report["evidence"].as_array().unwrap().iter();
    let said = found.filter_map(|e| e.as_str()?.strip_prefix("supplied by brawn: "));
    let mut said: Vec<&str> = said.flat_map(|names| names.split(", ")).collect();
    let mut sorted = names.clone();
    said.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(said, sorted);
    names.into_iter().map(str::to_owned).collect()
}

/// Every function of the heap is the program's own: nothing in it is musl's, whatever it is called.
fn has_mimalloc_alone(program: &str) {
    let verified = brawn().args(["verify", "--json", program]).output();
    let verified = verified.expect("brawn runs").stdout;
    let verified: Value = serde_json::from_slice(&verified).expect("JSON");
    assert_eq!(verified[0]["verdict"], "own", "{verified:#}");
    let functions = verified[0]["functions"].as_array().unwrap();
    let heap = functions.iter().filter(|f| f["group"] == "heap");
    let present: Vec<_> = heap.filter(|f| f["provider"] != "absent").collect();
    assert!(present.iter().any(|f| f["name"] == "__libc_malloc"));
    for function in present {
        let is_fallback = function["name"] == "__malloc_atfork";
        let provider = if is_fallback { "musl" } else { "own" };
        assert_eq!(function["provider"], provider, "{function:#}");
        assert_eq!(function["sure"], "certain", "{function:#}");
    }
}

fn programs_link_and_run(architecture: &'static str) {
    let (room, sdk) = (Room::new(), Sdk::new(architecture));
    let old = sdk.root.join("usr/lib/libc.a");
    let new = PathBuf::from(room.path("upgraded.a"));
    succeed(brawn().args(["patch", "--upgrade", text(&old), "-o", text(&new)]));
    let all = [
        "copies.c",
        "own-malloc.c",
        "operators.cpp",
        "own-new.cpp",
        "makes-room.cpp",
    ];
    for name in all {
        let object = sdk.compile(&room, name, &[]);
        for linker in [&LLD, &GNU, &PIE] {
            let program = sdk.succeeds(&room, &object, &new, linker);
            if name != "own-malloc.c" && name != "makes-room.cpp" {
                let supplied = has_one_heap(&program);
                let expected = match name {
                    "copies.c" => "strdup",
                    "own-new.cpp" => "_Znam",
                    _ => "_ZnwmSt11align_val_tRKSt9nothrow_t",
                };
                assert!(supplied.iter().any(|s| s == expected), "{supplied:?}");
            }
        }
    }
    // Before, with the same programs less what mimalloc does otherwise.
    for name in ["copies.c", "operators.cpp"] {
        let object = sdk.compile(&room, name, &["-DAS_MIMALLOC=1"]);
        for linker in [&LLD, &GNU] {
            let program = sdk.succeeds(&room, &object, &old, linker);
            assert_eq!(inspect(&program)["heap"], "mimalloc");
            has_mimalloc_alone(&program);
        }
    }
    // What it could not do: wide copies, operators of the program's own, and exceptions where memory ends.
    for (name, why) in [
        ("copies.c", "wcsdup"),
        ("own-new.cpp", "operator new"),
        ("own-malloc.c", "malloc"),
    ] {
        let object = sdk.compile(&room, name, &[]);
        for linker in [&LLD, &GNU] {
            let error = sdk
                .link(&room, &object, &old, linker)
                .expect_err("mimalloc's archive");
            assert!(error.contains(why), "{error}");
        }
    }
    let object = sdk.compile(&room, "operators.cpp", &[]);
    let program = sdk.link(&room, &object, &old, &LLD).expect("it links");
    assert!(!sdk.runs(&program).status.success());
}

#[test]
fn programs_link_and_run_on_x86_64() {
    programs_link_and_run("x86_64");
}

#[test]
fn programs_link_and_run_on_aarch64() {
    programs_link_and_run("aarch64");
}

#[test]
fn the_recipes_archive_links_c_again_whoever_made_it() {
    let room = Room::new();
    for architecture in ARCHITECTURES {
        let sdk = Sdk::new(architecture);
        let object = sdk.compile(&room, "copies.c", &[]);
        for kind in ["recipe", "leftovers"] {
            let new = upgraded(&room, architecture, kind);
            for linker in [&LLD, &GNU] {
                has_one_heap(&sdk.succeeds(&room, &object, &new, linker));
            }
        }
        // Two members with one name, of which `ar` took one: two definitions in the program.
        let error = sdk.link(&room, &object, &archive(architecture, "leftovers"), &LLD);
        assert!(error.expect_err("two heaps").contains("duplicate symbol"));
    }
}
