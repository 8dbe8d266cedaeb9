//! The commands `libc` and `edges`: they measure the functions of libc, and print a table and the bars.

use crate::cli::Own;
use crate::{known, print};
use brawn_bench::{Result, own};
use std::path::PathBuf;

/// Measures the functions of libc in the families `only`, with objects and a `libc.a` of the user's.
pub fn measure_libc(
    (only, objects, libc): (Vec<String>, Vec<PathBuf>, Option<PathBuf>),
    quick: bool,
    own: &Own,
) -> Result<()> {
    known(&only, "family", own::libc::FAMILIES.iter().copied())?;
    let choice = own::libc::Choice {
        families: only,
        objects: own::libc::objects(&objects)?,
        libc,
    };
    let raw = own.raw("libc", !quick, |site, rounds, progress| {
        own::libc::measure(site, &choice, rounds, progress)
    })?;
    print(&own::libc::show(&raw), own.markdown);
    anstream::print!("{}", own::libc::summary(&raw));
    Ok(())
}

/// Measures the edges of libc in the families `only`.
pub fn measure_edges(only: &[String], quick: bool, own: &Own) -> Result<()> {
    let families = own::edges::FAMILIES.iter().copied();
    known(only, "family", families.chain([own::edges::OTHER]))?;
    let raw = own.raw("edges", !quick, |site, rounds, progress| {
        own::edges::measure(site, only, rounds, progress)
    })?;
    print(&own::libc::show(&raw), own.markdown);
    anstream::print!("{}", own::edges::summary(&raw));
    Ok(())
}
