use super::super::word::{direct, page};
use super::*;

#[test]
fn whatever_refers_is_among_them() {
    const NOP: u32 = 0xd503_201f;
    let wanted = Wanted::new(vec![
        0x40_1000..0x40_1010,
        0x900_0000..0x900_0004,
        0x1_2000_0000..0x1_2000_0001,
    ]);
    let pages = 0x40_1000..0x1_2000_0001;
    let near = Near::new(&wanted, pages.clone());
    // Every class of instruction, with every bit of its distance.
    let classes = [
        0x1400_0000,
        0x9400_0000,
        0x9000_0000,
        0x5400_0000,
        0xb400_0000,
        0x3600_0000,
        0x1000_0000,
        0x5800_0000,
    ];
    let mut told = 0;
    for address in [0x10_0000, 0x3f_f000, 0x800_0000, 0x1_1fff_0000_u64] {
        for (class, distance) in classes.iter().flat_map(|c| (0..8192).map(move |d| (*c, d))) {
            let place = 4 * (distance as usize % 40);
            let word = class | (distance << 13 | distance << 5) & 0xff_ffe0;
            let at = address + place as u64;
            let is_direct = direct(word, at).is_some_and(|r| wanted.contains(r.target));
            if !is_direct && !page(word, at).is_some_and(|page| pages.contains(&page)) {
                continue;
            }
            let mut code: Vec<u8> = std::iter::repeat_n(NOP.to_le_bytes(), 40)
                .flatten()
                .collect();
            code[place..place + 4].copy_from_slice(&word.to_le_bytes());
            let mut is_found = false;
            near.each(&code, address, |n, found| {
                is_found |= (n, found) == (place / 4, word);
            });
            assert!(is_found, "{word:#x}");
            told += 1;
        }
    }
    assert!(told > 100, "{told}");
}
