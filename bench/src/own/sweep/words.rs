//! The sweep in sentences.

use super::results::{Line, PEAK, cliffs};
use super::table::{BARS, MEAN};
use super::{BRAWN, Raw};
use crate::show;
use crate::stats::geometric_mean;

/// Where the figures come from.
pub fn said(raw: &Raw, lines: &[Line], path: &str) -> String {
    let heaps = raw.sweep.heaps.len().max(1);
    let rounds = raw.sweep.us.values().map(|list| list.len() / heaps).max();
    let rounds = match rounds.unwrap_or(0) {
        1 => "one round".to_owned(),
        count => format!("medians of {count} rounds"),
    };
    let failed = raw.sweep.us.values().flatten().filter(|us| us.is_none());
    let failed = match failed.count() {
        0 => String::new(),
        count => format!(" {count} runs failed."),
    };
    format!(
        "{} patterns, {rounds} on {}, {} processors shared with other work (load {:.0} to {:.0}), {}.{failed} `{path}` has\nevery sample, and `brawn-bench sweep` \
         repeats it; `--list` prints all patterns.\n",
        lines.len(),
        raw.of_machine("cpu"),
        raw.of_machine("processors"),
        raw.load[0],
        raw.load[1],
        raw.date,
    )
}

/// The bars that are not met, as items of a list; nothing if all are.
pub fn missed(lines: &[Line]) -> String {
    let mut said = Vec::new();
    for (heap, bar) in BARS {
        let times = || lines.iter().map(|line| line.time(heap));
        let above = times().filter(|time| *time > bar).count();
        if above > 0 {
            let worst = show::ratio(times().fold(f64::NAN, f64::max));
            said.push(format!(
                "`{}` takes more than {bar} times glibc's processor time in {above} (at worst {worst})",
                title(heap)
            ));
        }
        let steps = cliffs(lines, heap).len();
        if steps > 0 && heap != BRAWN {
            said.push(format!("`{heap}` has a cliff in {steps}"));
        }
    }
    let mean = geometric_mean(lines.iter().map(|line| line.time(BRAWN)));
    if mean > MEAN {
        let mean = show::ratio(mean);
        said.push(format!(
            "the geometric mean of `{}` is {mean}, bar {MEAN}x",
            title(BRAWN)
        ));
    }
    let high = lines.iter().filter(|line| line.is_high(BRAWN)).count();
    if high > 0 {
        let (times, kib) = PEAK;
        said.push(format!(
            "the peak of `{}` is above {times} times glibc's and {kib} KiB in {high}",
            title(BRAWN)
        ));
    }
    match said.is_empty() {
        true => String::new(),
        false => format!(
            "- Of the {} ways of using blocks in [the sweep](#the-sweep): {}.\n",
            lines.len(),
            said.join("; ")
        ),
    }
}

/// The profile as people name it.
fn title(heap: &str) -> &str {
    if heap == BRAWN { "fast" } else { heap }
}
