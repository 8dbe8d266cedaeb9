//! The files of `payload/libc/regex/`.

use super::Row;

pub const ROWS: &[Row] = &[Row {
    needs: &[
        "free", "iswctype", "malloc", "mbtowc", "towlower", "towupper",
    ],
    ..Row::new("regexec", &["regexec"])
}];
