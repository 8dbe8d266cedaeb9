//! The files of `payload/libc/math/`.

use super::Row;

/// One whose results are as near to the true ones as musl's, and not always the same.
const fn near(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        exact: false,
        ..Row::new(file, names)
    }
}

/// One that is a single instruction on aarch64, in musl too.
const fn x86_64(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        only: Some("x86_64"),
        ..Row::new(file, names)
    }
}

pub const ROWS: &[Row] = &[
    Row::new("ceil", &["ceil"]),
    Row::new("ceilf", &["ceilf"]),
    Row::new("floor", &["floor"]),
    Row::new("floorf", &["floorf"]),
    Row::new("fma", &["fma"]),
    Row::new("fmaf", &["fmaf"]),
    x86_64("fmax", &["fmax"]),
    x86_64("fmaxf", &["fmaxf"]),
    x86_64("fmin", &["fmin"]),
    x86_64("fminf", &["fminf"]),
    Row::new("fmod", &["fmod"]),
    Row::new("llround", &["llround"]),
    Row::new("llroundf", &["llroundf"]),
    Row::new("lround", &["lround"]),
    Row::new("lroundf", &["lroundf"]),
    Row::new("nearbyint", &["nearbyint"]),
    Row::new("nearbyintf", &["nearbyintf"]),
    Row::new("remainder", &["remainder", "drem"]),
    Row::new("rint", &["rint"]),
    Row::new("rintf", &["rintf"]),
    Row::new("round", &["round"]),
    Row::new("roundf", &["roundf"]),
    Row::new("trunc", &["trunc"]),
    Row::new("truncf", &["truncf"]),
    near("cosf", &["cosf"]),
    near("exp2f", &["exp2f"]),
    near("expf", &["expf"]),
    near("log2f", &["log2f"]),
    near("logf", &["logf"]),
    near("powf", &["powf"]),
    near("sinf", &["sinf"]),
];
