//! How long trials take, so that people who wait for the tests see why.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many of the slowest trials are listed.
const SLOWEST: usize = 15;

/// The times of every trial that ran. A trial first waits for its program to be built, then it runs.
#[derive(Debug, Default)]
pub struct Times(Mutex<Vec<Time>>);

#[derive(Debug)]
struct Time {
    name: String,
    waited: Duration,
    ran: Duration,
}

impl Times {
    /// Adds a trial.
    pub fn add(&self, name: &str, waited: Duration, ran: Duration) {
        let name = name.to_owned();
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.push(Time { name, waited, ran });
    }
}

/// A row for each libc, then one for each of the slowest trials. Seconds of wall time, summed over threads.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut groups: BTreeMap<&str, (usize, Duration, Duration)> = BTreeMap::new();
        for time in times.iter() {
            let libc = time.name.split('/').next().unwrap_or_default();
            let group = groups.entry(libc).or_default();
            group.0 += 1;
            group.1 += time.waited;
            group.2 += time.ran;
        }
        writeln!(
            f,
            "{:<28} {:>6} {:>8} {:>8}",
            "libc", "trials", "build s", "run s"
        )?;
        for (libc, (trials, waited, ran)) in groups {
            let (waited, ran) = (waited.as_secs_f64(), ran.as_secs_f64());
            writeln!(f, "{libc:<28} {trials:>6} {waited:>8.1} {ran:>8.1}")?;
        }
        times.sort_by_key(|time| std::cmp::Reverse(time.ran));
        for time in times.iter().take(SLOWEST) {
            writeln!(f, "{:>8.1} s  {}", time.ran.as_secs_f64(), time.name)?;
        }
        Ok(())
    }
}
