//! The files of `payload/libc/strings/`.

use super::Row;

pub const ROWS: &[Row] = &[];
