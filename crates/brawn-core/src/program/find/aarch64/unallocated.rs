//! Words that are no instruction in any version of the architecture (Arm Architecture Reference Manual, C4.1). Data among code has many: of
//! random words it is about every third. Not all of them are known here, which only means that data may be taken for code.

/// Whether no processor runs it. `udf` does not count, since programs run it in order to stop.
pub fn is_unallocated(word: u32) -> bool {
    match word >> 25 & 0xf {
        1 | 3 => true,
        0 => word >> 31 == 0 && word >> 16 != 0,
        8 | 9 => with_number(word),
        10 | 11 => branch(word),
        4 | 6 | 12 | 14 => memory(word),
        5 | 13 => with_registers(word),
        7 | 15 => vector(word),
        _ => false,
    }
}

fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 == 1
}

/// Instructions with a number: `and`, `movz`, `ubfm`, `extr`.
fn with_number(word: u32) -> bool {
    let (is_64, kind) = (bit(word, 31), word >> 29 & 3);
    match word >> 23 & 7 {
        // Numbers for logic have 64 bits only in instructions of 64 bits.
        4 => !is_64 && bit(word, 22),
        5 => kind == 1 || !is_64 && bit(word, 22),
        6 => kind == 3 || is_64 != bit(word, 22),
        7 => matches!(kind, 1 | 2) || kind == 0 && (is_64 != bit(word, 22) || bit(word, 21)),
        _ => false,
    }
}

/// Branches to registers, and exceptions.
fn branch(word: u32) -> bool {
    match word >> 24 {
        0xd4 => word >> 2 & 7 != 0,
        0xd6 | 0xd7 => word >> 16 & 31 != 31,
        _ => false,
    }
}

/// Loads and stores of one register.
fn memory(word: u32) -> bool {
    let (size, is_vector, kind) = (word >> 30, bit(word, 26), word >> 22 & 3);
    match word >> 24 & 0x3b {
        // A literal.
        0x18 => size == 3 && is_vector,
        // A distance that counts in units of the register's size.
        0x39 if is_vector => size != 0 && kind > 1,
        0x39 => size > 1 && kind == 3,
        // The other distances.
        0x38 if !bit(word, 21) && is_vector => size != 0 && kind > 1 || word >> 10 & 3 == 2,
        _ => false,
    }
}

/// Instructions with registers only.
fn with_registers(word: u32) -> bool {
    let (is_64, kind) = (bit(word, 31), word >> 29 & 3);
    let is_long = !is_64 && bit(word, 15);
    if !bit(word, 28) {
        return match (bit(word, 24), bit(word, 21)) {
            (false, _) => is_long,
            (true, false) => is_long || word >> 22 & 3 == 3,
            (true, true) => word >> 22 & 3 != 0 || word >> 10 & 7 > 4,
        };
    }
    match word >> 21 & 15 {
        1 | 3 | 5 | 7 => true,
        // ccmp, csel
        2 => !bit(word, 29) || bit(word, 10) || bit(word, 4),
        4 => bit(word, 29) || bit(word, 11),
        // madd and the like
        8.. => kind != 0 || matches!(word >> 21 & 7, 4 | 7) || !is_64 && word >> 21 & 7 != 0,
        _ => false,
    }
}

/// Vectors and floating-point numbers.
fn vector(word: u32) -> bool {
    matches!(word >> 28, 8 | 10 | 11 | 13 | 14 | 15)
}

#[cfg(test)]
mod tests;
