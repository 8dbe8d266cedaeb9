//! Which programs can be the only file of an image, and what their users should know.

use crate::advice::Advice;
use crate::elf::ident::Ident;
use crate::elf::image::Image;
use crate::elf::system::System;
use crate::error::{Error, Result, printable};
use crate::format::Format;
use crate::identify::{Libc, Linkage};
use crate::report::inspect;
use crate::report::inspect::Verdict;
use serde::{Deserialize, Serialize};

/// The platform of an image, with Go's names (`GOARCH` and `GOOS`).
///
/// Source: OCI Image Format Specification 1.1, `image-index.md`, "platform".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// The architecture.
    pub architecture: String,
    /// The operating system.
    pub os: String,
    /// The processor's variant, if the specification lists one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

impl Platform {
    /// The form for command lines: `linux/arm64/v8`.
    pub fn name(&self) -> String {
        let parts = [
            Some(&self.os),
            Some(&self.architecture),
            self.variant.as_ref(),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        parts.join("/")
    }

    /// The platform of a file for Linux with that identification; `None` if the header alone is not enough to tell.
    fn of(ident: Ident) -> Option<Self> {
        let (architecture, variant) = match (ident.machine, ident.is_64, ident.is_little) {
            (62, true, true) => ("amd64", None),
            (183, true, true) => ("arm64", Some("v8")),
            (3, false, true) => ("386", None),
            (21, true, true) => ("ppc64le", None),
            (22, true, false) => ("s390x", None),
            (243, true, true) => ("riscv64", None),
            (258, true, true) => ("loong64", None),
            _ => return None,
        };
        Some(Self {
            architecture: architecture.into(),
            os: "linux".into(),
            variant: variant.map(str::to_owned),
        })
    }
}

/// A program that needs no other files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The platform that it is for.
    pub platform: Platform,
    /// The libc in it.
    pub libc: Libc,
    /// The verdict on its heap.
    pub verdict: Verdict,
    /// The reason for the verdict, in a sentence.
    pub why: String,
    /// Whether brawn could replace its heap.
    pub can_be_faster: bool,
}

/// Reads the program in `bytes`.
///
/// # Errors
/// It is not a program, needs a dynamic linker or shared objects, is for another system, or has headers that
/// contradict each other.
pub fn program(bytes: &[u8]) -> Result<Program> {
    const EXPECTED: &str = "a static executable";
    match Format::of(bytes) {
        Format::Elf => {}
        _ if bytes.starts_with(b"#!") => {
            let line = bytes[2..].split(|b| *b == b'\n').next().unwrap_or_default();
            let line = printable(line[..line.len().min(100)].trim_ascii());
            return Err(Error::not_applicable(format!("a script for {line}"))
                .at(0)
                .expected(EXPECTED)
                .next("an image without that interpreter cannot run it"));
        }
        _ if bytes.is_empty() => return Err(Error::malformed("an empty file").expected(EXPECTED)),
        _ => {
            let start = printable(&bytes[..bytes.len().min(8)]);
            return Err(
                Error::not_applicable(format!("not an ELF file, but `{start}`"))
                    .at(0)
                    .expected(EXPECTED),
            );
        }
    }
    let image = Image::read(bytes, 0)?;
    let report = inspect::inspect_image(&image);
    if let Some((system, sign)) = System::of_image(&image) {
        return Err(system.refused(&sign));
    }
    match (report.linkage, image.needed.first()) {
        (Linkage::Static | Linkage::StaticPie, None) => {}
        (Linkage::Dynamic, _) => {
            let interpreter = report.interpreter.unwrap_or_default();
            let found = format!("a dynamic executable, whose interpreter is {interpreter}");
            return Err(Error::refused(found).expected(EXPECTED).next(
                "link it with `-static`, for Rust with a target of musl's; or start an image from one that has \
                 that interpreter and its libraries",
            ));
        }
        (Linkage::Static | Linkage::StaticPie, Some(needed)) => {
            let found = format!("it needs the shared object {}", printable(needed));
            return Err(Error::refused(found)
                .expected(EXPECTED)
                .next("link it with `-static`"));
        }
        (other, _) => {
            let article = if other.name().starts_with(['a', 'o']) {
                "an"
            } else {
                "a"
            };
            let what = match other {
                Linkage::Other => "neither an executable nor an object".to_owned(),
                other => format!("{article} {}", other.name()),
            };
            return Err(Error::not_applicable(what)
                .expected(EXPECTED)
                .next("name the program that is linked from it"));
        }
    }
    if image.loads.is_empty() {
        return Err(Error::malformed("no segment that is loaded").expected(EXPECTED));
    }
    let platform = Platform::of(image.ident).ok_or_else(|| {
        Error::refused(format!(
            "{}: its name in images does not follow from the file",
            image.ident.describe()
        ))
        .at(18)
        .expected("x86_64, aarch64, i386, riscv64, powerpc64, s390x or loongarch64")
    })?;
    Ok(Program {
        platform,
        libc: report.libc,
        verdict: report.verdict,
        why: report.why,
        can_be_faster: report.verdict == Verdict::SlowHeap
            && report.libc == Libc::Musl
            && image.ident.architecture().is_some(),
    })
}

impl Program {
    /// What its users should know.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.verdict {
            Verdict::SlowHeap if self.can_be_faster => notes.push(format!(
                "slow: {}; {} puts a faster copy into the image",
                self.why,
                Advice::RewriteIntoImage
            )),
            Verdict::SlowHeap => notes.push(format!("slow: {}", self.why)),
            Verdict::Mixed => notes.push(format!("two heaps: {}", self.why)),
            Verdict::Fine | Verdict::NotMusl | Verdict::Unknown => {}
        }
        if self.libc == Libc::Glibc {
            notes.push(
                "glibc loads shared libraries to look up hosts and users, even in a static program: the image has none"
                    .into(),
            );
        }
        notes
    }
}
