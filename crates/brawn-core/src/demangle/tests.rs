use super::*;

#[test]
fn names_are_as_their_authors_wrote_them() {
    for (symbol, name) in [
        ("main", "main"),
        (
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
            "core::fmt::Write::write_fmt",
        ),
        ("_RNvC6_123foo3bar", "123foo::bar"),
        ("_ZN3foo3barIiEEvT_", "void foo::bar<int>"),
        ("_ZnwmSt11align_val_t", "operator new"),
        ("_Zbroken", "_Zbroken"),
        ("", ""),
        ("a\u{1b}[31m", "a\\u{1b}[31m"),
    ] {
        assert_eq!(demangled(symbol), name, "{symbol}");
    }
}

#[test]
fn no_name_is_long() {
    // Each parameter doubles the length of the name.
    let mut symbol = String::from("_Z1fI1AIiiE");
    for n in 0..200 {
        let of = match n {
            0 => "S0_".to_owned(),
            n => format!(
                "S{}_",
                char::from_digit(n % 36, 36)
                    .unwrap_or('0')
                    .to_ascii_uppercase()
            ),
        };
        symbol.push_str(&format!("1AI{of}{of}E"));
    }
    symbol.push_str("Evv");
    for symbol in [symbol, "é".repeat(5000), "a".repeat(1 << 20)] {
        let name = demangled(&symbol);
        assert!(name.len() <= ENOUGH + "…".len(), "{}: {name}", name.len());
    }
}
