//! What the guide's table of memory over time leaves out, in sentences: 10 s after, and PSS.

use super::{GLIBC, GUIDE, KINDS, figure, heaps, name};
use crate::own::Raw;
use crate::show;
use brawn_lab::process::parent::Sample;

/// A smaller difference between 1 s and 10 s after the end is not told.
const SAME: f64 = 0.01;

/// How the memory 10 s after a load's end differs from that 1 s after it, in all heaps of the run.
pub fn later(raw: &Raw) -> String {
    let (mut same, mut others) = (0, Vec::new());
    for (kind, heap) in pairs(raw) {
        let of = |id| figure(raw, kind, heap, id);
        let change = of("rss_10s_kb") / of("rss_1s_kb");
        match (change - 1.0).abs() {
            // A load that has only one of the two.
            difference if difference.is_nan() => {}
            difference if difference <= SAME => same += 1,
            _ => others.push(format!("{} in `{kind}` with {heap}", show::ratio(change))),
        }
    }
    match (same, others.len()) {
        (0, 0) => "No load was watched for 10 s after its end.\n".to_owned(),
        (_, 0) => format!(
            "10 s after the end it is what it was after 1 s, to 1 %, in all {same} pairs of load and heap.\n"
        ),
        (_, count) => format!(
            "10 s after the end it is what it was after 1 s, to 1 %, in {same} of {} pairs of load and heap; the others: {}.\n",
            same + count,
            others.join(", ")
        ),
    }
}

/// By how much PSS is less than RSS at most: in programs that share glibc's pages, and in static ones.
pub fn pss(raw: &Raw) -> String {
    let most = |is_asked: fn(&str) -> bool| {
        let asked = pairs(raw).filter(|(_, heap)| is_asked(heap));
        let most = asked.flat_map(|(kind, heap)| {
            let name = name(kind, heap);
            let samples = raw.rounds.iter().filter_map(move |r| r.get(&name));
            samples.flat_map(shared)
        });
        most.fold(0.0, f64::max)
    };
    format!(
        "PSS, which divides a page by the processes that share it, is at most {} less in programs with glibc, whose code other\n\
         programs share, and at most {} less in the static ones. So the table has RSS only.\n",
        show::memory(most(is_glibc)),
        show::memory(most(|heap| !is_glibc(heap))),
    )
}

/// Whether programs with this heap are dynamic.
fn is_glibc(heap: &str) -> bool {
    heap.starts_with(GLIBC)
}

/// The pages that are shared, in KiB, in each figure of a sample.
fn shared(sample: &Sample) -> Vec<f64> {
    let figures = [
        ("mean_rss_kb", "mean_pss_kb"),
        ("rss_1s_kb", "pss_1s_kb"),
        ("rss_10s_kb", "pss_10s_kb"),
    ];
    let less = figures
        .iter()
        .filter_map(|(rss, pss)| Some(sample.get(*rss)? - sample.get(*pss)?));
    less.collect()
}

/// Which heaps of a run the guide's table leaves out, and how to see them; nothing if there are none.
pub fn left_out(raw: &Raw, path: &str) -> String {
    let heaps = heaps(raw);
    let others = heaps.iter().filter(|heap| !GUIDE.contains(heap));
    let others: Vec<&str> = others.copied().collect();
    match others.is_empty() {
        true => String::new(),
        false => format!(
            "The run also has {}: `brawn-bench rss --from {path}`\nprints all heaps and all rows.\n",
            others.join(", ")
        ),
    }
}

fn pairs(raw: &Raw) -> impl Iterator<Item = (&'static str, &'static str)> {
    let heaps = heaps(raw);
    let all = KINDS.into_iter();
    all.flat_map(move |kind| heaps.clone().into_iter().map(move |heap| (kind, heap)))
}

#[cfg(test)]
mod tests;
