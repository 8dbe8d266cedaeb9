//! Measures `bench/edges`: the functions of libc at the edges of what they are given, with stock musl, brawn and glibc.
//!
//! Rounds and figures are those of `bench/libc` ([`super::libc`]), whose rows are the middle of each function's life.

use super::libc::{Line, SIDES, brawn, files, lines, link, mean, rows, stock};
use super::{Choice, Raw, Site, chosen};
use crate::progress::Progress;
use crate::show;
use crate::{Result, repository};
use brawn_lab::judge::functions::{MAIN, STOCK};
use brawn_lab::run::rounds::Order;

/// The families of the rows.
pub const FAMILIES: [&str; 9] = [
    "strings", "needles", "wide", "numbers", "math", "sort", "time", "stdio", "other",
];

/// What a row may take of glibc's time, and how many may take more.
pub const BAR: f64 = 1.15;
const MOST_BEHIND: usize = 15;
/// What no row may take of glibc's time.
pub const MOST: f64 = 2.0;
/// What no row may take of stock musl's time.
pub const STOCK_MOST: f64 = 1.5;

/// Builds the programs, runs `count` rounds of the families `only` (all if there are none), and returns the raw data.
pub fn measure(site: &Site, choice: &Choice, count: usize, progress: &Progress) -> Result<Raw> {
    progress.step("building the programs");
    let mut files = files(&repository().join("bench/edges"), "c")?;
    files.push(repository().join("bench/libc").join(MAIN.0));
    site.patched(&site.libc)?;
    for side in SIDES {
        link(site, "edges", side, &files, &[])?;
    }
    let families = chosen(&FAMILIES, &choice.only);
    let mut raw = Raw::new("brawn-bench edges", &site.brawn);
    let (what, all) = ("rows of libc", (&families[..], &SIDES[..]));
    raw.measure(what, (count, Order::Sides), all, progress, |turn| {
        let side = *turn.side;
        let sample = rows(site, &format!("edges-{side}"), turn.thing)?;
        Ok((side.to_owned(), sample))
    })?;
    Ok(raw)
}

/// The rows that take more than a bar allows, with their time against stock musl's: brawn's over glibc's decides the order.
pub fn above(raw: &Raw) -> Vec<(Line, f64)> {
    let own = brawn_lab::judge::functions::lines(&raw.rounds, STOCK);
    let against_stock = |name: &str| {
        let line = own.iter().find(|line| line.name == name);
        line.map_or(f64::NAN, brawn)
    };
    let all = lines(raw).into_iter().map(|line| {
        let ratio = against_stock(&line.name);
        (line, ratio)
    });
    all.filter(|(line, ratio)| brawn(line) > BAR || *ratio > STOCK_MOST)
        .collect()
}

/// The bars, one sentence a line.
pub fn summary(raw: &Raw) -> String {
    let (lines, above) = (lines(raw), above(raw));
    let count = |is: &dyn Fn(&(Line, f64)) -> bool| above.iter().filter(|row| is(row)).count();
    format!(
        "{} rows, at the edges of what functions are given. The geometric mean is {} of glibc's time with stock musl, {} with brawn.\n\
         More than {} of glibc's time: {} rows (bar: {MOST_BEHIND}). More than {}: {} (bar: none).\n\
         More than {} of stock musl's time: {} rows (bar: none).\n",
        lines.len(),
        show::ratio(mean(&lines, stock)),
        show::ratio(mean(&lines, brawn)),
        show::ratio(BAR),
        count(&|(line, _)| brawn(line) > BAR),
        show::ratio(MOST),
        count(&|(line, _)| brawn(line) > MOST),
        show::ratio(STOCK_MOST),
        count(&|(_, ratio)| *ratio > STOCK_MOST),
    )
}
