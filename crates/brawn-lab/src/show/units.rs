//! Figures with their units, for people.

use crate::stats::median::Estimate;

/// Three significant digits, without an exponent.
pub fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// The time of one operation, from nanoseconds.
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

/// A ratio and its interval, which always has two decimals: for ratios that are near 1.
pub fn ratio_and_interval(found: &Estimate) -> String {
    let middle = ratio(found.median);
    format!("{middle} ({:.2} … {:.2}x)", found.low, found.high)
}

/// A ratio with its interval.
pub fn ratio_of(found: &Estimate) -> String {
    let [middle, low, high] = [found.median, found.low, found.high].map(ratio);
    format!("{middle} {}", interval(&low, &high))
}

/// An amount of memory, from KiB.
pub fn memory(kib: f64) -> String {
    match kib {
        k if k.abs() < 9999.5 => format!("{} KiB", grouped(k)),
        k => format!("{} MiB", digits(k / 1024.0)),
    }
}

/// Operations a second.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r < 999.5e3 => format!("{} k/s", digits(r / 1e3)),
        r => format!("{} M/s", digits(r / 1e6)),
    }
}

/// A whole number with separators.
pub fn grouped(value: f64) -> String {
    let plain = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if value <= -0.5 {
        format!("−{out}")
    } else {
        out
    }
}

/// An interval of two figures as they are shown; the unit is there only once.
pub fn interval(low: &str, high: &str) -> String {
    let unit = |text: &str| {
        let digits = text
            .rfind(|c: char| c.is_ascii_digit())
            .map_or(0, |at| at + 1);
        text.split_at(digits).1.to_owned()
    };
    let shared = if unit(low) == unit(high) {
        unit(high)
    } else {
        String::new()
    };
    format!(
        "({} … {high})",
        low.strip_suffix(shared.as_str()).unwrap_or(low)
    )
}

/// A percentage without its sign, with a decimal if it is small.
pub fn percent(value: f64) -> String {
    match value.abs() < 9.95 {
        true => format!("{value:.1}"),
        false => format!("{value:.0}"),
    }
}

/// As in `−12 MB`.
pub fn signed_bytes(value: f64) -> String {
    let sign = if value < 0.0 { '−' } else { '+' };
    format!("{sign}{}", bytes(value.abs()))
}

/// As in `12 MB`.
pub fn bytes(value: f64) -> String {
    match value {
        v if v >= 9.95e9 => format!("{:.0} GB", v / 1e9),
        v if v >= 1e9 => format!("{:.1} GB", v / 1e9),
        v if v >= 9.95e6 => format!("{:.0} MB", v / 1e6),
        v if v >= 1e6 => format!("{:.1} MB", v / 1e6),
        v => format!("{:.0} kB", v / 1e3),
    }
}

/// The time of a run, as in `12.3 ms`.
pub fn elapsed(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n => (n / 1e3, "µs"),
    };
    match value {
        v if v >= 100.0 => format!("{v:.0} {unit}"),
        v if v >= 10.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.2} {unit}"),
    }
}

/// A share as a percentage, as in `12 %`.
pub fn share(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// A difference in percent, as in `−12 %`; `nothing` if it is less than a half.
pub fn change(percent: f64, nothing: &str) -> String {
    match percent {
        p if p.abs() < 0.5 => nothing.into(),
        p if p < 0.0 => format!("−{:.0} %", p.abs()),
        p => format!("+{p:.0} %"),
    }
}

/// A difference in words, whose sign is `value`'s: a minus is in the text already.
pub fn signed(value: f64, text: String) -> String {
    match value >= 0.0 {
        true => format!("+{text}"),
        false => text,
    }
}

/// `show` of a figure; a dash if there is none.
pub fn or_dash(value: f64, show: impl Fn(f64) -> String) -> String {
    match value.is_nan() {
        true => "–".to_owned(),
        false => show(value),
    }
}

#[cfg(test)]
mod tests;
