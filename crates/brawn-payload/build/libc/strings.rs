//! The files of `payload/libc/strings/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row {
        needs: &["__environ"],
        ..Row::new("getenv", &["getenv"])
    },
    Row::new("iswspace", &["iswspace", "__iswspace_l", "iswspace_l"]),
    Row {
        needs: &["__ctype_get_mb_cur_max", "__errno_location"],
        ..Row::new("mbsrtowcs", &["mbsrtowcs"])
    },
    Row::new("memccpy", &["memccpy"]),
    Row::new(
        "strcasecmp",
        &["strcasecmp", "__strcasecmp_l", "strcasecmp_l"],
    ),
    Row::new("strcasestr", &["strcasestr"]),
    Row::new("strcspn", &["strcspn"]),
    Row::new("strlcat", &["strlcat"]),
    Row::new("strlcpy", &["strlcpy"]),
    Row::new(
        "strncasecmp",
        &["strncasecmp", "__strncasecmp_l", "strncasecmp_l"],
    ),
    Row::new("strpbrk", &["strpbrk"]),
    Row::new("strspn", &["strspn"]),
    Row::new("swab", &["swab"]),
    Row::new(
        "towupper",
        &[
            "towupper",
            "towlower",
            "__towupper_l",
            "towupper_l",
            "__towlower_l",
            "towlower_l",
        ],
    ),
    Row::new("wcscat", &["wcscat"]),
    Row::new("wcschr", &["wcschr"]),
    Row::new("wcscmp", &["wcscmp"]),
    Row::new("wcscpy", &["wcscpy"]),
    Row::new("wcslen", &["wcslen"]),
    Row::new("wcsncmp", &["wcsncmp"]),
    Row::new("wcsnlen", &["wcsnlen"]),
    Row::new("wcsrchr", &["wcsrchr"]),
    Row {
        needs: &["__ctype_get_mb_cur_max", "__errno_location"],
        ..Row::new("wcsrtombs", &["wcsrtombs"])
    },
    Row::new("wcsstr", &["wcsstr"]),
    Row::new("wmemchr", &["wmemchr"]),
    Row::new("wmemcmp", &["wmemcmp"]),
    Row::new("wmemcpy", &["wmemcpy"]),
    Row::new("wmemmove", &["wmemmove"]),
    Row::new("wmemset", &["wmemset"]),
];
