//! Programs that wait: the heap gets its turn, except where that could end the program.

use super::build::{Build, built, corpus};
use crate::component::Component;
use crate::program::{Options, Plan, link, rewrite};
use brawn_payload::{Architecture, Profile};

/// A program that waits in the way that its `work` says.
fn waiting(work: &str) -> String {
    format!(
        "#define _GNU_SOURCE\n#include <poll.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n\
         #include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
         static void *thread(void *p) {{ {work} return p; }}\n\
         int main(void) {{ pthread_t t; signal(SIGPIPE, SIG_IGN); void *volatile p = malloc(100); free(p);\n\
         pthread_create(&t, 0, thread, 0); pthread_join(t, 0); return poll(0, 0, 1); }}\n"
    )
}

fn planned(bytes: &[u8], architecture: Architecture, components: &[Component]) -> Plan {
    let payload = brawn_payload::payload(architecture, Profile::Fast).expect("embedded");
    let options = Options {
        components,
        force: false,
        builds: &[],
    };
    let rewritten = rewrite(bytes, payload, &options).expect("a program of musl's");
    rewritten.plan.expect("it is rewritten")
}

/// Where the heap gets its turn: the jump, and what it led to.
fn wait(bytes: &[u8], architecture: Architecture, components: &[Component]) -> Option<(u64, u64)> {
    let hooks = planned(bytes, architecture, components).hooks;
    let mut waits = hooks.iter().filter(|hook| hook.target == link::WAIT);
    waits.next().map(|hook| (hook.at, hook.callee))
}

/// Whether the heap gets its turn, and which of `syscall` and `prctl` are replaced.
fn by_number(bytes: &[u8]) -> (bool, Vec<String>) {
    let plan = planned(bytes, Architecture::X86_64, Component::ALL);
    let functions = plan.functions.iter();
    let replaced = functions.filter(|f| f.target == format!("brawn_attach_{}", f.name));
    let names: Vec<String> = replaced.map(|f| f.name.clone()).collect();
    // What is replaced does not stay.
    let mut stay = plan.left.iter().map(|left| &left.name);
    assert_eq!(stay.find(|name| names.contains(name)), None);
    (
        plan.hooks.iter().any(|hook| hook.target == link::WAIT),
        names,
    )
}

fn of(musl: &str, work: &str, flags: &[&str]) -> Option<(u64, u64)> {
    let bytes = built(&Build::musl(musl, &waiting(work)).with(flags));
    wait(&bytes, Architecture::X86_64, Component::ALL)
}

#[test]
fn the_heap_gets_its_turn_before_a_wait() {
    for musl in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        let named = of(musl, "", &["-static", "-O2"]);
        assert!(named.is_some(), "{musl}");
        assert_eq!(named, of(musl, "", &["-static", "-O2", "-s"]), "{musl}");
    }
    assert!(of("1.2.3", "", &["-static-pie", "-fPIE", "-O2", "-s"]).is_some());
    // Without __init_tp, which nothing calls.
    assert!(of("1.2.3", "", &["-static", "-O2", "-Wl,--gc-sections"]).is_some());
    // A thread's name is told by prctl, too; so is much else that restricts nothing.
    for work in [
        "pthread_setname_np(pthread_self(), \"a\");",
        "prctl(PR_SET_NAME, \"b\");",
        "prctl(PR_SET_PDEATHSIG, 15);",
    ] {
        for flags in [&["-static", "-O2"][..], &["-static", "-O2", "-s"]] {
            assert!(of("1.2.3", work, flags).is_some(), "{work} {flags:?}");
        }
    }
}

#[test]
fn programs_of_packages_wait_so() {
    for (file, path, architecture) in [
        (
            "typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl",
            "typos-1.52.0.data/scripts/typos",
            Architecture::X86_64,
        ),
        (
            "rust_just-1.59.0-py3-none-musllinux_1_2_aarch64.whl",
            "rust_just-1.59.0.data/scripts/just",
            Architecture::Aarch64,
        ),
    ] {
        let bytes = corpus(file, path);
        let found = wait(&bytes, architecture, Component::ALL);
        assert!(found.is_some(), "{file}");
    }
}

#[test]
fn musls_functions_see_what_restricts_the_program() {
    for (work, names) in [
        ("prctl(PR_SET_SECCOMP, 1);", &["prctl"][..]),
        (
            "volatile int option = PR_SET_NAME; prctl(option, 1);",
            &["prctl"],
        ),
        (
            "int (*volatile call)(int, ...) = prctl; call(PR_SET_NAME, \"a\");",
            &["prctl"],
        ),
        ("syscall(SYS_prctl, PR_SET_SECCOMP, 1);", &["syscall"]),
        (
            "syscall(SYS_seccomp, 0, 0, 0); prctl(PR_SET_NAME, p);",
            &["syscall", "prctl"],
        ),
        // Any constant may be the number of a call.
        ("volatile int x = 0; usleep(317 + x); usleep(317);", &[]),
    ] {
        for musl in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
            for flags in [
                &["-static", "-O2"][..],
                &["-static-pie", "-fPIE", "-O2", "-s"],
            ] {
                let bytes = built(&Build::musl(musl, &waiting(work)).with(flags));
                let (waits, mut replaced) = by_number(&bytes);
                replaced.sort_by_key(|name| names.iter().position(|n| n == name));
                // Whether a stripped program has no `syscall` nobody can tell.
                let is_doubted = names.is_empty() && flags.contains(&"-s");
                assert_eq!(waits, !is_doubted, "{musl} {work} {flags:?}");
                assert_eq!(replaced, names, "{musl} {work} {flags:?}");
            }
        }
    }
}

#[test]
fn who_may_restrict_itself_by_its_own_code_waits_as_before() {
    for work in [
        "long r; __asm__ volatile(\"movq $317, %%rax\\n syscall\" : \"=a\"(r) : \"D\"(0L), \"S\"(0L) : \"rcx\", \"r11\");",
        "long r; __asm__ volatile(\"movl $317, %%eax\\n syscall\" : \"=a\"(r) : \"D\"(0L), \"S\"(0L) : \"rcx\", \"r11\");",
        "long r; __asm__ volatile(\"movl $157, %%eax\\n syscall\" : \"=a\"(r) : \"D\"(22L), \"S\"(1L) : \"rcx\", \"r11\");",
    ] {
        for flags in [&["-static", "-O2"][..], &["-static", "-O2", "-s"]] {
            assert_eq!(of("1.2.3", work, flags), None, "{work} {flags:?}");
        }
    }
}

/// Functions of musl's names that are the program's own: nothing of them is replaced.
const OWN: &str = "static long number(long n, long a, long b, long c, long d) {\n\
    long r; register long e __asm__(\"r10\") = d;\n\
    __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(n), \"D\"(a), \"S\"(b), \"d\"(c), \"r\"(e) : \"rcx\", \"r11\", \"memory\");\n\
    return r; }\n\
    __attribute__((noinline)) long syscall(long n, ...) { __builtin_va_list l; __builtin_va_start(l, n);\n\
    long a = __builtin_va_arg(l, long), b = __builtin_va_arg(l, long), c = __builtin_va_arg(l, long);\n\
    __builtin_va_end(l); return number(n, a, b, c, 0); }\n\
    __attribute__((noinline)) int prctl(int o, ...) { __builtin_va_list l; __builtin_va_start(l, o);\n\
    long a = __builtin_va_arg(l, long); __builtin_va_end(l); return number(157, o, a, 0, 0); }\n";

#[test]
fn the_programs_own_functions_are_doubted() {
    for work in [
        "prctl(PR_SET_SECCOMP, 1);",
        "volatile int option = PR_SET_NAME; prctl(option, 1);",
        "int (*volatile call)(int, ...) = prctl; call(PR_SET_NAME, \"a\");",
        "if (p) prctl(PR_SET_NAME, p); int n = getpid(); int option = n > 0 ? PR_SET_NAME : n; prctl(option, \"a\");",
        "syscall(SYS_prctl, PR_SET_SECCOMP, 1);",
        "syscall(SYS_seccomp, 0, 0, 0);",
    ] {
        let source =
            waiting(work).replace("static void *thread", &format!("{OWN}static void *thread"));
        for flags in [&["-static", "-O2"][..], &["-static", "-O2", "-s"]] {
            let bytes = built(&Build::musl("1.2.3", &source).with(flags));
            assert_eq!(by_number(&bytes), (false, Vec::new()), "{work} {flags:?}");
        }
    }
}

#[test]
fn wrappers_of_calls_are_doubted() {
    for wrapper in [
        "long call(unsigned o, unsigned f, void *a) { return syscall(SYS_seccomp, o, f, a); }",
        "void other(int n) { if (n) other(n - 1); }\n\
         __attribute__((noinline)) void before(void) { other(3); }\n\
         __attribute__((noinline)) int call(int option, long a, void *b) { (void)b; return prctl(option, a, 0, 0, 0); }",
        "__attribute__((noinline)) int call(int option, int n, void *b) { (void)b; if (n) option = PR_SET_NAME; else getpid();\n\
         return prctl(option, \"a\"); }",
    ] {
        let main = waiting("call(22, 1, p);");
        let before = format!("{OWN}{wrapper}\nstatic void *thread");
        let source = main.replace("static void *thread", &before);
        for level in ["-O2", "-Os"] {
            for flags in [&["-static", level][..], &["-static", level, "-s"]] {
                let bytes = built(&Build::musl("1.2.3", &source).with(flags));
                let found = wait(&bytes, Architecture::X86_64, Component::ALL);
                assert_eq!(found, None, "{wrapper} {flags:?}");
            }
        }
    }
}

#[test]
fn without_the_heap_nothing_gets_a_turn() {
    let bytes = built(&Build::musl("1.2.3", &waiting("")).with(&["-static-pie", "-fPIE", "-O2"]));
    let parts = [Component::Memory];
    assert_eq!(wait(&bytes, Architecture::X86_64, &parts), None);
}

/// A program without musl's `sigaction` may still have handlers: on aarch64, the kernel has code of its own for their return.
#[test]
fn without_the_code_that_handlers_return_to_there_is_no_turn() {
    let source = waiting("").replace("signal(SIGPIPE, SIG_IGN);", "");
    let bytes = built(&Build::musl("1.2.3", &source).with(&["-static", "-O2"]));
    assert_eq!(wait(&bytes, Architecture::X86_64, Component::ALL), None);
}

/// The program's own functions for any call, under names of their own, beside musl's `syscall` or without that.
#[test]
fn wrappers_for_any_call_are_seen() {
    let raw = "__attribute__((noinline)) long raw(long n, long a, long b, long c) { long r;\n\
        __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(n), \"D\"(a), \"S\"(b), \"d\"(c) : \"rcx\", \"r11\", \"memory\");\n\
        return r; }\n\
        __attribute__((noinline)) long outer(long n, long a) { getpid(); return raw(n, a, 1, 0) + 1; }\n";
    for (work, may_restrict) in [
        ("raw(157, 22, 1, 0);", true),
        ("outer(317, 0);", true),
        ("syscall(SYS_getpid); raw(317, 0, 0, 0);", true),
        ("raw(39, 0, 0, 0); usleep(157); getpgid(317);", false),
        ("syscall(317, 0, 0, 0); raw(39, 0, 0, 0);", false),
    ] {
        let before = format!("{raw}static void *thread");
        let source = waiting(work).replace("static void *thread", &before);
        for flags in [&["-static", "-O2"][..], &["-static", "-O2", "-s"]] {
            let bytes = built(&Build::musl("1.2.3", &source).with(flags));
            let waits = wait(&bytes, Architecture::X86_64, Component::ALL).is_some();
            // Whether a stripped program has no `syscall` nobody can tell.
            let is_doubted = !work.contains("syscall") && flags.contains(&"-s");
            assert_eq!(waits, !may_restrict && !is_doubted, "{work} {flags:?}");
        }
    }
}

#[test]
fn handlers_that_return_elsewhere_are_not_known() {
    for number in ["%rax", "%eax"] {
        let other = waiting(&format!(
            "__asm__ volatile(\"mov $15, {number}\\n syscall\");"
        ));
        let bytes = built(&Build::musl("1.2.3", &other).with(&["-static", "-O2"]));
        let found = wait(&bytes, Architecture::X86_64, Component::ALL);
        assert_eq!(found, None, "{number}");
    }
}
