use super::*;

/// `adrp x7`, kept in the frame during a call, and then the rest of the address.
#[test]
fn an_address_may_wait_in_the_frame() {
    let words: [u32; 6] = [
        0x9000_0007, // adrp x7, .
        0xa901_1fe2, // stp x2, x7, [sp, #16]
        0x9400_0400, // bl elsewhere
        0xa941_1fe2, // ldp x2, x7, [sp, #16]
        0x9135_00e7, // add x7, x7, #0xd40
        0xd65f_03c0, // ret
    ];
    let forms = |words: &[u32]| -> Vec<(u32, Form)> {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let found = operands(0x1000, &code).unwrap();
        let forms = found.iter().map(|f| (f.operand.at, f.operand.form));
        forms.collect()
    };
    let expected = [(0, Form::Page), (8, Form::Branch), (16, Form::Low)];
    assert_eq!(forms(&words), expected);
    // A comparison in between, whose flags have the register's number.
    let mut compared = words;
    compared[2] = 0x7a43_0847; // ccmp w2, #3, #7, eq
    assert!(forms(&compared).contains(&(16, Form::Low)));
    // Another word of the frame; another stack pointer.
    for (at, word) in [(3, 0xa942_1fe2), (2, 0xd100_43ff)] {
        let mut other = words;
        other[at] = word;
        assert!(!forms(&other).contains(&(16, Form::Low)), "{word:#x}");
    }
}

/// `adrp x21`, a jump to code after the function's end, and there the rest of the address.
#[test]
fn an_address_may_be_finished_behind_the_end() {
    let words: [u32; 6] = [
        0x9000_0015, // adrp x21, .
        0xb400_0080, // cbz x0, +16
        0xa942_57f4, // ldp x20, x21, [sp, #32]
        0xd65f_03c0, // ret
        0xd503_201f, // nop
        0x912a_c2a1, // add x1, x21, #0xab0
    ];
    let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let found = operands(0x1000, &code).unwrap();
    let forms: Vec<(u32, Form, Option<u64>)> = found
        .iter()
        .map(|f| (f.operand.at, f.operand.form, f.to))
        .collect();
    let to = Some(0x1ab0);
    assert_eq!(forms, [(0, Form::Page, to), (20, Form::Low, to)]);
}
