//! Checks whether functions that a program's symbols name have the code of a build of musl.
//!
//! A symbol gives a function's name, but not its origin. Its code does, together with everything that it refers to,
//! which must be where the symbols say. The rest of the program need not come from the same build.

use super::{Build, Function, database, operand};
use crate::elf::program::Program;
use crate::error::Result;
use crate::signatures::names::{Evidence, Named, Names};
use std::collections::{HashMap, HashSet};

/// Looks at those of `names` that are among the names `which`. If the code of one is in the database or in `more`, it
/// is marked with that build.
///
/// Errors: those of the database.
pub fn confirm(
    program: &Program<'_>,
    names: &mut Names,
    which: &HashSet<&str>,
    more: &[Build],
) -> Result<()> {
    let is_asked = |n: &Named| n.evidence == Evidence::Symbol && which.contains(n.name.as_str());
    let asked: Vec<usize> = (0..names.functions.len())
        .filter(|n| is_asked(&names.functions[*n]))
        .collect();
    if asked.is_empty() {
        return Ok(());
    }
    let own = database::builds(program.architecture)?;
    let builds: Vec<&Build> = own
        .iter()
        .chain(more)
        .filter(|b| b.architecture == program.architecture)
        .collect();
    let texts = builds.iter().flat_map(|b| &b.names);
    let known: HashSet<&str> = texts.map(String::as_str).collect();
    let mut places: HashMap<&str, Vec<u64>> = HashMap::new();
    let all = names.functions.iter().chain(&names.objects);
    for named in all.filter(|n| known.contains(n.name.as_str())) {
        places.entry(&named.name).or_default().push(named.address);
    }
    let mut told = Vec::new();
    for number in asked {
        let named = &names.functions[number];
        let mut builds = builds.iter();
        if let Some((build, size)) =
            builds.find_map(|b| Some((b, is_of(program, b, named, &places)?)))
        {
            told.push((number, build.name.clone(), size));
        }
    }
    for (number, build, size) in told {
        let named = &mut names.functions[number];
        named.evidence = Evidence::Signature(build);
        named.size = size;
    }
    Ok(())
}

/// The size of the function of that name, if its code is that of `build`.
fn is_of(
    program: &Program<'_>,
    build: &Build,
    named: &Named,
    places: &HashMap<&str, Vec<u64>>,
) -> Option<u64> {
    let is_named = |f: &&Function| {
        let mut all = f.names.iter().chain(&f.weak);
        all.any(|name| build.text(*name) == named.name)
    };
    let is_here = |f: &&Function| {
        let size = u64::from(f.size);
        // Functions in assembly may have symbols without a size.
        if named.size != 0 && named.size != size {
            return false;
        }
        let code = program.at(named.address, size);
        if !code.is_some_and(|code| f.is(code)) {
            return false;
        }
        let mut agrees = true;
        operand::addresses(program, named.address, &f.operands, |name, address| {
            let known = places.get(build.text(name));
            agrees &= known.is_none_or(|known| known.contains(&address));
        });
        agrees
    };
    let mut functions = build.functions.iter().filter(is_named).filter(is_here);
    functions.next().map(|f| u64::from(f.size))
}
