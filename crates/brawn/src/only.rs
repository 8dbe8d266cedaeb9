//! The options `--only`, `--without`, `--math`, `--sort` and `--buffers` of all commands that add a payload.

use brawn_core::component::{Component, Families};
use brawn_core::{Error, Result};
use clap::ValueEnum;
use std::sync::OnceLock;

/// A part of libc as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartArg {
    /// The malloc family.
    Heap,
    /// memcpy, strlen and similar functions.
    Memory,
    /// Other functions, of all families.
    Libc,
}

/// What can be left out: a part, or a family of libc's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WithoutArg {
    /// The malloc family.
    Heap,
    /// memcpy, strlen and similar functions.
    Memory,
    /// Other functions, of all families.
    Libc,
    /// Functions of libm.
    Math,
    /// Numbers to text and back.
    Numbers,
    /// qsort and similar functions.
    Sort,
    /// Files of stdio.
    Stdio,
    /// Strings, except the memory functions.
    Strings,
    /// Locks and threads.
    Threads,
    /// Clocks, dates and the environment.
    Time,
}

/// Which of libm's functions come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MathArg {
    /// All; results are within musl's own error bounds.
    Fast,
    /// Only those whose results are musl's to the bit.
    Exact,
}

/// In which order qsort leaves equal elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    /// As musl's.
    Musl,
    /// As they came, like glibc's; faster where some are equal.
    Stable,
}

/// How large the buffers of stdin and stdout are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BuffersArg {
    /// 1 KiB, as musl's.
    Musl,
    /// 4 KiB, as glibc's; fewer system calls, but output to a file that others share may be mixed at other places.
    Large,
}

/// What to tell about a file that keeps fewer parts than there are.
pub const KEPT: &str =
    "note  it keeps the parts that it has; `--only heap,memory,libc` chooses all";

/// The parts of libc to replace.
#[derive(Clone, Debug, clap::Args)]
pub struct Parts {
    /// Only these parts of libc [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<PartArg>,

    /// Everything but these parts, or these families of libc's functions.
    #[arg(long, value_enum, value_delimiter = ',')]
    without: Vec<WithoutArg>,

    /// Which functions of libm are replaced.
    #[arg(long, value_enum)]
    math: Option<MathArg>,

    /// In which order qsort leaves equal elements.
    #[arg(long, value_enum)]
    sort: Option<SortArg>,

    /// How large the buffers of stdin and stdout are.
    #[arg(long, value_enum)]
    buffers: Option<BuffersArg>,

    #[arg(skip)]
    asked: OnceLock<Vec<Component>>,
}

impl Parts {
    /// The chosen parts; an error if nothing is left, or what an option asks for is left out by another.
    pub fn components(&self) -> Result<&[Component]> {
        let stable =
            (self.sort == Some(SortArg::Stable)).then_some(("--sort stable", WithoutArg::Sort));
        let large = self.buffers == Some(BuffersArg::Large);
        let large = large.then_some(("--buffers large", WithoutArg::Stdio));
        let exact =
            (self.math == Some(MathArg::Exact)).then_some(("--math exact", WithoutArg::Math));
        let mut wishes = [stable, large, exact].into_iter().flatten();
        if let Some((option, _)) = wishes.find(|(_, family)| !self.takes(*family)) {
            let found = format!("`{option}`, and other options leave its functions out");
            return Err(Error::usage(found).expected("one or the other"));
        }
        let components = self.asked.get_or_init(|| self.asked());
        if components.is_empty() {
            let nothing = "`--only` and `--without` that leave nothing";
            return Err(Error::usage(nothing).expected("heap, memory or libc"));
        }
        Ok(components)
    }

    /// Whether no option chooses parts: then files that brawn changed before keep those that they have.
    pub fn is_plain(&self) -> bool {
        let has_choice = self.math.is_some() || self.sort.is_some() || self.buffers.is_some();
        self.only.is_empty() && self.without.is_empty() && !has_choice
    }

    /// Whether that family of libc's functions is among the chosen parts.
    fn takes(&self, family: WithoutArg) -> bool {
        let is_left = |part| self.without.contains(&part);
        let is_chosen = self.only.is_empty() || self.only.contains(&PartArg::Libc);
        is_chosen && !is_left(WithoutArg::Libc) && !is_left(family)
    }

    fn asked(&self) -> Vec<Component> {
        let mut families = Families::ALL;
        for family in &self.without {
            if let Some(value) = family.to_possible_value() {
                families = families.without(value.get_name());
            }
        }
        if self.math == Some(MathArg::Exact) {
            families = families.exact_math();
        }
        if self.sort == Some(SortArg::Stable) {
            families = families.stable_sort();
        }
        if self.buffers == Some(BuffersArg::Large) {
            families = families.large_buffers();
        }
        let parts = [
            (PartArg::Heap, WithoutArg::Heap, Component::Heap),
            (PartArg::Memory, WithoutArg::Memory, Component::Memory),
            (PartArg::Libc, WithoutArg::Libc, Component::Libc(families)),
        ];
        let asked = parts.into_iter().filter(|(part, without, _)| {
            (self.only.is_empty() || self.only.contains(part)) && !self.without.contains(without)
        });
        asked.map(|(_, _, component)| component).collect()
    }
}
