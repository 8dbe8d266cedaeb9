use super::*;

#[test]
fn it_says_every_payload_and_fits_into_80_columns() {
    assert!(text(true).starts_with(&text(false)));
    assert_eq!(text(false).lines().count(), 1);
    let text = text(true);
    for payload in brawn_payload::payloads() {
        assert!(text.contains(payload.source), "{:?}", payload.profile);
        assert!(text.contains(payload.engine));
        assert!(text.contains(payload.compiler));
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}
