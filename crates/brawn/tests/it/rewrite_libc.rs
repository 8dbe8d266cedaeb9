//! `brawn rewrite`: the functions of libc beside heap and memory functions.

use crate::build::{Room, libgcc, musl};
use crate::common::{REFUSED, brawn, fail, ok, read, succeed};
use crate::musls::archive;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Prints what functions of every family give.
const PROGRAM: &str = r#"#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>
#include <pthread.h>
static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b, void *sign) { return *(int *)sign * up(a, b); }
static void *reads(void *text) {
    errno = 0;
    double d = strtod(text, 0);
    printf("%g %d\n", d, errno);
    return 0;
}
int main(int count, char **words) {
    int numbers[100], sign = -1;
    for (int i = 0; i < 100; i++) numbers[i] = i * 7919 % 101;
    qsort(numbers, 100, sizeof *numbers, up);
    printf("%d %d\n", numbers[0], numbers[99]);
#ifndef BEFORE_QSORT_R
    qsort_r(numbers, 100, sizeof *numbers, down, &sign);
#endif
    printf("%d %d %d\n", numbers[0], numbers[99], down(numbers, numbers + 1, &sign));
    setenv("GIVEN", "here", 1);
    printf("%s %d\n", getenv("GIVEN"), getenv("MISSING") == 0);
    char text[100] = "HeLLo", *volatile other = "hEllO, World";
    printf("%d %d\n", strcasecmp(text, other) < 0, strncasecmp(text, other, 5));
    printf("%s %zu %zu\n", strcasestr(other, "WORLD"), strspn(other, "hEl"), strcspn(other, ","));
    printf("%zu %s\n", strlcat(text, other, 8), strpbrk(other, " ,"));
    wchar_t wide[50] = L"abc", *volatile more = L"def\0";
    wcscat(wide, more);
    printf("%zu %ls %d\n", wcslen(wide), wcschr(wide, L'd'), wcscmp(wide, more) < 0);
    time_t when = 86400 * 365 + time(0) * 0;
    struct tm tm;
    gmtime_r(&when, &tm);
    printf("%zu ", strftime(text, sizeof text, "%Y-%m-%d %A %j", &tm));
    puts(text);
    unsigned address = htonl(0x7f000001);
    puts(inet_ntop(AF_INET, &address, text, sizeof text));
    errno = 0;
    printf("%d %d\n", inet_ntop(99, &address, text, sizeof text) == 0, errno == EAFNOSUPPORT);
    volatile double half = count + .5;
    printf("%g %g %g %g\n", floor(half), ceil(half), round(half), rint(half));
    printf("%g %ld %.6f %.6f\n", fma(half, half, 1), lround(half), sinf(half), expf(half));
    printf("%g %g\n", atof("2.5e3"), (double)strtof("0x1p4", 0));
    pthread_t thread;
    pthread_create(&thread, 0, reads, "1e999");
    pthread_join(thread, 0);
    fflush(stdout);
    FILE *again = fdopen(1, "w");
    fprintf(again, "%s\n", words[count - 1] ? "end" : "");
    return fclose(again) != 0;
}
"#;

/// The names of libc's functions in the plan, and of those that stay; the program `OUT` is written.
fn rewritten(room: &Room, name: &str, flags: &[&str]) -> (Vec<String>, Vec<String>) {
    let (path, out) = (room.path(name), room.path("out"));
    let text = succeed(
        brawn()
            .args(["rewrite", "--json", &path, "-o", &out])
            .args(flags),
    );
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let names = |list: &Value, is: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let all = list.as_array().into_iter().flatten().filter(|f| is(f));
        all.map(|f| f["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let of_libc = |f: &Value| f["component"] == "libc";
    (
        names(&json["plan"]["functions"], &of_libc),
        names(&json["plan"]["left"], &|_| true),
    )
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|n| n == name)
}

/// Links `objects` with that musl.
fn link(room: &Room, musl: &str, objects: &str) {
    let file = |name| archive(musl, name).to_str().expect("UTF-8").to_owned();
    let (crt1, crti, crtn) = (file("crt1.o"), file("crti.o"), file("crtn.o"));
    let (libc, libgcc) = (file("libc.a"), libgcc());
    let line = format!("-static -nostdlib -o p {crt1} {crti} {objects} {libc} {libgcc} {crtn}");
    room.run("gcc", &[&line]);
}

#[test]
fn every_familys_functions_do_the_same() {
    let room = Room::with(PROGRAM);
    for musl in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        let older = if musl == "1.2.2" {
            " -DBEFORE_QSORT_R"
        } else {
            ""
        };
        let flags = format!("-O1 -fno-builtin -D_GNU_SOURCE{older} -c main.c");
        room.run("musl-gcc", &[&flags]);
        link(&room, musl, "main.o");
        let expected = ok(&room.path("p"), &[]);
        for strip in ["", "-x", "-s"] {
            if !strip.is_empty() {
                room.run("strip", &[strip, "p"]);
            }
            let (names, left) = rewritten(&room, "p", &[]);
            let wanted = [
                "qsort",
                "getenv",
                "strcasecmp",
                "strcasestr",
                "strspn",
                "wcslen",
                "inet_ntop",
                "floor",
                "round",
                "expf",
                "strtof",
                "time",
                "fma",
                "strftime",
            ];
            for name in wanted {
                assert!(
                    has(&names, name),
                    "{musl} {strip}: {name}: {names:?} {left:?}"
                );
            }
            assert_eq!(ok(&room.path("out"), &[]), expected, "{musl} {strip}");
        }
    }
}

#[test]
fn positions_and_parts_do_the_same() {
    let room = Room::with(PROGRAM);
    room.run(
        "musl-gcc",
        &["-O1 -fPIE -fno-builtin -D_GNU_SOURCE -c main.c"],
    );
    for (start, flags) in [
        ("crt1.o", "-static"),
        ("rcrt1.o", "-static -pie --no-dynamic-linker -z text"),
    ] {
        let [start, begin, libc, end] = [start, "crti.o", "libc.a", "crtn.o"].map(musl);
        let libgcc = libgcc();
        let line = format!("{flags} -o p {start} {begin} main.o {libc} {libgcc} {end}");
        room.run("ld", &[&line]);
        let expected = ok(&room.path("p"), &[]);
        let parts: [(&[&str], &[&str], &[&str]); 6] = [
            (
                &["--only", "memory,libc"],
                &["qsort", "floor", "strcasecmp"],
                &[],
            ),
            (&["--only", "heap,libc"], &["time"], &["qsort", "strcspn"]),
            (
                &["--without", "math,sort"],
                &["time"],
                &["qsort", "floor", "expf"],
            ),
            (&["--without", "memory"], &["time"], &["strcspn"]),
            (&["--math", "exact"], &["floor", "qsort"], &["expf", "sinf"]),
            (&["--without", "libc"], &[], &["floor", "qsort", "time"]),
        ];
        for (flags, comes, stays) in parts {
            let (names, left) = rewritten(&room, "p", flags);
            for name in comes {
                assert!(has(&names, name), "{flags:?} {name}: {names:?} {left:?}");
            }
            for name in stays {
                assert!(!has(&names, name), "{flags:?} {name}: {names:?}");
            }
            assert_eq!(ok(&room.path("out"), &[]), expected, "{start} {flags:?}");
        }
    }
}

/// Of functions that have the same code but for what they call, a program often has one alone.
#[test]
fn one_of_several_alike_does_the_same() {
    let uses = [
        "sprintf(text, \"%s and %d\", word, n); puts(text);",
        "fprintf(stdout, \"%s and %d\\n\", word, n);",
        "sprintf(text, \"%s and %d\", word, n); fprintf(stdout, \"%s, %zu\\n\", text, strlen(text));",
        "asprintf(&other, \"%s and %d\", word, n); puts(other); free(other);",
        "asprintf(&other, \"%s and %d\", word, n); sprintf(text, \"<%s>\", other); puts(text); free(other);",
        "sscanf(\"17 rest\", \"%d %99s\", &n, text); printf(\"%d %s\\n\", n, text);",
        "sscanf(\"17 rest\", \"%d %99s\", &n, text); sprintf(text + 50, \"%d %s\", n, text); puts(text + 50);",
        "fscanf(stdin, \"%99s\", text); printf(\"%s.\\n\", text);",
        "wprintf(L\"%s and %d\\n\", word, n);",
        "swprintf(wide, 50, L\"%s and %d\", word, n); printf(\"%ls\\n\", wide);",
        "swscanf(L\"17 rest\", L\"%d %99s\", &n, text); printf(\"%d %s\\n\", n, text);",
        "printf(\"%g\\n\", (double)strtof(\"2.5x\", &other)); puts(other);",
        "printf(\"%g\\n\", (double)wcstof(L\"2.5x\", &end)); printf(\"%ls\\n\", end);",
        "printf(\"%g\\n\", (double)strtold(\"2.5x\", &other)); puts(other);",
        "printf(\"%ld\\n\", strtol(\"-25x\", &other, 10)); puts(other);",
        "printf(\"%lu\\n\", strtoul(\"25x\", &other, 10)); puts(other);",
        "printf(\"%lu\\n\", wcstoul(L\"25x\", &end, 10)); printf(\"%ls\\n\", end);",
        "printf(\"%d\\n\", snprintf(text, 5, \"%s and %d\", word, n)); puts(text);",
    ];
    for each in uses {
        let room = Room::with(&format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <wchar.h>\n\
             int main(int n, char **words) {{\n\
             char *text = calloc(100, 1), *volatile word = n > 1 ? words[1] : \"one\", *other;\n\
             wchar_t wide[50], *end;\n{each}\nfree(text);\nreturn (void)wide, (void)end, (void)other, 0;\n}}\n"
        ));
        room.run("musl-gcc", &["-O1 -w -fno-builtin -c main.c"]);
        for musl in ["1.2.3", "1.2.5"] {
            link(&room, musl, "main.o");
            room.run("strip", &["p"]);
            let expected = ok(&room.path("p"), &[]);
            rewritten(&room, "p", &[]);
            assert_eq!(ok(&room.path("out"), &[]), expected, "{musl}: {each}");
        }
    }
}

/// A program that makes a process by itself, as those that make containers do, makes no threads.
#[test]
fn a_program_that_calls_clone_is_rewritten() {
    let room = Room::with(
        r#"#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
static int child(void *word) {
    char *text = malloc(1000);
    for (int i = 0; i < 1000; i++) text = realloc(text, 1000 + 10 * i);
    sprintf(text, "the child has %s", (char *)word);
    puts(text);
    free(text);
    fflush(stdout);
    return 7;
}
int main(int count, char **words) {
    char *stack = malloc(1 << 16);
    int status = 0, flags = SIGCHLD | (count > 1 ? CLONE_VM | CLONE_VFORK : 0);
    puts(words[count - 1][0] == '-' ? "with memory in common" : "with a copy");
    fflush(stdout);
    waitpid(clone(child, stack + (1 << 16), flags, "a word"), &status, 0);
    free(stack);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
"#,
    );
    room.run("musl-gcc", &["-O1 -w -fno-builtin -c main.c"]);
    for musl in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        for is_stripped in [false, true] {
            link(&room, musl, "main.o");
            if is_stripped {
                room.run("strip", &["p"]);
            }
            let before = [&[][..], &["-"]].map(|arguments| ok(&room.path("p"), arguments));
            assert!(before[0].contains("the child has a word") && before[1].contains('7'));
            let (names, _) = rewritten(&room, "p", &[]);
            assert!(has(&names, "sprintf"), "{musl}: {names:?}");
            let now = [&[][..], &["-"]].map(|arguments| ok(&room.path("out"), arguments));
            assert_eq!(now, before, "{musl}, stripped: {is_stripped}");
        }
    }
}

/// Functions of a program's own with names of libc's, which do other things.
const OWN: &str = "#include <stddef.h>
double floor(double x) { return x + 41; }
long time(long *t) { return t ? *t : 7; }
void qsort(void *a, size_t n, size_t size, int (*f)(const void *, const void *)) { *(int *)a = n + size + !f; }
";

const ITS_USE: &str = "#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <math.h>
#include <time.h>
int main(int count, char **words) {
    volatile double x = count;
    int a[4] = {0};
    qsort(a, 4, 4, 0);
    printf(\"%g %ld %d %d\\n\", floor(x), (long)time(0), a[0], strcasecmp(words[0], \"A\") == 0);
    return 0;
}
";

#[test]
fn a_programs_own_functions_stay() {
    let room = Room::with(ITS_USE);
    room.write("own.c", OWN);
    room.run("musl-gcc", &["-O1 -fno-builtin -c main.c own.c"]);
    let libc = archive("1.2.3", "libc.a");
    let amid = format!("{} own.o main.o", libc.to_str().expect("UTF-8"));
    // Those behind an archive lie amid libc's.
    for objects in ["own.o main.o", &amid] {
        link(&room, "1.2.3", objects);
        let expected = ok(&room.path("p"), &[]);
        assert!(expected.starts_with("42 7 9"), "{expected}");
        let (names, left) = rewritten(&room, "p", &[]);
        assert!(has(&names, "strcasecmp"), "{names:?}");
        for name in ["floor", "time", "qsort"] {
            assert!(
                !has(&names, name) && has(&left, name),
                "{name}: {names:?} {left:?}"
            );
        }
        assert_eq!(ok(&room.path("out"), &[]), expected);
        room.run("strip", &["p"]);
        rewritten(&room, "p", &[]);
        assert_eq!(ok(&room.path("out"), &[]), expected);
    }
}

const WIDE: &str = "#include <stdio.h>
#include <wchar.h>
int main(void) {
    wchar_t text[9] = L\"2.5x\", *end;
    float f = wcstof(text, &end);
    printf(\"%g %d\\n\", f, *end);
    return 0;
}
";

#[test]
fn what_is_like_another_function_stays() {
    // Stripped, wcstof has the code of strtof but for what it calls.
    let room = Room::with(WIDE);
    room.run("musl-gcc", &["-O1 -fno-builtin -static -s -o p main.c"]);
    let (names, _) = rewritten(&room, "p", &["--only", "memory,libc"]);
    for name in ["strtof", "strtod", "strtold"] {
        assert!(!has(&names, name), "{names:?}");
    }
    assert_eq!(ok(&room.path("out"), &[]), "2.5 120\n");
}

#[test]
fn a_choice_is_made_from_the_original_and_stays() {
    let room = Room::with(PROGRAM);
    room.run(
        "musl-gcc",
        &["-O1 -fno-builtin -D_GNU_SOURCE -static -o p main.c"],
    );
    let path = room.path("p");
    let rewrite = |flags: &[&str]| succeed(brawn().args(["rewrite", &path]).args(flags));
    rewrite(&["--only", "memory,libc"]);
    let libc = || {
        ok("strings", &[&path])
            .lines()
            .filter(|l| *l == "component=libc")
            .count()
    };
    assert_eq!(libc(), 1);
    assert!(rewrite(&[]).contains("keeps the parts"));
    // Who names a profile asks for the heap.
    assert!(rewrite(&["--profile", "lean"]).contains("heap functions (profile lean)"));
    assert_eq!(libc(), 1);
    assert!(!rewrite(&["--only", "heap", "--profile", "lean"]).contains("of libc"));
    assert_eq!(libc(), 0);
    rewrite(&["--without", "heap"]);
    assert_eq!(libc(), 1);
    // Alone it does not say which functions it has.
    let copy = room.path("copy");
    fs::copy(&path, &copy).unwrap();
    let error = fail(brawn().args(["rewrite", "--math", "exact", &copy]), REFUSED);
    assert!(error.contains("does not say"), "{error}");
    let said = succeed(brawn().args(["rewrite", "--without", "heap", &copy]));
    assert!(said.contains("other parts of brawn's, they stay"), "{said}");
    // As does a record of an older brawn: all parts come.
    let record = room.path("p.brawn.json");
    let mut known: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    assert!(known.as_object_mut().unwrap().remove("chosen").is_some());
    fs::write(&record, known.to_string()).unwrap();
    let said = rewrite(&[]);
    assert!(said.contains("heap") && !said.contains("keeps"), "{said}");
    // A choice that changes nothing is noted all the same.
    rewrite(&["--only", "heap,memory,libc", "--sort", "stable"]);
    assert!(!rewrite(&["--only", "heap,memory,libc"]).contains("keeps"));
    assert!(!rewrite(&[]).contains("keeps"));
    succeed(brawn().args(["restore", &path]));
    assert_eq!(libc(), 0);
    // Without any of them there is nothing to do.
    let room = Room::with("int main(void) { return 0; }\n");
    room.run("musl-gcc", &["-static -o p main.c"]);
    fail(
        brawn().args(["rewrite", "--only", "libc", &room.path("p")]),
        REFUSED,
    );
}

/// Locks of each sort, by two threads.
const LOCKS: &str = r#"#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t given;
static long sum, reads, turn;
static void *work(void *of) {
    for (int n = 0; n < 20000; n++) {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
        if (n % 8) {
            while (n % 2 && pthread_rwlock_tryrdlock(&lock)) pthread_mutex_trylock(&mutex) || pthread_mutex_unlock(&mutex);
            if (n % 2 == 0) pthread_rwlock_rdlock(&lock);
            __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
        } else {
            pthread_rwlock_wrlock(&lock);
        }
        pthread_rwlock_unlock(&lock);
        if (n % 100 == 0) {
            pthread_mutex_lock(&mutex);
            while (turn % 2 != (long)of) pthread_cond_wait(&changed, &mutex);
            turn++;
            pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&mutex);
        }
        if (of) sem_post(&given);
        else sem_wait(&given);
    }
    return 0;
}
int main(void) {
    pthread_t one, other;
    sem_init(&given, 0, 0);
    pthread_create(&one, 0, work, (void *)0);
    pthread_create(&other, 0, work, (void *)1);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%ld %ld %ld\n", sum, reads, turn);
    return 0;
}
"#;

#[test]
fn locks_go_together_or_not_at_all() {
    let room = Room::with(LOCKS);
    // A program's own function, which takes no part in what brawn's agree on.
    room.write(
        "own.c",
        "int __pthread_rwlock_unlock(void *);\n\
         int pthread_rwlock_unlock(void *lock) { return __pthread_rwlock_unlock(lock); }\n",
    );
    room.run("musl-gcc", &["-O1 -c main.c own.c"]);
    let expected = "40000 35000 400\n";
    let lock = ["pthread_rwlock_rdlock", "pthread_rwlock_wrlock"];
    let mutex = ["pthread_mutex_lock", "pthread_mutex_unlock"];
    for musl in ["1.2.2", "1.2.3", "1.2.5", "1.2.6"] {
        link(&room, musl, "main.o");
        assert_eq!(ok(&room.path("p"), &[]), expected);
        let (names, left) = rewritten(&room, "p", &[]);
        for name in lock.iter().chain(&mutex).chain(&["pthread_cond_broadcast"]) {
            assert!(has(&names, name), "{musl} {name}: {names:?} {left:?}");
        }
        assert_eq!(ok(&room.path("out"), &[]), expected, "{musl}");
        let (names, _) = rewritten(&room, "p", &["--without", "threads"]);
        assert!(!names.iter().any(|n| n.contains("pthread")), "{names:?}");
        room.run("strip", &["p"]);
        let (names, _) = rewritten(&room, "p", &[]);
        for name in lock.iter().chain(&mutex) {
            assert!(!has(&names, name), "{musl} {name}: {names:?}");
        }
        assert_eq!(ok(&room.path("out"), &[]), expected, "{musl}, stripped");
    }
    let old = read(Path::new(&room.path("p")));
    link(&room, "1.2.3", "main.o own.o");
    assert!(read(Path::new(&room.path("p"))) != old);
    let (names, left) = rewritten(&room, "p", &[]);
    for name in lock {
        assert!(
            !has(&names, name) && has(&left, name),
            "{name}: {names:?} {left:?}"
        );
    }
    assert!(has(&names, mutex[0]), "{names:?} {left:?}");
    assert_eq!(ok(&room.path("out"), &[]), expected);
}
