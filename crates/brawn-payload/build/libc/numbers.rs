//! The files of `payload/libc/numbers/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row::new("a64l", &["a64l", "l64a"]),
    Row::new("atof", &["atof"]),
    Row {
        needs: &["__errno_location"],
        ..Row::new("inet_ntop", &["inet_ntop"])
    },
    Row {
        needs: &["__errno_location", "__floatscan", "__shlim"],
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
    Row {
        needs: &["__errno_location"],
        ..Row::new(
            "strtol",
            &[
                "strtol",
                "strtoul",
                "strtoll",
                "strtoull",
                "strtoimax",
                "strtoumax",
                "__strtol_internal",
                "__strtoul_internal",
                "__strtoll_internal",
                "__strtoull_internal",
                "__strtoimax_internal",
                "__strtoumax_internal",
            ],
        )
    },
    Row::new("sscanf", &["sscanf", "__isoc99_sscanf"]),
    Row {
        needs: &[
            "__errno_location",
            "__floatscan",
            "__shlim",
            "free",
            "malloc",
            "mbrtowc",
        ],
        ..Row::new("vsscanf", &["vsscanf", "__isoc99_vsscanf"])
    },
    Row::new("swscanf", &["swscanf", "__isoc99_swscanf"]),
    Row {
        needs: &["vfwscanf", "wcsrtombs"],
        ..Row::new("vswscanf", &["vswscanf", "__isoc99_vswscanf"])
    },
    Row {
        needs: &["__floatscan", "__shlim", "iswspace"],
        ..Row::new("wcstod", &["wcstof", "wcstod", "wcstold"])
    },
    Row {
        needs: &["__errno_location", "iswspace"],
        ..Row::new(
            "wcstol",
            &[
                "wcstol",
                "wcstoul",
                "wcstoll",
                "wcstoull",
                "wcstoimax",
                "wcstoumax",
            ],
        )
    },
];
