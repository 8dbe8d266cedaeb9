//! Says why a program is refused.

use super::find::{Risk, RiskKind};
use crate::advice::Advice;
use crate::component::Component;
use crate::elf::comment;
use crate::elf::program::Program;
use crate::error::Error;
use crate::signatures::names::{Evidence, Names};

/// Functions that give and take blocks in every heap of musl's, by the names that builds have for them. The first two rows belong together;
/// a program that frees nothing has the last.
const GIVE: [&str; 3] = ["__libc_malloc_impl", "__libc_malloc", "malloc"];
const TAKE: [&str; 2] = ["__libc_free", "free"];
const SIMPLE: [&str; 1] = ["__simple_malloc"];

/// The error for `risks`, of which there is at least one.
pub fn error(program: &Program<'_>, names: &Names, risks: &[Risk]) -> Error {
    let mut reasons: Vec<String> = risks.iter().map(ToString::to_string).collect();
    let first = &risks[0];
    // A program of a musl that is not known has many reasons, and all have this one cause.
    let unknown = is_unknown(names, risks).then(|| unknown(program));
    let text = match &unknown {
        Some(text) => text.clone(),
        None => first.text.clone(),
    };
    let others = match (risks.len() - 1, &unknown) {
        (0, _) | (_, Some(_)) => String::new(),
        (1, _) => " (and 1 more reason)".to_owned(),
        (others, _) => format!(" (and {others} more reasons)"),
    };
    let place = first.address.filter(|_| unknown.is_none());
    let place = place.map(|a| format!(" (at address {a:#x})"));
    let learn = unknown.is_some().then(|| {
        let learn = Advice::LearnSignatures;
        format!("{learn} makes signatures of that build from its libc.a, or from a program with symbols; ")
    });
    let next = [learn, Some(first.next.clone()), place];
    if reasons.len() == 1 && unknown.is_none() {
        reasons.clear();
    }
    let next: String = next.into_iter().flatten().collect();
    Error::refused(format!("{text}{others}"))
        .next(next)
        .reasons(reasons)
}

/// Whether brawn does not know the program's build of musl, which explains all the rest: without symbols, it found neither what gives blocks and
/// what takes them back, nor musl's heap for programs that free nothing.
fn is_unknown(names: &Names, risks: &[Risk]) -> bool {
    let is_heaps = |r: &Risk| r.component == Some(Component::Heap);
    let is_other = |r: &Risk| r.kind == RiskKind::OtherHeap;
    let mut functions = names.functions.iter();
    let has_symbols = functions.any(|n| n.evidence == Evidence::Symbol);
    let by_code = |wanted: &[&str]| {
        let mut functions = names.functions.iter();
        functions.any(|n| {
            wanted.contains(&n.name.as_str()) && matches!(n.evidence, Evidence::Signature(_))
        })
    };
    let is_known = by_code(&GIVE) && by_code(&TAKE) || by_code(&SIMPLE);
    !has_symbols && !is_known && risks.iter().any(is_heaps) && !risks.iter().any(is_other)
}

fn unknown(program: &Program<'_>) -> String {
    let compiler = comment::compiler(program);
    let compiler = compiler.map(|c| format!(" ({c})")).unwrap_or_default();
    format!(
        "a build of musl that brawn does not know{compiler}: too few of its functions were found"
    )
}
