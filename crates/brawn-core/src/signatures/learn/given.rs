//! Learns functions of which somebody says the address, from an executable without symbols. Some functions of musl's are in no public program that has
//! symbols.
//!
//! What is said may be wrong, and a wrong signature would change programs wrongly. So the function must begin where code or data of the program refers to,
//! end where code ends, be long enough to be recognized, and agree with everything that signatures find in the program.

use super::super::names::{Named, Names};
use super::super::{MOST_BYTES, wanted};
use super::{Learnt, executable};
use crate::arch::{Isa, b_or_bl, words};
use crate::elf::program::{Program, Symbol, SymbolKind};
use crate::error::{Error, Result};
use iced_x86::{Code, Decoder, DecoderOptions, OpKind};
use std::str::FromStr;

/// A function of an executable, as somebody says it: `NAME=ADDRESS+SIZE`, with both numbers in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name in musl.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
}

impl FromStr for Given {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |digits: &str| {
            let digits = digits.strip_prefix("0x").unwrap_or(digits);
            // `from_str_radix` takes a sign, too.
            let is_plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
            u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)
        };
        let parts = text.split_once('=').and_then(|(name, place)| {
            let (address, size) = place.split_once('+')?;
            Some((name, number(address)?, number(size)?))
        });
        let Some((name, address, size)) = parts else {
            return Err(Error::usage("no function with its place")
                .expected("NAME=ADDRESS+SIZE, with both numbers in hex"));
        };
        if !wanted::is_function(name) && !wanted::is_local(name) {
            return Err(Error::usage(
                "not a function of musl's that brawn looks for",
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            address,
            size,
        })
    }
}

impl Given {
    fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }

    fn wrong(&self, why: impl AsRef<str>) -> Error {
        let found = format!(
            "no `{}` at {:#x}: {}",
            self.name,
            self.address,
            why.as_ref()
        );
        Error::not_applicable(found).expected("where a function begins, and its size")
    }

    /// Whether it is what it is said to be, as far as its code and the program show that.
    fn check(&self, program: &Program<'_>, names: &Names) -> Result<()> {
        let is_inside = program
            .code()
            .any(|(from, bytes)| from <= self.address && self.end() <= from + bytes.len() as u64);
        let code = program
            .at(self.address, self.size)
            .filter(|code| is_inside && (1..=MOST_BYTES.0 as usize).contains(&code.len()));
        let Some(code) = code else {
            return Err(self.wrong("no code of that size is there"));
        };
        let is_whole = match program.architecture {
            Isa::X86_64 => is_whole_x86_64(self.address, code),
            Isa::Aarch64 => is_whole_aarch64(self.address, code),
        };
        if !is_whole {
            return Err(self.wrong("the code does not end there"));
        }
        if !is_referred_to(program, self.address) {
            return Err(self.wrong("nothing in the program calls it, or has its address"));
        }
        for known in &names.functions {
            let is_same = (known.address, known.size) == (self.address, self.size);
            let overlaps = known.address < self.end()
                && self.address < known.address.saturating_add(known.size);
            if overlaps && !is_same || known.name == self.name && known.address != self.address {
                let Named { name, address, .. } = known;
                return Err(self.wrong(format!("`{name}` is at {address:#x}")));
            }
        }
        Ok(())
    }
}

/// The functions `given` in the program `bytes`. `names` are those that are known in it: what the functions refer to.
pub fn learn<'a>(bytes: &'a [u8], given: &'a [Given], names: &'a Names) -> Result<Learnt<'a>> {
    let program = Program::read(bytes)?;
    for function in given {
        function.check(&program, names)?;
    }
    let symbol = |kind| {
        move |name, address, size| Symbol {
            name,
            address,
            size,
            kind,
            global: true,
            weak: false,
            hidden: false,
            defined: true,
            section: 0,
        }
    };
    let (function, object) = (symbol(SymbolKind::Function), symbol(SymbolKind::Object));
    let named = given
        .iter()
        .map(|g| function(g.name.as_str(), g.address, g.size));
    let functions = names.functions.iter();
    let functions = functions.map(|n| function(n.name.as_str(), n.address, n.size));
    let objects = names.objects.iter();
    let objects = objects.map(|n| object(n.name.as_str(), n.address, n.size));
    let mut symbols: Vec<Symbol<'a>> = named.chain(functions).chain(objects).collect();
    symbols.sort_by_key(|s| (s.address, s.name));
    let addresses: Vec<u64> = given.iter().map(|function| function.address).collect();
    executable::learn_at(&program, &symbols, &addresses)
}

/// Whether nothing runs on behind `code`, the code at `address`: its last instruction ends it, and no jump that compilers make within a function leads out of
/// it. A jump to another function is never conditional, nor short.
fn is_whole_x86_64(address: u64, code: &[u8]) -> bool {
    let inside = address..address + code.len() as u64;
    let mut last = None;
    for instruction in Decoder::with_ip(64, code, address, DecoderOptions::NONE) {
        if instruction.is_invalid() {
            return false;
        }
        let is_near = instruction.op0_kind() == OpKind::NearBranch64;
        let is_passed_on = matches!(instruction.code(), Code::Call_rel32_64 | Code::Jmp_rel32_64);
        let to = instruction.near_branch_target();
        if is_near && !inside.contains(&to) && (!is_passed_on || to == inside.end) {
            return false;
        }
        last = Some(instruction.code());
    }
    // `hlt` is how musl's heap ends the program.
    matches!(
        last,
        Some(
            Code::Retnq
                | Code::Jmp_rel8_64
                | Code::Jmp_rel32_64
                | Code::Jmp_rm64
                | Code::Hlt
                | Code::Ud2
        )
    )
}

/// The same for aarch64.
fn is_whole_aarch64(address: u64, code: &[u8]) -> bool {
    let inside = address..address + code.len() as u64;
    if !code.len().is_multiple_of(4) {
        return false;
    }
    let mut words = words(code);
    for (word, at) in words.clone().zip((address..).step_by(4)) {
        let distance = |bits: u32, from: u32| {
            let distance = (word >> from << (32 - bits)) as i32 >> (32 - bits);
            at.wrapping_add_signed(i64::from(distance) * 4)
        };
        let to = match word {
            // b.cond, cbz and cbnz; tbz and tbnz
            _ if word & 0xff00_0010 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 => {
                distance(19, 5)
            }
            _ if word & 0x7e00_0000 == 0x3600_0000 => distance(14, 5),
            _ if b_or_bl(word, at) == Some(inside.end) => inside.end,
            _ => continue,
        };
        if !inside.contains(&to) {
            return false;
        }
    }
    words.next_back().is_some_and(|word| {
        // b; br and ret; brk
        word & 0xfc00_0000 == 0x1400_0000
            || word & 0xff9f_fc1f == 0xd61f_0000
            || word & 0xffe0_001f == 0xd420_0000
    })
}

/// Whether a call or a jump leads to `address`, or the program has it as a number.
fn is_referred_to(program: &Program<'_>, address: u64) -> bool {
    let is_word = |bytes: &[u8]| {
        let (words, _) = bytes.as_chunks::<8>();
        words.iter().any(|w| u64::from_le_bytes(*w) == address)
    };
    if is_word(program.bytes) {
        return true;
    }
    program.code().any(|(from, code)| {
        let mut branches = program.architecture.branches(code, from);
        branches.any(|(_, to)| to == address)
    })
}

#[cfg(test)]
mod tests;
