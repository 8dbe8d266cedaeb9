//! The files of `payload/libc/stdio/`.

use super::Row;

pub const ROWS: &[Row] = &[Row {
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
}];
