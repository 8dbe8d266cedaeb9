use super::*;

#[test]
fn every_architectures_payload_is_embedded() {
    for architecture in Architecture::ALL {
        let found = payload(architecture, Profile::Fast);
        let payload = found.unwrap_or_else(|| panic!("no payload for {}", architecture.name()));
        assert!(payload.engine.starts_with("mimalloc 2."));
        assert_eq!(payload.members.len(), 1);
        assert!(payload.members.iter().all(|member| member.name.len() <= 15));
        assert!(payload.surface.is_sorted() && payload.needs.is_sorted());
        assert_eq!(
            payload.members[0].bytes[18..20],
            architecture.elf_machine().to_le_bytes()
        );
    }
}
