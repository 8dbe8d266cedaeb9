//! What a user can ask for instead, as messages advise it.
//!
//! This crate knows what would help. How it is asked for is known only to the program that has the user: the command
//! `brawn` has flags for it. That program gives its words once, at its start, by [`set_words`].

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
        match self {
            Self::Only(parts) => write!(f, "only `{}`", names(parts)),
            Self::PatchOnly(parts) => write!(f, "a patch with only `{}`", names(parts)),
            Self::Upgrade => f.write_str("an upgrade"),
            Self::RewriteIntoImage => f.write_str("a rewrite"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Families;

    #[test]
    fn without_a_programs_words_no_flag_is_named() {
        let both = [Component::Memory, Component::Libc(Families::ALL)];
        assert_eq!(Advice::Only(&both).to_string(), "only `memory` and `libc`");
        let patch = Advice::PatchOnly(&both[..1]).to_string();
        assert_eq!(patch, "a patch with only `memory`");
        assert_eq!(Advice::Upgrade.to_string(), "an upgrade");
        assert_eq!(Advice::RewriteIntoImage.to_string(), "a rewrite");
    }
}
