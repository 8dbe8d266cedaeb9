//! What was in use over time, and when most was, as far as few samples can tell.
//!
//! In a long run one sample stands for what the program asks for in a second. Whether it is in use at an instant or not is
//! chance then: the highest of many such estimates is far above what ever was in use. So each has its standard error, and the
//! peak is where at least so much was in use, all but certainly.

/// At most so many points of the curve over time.
pub(super) const MOST_POINTS: usize = 400;

/// How many standard errors an estimate is away from what was in use for certain: so many that the highest of a hundred
/// thousand estimates is no accident. Fewer than 17 samples of small blocks say nothing for certain.
const SURE: f64 = 4.0;

/// How many standard errors above the peak by that rule an estimate has to be to be the peak instead: late in a long run, there
/// are fewer samples, and more in use nevertheless.
const CLEARLY: f64 = 3.0;

/// How many standard errors an estimate may be off, as people expect it of a single one.
const DOUBT: f64 = 2.0;

/// An estimate of what was in use behind an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Estimate {
    /// In seconds from the first sample.
    pub(super) seconds: f64,
    pub(super) bytes: f64,
    /// Its standard error, in bytes.
    pub(super) error: f64,
}

impl Estimate {
    /// The estimate less so many standard errors.
    fn less(&self, errors: f64) -> f64 {
        self.bytes - errors * self.error
    }

    /// How far it may be off.
    pub(super) fn doubt(&self) -> f64 {
        DOUBT * self.error
    }
}

/// The number of the event behind which most was in use; `None` if nothing ever was. Where no estimate says anything for
/// certain, the one from most samples counts.
pub(super) fn peak(curve: &[Estimate]) -> Option<usize> {
    let highest = |height: &dyn Fn(&Estimate) -> f64| {
        let all = curve.iter().enumerate().filter(|(_, e)| height(e) > 0.0);
        // Of equal ones the first.
        let all = all.rev();
        all.max_by(|a, b| height(a.1).total_cmp(&height(b.1)))
            .map(|(number, _)| number)
    };
    let certain = highest(&|e| e.less(SURE)).or_else(|| highest(&|e| e.bytes / e.error))?;
    let clear = highest(&|e| e.less(CLEARLY));
    clear
        .filter(|number| curve[*number].less(CLEARLY) > curve[certain].bytes)
        .or(Some(certain))
}

/// The points that are shown, each with the number of its event: of each piece of a curve what was surely in use once, or the
/// mean if that is more, but nothing above the peak; and the last one.
pub(super) fn shown(curve: &[Estimate], peak: Option<usize>) -> Vec<(usize, f64)> {
    let most = peak.map_or(0.0, |number| curve[number].bytes);
    let size = curve.len().div_ceil(MOST_POINTS).max(1);
    let mut points: Vec<(usize, f64)> = Vec::new();
    for (piece, estimates) in curve.chunks(size).enumerate() {
        let surest = estimates
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.less(SURE).total_cmp(&b.1.less(SURE)));
        let Some((number, best)) = surest else {
            continue;
        };
        let mean = mean(estimates);
        let bytes = match best.less(SURE) >= mean {
            true => best.bytes,
            false => mean,
        };
        points.push((piece * size + number, bytes.min(most)));
    }
    if let Some(last) = curve.last() {
        points.push((curve.len() - 1, last.bytes.min(most)));
    }
    points
}

/// The mean over time. Each estimate holds until the next event.
fn mean(estimates: &[Estimate]) -> f64 {
    let spans = estimates.iter().zip(&estimates[1..]);
    let (mut sum, mut time) = (0.0, 0.0);
    for (now, next) in spans {
        let span = next.seconds - now.seconds;
        sum += now.bytes * span;
        time += span;
    }
    match (time > 0.0, estimates.first()) {
        (true, _) => sum / time,
        (false, Some(only)) => only.bytes,
        (false, None) => 0.0,
    }
}

#[cfg(test)]
mod tests;
