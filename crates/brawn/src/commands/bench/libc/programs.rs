//! Builds the programs of the rows, and runs them.

use super::sources::Sources;
use super::{Finding, LeftOut};
use crate::bar::Bar;
use crate::commands::bench::build::{Site, Way};
use crate::ui;
use brawn_core::Result;
use brawn_lab::judge::functions::{
    BRAWN, CXX, FAMILIES, GLIBC, HEADER, LIFE, LIVES, MAIN, Round, START, STARTS, STOCK, Sample,
    THROW, parts, printed,
};
use brawn_lab::process::job::{End, Run};
use brawn_lab::run::outputs::ended;
use brawn_lab::run::rounds::{Order, Request, session};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a compiler is asked again, with less.
const ATTEMPTS: usize = 64;
/// How many of a compiler's messages are kept.
const MESSAGES: usize = 3;

/// The compilers that the user named.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// For musl.
    pub cc: &'a str,
    /// For glibc.
    pub against_cc: Option<&'a str>,
    /// For musl, in C++.
    pub cxx: Option<&'a str>,
}

/// The programs of every form.
pub struct Programs<'r> {
    site: &'r Site<'r>,
    /// Those for C, and for C++ in the same order if there are any.
    ways: Vec<Way>,
    cxx: Vec<Way>,
    /// The rows to run, by family, in the programs' order.
    rows: Vec<(&'static str, Vec<String>)>,
    limit: Duration,
    pub left_out: Vec<LeftOut>,
}

/// The name of a form in the data.
fn side(way: &Way) -> &'static str {
    match way.name {
        BRAWN => BRAWN,
        GLIBC => GLIBC,
        _ => STOCK,
    }
}

impl<'r> Programs<'r> {
    /// Builds what `chosen` needs.
    pub fn build(
        site: &'r Site<'r>,
        asked: Asked<'_>,
        chosen: &[&str],
        limit: Duration,
    ) -> Result<Self> {
        for (name, text) in [HEADER, MAIN, THROW, LIVES] {
            site.write(name, text.as_bytes())?;
        }
        let mut programs = Self {
            site,
            ways: site.ways.clone(),
            cxx: Vec::new(),
            rows: Vec::new(),
            limit,
            left_out: Vec::new(),
        };
        let of = |is_its: fn(&str) -> bool| -> Vec<&str> {
            let is_its = |row: &&str| is_its(parts(row).0);
            chosen.iter().copied().filter(is_its).collect()
        };
        programs.c(of(|family| ![CXX, START].contains(&family)))?;
        programs.cxx(of(|family| family == CXX), asked)?;
        programs.lives(of(|family| family == START))?;
        match programs.rows.is_empty() {
            false => Ok(programs),
            true => {
                let why = programs.left_out.iter().map(|left| left.why.clone());
                let why: Vec<String> = why.collect();
                Err(brawn_core::Error::not_applicable(format!(
                    "no row can be measured: {}",
                    why.join("; ")
                )))
            }
        }
    }

    /// The names of the forms, as the data has them.
    pub fn sides(&self) -> Vec<&'static str> {
        self.ways.iter().map(side).collect()
    }

    /// The commands, by form.
    pub fn compilers(&self) -> BTreeMap<String, String> {
        let c = self.ways.iter().map(|way| (side(way).to_owned(), way));
        let cxx = self.cxx.iter();
        let cxx = cxx.map(|way| (format!("{}, C++", side(way)), way));
        c.chain(cxx).map(|(name, way)| (name, way.line())).collect()
    }

    fn path(&self, program: &str, side: &str) -> PathBuf {
        // The name of stock musl has a blank.
        let word = side.split(' ').next_back().unwrap_or(side);
        self.site.at(&format!("{program}-{word}"))
    }

    /// Builds the rows in C.
    fn c(&mut self, mut wanted: Vec<&str>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let families: Vec<&str> = wanted.iter().map(|row| parts(row).0).collect();
        let mut sources = Sources::of(&families);
        let (mut order, mut whys) = (Vec::new(), Vec::new());
        for way in &self.ways {
            let path = self.path("rows", side(way));
            whys.push(self.rows_of(way, &path, &mut sources)?);
        }
        for (way, why) in self.ways.clone().iter().zip(whys) {
            order = self.listed(&self.path("rows", side(way)))?;
            self.lacks(way, &mut wanted, &order, why);
        }
        self.add(order, &wanted);
        Ok(())
    }

    /// Builds one form of them. What its compiler cannot build is taken out of `sources`; gives what it said.
    fn rows_of(&self, way: &Way, path: &Path, sources: &mut Sources) -> Result<Vec<String>> {
        let mut why = Vec::new();
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let mut names = vec![MAIN.0];
            for (name, text) in sources.files() {
                self.site.write(name, text.as_bytes())?;
                names.push(name);
            }
            let Some(said) = self.site.compile(way, path, &names, &["-lm"])? else {
                return Ok(why);
            };
            why.push(self.site.message(&said));
            if !sources.without(&said) && !self.without_files(way, sources)? {
                return Err(self.site.refused(way, "the rows", &said));
            }
            last = said;
        }
        Err(self.site.refused(way, "the rows", &last))
    }

    /// Takes out the files that a compiler cannot build, each alone. Whether there were any, and not all.
    fn without_files(&self, way: &Way, sources: &mut Sources) -> Result<bool> {
        let names: Vec<&str> = sources.files().map(|(name, _)| name).collect();
        let mut count = 0;
        for name in &names {
            let path = self.site.at("alone");
            let said = self.site.compile(way, &path, &[MAIN.0, name], &["-lm"])?;
            if said.is_some() {
                sources.drop(name);
                count += 1;
            }
        }
        Ok(count > 0 && count < names.len())
    }

    /// The rows of a program, in its order.
    fn listed(&self, path: &Path) -> Result<Vec<String>> {
        let run = self.run(path, &["rows", "--list"])?;
        let text = String::from_utf8_lossy(&run.output[0].bytes);
        match run.end {
            End::Exit(0) => Ok(printed(&text).map(|(row, _)| row).collect()),
            _ => {
                let found = format!("the program of the rows {}", ended(&run));
                Err(brawn_core::Error::refused(found).path(path))
            }
        }
    }

    /// Takes out of `wanted` what a form does not have, and says why.
    fn lacks(&mut self, way: &Way, wanted: &mut Vec<&str>, has: &[String], why: Vec<String>) {
        let is_lost = |row: &&str| !has.iter().any(|own| own == row);
        let missing: Vec<&str> = wanted.iter().copied().filter(is_lost).collect();
        if missing.is_empty() {
            return;
        }
        wanted.retain(|row| !missing.contains(row));
        let mut why: Vec<String> = why.into_iter().take(MESSAGES).collect();
        if why.is_empty() {
            why.push("the program has no such row".into());
        }
        self.leave_out(&missing, format!("`{}`: {}", way.typed(), why.join("; ")));
    }

    /// Adds rows, in the order of `order`.
    fn add(&mut self, order: Vec<String>, wanted: &[&str]) {
        let is_wanted = |row: &String| wanted.contains(&row.as_str());
        for row in order.into_iter().filter(is_wanted) {
            let (family, name) = parts(&row);
            let Some(family) = FAMILIES.into_iter().find(|known| *known == family) else {
                continue;
            };
            match self.rows.iter_mut().find(|(known, _)| *known == family) {
                Some((_, rows)) => rows.push(name.to_owned()),
                None => self.rows.push((family, vec![name.to_owned()])),
            }
        }
    }

    /// Builds the rows in C++, if there are compilers.
    fn cxx(&mut self, mut wanted: Vec<&str>, asked: Asked<'_>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let ways = match self.compilers_of_cxx(asked)? {
            Ok(ways) => ways,
            Err(why) => {
                self.leave_out(&wanted, why);
                return Ok(());
            }
        };
        let mut order = Vec::new();
        for way in &ways {
            let path = self.path("cxx", side(way));
            if !self.is_built(way, &path, (&[THROW.0, MAIN.0], &["-lm"]), &wanted)? {
                return Ok(());
            }
            if side(way) == STOCK {
                self.site.check(way, &path)?;
            }
            order = self.listed(&path)?;
            self.lacks(way, &mut wanted, &order, Vec::new());
        }
        self.cxx = ways;
        self.add(order, &wanted);
        Ok(())
    }

    /// Builds the program of some rows from these files, and leaves the rows out if their compiler cannot.
    fn is_built(
        &mut self,
        way: &Way,
        path: &Path,
        (files, flags): (&[&str], &[&str]),
        rows: &[&str],
    ) -> Result<bool> {
        let said = self.site.compile(way, path, files, flags)?;
        if let Some(said) = &said {
            let why = format!("`{}`: {}", way.typed(), self.site.message(said));
            self.leave_out(rows, why);
        }
        Ok(said.is_none())
    }

    fn leave_out(&mut self, rows: &[&str], why: String) {
        let rows = rows.iter().map(|row| (*row).to_owned()).collect();
        self.left_out.push(LeftOut { rows, why });
    }

    /// The compilers for C++, or why there are none.
    fn compilers_of_cxx(&self, asked: Asked<'_>) -> Result<std::result::Result<Vec<Way>, String>> {
        if asked.cxx == Some("none") {
            return Ok(Err("they are in C++, and `--cxx none` was asked for".into()));
        }
        let guessed = asked.cxx.map(str::to_owned).or_else(|| guess(asked.cc));
        let glibcs = || guess(asked.against_cc.unwrap_or("gcc"));
        let mut ways = Vec::new();
        for way in &self.ways {
            let is_glibc = side(way) == GLIBC;
            let text = match is_glibc {
                true => guessed.as_deref().and_then(beside).or_else(glibcs),
                false => guessed.clone(),
            };
            let found = text.as_deref().map(|text| way.with(text));
            match found {
                Some(Ok(way)) => ways.push(way),
                Some(Err(error)) if !is_glibc && asked.cxx.is_some() => return Err(error),
                _ => {
                    let text = text.as_deref().unwrap_or("C++ compiler");
                    let more = match is_glibc {
                        true => " for glibc",
                        false => ": name a compiler for musl with `--cxx`",
                    };
                    let why = format!("they are in C++, and there is no `{text}`{more}");
                    return Ok(Err(why));
                }
            }
        }
        Ok(Ok(ways))
    }

    /// Builds the program that begins and ends.
    fn lives(&mut self, wanted: Vec<&str>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        for way in self.ways.clone() {
            let path = self.path("start", side(&way));
            if !self.is_built(&way, &path, (&[LIVES.0], &[]), &wanted)? {
                return Ok(());
            }
        }
        self.add(vec![LIFE.to_owned()], &wanted);
        Ok(())
    }

    fn run(&self, path: &Path, words: &[&str]) -> Result<Run> {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        self.site.run(path, &arguments, self.limit)
    }

    /// Runs all rounds. A row that fails is a finding, and left out from then on.
    pub fn measure(
        &mut self,
        runs: u32,
        is_quick: bool,
        seed: u64,
    ) -> Result<(Vec<Round>, Vec<Finding>)> {
        let families: Vec<&str> = self.rows.iter().map(|(family, _)| *family).collect();
        let count: usize = self.rows.iter().map(|(_, rows)| rows.len()).sum();
        let sides = self.sides();
        let s = |count| if count == 1 { "" } else { "s" };
        let (rows, each) = (s(count), s(runs as usize));
        ui::info(&format!("{count} row{rows}, {runs} run{each} of each form"));
        let request = Request {
            rounds: runs as usize,
            things: &families,
            sides: &sides,
            order: Order::Sides,
            seed,
        };
        let steps = request.count() as u64;
        let bar = Bar::new(steps, "{bar:30} {percent:>3} %, {eta} left");
        let mut findings = Vec::new();
        let mut all = session(&request, |turn| {
            let sample = self.family(turn.thing, turn.side, is_quick, &mut findings)?;
            bar.inc(1);
            Ok((turn.side.to_string(), sample))
        })?;
        for finding in &findings {
            for sample in all.iter_mut().flat_map(BTreeMap::values_mut) {
                sample.remove(&finding.row);
            }
        }
        Ok((all, findings))
    }

    /// The rows of a family by one form's program.
    fn family(
        &mut self,
        family: &str,
        side: &str,
        is_quick: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<Sample> {
        let Some(number) = self.rows.iter().position(|(own, _)| *own == family) else {
            return Ok(Sample::new());
        };
        let mut left = self.rows[number].1.clone();
        let mut sample = Sample::new();
        while !left.is_empty() {
            let (found, run) = match family {
                START => self.life(side)?,
                _ => self.times(family, side, is_quick, &left)?,
            };
            sample.extend(found);
            let is_there = |name: &String| sample.contains_key(&format!("{family}: {name}"));
            let Some(at) = left.iter().position(|name| !is_there(name)) else {
                break;
            };
            // The rows print one after another, so this is the one that failed.
            let name = left.remove(at);
            left.drain(..at);
            let what = match run.end {
                End::Exit(0) => "printed no time".to_owned(),
                _ => ended(&run),
            };
            ui::info(&format!("{name}, {side}: {what}; it is left out"));
            self.rows[number].1.retain(|row| *row != name);
            findings.push(Finding {
                row: format!("{family}: {name}"),
                form: side.to_owned(),
                what,
            });
        }
        Ok(sample)
    }

    /// Times of these rows of a family.
    fn times(
        &self,
        family: &str,
        side: &str,
        is_quick: bool,
        names: &[String],
    ) -> Result<(Sample, Run)> {
        let program = if family == CXX { "cxx" } else { "rows" };
        let slice = if is_quick { "1" } else { "2" };
        let mut words = vec![program, "--milliseconds", slice, family];
        words.extend(names.iter().map(String::as_str));
        let run = self.run(&self.path(program, side), &words)?;
        let text = String::from_utf8_lossy(&run.output[0].bytes);
        // `extend` is less code than `collect`, which sorts.
        let mut sample = Sample::new();
        sample.extend(printed(&text));
        Ok((sample, run))
    }

    /// The least time from start to end of the program that begins and ends.
    fn life(&self, side: &str) -> Result<(Sample, Run)> {
        let path = self.path("start", side);
        let mut least = f64::INFINITY;
        let mut starts = 0;
        loop {
            let run = self.run(&path, &["start"])?;
            starts += 1;
            if run.end != End::Exit(0) {
                return Ok((Sample::new(), run));
            }
            least = least.min(run.figures.wall_ns as f64);
            if starts == STARTS {
                let mut sample = Sample::new();
                sample.insert(LIFE.to_owned(), least);
                return Ok((sample, run));
            }
        }
    }
}

/// zig's compiler for glibc beside its own for musl: it has the same unwinder, whose time the rows in C++ take.
fn beside(musl: &str) -> Option<String> {
    let is_zigs = musl.contains("zig c++ ") && musl.contains("-linux-musl");
    is_zigs.then(|| musl.replace("-linux-musl", "-linux-gnu"))
}

/// The compiler for C++ beside one for C, as its name says.
fn guess(c: &str) -> Option<String> {
    let (first, rest) = match c.find(' ') {
        Some(at) if !Path::new(c).is_file() => c.split_at(at),
        _ => (c, ""),
    };
    let (folder, name) = first.split_at(first.rfind('/').map_or(0, |at| at + 1));
    if let Some(rest) = rest.strip_prefix(" cc") {
        return Some(format!("{first} c++{rest}"));
    }
    let name = match name {
        "cc" => "c++".to_owned(),
        _ if name.contains("clang") => name.replacen("clang", "clang++", 1),
        _ if name.contains("gcc") => name.replacen("gcc", "g++", 1),
        _ => return None,
    };
    Some(format!("{folder}{name}{rest}"))
}

#[cfg(test)]
mod tests;
