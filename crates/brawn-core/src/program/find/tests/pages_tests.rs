//! aarch64 programs with the page of the heap's state in a register. Code uses the state only if it completes the
//! address, or moves the page to a place where it cannot be followed.

use super::*;

/// Assembly with the parts that compilers make; `@` stands for the state of musl's heap.
fn program(assembly: &str) -> Vec<u8> {
    let lines = assembly.replace('@', "__malloc_context");
    let text = format!(
        ".text\n.globl own\n.type own, %function\nown:\nstp x29, x30, [sp, #-96]!\nstp x19, x20, [sp, #32]\n\
         {lines}\n9: ldp x19, x20, [sp, #32]\nldp x29, x30, [sp], #96\nret\n.size own, .-own\n"
    );
    let source = format!(
        "{}\n__asm__({text:?});\nvoid own(long);\nint main(int n, char **w) {{ own(n); return other(n, w); }}",
        THREADS.replace("int main(", "static int other("),
    );
    let flags = ["-static", "-O2", "-fno-builtin"];
    built(&Build::musl("1.2.3-arm64", &source).with(&flags))
}

#[track_caller]
fn is_refused(assembly: &str, expected: &[RiskKind]) {
    assert_eq!(kinds(&found(&program(assembly))), expected, "{assembly}");
}

/// A use of the heap's state.
const USES: &[RiskKind] = &[RiskKind::HeapState];

#[test]
fn a_page_that_nobody_reads_is_no_reference() {
    for left in [
        // To the end of the function, over calls and around loops.
        "adrp x20, @\nbl getpid\n1: subs x0, x0, #1\nb.ne 1b",
        // In a register that the call does not preserve.
        "adrp x8, @\nbl getpid",
        // In the frame, and never loaded again.
        "adrp x9, @\nstr x9, [sp, #24]\nbl getpid\nldr x9, [sp, #16]\nldr x0, [x9]",
        // In the frame, until another value is put there.
        "adrp x9, @\nstr x9, [sp, #24]\nstr xzr, [sp, #24]\nldr x9, [sp, #24]\nldr x0, [x9]",
        // Until an instruction of any kind writes the register.
        "adrp x9, @\nldar x9, [x0]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nldxr x9, [x0]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nldadd x1, x9, [x0]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nfmov x9, d0\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\numov x9, v0.d[0]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nmrs x9, tpidr_el0\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nldpsw x8, x9, [x0]\nldr x0, [x9, :lo12:@]",
        // In a program that stops.
        "adrp x0, @\nbrk #1",
    ] {
        is_refused(&format!(".arch armv8.1-a\n{left}"), &[]);
    }
}

#[test]
fn a_page_is_followed_to_where_it_is_completed() {
    for used in [
        "adrp x9, @\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nadd x9, x9, :lo12:@\nbl getpid",
        // After a call, in a loop, in another register, in another function.
        "adrp x20, @\nbl getpid\n1: subs x0, x0, #1\nb.ne 1b\nldr x0, [x20, :lo12:@]",
        "adrp x9, @\nmov x20, x9\nbl getpid\nldr x0, [x20, :lo12:@]",
        "adrp x9, @\ncsel x20, x1, x9, eq\nbl getpid\nldr x0, [x20, :lo12:@]",
        "adrp x9, @\ncbz x0, 9b\nb 7f\n7: ldr x0, [x9, :lo12:@]\n9: nop",
        // From the frame, one or two registers at a time, and after the frame grew.
        "adrp x9, @\nstr x9, [sp, #24]\nbl getpid\nldr x9, [sp, #24]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nstp x1, x9, [sp, #16]\nbl getpid\nldp x8, x9, [sp, #16]\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nstr x9, [sp, #24]\nsub sp, sp, #32\nldr x9, [sp, #56]\nadd sp, sp, #32\nldr x0, [x9, :lo12:@]",
        "adrp x9, @\nstr x9, [sp, #-16]!\nbl getpid\nldr x20, [sp], #16\nldr x0, [x20, :lo12:@]",
        // In code that several functions share, which takes the value in any register.
        "adrp x9, @\nbl 7f\nb 9f\n7: ldr x0, [x9, :lo12:@]\nret\n9: nop",
    ] {
        let used = used.replace("9b", "9f");
        is_refused(&used, USES);
    }
}

/// A jump by a table of bytes with these `entries`; `bound` limits the index.
fn jump(bound: &str, entries: &str, ways: &str) -> String {
    format!(
        "adrp x20, @\nadrp x19, 3f\nadd x19, x19, :lo12:3f\n{bound}\nadr x10, 4f\nldrb w11, [x19, x9]\n\
         add x10, x10, x11, lsl #2\nbr x10\n4: {ways}\n.section .rodata\n3: .byte {entries}, 0xff\n.text"
    )
}

#[test]
fn jumps_by_tables_are_followed() {
    let compared = "mov w9, w0\ncmp w0, #1\nb.hi 9f";
    let nothing = "b 9f\nnop\nb 9f\nldr x0, [x20, :lo12:@]\nb 9f";
    let uses = "b 9f\nnop\nldr x0, [x20, :lo12:@]\nb 9f";
    is_refused(&jump(compared, "0, 2", nothing), &[]);
    is_refused(&jump(compared, "0, 2", uses), USES);
    // An index that is never too large: the table ends before the first entry that leads out of the function.
    is_refused(&jump("ldrb w9, [x0]", "0, 2", nothing), &[]);
    is_refused(&jump("ldrb w9, [x0]", "0, 2", uses), USES);
    // A jump to an unknown place.
    is_refused("adrp x20, @\nldr x9, [x0]\nbr x9", USES);
}

#[test]
fn a_page_that_goes_where_it_is_not_followed_counts() {
    for lost in [
        "adrp x1, @\nbl getpid",
        "adrp x9, @\nblr x9",
        "adrp x0, @",
        "adrp x9, @\nstr x9, [x0]",
        "adrp x9, @\nadd x9, x9, x1\nldr x0, [x9]",
        "adrp x9, @\nldr x0, [x9, x1]",
        "adrp x9, @\nmov w9, w9\nldr x0, [x9]",
        "adrp x9, @\nfmov d0, x9",
        "adrp x9, @\nstr x9, [sp, #24]\nldr q0, [sp, #16]",
        // Through the frame's other register.
        "mov x29, sp\nadrp x9, @\nstr x9, [sp, #24]\nldr x9, [x29, #24]\nldr x0, [x9, :lo12:@]",
    ] {
        is_refused(lost, USES);
    }
}

/// Words that look like random numbers; one of them looks like `bl` to `to`. `lead` comes before them.
fn table(lead: &str, to: &str) -> String {
    format!(
        "{lead}\nb 9f\n.word 0x6a09e667, 0x02bb67ae, 0x3c6ef372, 0x254ff53a\n8: bl {to}\n\
         .word 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x27e0cd19, 0x428a2f98, 0xd807aa98\n9: nop\n.previous\n"
    )
    .replace(".previous\n", "")
}

#[test]
fn a_table_amid_code_is_no_code() {
    let inside = "__libc_malloc_impl + 8";
    let entered = &[RiskKind::EnteredInside][..];
    is_refused(&table("nop", inside), &[]);
    // Words that may run are code: something jumps to them, or not both of their ends are words that no processor
    // runs.
    is_refused(&table("cbz x0, 8f", inside), entered);
    is_refused(&format!("bl {inside}"), entered);
    is_refused(
        &format!("b 9f\n.word 0x6a09e667, 0x02bb67ae\nbl {inside}\n9: nop"),
        entered,
    );
}
