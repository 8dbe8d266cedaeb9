//! Figures of three digits, for people.

/// Three significant digits, without an exponent.
pub fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// A time, from nanoseconds.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n < 999.5 => (n, "ns"),
        n if n < 999.5e3 => (n / 1e3, "µs"),
        n if n < 999.5e6 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// A ratio.
pub fn ratio(value: f64) -> String {
    format!("{}x", digits(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_that_fit() {
        assert_eq!(time(12.345), "12.3 ns");
        assert_eq!(time(1674.0), "1.67 µs");
        assert_eq!(time(4.7383e9), "4.74 s");
        assert_eq!(ratio(0.994), "0.99x");
    }
}
