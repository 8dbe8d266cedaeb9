//! Code that looks like musl's or like a danger, but is neither; and code that is, although it does not look like it.

use super::*;
use crate::signatures;

const FIXED: &[&str] = &["-static", "-O2", "-fno-builtin"];
const ANYWHERE: &[&str] = &["-static-pie", "-fPIE", "-O2", "-fno-builtin"];

/// [`THREADS`] with more functions, of which `main` calls `own`.
fn with_own(functions: &str) -> String {
    let main = THREADS.replace("int main(", "static int other(");
    format!(
        "{main}\n{functions}\nint main(int count, char **words) {{ return own(count, words) + other(count, words); }}"
    )
}

/// Functions with the names of some of musl's heap, which call the heap like any other code.
const NAMESAKES: &str = r#"
#define OWN static __attribute__((noinline, noclone))
OWN char *trim(char *s) { char *e = s + strlen(s); while (e > s && e[-1] == ' ') *--e = 0; return s; }
OWN void *default_malloc(size_t size, void *data) { (void)data; return malloc(size); }
OWN void default_free(void *block, void *data) { (void)data; free(block); }
OWN void *alloc_slot(size_t n) { static int count; count++; return calloc(n, 3); }
OWN void *get_meta(void *p) { return realloc(p, 99); }
OWN void nontrivial_free(void *p) { free(p); }
OWN void *alloc_fwd(void *p) { return strdup(p); }
OWN void alloc_rev(void *p) { free(p); }
OWN void unbin(void *p, int n) { if (n) free(p); }
OWN void *__simple_pool(size_t n) { return malloc(n); }
void *(*volatile allocate)(size_t, void *) = default_malloc;
void (*volatile release)(void *, void *) = default_free;
OWN int own(int count, char **words) {
    char *text = malloc(100);
    strcpy(text, words[0]);
    puts(trim(text));
    release(allocate(count, 0), 0);
    nontrivial_free(get_meta(alloc_slot(count)));
    alloc_rev(alloc_fwd(text));
    unbin(__simple_pool(3), count);
    free(text);
    return 0;
}
"#;

#[test]
fn a_name_of_the_heaps_is_not_the_heaps_by_itself() {
    for (musl, flags) in [
        ("1.2.3", FIXED),
        ("1.2.3", ANYWHERE),
        ("1.2.3-oldmalloc", FIXED),
        ("1.2.6", FIXED),
        ("1.2.3-arm64", FIXED),
        ("1.2.6-arm64", ANYWHERE),
    ] {
        let bytes = built(&Build::musl(musl, &with_own(NAMESAKES)).with(flags));
        let found = found(&bytes);
        assert_eq!(found.risks, [], "{musl} {flags:?}");
        // Functions of such a name that the heap calls are replaced with it; others are not touched.
        let program = Program::read(&bytes).expect("an executable");
        for own in ["default_malloc", "trim", "get_meta"] {
            let own = program.symbols.iter().filter(|s| s.name == own);
            let first = own.map(|s| s.address).min().expect(musl);
            assert!(!found.functions.iter().any(|f| f.address == first));
        }
    }
}

#[test]
fn a_heap_under_musls_own_names_is_not_musls() {
    let own = "
        static char room[1 << 20]; static size_t at;
        void *__libc_malloc(size_t n) { at += n + 16; return room + (at & -16L); }
        void __libc_free(void *p) { (void)p; }
        void *__libc_realloc(void *p, size_t n) { void *q = __libc_malloc(n); return p ? memcpy(q, p, n) : q; }
        void *__libc_calloc(size_t n, size_t m) { return memset(__libc_malloc(n * m), 0, n * m); }
        void *malloc(size_t n) __attribute__((alias(\"__libc_malloc\")));
        void free(void *p) __attribute__((alias(\"__libc_free\")));
        void *realloc(void *p, size_t n) __attribute__((alias(\"__libc_realloc\")));
        void *calloc(size_t n, size_t m) __attribute__((alias(\"__libc_calloc\")));
        void *__libc_malloc_impl(size_t n) __attribute__((alias(\"__libc_malloc\")));
        void *aligned_alloc(size_t a, size_t n) { (void)a; return malloc(n); }
        size_t malloc_usable_size(void *p) { (void)p; return 1; }
        int own(int n, char **w) { return n > 99 && w; }";
    for flags in [FIXED, ANYWHERE] {
        let bytes = built(&Build::musl("1.2.3", &with_own(own)).with(flags));
        let found = found(&bytes);
        assert!(
            kinds(&found).contains(&RiskKind::OtherHeap),
            "{:?}",
            found.risks
        );
        assert!(!names(&found, Component::Heap).contains(&"malloc"));
    }
}

#[test]
fn a_files_own_function_of_a_public_name_stays() {
    let own = r#"
        __attribute__((noinline)) static void *reserve(size_t n, const char *why) __asm__("aligned_alloc");
        static void *reserve(size_t n, const char *why) { return why ? calloc(n, 1) : 0; }
        __attribute__((noinline)) static int own(int n, char **w) { free(reserve(n, w[0])); return 0; }"#;
    let source = with_own(&own.replace("__asm__(\"aligned_alloc\")", ""));
    // Two objects: one has its own function, the other uses libc's.
    let bytes = built(&Build::musl("1.2.3", &source).with(FIXED));
    assert_eq!(found(&bytes).risks, []);
    // The file's own symbol gets libc's name, like a `static` function in another file.
    let mut renamed = bytes.clone();
    let place = memchr::memmem::find(&bytes, b"\0reserve\0").expect("its name");
    renamed[place + 1..place + 8].copy_from_slice(b"calloc\0");
    let found = found(&renamed);
    assert_eq!(found.risks, []);
    let program = Program::read(&bytes).expect("an executable");
    let own = program.symbol("reserve").expect("its symbol").address;
    assert!(found.functions.iter().all(|f| f.address != own));
    assert!(found.functions.iter().any(|f| f.name == "calloc"));
}

#[test]
fn processes_are_not_threads() {
    let processes = r#"
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <spawn.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern char **environ;
        int main(int count, char **words) {
            pid_t child; int status;
            char *argument[] = {words[0], 0};
            if (count > 1 && !posix_spawn(&child, words[1], 0, 0, argument, environ)) wait(&status);
            free(malloc(count));
            return faccessat(AT_FDCWD, words[0], R_OK, AT_EACCESS);
        }"#;
    let threads = THREADS.to_string();
    for musl in [
        "1.2.2",
        "1.2.3",
        "1.2.5",
        "1.2.6",
        "1.2.3-arm64",
        "1.2.6-arm64",
    ] {
        for flags in [FIXED, ANYWHERE] {
            for (source, makes) in [(processes, false), (threads.as_str(), true)] {
                let bytes = built(&Build::musl(musl, source).with(flags));
                let program = Program::read(&bytes).expect("an executable");
                // Like a program without symbols of which a part is known.
                let mut names = Names::of_symbols(&program);
                let unknown = ["pthread", "thrd_", "__clone", "clone"];
                let is_unknown = |name: &str| unknown.iter().any(|u| name.contains(u));
                names.functions.retain(|n| !is_unknown(&n.name));
                let mut stripped = program.clone();
                stripped.image.symbols.clear();
                let found = find_by(&stripped, &names, &[Component::Heap]);
                let kinds = kinds(&found.expect("musl's"));
                let expected = [RiskKind::MissingHook];
                assert_eq!(kinds, expected[..usize::from(makes)], "{musl} {flags:?}");
            }
        }
    }
}

#[test]
fn empty_functions_may_be_at_one_place_or_at_several() {
    // musl has a weak function for this that does nothing, and another member defines the real one: `flockfile` adds
    // it.
    let learnt = built(&Build::musl("1.2.3", THREADS).with(ANYWHERE));
    let build = signatures::learn::learn(&learnt).expect("symbols");
    let own = "int own(int n, char **w) { flockfile(stdout); puts(w[0]); funlockfile(stdout); return n; }";
    let key = "static pthread_key_t key; int own(int n, char **w) { return pthread_key_create(&key, free) + n + !w; }";
    for own in [own, key] {
        let bytes = built(&Build::musl("1.2.3", &with_own(own)).with(ANYWHERE));
        let program = Program::read(&bytes).expect("an executable");
        let by_code = signatures::name_by(&program, std::slice::from_ref(&build));
        for name in ["__pthread_exit", "__libc_free", "malloc"] {
            let expected = program.symbol(name).map(|s| s.address);
            let found = by_code.function(name).map(|n| n.address);
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn a_page_that_a_register_keeps_is_of_what_is_completed_later() {
    let bytes = corpus(
        "typos-1.52.0-py3-none-musllinux_1_2_aarch64.whl",
        "typos-1.52.0.data/scripts/typos",
    );
    let found = found(&bytes);
    assert_eq!(found.risks, []);
    assert!(found.thread_exit.is_some());
}

#[test]
fn fork_tells_the_heap_or_nobody_runs_beside_it() {
    // Like musl before 1.2.2.
    let old = "#include <sys/syscall.h>\nint fork(void) { return syscall(SYS_fork); }";
    let alone = "#include <stdlib.h>\n#include <unistd.h>\n\
                 int main(int n, char **w) { free(malloc(n)); return n > 9 && fork(); }";
    for (source, is_risk) in [
        (THREADS.to_string(), false),
        (format!("{THREADS}{old}"), true),
        (format!("{alone}\n{old}"), false),
    ] {
        for flags in [FIXED, ANYWHERE] {
            let found = found(&built(&Build::musl("1.2.3", &source).with(flags)));
            let expected = [RiskKind::Fork];
            assert_eq!(
                kinds(&found),
                expected[..usize::from(is_risk)],
                "{:?}",
                found.risks
            );
            for mut risk in found.risks {
                assert!(risk.text.contains(crate::identify::fork::FOUND), "{risk}");
                // `patch` refuses the libc.a of such a musl, too.
                risk.advise(None);
                assert!(risk.next.contains("musl 1.2.2 or later"), "{risk}");
            }
        }
    }
}

/// Room for a word among characters, among numbers, and in writable data.
const ROOM: &str = r#"
__attribute__((aligned(8))) const char text[] = "text<<<<stands here: what is in cells, and no address of anything";
__attribute__((aligned(8))) const unsigned long numbers[] = {0x1111111111111111, 7, 0x2222222222222222, 9};
unsigned long volatile changes[] = {0x3333333333333333, 7};
int own(int n, char **w) { return w[0][0] == text[n] || numbers[n] == changes[n]; }
"#;

#[test]
fn what_equals_an_address_is_one_unless_it_cannot_be() {
    let build = |version: &str| {
        let filler = "__asm__(\".text\\n.globl filler\\nfiller: .fill 0x2000, 1, 0x90\");";
        let source = with_own(&format!("{filler}{ROOM}"));
        built(&Build::musl(version, &source).with(FIXED))
    };
    for musl in ["1.2.3", "1.2.6-arm64"] {
        let bytes = build(musl);
        let stock = found(&bytes);
        assert_eq!(stock.risks, []);
        let program = Program::read(&bytes).expect("an executable");
        // An entry of the heap's own that nobody may call, and a place inside of that function.
        let slot = program.symbol("alloc_slot").expect(musl).address;
        let state = program.symbol("__malloc_context").expect(musl).address;
        let at = |marker: &[u8]| memchr::memmem::find(&bytes, marker).expect("a marker") & !7;
        let text = at(b"<<<<stands") + 8;
        let (number, change) = (at(&[0x22; 8]), at(&[0x33; 8]));
        for (place, word, is_risk) in [
            (text, slot + 4, false),
            (number, slot + 4, false),
            (change, slot + 4, false),
            (number, state + 64, false),
            (number, slot, true),
            (change, slot, true),
            (text, slot, true),
            (number, state, true),
            (change, state, true),
            (text, state, true),
        ] {
            let mut changed = bytes.clone();
            changed[place..place + 8].copy_from_slice(&word.to_le_bytes());
            let risks = found(&changed).risks;
            assert_eq!(
                !risks.is_empty(),
                is_risk,
                "{musl} {place:#x} {word:#x}: {risks:?}"
            );
        }
    }
}

#[test]
fn another_heap_known_by_its_callers_only_is_not_musls() {
    // As of a heap whose entries pass on: a jump is code that musl's `free` has, too.
    let own = "
        static char room[1 << 20]; static size_t used;
        __attribute__((noinline)) void *own_new(size_t n) { used += n + 32; memcpy(room + (used & -16L) - 8, &n, 8); return room + (used & -16L); }
        __attribute__((noinline)) void own_end(void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); used++; }
        __attribute__((noinline)) void *own_more(void *p, size_t n) { void *q = own_new(n); return p ? memmove(q, p, n) : q; }
        void *malloc(size_t n) { return own_new(n); }
        void free(void *p) { own_end(p); }
        void *realloc(void *p, size_t n) { return own_more(p, n); }
        void *calloc(size_t n, size_t m) { return own_new(n * m); }
        void *aligned_alloc(size_t a, size_t n) { return own_new(a + n); }
        int posix_memalign(void **p, size_t a, size_t n) { *p = own_new(a + n); return 0; }
        size_t malloc_usable_size(void *p) { return ((size_t *)p)[-1]; }
        int own(int n, char **w) {
            char *s = strdup(w[0]), *line = 0; size_t size;
            free(s);
            return n > 99 && getline(&line, &size, stdin) && reallocarray(s, n, 3) && getcwd(0, 0) && setenv(s, line, 1);
        }";
    for musl in ["1.2.3", "1.2.5", "1.2.6", "1.2.3-arm64", "1.2.5-arm64"] {
        for flags in [FIXED, ANYWHERE] {
            let flags = [flags, &["-s"]].concat();
            let bytes = built(&Build::musl(musl, &with_own(own)).with(&flags));
            let program = Program::read(&bytes).expect("an executable");
            let names = signatures::name(&program).expect("signatures");
            let heap = find_by(&program, &names, &[Component::Heap]).expect("musl's");
            let replaced: Vec<&str> = heap.functions.iter().map(|f| &*f.name).collect();
            assert!(!heap.risks.is_empty(), "{musl} {flags:?}: {replaced:?}");
        }
    }
}

#[test]
fn stripped_programs_from_packages_are_rewritten() {
    for (package, file) in [
        // Other programs have two empty functions at one place; this one has a different function there.
        (
            "pagefind_bin-1.5.2-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl",
            "pagefind_bin/pagefind",
        ),
        // Makes processes, and no threads.
        (
            "cargo_zigbuild-0.24.0-py3-none-manylinux_2_5_x86_64.manylinux1_x86_64.whl",
            "cargo_zigbuild-0.24.0.data/scripts/cargo-zigbuild",
        ),
    ] {
        let bytes = corpus(package, file);
        let program = Program::read(&bytes).expect("an executable");
        let names = signatures::name(&program).expect("signatures");
        let found = find_by(&program, &names, Component::ALL).expect("musl's");
        assert_eq!(found.risks, [], "{file}");
        assert!(found.functions.iter().any(|f| f.name == "malloc"), "{file}");
    }
}

/// Of memory functions, too, only musl's go and those that the compiler brings, whatever lies behind libc.
#[test]
fn memory_functions_of_the_programs_own_stay_wherever_they_lie() {
    let elsewhere = "__attribute__((noinline, section(\"fast_text\"), used))";
    let own = format!(
        "{elsewhere} static size_t strlen_(const char *s) __asm__(\"strlen\");\n\
         static size_t strlen_(const char *s) {{ size_t n = 0; while (s[n]) n++; return n; }}\n\
         {elsewhere} int strcmp(const char *a, const char *b) {{ return *a == *b; }}\n\
         static int own(int count, char **words) {{ puts(words[0]); return strlen_(words[0]) + strcmp(words[0], \"x\") + count; }}"
    );
    // A function of another library, those that a compiler's library has, and one of a single file.
    let behind = ".text\n\
         .globl memrchr\nmemrchr: ret\n nop;nop;nop;nop;nop;nop;nop;nop\n.type memrchr, %function\n.size memrchr, .-memrchr\n\
         .globl bcmp\n.hidden bcmp\nbcmp: ret\n nop;nop;nop;nop;nop;nop;nop;nop\n.type bcmp, %function\n.size bcmp, .-bcmp\n\
         .globl strncmp\n.hidden strncmp\nstrncmp: ret\n nop;nop;nop;nop;nop;nop;nop;nop\n.type strncmp, %function\n\
         .size strncmp, .-strncmp\n\
         strrchr: ret\n nop;nop;nop;nop;nop;nop;nop;nop\n.type strrchr, %function\n.size strrchr, .-strrchr\n";
    for musl in ["1.2.3", "1.2.3-arm64"] {
        let bytes = built(
            &Build::musl(musl, &with_own(&own))
                .with(FIXED)
                .behind(behind),
        );
        let program = Program::read(&bytes).expect("an executable");
        let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast);
        let payload = payload.expect("embedded");
        let options = crate::program::Options {
            components: Component::ALL,
            keeps: false,
            force: false,
            builds: &[],
        };
        let names = crate::program::names(&program, payload, &options).expect("names");
        let found =
            find(&program, &names, payload, &[Component::Memory]).expect("a program of musl's");
        let replaced = |name: &str| found.functions.iter().filter(|f| f.name == name).count();
        for (name, count) in [
            ("strlen", 1),
            ("strcmp", 0),
            ("memrchr", 0),
            ("bcmp", 1),
            ("strncmp", 0),
            ("strrchr", 0),
        ] {
            assert_eq!(replaced(name), count, "{musl} {name}: {:?}", found.left);
        }
        let strlen = found
            .functions
            .iter()
            .find(|f| f.name == "strlen")
            .expect("musl's");
        assert_ne!(strlen.evidence, Evidence::Symbol, "{musl}");
        let why = |name: &str| {
            found
                .left
                .iter()
                .find(|l| l.name == name)
                .map(|l| l.why.as_str())
        };
        for (name, part) in [
            ("strlen", "another section"),
            ("memrchr", "of others is"),
            ("strncmp", "compiler's"),
            ("strrchr", "one file"),
        ] {
            assert!(
                why(name).is_some_and(|w| w.contains(part)),
                "{musl} {name}: {:?}",
                found.left
            );
        }
    }
}
