//! The files of `payload/libc/time/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row {
        needs: &["__syscall_ret", "__vdsosym"],
        ..Row::new("clock_getres", &["clock_getres"])
    },
    Row {
        needs: &["__c_locale", "__nl_langinfo_l", "snprintf"],
        ..Row::new("asctime_r", &["asctime_r", "__asctime_r"])
    },
    Row {
        needs: &["__lctrans", "__libc", "uselocale"],
        ..Row::new(
            "langinfo",
            &[
                "nl_langinfo",
                "nl_langinfo_l",
                "__nl_langinfo",
                "__nl_langinfo_l",
            ],
        )
    },
    Row {
        needs: &["__errno_location"],
        ..Row::new("localtime_r", &["localtime_r", "__localtime_r"])
    },
    Row {
        needs: &["__errno_location"],
        ..Row::new("mktime", &["mktime"])
    },
    Row {
        needs: &[
            "__errno_location",
            "__tm_to_secs",
            "__tm_to_tzname",
            "nl_langinfo",
            "nl_langinfo_l",
        ],
        ..Row::new(
            "strftime",
            &["strftime", "strftime_l", "__strftime_l", "__strftime_fmt_1"],
        )
    },
    Row {
        // The second on x86_64 alone.
        needs: &["__clock_gettime", "__vdsosym"],
        ..Row::new("time", &["time"])
    },
    Row {
        needs: &[
            "__libc",
            "__lock",
            "__map_file",
            "__munmap",
            "__unlock",
            "getenv",
        ],
        // __timezone_lockptr, which only fork looks at.
        addresses: true,
        ..Row::new(
            "tzset",
            &[
                "tzset",
                "__daylight",
                "__secs_to_zone",
                "__timezone",
                "__timezone_lockptr",
                "__tm_to_tzname",
                "__tzname",
                "__utc",
                "daylight",
                "timezone",
                "tzname",
            ],
        )
    },
];
