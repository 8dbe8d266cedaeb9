//! Computes how many times as fast one program is as another, from runs that are close to each other in time.
//!
//! Each round gives one pair, and each pair one difference of logarithms: if the machine becomes slower for a while,
//! this affects both runs of a pair. The estimate is Hodges and Lehmann's, the median of the means of all pairs of
//! differences; its interval is that of Wilcoxon's signed-rank test (Hollander and Wolfe, *Nonparametric Statistical
//! Methods*, section 3.3).  Neither assumes a distribution, and one run that took ten times as long changes neither
//! much.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The probability with which an interval contains the true ratio.  With 99 %, a program that is compared with itself
/// is called faster or slower once in a hundred comparisons.
pub const CONFIDENCE: f64 = 0.99;

/// A ratio and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many pairs there were.
    pub pairs: usize,
    /// Whether there were enough of them for [`CONFIDENCE`].
    pub is_certain: bool,
}

/// As in `1.42x (1.38–1.47)`.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}x ({:.2}–{:.2})", self.ratio, self.low, self.high)
    }
}

impl Ratio {
    /// The distance from the estimate to the farther end of the interval: 0.06 means 6 %.
    pub fn width(&self) -> f64 {
        let up = (self.high / self.ratio).ln();
        let down = (self.ratio / self.low).ln();
        up.max(down).exp_m1()
    }

    /// The distance from 1 to the farther end of the interval.
    pub fn farthest(&self) -> f64 {
        self.high.ln().abs().max(self.low.ln().abs()).exp_m1()
    }
}

/// If there are more pairs than this, they are grouped, and the means of the groups are used, since their number is
/// squared below.
const MOST: usize = 1000;

/// The ratio of the first to the second numbers of `pairs`.  `None` if no pair has two positive numbers.
pub fn ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let usable = pairs.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
    let logs: Vec<f64> = usable.map(|(a, b)| (a / b).ln()).collect();
    let group = logs.len().div_ceil(MOST).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let means: Vec<f64> = logs.chunks(group).map(mean).collect();
    let walsh = walsh(&means);
    let last = walsh.len().checked_sub(1)?;
    let cut = outside(means.len(), 1.0 - CONFIDENCE);
    let end = cut.map_or(0, |cut| cut.min(last / 2));
    Some(Ratio {
        ratio: f64::midpoint(walsh[last / 2], walsh[walsh.len() / 2]).exp(),
        low: walsh[end].exp(),
        high: walsh[last - end].exp(),
        pairs: logs.len(),
        is_certain: cut.is_some(),
    })
}

/// The means of all pairs, each value with itself too, sorted.
fn walsh(values: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (number, a) in values.iter().enumerate() {
        all.extend(values[number..].iter().map(|b| f64::midpoint(*a, *b)));
    }
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// How many means at each end are outside of the interval: the least k for which the signed-rank statistic of `n`
/// values is at most k with a probability above `alpha / 2`.  `None` if even the statistic 0 has a larger probability.
fn outside(n: usize, alpha: f64) -> Option<usize> {
    let bound = alpha / 2.0;
    if n > 100 {
        let n = n as f64;
        let mean = n * (n + 1.0) / 4.0;
        let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        return Some((mean - quantile(bound) * deviation - 0.5).max(0.0) as usize);
    }
    let most = n * (n + 1) / 2;
    // The probability of each value of the statistic: each rank is in the sum or not.
    let mut chances = vec![0.0; most + 1];
    chances[0] = 1.0;
    for rank in 1..=n {
        for value in (0..=most).rev() {
            let with = value.checked_sub(rank).map_or(0.0, |rest| chances[rest]);
            chances[value] = f64::midpoint(chances[value], with);
        }
    }
    let mut below = 0.0;
    for (value, chance) in chances.iter().enumerate() {
        below += chance;
        if below > bound {
            return (value > 0).then_some(value);
        }
    }
    None
}

/// How many standard deviations above the mean a normal value is with the probability `p` below 0.5: formula 26.2.23 of
/// Abramowitz and Stegun's *Handbook of Mathematical Functions*, exact to 0.00045.
fn quantile(p: f64) -> f64 {
    let t = (-2.0 * p.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

/// How many pairs would give an interval of `width`, if `ratio` has a wider one.
pub fn needed(ratio: &Ratio, width: f64) -> usize {
    let factor = ratio.width() / width;
    let pairs = (ratio.pairs as f64 * factor * factor).ceil();
    // In steps of ten, since people type round numbers.
    (pairs / 10.0).ceil().max(1.0) as usize * 10
}

#[cfg(test)]
mod tests;
