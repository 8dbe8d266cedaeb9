use super::*;

#[test]
fn what_relocations_leave() {
    assert_eq!(
        rest(20, [8..12, 2..4, 3..5].into_iter()),
        [0..2, 5..8, 12..20]
    );
    assert!(rest(4, std::iter::once(0..9)).is_empty());
}

#[test]
fn what_tells_a_function_is_in_no_other() {
    for payload in brawn_payload::payloads() {
        let parts = Component::ALL.iter();
        let codes: Vec<Code> = parts
            .map(|part| Code::read(payload, *part).unwrap())
            .collect();
        let pieces = codes.iter().enumerate().flat_map(|(set, code)| {
            let pieces = code.pieces.iter().enumerate();
            pieces.map(move |(number, piece)| ((set, number, piece.member), piece))
        });
        let pieces: Vec<_> = pieces.collect();
        for ((set, number, member), piece) in &pieces {
            for ((other_set, other, other_member), code) in &pieces {
                // Variants of one function may share a part, which still identifies the function.
                let is_one = set == other_set && member == other_member;
                let are_parts =
                    codes[*set].is_one_each && piece.names.is_empty() && code.names.is_empty();
                assert!(
                    (is_one && (number == other || are_parts))
                        || !piece.is_telling()
                        || piece.places(&code.bytes).next().is_none(),
                    "{:?} is in {:?}",
                    piece.names,
                    code.names
                );
            }
        }
    }
}

#[test]
fn every_function_of_the_surface_has_code() {
    for payload in brawn_payload::payloads() {
        let code = Code::read(payload, Component::Heap).unwrap();
        for name in payload.surface {
            let found = code
                .pieces
                .iter()
                .filter(|p| p.names.iter().any(|n| n == name));
            let found: Vec<_> = found.collect();
            assert_eq!(found.len(), 1, "{name}");
            assert!(
                payload.architecture.elf_machine() != 62 || found[0].compared() > 0,
                "{name}"
            );
        }
    }
}
