use super::*;
use crate::stats::estimate;
use std::collections::BTreeSet;

fn line(name: &str, stock: f64, brawn: f64) -> Line {
    Line {
        name: name.to_owned(),
        base: 10.0,
        stock,
        brawn: estimate(&[brawn]).expect("one sample"),
    }
}

/// A row that becomes slower than stock musl's must not go unseen, nor a reason stay that is none any more.
#[test]
fn no_row_is_slower_than_stock_musl_but_those_with_a_reason() {
    let (path, raw) = Raw::newest("libc").expect("readable raw data");
    let measured: BTreeSet<String> = slower_than_stock(&raw)
        .into_iter()
        .map(|line| line.name)
        .collect();
    let named: BTreeSet<String> = reasons().map(|(name, _)| name.into()).collect();
    let unnamed: Vec<_> = measured.difference(&named).collect();
    assert!(unnamed.is_empty(), "{path}: slower than stock: {unnamed:?}");
    let mended: Vec<_> = named.difference(&measured).collect();
    assert!(mended.is_empty(), "{path}: not slower: {mended:?}");
}

#[test]
fn every_row_is_a_dot_in_both_lanes() {
    let lines = [
        line("math: sin", 2.0, 0.5),
        line("math: cos", 4.0, 2.0),
        line("time: time", 25.0, 5.0),
    ];
    let svg = figure(&lines);
    assert_eq!(svg.matches("h0").count(), 6);
    assert_eq!(svg.matches("<path class=\"stock\"").count(), 2);
    assert!(
        svg.contains("time 25.0x and 5.00x; math 2.83x and 1.00x."),
        "{svg}"
    );
    assert!(x(0.001) >= LEFT && x(1e9) <= WIDTH - RIGHT && x(1.0) < x(1.1));
}
