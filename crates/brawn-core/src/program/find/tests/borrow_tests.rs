//! Functions that a build lacks are taken from another build, if that agrees with it.

use super::*;
use crate::signatures::names::{Evidence, Named};
use crate::signatures::{Build as Signatures, learn, name_by};

/// The function of this name; it may have further names.
fn of_name(build: &Signatures, name: &str) -> usize {
    let mut functions = build.functions.iter();
    let has = |f: &crate::signatures::Function| f.names.iter().any(|n| build.text(*n) == name);
    functions.position(has).expect(name)
}

fn named<'n>(names: &'n Names, name: &str) -> Option<&'n Named> {
    names.functions.iter().find(|f| f.name == name)
}

#[test]
fn a_function_that_a_build_lacks_is_borrowed_where_all_agrees() {
    const LACKS: &str = "__libc_realloc";
    let bytes = built(&Build::musl("1.2.3", THREADS).with(&["-static", "-O2", "-fno-builtin"]));
    let program = Program::read(&bytes).expect("an executable");
    let whole = learn::learn(&bytes).expect("symbols");
    let number = of_name(&whole, LACKS);
    assert!(!whole.functions[number].operands.is_empty());
    let mut chosen = whole.clone();
    chosen.name = "chosen".into();
    chosen.functions.remove(number);
    let mut other = whole.clone();
    other.name = "other".into();
    other.functions = vec![whole.functions[number].clone()];
    let find = |builds: &[Signatures]| {
        let names = name_by(&program, builds);
        named(&names, LACKS).cloned()
    };
    assert_eq!(find(std::slice::from_ref(&chosen)), None);
    let found = find(&[chosen.clone(), other.clone()]).expect("the other build's");
    assert_eq!(found.address, program.symbol(LACKS).expect("there").address);
    assert_eq!(found.evidence, Evidence::Signature("other".into()));

    // What it refers to is at another address in the chosen build.
    let elsewhere = of_name(&whole, "__init_libc");
    let elsewhere = whole.functions[elsewhere].names[0];
    let free = of_name(&whole, "__libc_free");
    let free = &whole.functions[free].names;
    let mut wrong = other.clone();
    let operands = wrong.functions[0].operands.iter_mut();
    let targets = operands.filter_map(|o| o.target.as_mut());
    let changed = targets.filter(|t| free.contains(&t.name));
    assert!(changed.map(|t| t.name = elsewhere).count() > 0);
    assert_eq!(find(&[chosen.clone(), wrong]), None);

    // The chosen build has a function of that name: other code is not that function.
    let mut has = chosen;
    let mut own = whole.functions[number].clone();
    own.digest = [0; 16];
    has.functions.push(own);
    assert_eq!(find(&[has, other]), None);
}
