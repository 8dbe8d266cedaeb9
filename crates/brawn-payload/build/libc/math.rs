//! The files of `payload/libc/math/`.

use super::Row;

pub const ROWS: &[Row] = &[];
