use super::*;

#[test]
fn a_table_says_who_finishes_and_how_much_each_needs() {
    let sample = |finished: f64, mib: f64| {
        let pairs = [
            ("tries", 3.0),
            ("finished", finished),
            ("smallest_bytes", mib * MIB),
        ];
        pairs
            .map(|(n, v)| (n.to_owned(), v))
            .into_iter()
            .collect::<Sample>()
    };
    let mut raw = Raw::new("test", Path::new("brawn"));
    raw.facts.insert("hour alive".to_owned(), 18.0 * MIB);
    raw.facts.insert("hour besides".to_owned(), 2.0 * MIB);
    raw.rounds = vec![BTreeMap::from([
        (name("hour", GLIBC), sample(3.0, 22.0)),
        (name("hour", "brawn"), sample(2.0, 33.0)),
        (name("hour", "lean"), sample(0.0, 11.0)),
    ])];
    // A number and its unit stay together.
    let text = show(&raw).markdown().replace('\u{a0}', " ");
    let rows = [
        "| load |  | glibc | brawn | lean |",
        "| hour | finishes with 22.0 MiB | yes | 2 of 3 | no |",
        "|  | smallest limit | 22.0 MiB | 1.50x | 0.50x |",
    ];
    for row in rows {
        assert!(text.contains(row), "{text}");
    }
}

#[test]
fn every_load_has_a_program_and_shorter_arguments_for_a_try() {
    for load in LOADS {
        let (long, short) = (program(load, false), program(load, true));
        assert!(ENTRIES.iter().any(|e| e.workload == long.0), "{load}");
        assert_eq!(long.0, short.0);
        assert_ne!(long.1, short.1);
    }
}
