use super::*;

#[test]
fn what_a_linker_does_not_know_is_left_out() {
    let said = "in `all': undefined reference to `qsort_r'\nld: undefined symbol: fma\n";
    assert_eq!(
        known(&["qsort", "qsort_r", "fma", "fmaf"], said),
        ["qsort", "fmaf"]
    );
    let text = source(&["floor"]);
    assert!(
        text.contains("extern char n0[] __asm__(\"floor\");"),
        "{text}"
    );
}

#[test]
fn every_function_is_named_once() {
    for payload in payloads() {
        let names = names(payload.architecture);
        let once: HashSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len());
        assert!(once.contains(&"malloc") && once.contains(&"memcpy"));
        let has_libc = !payload.libc.functions.is_empty();
        assert_eq!(once.contains(&"strcasecmp"), has_libc);
    }
}
