//! The looks at a run's memory that are kept.

use crate::process::descent::Memory;
use crate::process::job::Moment;
use std::time::Duration;

/// The time between two looks, at least.
pub(crate) const STEP: Duration = Duration::from_millis(2);
/// How many looks a run keeps.
const MOST: usize = 512;

/// The looks of one run. If they become too many, those go that show what the looks before and after them show: a long
/// rest, in which nothing changes, must not cost the looks of the work before it. If that is not enough, every second
/// one goes, and from then on the looks are twice as far apart.
#[derive(Debug)]
pub(crate) struct Moments {
    /// In their order.
    pub(crate) all: Vec<Moment>,
    /// The time to the next look, at least.
    pub(crate) step: Duration,
}

impl Default for Moments {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            step: STEP,
        }
    }
}

impl Moments {
    /// Adds a look, at a time after the start.
    pub(crate) fn add(&mut self, at: Duration, memory: Memory) {
        // Before `execve`, the process is a copy of brawn; after its end, it has no memory.
        if memory.rss > 0 {
            let at_us = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
            self.all.push(Moment {
                at_us,
                rss: memory.rss,
                pss: memory.pss,
            });
        }
        if self.all.len() <= MOST {
            return;
        }
        drop_repeated(&mut self.all);
        // Room for a while; otherwise every look would search for what repeats.
        if self.all.len() > MOST / 4 * 3 {
            let mut number = 0;
            self.all.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.step *= 2;
        }
    }
}

/// Removes the looks between two others that show the same memory.
fn drop_repeated(all: &mut Vec<Moment>) {
    let is_same = |a: &Moment, b: &Moment| (a.rss, a.pss) == (b.rss, b.pss);
    let repeats = |three: &[Moment]| is_same(&three[0], &three[1]) && is_same(&three[1], &three[2]);
    // Neither the first nor the last one is between two others.
    let mut gone = vec![false];
    gone.extend(all.windows(3).map(repeats));
    let mut gone = gone.into_iter();
    all.retain(|_| !gone.next().unwrap_or(false));
}

#[cfg(test)]
mod tests;
