//! Computes the flags for cargo from cargo's answers.

use super::Request;
use super::ask::{Answer, Answers, Question};
use super::change::{Change, HIDING, Hiding, Target, variable_of};
use super::libc::{self, Outcome};
use super::witness::Witness;
use brawn_core::{Error, Result};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// A flag that is added to see whether a target has flags of its own: if so, `build.rustflags` is not used for it.
const MARK: &str = "--cfg=brawn_asks";

/// The change, and the files that it depends on.  Without these files, the change must not be kept for the next time.
pub fn find(request: &Request, question: &Question) -> Result<(Change, Option<Vec<Witness>>)> {
    let wanted = question.line.values("--target");
    let first = match question.ask(&wanted, &Change::default()) {
        Ok(answers) => answers,
        // Most likely cargo itself cannot start; its own message is the best one.
        Err(error) => {
            let notes = vec![format!("{error}; this build is done without brawn")];
            return Ok((Change::saying(notes), None));
        }
    };
    let mut witnesses = toolchain(&first, question);
    let names = musl(&first);
    let all = if names.iter().all(|name| first.of(name).is_some()) {
        None
    } else {
        let names: Vec<OsString> = names.iter().map(Into::into).collect();
        Some(question.ask(&names, &Change::default())?)
    };
    let of = |name: &str| all.as_ref().and_then(|all| all.of(name)).or(first.of(name));

    let (mut targets, mut notes) = copies(request, question, &first, of, &mut witnesses)?;
    if question.line.is_cargos() {
        notes.extend(idle(&first, of));
    }
    let is_live = |name: &str| targets.iter().any(|t: &Target| t.name == name);
    let live = first.names().filter(|name| is_live(name)).count();
    let hiding = hiding();
    let is_for_others = question.line.is_cargos() && live == 0;
    if targets.is_empty() || (hiding.is_some() && is_for_others) {
        return Ok((Change::saying(notes), Some(witnesses)));
    }
    let hiding = match hiding {
        None => {
            find_own(question, &mut targets)?;
            None
        }
        Some(variables) => Some(hidden(question, &first, &targets, variables, live)?),
    };
    if hiding.as_ref().is_some_and(|h| h.hides && h.is_for_one) {
        targets.retain(|target| first.of(&target.name).is_some());
    }
    let mut change = Change::new(&targets, hiding.as_ref(), |name| std::env::var(name).ok())?;
    check(question, &wanted, &first, &targets, &change)?;
    if let Some(all) = &all
        && !change.set.iter().any(|(name, _)| name == HIDING[0])
    {
        let names: Vec<OsString> = names.iter().map(Into::into).collect();
        check(question, &names, all, &targets, &change)?;
    }
    change.notes = notes;
    Ok((change, Some(witnesses)))
}

/// The files of the toolchain on which the answers depend.
fn toolchain(first: &Answers, question: &Question) -> Vec<Witness> {
    let mut witnesses = vec![
        Witness::of(&first.rustc),
        Witness::of(Path::new(&question.line.cargo())),
    ];
    let sysroots: BTreeSet<_> = first.targets.iter().map(|t| &t.sysroot).collect();
    for sysroot in sysroots {
        witnesses.push(Witness::of(&sysroot.join("bin/rustc")));
        // This directory changes when a target is added.
        witnesses.push(Witness::of(&libc::targets(sysroot)));
    }
    witnesses
}

/// Patches a copy of each static target of musl's.  Returns the targets that get a flag, and messages about the others.
fn copies<'a>(
    request: &Request,
    question: &Question,
    first: &Answers,
    of: impl Fn(&str) -> Option<&'a Answer>,
    witnesses: &mut Vec<Witness>,
) -> Result<(Vec<Target>, Vec<String>)> {
    let (mut targets, mut notes) = (Vec::new(), Vec::new());
    for name in musl(first) {
        let Some(answer) = of(&name).filter(|answer| answer.is_static_musl) else {
            continue;
        };
        let is_host = name == first.host
            && (!question.line.is_cargos() || first.targets.iter().any(|t| t.target.is_none()));
        match libc::copy(request, &name, answer, is_host, question.root, witnesses)? {
            Outcome::Copied(flag) => targets.push(Target {
                flags: answer.flags.clone(),
                name,
                flag,
                has_own: false,
            }),
            Outcome::Alone(why) if !question.line.is_cargos() || first.of(&name).is_some() => {
                notes.push(format!("{name}: left alone: {why}"));
            }
            Outcome::Alone(_) | Outcome::Already => {}
        }
    }
    Ok((targets, notes))
}

/// Finds out which flags `variables` hide; they take precedence over a target's own flags.  `live` targets of this
/// build get a flag.
fn hidden(
    question: &Question,
    first: &Answers,
    targets: &[Target],
    variables: Vec<(&'static str, String)>,
    live: usize,
) -> Result<Hiding> {
    let wanted = question.line.values("--target");
    let is_live = |name: &str| targets.iter().any(|t| t.name == name);
    let mut names: Vec<OsString> = targets.iter().map(|t| t.name.clone().into()).collect();
    names.extend(
        wanted
            .iter()
            .filter(|w| !w.to_str().is_some_and(is_live))
            .cloned(),
    );
    let below = question.ask(&names, &Change::without_hiding())?;
    let default = question.ask(&wanted, &Change::without_hiding())?;
    let mut answers = below.targets.iter().chain(&default.targets);
    Ok(Hiding {
        variables,
        hides: answers.any(|answer| !answer.flags.is_empty()),
        is_known: question.line.is_cargos(),
        is_for_one: question.line.is_cargos() && (live, first.targets.len()) == (1, 1),
    })
}

/// Every target that may be for musl: the installed ones, since an alias, another program or a script that runs cargo
/// may build for them, and those that the user asked for.
fn musl(first: &Answers) -> Vec<String> {
    let installed = first
        .targets
        .iter()
        .flat_map(|t| libc::installed(&t.sysroot));
    let asked = first.names().map(str::to_owned);
    let names = installed
        .chain(asked)
        .filter(|name| name.contains("musl") && !name.ends_with(".json"));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The message for a build without anything to do, if no other message says why.
fn idle<'a>(first: &Answers, of: impl Fn(&str) -> Option<&'a Answer>) -> Option<String> {
    let musl: Vec<&str> = first.names().filter(|name| name.contains("musl")).collect();
    if musl.is_empty() {
        return Some(
            "no target of this build is for musl, so there is nothing to do: name one with `--target`".into(),
        );
    }
    let dynamic = |name: &&&str| of(name).is_some_and(|answer| !answer.is_static_musl);
    let name = musl.iter().find(dynamic)?;
    Some(format!(
        "{name}: left alone: it is not linked statically (no crt-static)"
    ))
}

/// The variables whose flags hide those of the configuration, if any is set.
fn hiding() -> Option<Vec<(&'static str, String)>> {
    let set = HIDING
        .into_iter()
        .filter_map(|name| Some((name, std::env::var(name).ok()?)));
    Some(set.collect::<Vec<_>>()).filter(|set| !set.is_empty())
}

/// Finds out which targets have flags of their own, rather than `build.rustflags`.
fn find_own(question: &Question, targets: &mut [Target]) -> Result<()> {
    if targets.iter().all(|target| target.flags.is_empty()) {
        return Ok(());
    }
    let names: Vec<OsString> = targets.iter().map(|t| t.name.clone().into()).collect();
    let mut marked = Change::default();
    for target in targets.iter() {
        let variable = variable_of(&target.name);
        let own = std::env::var(&variable).unwrap_or_default();
        marked.set.push((variable, format!("{own} {MARK}")));
    }
    let answers = question.ask(&names, &marked)?;
    for target in targets {
        let answer = answers.of(&target.name);
        target.has_own = answer.is_some_and(|a| a.flags.iter().any(|flag| flag != MARK));
    }
    Ok(())
}

/// Checks that with the change every target still has the user's flags, and that ours have brawn's flag, too.
fn check(
    question: &Question,
    asked: &[OsString],
    before: &Answers,
    targets: &[Target],
    change: &Change,
) -> Result<()> {
    let after = question.ask(asked, change)?;
    for old in &before.targets {
        let name = before.name(old);
        let mut expected = old.flags.clone();
        let target = targets.iter().find(|t| t.name == name);
        expected.extend(target.map(|t| t.flag.clone()));
        let new = after.of(name);
        let mut found = new.map(|new| new.flags.clone()).unwrap_or_default();
        expected.sort_unstable();
        found.sort_unstable();
        if found != expected {
            return Err(Error::refused(format!(
                "{name}: cargo would pass other rustflags: {}",
                found.join(" ")
            ))
            .expected(expected.join(" "))
            .next("this is a fault of brawn's: please report it with your rustflags"));
        }
    }
    Ok(())
}
