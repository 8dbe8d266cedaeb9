//! Exit codes: published, one place.

use brawn_core::Kind;
use std::process::ExitCode;

/// What the command's exit code says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done, or nothing to do.
    #[default]
    Success = 0,
    /// What a flag asked to fail on, or `verify` found: a new failure, a heap that is not brawn's.
    Finding = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The input is of a shape that brawn does not edit.
    Refused = 3,
    /// The input is broken.
    Malformed = 4,
    /// The operating system said no.
    Io = 5,
    /// `restore` would destroy something, or has nothing to restore from.
    RestoreRefused = 6,
}

/// The table that `--help` prints; a test holds it against [`Exit`].
pub const HELP: &str = "\
Exit codes:
  0  done, or nothing to do
  1  a finding: what a flag asked to fail on; a new failure, or a heap that is not brawn's alone
  2  the command line makes no sense
  3  refused: not musl's, or of a shape that brawn does not know
  4  the input is broken
  5  reading or writing failed
  6  restore refused: the file is not what brawn wrote, or nothing was kept";

impl From<Kind> for Exit {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Usage => Self::Usage,
            Kind::Refused | Kind::NotApplicable => Self::Refused,
            Kind::Malformed => Self::Malformed,
            Kind::Io => Self::Io,
            Kind::RestoreRefused => Self::RestoreRefused,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_code_once() {
        let all = [
            Exit::Success,
            Exit::Finding,
            Exit::Usage,
            Exit::Refused,
            Exit::Malformed,
            Exit::Io,
            Exit::RestoreRefused,
        ];
        let listed: Vec<u8> = HELP
            .lines()
            .skip(1)
            .map(|line| {
                line.trim_start()
                    .split(' ')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect();
        assert_eq!(listed, all.map(|e| e as u8));
        let document = include_str!("../../../docs/patch.md");
        for code in listed {
            assert!(document.contains(&format!("\n| {code} | ")), "code {code}");
        }
    }
}
