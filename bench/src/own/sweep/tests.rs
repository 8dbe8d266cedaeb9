use super::pattern::{Call, Order, Pattern, Shape, Touch};
use super::patterns::neighbours;
use super::results::{cliffs, lines};
use super::*;
use crate::stats::geometric_mean;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn there_are_enough_patterns_and_each_has_a_name_of_its_own() {
    let all = patterns();
    let names: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
    assert!(all.len() >= 600, "{}", all.len());
    assert_eq!(names.len(), all.len());
    let known = [
        "16",
        "64M",
        "500K,100K,2M",
        "500K,100K,2M tenth",
        "grow 64K..2M +64K",
        "grow 16..64M +50%",
        "4K..100K x300 random calloc",
        "16~1M x300 random calloc 2t tenth",
        "64 x10000 newest",
        "1M,8M,2M,16M,4M,32M 8t",
    ];
    let missing: Vec<&str> = known
        .into_iter()
        .filter(|name| !names.contains(*name))
        .collect();
    // Eight threads with 32 MiB each would have too much alive.
    assert_eq!(missing, ["1M,8M,2M,16M,4M,32M 8t"]);
    for pattern in &all {
        let name = pattern.to_string();
        assert!(pattern.count() > 0, "{name}");
        assert!(!name.contains(['/', '"']), "{name}");
    }
}

#[test]
fn every_value_of_every_dimension_occurs() {
    let all = patterns();
    let some = |is_it: &dyn Fn(&Pattern) -> bool| all.iter().any(is_it);
    for count in [1, 2, 3, 6] {
        let is_it = |p: &Pattern| matches!(&p.shape, Shape::Turn(sizes) if sizes.len() == count);
        assert!(some(&is_it), "{count} sizes in turn");
    }
    for size in [16, 64 << 20] {
        assert!(some(&|p| p.shape == Shape::Turn(vec![size])), "{size}");
    }
    for live in [0, 10, 100, 300, 1000, 10_000] {
        assert!(some(&|p| p.live == live), "{live} live");
    }
    for order in [Order::Oldest, Order::Random, Order::Batch, Order::Newest] {
        assert!(some(&|p| p.order == order), "{order:?}");
    }
    for threads in [1, 2, 8] {
        for live in [0, 100] {
            let is_it = |p: &Pattern| p.threads == threads && p.live == live;
            assert!(some(&is_it), "{threads} threads, {live} live");
        }
    }
    for touch in [Touch::Whole, Touch::Tenth, Touch::Page] {
        for call in [Call::Malloc, Call::Calloc] {
            assert!(
                some(&|p| p.touch == touch && p.call == call),
                "{touch:?} {call:?}"
            );
        }
    }
    assert!(some(&|p| matches!(p.shape, Shape::Even(..))));
    assert!(some(&|p| matches!(p.shape, Shape::Octaves(..))));
    assert!(some(&|p| matches!(p.shape, Shape::Add(..))));
    assert!(some(&|p| matches!(p.shape, Shape::Multiply(..))));
}

#[test]
fn arguments_say_what_the_name_says() {
    let all = patterns();
    let of = |name: &str| {
        let pattern = all.iter().find(|p| p.to_string() == name);
        pattern.expect("in the list").arguments()[..6].join(" ")
    };
    assert_eq!(
        of("500K,100K,2M"),
        "512000,102400,2097152 0 oldest malloc 1 whole"
    );
    assert_eq!(
        of("4K..100K x300 random calloc"),
        "4096-102400 300 random calloc 1 whole"
    );
    assert_eq!(
        of("grow 64K..2M +64K 2t"),
        "65536-2097152+65536 0 oldest malloc 2 whole"
    );
    assert_eq!(
        of("grow 16..64K +50% page"),
        "16-65536*50 0 oldest malloc 1 page"
    );
}

#[test]
fn a_part_is_what_has_the_words() {
    let choice = |only: &[&str]| Choice {
        only: only.iter().map(ToString::to_string).collect(),
        ..Choice::default()
    };
    let names = |only: &[&str]| {
        let patterns = asked(&choice(only)).expect("some");
        patterns.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let threes = names(&["500K,100K,2M"]);
    assert!(threes.contains(&"500K,100K,2M 8t".to_owned()), "{threes:?}");
    assert!(
        threes.iter().all(|name| name.starts_with("500K,100K,2M")),
        "{threes:?}"
    );
    let both = names(&["calloc 2t", "grow"]);
    assert!(
        both.iter()
            .all(|name| name.starts_with("grow ") || name.contains("calloc 2t")),
        "{both:?}"
    );
    assert!(asked(&choice(&["nothing"])).is_err());
}

#[test]
fn neighbours_differ_in_one_dimension_by_one_step() {
    let all = patterns();
    let pairs = neighbours(&all);
    let place = |name: &str| {
        all.iter()
            .position(|p| p.to_string() == name)
            .expect("in the list")
    };
    let are = |a: &str, b: &str| {
        let (a, b) = (place(a), place(b));
        pairs.contains(&[a.min(b), a.max(b)]) || pairs.contains(&[a.max(b), a.min(b)])
    };
    assert!(are("500K", "640K"), "one size");
    assert!(!are("500K", "768K"), "two steps");
    assert!(are("1M", "1M 2t"), "threads");
    assert!(
        are("1M", "1M tenth") && are("1M tenth", "1M page"),
        "touched"
    );
    assert!(are("1M", "1M calloc"), "calls");
    assert!(are("64 x10 oldest", "64 x100 oldest"), "live");
    assert!(are("64 x10 oldest", "64 x10 random"), "order");
    assert!(!are("1M 2t", "1M page"), "two dimensions");
}

/// Raw data of one round: microseconds by pattern and heap.
fn raw(heaps: &[&str], patterns: &[(&str, &[u64])]) -> Raw {
    let mut raw = Raw::new("test", Path::new("brawn"));
    raw.sweep.heaps = heaps.iter().map(ToString::to_string).collect();
    for (name, us) in patterns {
        let us: Vec<Option<u64>> = us.iter().map(|us| Some(*us)).collect();
        let kib = us.iter().map(|us| us.map(|us| us * 10)).collect();
        raw.sweep.us.insert((*name).to_owned(), us);
        raw.sweep.kib.insert((*name).to_owned(), kib);
    }
    raw
}

#[test]
fn ratios_are_of_one_round_and_lists_have_the_first_heaps_rounds_first() {
    // Rounds of glibc, then of brawn.
    let mut raw = raw(&[GLIBC, BRAWN], &[("1M", &[100, 200, 400, 50, 300, 400])]);
    let line = &lines(&raw)[0];
    assert_eq!(line.time(BRAWN), 1.0);
    assert_eq!(line.of[BRAWN].us, 300.0);
    assert!(line.time("lean").is_nan());
    // A run that failed leaves a gap.
    raw.sweep
        .us
        .entry("1M".to_owned())
        .and_modify(|list| list[4] = None);
    assert_eq!(lines(&raw)[0].time(BRAWN), 0.75);
    let text = serde_json::to_string(&raw).expect("plain values");
    let back: Raw = serde_json::from_str(&text).expect("the same layout");
    assert_eq!(back.sweep.us["1M"], raw.sweep.us["1M"]);
    assert!(text.contains("null"));
}

#[test]
fn tables_count_what_is_above_the_bars() {
    let raw = raw(
        &[GLIBC, BRAWN, "secure"],
        &[
            ("500K", &[100, 50, 100]),
            ("640K", &[100, 400, 140]),
            ("64", &[100, 100, 160]),
        ],
    );
    let text = table::summary(&raw, &lines(&raw))
        .markdown()
        .replace('\u{a0}', " ");
    // brawn's peak is 4000 KiB in one pattern, where glibc's is 1000.
    assert!(
        text.contains("| brawn | 1.26x | 4.00x | 1 | 1 | 1 | 1 | 1 |"),
        "{text}"
    );
    assert!(
        text.contains("| secure | 1.31x | 1.60x | 2 | 1 | 0 | 0 |"),
        "{text}"
    );
    let worst = table::slowest(&[GLIBC, BRAWN, "secure"], &lines(&raw), 1).markdown();
    let worst = worst.replace('\u{a0}', " ");
    assert!(
        worst.ends_with("| 640K | 100 µs | 4.00x | 1.40x |\n"),
        "{worst}"
    );
    let missed = words::missed(&lines(&raw));
    assert!(
        missed.contains(
            "`fast` takes more than 1.1 times glibc's processor time in 1 (at worst 4.00x)"
        ),
        "{missed}"
    );
    assert!(
        missed.contains("`secure` takes more than 1.5 times glibc's processor time in 1 ("),
        "{missed}"
    );
    assert!(words::missed(&[]).is_empty());
}

#[test]
fn a_cliff_is_far_above_a_neighbour_and_above_glibc() {
    let raw = raw(
        &[GLIBC, BRAWN],
        &[
            ("500K", &[100, 10]),
            ("640K", &[100, 90]),
            ("768K", &[100, 400]),
        ],
    );
    let lines = lines(&raw);
    let cliffs = cliffs(&lines, BRAWN);
    let names: Vec<[&str; 2]> = cliffs
        .iter()
        .map(|pair| pair.map(|line| line.name.as_str()))
        .collect();
    assert_eq!(names, [["768K", "640K"]], "640K takes less than glibc");
    assert!((geometric_mean([2.0, 0.5, f64::NAN].into_iter()) - 1.0).abs() < 1e-9);
}

#[test]
fn the_figure_has_a_curve_for_each_heap_and_a_dot_for_each_pattern() {
    let raw = raw(
        &[GLIBC, "stock", BRAWN],
        &[
            ("500K", &[100, 900, 50]),
            ("640K", &[100, 20_000, 90]),
            ("grow 64K..2M +64K", &[100, 100, 100]),
        ],
    );
    let svg = figure::figure(&raw).expect("patterns");
    assert_eq!(
        svg.matches("<path class=\"k").count(),
        4,
        "two in the legend: {svg}"
    );
    assert_eq!(svg.matches("h0").count(), 3, "{svg}");
    assert!(
        svg.contains(">growing</text>") && svg.contains(">100x</text>"),
        "{svg}"
    );
    assert!(svg.contains("stock musl 12.2x, 200x"), "{svg}");
    assert!(svg.contains(">0.5x</text>"), "{svg}");
    let nothing = Raw::new("test", Path::new("brawn"));
    assert!(figure::figure(&nothing).is_err());
}
