//! How a user of the command asks for what `brawn-core` advises.

use brawn_core::advice::Advice;
use brawn_core::component::Component;

/// The command's words for `advice`.
pub fn words(advice: Advice<'_>) -> String {
    let names = |parts: &[Component]| {
        let names: Vec<_> = parts.iter().map(|part| part.name()).collect();
        names.join(",")
    };
    let line = |subcommand: &str, file: Option<&str>| match file {
        Some(file) => format!("`brawn {subcommand} {file}`"),
        None => format!("`brawn {subcommand}`"),
    };
    match advice {
        Advice::Only(parts) => format!("`--only {}`", names(parts)),
        Advice::PatchOnly(parts) => format!("`brawn patch --only {}`", names(parts)),
        Advice::Upgrade => "`brawn patch --upgrade`".into(),
        Advice::RewriteIntoImage => "`--rewrite`".into(),
        Advice::Inspect => line("inspect", None),
        Advice::Patch(file) => line("patch", file),
        Advice::Restore(file) => line("restore", file),
        Advice::Rewrite(file) => line("rewrite", file),
        // Everything after the dashes belongs to the program's line, even if it begins with a dash.
        Advice::Preload(Some(file)) => line("preload --", Some(file)),
        Advice::Preload(None) => line("preload", None),
        Advice::Run => line("run", None),
        Advice::Record => "`brawn run --heap-profile FILE PROGRAM`".into(),
        Advice::LinkArgs => line("link-args", None),
        Advice::LearnSignatures => line("signatures learn", None),
    }
}

#[cfg(test)]
mod tests;
