//! How figures are shown to people.

pub mod units;
