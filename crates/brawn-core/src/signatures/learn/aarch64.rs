//! Finds the operands of aarch64 code that the linker wrote.
//!
//! An address is made by an `adrp` and by an instruction that adds the rest. That instruction may be far away, and
//! even after the function's `ret`: compilers put rare cases there and jump to them. So the registers are followed
//! along every jump.

use super::super::operand::{Form, NOP, low};
use super::{Located, RawOperand};
use crate::arch::{b_or_bl, words};
use std::collections::HashMap;

/// No function of musl's has more instructions than this.
const MOST: usize = 1 << 14;

/// How many words of a function's frame, from the stack pointer on, may hold pages.
const SLOTS: usize = 64;

/// For each register, the number of the `adrp` instruction that wrote it; then the same for words of the frame, where compilers keep
/// registers during calls.
type Pages = [Option<u32>; 32 + SLOTS];

/// The operands of the function `code` at `address`; `None` if `code` is not a whole number of instructions.
pub fn operands(address: u64, code: &[u8]) -> Option<Vec<Located>> {
    let own = address..address + code.len() as u64;
    if !code.len().is_multiple_of(4) || code.len() / 4 > MOST {
        return None;
    }
    let words: Vec<u32> = words(code).collect();
    let before = pages(address, &words);
    let mut found: Vec<Located> = Vec::new();
    // The index in `found` of each `adrp`, by the number of its instruction.
    let mut positions: HashMap<u32, usize> = HashMap::new();
    // Operands whose `adrp` comes later in the code; they are added at the end.
    let mut rest: Vec<(u32, u64)> = Vec::new();
    for (number, word) in words.iter().copied().enumerate() {
        let at = address + number as u64 * 4;
        let add = |form, number: usize, to| Located {
            operand: RawOperand {
                at: number as u32 * 4,
                form,
                target: None,
            },
            to,
            behind: 0,
        };
        if let Some(to) = b_or_bl(word, at) {
            if !own.contains(&to) || to == address {
                found.push(add(Form::Branch, number, Some(to)));
            }
        } else if is_adrp(word) {
            positions.insert(number as u32, found.len());
            found.push(add(Form::Page, number, None));
        } else if word & 0x9f00_0000 == 0x1000_0000 {
            // A linker may replace `adrp` and the addition by `nop` and `adr`.
            let to = low(NOP, at, word, at);
            if to.is_some_and(|to| !own.contains(&to)) {
                if number > 0 && words[number - 1] == NOP {
                    found.push(add(Form::Page, number - 1, to));
                }
                found.push(add(Form::Low, number, to));
            }
        } else if let Some(page) = before[number][(word >> 5 & 31) as usize]
            && let Some(to) = low(
                words[page as usize],
                address + u64::from(page) * 4,
                word,
                at,
            )
        {
            found.push(add(Form::Low, number, Some(to)));
            rest.push((page, to));
        }
    }
    // Several instructions may share one `adrp`: the first one's target counts.
    for (page, to) in rest {
        if let Some(position) = positions.get(&page) {
            found[*position].to.get_or_insert(to);
        }
    }
    Some(found)
}

fn is_adrp(word: u32) -> bool {
    word & 0x9f00_0000 == 0x9000_0000
}

/// For each instruction, which `adrp` wrote each register before it, on any path to it. If there are several, the
/// first that is found.
fn pages(address: u64, words: &[u32]) -> Vec<Pages> {
    let mut before: Vec<Pages> = vec![[None; 32 + SLOTS]; words.len()];
    let mut is_reached = vec![false; words.len()];
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let Some(word) = words.get(number).copied() else {
            continue;
        };
        is_reached[number] = true;
        let after = after(number, word, before[number]);
        for next in next(address, number, word).into_iter().flatten() {
            let Some(known) = before.get_mut(next) else {
                continue;
            };
            // A register changes from unknown to known at most once, so this loop ends.
            let mut is_new = !is_reached[next];
            for (known, page) in known.iter_mut().zip(after) {
                if known.is_none() && page.is_some() {
                    *known = page;
                    is_new = true;
                }
            }
            if is_new {
                open.push(next);
            }
        }
    }
    before
}

/// The registers after an instruction.
fn after(number: usize, word: u32, mut pages: Pages) -> Pages {
    let register = (word & 31) as usize;
    if is_adrp(word) {
        pages[register] = Some(number as u32);
        return pages;
    }
    // mov
    if word & 0xffe0_ffe0 == 0xaa00_03e0 {
        pages[register] = pages[(word >> 16 & 31) as usize];
        return pages;
    }
    // ccmp and ccmn write flags only: where others have a register, they have a number.
    if word & 0x3fe0_0000 == 0x3a40_0000 {
        return pages;
    }
    // A call only preserves x19 to x28.
    if word & 0xfc00_0000 == 0x9400_0000 || word & 0xffff_fc1f == 0xd63f_0000 {
        pages[..19].fill(None);
        return pages;
    }
    // Jumps and system instructions.
    if word >> 26 & 7 == 5 {
        if word & 0xfff0_0000 == 0xd530_0000 {
            pages[register] = None;
        }
        return pages;
    }
    let is_access = word >> 27 & 1 == 1 && word >> 25 & 1 == 0;
    if let Some(slots) = slots(word) {
        let is_load = word >> 22 & 1 == 1;
        for (register, slot) in slots.into_iter().flatten() {
            match (is_load, slot) {
                (true, slot) => pages[register] = slot.and_then(|slot| pages[slot]),
                (false, Some(slot)) => pages[slot] = pages[register],
                (false, None) => {}
            }
        }
        return pages;
    }
    let is_stack = word >> 5 & 31 == 31;
    let is_moved = match is_access {
        // With an index that is added before or after.
        true => is_stack && (word >> 23 & 0x7f == 0x51 || word >> 23 & 0x7f == 0x53),
        false => word & 0x3f00_001f == 0x1100_001f,
    };
    if is_moved {
        pages[32..].fill(None);
    }
    if is_access {
        let is_vector = word >> 26 & 1 == 1;
        let is_single = word >> 28 & 3 == 3;
        let is_literal = word & 0x3b00_0000 == 0x1800_0000;
        let is_store = !is_literal
            && if is_single {
                word >> 22 & 3 == 0
            } else {
                word >> 22 & 1 == 0
            };
        if !is_vector && !is_store {
            pages[register] = None;
            let is_pair = word & 0x3a00_0000 == 0x2800_0000;
            if is_pair {
                pages[(word >> 10 & 31) as usize] = None;
            }
        }
        return pages;
    }
    pages[register] = None;
    pages
}

/// A register and its place in the frame, as a place in [`Pages`], if that has one.
type Slot = (usize, Option<usize>);

/// The registers that `stp`, `ldp`, `str` or `ldr` of 64 bits stores to the frame or loads from it.
fn slots(word: u32) -> Option<[Option<Slot>; 2]> {
    let register = |at: u32| (word >> at & 31) as usize;
    let slot = |number: u32| Some(32 + number as usize).filter(|slot| *slot < 32 + SLOTS);
    if register(5) != 31 {
        return None;
    }
    match word >> 22 {
        0x2a4 | 0x2a5 => {
            let number = word >> 15 & 0x7f;
            let pair = [(0, number), (10, number + 1)];
            Some(pair.map(|(at, number)| Some((register(at), slot(number)))))
        }
        0x3e4 | 0x3e5 => Some([Some((register(0), slot(word >> 10 & 0xfff))), None]),
        _ => None,
    }
}

/// The instructions of the function that may run next.
fn next(address: u64, number: usize, word: u32) -> [Option<usize>; 2] {
    let at = address + number as u64 * 4;
    let jump = |bits: u32, shift: u32| {
        let words = (word << (32 - bits - shift)) as i32 >> (32 - bits);
        let to = at.wrapping_add_signed(i64::from(words) * 4);
        let inside = to.checked_sub(address)?;
        usize::try_from(inside / 4).ok()
    };
    let behind = Some(number + 1);
    match word {
        // b
        w if w & 0xfc00_0000 == 0x1400_0000 => [jump(26, 0), None],
        // b.cond; cbz, cbnz
        w if w & 0xff00_0000 == 0x5400_0000 || w & 0x7e00_0000 == 0x3400_0000 => {
            [jump(19, 5), behind]
        }
        // tbz, tbnz
        w if w & 0x7e00_0000 == 0x3600_0000 => [jump(14, 5), behind],
        // br, ret
        w if w & 0xffdf_fc1f == 0xd61f_0000 || w & 0xffff_fc1f == 0xd65f_0000 => [None, None],
        _ => [behind, None],
    }
}

#[cfg(test)]
mod tests;
