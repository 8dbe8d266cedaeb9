//! The files of `payload/libc/threads/`.

use super::Row;

pub const ROWS: &[Row] = &[];
