use super::*;

#[test]
fn the_hosts_payload_is_embedded() {
    let payload = payload(Architecture::X86_64, Profile::Fast).expect("a payload for x86_64");
    assert!(payload.engine.starts_with("mimalloc 2."));
    assert_eq!(payload.members.len(), 1);
    assert!(payload.members.iter().all(|member| member.name.len() <= 15));
    assert!(payload.surface.is_sorted() && payload.needs.is_sorted());
}
