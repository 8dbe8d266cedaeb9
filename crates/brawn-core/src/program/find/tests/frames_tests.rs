//! Where instructions begin is known from unwind information, also in stripped programs.

use super::*;
use crate::elf::frames::Frames;

/// A function of many equal instructions with a number: read from one byte later or earlier, they are other instructions, and stay so.
const HOLDER: &str = r#"
__asm__(".text\n.p2align 4\n.globl holder\n.type holder, @function\nholder:\n" BEGIN
        ".rept 40\nmovabs $0x1122334455667788, %rax\n.endr\nret\n" END ".size holder, .-holder\n");
void holder(void);
int own(int n, char **w) { if (n > 99) holder(); return n > 99 && w; }
int other(int, char **);
int main(int n, char **w) { return own(n, w) + other(n, w); }
"#;

/// The risks without `holder`'s name, if the bytes `at` of one of its instructions are a call into a replaced function.
fn risks(bytes: &[u8], at: usize) -> Vec<Risk> {
    let program = Program::read(bytes).expect("an executable");
    let holder = program.symbol("holder").expect("its symbol").address;
    let stock = found(bytes);
    assert_eq!(stock.risks, []);
    let mut functions = stock.functions.iter().filter(|f| !f.component.is_libc());
    let body = functions.find(|f| f.extent.end - f.extent.start > 64);
    let body = body.expect("musl's").extent.start + 40;
    let place = holder + 200 + at as u64;
    let distance = body.wrapping_sub(place + 5) as i32;
    let mut changed = bytes.to_vec();
    let offset = program.offset(place, 5).expect("in the file") as usize;
    changed[offset] = 0xe8;
    changed[offset + 1..offset + 5].copy_from_slice(&distance.to_le_bytes());
    if at == 0 {
        changed[offset + 5..offset + 10].fill(0x90);
    }
    let program = Program::read(&changed).expect("an executable");
    let mut names = Names::of_symbols(&program);
    // Labels without a size would tell, too.
    names.functions.retain(|n| n.name != "holder" && n.size > 0);
    let mut stripped = program.clone();
    stripped.image.symbols.clear();
    let payload = brawn_payload::payload(program.architecture.architecture(), Profile::Fast)
        .expect("embedded");
    let found = find(
        &stripped,
        &names,
        payload,
        &[Component::Heap, Component::Memory],
    );
    found.expect("musl's").risks
}

#[test]
fn bytes_inside_of_an_instruction_are_no_call() {
    for table in ["-Wl,--eh-frame-hdr", "-Wl,--no-eh-frame-hdr"] {
        for (begin, end, is_covered) in [
            (".cfi_startproc\\n", ".cfi_endproc\\n", true),
            ("", "", false),
        ] {
            let source = THREADS.replace("int main(", "int other(");
            let defines = format!("#define BEGIN \"{begin}\"\n#define END \"{end}\"\n");
            let source = format!("{defines}{source}{HOLDER}");
            let flags = ["-static", "-O2", "-fno-builtin", table];
            let bytes = built(&Build::musl("1.2.3", &source).with(&flags));
            let program = Program::read(&bytes).expect("an executable");
            let holder = program.symbol("holder").expect("its symbol");
            let frames = Frames::of(&program);
            let around = frames.around(holder.address + 7);
            let range = holder.address..holder.address + holder.size;
            assert_eq!(around, is_covered.then_some(range), "{table}");
            // The middle of an instruction; what is not known to be that counts.
            let inside = risks(&bytes, 5);
            assert_eq!(inside.is_empty(), is_covered, "{table}: {inside:?}");
            // The same bytes as an instruction of their own. Without unwind information, most ways to decode miss it here.
            let real: Vec<RiskKind> = risks(&bytes, 0).iter().map(|r| r.kind).collect();
            let expected = [RiskKind::EnteredInside];
            assert_eq!(real, expected[..usize::from(is_covered)], "{table}");
        }
    }
}

#[test]
fn flags_of_a_call_are_told_from_any_start() {
    // movl $1, %edx; call; 20 times xchg %ax, %ax; movl $0x4111, %edx; call
    let mut code = vec![0xba, 1, 0, 0, 0, 0xe8, 0, 0, 0, 0];
    code.extend([0x66, 0x90].repeat(40));
    code.extend([0xba, 0x11, 0x41, 0, 0]);
    assert_eq!(x86_64::third_argument(&code, 0x1000), Some(0x4111));
    // A flag of an earlier number counts: some path may skip the last one.
    code[2..4].copy_from_slice(&[0, 1]);
    assert_eq!(x86_64::third_argument(&code, 0x1000), Some(0x1_4111));
    // No number, whatever stands before.
    code.extend([0x89, 0xc2]);
    assert_eq!(x86_64::third_argument(&code, 0x1000), None);
}
