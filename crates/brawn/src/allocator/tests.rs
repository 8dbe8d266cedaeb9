use super::*;

#[test]
fn it_knows_of_the_last_requests_only() {
    // Of another thread they do not count.
    let other = || Vec::<u8>::new().try_reserve_exact(isize::MAX as usize);
    let refused = std::thread::spawn(other).join().expect("it ends");
    assert!(refused.is_err() && !has_refused());
    let mut bytes: Vec<u8> = Vec::new();
    assert!(bytes.try_reserve_exact(isize::MAX as usize).is_err());
    for number in 1..=usize::from(RECENT) {
        assert!(has_refused());
        bytes.reserve_exact(number);
    }
    assert!(!has_refused());
}
