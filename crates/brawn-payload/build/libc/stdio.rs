//! The files of `payload/libc/stdio/`.

use super::Row;

pub const ROWS: &[Row] = &[
    Row {
        needs: &[
            "__errno_location",
            "__libc",
            "__ofl_add",
            "__stdio_close",
            "__stdio_read",
            "__stdio_seek",
            "__stdio_write",
            "malloc",
        ],
        ..Row::new("__fdopen", &["fdopen", "__fdopen"])
    },
    Row::new("asprintf", &["asprintf"]),
    Row::new("fprintf", &["fprintf"]),
    // What all of printf's kin print by.
    Row {
        needs: &["__errno_location", "strerror", "wctomb"],
        ..Row::new("print", &[])
    },
    Row {
        needs: &["__stdout_FILE"],
        ..Row::new("printf", &["printf"])
    },
    Row::new("reals", &[]),
    Row::new("snprintf", &["snprintf"]),
    Row::new("sprintf", &["sprintf"]),
    Row {
        needs: &["malloc"],
        ..Row::new("vasprintf", &["vasprintf"])
    },
    Row {
        needs: &["__lockfile", "__towrite", "__unlockfile"],
        ..Row::new("vfprintf", &["vfprintf"])
    },
    Row {
        needs: &["__stdout_FILE"],
        ..Row::new("vprintf", &["vprintf"])
    },
    Row::new("vsnprintf", &["vsnprintf"]),
    Row::new("vsprintf", &["vsprintf"]),
    Row {
        needs: &[
            "__ctype_get_mb_cur_max",
            "__errno_location",
            "mbtowc",
            "vfwprintf",
            "wctomb",
        ],
        ..Row::new("vswprintf", &["vswprintf"])
    },
    Row {
        needs: &["__libc", "__lockfile", "__unlockfile"],
        ..Row::new(
            "ferror",
            &["ferror", "ferror_unlocked", "_IO_ferror_unlocked"],
        )
    },
    Row {
        needs: &["__libc", "__lockfile", "__unlockfile"],
        ..Row::new("feof", &["feof", "feof_unlocked", "_IO_feof_unlocked"])
    },
    Row {
        needs: &["__libc", "__lockfile", "__unlockfile"],
        ..Row::new("clearerr", &["clearerr", "clearerr_unlocked"])
    },
    // There is no small one: it would be musl's.
    Row {
        needs: &["__stdio_write"],
        choice: "large",
        ..Row::new("__stdout_write_large", &["__stdout_write"])
    },
    Row {
        needs: &["__libc", "__lockfile", "__overflow", "__unlockfile"],
        ..Row::new("putc", &["putc", "_IO_putc"])
    },
    Row {
        needs: &["__libc", "__lockfile", "__towrite", "__unlockfile"],
        ..Row::new("fwrite", &["fwrite", "__fwritex", "fwrite_unlocked"])
    },
    Row {
        needs: &["__errno_location"],
        choice: "small",
        ..Row::new("__stdio_read", &["__stdio_read"])
    },
    Row {
        needs: &["__errno_location"],
        choice: "large",
        ..Row::new("__stdio_read_large", &["__stdio_read"])
    },
    Row {
        needs: &["__errno_location"],
        ..Row::new("__stdio_write", &["__stdio_write"])
    },
    Row {
        needs: &[
            "__libc",
            "__lockfile",
            "__register_locked_file",
            "ftrylockfile",
            "pthread_self",
        ],
        ..Row::new("flockfile", &["flockfile"])
    },
    Row {
        needs: &[
            "__libc",
            "__unlist_locked_file",
            "__unlockfile",
            "pthread_self",
        ],
        ..Row::new("funlockfile", &["funlockfile"])
    },
];
