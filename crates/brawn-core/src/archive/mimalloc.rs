//! Recognizes mimalloc in an archive: somebody built it as one or more members and added them. They are recognized by
//! the symbols that they define.
//!
//! mimalloc's own names begin with `mi_` (mimalloc.h, "Interface"). With its other names it replaces a libc's heap
//! and a C++ runtime's operators (src/alloc-override.c, versions 1.7 to 3.3).

use super::findings::{Content, Findings, Member, Role};
use crate::arch::Isa;
use crate::archive::read::Archive;
use crate::error::{Result, printable};
use crate::identify::{is_heap, is_surface};

/// Names of libc and other libraries that mimalloc's members define, besides the heap's and C++'s operators.
const OVERRIDES: [&[u8]; 21] = [
    b"DW.ref.__gxx_personality_v0",
    b"_ZSt15get_new_handlerv",
    b"__clang_call_terminate",
    b"__libc_cfree",
    b"__libc_memalign",
    b"__libc_pvalloc",
    b"__libc_valloc",
    b"__posix_memalign",
    b"_aligned_malloc",
    b"cfree",
    b"malloc_good_size",
    b"malloc_size",
    b"pvalloc",
    b"reallocarr",
    b"reallocf",
    b"strdup",
    b"strndup",
    b"vfree",
    // State of version 3.
    b"heap_main",
    b"theap_main",
    b"thread_tld",
];

/// Functions of libc that are taken out together with its heap, although not every mimalloc defines them.
pub const COPIES: [&str; 3] = ["strdup", "strndup", "wcsdup"];

/// Whether `name` is any form of C++'s global operator `new` or `delete`, in its mangled form (Itanium C++ ABI,
/// "Operator Encodings").
pub fn is_operator(name: &[u8]) -> bool {
    let starts: [&[u8]; 4] = [b"_Znw", b"_Zna", b"_Zdl", b"_Zda"];
    starts.iter().any(|start| name.starts_with(start))
}

/// Whether only mimalloc has names like this one, in C or as C++ compilers mangle them.
pub fn is_own(name: &[u8]) -> bool {
    let plain = |name: &[u8]| {
        let start = name.iter().position(|b| *b != b'_').unwrap_or(name.len());
        start <= 2 && name[start..].starts_with(b"mi_")
    };
    let mangled = name.strip_prefix(b"_Z").and_then(|rest| {
        let start = rest.iter().position(|b| !b.is_ascii_digit())?;
        (start > 0).then_some(&rest[start..])
    });
    plain(mangled.unwrap_or(name))
}

fn may_define(name: &[u8]) -> bool {
    is_own(name) || is_heap(name) || is_operator(name) || OVERRIDES.contains(&name)
}

/// Marks mimalloc's members, if by their symbols they are the archive's heap.
pub(crate) fn assign(members: &mut [Member<'_>]) {
    let is_its = |member: &Member<'_>, is_enough: &dyn Fn(&[u8]) -> bool| {
        matches!(member.role, Role::Rest | Role::ForeignHeap)
            && matches!(member.content, Content::Object(_))
            && member.defined().all(|s| may_define(s.name))
            && member.defined().any(|s| is_enough(s.name))
    };
    if !members.iter().any(|m| is_its(m, &is_own)) {
        return;
    }
    // The names of the heap may be in a separate member.
    let is_enough = |name: &[u8]| is_own(name) || is_surface(name);
    let is_heaps =
        |m: &Member<'_>| is_its(m, &is_enough) && m.defined().any(|s| is_surface(s.name));
    if !members.iter().any(is_heaps) {
        return;
    }
    for member in members {
        if is_its(member, &is_enough) {
            member.role = Role::Mimalloc;
        }
    }
}

/// The mimalloc in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mimalloc {
    /// Its version, as in `2.2.4`; `None` if `mi_version` is not compiled as known compilers do it.
    pub version: Option<String>,
    /// The number of its members.
    pub members: usize,
    /// The name of the first member that defines `malloc`.
    pub member: String,
    /// Whether it brings C++'s operators.
    pub has_operators: bool,
    /// Names of the members of musl's heap that are still there.
    pub leftovers: Vec<String>,
}

impl Mimalloc {
    /// Describes the mimalloc in an archive, if it is the heap there.
    pub fn of(archive: &Archive<'_>, findings: &Findings<'_>) -> Result<Option<Self>> {
        let defining = |name: &[u8]| {
            let mut members = findings.with_role(Role::Mimalloc);
            members.find(|m| m.defines(name))
        };
        let Some(first) = defining(b"malloc").or_else(|| findings.with_role(Role::Mimalloc).next())
        else {
            return Ok(None);
        };
        let version = match defining(b"mi_version") {
            Some(member) => version(archive, member)?,
            None => None,
        };
        let mut names = findings.with_role(Role::Mimalloc).flat_map(Member::defined);
        Ok(Some(Self {
            version,
            members: findings.with_role(Role::Mimalloc).count(),
            member: printable(first.name),
            has_operators: names.any(|s| is_operator(s.name)),
            leftovers: findings
                .with_role(Role::MuslHeap)
                .map(|m| printable(m.name))
                .collect(),
        }))
    }

    /// As in `mimalloc 2.2.4`.
    pub fn title(&self) -> String {
        match &self.version {
            Some(version) => format!("mimalloc {version}"),
            None => "mimalloc (version unknown)".into(),
        }
    }

    /// How it was added to the archive, as far as its members show.
    pub fn shape(&self) -> String {
        match self.members {
            1 if self.leftovers.is_empty() => format!(
                "one member, {}, as Swift's static Linux SDK has it",
                self.member
            ),
            1 => format!("one member, {}, beside members of musl's heap", self.member),
            n => format!("{n} members, as when those of libmimalloc.a are added with `ar`"),
        }
    }
}

/// The number that `mi_version` returns, if the function does nothing else.
fn version(archive: &Archive<'_>, member: &Member<'_>) -> Result<Option<String>> {
    let image = member.image(archive)?;
    let mut symbols = image.defined();
    let code = symbols
        .find(|s| s.name == "mi_version")
        .and_then(|s| image.contents(s, 32));
    Ok(code
        .and_then(|code| (Isa::of(image.ident.architecture()?)?.facts().returned)(code))
        .and_then(number))
}

/// `MI_MALLOC_VERSION` as people write it. Before 2.3 each part has one digit (224 is 2.2.4); since then minor and
/// patch have two digits each (20302 is 2.3.2).
fn number(version: u32) -> Option<String> {
    let (major, minor, patch) = match version {
        100..=999 => (version / 100, version / 10 % 10, version % 10),
        10_000..=99_999 => (version / 10_000, version / 100 % 100, version % 100),
        _ => return None,
    };
    Some(format!("{major}.{minor}.{patch}"))
}

#[cfg(test)]
mod tests;
