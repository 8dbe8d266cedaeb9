//! The files of `payload/libc/math/`.

use super::Row;

/// One whose results are as near to the true ones as musl's, and not always the same.
const fn near(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        exact: false,
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
    Row::new("llround", &["llround"]),
    Row::new("llroundf", &["llroundf"]),
    Row::new("lround", &["lround"]),
    Row::new("lroundf", &["lroundf"]),
    Row::new("nearbyint", &["nearbyint"]),
    Row::new("nearbyintf", &["nearbyintf"]),
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
