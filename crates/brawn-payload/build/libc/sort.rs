//! The files of `payload/libc/sort/`.

use super::Row;

pub const ROWS: &[Row] = &[];
