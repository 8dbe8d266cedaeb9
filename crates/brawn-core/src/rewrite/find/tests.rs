//! On real executables, built here by Debian's `musl-gcc` and by zig, and from public packages.

mod build;

use super::*;
use crate::Kind;
use brawn_payload::Profile;
use build::{Build, THREADS, built, corpus};

fn found(bytes: &[u8]) -> Functions {
    try_find(bytes, Component::ALL).expect("a program of musl's")
}

fn try_find(bytes: &[u8], wanted: &[Component]) -> Result<Functions> {
    let program = Program::read(bytes)?;
    let payload = brawn_payload::payload(program.architecture, Profile::Fast).expect("embedded");
    find(&program, &Names::of_symbols(&program), payload, wanted)
}

fn names(found: &Functions, component: Component) -> Vec<&str> {
    let functions = found.functions.iter().filter(|f| f.component == component);
    let mut names: Vec<&str> = functions
        .flat_map(|f| f.aliases.iter().chain([&f.name]))
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names
}

fn kinds(found: &Functions) -> Vec<RiskKind> {
    found.risks.iter().map(|r| r.kind).collect()
}

#[test]
fn every_function_of_the_heap_is_found_and_nothing_is_risked() {
    for flags in [
        &["-static", "-O2", "-fno-builtin"][..],
        &["-static-pie", "-O2", "-fPIE", "-fno-builtin"],
        &["-static", "-O0", "-g"],
    ] {
        let bytes = built(&Build::musl("1.2.3", THREADS).with(flags));
        let found = found(&bytes);
        assert_eq!(found.risks, [], "{flags:?}");
        let heap = names(&found, Component::Heap);
        let wanted = [
            "__libc_free",
            "__libc_malloc",
            "__libc_malloc_impl",
            "__libc_realloc",
            "__malloc_allzerop",
            "aligned_alloc",
            "calloc",
            "free",
            "malloc",
            "malloc_usable_size",
            "memalign",
            "posix_memalign",
            "realloc",
            "reallocarray",
            "valloc",
        ];
        let missing: Vec<_> = wanted.iter().filter(|n| !heap.contains(n)).collect();
        assert_eq!(missing, [&""; 0], "{flags:?}: {heap:?}");
        let memory = names(&found, Component::Memory);
        for name in ["memcpy", "memset", "strlen", "strcpy", "stpcpy", "__stpcpy"] {
            assert!(memory.contains(&name), "{flags:?}: {name} in {memory:?}");
        }
        assert!(found.errno_location.is_some());
        assert!(found.thread_exit.is_some());
        for function in &found.functions {
            assert!(function.room >= x86::JUMP, "{function:?}");
        }
    }
}

#[test]
fn a_program_from_a_package_is_safe_to_rewrite() {
    let bytes = corpus(
        "typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl",
        "typos-1.52.0.data/scripts/typos",
    );
    let found = found(&bytes);
    assert_eq!(found.risks, []);
    // No two functions have a gap between them there, and what only passes on has just room for a jump.
    let free = found.functions.iter().find(|f| f.name == "free");
    assert_eq!(free.map(|f| f.room), Some(x86::JUMP));
    assert_eq!(found.functions.len(), 22);
    let site = found.thread_exit.expect("it makes threads");
    assert_eq!((site.at, site.callee), (0x96_2331, 0x96_2eef));
}

#[test]
fn a_landing_pad_stays() {
    // Only the program's own functions have one: they give `malloc`s with and without.
    let own = format!("{THREADS}\nvoid *(*volatile pointer)(size_t) = malloc;");
    let bytes =
        built(&Build::musl("1.2.3", &own).with(&["-static", "-O2", "-fcf-protection=full"]));
    let found = found(&bytes);
    assert_eq!(found.risks, []);
    assert_eq!(x86::behind_landing(b"\xf3\x0f\x1e\xfa\xc3", 0x1000), 0x1004);
    assert_eq!(x86::behind_landing(b"\xc3", 0x1000), 0x1000);
}

#[test]
fn a_heap_of_the_programs_own_stays() {
    let own = format!(
        "{THREADS}\nstatic char room[1 << 20]; static size_t at;\n\
         void *malloc(size_t n) {{ at += n + 16; return room + (at & -16L); }}\n\
         void free(void *p) {{ (void)p; }}\n\
         void *realloc(void *p, size_t n) {{ void *q = malloc(n); return p ? memcpy(q, p, n) : q; }}\n\
         void *calloc(size_t n, size_t m) {{ return memset(malloc(n * m), 0, n * m); }}\n\
         void *aligned_alloc(size_t a, size_t n) {{ (void)a; return malloc(n); }}\n\
         size_t malloc_usable_size(void *p) {{ (void)p; return 1; }}\n"
    );
    let bytes = built(&Build::musl("1.2.3", &own).with(&["-static", "-O2", "-fno-builtin"]));
    let found = found(&bytes);
    assert!(
        kinds(&found).contains(&RiskKind::OtherHeap),
        "{:?}",
        found.risks
    );
    assert!(!names(&found, Component::Heap).contains(&"malloc"));
    let memory = try_find(&bytes, &[Component::Memory]).expect("memory functions");
    assert_eq!(memory.risks, []);
    assert!(names(&memory, Component::Memory).contains(&"strlen"));
}

#[test]
fn who_uses_the_heaps_state_is_found() {
    for (what, code) in [
        (
            "reads it",
            "HIDDEN char state[] __asm__(\"__malloc_context\"); __attribute__((noinline)) int f(void) { return state[0]; }",
        ),
        (
            "points to it",
            "HIDDEN char state[] __asm__(\"__malloc_context\"); char *volatile p = state; __attribute__((noinline)) int f(void) { return *p; }",
        ),
        (
            "calls into it",
            "HIDDEN int own(void *) __asm__(\"__malloc_alloc_meta\"); __attribute__((noinline)) int f(void) { return own(0); }",
        ),
        (
            "jumps into it",
            "__attribute__((noinline)) int f(void) { __asm__(\"jmp __libc_free+9\"); return 0; }",
        ),
    ] {
        let hidden = "#define HIDDEN extern __attribute__((visibility(\"hidden\")))";
        let source = format!(
            "{hidden}\n{}\n{code}",
            THREADS.replace("int main(", "int f(void); int main(")
        )
        .replace("return memcmp", "if (count > 7) f(); return memcmp");
        for flags in [&["-static", "-O2"][..], &["-static-pie", "-fPIE", "-O2"]] {
            let bytes = built(&Build::musl("1.2.3", &source).with(flags));
            let found = found(&bytes);
            let expected = if what.starts_with("jumps") {
                RiskKind::EnteredInside
            } else {
                RiskKind::HeapState
            };
            assert_eq!(kinds(&found), [expected], "{what}: {:?}", found.risks);
            let memory = try_find(&bytes, &[Component::Memory]).expect("memory functions");
            assert_eq!(memory.risks, [], "{what}");
        }
    }
}

#[test]
fn what_is_no_program_of_musls_is_not_applicable() {
    let glibc = Build::gcc("int main(void) { return 0; }").with(&["-static"]);
    let error = try_find(&built(&glibc), Component::ALL).expect_err("glibc's");
    assert_eq!(error.kind(), Kind::NotApplicable);
    assert!(error.to_string().contains("glibc"), "{error}");
}

#[test]
fn bytes_behind_the_program_are_a_risk() {
    let mut bytes = built(&Build::musl("1.2.3", THREADS).with(&["-static", "-O2"]));
    let end = bytes.len() as u64;
    bytes.extend([0; 100]);
    assert_eq!(found(&bytes).risks, []);
    bytes.extend(b"an archive\n---- Bun! ----\n");
    let found = found(&bytes);
    assert_eq!(kinds(&found), [RiskKind::Overlay]);
    assert_eq!(found.risks[0].address, Some(end));
    assert!(found.risks[0].text.contains("bun"), "{:?}", found.risks);
}
