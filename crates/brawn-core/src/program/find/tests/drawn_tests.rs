//! Programs of functions drawn from all of libc: what is found without symbols is what the symbols say.

use super::*;
use crate::archive::read::Archive;
use crate::signatures;
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::collections::BTreeSet;

/// How many functions a program refers to, besides what these need.
const REFERS: usize = 24;
/// How many programs of each musl and kind of link there are.
const PROGRAMS: u64 = 8;
/// The same in `make test-everything`.
const ALL_PROGRAMS: u64 = 200;

/// The size of a jump to another function is at most this.
const JUMP: u64 = 5;

/// Marsaglia, "Xorshift RNGs" (2003).
fn draw(state: &mut u64, below: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % below as u64) as usize
}

/// The functions of a libc.a that programs may name.
fn functions(musl: &str) -> Vec<String> {
    let path = programs_for_tests::tools()
        .join("musls")
        .join(musl)
        .join("lib/libc.a");
    let bytes = std::fs::read(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; `make test-tools` builds it", path.display()));
    let archive = Archive::read(&bytes).expect("an archive");
    let mut names = BTreeSet::new();
    for (_, entry) in archive.members() {
        let Ok(file) = object::File::parse(archive.data(entry)) else {
            continue;
        };
        for symbol in file.symbols() {
            let name = symbol.name().unwrap_or_default();
            let is_public = !name.starts_with('_');
            if symbol.is_global()
                && symbol.is_definition()
                && symbol.kind() == SymbolKind::Text
                && is_public
            {
                names.insert(name.to_owned());
            }
        }
    }
    names.into_iter().collect()
}

fn source(names: &[String], state: &mut u64) -> String {
    let drawn: BTreeSet<&String> = (0..REFERS)
        .map(|_| &names[draw(state, names.len())])
        .collect();
    let drawn = drawn.into_iter().map(String::as_str);
    // Without a heap nothing is rewritten.
    let drawn: Vec<&str> = drawn
        .filter(|name| !["free", "malloc"].contains(name))
        .chain(["free", "malloc"])
        .collect();
    format!(
        "extern char {}[];\nchar *volatile all[] = {{{}}};\nint main(int n, char **words) {{ return all[n - 1] == words[0]; }}\n",
        drawn.join("[], "),
        drawn.join(", ")
    )
}

/// The same for functions that do the same: `long`, `long long` and `intmax_t` are one type on both architectures.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches("__libc_");
    name.replace("ll", "l")
        .replace("imax", "l")
        .replace("umax", "ul")
}

/// How many functions are found in `bytes` without its symbols, and which of them are others by the symbols.
fn found(bytes: &[u8]) -> (usize, Vec<String>) {
    let program = Program::read(bytes).expect("an executable");
    let mut stripped = program.clone();
    stripped.image.symbols.clear();
    let names = signatures::name(&stripped).expect("signatures");
    let found = find_by(&stripped, &names, Component::ALL).expect("musl's");
    let wrong = found.functions.iter().filter_map(|function| {
        let there = program
            .functions()
            .filter(|s| s.address == function.address);
        let there: Vec<&str> = there.map(|s| s.name).collect();
        let mut named = function.aliases.iter().chain([&function.name]);
        // A function that is one jump may be found as the last instruction of another one, which goes to the same place.
        let sizes = names
            .functions
            .iter()
            .filter(|n| n.address == function.address);
        let is_jump = there.is_empty() && sizes.map(|n| n.size).all(|size| size <= JUMP);
        let is_it = named.any(|name| there.iter().any(|other| plain(name) == plain(other)));
        (!is_it && !is_jump)
            .then(|| format!("{} at {:#x} is {there:?}", function.name, function.address))
    });
    (found.functions.len(), wrong.collect())
}

#[test]
fn what_is_found_in_any_program_is_what_its_symbols_say() {
    let count = match std::env::var_os("BRAWN_CONFORMANCE_ALL") {
        Some(_) => ALL_PROGRAMS,
        None => PROGRAMS,
    };
    let links = [
        &["-static"][..],
        &["-static-pie", "-fPIE"],
        &["-static", "-fuse-ld=lld", "-Wl,--gc-sections"],
    ];
    for musl in ["1.2.2", "1.2.3", "1.2.6", "1.2.3-arm64", "1.2.5-arm64"] {
        let names = functions(musl);
        let mut functions = 0;
        for (flags, seed) in links
            .iter()
            .flat_map(|flags| (1..=count).map(move |seed| (flags, seed)))
        {
            let mut state = u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15);
            let source = source(&names, &mut state);
            let mut flags = [flags, &["-O1", "-w", "-fno-builtin"][..]].concat();
            // Debian's cross compiler finds GNU ld only.
            flags.retain(|flag| !(musl.ends_with("-arm64") && *flag == "-fuse-ld=lld"));
            let (number, wrong) = found(&built(&Build::musl(musl, &source).with(&flags)));
            assert!(
                wrong.is_empty(),
                "{musl} {flags:?}, seed {seed}: {wrong:?}\n{source}"
            );
            functions += number;
        }
        // Most of what brawn replaces, and each program has some of it.
        let programs = 3 * count as usize;
        assert!(
            functions > 20 * programs,
            "{musl}: {functions} functions in {programs} programs"
        );
    }
}
