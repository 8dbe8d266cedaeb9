//! `--only`, as every command that brings a payload has it.

use brawn_core::component::Component;
use clap::ValueEnum;

/// [`Component`] as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnlyArg {
    /// The malloc family.
    Heap,
    /// memcpy, strlen and their kin.
    Memory,
}

/// What is exchanged: both, or one.
pub fn components(only: Option<OnlyArg>) -> &'static [Component] {
    match only {
        None => Component::ALL,
        Some(OnlyArg::Heap) => &[Component::Heap],
        Some(OnlyArg::Memory) => &[Component::Memory],
    }
}
