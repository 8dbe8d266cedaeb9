use super::*;

#[test]
fn data_is_told_from_code() {
    // Constants of a cipher, beside its code in a public program.
    for word in [
        0x23a2_5c6fu32,
        0xd7b9_5392,
        0x8750_24c5,
        0xbf1b_afca,
        0xdc0c_14ef,
        0xd65e_b397,
    ] {
        assert!(is_unallocated(word), "{word:#x}");
    }
    // ret; brk #1; and x1, x1, #-16; madd w6, w11, w16, w4; ldr q6, [x2]; fcvtzs x0, d0; ccmp; udf #0
    for word in [
        0xd65f_03c0,
        0xd420_0020,
        0x927c_ec21,
        0x1b10_9166,
        0x3dc0_0046,
        0x9e78_0000,
        0xfa41_0008,
        0,
    ] {
        assert!(!is_unallocated(word), "{word:#x}");
    }
}
