use super::*;

const MIB: u64 = 1 << 20;

fn found(low: u64, high: u64, needed: u64) -> (u64, u32) {
    let mut runs = 0;
    let finishes = |limit| {
        runs += 1;
        Ok(limit >= needed)
    };
    let found = smallest(low, high, finishes).expect("found");
    (found, runs)
}

#[test]
fn a_limit_is_found_to_a_hundredth() {
    for needed in [11 * MIB, 37 * MIB + 12345, 100 * MIB, 399 * MIB] {
        let (found, runs) = found(10 * MIB, 100 * MIB, needed);
        let most = needed + (needed / 99).max(FINEST) + PAGE;
        assert!((needed..=most).contains(&found), "{needed}: {found}");
        assert!(runs < 25, "{needed}: {runs}");
    }
}

#[test]
fn little_memory_is_told_apart_by_portions() {
    let (found, _) = found(0, MIB, 300_000);
    assert!(
        (300_000..=300_000 + FINEST + PAGE).contains(&found),
        "{found}"
    );
}

#[test]
fn a_program_that_never_finishes_is_an_error() {
    let error = smallest(MIB, 2 * MIB, |_| Ok(false)).expect_err("never");
    assert!(error.contains("does not even finish"), "{error}");
    assert_eq!(
        smallest(0, MIB, |_| Err("broken".to_owned())),
        Err("broken".to_owned())
    );
}
