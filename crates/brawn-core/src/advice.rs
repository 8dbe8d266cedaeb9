//! What a user can ask for instead, as messages advise it.
//!
//! This crate knows what would help. How it is asked for is known only to the program that has the user: the command
//! `brawn` has subcommands and flags for it. That program gives its words once, at its start, by [`set_words`].

use crate::component::Component;
use std::fmt;
use std::sync::OnceLock;

/// Something that a user can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice<'a> {
    /// The same again, with these parts of libc alone.
    Only(&'a [Component]),
    /// To patch an archive with these parts of libc alone.
    PatchOnly(&'a [Component]),
    /// To exchange a heap that somebody else put into an archive.
    Upgrade,
    /// To rewrite the program on its way into an image.
    RewriteIntoImage,
    /// To look at what a file is, and at what is in it.
    Inspect,
    /// To patch an archive. This and those below have a place for the file's name if the sentence is about a file.
    Patch(Option<&'a str>),
    /// To bring back the original of a file that was patched or rewritten.
    Restore(Option<&'a str>),
    /// To rewrite a finished program.
    Rewrite(Option<&'a str>),
    /// To run a dynamic program with the heap.
    Preload(Option<&'a str>),
    /// To run a static program with the heap.
    Run,
    /// To run a static program and record who asks for its memory.
    Record,
    /// To put the payload on a link line.
    LinkArgs,
    /// To make a file of signatures from builds of musl.
    LearnSignatures,
}

/// What to do with a file that is something else than what was expected.
pub fn look_at_it() -> String {
    format!("{} says what is in it", Advice::Inspect)
}

/// Says in a program's own words how each of them is asked for.
pub type Words = fn(Advice<'_>) -> String;

static WORDS: OnceLock<Words> = OnceLock::new();

/// Has messages use `words` from now on. The first call counts.
pub fn set_words(words: Words) {
    WORDS.get_or_init(|| words);
}

/// As a noun that stands in a sentence: "an upgrade exchanges it".
impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = WORDS.get() {
            return f.write_str(&words(*self));
        }
        let names = |parts: &[Component]| {
            let names: Vec<_> = parts.iter().map(|part| part.name()).collect();
            names.join("` and `")
        };
        let of = |what: &str, file: Option<&str>| match file {
            Some(file) => format!("{what} of {file}"),
            None => what.to_owned(),
        };
        match self {
            Self::Only(parts) => write!(f, "only `{}`", names(parts)),
            Self::PatchOnly(parts) => write!(f, "a patch with only `{}`", names(parts)),
            Self::Upgrade => f.write_str("an upgrade"),
            Self::RewriteIntoImage => f.write_str("a rewrite"),
            Self::Inspect => f.write_str("an inspection"),
            Self::Patch(file) => f.write_str(&of("a patch", *file)),
            Self::Restore(file) => f.write_str(&of("its restored original", *file)),
            Self::Rewrite(file) => f.write_str(&of("a rewrite", *file)),
            Self::Preload(file) => f.write_str(&of("a run with the heap preloaded", *file)),
            Self::Run => f.write_str("a run with the heap put into it"),
            Self::Record => f.write_str("a recorded run"),
            Self::LinkArgs => f.write_str("the payload on the link line"),
            Self::LearnSignatures => f.write_str("learnt signatures"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_programs_words_no_flag_and_no_subcommand_is_named() {
        let both = [Component::Memory, Component::LIBC];
        assert_eq!(Advice::Only(&both).to_string(), "only `memory` and `libc`");
        let patch = Advice::PatchOnly(&both[..1]).to_string();
        assert_eq!(patch, "a patch with only `memory`");
        assert_eq!(Advice::Upgrade.to_string(), "an upgrade");
        assert_eq!(Advice::RewriteIntoImage.to_string(), "a rewrite");
        assert_eq!(Advice::Patch(Some("FILE")).to_string(), "a patch of FILE");
        assert_eq!(Advice::Rewrite(None).to_string(), "a rewrite");
        assert_eq!(look_at_it(), "an inspection says what is in it");
    }
}
