//! Which words of data are taken for addresses: how many programs would be refused for a word that is none, if what goes
//! lay elsewhere in them.
//!
//! The real addresses are known by the relocations that the linker leaves in the file (`--emit-relocs`).  All other
//! words stay what they are, wherever musl's functions come to lie: so these are moved through 4 MiB, 16 bytes at a time,
//! and every place counts at which a word of data is an address inside of them.

use super::super::pass::data_of;
use super::super::scan::Wanted;
use super::super::words::Words;
use super::*;
use std::collections::BTreeSet;

/// How far functions are moved at a time: they are aligned to so much.
const STEP: u64 = 16;

/// Where they may be: linkers begin here.
const SPAN: Range<u64> = 0x40_1000..0x80_1000;

/// How many places there are for what goes, at how many of them some word equals an address in it, and at how many such
/// a word counts.
#[derive(Debug)]
struct Slid {
    places: u64,
    equal: usize,
    counts: usize,
}

fn slide(bytes: &[u8]) -> Slid {
    let program = Program::read(bytes).expect("an executable");
    let payload = brawn_payload::payload(program.architecture, Profile::Fast).expect("embedded");
    let names = Names::of_symbols(&program);
    let whole = super::super::whole::Whole::of(&program, payload).expect("musl's");
    let code = Code::new(&program, &names);
    let found = find(&program, &names, payload, Component::ALL).expect("musl's");
    // Side by side, as linkers put a library's functions: how far each one's first byte is from that of the first.
    let mut size = 0;
    let bodies = found.functions.iter().map(|f| {
        let from = size;
        size += (f.extent.end - f.address).next_multiple_of(STEP);
        (f.patch_at + 1..f.extent.end, f.address - from)
    });
    let bodies: Vec<(Range<u64>, u64)> = bodies.collect();
    let real = real(&program);
    // The table through which code finds data has addresses, too, and no relocations any more.
    let table = program
        .section(b".got")
        .map(|s| s.address..s.address + s.size);
    let table = table.unwrap_or_default();
    let words = Words::of(&whole, &code, &[]);
    let span = Wanted::new(vec![SPAN]);
    let most = SPAN.end - size;
    let (mut equal, mut counts) = (BTreeSet::new(), BTreeSet::new());
    for (address, data) in data_of(&whole, &code) {
        span.words(data, address, |at, word| {
            let place = address + at as u64;
            if real.contains(&place) || table.contains(&place) {
                return;
            }
            // With every function in turn at the word: where all of them are then, and what the word means there.
            for (body, origin) in &bodies {
                for target in body.clone() {
                    let place = (word + origin).wrapping_sub(target);
                    if place.is_multiple_of(STEP) && (SPAN.start..most).contains(&place) {
                        equal.insert(place);
                        if words.may_be(data, address, at, target) {
                            counts.insert(place);
                        }
                    }
                }
            }
        });
    }
    Slid {
        places: (most - SPAN.start) / STEP,
        equal: equal.len(),
        counts: counts.len(),
    }
}

/// The places of words that the linker put an address to.
fn real(program: &Program<'_>) -> BTreeSet<u64> {
    let tables = program
        .sections
        .iter()
        .filter(|s| s.name.starts_with(b".rela."));
    let entries = tables.flat_map(|s| {
        let bytes = &program.bytes[s.offset as usize..(s.offset + s.size) as usize];
        bytes.as_chunks::<24>().0
    });
    let word =
        |entry: &[u8; 24], at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("8"));
    let is_address = |entry: &&[u8; 24]| [1, 257].contains(&(word(entry, 8) as u32));
    let places: BTreeSet<u64> = entries.filter(is_address).map(|e| word(e, 0)).collect();
    assert!(places.len() > 10, "no relocations");
    places
}

/// All of musl, with its tables: of characters, encodings, ciphers, functions of mathematics, errors and time.
#[test]
fn few_words_of_data_are_taken_for_addresses() {
    for musl in ["1.2.3", "1.2.6", "1.2.3-arm64"] {
        let flags = [
            "-static",
            "-O2",
            "-fno-builtin",
            "-Wl,--emit-relocs",
            "-Wl,--whole-archive,-lc,--no-whole-archive",
        ];
        let bytes = built(&Build::musl(musl, THREADS).with(&flags));
        assert_eq!(found(&bytes).risks, [], "{musl}");
        let slid = slide(&bytes);
        // Of a hundred places at least one would be refused if every word counted.
        assert!(slid.equal as u64 * 100 > slid.places, "{musl}: {slid:?}");
        assert!((slid.counts as u64) * 100 < slid.places, "{musl}: {slid:?}");
        assert!(slid.counts * 4 < slid.equal, "{musl}: {slid:?}");
    }
}
