use super::*;

/// One second of processor time, with these functions' shares.
fn run(functions: &[(Owner, &str, f64)]) -> Diagnosis {
    Diagnosis::made_up(functions, 1000)
}

#[test]
fn what_stays_is_named_by_what_has_most_of_the_time() {
    let of = |functions: &[(Owner, &str, f64)]| same(&run(functions));
    let found = of(&[(Owner::Kernel, "read", 0.8), (Owner::Kernel, "write", 0.13)]);
    let words = "93 % of the time is in the kernel, in read";
    assert_eq!(found.as_deref(), Some(words));
    let found = of(&[
        (Owner::Kernel, "read", 0.3),
        (Owner::Kernel, "write", 0.3),
        (Owner::Kernel, "", 0.3),
    ]);
    assert_eq!(found.as_deref(), Some("90 % of the time is in the kernel"));
    let found = of(&[(Owner::Program, "work", 0.7), (Owner::Other, "sort", 0.3)]);
    assert_eq!(
        found.as_deref(),
        Some("70 % of the time is in the program itself")
    );
    let found = of(&[(Owner::Other, "sort", 0.6)]);
    let words = "60 % of the time is in other programs and libraries";
    assert_eq!(found.as_deref(), Some(words));
    assert_eq!(of(&[(Owner::Heap, "malloc", 0.9)]), None);
    assert_eq!(
        of(&[(Owner::Other, "sort", 0.4), (Owner::Heap, "malloc", 0.3)]),
        None
    );
    let few = Diagnosis {
        samples: 49,
        ..run(&[(Owner::Program, "work", 0.9)])
    };
    assert_eq!(same(&few), None);
}

#[test]
fn what_is_slower_is_named_by_what_grew_most() {
    let sampled = |candidate, functions: &[(Owner, &str, f64)]| Sampled {
        candidate,
        runs: 1,
        words: String::new(),
        diagnosis: run(functions),
    };
    let before = sampled(
        0,
        &[(Owner::Program, "work", 0.8), (Owner::Libc, "strcoll", 0.1)],
    );
    let own = Some("see strcoll".to_owned());
    let after = sampled(
        1,
        &[
            (Owner::Program, "work", 0.8),
            (Owner::Libc, "brawn_strcoll", 0.2),
        ],
    );
    assert_eq!(slower(&before, &after), own);
    let after = sampled(
        1,
        &[(Owner::Program, "work", 0.8), (Owner::Kernel, "futex", 0.2)],
    );
    assert_eq!(
        slower(&before, &after).as_deref(),
        Some("see kernel: futex")
    );
    assert_eq!(slower(&before, &before), None);
}
