use super::*;

#[test]
fn numbers_have_units_that_fit() {
    assert_eq!(time(12.345), "12.3 ns");
    assert_eq!(time(1674.0), "1.67 µs");
    assert_eq!(time(4.7383e9), "4.74 s");
    assert_eq!(ratio(0.994), "0.99x");
}

#[test]
fn memory_and_rates_have_units_that_fit() {
    assert_eq!(memory(440.0), "440 KiB");
    assert_eq!(memory(57_704.0), "56.4 MiB");
    assert_eq!(rate(163_117_709.0), "163 M/s");
    assert_eq!(grouped(-1_234_567.0), "−1,234,567");
}

#[test]
fn an_interval_has_its_unit_once() {
    assert_eq!(interval("0.90x", "1.10x"), "(0.90 … 1.10x)");
    assert_eq!(interval("900 ns", "1.10 µs"), "(900 ns … 1.10 µs)");
    assert_eq!(interval("+32 KiB", "+40 KiB"), "(+32 … +40 KiB)");
}

#[test]
fn changes_have_signs() {
    assert_eq!(change(-12.3, "unchanged"), "−12 %");
    assert_eq!(change(3.6, "unchanged"), "+4 %");
    assert_eq!(change(-0.2, "unchanged"), "unchanged");
}
