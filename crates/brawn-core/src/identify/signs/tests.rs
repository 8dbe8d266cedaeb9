use super::*;

#[test]
fn one_pass_finds_what_each_search_finds() {
    let search = search();
    assert!(cfg!(not(target_arch = "x86_64")) || search.packed.is_some());
    // Every needle at every distance from the one before, between parts of its own first bytes.
    let mut bytes = Vec::new();
    for (number, needle) in search.whole.iter().enumerate() {
        bytes.extend_from_slice(&needle[..needle.len() / 2]);
        bytes.resize(bytes.len() + number, 0);
        bytes.extend_from_slice(needle);
    }
    let mut hits = Vec::new();
    search.run(&bytes, |number, at| hits.push((number, at)));
    for (number, needle) in search.whole.iter().enumerate() {
        let expected: Vec<usize> = memmem::find_iter(&bytes, needle).collect();
        let found = hits.iter().filter(|(n, _)| *n == number).map(|(_, at)| *at);
        assert_eq!(found.collect::<Vec<_>>(), expected, "needle {number}");
    }
}

#[test]
fn no_needle_is_searched_for_by_the_beginning_of_another() {
    // If two needles matched at one place, only the first would be found.
    let search = search();
    let parts: Vec<&[u8]> = search
        .whole
        .iter()
        .zip(&search.from)
        .map(|(bytes, from)| &bytes[*from..])
        .collect();
    for (n, one) in parts.iter().enumerate() {
        assert!(one.len() >= 8);
        for (m, other) in parts.iter().enumerate() {
            assert!(n == m || !other.starts_with(one), "{n} and {m}");
        }
    }
}
