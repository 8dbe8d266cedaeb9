//! The relocations of a program. musl's start code applies relative relocations, and no others.

use super::super::risk::{Risk, RiskKind};
use crate::elf::dynamic::{
    DT_JMPREL, DT_PLTRELSZ, DT_RELA, DT_RELASZ, DT_RELR, DT_RELRSZ, entries, word,
};
use crate::elf::program::Program;
use crate::error::{Error, Result};
use object::elf;

/// A word that is set to an address when the program is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The word's address.
    pub place: u64,
    /// The address in it.
    pub target: u64,
    /// Its type, if it is not a relative one: musl's start code ignores it.
    pub other: Option<u32>,
}

/// The program's relocations, and the risk if they change code.
pub fn read(program: &Program<'_>) -> Result<(Vec<Relocation>, Vec<Risk>)> {
    let mut found = Vec::new();
    let mut risks = Vec::new();
    let Some(dynamic) = program.segment(elf::PT_DYNAMIC) else {
        return Ok((found, risks));
    };
    let bytes = program
        .at(dynamic.address, dynamic.file_size)
        .unwrap_or_default();
    let tags: Vec<(u64, u64)> = entries(bytes).collect();
    let tag = |tag: u64| tags.iter().find(|(t, _)| *t == tag).map(|e| e.1);
    let flags = tag(elf::DT_FLAGS.0 as u64).unwrap_or_default();
    if tag(elf::DT_TEXTREL.0 as u64).is_some() || flags & elf::DF_TEXTREL.0 != 0 {
        let text = "its code is changed when it is loaded (DT_TEXTREL)";
        risks.push(Risk::of(RiskKind::Relocation, None, text).at(dynamic.address));
    }
    let table = |at: u64, size: u64| match (tag(at), tag(size)) {
        (Some(at), Some(size)) => program.at(at, size).map(Some).ok_or_else(|| {
            Error::malformed(format!(
                "a relocation table of {size:#x} bytes at address {at:#x}"
            ))
            .expected("one within a segment")
        }),
        _ => Ok(None),
    };
    let relative = program.architecture.facts().relative;
    for (at, size) in [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)] {
        let table = table(at, size)?.unwrap_or_default();
        found.reserve(table.len() / 24);
        for entry in table.as_chunks::<24>().0 {
            let kind = word(entry, 8) as u32;
            found.push(Relocation {
                place: word(entry, 0),
                target: word(entry, 16),
                other: (kind != relative).then_some(kind),
            });
        }
    }
    let table = table(DT_RELR, DT_RELRSZ)?.unwrap_or_default();
    packed(table, |place| {
        let target = program.at(place, 8).map(|b| word(b, 0));
        found.extend(target.map(|target| Relocation {
            place,
            target,
            other: None,
        }));
    });
    Ok((found, risks))
}

/// Calls `found` for every place of a `DT_RELR` table.
fn packed(table: &[u8], mut found: impl FnMut(u64)) {
    let mut next = 0u64;
    for entry in table.as_chunks::<8>().0 {
        let entry = u64::from_le_bytes(*entry);
        if entry & 1 == 0 {
            found(entry);
            next = entry.wrapping_add(8);
        } else {
            (0..63)
                .filter(|bit| entry >> (bit + 1) & 1 != 0)
                .for_each(|bit| found(next.wrapping_add(8 * bit)));
            next = next.wrapping_add(8 * 63);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_tables_are_read() {
        // An address; then a bitmap of the 63 words behind it; then another.
        let table: Vec<u8> = [0x1000u64, 0b1011, 1 << 63 | 1, 0x9000]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
        let mut places = Vec::new();
        packed(&table, |p| places.push(p));
        let second = 0x1008 + 8 * 63;
        assert_eq!(places, [0x1000, 0x1008, 0x1018, second + 8 * 62, 0x9000]);
    }
}
