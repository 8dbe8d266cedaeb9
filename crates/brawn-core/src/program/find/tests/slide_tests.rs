//! Measures which words of data are taken for addresses of code inside of functions: how many programs would be refused because of a
//! word that is not an address, if the replaced functions were at other addresses.
//!
//! The real addresses are known by the relocations that the linker leaves in the file (`--emit-relocs`). All other
//! words are the same wherever musl's functions are. So the functions are moved through 4 MiB in steps of 16 bytes,
//! and the test counts the places at which a word of data is an address inside of them.

use super::super::pass::data_of;
use super::super::scan::Wanted;
use super::super::words::may_be_address;
use super::*;
use std::collections::BTreeSet;

/// The step: functions have this alignment.
const STEP: u64 = 16;

/// Possible addresses of the functions: linkers begin here.
const SPAN: Range<u64> = 0x40_1000..0x80_1000;

/// The number of places for the functions; at how many of them a word equals an address in a function; and at how
/// many such a word counts.
#[derive(Debug)]
struct Slid {
    places: u64,
    equal: usize,
    counts: usize,
}

fn slide(bytes: &[u8]) -> Slid {
    let program = Program::read(bytes).expect("an executable");
    let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast)
        .expect("embedded");
    let names = Names::of_symbols(&program);
    let identity = identity(&program).expect("an executable");
    let whole = super::super::whole::Whole::of(&program, identity, &names, payload);
    let whole = whole.expect("musl's");
    let code = Code::new(&program, &names);
    let found = find(&program, &names, payload, Component::ALL).expect("musl's");
    // The functions side by side, as linkers place a library: the distance of each one's first byte from the first
    // function.
    let mut size = 0;
    let bodies = found.functions.iter().map(|f| {
        let from = size;
        size += (f.extent.end - f.address).next_multiple_of(STEP);
        (f.patch_at + 1..f.extent.end, f.address - from)
    });
    let bodies: Vec<(Range<u64>, u64)> = bodies.collect();
    let real = real(&program);
    // The table through which code finds data also has addresses, and has no relocations any more.
    let table = program
        .section(b".got")
        .map(|s| s.address..s.address + s.size);
    let table = table.unwrap_or_default();
    let span = Wanted::new(vec![SPAN]);
    let most = SPAN.end - size;
    let (mut equal, mut counts) = (BTreeSet::new(), BTreeSet::new());
    for (address, data) in data_of(&whole, &code) {
        span.words(data, address, |at, word| {
            let place = address + at as u64;
            if real.contains(&place) || table.contains(&place) {
                return;
            }
            // Puts each function in turn at the word; then the other functions' addresses follow, and the meaning of
            // the word there.
            for (body, origin) in &bodies {
                for target in body.clone() {
                    let place = (word + origin).wrapping_sub(target);
                    if place.is_multiple_of(STEP) && (SPAN.start..most).contains(&place) {
                        equal.insert(place);
                        if may_be_address(&code, &[], target) {
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

/// The places of words into which the linker wrote an address.
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

/// All of musl with its tables: characters, encodings, ciphers, mathematics, errors, time.
#[test]
fn no_word_of_data_is_taken_for_an_address_inside_of_a_function() {
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
        // If every word counted, at least one place in a hundred would be refused.
        assert!(slid.equal as u64 * 100 > slid.places, "{musl}: {slid:?}");
        assert_eq!(slid.counts, 0, "{musl}: {slid:?}");
    }
}
