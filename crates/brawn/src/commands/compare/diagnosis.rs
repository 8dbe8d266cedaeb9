//! Finds out where a comparison's forms spend their time, from runs that are not measured, and the reason for the
//! verdict.

use brawn_lab::data::Comparison;
use brawn_lab::data::Outcome;
use brawn_sample::{Diagnosis, Owner, Prediction};
use serde::{Deserialize, Serialize};

/// A share that explains why nothing changes.
const MOST: f64 = 0.5;
/// A growth, as a share of the run, that explains why a form is slower.
const GROWN: f64 = 0.01;

/// The diagnosis in a comparison's data.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Diagnosed {
    /// Each form that was sampled; the first is the program as it is.
    pub forms: Vec<Sampled>,
    /// Why there are no samples, or fewer than there could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A form's samples.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// The candidate's number.
    pub candidate: usize,
    /// How many runs they are from.
    pub runs: u32,
    /// What they say, in words.
    pub words: String,
    /// What they say.
    pub diagnosis: Diagnosis,
}

/// The diagnosis in the data; nothing if another brawn wrote it in another form.
pub fn of(data: &Comparison) -> Diagnosed {
    let kept = data.diagnosis.as_ref();
    let mut kept = kept
        .and_then(|value| Diagnosed::deserialize(value).ok())
        .unwrap_or_default();
    kept.forms
        .retain(|form| form.candidate < data.candidates.len());
    kept
}

/// What was expected of brawn's functions.
pub fn expected(data: &Comparison) -> Option<Prediction> {
    Prediction::deserialize(data.prediction.as_ref()?).ok()
}

/// Gives each verdict its reason.
pub fn explain(data: &mut Comparison) {
    let kept = of(data);
    let expected = expected(data);
    let forms = &data.candidates;
    for verdict in &mut data.verdicts {
        let number = verdict.candidate;
        let is_brawn = forms[number].kind.is_brawns();
        let before = kept.forms.iter().find(|form| form.candidate == 0);
        let after = kept.forms.iter().find(|form| form.candidate == number);
        let reason = match (verdict.outcome, before) {
            (Outcome::Faster, Some(_)) if is_brawn => {
                expected.as_ref().and_then(Prediction::reason)
            }
            (Outcome::Same, Some(before)) => same(&before.diagnosis),
            (Outcome::Slower, Some(before)) => after.and_then(|after| slower(before, after)),
            _ => None,
        };
        if let Some(reason) = reason {
            verdict.words += &format!(": {reason}");
        }
    }
}

fn same(before: &Diagnosis) -> Option<String> {
    let parts = before.parts.iter();
    let largest = parts.max_by(|a, b| a.share.share.total_cmp(&b.share.share))?;
    if largest.share.share < MOST || before.samples < 50 {
        return None;
    }
    let place = match largest.part {
        Owner::Kernel => {
            let mut functions = before.functions.iter();
            let first = functions.find(|f| f.part == Owner::Kernel && !f.name.is_empty());
            let half = largest.share.share / 2.0;
            match first.filter(|f| f.share.share >= half) {
                Some(first) => format!("the kernel, in {}", first.name),
                None => "the kernel".into(),
            }
        }
        Owner::Program => "the program itself".into(),
        Owner::Other => "other programs and libraries".into(),
        Owner::Heap | Owner::Memory | Owner::Libc => return None,
    };
    let share = largest.share.share * 100.0;
    Some(format!("{share:.0} % of the time is in {place}"))
}

/// The functions that take more processor time than before.
fn slower(before: &Sampled, after: &Sampled) -> Option<String> {
    let all = rows(before, Some(after));
    let total: f64 = all.iter().map(|row| row.times[0]).sum();
    let growth = |row: &Row| row.times[1] - row.times[0];
    let most = all.iter().max_by(|a, b| growth(a).total_cmp(&growth(b)))?;
    (growth(most) > total * GROWN).then(|| format!("see {}", most.what))
}

/// The processor time of a function, or of a group of them, before and after.
pub struct Row {
    /// Its name.
    pub what: String,
    /// The part that it belongs to.
    pub part: Owner,
    /// Seconds in a run.
    pub times: [f64; 2],
}

/// The times of the heap, of libc's functions, of the kernel and the program, the largest first.
pub fn rows(before: &Sampled, after: Option<&Sampled>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (at, sampled) in [Some(before), after].into_iter().enumerate() {
        let Some(sampled) = sampled else { continue };
        let diagnosis = &sampled.diagnosis;
        let seconds = diagnosis.seconds / f64::from(sampled.runs.max(1));
        for function in &diagnosis.functions {
            let what = called(function.part, &function.name);
            let time = function.share.share * seconds;
            let same = |row: &&mut Row| row.part == function.part && row.what == what;
            match rows.iter_mut().find(same) {
                Some(row) => row.times[at] += time,
                None => {
                    let mut times = [0.0; 2];
                    times[at] = time;
                    let part = function.part;
                    rows.push(Row { what, part, times });
                }
            }
        }
    }
    rows.sort_by(|a, b| (b.times[0].max(b.times[1])).total_cmp(&a.times[0].max(a.times[1])));
    rows
}

/// A function's name, the same in both forms.
fn called(part: Owner, name: &str) -> String {
    match (part, name) {
        (Owner::Heap, _) => "malloc and free".into(),
        (Owner::Memory, "") => "memory functions".into(),
        (Owner::Libc, "") => "other functions of libc".into(),
        (Owner::Kernel, "") => "the kernel".into(),
        (Owner::Program, _) => "the program itself".into(),
        (Owner::Other, _) => "other programs and libraries".into(),
        (Owner::Kernel, name) => format!("kernel: {name}"),
        (Owner::Memory | Owner::Libc, name) => {
            let plain = name.trim_start_matches('_');
            plain.strip_prefix("brawn_").unwrap_or(plain).into()
        }
    }
}

#[cfg(test)]
mod tests;
