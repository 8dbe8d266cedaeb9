//! What is predicted from shares that are given.

use brawn_sample::{Costs, Diagnosis, Owner, predict};

#[test]
fn a_program_of_its_own_code_gains_nothing() {
    let found = predict(&Diagnosis::made_up(&[], 1000), &Costs::measured());
    assert!(found.low <= 1.0 && found.high >= 1.0, "{found:?}");
    assert!((found.ratio - 1.0).abs() < 0.01, "{found:?}");
    assert!(found.gains.is_empty());
    assert!(found.words().starts_with("little or nothing"), "{found:?}");
}

#[test]
fn a_program_of_malloc_gains_most_of_it() {
    let found = predict(
        &Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.6)], 1000),
        &Costs::measured(),
    );
    assert!(found.ratio < 0.65 && found.ratio > 0.4, "{found:?}");
    assert!(found.low < found.ratio && found.ratio < found.high);
    assert!(found.high < 1.0, "{found:?}");
    assert!(found.words().ends_with(": malloc and free"), "{found:?}");
}

#[test]
fn parts_count_for_their_function() {
    for name in [
        "printf_core",
        "fmt_fp",
        "qsort",
        "sift",
        "__qsort_r",
        "decfloat",
    ] {
        let found = predict(
            &Diagnosis::made_up(&[(Owner::Libc, name, 0.5)], 1000),
            &Costs::measured(),
        );
        assert!(found.ratio < 0.85, "{name}: {found:?}");
        assert_eq!(found.gains[0].what, name);
    }
}

#[test]
fn a_function_that_nobody_measured_stays_as_it_is() {
    let found = predict(
        &Diagnosis::made_up(&[(Owner::Libc, "getpwnam", 0.5)], 1000),
        &Costs::measured(),
    );
    assert!((found.ratio - 1.0).abs() < 0.01, "{found:?}");
    // It may be a part of one that brawn has.
    assert!(found.low < 0.95, "{found:?}");
}

/// The benchmark's row asks for the codeset, which musl tells at once.  Programs that are seen in this function ask for
/// months and days, to which musl counts byte after byte: callgrind has 24 % of `bench/acid/weblog.c` there.
#[test]
fn what_a_row_measures_in_no_time_says_nothing_of_programs() {
    for name in ["nl_langinfo", "nl_langinfo_l", "__nl_langinfo_l"] {
        let functions = [(Owner::Libc, name, 0.2)];
        let found = predict(&Diagnosis::made_up(&functions, 1000), &Costs::measured());
        assert!(found.ratio <= 1.0, "{name}: {found:?}");
    }
}

#[test]
fn few_samples_make_the_interval_wide() {
    let width = |samples| {
        let found = predict(
            &Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.3)], samples),
            &Costs::measured(),
        );
        found.high - found.low
    };
    assert!(width(20) > 1.5 * width(2000));
}

#[test]
fn without_musl_there_is_nothing_to_gain() {
    let run = Diagnosis {
        has_musl: false,
        ..Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.6)], 1000)
    };
    let found = predict(&run, &Costs::measured());
    assert!(
        (found.ratio, found.low, found.high) == (1.0, 1.0, 1.0),
        "{found:?}"
    );
    assert_eq!(found.words(), "nothing to gain: no musl in it");
    // A program with a build of musl that nobody knows has musl in it, too.
    let run = Diagnosis {
        has_unknown_musl: true,
        ..run
    };
    let found = predict(&run, &Costs::measured());
    assert_eq!((found.ratio, found.low), (1.0, 1.0));
    let words = "not predicted: brawn does not know this build of musl";
    assert_eq!(found.words(), words);
}

#[test]
fn waits_for_the_lock_are_a_gain_if_a_processor_was_free() {
    let plain = Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.5)], 1000);
    let busy = Diagnosis {
        heap_wait: 5.0,
        // More than all processors have, so that none was free.
        seconds: 1e6,
        ..plain.clone()
    };
    let idle = Diagnosis {
        heap_wait: 0.5,
        wall: 100.0,
        ..plain.clone()
    };
    let low = |d: &Diagnosis| predict(d, &Costs::measured()).low;
    assert!((low(&busy) - low(&plain)).abs() < 1e-9);
    assert!(low(&idle) < low(&plain));
}

#[test]
fn every_measured_function_has_its_range() {
    let costs = Costs::measured();
    let table = include_str!("../costs.tsv");
    let lines = table.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<&str> = lines.filter_map(|l| l.split('\t').next()).collect();
    assert!(names.len() > 150);
    for name in names {
        let cost = costs.function(name).expect(name);
        assert!(
            cost.low <= cost.typical && cost.typical <= cost.high.max(1.0) && cost.typical <= 1.0,
            "{name}: {cost:?}"
        );
        assert!(cost.low >= 0.0 && cost.high < 4.0, "{name}: {cost:?}");
    }
}

#[test]
fn memory_that_comes_again_is_kept_and_the_first_is_not() {
    let costs = Costs::measured();
    let functions = [
        (Owner::Heap, "page faults", 0.3),
        (Owner::Kernel, "page faults", 0.3),
        (Owner::Heap, "munmap", 0.1),
    ];
    let of = |again: f64| {
        let diagnosis = Diagnosis {
            again,
            ..Diagnosis::made_up(&functions, 1000)
        };
        predict(&diagnosis, &costs)
    };
    let (fresh, half, all) = (of(0.0).ratio, of(0.5).ratio, of(1.0).ratio);
    assert!(
        fresh > 0.85 && half < fresh - 0.1 && all < half - 0.1,
        "{fresh} {half} {all}"
    );
    let given = predict(
        &Diagnosis::made_up(&[(Owner::Heap, "munmap", 0.3)], 1000),
        &costs,
    );
    assert!(given.ratio < 0.75, "{given:?}");
    assert_eq!(given.gains[0].what, "malloc and free");
}

/// What a heap never gave back did not come again to it: the program's own mappings did.
#[test]
fn faults_stay_where_the_heap_gives_nothing_back() {
    let costs = Costs::measured();
    let of = |munmap: f64| {
        let functions = [
            (Owner::Kernel, "page faults", 0.5),
            (Owner::Heap, "munmap", munmap),
        ];
        let diagnosis = Diagnosis {
            again: 0.9,
            ..Diagnosis::made_up(&functions, 1000)
        };
        predict(&diagnosis, &costs)
    };
    let (none, little, much) = (of(0.0).ratio, of(0.02).ratio, of(0.2).ratio);
    assert!(none > 0.99, "{none}");
    assert!(
        little < none - 0.05 && much < little - 0.2,
        "{little} {much}"
    );
}

/// `rewrite` leaves functions that others of libc reach into; what has their samples costs the same then.
#[test]
fn what_stays_gains_nothing() {
    for (part, name) in [
        (Owner::Heap, "malloc"),
        (Owner::Memory, "memcpy"),
        (Owner::Libc, "strtod"),
    ] {
        let plain = Diagnosis::made_up(&[(part, name, 0.5)], 1000);
        let mut left = plain.clone();
        left.functions.iter_mut().for_each(|f| f.stays = true);
        let of = |diagnosis: &Diagnosis| predict(diagnosis, &Costs::measured());
        assert!(of(&plain).ratio < 0.9, "{name}");
        assert!(
            (of(&left).ratio - 1.0).abs() < 1e-9,
            "{name}: {:?}",
            of(&left)
        );
        assert!(of(&left).gains.is_empty());
    }
}

#[test]
fn the_heaps_lock_is_gone_and_with_it_what_it_costs_the_heap() {
    let costs = Costs::measured();
    let alone = predict(
        &Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.8)], 1000),
        &costs,
    );
    let functions = [(Owner::Heap, "malloc", 0.5), (Owner::Heap, "futex", 0.3)];
    let contended = predict(&Diagnosis::made_up(&functions, 1000), &costs);
    assert!(
        contended.ratio < alone.ratio - 0.05,
        "{contended:?} {alone:?}"
    );
}

/// musl's copies take long to begin: that is gone, and what memory itself takes stays.
#[test]
fn short_copies_gain_more_than_long_ones() {
    let of = |copies| {
        let diagnosis = Diagnosis {
            copies,
            ..Diagnosis::made_up(&[(Owner::Memory, "memcpy", 0.5)], 1000)
        };
        predict(&diagnosis, &Costs::measured()).ratio
    };
    let (short, long) = (of([500, 0, 0, 0]), of([0, 0, 0, 500]));
    let unknown = of([0; 4]);
    assert!(short < 0.6 && long > 0.9, "{short} {long}");
    assert!(short < unknown && unknown < long, "{unknown}");
}

/// musl's code for calls of the kernel is shared: a call that no heap makes stays, whoever seemed to have made it.
#[test]
fn calls_that_no_heap_makes_stay() {
    let of = |name| {
        let functions = [(Owner::Heap, "malloc", 0.1), (Owner::Heap, name, 0.4)];
        predict(&Diagnosis::made_up(&functions, 1000), &Costs::measured()).ratio
    };
    assert!(
        of("read") > 0.9 && of("mmap") < 0.6,
        "{} {}",
        of("read"),
        of("mmap")
    );
}

/// brawn's heap gives large blocks back at once, as musl's does.
#[test]
fn large_blocks_come_again_with_brawn_too() {
    let of = |large| {
        let functions = [
            (Owner::Heap, "munmap", 0.1),
            (Owner::Kernel, "page faults and interrupts", 0.4),
        ];
        let diagnosis = Diagnosis {
            again: 0.9,
            large,
            ..Diagnosis::made_up(&functions, 1000)
        };
        predict(&diagnosis, &Costs::measured()).ratio
    };
    assert!(of(0.0) < 0.7 && of(1.0) > 0.99, "{} {}", of(0.0), of(1.0));
    assert!(of(0.5) > of(0.0) && of(0.5) < of(1.0), "{}", of(0.5));
}

/// A sort that compares half as often saves half of what comparisons take, in the program's own functions, too; where
/// `rewrite` leaves qsort, nothing.
#[test]
fn fewer_comparisons_are_a_gain_of_the_program() {
    let of = |stays| {
        let mut diagnosis = Diagnosis {
            comparing: vec![(Owner::Program, "by_name".to_owned(), 0.6)],
            ..Diagnosis::made_up(&[(Owner::Libc, "sift", 0.01)], 1000)
        };
        diagnosis.functions[0].stays = stays;
        predict(&diagnosis, &Costs::measured())
    };
    assert!(of(false).ratio < 0.75, "{:?}", of(false));
    assert!(of(false).words().contains("qsort"), "{:?}", of(false));
    assert!(of(true).ratio > 0.99, "{:?}", of(true));
}

/// The row of `regcomp` is faster because of malloc; the function stays musl's.
#[test]
fn what_brawn_has_not_stays_and_is_named_first() {
    let functions = [
        (Owner::Libc, "regcomp", 0.46),
        (Owner::Heap, "malloc", 0.25),
    ];
    let found = predict(&Diagnosis::made_up(&functions, 5000), &Costs::measured());
    assert!(found.gains.iter().all(|g| g.what == "malloc and free"));
    let words = found.words();
    let end = ": 46 % of the time stays, in regcomp; malloc and free";
    assert!(words.ends_with(end), "{words}");
    // What has less of the time than what gains is no news.
    let functions = [
        (Owner::Libc, "regcomp", 0.16),
        (Owner::Heap, "malloc", 0.6),
        (Owner::Libc, "strtol", 0.2),
    ];
    let found = predict(&Diagnosis::made_up(&functions, 5000), &Costs::measured());
    assert_eq!(found.reason().as_deref(), Some("malloc and free"));
}

/// The family with the largest gain is the reason: page faults and waits for the lock count for the heap.
#[test]
fn the_lock_is_the_reason_only_if_waits_are_much_of_the_run() {
    let of = |heap_wait| Diagnosis {
        heap_wait,
        wall: 100.0,
        ..Diagnosis::made_up(&[(Owner::Heap, "malloc", 0.6)], 5000)
    };
    let reason = |heap_wait| predict(&of(heap_wait), &Costs::measured()).reason();
    assert_eq!(reason(0.04).as_deref(), Some("malloc and free"));
    assert_eq!(reason(0.1).as_deref(), Some("malloc and free"));
    assert_eq!(reason(9.0).as_deref(), Some("the heap's lock"));
    assert!(!of(0.04).words().contains("lock"), "{}", of(0.04).words());
    assert!(of(0.5).words().contains("0.5 s for the heap's lock"));
}

/// What the kernel does because the heap gives memory back is the heap's: its calls, and the page faults when that memory
/// comes again.
#[test]
fn the_kernels_part_below_the_heap_is_said_with_it() {
    let functions = [
        (Owner::Heap, "malloc", 0.10),
        (Owner::Heap, "munmap", 0.08),
        (Owner::Kernel, "page faults and interrupts", 0.2),
        (Owner::Kernel, "read", 0.05),
    ];
    let diagnosis = Diagnosis {
        again: 0.6,
        ..Diagnosis::made_up(&functions, 5000)
    };
    let words = diagnosis.words();
    assert!(
        words.contains("30 % in malloc and free, 20 % of it in the kernel"),
        "{words}"
    );
    assert!(words.contains("13 % in the kernel"), "{words}");
    let first = Diagnosis {
        again: 0.0,
        ..diagnosis
    };
    let words = first.words();
    assert!(words.contains("18 % in malloc and free"), "{words}");
}

/// No interval is better than one of no use.
#[test]
fn few_samples_give_no_interval() {
    let of = |samples| {
        let functions = [(Owner::Heap, "malloc", 0.5)];
        predict(&Diagnosis::made_up(&functions, samples), &Costs::measured())
    };
    let words = of(40).words();
    assert!(
        words.starts_with("too short a run to tell (40 samples)"),
        "{words}"
    );
    let clear = of(2000);
    assert_eq!(clear.unclear, None, "{clear:?}");
    assert!(clear.high / clear.low <= 1.6, "{clear:?}");
}

/// Whatever is said as an interval is narrow; else it is said what is sure.
#[test]
fn intervals_that_are_said_are_narrow() {
    for share in [0.1, 0.3, 0.5, 0.7, 0.9, 0.97] {
        for part in [Owner::Heap, Owner::Memory, Owner::Kernel] {
            for name in ["malloc", "memcpy", "strlen", "futex"] {
                let diagnosis = Diagnosis::made_up(&[(part, name, share)], 2000);
                let found = predict(&diagnosis, &Costs::measured());
                let words = found.words();
                let is_interval = words.contains('(') && !words.contains("at least");
                let is_narrow = found.high / found.low <= 1.6;
                assert!(
                    !is_interval || is_narrow || words.starts_with("too short"),
                    "{words}: {found:?}"
                );
                assert_eq!(found.unclear.is_some(), !is_narrow, "{found:?}");
            }
        }
    }
}
