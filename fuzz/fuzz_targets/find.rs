//! Any bytes are rewritten with brawn's own payload, and the result is read again, or an error says what was found.

use brawn_core::Kind;
use brawn_core::component::Component;
use brawn_core::content::Piece;
use brawn_core::elf::program::Program;
use brawn_core::program::{Options, rewrite};

pub fn run(bytes: &[u8]) {
    let Ok(program) = Program::read(bytes) else {
        return;
    };
    let mut payloads = brawn_payload::payloads().iter();
    let payload = payloads.find(|p| p.architecture == program.architecture.architecture());
    let payload = payload.expect("one for each architecture");
    for force in [false, true] {
        let options = Options {
            components: &[Component::Heap, Component::Memory],
            keeps: false,
            force,
            builds: &[],
        };
        let made = match rewrite(bytes, payload, &options) {
            Ok(made) => made,
            Err(error) => {
                assert!(error.kind() != Kind::Io && error.kind() != Kind::Usage);
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        let Some(new) = made.pieces else {
            continue;
        };
        let filled = new.0.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => bytes.len(),
            Piece::Hole(_) => 0,
        });
        assert!(filled.sum::<usize>() <= 4 * bytes.len() + 1_000_000);
        if new.size() < 1 << 24 {
            Program::read(&new.to_vec()).expect("what was made is a program");
        }
    }
}
