//! Applies the patches of `payload/engine/` to a copy of the engine's sources.
//!
//! A patch is a reason and a unified diff.  `patch` and the libraries like it look for the place that fits best, so that a
//! change may end in another function of another version without a word.  Here every line has to be as the patch says, in
//! the function that it names, and at one place there.  Only the number of the line may be another.

use super::Result;
use std::cmp::Reverse;
use std::fs;
use std::path::Path;

/// What a patch's reason has to say.
const REASONS: [&str; 2] = ["\nWhy: ", "\nUpstream: "];

const ADVICE: &str =
    "make the patch anew for these sources (payload/DESIGN.md, \"The engine's patches\")";

/// Some lines of a file, and what they become.
struct Hunk<'a> {
    /// Where it stands in the patch, from 1 on.
    at: usize,
    /// The first line of `old` in the file, from 1 on, as the patch has it.
    line: usize,
    /// The function that it is in, as `diff --show-c-function` writes it.
    heading: &'a str,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// The patches' names, in order.  Each file of `folder` has to be in its file `series`, and the reverse.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let series = read(&folder.join("series"))?;
    let listed = series.lines().map(str::trim);
    let listed: Vec<String> = listed
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".patch") && !listed.contains(&name) {
            return Err(format!(
                "payload/engine/series: {name} is not in it: add it, or remove the file"
            )
            .into());
        }
    }
    for (number, name) in listed.iter().enumerate() {
        if listed[..number].contains(name) {
            return Err(format!("payload/engine/series: {name} is in it twice").into());
        }
    }
    Ok(listed)
}

/// Applies all patches of `folder` to the sources in `sources`.
pub fn apply(folder: &Path, sources: &Path) -> Result<()> {
    for name in names(folder)? {
        apply_one(folder, &name, sources)?;
    }
    Ok(())
}

/// Applies one of them.
pub fn apply_one(folder: &Path, name: &str, sources: &Path) -> Result<()> {
    let patch = read(&folder.join(name))?;
    change(&patch, sources).map_err(|error| format!("payload/engine/{name}:{error}").into())
}

/// Applies the patch whose text is `patch`.  An error begins with the line of it.
fn change(patch: &str, sources: &Path) -> std::result::Result<(), String> {
    let lines: Vec<&str> = patch.lines().collect();
    let begin = lines.iter().position(|line| line.starts_with("--- "));
    let begin =
        begin.ok_or("1: found no line that begins with \"--- \", expected a unified diff")?;
    let reason = lines[..begin].join("\n");
    if let Some(missing) = REASONS.iter().find(|word| !reason.contains(*word)) {
        return Err(format!("1: found no {:?} above the diff", missing.trim()));
    }
    let mut at = begin;
    while at < lines.len() {
        let wrong = |at: usize, expected| {
            format!(
                "{}: found {:?}, expected {expected}",
                at + 1,
                lines.get(at).unwrap_or(&"the end")
            )
        };
        let file = lines[at]
            .strip_prefix("--- ")
            .ok_or_else(|| wrong(at, "\"--- FILE\""))?;
        if lines.get(at + 1).and_then(|line| line.strip_prefix("+++ ")) != Some(file) {
            return Err(wrong(at + 1, "\"+++ \" and the same file"));
        }
        at += 2;
        let path = sources.join(file);
        let text = read(&path).map_err(|error| format!("{}: {error}", at - 1))?;
        let source: Vec<&str> = text.lines().collect();
        let (mut result, mut done) = (Vec::<&str>::new(), 0);
        while lines.get(at).is_some_and(|line| line.starts_with("@@ ")) {
            let hunk = hunk(&lines, &mut at)?;
            let place = place(&source, done, &hunk)
                .map_err(|error| format!("{}: {file}: {error}; {ADVICE}", hunk.at))?;
            result.extend(&source[done..place]);
            result.extend(&hunk.new);
            done = place + hunk.old.len();
        }
        if done == 0 {
            return Err(wrong(at, "\"@@ -LINE,COUNT +LINE,COUNT @@ FUNCTION\""));
        }
        result.extend(&source[done..]);
        fs::write(&path, result.join("\n") + "\n")
            .map_err(|error| format!("{at}: {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Reads the hunk at line `at`, and moves that behind it.
fn hunk<'a>(lines: &[&'a str], at: &mut usize) -> std::result::Result<Hunk<'a>, String> {
    let header = *at + 1;
    let wrong = || {
        format!(
            "{header}: found {:?}, expected \"@@ -LINE,COUNT +LINE,COUNT @@ FUNCTION\"",
            lines[header - 1]
        )
    };
    let inner = lines[*at]
        .strip_prefix("@@ -")
        .and_then(|rest| rest.split_once(" @@"));
    let (ranges, heading) = inner.ok_or_else(wrong)?;
    let (from, to) = ranges.split_once(" +").ok_or_else(wrong)?;
    let count = |range: &str| -> Option<(usize, usize)> {
        let (line, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((line.parse().ok()?, count.parse().ok()?))
    };
    let ((line, olds), (_, news)) = count(from).zip(count(to)).ok_or_else(wrong)?;
    let (mut old, mut new) = (Vec::new(), Vec::new());
    while old.len() < olds || new.len() < news {
        *at += 1;
        let text = lines.get(*at).copied().unwrap_or("\\");
        let (kind, rest) = text.split_at_checked(1).unwrap_or((" ", ""));
        match kind {
            " " => {
                old.push(rest);
                new.push(rest);
            }
            "-" => old.push(rest),
            "+" => new.push(rest),
            _ => {
                return Err(format!(
                    "{}: found {text:?}, expected {olds} old and {news} new lines after line {header}",
                    *at + 1
                ));
            }
        }
    }
    *at += 1;
    if old.len() != olds || new.len() != news || old.is_empty() {
        return Err(format!(
            "{header}: found {} old and {} new lines, expected {olds} and {news}, and at least one old one",
            old.len(),
            new.len()
        ));
    }
    Ok(Hunk {
        at: header,
        line,
        heading: heading.trim(),
        old,
        new,
    })
}

/// Where the hunk's lines are in the file, from line `from` on: at one place in the function that it names.
fn place(source: &[&str], from: usize, hunk: &Hunk) -> std::result::Result<usize, String> {
    let count = hunk.old.len();
    let fits = |at: &usize| source[*at..*at + count] == hunk.old;
    let all: Vec<usize> = (from..(source.len() + 1).saturating_sub(count))
        .filter(fits)
        .collect();
    let inside: Vec<usize> = all
        .iter()
        .copied()
        .filter(|at| heading(source, *at) == hunk.heading)
        .collect();
    match (inside.as_slice(), all.first()) {
        ([place], _) => Ok(*place),
        ([first, second, ..], _) => Err(format!(
            "found the lines twice in {:?}, at lines {} and {}, expected one place",
            hunk.heading,
            first + 1,
            second + 1
        )),
        ([], Some(other)) => Err(format!(
            "found the lines at line {} in {:?}, expected them in {:?}",
            other + 1,
            heading(source, *other),
            hunk.heading
        )),
        ([], None) => Err(nearest(source, from, hunk)),
    }
}

/// What differs where most of the hunk's lines are.
fn nearest(source: &[&str], from: usize, hunk: &Hunk) -> String {
    let same = |at: usize, i: usize| source.get(at + i) == Some(&hunk.old[i]);
    let fits = |at: usize| (0..hunk.old.len()).filter(|i| same(at, *i)).count();
    let far = |at: usize| at.abs_diff(hunk.line.saturating_sub(1));
    let all = from..source.len().max(from + 1);
    let best = all.max_by_key(|at| (fits(*at), Reverse(far(*at))));
    let best = best.unwrap_or(from);
    let other = (0..hunk.old.len()).find(|i| !same(best, *i)).unwrap_or(0);
    format!(
        "line {}: found {:?}, expected {:?} ({} of {} lines are as they should be from line {} on, and nowhere more)",
        best + other + 1,
        source.get(best + other).unwrap_or(&"the end"),
        hunk.old[other],
        fits(best),
        hunk.old.len(),
        best + 1
    )
}

/// The line that begins the function which line `at` follows, as git writes it behind `@@`.
fn heading<'a>(source: &[&'a str], at: usize) -> &'a str {
    const MOST: usize = 80;
    let begins = |line: &&&str| {
        line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '$')
    };
    let line = source[..at]
        .iter()
        .rev()
        .find(begins)
        .copied()
        .unwrap_or_default();
    let end = (0..=MOST.min(line.len()))
        .rev()
        .find(|end| line.is_char_boundary(*end));
    line[..end.unwrap_or(0)].trim()
}

fn read(path: &Path) -> Result<String> {
    Ok(fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?)
}
