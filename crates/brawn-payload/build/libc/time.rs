//! The files of `payload/libc/time/`.

use super::Row;

pub const ROWS: &[Row] = &[Row {
    needs: &["__clock_gettime"],
    ..Row::new("time", &["time"])
}];
