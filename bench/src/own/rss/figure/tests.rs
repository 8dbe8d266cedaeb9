use super::*;
use brawn_lab::process::parent::Sample;
use std::collections::BTreeMap;

/// A load of 0.5 s of which half stays, with a peak between two looks.
fn raw(heaps: &[(&str, u64)], rounds: usize) -> Raw {
    let mut raw = Raw::new("test", std::path::Path::new("brawn"));
    for round in 0..rounds {
        let figures = heaps.iter().map(|(heap, mib)| {
            let kib = (mib * 1024 + round as u64 * 100) as f64;
            let figures = [
                ("wall_ns", 10.75e9),
                ("load_ns", 0.498e9),
                ("rest_ns", 10.2e9),
                ("hwm_kb", kib),
                ("rss_1s_kb", kib / 2.0),
                ("rss_10s_kb", kib / 2.0),
            ];
            let sample = figures.map(|(name, value)| (name.to_owned(), value));
            (name("hour", heap), Sample::from(sample))
        });
        raw.rounds.push(figures.collect::<BTreeMap<_, _>>());
    }
    for (heap, mib) in heaps {
        let kib = mib * 1024;
        let curve = vec![
            [2, 100, 90],
            [400, kib - 1024, 90],
            [600, kib / 2, 90],
            [10_650, kib / 2, 90],
        ];
        raw.curves.insert(name("hour", heap), curve);
    }
    raw
}

fn drawing(raw: &Raw) -> String {
    figure(raw, &[], &[]).expect("curves")
}

#[test]
fn each_heap_has_a_line_and_the_peak_that_the_line_misses() {
    let raw = raw(&[("glibc", 40), ("brawn", 20)], 1);
    let svg = drawing(&raw);
    assert_eq!(
        svg.matches("<path class=\"k0 d0\" d=\"M104").count(),
        1,
        "{svg}"
    );
    assert_eq!(
        svg.matches("<path class=\"k2 d2\" d=\"M104").count(),
        1,
        "{svg}"
    );
    assert!(
        svg.contains(">hour</tspan>") && !svg.contains(">waves</tspan>"),
        "{svg}"
    );
    assert!(svg.contains("glibc, brawn, a chart for each load. MiB 1 s after the end, in that order: hour 20.0, 10.0."), "{svg}");
    // glibc's peak is the highest value.
    let high = Scales::of(&[Line::of(&raw, "hour", "glibc", 0).expect("a curve")]);
    assert!(svg.contains(&format!(" {:.1}h15.0", high.y(40.0))), "{svg}");
    assert!(
        !svg.contains("median and interval"),
        "one round has no interval"
    );
}

#[test]
fn rounds_give_intervals() {
    let svg = drawing(&raw(&[("glibc", 40), ("brawn", 20)], 3));
    assert!(svg.contains("median and interval"), "{svg}");
    // At the peak, after 1 s and after 10 s.
    assert_eq!(svg.matches("<path class=\"k2\" d=\"M").count(), 3, "{svg}");
}

#[test]
fn a_heap_far_beyond_the_others_is_cut_off_and_named() {
    let svg = drawing(&raw(
        &[("glibc", 20), ("brawn", 18), ("mimalloc2", 2000)],
        1,
    ));
    assert!(svg.contains("mimalloc2: to 2,000 MiB</text>"), "{svg}");
    assert!(svg.contains(">20 MiB</text>"), "{svg}");
}

#[test]
fn what_is_not_there_is_refused() {
    let raw = raw(&[("glibc", 20), ("lean", 10)], 1);
    let heaps = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        figure(&raw, &[], &names)
    };
    assert!(heaps(&["lean"]).expect("a curve").contains(">lean</text>"));
    assert_eq!(
        heaps(&["secure"]).expect_err("no such heap"),
        "these raw data have no secure; there are glibc, lean"
    );
    let kinds = ["waves".to_owned()];
    assert!(figure(&raw, &kinds, &[]).is_err());
}

#[test]
fn scales_are_round_and_times_do_not_cross() {
    assert_eq!(
        [step(150.0, 4.0), step(2.5, 3.0), step(0.067, 3.0)],
        [50.0, 1.0, 0.05]
    );
    assert_eq!(within(vec![3.0, 0.1, 0.09]), 0.1);
    assert_eq!(within(vec![3.0, 1.0, 0.09]), 3.0);
    assert_eq!(within(vec![3.0]), 3.0);
    let scales = Scales {
        before: 0.5,
        high: 1.0,
    };
    let xs = [-0.5, -0.1, 0.0, 0.5, 1.0, 5.0, 10.0].map(|at| scales.x(at));
    assert!(xs.windows(2).all(|x| x[0] < x[1]), "{xs:?}");
}

#[test]
fn lines_are_cut_where_the_scale_of_time_changes() {
    let scales = Scales {
        before: 1.0,
        high: 10.0,
    };
    let line = path(&[(-2.0, 0.0), (2.0, 8.0)], &scales);
    let y = |mib: f64| format!("{:.1}", scales.y(mib));
    let expected = [(-1.0, 2.0), (0.0, 4.0), (1.0, 6.0), (2.0, 8.0)]
        .map(|(at, mib)| format!("{:.1} {}", scales.x(at), y(mib)));
    assert_eq!(line, format!("M{}", expected.join("L")));
}
