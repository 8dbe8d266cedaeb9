//! Finds the memory functions: musl's, and those that the compiler brings in their place.
//!
//! A program's own functions stay, as they do when it is linked with a patched `libc.a`: somebody had a reason for
//! them. A name alone does not tell whose a function is. Its code does, if it is that of a build of musl that brawn
//! knows ([`signatures::confirm`](crate::signatures::confirm)). For any other code, the symbol and its place have to:
//!
//! - Linkers keep an archive's members together, and libc and the compiler's library come last. What lies before libc
//!   or in another section is the program's own.
//! - The compiler's library hides its functions. Other names that shared objects do not see are the program's own.
//! - If nearly all have the code of a build of musl that brawn knows, a function with other code is not musl's, unless it
//!   lies among these.

use super::code::Code;
use super::place;
use super::whole::Whole;
use super::{Functions, Left};
use crate::component::Component;
use crate::elf::program::{Program, Symbol};
use crate::identify::MEMORY;
use crate::signatures::names::{Evidence, Named, Names};
use std::collections::{HashMap, HashSet};

/// What compilers' libraries have: Rust's, zig's, LLVM's. Their results are those of musl's. (zig also brings a `strcmp`, whose
/// results have the same sign as musl's, and another value.)
const COMPILERS: [&str; 6] = ["bcmp", "memcmp", "memcpy", "memmove", "memset", "strlen"];

const BEFORE: &str = "the program's own: it lies before libc's functions";
const ELSEWHERE: &str = "the program's own: it lies in another section than libc's functions";
const STATIC: &str = "the program's own: its name is that of one file alone";
const COMPILERS_OWN: &str = "from the compiler's library, where its results may differ from musl's";
const OTHER: &str =
    "not musl's: its code is not from a build of musl that brawn knows, and that of others is";

/// Finds them.
pub fn find(whole: &Whole<'_, '_>, code: &Code<'_>, names: &Names, found: &mut Functions) {
    let Some(memory) = whole.payload.memory else {
        let name = whole.payload.architecture.name();
        found
            .notes
            .push(format!("this brawn has no memory functions for {name}"));
        return;
    };
    let surface: HashSet<&str> = memory.surface().collect();
    let is_named = |n: &&Named| surface.contains(&*n.name) && code.from(n.address).is_some();
    let named: Vec<&Named> = names.functions.iter().filter(is_named).collect();
    let symbols = Symbols::of(whole.program, names, &named);
    for named in named {
        match symbols.why_own(named) {
            None => place::add(code, named, Component::Memory, found),
            Some(why) if MEMORY.contains(&&*named.name) => {
                found.left.push(Left::new(&named.name, named.address, why));
            }
            Some(_) => {}
        }
    }
}

/// What the symbol table says of the memory functions that no code tells.
struct Symbols<'a> {
    /// Their symbols, by name and address.
    all: HashMap<(&'a str, u64), Symbol<'a>>,
    /// Where libc begins, and the section in which that is.
    libc: Option<(u64, usize)>,
    /// Whether the program's musl is a build that brawn knows: at least four times as many functions are told by their code as
    /// are named by a symbol alone.
    is_known: bool,
    /// The last function of libc's that its code tells; 0 if the linker did not keep libc's functions together.
    last: u64,
}

impl<'a> Symbols<'a> {
    fn of(program: &Program<'a>, names: &Names, named: &[&Named]) -> Self {
        let is_untold = |n: &&&Named| n.evidence == Evidence::Symbol;
        let untold: HashSet<(&str, u64)> = named
            .iter()
            .filter(is_untold)
            .map(|n| (&*n.name, n.address))
            .collect();
        let begin = names.libc();
        let mut symbols = Self {
            all: HashMap::new(),
            libc: None,
            is_known: false,
            last: last(names),
        };
        for symbol in program.functions() {
            if Some(symbol.address) == begin {
                symbols.libc = Some((symbol.address, symbol.section));
            }
            if untold.contains(&(symbol.name, symbol.address)) {
                symbols.all.insert((symbol.name, symbol.address), symbol);
            }
        }
        let others = symbols
            .all
            .values()
            .filter(|s| s.global && symbols.why(s).is_none());
        symbols.is_known = named.len() - untold.len() >= 4 * others.count();
        symbols
    }

    /// Why that is not replaced; `None`: it is libc's or the compiler's.
    fn why_own(&self, named: &Named) -> Option<&'static str> {
        self.all
            .get(&(&*named.name, named.address))
            .and_then(|symbol| self.why(symbol))
    }

    fn why(&self, symbol: &Symbol<'_>) -> Option<&'static str> {
        match self.libc {
            Some((begin, _)) if symbol.address < begin => Some(BEFORE),
            Some((_, section)) if symbol.section != section => Some(ELSEWHERE),
            // `__stpcpy` and the like are musl's own names.
            Some(_) if symbol.hidden && !symbol.name.starts_with("__") => {
                (!COMPILERS.contains(&symbol.name)).then_some(COMPILERS_OWN)
            }
            Some(_) if !symbol.global && !symbol.hidden => Some(STATIC),
            Some(_) => (self.is_known && symbol.address > self.last).then_some(OTHER),
            None => Some(BEFORE),
        }
    }
}

/// The last function of libc's that its code tells; 0 if libc does not lie behind the program, as where a linker sorts
/// functions by name.
fn last(names: &Names) -> u64 {
    let main = names.function("main").map(|n| n.address);
    if main > names.libc() {
        return 0;
    }
    let by_code = names
        .functions
        .iter()
        .filter(|n| n.evidence != Evidence::Symbol);
    by_code.map(|n| n.address).max().unwrap_or(0)
}
