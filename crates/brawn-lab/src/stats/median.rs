//! Medians with intervals that need no assumption about the distribution of the samples.

/// A median, and the interval that contains the true median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The samples' median.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many samples there were.
    pub samples: usize,
}

/// The median and its 95 % interval by the sign test. The interval's ends are samples; they are chosen so that the
/// true median is outside with a probability of at most 5 %. No random numbers are used, so the same data always
/// gives the same report. Fewer than six samples cannot give 95 %: then the interval contains all of them.
pub fn estimate(samples: &[f64]) -> Option<Estimate> {
    let mut sorted: Vec<f64> = samples.iter().copied().filter(|s| s.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    let last = n.checked_sub(1)?;
    let cut = outside(n);
    Some(Estimate {
        median: (sorted[last / 2] + sorted[n / 2]) / 2.0,
        low: sorted[cut],
        high: sorted[last - cut],
        samples: n,
    })
}

/// The median of the values that are finite; NaN if there are none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    estimate(&values.collect::<Vec<f64>>()).map_or(f64::NAN, |e| e.median)
}

/// The geometric mean of the values that are finite; NaN if there are none.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.filter(|v| v.is_finite()).map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// How many samples at each end are outside of the interval: the largest k with P(Binomial(n, 1/2) ≤ k) of at most
/// 2.5 %.
fn outside(n: usize) -> usize {
    let mut probability = 0.5f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let mut below = 0.0;
    for k in 0..n / 2 {
        below += probability;
        if below > 0.025 {
            return k.saturating_sub(1);
        }
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    (n / 2).saturating_sub(1)
}

#[cfg(test)]
mod tests;
