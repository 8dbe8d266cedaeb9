//! Operands of aarch64 code that linking has filled in.

use super::super::operand::{Form, NOP, branch, low};
use super::RawOperand;
use super::executable::Found;

/// Those of the function `code` at `address`; `None` where it is no whole number of instructions.
pub fn operands(address: u64, code: &[u8]) -> Option<Vec<Found>> {
    let own = address..address + code.len() as u64;
    let (words, []) = code.as_chunks::<4>() else {
        return None;
    };
    let mut found: Vec<Found> = Vec::new();
    // What `adrp` left in each register, and its position in `found`.
    let mut pages: [Option<(u32, u64, usize)>; 32] = [None; 32];
    let words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
    for (number, word) in words.iter().copied().enumerate() {
        let at = address + number as u64 * 4;
        let operand = |form, number: usize| RawOperand {
            at: number as u32 * 4,
            form,
            target: None,
        };
        let add = |form, number: usize, to| Found {
            operand: operand(form, number),
            to,
            behind: 0,
        };
        if let Some(to) = branch(word, at) {
            if !own.contains(&to) || to == address {
                found.push(add(Form::Branch, number, Some(to)));
            }
            // A call keeps x19 to x28 alone.
            if word >> 31 == 1 {
                pages[..19].fill(None);
            }
            continue;
        }
        let register = (word & 31) as usize;
        if word & 0x9f00_0000 == 0x9000_0000 {
            pages[register] = Some((word, at, found.len()));
            found.push(add(Form::Page, number, None));
            continue;
        }
        // A linker's `nop` and `adr` in the place of `adrp` and the addition.
        if word & 0x9f00_0000 == 0x1000_0000 {
            let to = low(NOP, at, word, at);
            if to.is_some_and(|to| !own.contains(&to)) {
                if number > 0 && words[number - 1] == NOP {
                    found.push(add(Form::Page, number - 1, to));
                }
                found.push(add(Form::Low, number, to));
            }
            continue;
        }
        let base = (word >> 5 & 31) as usize;
        if let Some((page, page_at, position)) = pages[base]
            && let Some(to) = low(page, page_at, word, at)
        {
            // Several instructions may share one `adrp`: it has the first's target.
            found[position].to.get_or_insert(to);
            found.push(add(Form::Low, number, Some(to)));
        }
        // Loads and additions write their register; a store does not.
        let is_store = word & 0x3bc0_0000 == 0x3900_0000;
        if !is_store {
            pages[register] = None;
        }
    }
    Some(found)
}
