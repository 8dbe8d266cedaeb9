//! C and C++ linked through bundles laid out as Swift's Static Linux SDK is (`tools/swift-sdk.sh`), as its toolset
//! does it: with musl's heap, as older SDKs have it, and with mimalloc, as newer ones do.

use crate::build::Room;
use crate::common::{REFUSED, brawn, fail, ok, read, succeed, tools};
use crate::heap_profile::{DEEP, records};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// The two kinds of bundles.
const OLD: &str = "swift-6.0.3-RELEASE_static-linux-0.0.1";
const NEW: &str = "swift-6.3-RELEASE_static-linux-0.1.0";
const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];

const C: &str = include_str!("swift/allocates.c");
const CXX: &str = include_str!("swift/allocates.cpp");
const STRDUP: &str = include_str!("swift/strdup.c");

/// What `tools/swift-sdk.sh` made, which nobody writes to.
fn made(name: &str) -> PathBuf {
    let path = tools().join("swift-sdk").join(name);
    assert!(path.exists(), "{}: run tools/swift-sdk.sh", path.display());
    path
}

/// An unpacked bundle.
struct Bundle {
    folder: PathBuf,
    name: &'static str,
    /// Of a copy, which goes with it.
    _copy: Option<TempDir>,
}

impl Bundle {
    /// As it comes.
    fn stock(name: &'static str) -> Self {
        let folder = made(&format!("{name}.artifactbundle"));
        let _copy = None;
        Self {
            folder,
            name,
            _copy,
        }
    }

    /// A copy that a test may write to.
    fn copy(name: &'static str) -> Self {
        let copy = tempfile::tempdir().expect("a temporary directory");
        let from = Self::stock(name).folder;
        let folder = copy.path().join(from.file_name().expect("a name"));
        let paths = [&from, &folder].map(|p| p.to_str().expect("UTF-8"));
        ok("cp", &["-a", "--reflink=auto", paths[0], paths[1]]);
        let _copy = Some(copy);
        Self {
            folder,
            name,
            _copy,
        }
    }

    /// Where an architecture's headers and libraries are.
    fn root(&self, arch: &str) -> String {
        let inside = format!("{}/swift-linux-musl/musl-1.2.5.sdk/{arch}", self.name);
        let path = self.folder.join(inside);
        path.to_str().expect("UTF-8").into()
    }

    /// What links `files` of `room` to `out`, in the SDK's way.
    fn command(&self, room: &Room, arch: &str, files: &[&str], out: &str) -> Command {
        let root = self.root(arch);
        let is_cxx = files.iter().any(|f| f.ends_with(".cpp"));
        let driver = made(if is_cxx { "bin/clang++" } else { "bin/clang" });
        let (target, resources) = (
            format!("{arch}-swift-linux-musl"),
            format!("{root}/usr/lib/swift_static/clang"),
        );
        let mut line = vec![
            "-target",
            &target,
            "--sysroot",
            &root,
            "-resource-dir",
            &resources,
        ];
        line.extend(
            "-rtlib=compiler-rt -stdlib=libc++ -unwindlib=libunwind -fuse-ld=lld".split(' '),
        );
        line.extend(["-static", "-O1", "-D_GNU_SOURCE"]);
        line.extend(files);
        if is_cxx {
            line.extend(["-lc++", "-lc++abi"]);
        }
        line.extend(["-o", out]);
        let mut command = Command::new(driver);
        command.args(line).current_dir(room.path("."));
        command
    }

    /// Links, which must succeed.
    fn link(&self, room: &Room, arch: &str, files: &[&str], out: &str) {
        let output = self
            .command(room, arch, files, out)
            .output()
            .expect("clang");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}, {arch}, {files:?}: {said}",
            self.name
        );
    }
}

/// Runs a program for `arch`, and gives what it printed.
fn run(room: &Room, arch: &str, name: &str) -> String {
    match arch {
        "x86_64" => ok(&room.path(name), &[]),
        _ => ok(&format!("qemu-{arch}"), &[&room.path(name)]),
    }
}

/// Holds that the program's heap and memory functions are brawn's, by two looks at it.
fn is_brawns(room: &Room, arch: &str, name: &str) {
    let report = room.inspect(name);
    let found = [
        "architecture",
        "libc",
        "linkage",
        "heap",
        "memory",
        "verdict",
    ];
    let found = found.map(|key| report[key].as_str().expect("text"));
    assert_eq!(
        found,
        [arch, "musl", "static", "brawn", "brawn", "fine"],
        "{report:#}"
    );
    succeed(brawn().args(["verify", &room.path(name)]));
}

/// Links and runs both programs through a bundle whose heap is brawn's.
fn both_run_with_brawns_heap(bundle: &Bundle, more: &dyn Fn(&str) -> Vec<String>) {
    let room = Room::with(C);
    room.write("main.cpp", CXX);
    for arch in ARCHITECTURES {
        let more = more(arch);
        for (source, says) in [("main.c", "wide 1\n"), ("main.cpp", "said by 4 threads\n")] {
            let mut files = vec![source];
            files.extend(more.iter().map(String::as_str));
            bundle.link(&room, arch, &files, "main");
            assert_eq!(run(&room, arch, "main"), says, "{arch}, {source}");
            is_brawns(&room, arch, "main");
        }
    }
}

/// The same as a position-independent program.  The SDK has musl's start file for it but none of the compiler's, which
/// clang would ask for: they are named here.
fn runs_position_independent(bundle: &Bundle) {
    let room = Room::with(C);
    for arch in ARCHITECTURES {
        let root = bundle.root(arch);
        let [start, begin, end] =
            ["rcrt1.o", "crti.o", "crtn.o"].map(|n| format!("{root}/usr/lib/{n}"));
        let files = [
            "-static-pie",
            "-fPIE",
            "-nostartfiles",
            &start,
            &begin,
            "main.c",
            &end,
        ];
        bundle.link(&room, arch, &files, "main");
        assert_eq!(run(&room, arch, "main"), "wide 1\n", "{arch}");
        assert_eq!(room.inspect("main")["linkage"], "static-pie", "{arch}");
        succeed(brawn().args(["verify", &room.path("main")]));
    }
}

fn nothing(_: &str) -> Vec<String> {
    Vec::new()
}

/// What `link-args --format swift` puts between the program's objects and its libraries.
fn unsafe_flags(room: &Room, arch: &str) -> Vec<String> {
    let dir = room.path(&format!("brawn-{arch}"));
    let mut command = brawn();
    command.args([
        "link-args",
        "--format",
        "swift",
        "--arch",
        arch,
        "--dir",
        &dir,
    ]);
    let text = succeed(&mut command);
    let list = text
        .trim()
        .strip_prefix(".unsafeFlags(")
        .and_then(|t| t.strip_suffix(")"));
    // An array of texts is the same in Swift and in JSON.
    serde_json::from_str(list.expect("an element of linkerSettings")).expect("an array of texts")
}

/// Where a linker took a symbol from, as its map says.
fn taken_from(map: &str, symbol: &str) -> String {
    let mut file = "";
    for line in map.lines() {
        let Some(last) = line.split_whitespace().last() else {
            continue;
        };
        match line.rsplit_once(":(") {
            Some((before, _)) => file = before.split_whitespace().last().unwrap_or(""),
            None if last == symbol => return file.rsplit('/').next().unwrap_or(file).to_owned(),
            None => {}
        }
    }
    panic!("no {symbol} in the map\n{map}");
}

/// Links and runs the program of the question whether `free(strdup("test"))` crosses heaps; gives where `strdup` and
/// `malloc` are from.  That the block is `malloc`'s, and `free` gives it back to `malloc`, is held here.
fn strdup_stays_in_its_heap(
    bundle: &Bundle,
    arch: &str,
    more: &[&str],
    usable: u32,
) -> (Room, [String; 2]) {
    let room = Room::with(STRDUP);
    let mut files = vec!["main.c", "-Wl,-Map=map"];
    files.extend(more);
    bundle.link(&room, arch, &files, "main");
    let expected = format!("usable {usable}, among malloc's, out again\n");
    assert_eq!(
        run(&room, arch, "main"),
        expected,
        "{}, {arch}, {more:?}",
        bundle.name
    );
    let map = String::from_utf8(read(room.path("map").as_ref())).expect("UTF-8");
    let [copy, get, give] = ["strdup", "malloc", "free"].map(|name| taken_from(&map, name));
    // musl's has a file for each function.
    if usable != MUSLS {
        assert_eq!(get, give);
    }
    (room, [copy, get])
}

/// How large a block for "test" is, as `malloc_usable_size` says it: in musl's heap as large as was asked for.
const MUSLS: u32 = 5;
const MIMALLOCS: u32 = 8;
const BRAWNS: u32 = 16;

#[test]
fn as_they_come_their_heaps_are_musls_and_mimalloc() {
    for (kind, heap, usable, from) in [
        (
            OLD,
            "musl mallocng",
            MUSLS,
            ["libc.a(strdup.lo)", "libc.a(lite_malloc.lo)"],
        ),
        (NEW, "mimalloc", MIMALLOCS, ["libc.a(mimalloc.o)"; 2]),
    ] {
        for arch in ARCHITECTURES {
            let (room, found) = strdup_stays_in_its_heap(&Bundle::stock(kind), arch, &[], usable);
            assert_eq!(found, from);
            assert_eq!(room.inspect("main")["heap"], heap, "{kind}, {arch}");
        }
    }
}

#[test]
fn the_old_kind_packed_is_patched_and_unpacked() {
    let copy = tempfile::tempdir().expect("a temporary directory");
    let packed = copy.path().join(format!("{OLD}.artifactbundle.tar.gz"));
    let path = packed.to_str().expect("UTF-8");
    std::fs::copy(made(&format!("{OLD}.artifactbundle.tar.gz")), &packed).expect("copied");
    let said = succeed(brawn().arg("patch").arg(&packed));
    let sum = ok("sha256sum", &[path]);
    let sum = sum.split(' ').next().expect("a checksum");
    assert!(said.contains(&format!("--checksum {sum}")), "{said}");
    ok(
        "tar",
        &["xzf", path, "-C", copy.path().to_str().expect("UTF-8")],
    );
    let bundle = Bundle {
        folder: copy.path().join(format!("{OLD}.artifactbundle")),
        name: OLD,
        _copy: Some(copy),
    };
    both_run_with_brawns_heap(&bundle, &nothing);
    runs_position_independent(&bundle);
    for arch in ARCHITECTURES {
        let (room, found) = strdup_stays_in_its_heap(&bundle, arch, &[], BRAWNS);
        assert_eq!(found, ["libc.a(strdup.lo)", "libc.a(brawn_heap.o)"]);
        is_brawns(&room, arch, "main");
    }
}

/// Where `strdup` and `malloc` are from with `link-args --format swift`.
const SUPPLIED: [&str; 2] = ["libbrawn_supplied.a(brawn_strdup.o)", "brawn_heap.o"];

/// Links through a bundle as it comes, with `link-args --format swift`; `also` looks at each program besides.
fn untouched_with_unsafe_flags(kind: &'static str, also: &dyn Fn(&Room)) {
    let room = Room::new();
    let bundle = Bundle::stock(kind);
    both_run_with_brawns_heap(&bundle, &|arch| unsafe_flags(&room, arch));
    for arch in ARCHITECTURES {
        let flags = unsafe_flags(&room, arch);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let (room, found) = strdup_stays_in_its_heap(&bundle, arch, &flags, BRAWNS);
        assert_eq!(found, SUPPLIED);
        is_brawns(&room, arch, "main");
        also(&room);
    }
}

#[test]
fn the_old_kind_untouched_with_unsafe_flags() {
    untouched_with_unsafe_flags(OLD, &|_| ());
}

#[test]
fn the_new_kind_untouched_with_unsafe_flags() {
    untouched_with_unsafe_flags(NEW, &|room| {
        let symbols = ok("nm", &[&room.path("main")]);
        assert!(!symbols.contains(" mi_malloc"), "{symbols}");
    });
}

#[test]
fn two_heaps_in_the_new_kind_do_not_link() {
    let flags_in = Room::new();
    let flags = unsafe_flags(&flags_in, "x86_64");
    let bundle = Bundle::stock(NEW);
    // The heap's object alone, and a program that calls mimalloc by its own name.
    let own = "void *mi_malloc(unsigned long); int main(void) { return !mi_malloc(9); }\n";
    for (source, flags) in [(STRDUP, &flags[..1]), (own, &flags)] {
        let room = Room::with(source);
        let mut files = vec!["main.c"];
        files.extend(flags.iter().map(String::as_str));
        let output = bundle
            .command(&room, "x86_64", &files, "main")
            .output()
            .expect("clang");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("duplicate symbol: __libc_malloc"), "{said}");
    }
}

#[test]
fn the_new_kind_upgraded() {
    let bundle = Bundle::copy(NEW);
    let error = fail(brawn().arg("patch").arg(&bundle.folder), REFUSED);
    assert!(error.contains("--upgrade"), "{error}");
    succeed(brawn().args(["patch", "--upgrade"]).arg(&bundle.folder));
    both_run_with_brawns_heap(&bundle, &nothing);
    runs_position_independent(&bundle);
    for arch in ARCHITECTURES {
        let (room, found) = strdup_stays_in_its_heap(&bundle, arch, &[], BRAWNS);
        assert_eq!(found, ["libc.a(brawn_strdup.o)", "libc.a(brawn_heap.o)"]);
        is_brawns(&room, arch, "main");
    }
    let kept = Bundle::stock(NEW);
    succeed(brawn().arg("restore").arg(&bundle.folder));
    for arch in ARCHITECTURES {
        let libc = |bundle: &Bundle| read(format!("{}/usr/lib/libc.a", bundle.root(arch)).as_ref());
        assert!(libc(&bundle) == libc(&kept), "{arch}");
    }
}

#[test]
fn programs_of_a_bundle_with_profile_trace_record() {
    let bundle = Bundle::copy(OLD);
    let patch = ["patch", "--profile", "trace"];
    succeed(brawn().args(patch).arg(&bundle.folder));
    let room = Room::with(DEEP);
    bundle.link(&room, "x86_64", &["main.c"], "main");
    records(&room, "main");
}

/// mimalloc's object, compiled as one that is linked by itself.
fn mimalloc(arch: &str) -> String {
    let path = tools().join(format!("sdk-mimalloc/{arch}/objects/mimalloc.o"));
    assert!(
        path.exists(),
        "{}: run tools/sdk-mimalloc.sh",
        path.display()
    );
    path.to_str().expect("UTF-8").into()
}

#[test]
fn a_lone_mimalloc_on_the_link_line() {
    // Whole, it is the only heap, and `strdup` its own.
    for arch in ARCHITECTURES {
        let bundle = Bundle::stock(OLD);
        let (room, found) = strdup_stays_in_its_heap(&bundle, arch, &[&mimalloc(arch)], MIMALLOCS);
        assert_eq!(found, ["mimalloc.o"; 2]);
        assert_eq!(room.inspect("main")["heap"], "mimalloc", "{arch}");
    }
    // Releases up to 2.1.7 have `__libc_malloc` for glibc alone.
    let room = Room::with(
        "#define _GNU_SOURCE\n#include <locale.h>\n#include <stdlib.h>\n#include <string.h>\n\
         int main(int n, char **v) { locale_t l = newlocale(LC_ALL_MASK, v[0], 0); \
         if (l) freelocale(l); \
         free(strdup(\"test\")); return 0; }\n",
    );
    let older = room.path("older.o");
    let names = [
        "malloc", "calloc", "realloc", "free", "cfree", "memalign", "valloc", "pvalloc",
    ];
    let mut line: Vec<String> = names
        .map(|n| format!("--localize-symbol=__libc_{n}"))
        .into();
    line.extend([mimalloc("x86_64"), older.clone()]);
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    ok("llvm-objcopy", &line);
    let bundle = Bundle::stock(OLD);
    let (_, found) = strdup_stays_in_its_heap(&bundle, "x86_64", &[&older], MIMALLOCS);
    assert_eq!(found, ["older.o"; 2]);
    // What libc allocates for itself is then in musl's heap, which is in the program, too.
    bundle.link(&room, "x86_64", &["main.c", &older], "main");
    run(&room, "x86_64", "main");
    let report = room.inspect("main");
    let found = ["heap", "verdict"].map(|key| report[key].as_str().expect("text"));
    assert_eq!(found, ["mimalloc + musl mallocng", "mixed"], "{report:#}");
}
