use super::*;

/// Code in which the place of every interesting operand is known.
fn code() -> (Vec<u8>, Vec<usize>) {
    let mut code = vec![0x11; 1000];
    let places = vec![0, 60, 64, 130, 197, 501, 996];
    for (n, at) in places.iter().enumerate() {
        let target = [0x5000u64, 0x5009, 0x9_0000][n % 3];
        let distance = target as i64 - (0x1000 + *at as i64 + 4);
        code[*at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
    }
    (code, places)
}

#[test]
fn distances_are_found_at_every_place_and_no_others() {
    let (code, places) = code();
    let wanted = Wanted::new(vec![0x5000..0x500a, 0x9_0000..0x9_0001, 0x7000..0x7000]);
    let mut found = Vec::new();
    wanted.relative(&code, 0x1000, |at| found.push(at));
    assert_eq!(found, places);
}

#[test]
fn many_ranges_are_all_looked_for() {
    let ranges: Vec<_> = (1..100u64)
        .map(|n| 0x1_0000 * n + 0x1100..0x1_0000 * n + 0x1103)
        .collect();
    let wanted = Wanted::new(ranges);
    let mut code = vec![0; 400];
    code[100..104].copy_from_slice(&0x50_1102u32.to_le_bytes());
    code[200..204].copy_from_slice(&0x50_1103u32.to_le_bytes());
    let mut found = Vec::new();
    wanted.absolute(&code, |at| found.push(at));
    assert_eq!(found, [100]);
    let mut words = Vec::new();
    let mut data = vec![0; 64];
    data[4..12].copy_from_slice(&0x63_1101u64.to_le_bytes());
    data[36..44].copy_from_slice(&0x64_1101u64.to_le_bytes());
    wanted.words(&data, 0x1004, |at, word| words.push((at, word)));
    assert_eq!(words, [(4, 0x63_1101)]);
}
