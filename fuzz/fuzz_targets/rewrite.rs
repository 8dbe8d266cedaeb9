//! Any bytes are rewritten to a program that stands its check and is read again, or an error says what was found.

use brawn_core::Kind;
use brawn_core::component::Component;
use brawn_core::content::Piece;
use brawn_core::elf::program::Program;
use brawn_core::program::apply::apply;
use brawn_core::program::check::check;
use brawn_core::program::find::Function;
use brawn_core::program::layout::layout;
use brawn_core::program::linked::{Linked, Sizes};
use brawn_core::program::plan::Plan;
use brawn_core::signatures::names::Evidence;

/// A payload of no use: its size depends on the program, so that all kinds come up.
fn sizes(program: &Program) -> Sizes {
    let kind = program.bytes.len() as u64 % 4;
    Sizes {
        code: 300,
        code_align: 64,
        data: kind % 2 * 20,
        zero: kind % 2 * 5000,
        data_align: 16,
        tls: kind / 2 * 80,
        tls_align: 8,
    }
}

pub fn run(bytes: &[u8]) {
    let Ok(program) = Program::read(bytes) else {
        return;
    };
    let sizes = sizes(&program);
    let layout = match layout(&program, &sizes) {
        Ok(layout) => layout,
        Err(error) => {
            assert!(matches!(error.kind(), Kind::Malformed | Kind::Refused));
            return;
        }
    };
    let mut plan = Plan::new(&program, "start", sizes, layout);
    let code = plan.layout.code;
    // No function lies in a note; without a finder the end of any code is taken for one, and a note may lie there.
    let function = program
        .code()
        .find(|(_, bytes)| bytes.len() >= 64 && program.brawn.is_empty());
    plan.functions
        .extend(function.map(|(address, bytes)| Function {
            name: "function".into(),
            component: Component::Heap,
            address,
            patch_at: address + bytes.len() as u64 - 16,
            room: 16,
            target: "start".into(),
            evidence: Evidence::Symbol,
            aliases: Vec::new(),
            extent: 0..0,
        }));
    let linked = Linked {
        code: vec![1; sizes.code as usize],
        data: vec![2; sizes.data as usize],
        symbols: [("start".to_owned(), code.address)].into(),
        functions: vec![("start".into(), code.address, 16)],
        note: code.address + 100..code.address + 120,
        debug_frame: [12u32, u32::MAX, 0, 0]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect(),
    };
    let new = match apply(&program, &plan, &linked) {
        Ok(new) => new,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // Headers that contradict each other in ways that only the check sees.
    if let Err(error) = check(&program, &plan, &linked, &new) {
        assert_eq!(error.kind(), Kind::Malformed);
        return;
    }
    let filled = new.0.iter().map(|piece| match piece {
        Piece::Bytes(bytes) => bytes.len(),
        Piece::Hole(_) => 0,
    });
    // Every section, symbol and relocation may come once more.
    assert!(filled.sum::<usize>() <= 4 * bytes.len() + 100_000);
    if new.size() < 1 << 24 {
        let new = new.to_vec();
        let again = Program::read(&new).expect("what was made is a program");
        assert_eq!(again.entry, code.address);
    }
}
