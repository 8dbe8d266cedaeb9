//! The option `--arch` of all commands that write for another machine.

use brawn_payload::Architecture;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::sync::LazyLock;

/// [`Architecture`] as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arch(Architecture);

impl ValueEnum for Arch {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Arch>> =
            LazyLock::new(|| Architecture::ALL.into_iter().map(Arch).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.called()))
    }
}

/// The typed architecture, or the one that brawn runs on; `None` if there is no payload for it.
pub fn architecture(typed: Option<Arch>) -> Option<Architecture> {
    let here = || {
        let mut all = Architecture::ALL.into_iter();
        all.find(|a| a.name() == std::env::consts::ARCH)
    };
    typed.map(|arch| arch.0).or_else(here)
}
