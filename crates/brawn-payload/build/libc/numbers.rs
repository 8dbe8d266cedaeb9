//! The files of `payload/libc/numbers/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row::new("atof", &["atof"]),
    Row {
        needs: &["__errno_location"],
        ..Row::new("inet_ntop", &["inet_ntop"])
    },
    Row {
        needs: &["__floatscan", "__shlim"],
        ..Row::new(
            "strtod",
            &[
                "strtod",
                "strtof",
                "strtold",
                "strtod_l",
                "strtof_l",
                "strtold_l",
                "__strtod_l",
                "__strtof_l",
                "__strtold_l",
            ],
        )
    },
];
