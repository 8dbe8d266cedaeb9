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

/// A zstd frame with its checksum, of `hello` (RFC 8878, section 3.1.1), as `zstd --check` writes it.
const HELLO: [u8; 18] = *b"\x28\xb5\x2f\xfd\x04\x58\x29\0\0hello\xa3\x6d\x9f\x88";

#[test]
fn a_frames_bytes_are_where_they_were_put() {
    static FRAME: Frame = Frame::new(&HELLO, 5);
    let (whole, part) = (Bytes::packed(&FRAME, 0, 5), Bytes::packed(&FRAME, 1, 3));
    assert_eq!((part.len(), part.get()), (3, &b"ell"[..]));
    assert_eq!(*whole, *b"hello");
}

#[test]
#[should_panic(expected = "the payload in this brawn is damaged")]
fn a_damaged_frame_is_not_used() {
    const DAMAGED: [u8; 18] = {
        let mut bytes = HELLO;
        bytes[10] ^= 1;
        bytes
    };
    static FRAME: Frame = Frame::new(&DAMAGED, 5);
    Bytes::packed(&FRAME, 0, 5).get();
}
