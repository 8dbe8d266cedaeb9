use super::*;
use std::collections::BTreeSet;

fn three() -> Vec<Round> {
    let round = |stock: f64, brawn: f64, glibc: f64| -> Round {
        let sides = [(STOCK, stock), (BRAWN, brawn), (GLIBC, glibc)];
        let sample = |ns| Sample::from([("strings: strlen".to_owned(), ns)]);
        let sides = sides.map(|(side, ns)| (side.to_owned(), sample(ns)));
        sides.into()
    };
    vec![
        round(30.0, 12.0, 10.0),
        round(60.0, 16.0, 20.0),
        round(30.0, 11.0, 10.0),
    ]
}

#[test]
fn ratios_are_of_pairs_within_a_round() {
    let lines = lines(&three(), GLIBC);
    assert_eq!(lines.len(), 1);
    assert!((lines[0].brawn.median - 1.1).abs() < 1e-9, "{:?}", lines[0]);
    assert!((lines[0].stock - 3.0).abs() < 1e-9);
    assert!((lines[0].base - 10.0).abs() < 1e-9);
    assert_eq!((behind(&lines, stock), behind(&lines, brawn)), (1, 1));
}

#[test]
fn without_glibc_stock_musl_is_the_base() {
    let lines = lines(&three(), STOCK);
    assert!((lines[0].stock - 1.0).abs() < 1e-9);
    assert!((lines[0].brawn.median - 11.0 / 30.0).abs() < 1e-9);
    assert!(is_ahead(brawn(&lines[0])) && !is_ahead(1.0) && !is_behind(1.0));
}

#[test]
fn what_a_program_prints_is_read_and_nothing_else() {
    let text = "row math 2.5000 sin(v)\nwarning: row\nrow math nan cos(v)\nrow strings 1.0 strlen, 8 B\nrow";
    let said: Sample = printed(text).collect();
    let names: Vec<&String> = said.keys().collect();
    assert_eq!(names, ["math: sin(v)", "strings: strlen, 8 B"]);
    assert_eq!(said["math: sin(v)"], 2.5);
}

#[test]
fn every_row_is_listed_once_below_a_known_family() {
    let rows: Vec<&str> = all().collect();
    assert!(rows.len() > 300, "{}", rows.len());
    let once: BTreeSet<&str> = rows.iter().copied().collect();
    assert_eq!(once.len(), rows.len());
    let mut families: Vec<&str> = rows.iter().map(|row| parts(row).0).collect();
    families.dedup();
    assert_eq!(families, FAMILIES);
    assert!(once.contains(LIFE));
}

#[test]
fn families_stand_in_their_order_and_unknown_ones_last() {
    let line = |name: &str| Line {
        name: name.to_owned(),
        base: 1.0,
        stock: 1.0,
        brawn: estimate(&[1.0]).expect("one sample"),
    };
    let lines = ["math: sin", "none", "strings: a", "odd: b", "math: cos"].map(line);
    let found: Vec<(&str, usize)> = families(&lines)
        .into_iter()
        .map(|(f, l)| (f, l.len()))
        .collect();
    assert_eq!(found, [("strings", 1), ("math", 2), ("", 1), ("odd", 1)]);
}
