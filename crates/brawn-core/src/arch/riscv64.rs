//! riscv64: brawn does not read its instructions. Relocations: RISC-V ELF psABI, "Relocations".

use super::Traits;
use object::elf;
use std::ops::Range;

pub(super) const TRAITS: Traits = Traits {
    // Six bytes long: too short to mean something.
    set_thread_area: None,
    // Compiled from C.
    memcpy: None,
    changed,
};

/// A call is two instructions, which linkers may replace by one.
fn changed(at: usize, kind: u32) -> Range<usize> {
    let is_call = [elf::R_RISCV_CALL.0, elf::R_RISCV_CALL_PLT.0].contains(&kind);
    at..at.saturating_add(if is_call { 8 } else { 4 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linkers_change() {
        // A call, and the address of a place.
        assert_eq!(changed(8, 19), 8..16);
        assert_eq!(changed(8, 23), 8..12);
    }
}
