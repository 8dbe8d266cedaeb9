//! Functions of libc with the same code but for what they refer to: none is taken for another one.

use super::*;
use crate::signatures;

/// Each is used alone. brawn replaces another one with the same code.
const USES: [&str; 8] = [
    "return (int)remainderf(n + .5f, 3);",
    "return (int)remainderl(n + .5L, 3);",
    "return (int)wcsftime(wide, 9, L\"%Y\", &(struct tm){0});",
    "va_start(list, n); return vwprintf(wide, list);",
    "va_start(list, n); return vscanf(text, list);",
    "return swprintf(wide, 9, L\"%d\", n);",
    "return dprintf(1, \"%d\", n);",
    "return wscanf(L\"%d\", &n);",
];

#[test]
fn no_function_is_taken_for_one_with_the_same_code() {
    for each in USES {
        let source = format!(
            "#define _GNU_SOURCE\n#include <math.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
             #include <time.h>\n#include <wchar.h>\n\
             int own(int n, ...) {{ va_list list; char text[9] = \"%d\"; wchar_t wide[9] = L\"%d\"; {each} }}\n\
             int main(int n, char **words) {{ free(malloc(n)); return own(n, words); }}\n"
        );
        for musl in [
            "1.2.2",
            "1.2.3",
            "1.2.3-arm64",
            "1.2.5-arm64",
            "1.2.6-arm64",
        ] {
            let bytes =
                built(&Build::musl(musl, &source).with(&["-static", "-O1", "-w", "-fno-builtin"]));
            let program = Program::read(&bytes).expect("an executable");
            let mut stripped = program.clone();
            stripped.image.symbols.clear();
            let names = signatures::name(&stripped).expect("signatures");
            let found = find_by(&stripped, &names, Component::ALL);
            for function in found.expect("musl's").functions {
                let mut there = program
                    .symbols
                    .iter()
                    .filter(|s| s.address == function.address);
                let is_it = there.any(|s| {
                    s.name == function.name || function.aliases.iter().any(|a| a == s.name)
                });
                assert!(
                    is_it,
                    "{musl}, {each}: {} at {:#x}",
                    function.name, function.address
                );
            }
        }
    }
}
