//! Decides whether a word of data is an address. A program at a fixed address does not say which words are.
//!
//! At low addresses, an address has three bytes, which text and many numbers also have: `TiB` is 0x426954. So a word counts only if it is the
//! start of a function or an object: there are few of these, and what has an address in data is called, or read, from its start.
//! No compiler writes an address inside of one function into data for another one to run: names are for starts. Tables of jumps and labels with
//! addresses have such words, but only the function itself jumps by them; if it is replaced, nothing does. Only the heap itself knows
//! addresses inside its state.

use super::code::Code;

/// Whether a word of data whose value is `target` may be meant as an address. `begins` are the starts of data that is
/// searched for besides functions, ascending.
pub fn may_be_address(code: &Code<'_>, begins: &[u64], target: u64) -> bool {
    code.begins(target) || begins.binary_search(&target).is_ok()
}
