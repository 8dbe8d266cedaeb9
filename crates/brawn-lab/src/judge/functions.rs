//! Every function of libc whose time a program can notice: the programs of `bench/libc`, and what their times say.
//!
//! Each round runs each side's program once for each family, in a random order. The program reports the least time of
//! every row. A row's figure is the median of its ratios in all rounds, with the 95 % interval. `brawn bench libc` and
//! the repository's `brawn-bench libc` share this.

pub use crate::run::rounds::{Round, Sample};
use crate::stats::median::{Estimate, estimate};
use std::collections::BTreeSet;

/// The families, as the programs name them.
pub const FAMILIES: [&str; 13] = [
    "strings",
    "wide",
    EDGES,
    "time",
    "environment",
    "numbers",
    "math",
    "sort",
    "stdio",
    "threads",
    "other",
    CXX,
    START,
];
/// Strings at the end of a page, where some libcs take a hundred times as long. Where a figure is a mean of all rows, these do
/// not count: a few of them would be most of it.
pub const EDGES: &str = "edges";
/// Exceptions, which need a compiler for C++.
pub const CXX: &str = "c++";
/// A program from its start to its end.
pub const START: &str = "start";
/// The only row of [`START`].
pub const LIFE: &str = "start: malloc, strdup, printf, memcpy: a program's life";
/// Starts of that program in each round. The least counts, since the machine's other work only adds time.
pub const STARTS: usize = 40;

/// musl as it is.
pub const STOCK: &str = "stock musl";
/// musl with brawn's functions.
pub const BRAWN: &str = "brawn";
/// The other libc.
pub const GLIBC: &str = "glibc";

/// What every program is compiled with: each call is libc's.
pub const FLAGS: [&str; 4] = ["-O2", "-fno-builtin", "-w", "-pthread"];

/// The source files of the program with the rows, without its `main`.
pub const ROWS: [(&str, &str); 11] = [
    ("edges.c", include_str!("../../rows/edges.c")),
    ("math.c", include_str!("../../rows/math.c")),
    ("more.c", include_str!("../../rows/more.c")),
    ("numbers.c", include_str!("../../rows/numbers.c")),
    ("other.c", include_str!("../../rows/other.c")),
    ("sort.c", include_str!("../../rows/sort.c")),
    ("stdio.c", include_str!("../../rows/stdio.c")),
    ("strings.c", include_str!("../../rows/strings.c")),
    ("threads.c", include_str!("../../rows/threads.c")),
    ("times.c", include_str!("../../rows/times.c")),
    ("wide.c", include_str!("../../rows/wide.c")),
];
/// The source of the rows of [`CXX`].
pub const THROW: (&str, &str) = ("throw.cc", include_str!("../../rows/throw.cc"));
/// What times the rows.
pub const MAIN: (&str, &str) = ("main.c", include_str!("../../rows/main.c"));
/// What all of them include.
pub const HEADER: (&str, &str) = ("bench.h", include_str!("../../rows/bench.h"));
/// The program of [`START`].
pub const LIVES: (&str, &str) = ("start.c", include_str!("../../rows/start.c"));

/// Every row as `family: name`, by family.
pub fn all() -> impl Iterator<Item = &'static str> {
    include_str!("../../rows/rows.txt").lines()
}

/// The family of a row, and its name.
pub fn parts(row: &str) -> (&str, &str) {
    row.split_once(": ").unwrap_or(("", row))
}

/// What a program printed, in its order: rows as `family: name`, and their times. Other lines are left out.
pub fn printed(text: &str) -> impl Iterator<Item = (String, f64)> {
    let row = |line: &str| {
        let mut words = line.strip_prefix("row ")?.splitn(3, ' ');
        let (family, time, name) = (words.next()?, words.next()?, words.next()?);
        let time = time.parse().ok().filter(|ns: &f64| ns.is_finite())?;
        Some((format!("{family}: {name}"), time))
    };
    text.lines().filter_map(row)
}

/// A row's figures.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its family and name.
    pub name: String,
    /// The time of the side that others are compared with, in nanoseconds.
    pub base: f64,
    /// Stock musl's time over that.
    pub stock: f64,
    /// brawn's time over that.
    pub brawn: Estimate,
}

/// Every row that all sides have, compared with the side `base`. The row in which brawn is slowest comes first.
pub fn lines(rounds: &[Round], base: &str) -> Vec<Line> {
    let samples = rounds.iter().filter_map(|round| round.get(base));
    let names: BTreeSet<&String> = samples.flat_map(|sample| sample.keys()).collect();
    let line = |name: &String| {
        let over = |side: &str| -> Vec<f64> {
            let ratio =
                |round: &Round| Some(round.get(side)?.get(name)? / round.get(base)?.get(name)?);
            rounds.iter().filter_map(ratio).collect()
        };
        let times = rounds.iter().filter_map(|round| round.get(base)?.get(name));
        let times: Vec<f64> = times.copied().collect();
        Some(Line {
            name: name.clone(),
            base: estimate(&times)?.median,
            stock: estimate(&over(STOCK))?.median,
            brawn: estimate(&over(BRAWN))?,
        })
    };
    let mut lines: Vec<Line> = names.into_iter().filter_map(line).collect();
    let slowest = |a: &Line, b: &Line| b.brawn.median.total_cmp(&a.brawn.median);
    lines.sort_unstable_by(|a, b| slowest(a, b).then_with(|| a.name.cmp(&b.name)));
    lines
}

/// Stock musl's time over the other's.
pub fn stock(line: &Line) -> f64 {
    line.stock
}

/// brawn's time over the other's.
pub fn brawn(line: &Line) -> f64 {
    line.brawn.median
}

/// Whether that ratio counts as slower.
pub fn is_behind(ratio: f64) -> bool {
    ratio > 1.05
}

/// Whether that ratio counts as faster.
pub fn is_ahead(ratio: f64) -> bool {
    ratio < 1.0 / 1.05
}

/// How many rows are slower than the other's.
pub fn behind(lines: &[Line], of: impl Fn(&Line) -> f64) -> usize {
    lines.iter().filter(|line| is_behind(of(line))).count()
}

/// All rows but those of [`EDGES`]; if there are no others, these.
pub fn usual(lines: &[Line]) -> Vec<&Line> {
    let is_usual = |line: &&Line| parts(&line.name).0 != EDGES;
    let usual: Vec<&Line> = lines.iter().filter(is_usual).collect();
    match usual.is_empty() {
        true => lines.iter().collect(),
        false => usual,
    }
}

/// The geometric mean of these rows.
pub fn mean<'l>(lines: impl IntoIterator<Item = &'l Line>, of: impl Fn(&Line) -> f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for line in lines {
        sum += of(line).ln();
        count += 1.0;
    }
    f64::exp(sum / count)
}

/// Each family that has rows, and these. Families that are not known come last.
pub fn families(lines: &[Line]) -> Vec<(&str, Vec<&Line>)> {
    let mut all: Vec<(&str, Vec<&Line>)> = FAMILIES.map(|family| (family, Vec::new())).into();
    for line in lines {
        let (family, _) = parts(&line.name);
        match all.iter_mut().find(|(known, _)| *known == family) {
            Some((_, lines)) => lines.push(line),
            None => all.push((family, vec![line])),
        }
    }
    all.retain(|(_, lines)| !lines.is_empty());
    all
}

#[cfg(test)]
mod tests;
