//! Locales under `brawn preload`: one version of musl allocates a copy by the public `malloc`, and frees it otherwise.

use super::{object, with};
use crate::build::Room;
use crate::common::{names, run, tools};
use std::path::Path;

/// Copies, uses and frees locales, more of them than lie in one group of blocks, also by two threads.
const COPIES: &str = r#"#define _GNU_SOURCE
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
static void expect(int is, const char *what) {
    if (is) return;
    puts(what);
    exit(1);
}
static void same(locale_t copy, locale_t old) {
    expect(copy != 0, "no copy");
    expect(!strcmp(nl_langinfo_l(CODESET, copy), nl_langinfo_l(CODESET, old)), "another code set");
    expect(isalpha_l('a', copy) != 0, "letters");
}
static void *copies(void *of) {
    locale_t kept[200];
    for (int i = 0; i < 200; i++) same(kept[i] = duplocale(i ? kept[i - 1] : of), of);
    for (int i = 0; i < 200; i++) {
        expect((kept[i] = newlocale(LC_TIME_MASK, "C", kept[i])) != 0, "not changed");
        freelocale(kept[i]);
    }
    return NULL;
}
int main(int argc, char **argv) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", 0), wide = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0);
    copies(plain);
    copies(wide);
    for (int i = 0; i < 3; i++) {
        expect(setlocale(LC_ALL, i == 1 ? "C.UTF-8" : "C") != NULL, "setlocale");
        locale_t all = duplocale(LC_GLOBAL_LOCALE);
        expect(all != NULL, "no copy of the global one");
        expect(!strcmp(nl_langinfo_l(CODESET, all), nl_langinfo(CODESET)), "not the global code set");
        locale_t before = uselocale(all);
        expect(before == LC_GLOBAL_LOCALE, "it was not global");
        expect((btowc(0xe9) == WEOF) == (i == 1 || btowc(0xe9) == WEOF), "used");
        locale_t again = duplocale(uselocale(0));
        same(again, all);
        uselocale(before);
        freelocale(all);
        freelocale(again);
    }
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) expect(!pthread_create(&thread[i], 0, copies, wide), "no thread");
    for (int i = 0; i < 2; i++) pthread_join(thread[i], 0);
    freelocale(wide);
    freelocale(plain);
    puts("copied");
    return 0;
}
"#;

/// A program for aarch64, linked with the shared musl of this version.
fn arm(room: &Room) {
    let shared = tools().join("musls-shared/1.2.3-arm64/libc.so");
    let static_parts = tools().join("musls/1.2.3-arm64");
    let part = |name: &str| static_parts.join(name).display().to_string();
    let include = format!("-isystem {}", part("include"));
    let (start, first, last) = (part("lib/Scrt1.o"), part("lib/crti.o"), part("lib/crtn.o"));
    let shared = shared.display().to_string();
    let compile = "-O1 -w -nostdinc -mno-outline-atomics -o arm main.c -nostdlib -pie -fPIE";
    let linker = "-Wl,-dynamic-linker,/lib/ld-musl-aarch64.so.1";
    let words = [compile, &include, &start, &first, &shared, &last, linker];
    room.run("aarch64-linux-gnu-gcc", &words);
}

#[test]
fn copies_of_locales_are_freed_in_every_shared_musl() {
    let room = Room::with(COPIES);
    room.run("musl-gcc", &["-O1 -w -o copies main.c"]);
    arm(&room);
    let mut seen = 0;
    for name in names(&tools().join("musls-shared")) {
        let folder = tools().join("musls-shared").join(&name);
        if !folder.join("libc.so").exists() {
            continue;
        }
        let of = |file: &str| Path::new(&folder).join(file).display().to_string();
        for profile in ["fast", "secure", "lean"] {
            let said = if name.ends_with("-arm64") {
                let variable = format!("LD_PRELOAD={}", object(&room, "aarch64", profile));
                let linker = of("ld-musl-aarch64.so.1");
                let words = ["-E", &variable, &linker, &room.path("arm")];
                super::out(&run("qemu-aarch64", &words))
            } else {
                let object = object(&room, "x86_64", profile);
                with(&object, &[&of("ld-musl-x86_64.so.1"), &room.path("copies")])
            };
            assert_eq!(said, "copied\n", "{name} {profile}");
        }
        seen += 1;
    }
    assert_eq!(seen, 7, "run tools/musls-shared.sh");
}

/// A program with its own heap, of which nothing may reach libc's, and one of glibc's that inherits the variable.
#[test]
fn copies_of_locales_are_freed_with_other_heaps_and_another_libc() {
    let room = Room::with(COPIES);
    let own = crate::build::OWN_FAMILY.replace("int main(", "int other_main(");
    room.write("own.c", &own);
    room.run("musl-gcc", &["-O1 -w -o own main.c own.c"]);
    room.run("gcc", &["-O1 -w -o other main.c -pthread"]);
    let old = tools().join("musls-shared/1.2.2/ld-musl-x86_64.so.1");
    let object = object(&room, "x86_64", "fast");
    let program = [&old.display().to_string()[..], &room.path("own")];
    assert_eq!(with(&object, &program), "copied\n");
    assert_eq!(with(&object, &[&room.path("other")]), "copied\n");
}
