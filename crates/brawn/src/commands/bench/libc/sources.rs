//! The rows' sources, without what a compiler cannot build.
//!
//! An old musl, or another libc, lacks a header or a function. Then the compiler or the linker names lines or symbols,
//! and what stands there at the top level is taken out: a row, an `#include`, a function that rows share. Where
//! that would change what other rows measure, the whole file goes.

use brawn_lab::judge::functions::ROWS;

/// What takes out no more than itself.
#[derive(Clone, Debug)]
pub struct Sources {
    files: Vec<(&'static str, Vec<String>)>,
}

/// What begins a line whose loss other rows would feel.
const SHARED: [&str; 3] = ["PREPARE", "#define", "#include \"bench.h\""];

impl Sources {
    /// Those that have rows of these families: what is not measured need not be compiled.
    pub fn of(families: &[&str]) -> Self {
        let has = |text: &str| {
            let begins = |family: &&str| text.contains(&format!("(\"{family}\","));
            families.iter().any(begins)
        };
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let files = ROWS.iter().filter(|(_, text)| has(text));
        Self {
            files: files.map(|(name, text)| (*name, lines(text))).collect(),
        }
    }

    /// Their names and texts.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, String)> {
        let files = self.files.iter();
        files.map(|(name, lines)| (*name, lines.join("\n") + "\n"))
    }

    /// Takes a whole file out.
    pub fn drop(&mut self, name: &str) {
        self.files.retain(|(own, _)| *own != name);
    }

    /// Takes out what `said`, the output of a compiler or a linker, is about. Whether it was about anything.
    pub fn without(&mut self, said: &str) -> bool {
        // An error within a header has a line above it that says what includes the header, and so has a note.
        let (above, own): (Vec<&str>, Vec<&str>) =
            said.lines().partition(|line| line.contains("from "));
        self.without_lines(&own.join("\n")) || self.without_lines(&above.join("\n"))
    }

    fn without_lines(&mut self, said: &str) -> bool {
        let symbols = symbols(said);
        let (mut lost, mut found) = (Vec::new(), Vec::new());
        for (file, (name, lines)) in self.files.iter().enumerate() {
            let mut hit = positions(said, name);
            let uses = |line: &String| words(line).any(|word| symbols.contains(&word));
            hit.extend((0..lines.len()).filter(|at| uses(&lines[*at])));
            for at in hit {
                let Some((from, to)) = construct(lines, at) else {
                    continue;
                };
                match SHARED.iter().any(|word| lines[from].starts_with(word)) {
                    true => lost.push(*name),
                    false => found.push((file, from, to)),
                }
            }
        }
        // The lines of a macro stand beside that of the row that uses it.
        if found.is_empty() {
            lost.iter().for_each(|name| self.drop(name));
            return !lost.is_empty();
        }
        for (file, from, to) in found {
            // Empty lines, so that what follows keeps its numbers.
            self.files[file].1[from..=to].fill(String::new());
        }
        true
    }
}

/// The lines of `file`, from 0, that `said` names as in `more.c:12:`.
fn positions(said: &str, file: &str) -> Vec<usize> {
    let is_name = |at: usize| !said[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let number = |(at, _): (usize, &str)| {
        let digits = said[at + file.len()..].strip_prefix(':')?;
        let digits = digits.split(|c: char| !c.is_ascii_digit()).next()?;
        let line: usize = digits.parse().ok().filter(|_| is_name(at))?;
        line.checked_sub(1)
    };
    said.match_indices(file).filter_map(number).collect()
}

/// The symbols that a linker does not find, as GNU's, gold, mold and LLVM's say it.
fn symbols(said: &str) -> Vec<&str> {
    let markers = ["undefined reference to ", "undefined symbol: "];
    let found = markers.iter().flat_map(|marker| {
        let rests = said.match_indices(marker);
        rests.map(|(at, _)| &said[at + marker.len()..])
    });
    found.filter_map(|rest| words(rest).next()).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty())
}

/// The first and last line of what stands at the top level around a line, as clang-format writes it.
fn construct(lines: &[String], at: usize) -> Option<(usize, usize)> {
    let begins = |line: &String| !line.is_empty() && !line.starts_with([' ', '\t', '}', '/']);
    let line = lines.get(at).filter(|line| !line.is_empty())?;
    if line.starts_with('/') {
        return None;
    }
    let from = (0..=at).rev().find(|n| begins(&lines[*n]))?;
    let more = lines[from + 1..].iter();
    // The lines of a macro are indented; a body ends with a brace.
    let inside = more.take_while(|line| line.starts_with([' ', '\t']) || line.is_empty());
    let mut to = from + inside.count();
    let is_open = lines[from].ends_with('{') || lines[from].ends_with('(');
    if is_open && lines.get(to + 1).is_some_and(|l| l.starts_with('}')) {
        to += 1;
    }
    if !is_open {
        // Without a body, an empty line ends it.
        let rest = lines[from + 1..].iter();
        to = from + rest.take_while(|l| l.starts_with([' ', '\t'])).count();
    }
    (to >= at).then_some((from, to))
}

#[cfg(test)]
mod tests;
