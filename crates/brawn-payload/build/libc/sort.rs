//! The files of `payload/libc/sort/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row::new("qsort_r", &["qsort_r", "__qsort_r"]),
    Row::new("qsort", &["qsort"]),
    Row::new("bsearch", &["bsearch"]),
    Row {
        needs: &["malloc"],
        ..Row::new("tsearch", &["tsearch", "__tsearch_balance"])
    },
    Row {
        needs: &["free"],
        ..Row::new("tdelete", &["tdelete"])
    },
];
