//! The option `--arch` of all commands that write for another machine.

use brawn_payload::Architecture;
use clap::ValueEnum;

/// [`Architecture`] as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Arch {
    /// 64-bit x86.
    #[value(name = "x86_64")]
    X86_64,
    /// 64-bit Arm.
    Aarch64,
}

/// The typed architecture, or the one that brawn runs on; `None` if there is no payload for it.
pub fn architecture(typed: Option<Arch>) -> Option<Architecture> {
    match typed {
        Some(Arch::X86_64) => Some(Architecture::X86_64),
        Some(Arch::Aarch64) => Some(Architecture::Aarch64),
        None => Architecture::ALL
            .into_iter()
            .find(|a| a.name() == std::env::consts::ARCH),
    }
}
