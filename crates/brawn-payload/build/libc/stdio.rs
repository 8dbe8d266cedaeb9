//! The files of `payload/libc/stdio/`.

use super::Row;

pub const ROWS: &[Row] = &[];
