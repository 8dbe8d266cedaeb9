//! The files of `payload/libc/sort/`.

use super::Row;

/// One whose equal elements stand as musl has them, or as they came: one of `brawn_payload::SORTS`.
const fn sorts(choice: &'static str, file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        choice,
        ..Row::new(file, names)
    }
}

pub const ROWS: &[Row] = &[
    sorts("musl", "qsort_r", &["qsort_r", "__qsort_r"]),
    sorts("musl", "qsort", &["qsort"]),
    sorts("stable", "qsort_r_stable", &["qsort_r", "__qsort_r"]),
    sorts("stable", "qsort_stable", &["qsort"]),
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
