use super::*;

fn at(ms: u64, mib: u64) -> Moment {
    let rss = mib << 20;
    Moment {
        at_us: ms * 1000,
        rss,
        pss: rss / 2,
    }
}

#[test]
fn a_mean_weighs_looks_by_their_time_and_leaves_the_rest_out() {
    let moments = [at(0, 10), at(100, 40), at(400, 40), at(500, 4), at(1390, 2)];
    let of = |rest| BTreeMap::from(reduced(&moments, 400_000.0, rest));
    let figures = of(1_100_000.0);
    assert_eq!(figures["mean_rss_kb"], 32.5 * 1024.0);
    assert_eq!(figures["mean_pss_kb"], 32.5 * 512.0);
    assert_eq!(figures["rss_1s_kb"], 2048.0);
    assert!(figures["rss_10s_kb"].is_nan(), "nobody looked");
    assert!(of(900_000.0)["rss_1s_kb"].is_nan(), "it had ended");
}

#[test]
fn looks_that_were_dropped_because_they_repeat_still_count() {
    // 400 ms of load; nothing has changed from 300 ms on.
    let moments = [at(0, 10), at(300, 40)];
    let figures = BTreeMap::from(reduced(&moments, 400_000.0, 1_100_000.0));
    assert!(figures["rss_1s_kb"].is_nan(), "nobody looked");
    let moments = [at(0, 10), at(300, 40), at(1450, 2)];
    let figures = BTreeMap::from(reduced(&moments, 400_000.0, 1_100_000.0));
    assert!(figures["rss_1s_kb"].is_nan(), "nobody looked in time");
    let moments = [at(0, 10), at(300, 40), at(1490, 40)];
    let figures = BTreeMap::from(reduced(&moments, 400_000.0, 1_100_000.0));
    assert_eq!(figures["rss_1s_kb"], 40.0 * 1024.0);
}

#[test]
fn a_curve_keeps_peaks_and_the_work_before_a_long_rest() {
    let work = (0..400).map(|n| at(n * 2, if n == 123 { 900 } else { 10 + n % 7 }));
    let rest = (400..5400).map(|n| at(n * 2, 3));
    let curve = curve(&work.chain(rest).collect::<Vec<_>>());
    assert!(curve.len() <= POINTS, "{}", curve.len());
    assert!(curve.iter().filter(|p| p[0] < 800).count() > POINTS / 2);
    assert!(curve.contains(&[246, 900 << 10, 450 << 10]), "the peak");
    assert_eq!((curve[0][0], curve[curve.len() - 1][0]), (0, 10_798));
    assert!(curve.is_sorted(), "by time");
    assert_eq!(
        super::curve(&[at(0, 1), at(2, 1), at(4, 1), at(6, 1)]).len(),
        2
    );
    assert!(super::curve(&[]).is_empty());
}

#[test]
fn ratios_are_of_one_round_and_have_an_interval() {
    let round = |glibc: f64, brawn: f64| {
        let sample = |kb| Sample::from([("hwm_kb".to_owned(), kb), ("cpu_ns".to_owned(), 1e6)]);
        BTreeMap::from([
            (name("hour", GLIBC), sample(glibc)),
            (name("hour", "lean"), sample(brawn)),
            (name("hour", BRAWN), sample(brawn)),
            (name("hour", "mimalloc3"), sample(brawn)),
        ])
    };
    let mut raw = Raw::new("test", std::path::Path::new("brawn"));
    raw.rounds = vec![
        round(1024.0, 512.0),
        round(2048.0, 1024.0),
        round(1024.0, 1024.0),
    ];
    let text = short(&raw).markdown().replace('\u{a0}', " ");
    // brawn has its interval, the others have not; mimalloc3 has no column in the guide.
    assert!(
        text.contains("| hour | peak | 1.0 MiB | 0.50x<br>(0.50 … 1.00x) | 0.50x |\n"),
        "{text}"
    );
    let whole = show(&raw).markdown().replace('\u{a0}', " ");
    assert_eq!(
        whole.matches("0.50x<br>(0.50 … 1.00x)").count(),
        3,
        "{whole}"
    );
    assert!(whole.contains("mimalloc3"), "{whole}");
}

#[test]
fn a_table_has_a_row_for_each_figure_and_says_what_is_missing() {
    let sample = |kb: f64| {
        let names = [
            "hwm_kb",
            "mean_rss_kb",
            "rss_1s_kb",
            "alive_kb",
            "held_kb",
            "cpu_ns",
        ];
        let values = [kb, kb / 2.0, kb / 4.0, 0.0, kb / 16.0, 1e6];
        let pairs = names.into_iter().zip(values);
        pairs.map(|(n, v)| (n.to_owned(), v)).collect::<Sample>()
    };
    let mut raw = Raw::new("test", std::path::Path::new("brawn"));
    raw.rounds = vec![BTreeMap::from([
        (name("hour", GLIBC), sample(4096.0)),
        (name("hour", BRAWN), sample(2048.0)),
    ])];
    // A number and its unit stay together.
    let text = show(&raw).markdown().replace('\u{a0}', " ");
    assert!(text.contains("| hour | peak | 4.0 MiB | 0.50x |"), "{text}");
    assert!(text.contains("given back in 1 s | 75 % | 75 % |"), "{text}");
    assert!(
        text.contains("of pages without a block | 80 % | 80 % |"),
        "{text}"
    );
    assert!(text.contains("10 s after | – | – |"), "{text}");
}
