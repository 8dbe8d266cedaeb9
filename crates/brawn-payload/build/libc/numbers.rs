//! The files of `payload/libc/numbers/`.

use super::Row;

pub const ROWS: &[Row] = &[];
