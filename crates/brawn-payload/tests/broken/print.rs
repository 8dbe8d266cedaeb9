//! What a test of printf and its kin has to find.

/// A file of `payload/libc/stdio/`, what is replaced in it, by what, and the function that has to be named.
pub const BROKEN: &[(&str, &str, &str, &str)] = &[
    (
        "blocks",
        "if (negative) number = -number",
        "if (0) number = 0",
        "snprintf",
    ),
    ("blocks", "blocks[at - 1] & 1", "0", "snprintf"),
    ("blocks", "blocks[at - 1]++;", "", "snprintf"),
    (
        "directives",
        "spec->flags &= ~(unsigned)ZEROS;",
        ";",
        "snprintf",
    ),
    (
        "directives",
        "spec->precision = NONE;\n    if",
        "if",
        "snprintf",
    ),
    ("directives", "f[1] == 'h' ? 1 : 2;", "2;", "snprintf"),
    ("directives", "refused(INVALID);\n", ";\n", "snprintf"),
    ("print", "sink->at = sink->from;", ";", "snprintf"),
    ("print", "(spec.flags & ZEROS)", "(0)", "snprintf"),
    (
        "print",
        "if ((size_t)size > most - n) break;",
        "",
        "snprintf",
    ),
    (
        "reals",
        "if (number == TENS[keep]) digits",
        "if (0) digits",
        "snprintf",
    ),
    ("reals", "behind == TENS[places]", "0", "snprintf"),
    ("reals", "if (number == 0) first++;", "", "snprintf"),
    (
        "reals",
        "digits->exponent >= -4",
        "digits->exponent >= -5",
        "snprintf",
    ),
    ("vfprintf", "lines(f, sink.from)", "(void)f", "fprintf"),
    (
        "vfprintf",
        "f->flags |= (unsigned)had_error;",
        "",
        "fprintf",
    ),
    (
        "vfprintf",
        "(f->flags & HAS_ERROR) result = -1",
        "(0) result = -1",
        "fprintf",
    ),
    (
        "vfprintf",
        "f->lock >= 0 ? __lockfile(f) : 0",
        "0",
        "fprintf",
    ),
    ("vsnprintf", "sink->before += n - fits;", "", "snprintf"),
    (
        "vsnprintf",
        "size - 1 < most ? size - 1",
        "size < most ? size",
        "snprintf",
    ),
    (
        "__stdio_write",
        "parts[0].at += of_first;",
        "",
        "__stdio_write",
    ),
    (
        "__stdio_write",
        "return n - rest;",
        "return 0;",
        "__stdio_write",
    ),
];
