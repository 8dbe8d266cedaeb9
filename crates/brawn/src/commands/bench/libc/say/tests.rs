use super::*;
use brawn_lab::judge::functions::{BRAWN, Round, STOCK, Sample};
use std::collections::BTreeMap;

fn measured(base: &str) -> Measured {
    let sample = |a: f64, b: f64| {
        Sample::from([
            ("strings: strlen, 8 B".to_owned(), a),
            (
                "numbers: strtod of 1e-310, which is a subnormal".to_owned(),
                b,
            ),
        ])
    };
    let mut rounds = Vec::new();
    for _ in 0..6 {
        let mut round = Round::new();
        round.insert(STOCK.to_owned(), sample(4.0, 3000.0));
        round.insert(BRAWN.to_owned(), sample(1.0, 1200.0));
        if base == GLIBC {
            round.insert(GLIBC.to_owned(), sample(2.0, 1000.0));
        }
        rounds.push(round);
    }
    let mut measured = Measured {
        format: super::super::FORMAT.into(),
        version: 1,
        brawn: String::new(),
        date: String::new(),
        machine: BTreeMap::new(),
        load: [0.0; 2],
        compilers: BTreeMap::new(),
        base: base.to_owned(),
        verdict: String::new(),
        rows: Vec::new(),
        left_out: Vec::new(),
        findings: Vec::new(),
        rounds,
    };
    measured.judge();
    measured
}

fn plain(measured: &Measured, sort: Sort, width: usize) -> String {
    let text = text(measured, sort, Some(width));
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn the_table_is_as_it_was_looked_at() {
    let mut measured = measured(GLIBC);
    measured.left_out.push(LeftOut {
        rows: vec!["sort: insque and remque".into(), "sort: qsort".into()],
        why: "`musl-gcc -static`: undefined reference to `insque'".into(),
    });
    let expected = "\
strings                             glibc    musl   brawn
strlen, 8 B                       2.00 ns   2.00x   0.50x  0.50–0.50
geometric mean                              2.00x   0.50x

numbers                             glibc    musl   brawn
strtod of 1e-310, which is a
subnormal                         1.00 µs   3.00x   1.20x  1.20–1.20
geometric mean                              3.00x   1.20x

left out: 2 rows (insque and remque; qsort): `musl-gcc -static`:
  undefined reference to `insque'
brawn: 1 of 2 rows are more than 5 % slower than glibc's (stock musl
2), 1 more than 5 % faster; geometric mean 0.77x of glibc's time (stock
musl 2.45x)";
    assert_eq!(plain(&measured, Sort::Family, 71), expected);
}

#[test]
fn without_glibc_there_is_a_column_less() {
    let expected = "\
function                                            musl   brawn
numbers: strtod of 1e-310, which is a subnormal  3.00 µs   0.40x  0.40–0.40
strings: strlen, 8 B                             4.00 ns   0.25x  0.25–0.25
geometric mean                                             0.32x

brawn: 0 of 2 rows are more than 5 % slower than stock musl's, 2 more than 5 % faster; geometric mean
0.32x of stock musl's time";
    assert_eq!(plain(&measured(STOCK), Sort::Ratio, 102), expected);
}

#[test]
fn what_is_left_out_has_the_familys_name_if_all_of_it_is() {
    let of = |only: &str| LeftOut {
        rows: functions::all()
            .filter(|row| row.contains(only))
            .map(str::to_owned)
            .collect(),
        why: "why".into(),
    };
    assert_eq!(left_out(&of("c++: ")), "5 rows (c++): why");
    assert_eq!(
        left_out(&of("throw and catch, 3 frames")),
        "1 row (throw and catch, 3 frames): why"
    );
    let many = left_out(&of("str"));
    assert!(
        many.contains("; ") && many.ends_with(" more): why"),
        "{many}"
    );
}

#[test]
fn a_narrow_terminal_is_not_overrun() {
    for base in [GLIBC, STOCK] {
        for width in [40, 59, 60, 62, 70, 71, 80] {
            let text = plain(&measured(base), Sort::Family, width);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn only_a_ratio_that_differs_has_a_colour() {
    assert_eq!(
        [1.06, 1.04, 0.97, 0.94].map(is_good),
        [Some(false), None, None, Some(true)]
    );
    let text = text(&measured(GLIBC), Sort::Family, None);
    assert!(text.contains(&format!("{SLOWER}   1.20x")), "{text:?}");
    assert!(text.contains(&format!("{FASTER}   0.50x")), "{text:?}");
}
