//! Finds the operands of aarch64 code that the linker wrote.
//!
//! An address is made by an `adrp` and by an instruction that adds the rest. That instruction may be far away, and
//! even after the function's `ret`: compilers put rare cases there and jump to them. So the registers are followed
//! along every jump.

use super::super::operand::{Form, NOP, branch, low};
use super::{Located, RawOperand};
use std::collections::HashMap;

/// No function of musl's has more instructions than this.
const MOST: usize = 1 << 14;

/// For each register, the number of the `adrp` instruction that wrote it.
type Pages = [Option<u32>; 32];

/// The operands of the function `code` at `address`; `None` if `code` is not a whole number of instructions.
pub fn operands(address: u64, code: &[u8]) -> Option<Vec<Located>> {
    let own = address..address + code.len() as u64;
    let (words, []) = code.as_chunks::<4>() else {
        return None;
    };
    if words.len() > MOST {
        return None;
    }
    let words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
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
        if let Some(to) = branch(word, at) {
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
    let mut before: Vec<Pages> = vec![[None; 32]; words.len()];
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
mod tests {
    use super::*;

    /// `adrp x21`, a jump to code after the function's end, and there the rest of the address.
    #[test]
    fn an_address_may_be_finished_behind_the_end() {
        let words: [u32; 6] = [
            0x9000_0015, // adrp x21, .
            0xb400_0080, // cbz x0, +16
            0xa942_57f4, // ldp x20, x21, [sp, #32]
            0xd65f_03c0, // ret
            0xd503_201f, // nop
            0x912a_c2a1, // add x1, x21, #0xab0
        ];
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let found = operands(0x1000, &code).unwrap();
        let forms: Vec<(u32, Form, Option<u64>)> = found
            .iter()
            .map(|f| (f.operand.at, f.operand.form, f.to))
            .collect();
        let to = Some(0x1ab0);
        assert_eq!(forms, [(0, Form::Page, to), (20, Form::Low, to)]);
    }
}
