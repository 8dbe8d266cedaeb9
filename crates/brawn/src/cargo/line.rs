//! cargo's command line: only the parts that decide what is linked, and with which configuration.

use super::in_path;
use brawn_core::listed::Listed;
use brawn_core::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Commands of cargo that link nothing that is run later.  A command that is neither here nor in [`LINK`] is an alias
/// or an external program.
const LINK_NOTHING: Listed = Listed(
    "add c check clean clippy config d doc fetch fix fmt generate-lockfile git-checkout help info \
     init locate-project login logout metadata new owner package pkgid publish read-manifest \
     remove report rm rustdoc search tree uninstall update vendor verify-project version yank",
);

/// Commands of cargo's own that link.
const LINK: Listed = Listed("b bench build install r run rustc t test");

/// Commands of both lists that are cargo's built-in aliases: the user's aliases take precedence.
const SHORT: Listed = Listed("b c d r rm t");

/// Commands whose first word without a dash, and all that follows it, is for the program that they start.
const PASS_ON: Listed = Listed("r run rustc");

/// The options of these commands that have their value in the next argument.
const TAKE_VALUE: Listed = Listed(
    "--bin --color --config --example --features --jobs --lockfile-path --manifest-path \
     --message-format --package --profile --target --target-dir --crate-type --print --test \
     --bench -F -Z -j -p",
);

/// A command line in pieces. Together they are the whole line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `+toolchain`, which rustup takes.
    pub toolchain: Option<OsString>,
    /// The arguments before the command.
    pub before: Vec<OsString>,
    /// The command.
    pub command: Option<OsString>,
    /// The arguments after the command.
    pub rest: Vec<OsString>,
}

impl Line {
    pub fn parse(arguments: &[OsString]) -> Self {
        let mut arguments = arguments.iter().cloned().peekable();
        let toolchain = arguments.next_if(|a| a.as_encoded_bytes().starts_with(b"+"));
        let mut before = Vec::new();
        while let Some(flag) = arguments.next_if(|a| a.as_encoded_bytes().starts_with(b"-")) {
            let takes_value = ["--config", "--color", "--explain", "-C", "-Z"]
                .iter()
                .any(|name| flag == *name);
            before.push(flag);
            if takes_value {
                before.extend(arguments.next());
            }
        }
        Self {
            toolchain,
            before,
            command: arguments.next(),
            rest: arguments.collect(),
        }
    }

    /// Whether it may link something.
    pub fn links(&self) -> bool {
        let has = |flags: &[OsString], of: &[&str]| flags.iter().any(|f| of.iter().any(|o| f == o));
        let asks = has(&self.before, &["--version", "-V", "--list", "--help", "-h"])
            || (self.is_cargos() && has(self.own(), &["--help", "-h"]));
        let command = self.command.as_ref();
        !asks && command.is_some_and(|command| !LINK_NOTHING.has(command))
    }

    /// Whether the command may be an alias of the user's.
    pub fn may_be_alias(&self) -> bool {
        let is_alias =
            |name: &OsString| SHORT.has(name) || !LINK.has(name) && !LINK_NOTHING.has(name);
        self.command.as_ref().is_some_and(is_alias)
    }

    /// The line with the command replaced by `words`, for which it is an alias.
    pub fn with_alias(&self, words: &[String]) -> Self {
        let words = words.iter().map(OsString::from);
        let all = self.toolchain.iter().chain(&self.before).cloned();
        let all: Vec<_> = all.chain(words).chain(self.rest.iter().cloned()).collect();
        Self::parse(&all)
    }

    /// The arguments after the command, without those for a program that cargo runs.
    fn own(&self) -> &[OsString] {
        let passes_on = self.command.as_ref().is_some_and(|c| PASS_ON.has(c));
        let mut is_value = false;
        let end = self.rest.iter().position(|word| {
            let is_dashed = word.as_encoded_bytes().starts_with(b"-");
            let is_first = passes_on && !is_dashed && !is_value;
            is_value = TAKE_VALUE.has(word);
            word == "--" || is_first
        });
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    /// Whether the command is cargo's own, so that its arguments are known.
    pub fn is_cargos(&self) -> bool {
        self.command
            .as_ref()
            .is_some_and(|command| LINK.has(command))
    }

    /// The program that runs as cargo.  If cargo itself runs brawn (also through a build script or a test), it names
    /// itself in a variable.  Only rustup's cargo accepts a toolchain.
    pub fn cargo(&self) -> OsString {
        std::env::var_os("CARGO")
            .filter(|cargo| !cargo.is_empty() && self.toolchain.is_none())
            .or_else(|| in_path(OsStr::new("cargo")).map(Into::into))
            .unwrap_or_else(|| "cargo".into())
    }

    /// The values of an option that may be given several times, here and there.
    pub fn values(&self, option: &str) -> Vec<OsString> {
        let late = self.late(option);
        // cargo ignores configuration before a command if there is some after it.
        if option == "--config" && !late.is_empty() {
            return late;
        }
        [values(&self.before, option), late].concat()
    }

    /// The same after the command, if the command is cargo's own.
    fn late(&self, option: &str) -> Vec<OsString> {
        let own = Some(self.own()).filter(|_| self.is_cargos());
        values(own.unwrap_or_default(), option)
    }

    /// The same at any place, whatever they mean to the command.
    pub fn all_values(&self, option: &str) -> Vec<OsString> {
        [values(&self.before, option), values(self.own(), option)].concat()
    }

    /// The line with more configuration.
    pub fn with(&self, config: &[String]) -> Vec<OsString> {
        let config = || config.iter().flat_map(|c| ["--config".into(), c.into()]);
        let mut all = Vec::new();
        // The place of the user's, if there is one.
        let is_late = !self.late("--config").is_empty();
        if !is_late {
            all.extend(config());
        }
        all.extend(self.before.iter().chain(&self.command).cloned());
        if is_late {
            all.extend(config());
        }
        all.extend(self.rest.iter().cloned());
        all
    }

    /// The arguments that change cargo's configuration for every command.  Files are relative to `here`, unless cargo
    /// changes its directory first.
    pub fn everywhere(&self, here: &Path) -> Vec<OsString> {
        let stays = self.values("-C").is_empty();
        let mut all = Vec::new();
        for option in ["-C", "-Z", "--config"] {
            for value in self.values(option) {
                let file = here.join(&value);
                let is_file = option == "--config" && stays && file.is_file();
                all.extend([option.into(), if is_file { file.into() } else { value }]);
            }
        }
        all
    }

    /// The directory whose configuration counts; for `install` it is not the current directory.
    pub fn folder(&self) -> Result<PathBuf> {
        let here = here()?;
        if self.command.as_deref() != Some(OsStr::new("install")) {
            return Ok(here);
        }
        let path = self.values("--path").pop();
        let folder = path.map(|path| here.join(path)).or_else(home);
        Ok(folder.filter(|folder| folder.is_dir()).unwrap_or(here))
    }
}

/// The values of an option: after `=` for a long one, directly after a short one, or in the next argument.
fn values(arguments: &[OsString], option: &str) -> Vec<OsString> {
    let mut values = Vec::new();
    let mut all = arguments.iter();
    while let Some(argument) = all.next() {
        if argument == option {
            values.extend(all.next().cloned());
            continue;
        }
        let rest = argument.to_str().and_then(|a| a.strip_prefix(option));
        let value = rest.and_then(|rest| match option.starts_with("--") {
            true => rest.strip_prefix('='),
            false => Some(rest),
        });
        values.extend(value.map(Into::into));
    }
    values
}

/// The current directory.
pub fn here() -> Result<PathBuf> {
    std::env::current_dir().map_err(|e| Error::io("cannot find the current directory", e))
}

/// `CARGO_HOME`, or its default.
pub fn home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

#[cfg(test)]
mod tests;
