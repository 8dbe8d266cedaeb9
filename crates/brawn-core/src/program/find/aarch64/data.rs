//! Recognizes data among code, where words only look like instructions: tables of constants that libraries keep
//! beside the functions that read them.

use super::super::reference::Reference;
use super::super::scan::Wanted;
use super::near::Near;
use super::unallocated::is_unallocated;
use super::word::{Op, direct, op};
use std::iter;
use std::ops::RangeInclusive;

/// How many words before and after are looked at.
const AROUND: usize = 64;
/// How many words in data may look like jumps: one in sixty does.
const MORE: usize = 2;

fn word(code: &[[u8; 4]], n: usize) -> u32 {
    code.get(n).map_or(0, |w| u32::from_le_bytes(*w))
}

/// Whether nothing runs on from this word to the next one.
fn ends(word: u32) -> bool {
    match op(word) {
        Op::Jump { .. } | Op::Return | Op::Stop => true,
        // Branches and exceptions; vectors of any length are not among them.
        Op::Unknown => matches!(word >> 25 & 0xf, 10 | 11),
        _ => word >> 26 == 5,
    }
}

/// The words that run if word number `n` runs, up to that word. No processor runs the word before the first of them,
/// nor goes on after the last. `None` if this is not so. If such a row begins after a word that looks like a jump,
/// the row before it is examined in the same way, up to `more` times.
fn row(code: &[[u8; 4]], n: usize, more: usize) -> Option<RangeInclusive<usize>> {
    let is_none = |n: usize| is_unallocated(word(code, n));
    let is_edge = |n: &usize| is_none(*n) || ends(word(code, *n));
    let mut first = (n.saturating_sub(AROUND)..n).rev().find(is_edge)? + 1;
    let last = (n + 1..code.len().min(n + AROUND)).find(is_edge);
    let is_jump = word(code, n) >> 26 == 5;
    if !is_jump && last.is_none_or(|n| !is_none(n)) {
        return None;
    }
    if !is_none(first - 1) {
        let before = more.checked_sub(1).filter(|_| !is_jump)?;
        first = *row(code, first - 1, before)?.start();
    }
    Some(first..=n)
}

/// Removes references from words that seem to be data in the code at `address`: on both sides there are words that no
/// processor runs, and no code that may run leads into the words between.
pub fn take_out(code: &[u8], address: u64, references: &mut Vec<Reference>) {
    let bytes = code;
    let code = code.as_chunks::<4>().0;
    let place = |n: usize| address + 4 * n as u64;
    let rows = references.iter().filter_map(|r| {
        let n = (r.at - address) as usize / 4;
        row(code, n, MORE).map(|row| (place(*row.start())..=r.at, false))
    });
    // In ascending order, as the references are: both their ends and their starts ascend.
    let mut rows: Vec<(RangeInclusive<u64>, bool)> = rows.collect();
    rows.dedup_by(|a, b| a.0 == b.0);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return;
    };
    let near = Near::new(
        &Wanted::new(iter::once(*first.0.start()..*last.0.end() + 1).collect()),
        0..0,
    );
    near.each(bytes, address, |n, word| {
        let Some(to) = direct(word, place(n))
            .filter(|r| r.is_branch)
            .map(|r| r.target)
        else {
            return;
        };
        let behind = rows.partition_point(|(row, _)| *row.end() < to);
        let led = rows[behind..]
            .iter_mut()
            .take_while(|(row, _)| row.contains(&to));
        let mut led = led.filter(|(row, _)| !row.contains(&place(n))).peekable();
        if led.peek().is_some() && row(code, n, MORE).is_none() {
            led.for_each(|(_, is_run)| *is_run = true);
        }
    });
    let is_data = |at: u64| {
        let row = rows.binary_search_by_key(&at, |(row, _)| *row.end());
        row.is_ok_and(|n| !rows[n].1)
    };
    references.retain(|r| !is_data(r.at));
}
