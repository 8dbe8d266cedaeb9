//! The option `--profile` of all commands that add a payload.

use brawn_payload::Profile;
use clap::ValueEnum;

/// [`Profile`] as it is typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileArg {
    /// Time first, at a memory cost near musl's.
    #[default]
    Fast,
    /// Double frees, invalid frees and writes past a block's end stop the program.
    Secure,
    /// Memory first: free memory goes back to the kernel sooner.
    Lean,
    /// As fast, and records which blocks are asked for, and by whom, where BRAWN_OPTIONS says so (`brawn heap-profile`).
    Trace,
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Self {
        match profile {
            ProfileArg::Fast => Self::Fast,
            ProfileArg::Secure => Self::Secure,
            ProfileArg::Lean => Self::Lean,
            ProfileArg::Trace => Self::Trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_can_be_typed_by_its_name() {
        let typed: Vec<Profile> = ProfileArg::value_variants()
            .iter()
            .map(|arg| Profile::from(*arg))
            .collect();
        assert_eq!(typed, Profile::ALL);
        for arg in ProfileArg::value_variants() {
            let name = arg.to_possible_value().unwrap();
            assert_eq!(name.get_name(), Profile::from(*arg).name());
        }
    }
}
