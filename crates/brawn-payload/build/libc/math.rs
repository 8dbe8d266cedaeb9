//! The files of `payload/libc/math/`.

use super::Row;

/// One whose results are as near to the true ones as musl's, and not always the same.
const fn near(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        exact: false,
        ..Row::new(file, names)
    }
}

/// One that is as fast on aarch64 in musl: a single instruction, or compiled for the fused multiply-add.
const fn x86_64(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        only: Some("x86_64"),
        ..Row::new(file, names)
    }
}

/// As near, and only for x86_64.
const fn near_x86_64(file: &'static str, names: &'static [&'static str]) -> Row {
    Row {
        only: Some("x86_64"),
        ..near(file, names)
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
    x86_64("hypotf", &["hypotf"]),
    Row::new("llround", &["llround"]),
    Row::new("llroundf", &["llroundf"]),
    Row::new("logb", &["logb"]),
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
    near_x86_64("acos", &["acos"]),
    near_x86_64("asin", &["asin"]),
    // The table of sin, cos and sincos.
    near_x86_64("circle_table", &[]),
    near_x86_64("cos", &["cos"]),
    near("cosf", &["cosf"]),
    near_x86_64("cosh", &["cosh"]),
    near("exp2f", &["exp2f"]),
    near_x86_64("erf", &["erf", "erfc"]),
    // The table of pow, erfc, expm1 and tanh.
    near_x86_64("exp_table", &[]),
    near("expf", &["expf"]),
    near_x86_64("expm1", &["expm1"]),
    near_x86_64("hypot", &["hypot"]),
    near_x86_64("log", &["log"]),
    near_x86_64("log10", &["log10"]),
    near("log10f", &["log10f"]),
    near_x86_64("log1p", &["log1p"]),
    near_x86_64("log2", &["log2"]),
    near("log2f", &["log2f"]),
    near("logf", &["logf"]),
    // The table of log, log10, log1p and pow.
    near_x86_64("log_table", &[]),
    near_x86_64("pow", &["pow"]),
    near("powf", &["powf"]),
    near_x86_64("sin", &["sin"]),
    near_x86_64("sincos", &["sincos"]),
    near("sinf", &["sinf"]),
    near_x86_64("tan", &["tan"]),
    near("tanf", &["tanf"]),
    near_x86_64("tanh", &["tanh"]),
];
