use super::operand::{Form, Operand, Target};
use super::*;

fn function(operands: Vec<Operand>) -> Function {
    Function {
        names: vec![0],
        weak: Vec::new(),
        size: 16,
        window: None,
        digest: digest(&[1; 16], &operands),
        operands,
    }
}

fn operand(at: u32, form: Form) -> Operand {
    let target = Some(Target {
        name: 1,
        addend: -4,
    });
    Operand { at, form, target }
}

#[test]
fn what_linking_fills_in_does_not_count() {
    let signature = function(vec![operand(2, Form::Distance), operand(9, Form::Table)]);
    // 2..6 and 6..13
    assert_eq!(signature.fixed(), 5);
    let mut code = [1; 16];
    code[2..13].fill(7);
    assert!(signature.is(&code));
    code[13] = 7;
    assert!(!signature.is(&code));
    assert!(!signature.is(&code[..15]));
}

#[test]
fn every_build_of_the_database_reads_and_writes_itself() {
    for architecture in Isa::ALL {
        let builds = database::builds(architecture).unwrap();
        assert!(builds.len() >= 4);
        for build in builds {
            assert_eq!(build.architecture, architecture);
            assert!(build.functions.len() > 40, "{}", build.name);
            assert_eq!(text::read(&text::write(build)).unwrap(), *build);
            for source in &build.provenance {
                assert_eq!(source.sha256.len(), 64, "{}", build.name);
                assert!(
                    !source.package.is_empty() && !source.version.is_empty(),
                    "{}",
                    build.name
                );
            }
        }
    }
}

#[test]
fn a_line_that_is_none_has_its_place() {
    let text = "brawn-signatures 1\nbuild x\narchitecture x86_64\nfunction f - 5 - 00112233445566778899aabbccddeeff\n";
    assert_eq!(text::read(text).unwrap().functions.len(), 1);
    for bad in [
        "g q1",
        "g d1+",
        "g dzz",
        "function f",
        "function f - 5 - 00",
        "architecture vax",
        "constant c 1",
    ] {
        let error = text::read(&format!("{text}{bad}\n")).unwrap_err();
        assert_eq!(error.offset(), Some(text.len() as u64), "{bad}");
    }
    assert!(text::read("build x\n").is_err());
    assert!(text::read("brawn-signatures 1\nbuild x\n").is_err());
}

#[test]
fn what_two_files_tell_of_one_build_is_one() {
    let build = &database::builds(Isa::X86_64).unwrap()[0];
    let (mut first, mut second) = (build.clone(), build.clone());
    second.functions = first.functions.split_off(build.functions.len() / 2);
    first.merge(&second).unwrap();
    let names = |build: &Build| -> Vec<String> {
        let names = build.functions.iter().flat_map(|f| &f.names);
        names.map(|name| build.text(*name).to_owned()).collect()
    };
    assert_eq!(names(&first), names(build));
    let before = first.functions.len();
    first.merge(build).unwrap();
    assert_eq!(first.functions.len(), before);
    let other = &database::builds(Isa::Aarch64).unwrap()[0];
    assert_eq!(first.merge(other).unwrap_err().kind(), crate::Kind::Usage);
}
