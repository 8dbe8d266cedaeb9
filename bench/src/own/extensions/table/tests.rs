use super::*;

fn process(round: u32, heap: &str, seconds: f64, others: f64) -> Process {
    Process {
        round,
        day: "2026-01-01".into(),
        processor: Some("one".into()),
        kernel: "6".into(),
        bytes: 1_048_576,
        binding: Binding::Rust,
        heap: heap.into(),
        said: heap.into(),
        threads: 2,
        others,
        tokens: 1,
        seconds: vec![seconds],
        rss_kib: 2048,
    }
}

#[test]
fn ratios_are_of_rounds_and_busy_rounds_are_left_out() {
    let all = [
        process(1, "system", 1.0, 0.0),
        process(1, "fast", 0.5, 0.0),
        process(2, "system", 4.0, 0.04),
        process(2, "fast", 2.0, 0.05),
        process(3, "system", 1.0, 0.0),
        process(3, "fast", 9.0, 0.06),
    ];
    let (table, left_out) = show(&all, 1..=u32::MAX);
    assert_eq!(left_out, 1);
    // Cells have spaces that do not break.
    let text = table.markdown().replace('\u{a0}', " ");
    assert!(text.contains("| Rust, 2 threads | system | 2 |"), "{text}");
    assert!(text.contains("2.00x<br>(2.00 … 2.00)"), "{text}");
    let (table, _) = show(&all, 3..=3);
    assert!(table.rows.is_empty());
}

#[test]
fn other_machines_rounds_are_not_mixed_in() {
    let mut all = vec![
        process(1, "system", 1.0, 0.0),
        process(2, "system", 1.0, 0.0),
    ];
    all[0].processor = None;
    let (table, _) = show(&all, 1..=2);
    assert!(
        table.markdown().contains("| system | 1 |"),
        "{}",
        table.markdown()
    );
}
