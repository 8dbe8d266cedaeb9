//! Programs with another heap beside musl's, or in its place, that were rewritten.

use super::{FINDING, RUSTS, look, of};
use crate::build::{OTHER_HEAP, Room};
use crate::common::{brawn, ok, succeed, tools};
use brawn_core::identify::PUBLIC;

fn rewrite(room: &Room, name: &str, parts: &str) -> String {
    succeed(brawn().args(["rewrite", "--only", parts, &room.path(name)]))
}

#[test]
fn what_is_rewritten_beside_another_heap_is_replaced() {
    let all = super::ALL.replace(
        "int main",
        "int _rjem_mallctl(void) { return 0; }\nint main",
    );
    for (source, flags) in [
        (RUSTS, &["-static"][..]),
        (RUSTS, &["-static", "-s"]),
        (&all, &["-static"]),
    ] {
        let room = Room::with(source);
        let more = [
            "-O1",
            "-fno-builtin",
            "-D_GNU_SOURCE",
            "main.c",
            "-o",
            "main",
        ];
        room.run("musl-gcc", &[flags, &more].concat());
        let (report, code) = look(&room, "main");
        assert_eq!(code, FINDING, "{report:#}");
        let said = rewrite(&room, "main", "heap,memory,libc");
        let is_stripped = flags.contains(&"-s");
        // A program without symbols shows its other heap by its messages, of which this one has none.
        assert_eq!(
            said.contains("note  jemalloc is also in it: the code that uses it does not change"),
            !is_stripped,
            "{said}"
        );
        ok(&room.path("main"), &[]);
        let (report, code) = look(&room, "main");
        assert_eq!(
            (&report["verdict"], code),
            (&"replaced".into(), 0),
            "{report:#}"
        );
        if is_stripped {
            continue;
        }
        assert_eq!(report["beside"][0]["heap"], "jemalloc", "{report:#}");
        let why = report["why"].as_str().expect("text");
        assert!(
            why.contains("what calls `malloc` by its name has brawn's; jemalloc is beside it"),
            "{why}"
        );
        if source == all {
            assert_eq!(of(&report, "brawn")[..10], *PUBLIC, "{report:#}");
        }
        let text = succeed(brawn().args(["verify", &room.path("main")]));
        assert!(
            text.contains("beside: jemalloc, by symbols _rjem_mallctl"),
            "{text}"
        );
    }
}

#[test]
fn another_heap_in_musls_place_is_no_fault_of_a_rewrite() {
    let room = Room::with(OTHER_HEAP);
    room.run(
        "musl-gcc",
        &["-static", "-O1", "-fno-builtin", "main.c", "-o", "main"],
    );
    let (report, code) = look(&room, "main");
    assert_eq!(
        (&report["verdict"], code),
        (&"own".into(), FINDING),
        "{report:#}"
    );
    rewrite(&room, "main", "memory,libc");
    let (report, code) = look(&room, "main");
    assert_eq!(
        (&report["verdict"], code),
        (&"other-heap".into(), 0),
        "{report:#}"
    );
    assert!(
        of(&report, "own").iter().any(|name| name == "malloc"),
        "{report:#}"
    );
    assert!(
        of(&report, "brawn").iter().any(|name| name == "memcpy"),
        "{report:#}"
    );
}

/// Without symbols, of public packages: jemalloc for Rust's code, and mimalloc for all.
#[test]
fn rewritten_programs_of_packages_have_nothing_left_of_musls_heap() {
    let room = Room::new();
    for (package, member, verdict, heap) in [
        (
            "pagefind_bin-1.5.2-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl",
            "pagefind_bin/pagefind",
            "replaced",
            "jemalloc",
        ),
        (
            "bonsai_lint-0.5.0-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl",
            "bonsai_lint-0.5.0.data/scripts/bonsai-lint",
            "other-heap",
            "mimalloc",
        ),
    ] {
        let package = tools().join("corpus").join(package);
        let package = package.to_str().expect("UTF-8");
        ok(
            "unzip",
            &["-q", "-j", "-o", package, member, "-d", &room.path("")],
        );
        let name = member.rsplit('/').next().expect("a name");
        let (report, code) = look(&room, name);
        assert_eq!(code, FINDING, "{report:#}");
        rewrite(&room, name, "heap,memory,libc");
        let (report, code) = look(&room, name);
        assert_eq!(
            (&report["verdict"], code),
            (&verdict.into(), 0),
            "{report:#}"
        );
        assert_eq!(report["beside"][0]["heap"], heap, "{report:#}");
    }
}
