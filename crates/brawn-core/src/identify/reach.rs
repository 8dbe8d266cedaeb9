//! Finds the functions that call a heap, from the call instructions of an executable with symbols.
//!
//! A function is inside the heap if it has the name of a heap's function and uses the heap's state, or calls a
//! function that does. The name alone is not enough, since every heap has a `malloc`. A heap's internal name, such as
//! `trim`, may also be the name of a function elsewhere that calls the heap. So it counts as inside only if the heap
//! calls it.

use super::is_heap;
use crate::arch::{Isa, words};
use crate::elf::image::{Image, Symbol, SymbolKind};
use crate::error::printable;
use crate::work::Ranges;
use std::collections::BTreeSet;

/// Names of musl's heaps that are local to their files.
pub const LOCAL: [&str; 9] = [
    "__simple_malloc",
    "alloc_fwd",
    "alloc_rev",
    "alloc_slot",
    "default_malloc",
    "get_meta",
    "nontrivial_free",
    "trim",
    "unbin",
];

/// Whether the code of `symbol` calls, jumps to or uses one of `targets`.
pub fn refers_to(image: &Image<'_>, symbol: &Symbol<'_>, targets: &Ranges) -> bool {
    let Some(machine) = image.ident.architecture().and_then(Isa::of) else {
        return false;
    };
    let code = image.contents(symbol, 1).unwrap_or_default();
    let code = &code[..code.len().min(LONGEST)];
    let address = symbol.address;
    let function = Function {
        symbol,
        address,
        code,
    };
    works_on(&function, machine, targets)
        || machine
            .branches(code, address)
            .any(|(_, to)| targets.contains(to))
}

/// How many bytes of a function are searched: functions of heaps are shorter.
const LONGEST: usize = 1 << 16;
/// How many callers are named. Programs have dozens.
const ENOUGH: usize = 1024;
/// How many calls may lie between a heap's public function and the heap's state.
const ROUNDS: usize = 8;

/// A function. Its code ends where the next function begins.
struct Function<'i, 'a> {
    symbol: &'i Symbol<'a>,
    address: u64,
    code: &'a [u8],
}

/// The sorted names of the functions outside the heap that call it.
///
/// The heap is found by its state, such as `__malloc_context`, or by functions whose names only a heap has.
pub fn callers(image: &Image<'_>, state: &[&str]) -> Vec<String> {
    let Some(machine) = image.ident.architecture().and_then(Isa::of) else {
        return Vec::new();
    };
    let is_state = |s: &&Symbol<'_>| state.contains(&s.name);
    let states = image
        .defined()
        .filter(is_state)
        .map(|s| s.address..s.address.saturating_add(s.size.max(1)));
    let states = Ranges::new(states);
    let functions = functions(image);
    let is_named = |s: &Symbol<'_>| is_heap(s.name.as_bytes()) || LOCAL.contains(&s.name);
    let mut inside: BTreeSet<u64> = functions
        .iter()
        .filter(|f| is_named(f.symbol))
        .filter(|f| states.contains(f.address) || works_on(f, machine, &states))
        .map(|f| f.address)
        .collect();
    // Each round adds the functions that call those of the round before; `malloc` is three calls away.
    for _ in 0..ROUNDS {
        let is_in = |f: &&Function<'_, '_>| inside.contains(&f.address);
        let called: BTreeSet<u64> = functions
            .iter()
            .filter(is_in)
            .flat_map(|f| machine.branches(f.code, f.address))
            .map(|(_, target)| target)
            .collect();
        let passes_on = |f: &Function<'_, '_>| {
            machine
                .branches(f.code, f.address)
                .any(|(_, target)| inside.contains(&target))
        };
        let more: Vec<u64> = functions
            .iter()
            .filter(|f| is_named(f.symbol) && !inside.contains(&f.address))
            .filter(|f| match LOCAL.contains(&f.symbol.name) {
                true => called.contains(&f.address),
                false => passes_on(f),
            })
            .map(|f| f.address)
            .collect();
        if more.is_empty() {
            break;
        }
        inside.extend(more);
    }
    let mut callers = BTreeSet::new();
    let (Some(first), Some(last)) = (inside.first(), inside.last()) else {
        return Vec::new();
    };
    for load in image.loads.iter().filter(|l| l.executable) {
        for (site, target) in machine.branches(load.data, load.address) {
            // Most calls lead elsewhere.
            if target < *first || target > *last || !inside.contains(&target) {
                continue;
            }
            let caller = containing(&functions, site);
            callers.extend(
                caller
                    .filter(|f| !inside.contains(&f.address))
                    .map(|f| f.symbol.name),
            );
        }
    }
    let callers = callers.into_iter().take(ENOUGH);
    callers.map(|name| printable(name.as_bytes())).collect()
}

/// The functions by address. Aliases of one address count as one function.
fn functions<'i, 'a>(image: &'i Image<'a>) -> Vec<Function<'i, 'a>> {
    let mut symbols: Vec<_> = image
        .defined()
        .filter(|s| s.kind == SymbolKind::Function)
        .collect();
    // Among aliases the heap's own name comes first, so that it is the name that counts.
    symbols.sort_by_key(|s| (s.address, !is_heap(s.name.as_bytes()), !s.global, s.name));
    symbols.dedup_by_key(|s| s.address);
    let next = symbols.iter().skip(1).map(|s| s.address);
    symbols
        .iter()
        .zip(next.chain([u64::MAX]))
        .map(|(symbol, next)| {
            let code = image.contents(symbol, 1).unwrap_or_default();
            let room = usize::try_from(next - symbol.address).unwrap_or(usize::MAX);
            Function {
                symbol,
                address: symbol.address,
                code: &code[..code.len().min(room)],
            }
        })
        .collect()
}

fn containing<'f, 'i, 'a>(
    functions: &'f [Function<'i, 'a>],
    site: u64,
) -> Option<&'f Function<'i, 'a>> {
    let after = functions.partition_point(|f| f.address <= site);
    let function = functions.get(after.checked_sub(1)?)?;
    (site - function.address < function.code.len() as u64).then_some(function)
}

/// Whether a function's code refers to one of these addresses relative to its own.
fn works_on(function: &Function<'_, '_>, machine: Isa, states: &Ranges) -> bool {
    let code = function.code;
    match machine {
        // An opcode, a ModRM byte that means "relative to the next instruction", and a displacement. The displacement
        // counts from the end of the instruction, and an immediate operand may stand in between.
        Isa::X86_64 => code.windows(6).enumerate().any(|(at, window)| {
            if window[1] & 0xc7 != 0x05 {
                return false;
            }
            let operand = match window[0] {
                0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 => 1,
                0x69 | 0x81 | 0xc7 => 4,
                // In these two groups, only `test` has an immediate operand.
                0xf6 if window[1] & 0x38 == 0 => 1,
                0xf7 if window[1] & 0x38 == 0 => 4,
                _ => 0,
            };
            let end = function.address.wrapping_add(at as u64 + 6 + operand);
            let target = offset(end, signed(&window[2..]));
            states.contains(target)
        }),
        // adrp gives the page of its target; another instruction adds the offset in the page.
        Isa::Aarch64 => words(code).zip(0..).any(|(word, n)| {
            if word & 0x9f00_0000 != 0x9000_0000 {
                return false;
            }
            let pages = (word >> 5 & 0x7_ffff) << 2 | (word >> 29 & 3);
            let pages = i64::from((pages << 11) as i32 >> 11);
            let page = offset(function.address.wrapping_add(4 * n) & !0xfff, pages << 12);
            // An address in the page, or a range that begins before the page and reaches into it.
            states.meets(&(page..page.saturating_add(0x1000)))
        }),
    }
}

fn signed(raw: &[u8]) -> i64 {
    raw.first_chunk::<4>()
        .map_or(0, |raw| i64::from(i32::from_le_bytes(*raw)))
}

fn offset(base: u64, by: i64) -> u64 {
    base.wrapping_add_signed(by)
}

#[cfg(test)]
mod tests;
