//! Tests with real executables: built here with gcc and each musl, or from public packages.

mod alike_tests;
mod borrow_tests;
mod drawn_tests;
mod frames_tests;
mod pages_tests;
mod programs_for_tests;
mod slide_tests;
mod trust_tests;

use super::*;
use crate::Kind;
use crate::elf::image::Image;
use crate::identify::executable;
use brawn_payload::Profile;
use programs_for_tests::{Build, THREADS, built, corpus};

fn found(bytes: &[u8]) -> Functions {
    try_find(bytes, Component::ALL).expect("a program of musl's")
}

fn try_find(bytes: &[u8], wanted: &[Component]) -> Result<Functions> {
    let program = Program::read(bytes)?;
    find_by(&program, &Names::of_symbols(&program), wanted)
}

/// With these names, for profile `fast`.
fn find_by(program: &Program<'_>, names: &Names, wanted: &[Component]) -> Result<Functions> {
    let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast);
    find(program, names, payload.expect("embedded"), wanted)
}

fn identity(program: &Program<'_>) -> Result<Identity> {
    Ok(executable::identify(&Image::read(program.bytes, 0)?))
}

fn find(
    program: &Program<'_>,
    names: &Names,
    payload: &Payload,
    wanted: &[Component],
) -> Result<Functions> {
    super::find(program, &identity(program)?, names, payload, wanted)
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
            assert!(function.room >= x86_64::JUMP, "{function:?}");
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
    // There, functions have no gaps between them, and a function that only calls another has just enough room for a
    // jump.
    let free = found.functions.iter().find(|f| f.name == "free");
    assert_eq!(free.map(|f| f.room), Some(x86_64::JUMP));
    assert_eq!(found.functions.len(), 22);
    let site = found.thread_exit.expect("it makes threads");
    assert_eq!((site.at, site.callee), (0x96_2331, 0x96_2eef));
}

#[test]
fn a_landing_pad_stays() {
    // These are after a function with one of libc's names, so they are among libc's functions.
    let own = ".globl __stdio_first, strnlen\n.type __stdio_first, @function\n__stdio_first: ret\n\
               .type strnlen, @function\nstrnlen: endbr64\nxor %eax, %eax\n1: cmp %rsi, %rax\nje 2f\n\
               cmpb $0, (%rdi,%rax)\nje 2f\ninc %rax\njmp 1b\n2: ret\n.size strnlen, .-strnlen\n";
    let source = "#include <string.h>\nint main(int count, char **words) { return strnlen(words[0], count); }";
    let source = format!("{source}\n__asm__({own:?});");
    let flags = ["-static", "-O2", "-fno-builtin", "-fcf-protection=full"];
    let bytes = built(&Build::musl("1.2.3", &source).with(&flags));
    let found = found(&bytes);
    assert_eq!(found.risks, []);
    let strnlen = found.functions.iter().find(|f| f.name == "strnlen");
    let strnlen = strnlen.expect("strnlen is replaced");
    assert_eq!(strnlen.patch_at, strnlen.address + 4);
    assert!(
        strnlen.room >= strnlen.extent.end - strnlen.address - 4,
        "{strnlen:?}"
    );
}

#[test]
fn every_musl_is_known() {
    let fixed = &["-static", "-O2", "-fno-builtin"][..];
    let anywhere = &["-static-pie", "-fPIE", "-O2", "-fno-builtin"][..];
    let folded = &[
        "-static",
        "-O2",
        "-fno-builtin",
        "-fuse-ld=lld",
        "-Wl,--icf=all,--gc-sections",
    ][..];
    for (musl, flags) in [
        ("1.2.2", fixed),
        ("1.2.2", anywhere),
        ("1.2.3-oldmalloc", fixed),
        ("1.2.3-oldmalloc", anywhere),
        ("1.2.3", folded),
        ("1.2.5", anywhere),
        ("1.2.6", fixed),
        ("1.2.6", folded),
        ("1.2.2-arm64", fixed),
        ("1.2.3-arm64", anywhere),
        ("1.2.5-arm64", fixed),
        ("1.2.6-arm64", fixed),
        ("1.2.6-arm64", anywhere),
    ] {
        let what = format!("{musl} {flags:?}");
        let bytes = built(&Build::musl(musl, THREADS).with(flags));
        let found = found(&bytes);
        assert_eq!(found.risks, [], "{what}");
        let heap = names(&found, Component::Heap);
        for name in [
            "malloc",
            "free",
            "calloc",
            "realloc",
            "aligned_alloc",
            "malloc_usable_size",
        ] {
            assert!(heap.contains(&name), "{what}: {name} in {heap:?}");
        }
        let memory = names(&found, Component::Memory);
        for name in ["memcpy", "memmove", "memset", "memcmp", "strlen", "strcpy"] {
            assert!(memory.contains(&name), "{what}: {name} in {memory:?}");
        }
        let site = found.thread_exit.expect(&what);
        assert!(found.errno_location.is_some(), "{what}");
        let program = Program::read(&bytes).expect("an executable");
        let callee = program.symbol("__pthread_tsd_run_dtors").expect("a symbol");
        assert_eq!(site.callee, callee.address, "{what}");
    }
}

#[test]
fn without_symbols_names_from_elsewhere_do() {
    for musl in ["1.2.3", "1.2.3-oldmalloc", "1.2.6-arm64"] {
        let flags = ["-static-pie", "-fPIE", "-O2", "-fno-builtin"];
        let bytes = built(&Build::musl(musl, THREADS).with(&flags));
        let whole = Program::read(&bytes).expect("an executable");
        let mut names = Names::of_symbols(&whole);
        let is_known = |n: &crate::signatures::names::Named| {
            crate::identify::is_heap(n.name.as_bytes())
                || crate::identify::reach::LOCAL.contains(&n.name.as_str())
                || crate::identify::MEMORY.contains(&n.name.as_str())
                || n.name.starts_with("__pthread_")
                || n.name.starts_with("bin_")
                || ["__errno_location", "mal"].contains(&n.name.as_str())
        };
        names.functions.retain(is_known);
        names.objects.retain(is_known);
        for name in &mut names.functions {
            name.evidence = Evidence::Signature(musl.into());
        }
        // Section headers are removed together with the symbols: a program runs without them.
        let ends = whole.segments.iter().map(|s| s.offset + s.file_size);
        let mut stripped = bytes[..ends.max().expect("segments") as usize].to_vec();
        stripped[40..48].fill(0);
        stripped[58..64].fill(0);
        let program = Program::read(&stripped).expect("an executable");
        assert!(program.symbols.is_empty() && program.sections.is_empty());
        let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast)
            .expect("embedded");
        let find =
            |names: &Names| find(&program, names, payload, &[Component::Heap]).expect("musl's");
        let found = find(&names);
        assert_eq!(found.risks, [], "{musl}");
        assert!(found.thread_exit.is_some(), "{musl}");
        // Without the names of functions inside the heap, their uses look like uses by unknown code.
        let mut fewer = names.clone();
        fewer
            .functions
            .retain(|n| n.name != "__libc_realloc" && n.name != "realloc");
        assert!(
            kinds(&find(&fewer)).contains(&RiskKind::HeapState),
            "{musl}"
        );
        let mut fewer = names.clone();
        fewer.objects.clear();
        assert!(
            kinds(&find(&fewer)).contains(&RiskKind::HeapState),
            "{musl}"
        );
        fewer.functions.clear();
        assert_eq!(kinds(&find(&fewer)), [RiskKind::MissingFunction], "{musl}");
    }
}

#[test]
fn hooks_that_are_missing_are_risks() {
    let bytes = built(&Build::musl("1.2.3", THREADS).with(&["-static", "-O2"]));
    let program = Program::read(&bytes).expect("an executable");
    let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast)
        .expect("embedded");
    for gone in ["__pthread_tsd_run_dtors", "errno_location"] {
        let mut names = Names::of_symbols(&program);
        names.functions.retain(|n| !n.name.ends_with(gone));
        let found = find(&program, &names, payload, Component::ALL).expect("musl's");
        assert_eq!(kinds(&found), [RiskKind::MissingHook], "{gone}");
    }
    // A program without threads needs no hook for their end, and one that never frees has a heap without a state.
    let source = "#include <stdlib.h>\nint main(int n, char **w) { return !malloc(n); }";
    let found = found(&built(&Build::musl("1.2.3", source).with(&[
        "-static",
        "-O2",
        "-fno-builtin",
    ])));
    assert_eq!((found.risks, found.thread_exit), (vec![], None));
    assert!(found.functions.iter().any(|f| f.name == "malloc"));
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

#[test]
fn thread_locals_by_their_distance_are_a_risk() {
    let source = "extern void *__tls_get_addr(unsigned long *);\n\
                  int main(int n, char **w) { unsigned long at[2] = {1, n}; return !__tls_get_addr(at); }";
    let source = format!("{}\n{source}", THREADS.replace("int main(", "int other("));
    for (musl, expected) in [
        ("1.2.3", &[RiskKind::ThreadLocals][..]),
        ("1.2.3-arm64", &[]),
    ] {
        let found = found(&built(
            &Build::musl(musl, &source).with(&["-static", "-O2"]),
        ));
        assert_eq!(kinds(&found), expected, "{musl}: {:?}", found.risks);
    }
}

/// musl would call it while the thread pointer is still 0.
#[test]
fn an_own_memcpy_that_needs_a_thread_pointer_is_a_risk() {
    // One that uses `memmove` would get musl's `memcpy`, too.
    let main = "#include <stdlib.h>\n\
                int main(int n, char **w) { void *p = malloc(n * 10); free(realloc(p, n * 100)); return 0; }\n";
    let own = "void *memcpy(void *restrict to, const void *restrict from, size_t n) { char *t = to; const char *f = from; \
               while (n--) *(volatile char *)t++ = *f++; return to; }";
    let threads = "_Thread_local int own; int count(void) { return own++; }";
    let protected = &["-static", "-O1", "-fno-builtin", "-fstack-protector-all"][..];
    for (source, flags, expected) in [
        (format!("{main}{own}"), protected, &[RiskKind::OwnCopy][..]),
        (format!("{main}{own}"), &protected[..3], &[]),
        // It has thread-locals without the heap, so it was called without a thread pointer before.
        (format!("{main}{threads}{own}"), protected, &[]),
    ] {
        let found = found(&built(&Build::musl("1.2.3", &source).with(flags)));
        assert_eq!(kinds(&found), expected, "{flags:?}: {:?}", found.risks);
    }
}

#[test]
fn a_function_of_the_programs_own_stays() {
    let own = "size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }";
    let source = format!("{THREADS}\n{own}");
    let found = found(&built(&Build::musl("1.2.3", &source).with(&[
        "-static",
        "-O1",
        "-fno-builtin",
    ])));
    assert_eq!(found.risks, []);
    assert!(!names(&found, Component::Memory).contains(&"strlen"));
    assert!(
        found.left.iter().any(|l| l.name == "strlen"),
        "{:?}",
        found.left
    );
}

#[test]
fn heaps_beside_musls_are_told() {
    // A heap under its own names, as in Rust's crates: C's heap is still musl's.
    let source = format!("{THREADS}\nint mallctl(const char *name) {{ return !name; }}");
    let found = found(&built(&Build::musl("1.2.3", &source).with(&[
        "-static",
        "-O2",
        "-fno-builtin",
    ])));
    assert_eq!(found.risks, []);
    assert!(
        found.notes.iter().any(|n| n.contains("jemalloc")),
        "{:?}",
        found.notes
    );
}

#[test]
fn what_brawn_has_done_is_not_done_again() {
    let payload = brawn_payload::payload(brawn_payload::Architecture::X86_64, Profile::Fast);
    let payload = payload.expect("embedded");
    let build = |source: &str| {
        let note = format!(
            ".section .note.brawn,\"a\",@note\n.long 6, 2f-1f, 1\n.asciz \"brawn\"\n.balign 4\n\
             1: .ascii \"brawn=0.0.9\\ncomponent=heap\\nprofile=fast\\nsource={source}\\n\"\n2: .balign 4\n"
        );
        built(
            &Build::musl("1.2.3", THREADS)
                .with(&["-static", "-O2"])
                .behind(&note),
        )
    };
    let same = found(&build(payload.source));
    assert_eq!(same.present, [Component::Heap]);
    assert_eq!(names(&same, Component::Heap), [""; 0]);
    assert!(names(&same, Component::Memory).contains(&"strlen"));
    let error = try_find(&build("another"), Component::ALL).expect_err("another brawn's");
    assert_eq!(error.kind(), Kind::Refused);
    let restore = crate::advice::Advice::Restore(None).to_string();
    assert!(error.to_string().contains(&restore), "{error}");
}
