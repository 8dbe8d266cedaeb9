//! Combines two comparisons that were measured at different times: one before a change and one after it.

use crate::data::{Candidate, Comparison, Finding, Run};

/// The properties of the machine on which times depend.
const MACHINE: [&str; 5] = ["cpu", "processors", "memory", "kernel", "hypervisor"];

/// The forms that both have, each of `after` compared with the one of that name in `before`.
///
/// # Errors
/// As a fragment of a sentence: no form is in both, or one of them comes from two files already.
pub fn beside(before: Comparison, after: Comparison) -> Result<Comparison, String> {
    if before.apart.is_some() || after.apart.is_some() {
        return Err("one of them was itself made from two files".into());
    }
    let place = |of: &Comparison, name: &str| of.candidates.iter().position(|c| c.name == name);
    let names = before.candidates.iter().map(|form| &form.name);
    let both: Vec<[usize; 2]> = names
        .filter_map(|name| Some([place(&before, name)?, place(&after, name)?]))
        .collect();
    if both.is_empty() {
        let names = |of: &Comparison| -> String {
            let names: Vec<&str> = of
                .candidates
                .iter()
                .map(|form| form.name.as_str())
                .collect();
            names.join(", ")
        };
        return Err(format!(
            "no form is in both: found {} and {}",
            names(&before),
            names(&after)
        ));
    }
    let mut all = Comparison {
        load: [before.load[0], after.load[1]],
        candidates: Vec::new(),
        order: Vec::new(),
        runs: Vec::new(),
        findings: Vec::new(),
        verdicts: Vec::new(),
        diagnosis: None,
        prediction: None,
        apart: Some([before.date.clone(), after.date.clone()]),
        ..after.clone()
    };
    // Neither line measures both.
    all.command.line.clear();
    all.command.rounds = before.command.rounds.min(after.command.rounds);
    for (number, of_both) in both.iter().enumerate() {
        let [first, second] = [2 * number, 2 * number + 1];
        for (of, from, to, when) in [
            (&before, of_both[0], first, "before"),
            (&after, of_both[1], second, "after"),
        ] {
            let form = &of.candidates[from];
            all.candidates.push(Candidate {
                name: format!("{}, {when}", form.name),
                against: first,
                ..form.clone()
            });
            let runs = of.runs.iter().filter(|run| run.candidate == from);
            all.runs.extend(runs.map(|run| Run {
                candidate: to,
                ..run.clone()
            }));
            let findings = of.findings.iter().filter(|f| f.candidate == from);
            all.findings.extend(findings.map(|finding| Finding {
                candidate: to,
                ..finding.clone()
            }));
        }
    }
    let rounds = before.command.rounds.max(after.command.rounds);
    all.order = vec![(0..all.candidates.len()).collect(); rounds];
    let notes = changes(&before, &after).into_iter();
    all.findings
        .extend(notes.map(|what| Finding::note(1, what)));
    Ok(all)
}

/// Further differences between the two, each as a sentence.
fn changes(before: &Comparison, after: &Comparison) -> Vec<String> {
    let mut all = Vec::new();
    let mut change = |what: &str, of: &dyn Fn(&Comparison) -> String| {
        let [a, b] = [before, after].map(of);
        if a != b {
            all.push(format!("{what} was {a} before, and is {b}"));
        }
    };
    for name in MACHINE {
        let of = |data: &Comparison| data.machine.get(name).cloned();
        change(&format!("the machine's {name}"), &|data| {
            of(data).unwrap_or_else(|| "unknown".into())
        });
    }
    let or_none = |text: &Option<String>| text.clone().unwrap_or_default();
    change("brawn", &|data| data.brawn.clone());
    change("the program", &|data| data.command.program.clone());
    change("its arguments", &|data| data.command.arguments.join(" "));
    change("its input", &|data| or_none(&data.command.input));
    change("the shell's line", &|data| or_none(&data.command.shell));
    all
}
