//! Reads the `//#` comments at the top of a program, which say where and how it runs.
//!
//! | directive | meaning |
//! |---|---|
//! | `states: TEXT` | what the program holds a heap to; required |
//! | `libc: stock brawn glibc` | the libcs it runs against; all of them by default. What stock cannot do, a rewritten program may: `brawn rewritten` |
//! | `link: static lld …` | how it is linked with musl; `static` (C) or `zig` (C++) by default |
//! | `glibc-link: static` | how it is linked with glibc; `dynamic` by default |
//! | `case: NAME …` | one trial for each name, which is passed as the first argument |
//! | `object: FILE …` | further sources, linked as objects |
//! | `archive: FILE …` | further sources, linked as an archive that stands before libc |
//! | `cflags: FLAG …` | more flags for the compiler |
//! | `env: NAME=VALUE …` | environment variables for the run |
//! | `timeout: SECONDS` | after which the run is killed and has failed; 30 by default |
//! | `alone` | keeps the machine to itself: timing or memory matter to it |
//! | `needs-root: CASE …` | these cases, or all without names, change root directories or owners |
//! | `profile: secure …` | the payload's variants that it holds to it; all of them by default |
//! | `own-heap` | it brings functions of the heap: `brawn rewrite` refuses to exchange the heap |
//! | `at-least: 90% of stock` | each `measure NAME VALUE` that it prints, against stock's |
//! | `at-least: 75% of stock, secure` | the same for one variant |
//! | `fails: PATTERN: REASON` | running it must fail there |
//! | `does-not-link: PATTERN: REASON` | linking it must fail there |
//! | `not-covered: PATTERN: REASON` | it can state nothing there: listed as ignored, with the reason |
//!
//! A pattern is `LIBC`, `LIBC/LINK` or `LIBC/LINK/CASE`; each part may be `*`. `brawn` is brawn on every musl,
//! `brawn@1.2.2` brawn on one, and `qemu` everything that runs under qemu-user. If a declared failure does not
//! happen, that is an error: so declarations stay true.

use crate::ways::{Libc, Link};
use brawn_payload::Profile;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The step at which a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A tool or file is missing, or a source does not compile: never an expected result.
    Setup,
    /// Linking.
    Link,
    /// Running.
    Run,
}

/// A declared failure, with its reason.
#[derive(Clone, Debug)]
pub struct Exception {
    /// `LIBC[/LINK[/CASE]]`.
    pub pattern: String,
    /// The step that fails.
    pub stage: Stage,
    /// The reason.
    pub reason: String,
}

/// The place where a program runs, with the names that patterns use for it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Every name of the libc: of the heap alone, with its profile, and with its musl.
    pub libcs: Vec<String>,
    /// How it is linked.
    pub link: Link,
}

/// One program of `conformance/programs/`, as its directives describe it.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// File name without extension.
    pub name: String,
    /// The source.
    pub path: PathBuf,
    /// Whether it is C++.
    pub cxx: bool,
    /// The requirement that it tests.
    pub states: String,
    /// The libcs that it runs on.
    pub libcs: Vec<Libc>,
    /// How it is linked with musl.
    pub links: Vec<Link>,
    /// How it is linked with glibc.
    pub glibc_link: Link,
    /// First arguments, with one trial each. If empty, there is one trial without an argument.
    pub cases: Vec<String>,
    /// Sources of further objects.
    pub objects: Vec<PathBuf>,
    /// Sources of an archive before libc.
    pub archives: Vec<PathBuf>,
    /// More flags for the compiler.
    pub cflags: Vec<String>,
    /// Environment of the run.
    pub env: Vec<(String, String)>,
    /// The longest time that it may run.
    pub timeout: Duration,
    /// Whether nothing else may run at the same time.
    pub alone: bool,
    /// The cases that only root can run; empty for all cases.
    pub needs_root: Option<Vec<String>>,
    /// Whether it has functions of a heap of its own.
    pub own_heap: bool,
    /// The percentage of stock's measures that brawn must reach.
    pub at_least: Option<u64>,
    /// The same for variants that need to reach less.
    pub at_least_of: Vec<(Profile, u64)>,
    /// The payload's variants that it runs with.
    pub profiles: Vec<Profile>,
    /// Declared failures.
    pub exceptions: Vec<Exception>,
    /// Where it can show nothing.
    pub not_covered: Vec<Exception>,
}

impl Program {
    /// Every program of `folder`, sorted by name.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let entries =
            std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "c" || e == "cc"))
            .collect();
        paths.sort_unstable();
        paths.iter().map(|p| Self::read(p)).collect()
    }

    /// Reads `path`'s directives.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(path, &text)
    }

    /// Parses `text`, the contents of `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let cxx = path.extension().is_some_and(|e| e == "cc");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut program = Self {
            name: name.into_owned(),
            path: path.to_owned(),
            cxx,
            libcs: Libc::ALL.to_vec(),
            links: vec![if cxx { Link::Zig } else { Link::Static }],
            timeout: Duration::from_secs(30),
            profiles: Profile::ALL.to_vec(),
            ..Self::default()
        };
        for (index, line) in text.lines().enumerate() {
            if let Some(directive) = line.strip_prefix("//#") {
                program
                    .apply(directive.trim())
                    .map_err(|e| format!("{}:{}: {e}", path.display(), index + 1))?;
            }
        }
        if program.states.is_empty() {
            return Err(format!("{}: no `//# states:` line", path.display()));
        }
        Ok(program)
    }

    fn apply(&mut self, directive: &str) -> Result<(), String> {
        let (key, value) = directive.split_once(':').unwrap_or((directive, ""));
        let value = value.trim();
        let words = || value.split_whitespace();
        let folder = self.path.parent().unwrap_or(Path::new(".")).to_owned();
        match key {
            "states" => {
                if !self.states.is_empty() {
                    self.states.push(' ');
                }
                self.states.push_str(value);
            }
            "libc" => self.libcs = words().map(Libc::from_name).collect::<Result<_, _>>()?,
            "link" => self.links = words().map(link).collect::<Result<_, _>>()?,
            "glibc-link" => self.glibc_link = link(value)?,
            "case" => self.cases.extend(words().map(str::to_owned)),
            "object" => self.objects.extend(words().map(|w| folder.join(w))),
            "archive" => self.archives.extend(words().map(|w| folder.join(w))),
            "cflags" => self.cflags.extend(words().map(str::to_owned)),
            "env" => {
                for word in words() {
                    let (name, value) = word
                        .split_once('=')
                        .ok_or_else(|| format!("expected NAME=VALUE, found {word}"))?;
                    self.env.push((name.to_owned(), value.to_owned()));
                }
            }
            "timeout" => {
                let seconds = value.parse().map_err(|e| format!("timeout {value}: {e}"))?;
                self.timeout = Duration::from_secs(seconds);
            }
            "alone" => self.alone = true,
            "own-heap" => self.own_heap = true,
            "needs-root" => self.needs_root = Some(words().map(str::to_owned).collect()),
            "profile" => self.profiles = words().map(profile).collect::<Result<_, _>>()?,
            "at-least" => {
                let (share, of) = value.split_once(", ").unwrap_or((value, ""));
                let percent = share
                    .strip_suffix("% of stock")
                    .and_then(|p| p.parse().ok())
                    .ok_or_else(|| format!("expected `N% of stock[, PROFILE]`, found {value}"))?;
                if of.is_empty() {
                    self.at_least = Some(percent);
                } else {
                    self.at_least_of.push((profile(of)?, percent));
                }
            }
            "fails" => self.exceptions.push(exception(Stage::Run, value)?),
            "does-not-link" => self.exceptions.push(exception(Stage::Link, value)?),
            "not-covered" => self.not_covered.push(exception(Stage::Run, value)?),
            _ => return Err(format!("unknown directive {key}")),
        }
        Ok(())
    }

    /// The ways in which it is linked with `libc`.
    pub fn links_with(&self, libc: Libc) -> Vec<Link> {
        match libc {
            Libc::Glibc => vec![self.glibc_link],
            Libc::Stock => {
                let links = self.links.iter().copied();
                links.filter(|l| !l.needs_payload()).collect()
            }
            Libc::Brawn => self.links.clone(),
            Libc::Rewritten => {
                let links = self.links_with(Libc::Stock).into_iter();
                links.filter(|l| l.gives_static()).collect()
            }
            Libc::Preloaded => {
                let simple = [Link::Static, Link::Zig];
                let can = simple.iter().any(|link| self.links.contains(link));
                can.then_some(Link::Dynamic).into_iter().collect()
            }
        }
    }

    /// Whether only root can run `case`.
    pub fn is_roots(&self, case: Option<&str>) -> bool {
        self.needs_root.as_ref().is_some_and(|cases| {
            cases.is_empty() || case.is_some_and(|case| cases.iter().any(|c| c == case))
        })
    }

    /// The percentage of stock's measures that this variant must reach, if the program prints any.
    pub fn percent(&self, profile: Profile) -> Option<u64> {
        let mut others = self.at_least_of.iter();
        let own = others.find(|(of, _)| *of == profile);
        own.map(|(_, percent)| *percent).or(self.at_least)
    }

    /// The declared failure of this trial, if there is one.
    pub fn exception(&self, place: &Surroundings, case: Option<&str>) -> Option<&Exception> {
        let mut all = self.exceptions.iter();
        all.find(|e| e.fits(place, case))
    }

    /// The declaration that this trial can show nothing, if there is one.
    pub fn not_covered(&self, place: &Surroundings, case: Option<&str>) -> Option<&Exception> {
        let mut all = self.not_covered.iter();
        all.find(|e| e.fits(place, case))
    }
}

fn exception(stage: Stage, value: &str) -> Result<Exception, String> {
    let (pattern, reason) = value
        .split_once(": ")
        .ok_or_else(|| format!("expected `PATTERN: REASON`, found {value}"))?;
    Ok(Exception {
        pattern: pattern.trim().to_owned(),
        stage,
        reason: reason.trim().to_owned(),
    })
}

impl Exception {
    fn fits(&self, place: &Surroundings, case: Option<&str>) -> bool {
        let libcs: Vec<&str> = place.libcs.iter().map(String::as_str).collect();
        let parts: [&[&str]; 3] = [&libcs, &[place.link.name()], &[case.unwrap_or("")]];
        let pattern: Vec<&str> = self.pattern.split('/').collect();
        let fits = |(p, part): (&&str, &&[&str])| *p == "*" || part.contains(p);
        pattern.len() <= parts.len() && pattern.iter().zip(&parts).all(fits)
    }
}

impl Surroundings {
    /// The surroundings in a user's own toolchain with brawn's heap, where the version of musl is unknown.
    pub fn brawns(profile: Profile, link: Link) -> Self {
        let brawn = Libc::Brawn.name();
        let heap = match profile {
            Profile::Fast => brawn.to_owned(),
            other => format!("{brawn}-{}", other.name()),
        };
        Self {
            libcs: vec![brawn.to_owned(), heap],
            link,
        }
    }
}

/// The way of linking of that name.
fn link(name: &str) -> Result<Link, String> {
    Link::from_name(name).ok_or_else(|| format!("unknown link {name}"))
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| format!("unknown profile {name}"))
}

#[cfg(test)]
mod tests;
