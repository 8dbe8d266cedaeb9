//! The variables and arguments that cargo has to be given, as plain data.
//!
//! cargo takes a target's flags from the first of these that exists: `CARGO_ENCODED_RUSTFLAGS`, `RUSTFLAGS`, all of
//! `target.*.rustflags` together, `build.rustflags`.  brawn adds its flag to the third, which is the only one for a
//! single target, together with the flags that it would hide.

use brawn_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::process::Command;

/// The separator of flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\x1f";

/// Variables whose flags hide those of the configuration, in cargo's order.
pub const HIDING: [&str; 2] = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"];

/// Variables and arguments for cargo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Variables to take away.
    pub unset: Vec<String>,
    /// Variables to set.
    pub set: Vec<(String, String)>,
    /// Values of `--config`.
    pub config: Vec<String>,
    /// What the user has to know.
    pub notes: Vec<String>,
}

/// A target that gets a patched copy.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// brawn's flag.
    pub flag: String,
    /// The user's.
    pub flags: Vec<String>,
    /// Whether those are from `target.*.rustflags`.
    pub has_own: bool,
}

/// Flags in a variable that hides those of the configuration.
#[derive(Clone, Debug)]
pub struct Hiding {
    /// The variables that are set, with their values.
    pub variables: Vec<(&'static str, String)>,
    /// Whether there are flags that they hide.
    pub hides: bool,
    /// Whether this is a build for one target alone, which gets a patched copy.
    pub is_for_one: bool,
    /// Whether it is known what targets the build is for.
    pub is_known: bool,
}

impl Change {
    /// Without the variables that hide flags.
    pub fn without_hiding() -> Self {
        let unset = HIDING.map(str::to_owned).into();
        Self {
            unset,
            ..Self::default()
        }
    }

    /// One of messages only.
    pub fn saying(notes: Vec<String>) -> Self {
        Self {
            notes,
            ..Self::default()
        }
    }

    /// Gives `command` the variables.
    pub fn apply(&self, command: &mut Command) {
        for name in &self.unset {
            command.env_remove(name);
        }
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
    }

    /// The change that gives every target its flag beside the user's.  `variable` gives the user's variables.
    pub fn new(
        targets: &[Target],
        hiding: Option<&Hiding>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let mut change = Self::default();
        let Some(hiding) = hiding else {
            for target in targets {
                let mut flags = vec![target.flag.clone()];
                if !target.has_own {
                    flags.extend(target.flags.iter().cloned());
                }
                change.add(Some(&target.name), flags, &variable);
            }
            return Ok(change);
        };
        let [target, ..] = targets else {
            return Ok(change);
        };
        if !hiding.hides {
            // They hide no flags of the configuration, so brawn's flag can be added to the variable itself.
            change.unset = HIDING.map(str::to_owned).into();
            change.add(None, target.flags.clone(), &variable);
            for target in targets {
                let flag = [target.flag.clone()].into_iter();
                let flags = flag.chain(target.flags.iter().cloned()).collect();
                change.add(Some(&target.name), flags, &variable);
            }
        } else if hiding.is_for_one {
            let flags: Vec<&str> = std::iter::once(&target.flag)
                .chain(&target.flags)
                .map(String::as_str)
                .collect();
            change.set.push((HIDING[0].into(), flags.join(SEPARATOR)));
        } else {
            let (name, _) = hiding.variables[0];
            let (build, next) = match hiding.is_known {
                true => (
                    "for several targets",
                    "name one target with `--target`, or move the variable's flags to the configuration",
                ),
                false => (
                    "by a command that is not cargo's own, so that its targets are not known",
                    "move the variable's flags to the configuration",
                ),
            };
            return Err(Error::refused(format!(
                "{name} hides rustflags of the configuration, in a build {build}"
            ))
            .expected("one target, or rustflags in one of the two places")
            .next(next));
        }
        // Programs that cargo starts may start cargo again: they see the same flags as without brawn.
        let mut seen = hiding.variables.clone();
        if hiding.hides && seen.iter().all(|(name, _)| *name != HIDING[0]) {
            seen.push((HIDING[0], target.flags.join(SEPARATOR)));
        }
        for (name, value) in &seen {
            change
                .config
                .push(format!("env.{name}.value={}", text(value)));
            change.config.push(format!("env.{name}.force=true"));
        }
        Ok(change)
    }

    /// Adds flags for one target, or for every one that has none of its own.
    fn add(
        &mut self,
        target: Option<&str>,
        flags: Vec<String>,
        variable: impl Fn(&str) -> Option<String>,
    ) {
        if flags.is_empty() {
            return;
        }
        let name = match target {
            Some(target) => variable_of(target),
            None => "CARGO_BUILD_RUSTFLAGS".into(),
        };
        if flags.iter().all(|f| is_word(f)) {
            let own = variable(&name).filter(|own| !own.is_empty());
            let words: Vec<String> = flags.into_iter().chain(own).collect();
            self.set.push((name, words.join(" ")));
        } else {
            let flags: Vec<String> = flags.iter().map(|f| text(f)).collect();
            let table = target.map_or("build".to_owned(), |t| format!("target.{}", text(t)));
            self.config
                .push(format!("{table}.rustflags=[{}]", flags.join(",")));
        }
    }
}

/// Whether a list in a variable can hold it.
fn is_word(flag: &str) -> bool {
    !flag.is_empty() && !flag.contains(char::is_whitespace)
}

/// The variable with a target's flags.
pub fn variable_of(target: &str) -> String {
    let name = target.to_uppercase().replace(['-', '.'], "_");
    format!("CARGO_TARGET_{name}_RUSTFLAGS")
}

/// A string in TOML. JSON's strings are the same, except for one control character.
fn text(value: &str) -> String {
    serde_json::Value::from(value)
        .to_string()
        .replace('\x7f', "\\u007f")
}

#[cfg(test)]
mod tests;
