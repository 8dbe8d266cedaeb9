//! Finds out which heap a toolchain's programs have, and how to link them with brawn's heap and without.

use crate::run::through;
use crate::tool::{Tool, create, is_linked, linked, read, text, write};
use brawn_core::elf::image::Image;
use brawn_core::identify::heap::{FoundHeap, Heap};
use brawn_core::identify::{Libc, Linkage};
use brawn_core::link_args;
use brawn_core::link_args::shell;
use brawn_core::note::Note;
use brawn_core::report::inspect::{Inspection, inspect};
use brawn_core::report::verify::Function;
use brawn_core::{Error, Result};
use brawn_lab::process::watch::watch;
use brawn_payload::{Architecture, Profile, payload};
use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A program that allocates and frees, so that the whole heap is linked.
const PROBE: &str = "#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    void *volatile p = malloc(100 * (size_t)argc);
    p = realloc(p, 5000 * (size_t)argc);
    int wrong = !p;
    free(p);
    return wrong;
}
";

/// One way of linking: the words on the command line between a program and the libraries.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// The command that links.
    #[serde(skip)]
    pub words: Vec<String>,
    /// The words after the program's own objects.
    #[serde(skip)]
    pub more: Vec<String>,
    /// The command and its arguments, quoted for a shell.
    pub command: String,
    /// How that differs from the user's command.
    pub what: String,
    /// The heap of its programs.
    pub heap: String,
    /// Where brawn's heap comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// Whose each function is, of the side with brawn's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
}

impl Side {
    fn new(tool: &Tool<'_>, more: Vec<String>, what: String, found: &Inspection) -> Self {
        Self {
            what,
            words: tool.toolchain.words.clone(),
            command: tool.toolchain.line(&more),
            more,
            heap: found.heap.clone(),
            note: found.heaps.iter().find_map(|h| h.note.clone()),
            functions: Vec::new(),
        }
    }
}

/// A toolchain for one language.
#[derive(Clone, Debug, Serialize)]
pub struct Sides {
    /// The architecture of its programs.
    pub architecture: String,
    /// The libc's version, if known.
    pub libc_version: Option<String>,
    /// Whether its libc.a or its command already has brawn's payload.
    pub has_payload: bool,
    /// The way to link with musl's own heap; absent if there is none.
    pub before: Option<Side>,
    /// Why `before` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// The way to link with brawn's heap.
    pub with: Side,
}

/// Everything that is needed to build and run the probe.
#[derive(Debug)]
pub struct Lab<'a> {
    /// A directory that nothing else uses.
    pub folder: PathBuf,
    /// The command that runs programs of another architecture.
    pub runner: &'a [String],
    /// The profile of the payload, for a toolchain that has no payload.
    pub profile: Profile,
    /// Set when everything is to stop.
    pub stop: &'a AtomicBool,
}

impl Lab<'_> {
    /// Finds out what `tool` links.
    pub fn examine(&self, tool: &Tool<'_>, is_cxx: bool) -> Result<Sides> {
        create(&self.folder)?;
        let source = self
            .folder
            .join(if is_cxx { "probe.cc" } else { "probe.c" });
        write(&source, PROBE.as_bytes())?;
        let object = self.folder.join("probe.o");
        let failed = |what: &str, said: String| {
            Error::refused(format!(
                "`{}` {what} a small program: {}",
                tool.line(),
                said.trim_end()
            ))
            .expected("a command that compiles and links static programs with musl, as it is")
            .next("make that work first; everything that it needs belongs into the command")
        };
        tool.compile(&source, &object, &[])?
            .map_err(|said| failed("does not compile", said))?;
        let (report, architecture) = self
            .link(tool, &object, &[])?
            .map_err(|said| failed("does not link", said))?;
        let is_static = matches!(report.linkage, Linkage::Static | Linkage::StaticPie);
        let has_payload = is_brawns(&report.heaps);
        if !is_static || !(has_payload && report.libc == Libc::Musl || is_musls(&report)) {
            return Err(self.refuse(tool, &report));
        }
        self.run(&report)?;
        let as_it_is = Side::new(tool, Vec::new(), "as it is".to_owned(), &report);
        let (before, mut with) = match has_payload {
            true => (self.without_payload(tool, &object)?, as_it_is),
            false => {
                let with = self.with_payload(tool, &object, architecture, &report)?;
                (Ok(as_it_is), with)
            }
        };
        with.functions = self.functions(tool, &with.more, architecture, is_cxx)?;
        Ok(Sides {
            architecture: report.architecture,
            libc_version: report.libc_version,
            has_payload,
            unknown: before.as_ref().err().cloned(),
            before: before.ok(),
            with,
        })
    }

    /// Links the probe, and finds out what is in it.
    fn link(
        &self,
        tool: &Tool<'_>,
        object: &Path,
        more: &[String],
    ) -> Result<std::result::Result<(Inspection, Option<Architecture>), String>> {
        let executable = self.executable();
        let inputs = [&[text(object)], more].concat();
        if let Err(said) = tool.link(&inputs, &executable)? {
            return Ok(Err(said));
        }
        let bytes = linked(&executable)?;
        let report = inspect(&bytes).map_err(|e| e.path(&executable))?;
        let image = Image::read(&bytes, 0).map_err(|e| e.path(&executable))?;
        Ok(Ok((report, image.ident.architecture())))
    }

    fn executable(&self) -> PathBuf {
        self.folder.join("probe")
    }

    fn refuse(&self, tool: &Tool<'_>, report: &Inspection) -> Error {
        let version = report.libc_version.as_deref();
        let found = format!(
            "`{}` links {} programs of {} with {}{}, heap: {}",
            tool.line(),
            report.linkage.name(),
            report.architecture,
            report.libc.name(),
            version.map_or_else(String::new, |v| format!(" {v}")),
            report.heap
        );
        let next = match report.libc {
            Libc::Musl if report.linkage == Linkage::Dynamic => "add `-static` to the command",
            Libc::Musl => "leave out what brings the other heap",
            _ => {
                "name a compiler for musl, such as `musl-gcc -static` or `zig cc -target …-linux-musl`"
            }
        };
        Error::not_applicable(found)
            .expected("static programs of musl, with musl's heap or brawn's alone")
            .next(next)
    }

    /// Runs the probe.
    fn run(&self, report: &Inspection) -> Result<()> {
        let path = self.executable();
        let mut command = through(self.runner, &path);
        let hint = if report.architecture == std::env::consts::ARCH {
            "programs must be allowed to run in that directory: choose another with TMPDIR or `--keep`"
                .to_owned()
        } else {
            let name = &report.architecture;
            format!("it is a program of {name}: name what runs it, as in `--runner qemu-{name}`")
        };
        let line = shell(&[self.runner, &[text(&path)]].concat());
        let ran = watch(&mut command, Duration::from_secs(60), self.stop).map_err(|e| {
            let what = format!("cannot run `{line}`");
            let error = match e.kind() {
                // The program is for another architecture, or the runner does not exist.
                ErrorKind::NotFound => Error::usage(format!("{what}: {e}")),
                _ if e.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                    Error::usage(format!("{what}: {e}"))
                }
                _ => Error::io(what, e),
            };
            error.next(&*hint)
        })?;
        if ran.end.is_success() {
            return Ok(());
        }
        let found = format!("`{line}`: {}: {}{}", ran.end.describe(), ran.out, ran.err);
        Err(Error::refused(found.trim_end())
            .expected("a small program that allocates once to end with status 0")
            .next(hint))
    }

    /// The way to link with the payload's objects on the line, as `brawn link-args` gives them.
    fn with_payload(
        &self,
        tool: &Tool<'_>,
        object: &Path,
        architecture: Option<Architecture>,
        before: &Inspection,
    ) -> Result<Side> {
        let payload = architecture
            .and_then(|a| payload(a, self.profile))
            .ok_or_else(|| {
                Error::not_applicable(format!(
                    "no payload for {}, profile {}",
                    before.architecture,
                    self.profile.name()
                ))
                .expected("an architecture that this brawn has a payload for")
            })?;
        let folder = std::path::absolute(&self.folder)
            .map_err(|e| Error::io("cannot make it absolute", e).path(&self.folder))?;
        let objects = tool
            .toolchain
            .with_payload(payload, &folder, write)?
            .objects;
        match self.link(tool, object, &objects)? {
            Ok((report, _)) if is_brawns(&report.heaps) => {
                let what = "payload added to its line".to_owned();
                Ok(Side::new(tool, objects, what, &report))
            }
            Ok((report, _)) => Err(Error::refused(format!(
                "with the payload on its line `{}` links {}",
                tool.line(),
                report.heap
            ))
            .expected("brawn's heap alone")
            .next("the command must not name libraries before the program's objects")),
            Err(said) => Err(Error::refused(format!(
                "`{}` does not link a small program with the payload on its line: {said}",
                tool.line()
            ))
            .expected("a program whose heap is brawn's")),
        }
    }

    /// The same toolchain with musl's own heap; or the reason why that is not possible.
    fn without_payload(
        &self,
        tool: &Tool<'_>,
        object: &Path,
    ) -> Result<std::result::Result<Side, String>> {
        // Words from `brawn link-args` are in the command itself.
        let bare = tool.without(|word| link_args::pulls(word) || holds_payload(Path::new(word)));
        let mut ways = Vec::new();
        if bare.toolchain.words.len() < tool.toolchain.words.len() {
            ways.push((bare, Vec::new(), "payload taken off its line".to_owned()));
        }
        let archives = self.archives(tool, object)?;
        let folder = self.folder.join("original");
        let kept = archives.iter().map(|a| original(a)).find(|p| p.is_file());
        if let Some(kept) = &kept {
            let libc = folder.join("libc.a");
            create(&folder)?;
            write(&libc, &read(kept)?)?;
            let search = format!("-L{}", text(&folder));
            let what = format!("{} in place of libc.a", kept.display());
            // Directories are searched in the order of the line.
            ways.push((tool.before("-L", &search), Vec::new(), what.clone()));
            ways.push((tool.clone(), vec![search], what.clone()));
            // zig does not look for libc.a in directories, but it takes the first libc.a on the line.
            ways.push((tool.clone(), vec![text(&libc)], what));
        }
        for (tool, more, what) in ways {
            let linked = self.link(&tool, object, &more)?;
            // If the probe did not run with musl's heap, that would excuse every failure with brawn's.
            if let Ok((report, _)) = linked
                && is_musls(&report)
                && self.run(&report).is_ok()
            {
                return Ok(Ok(Side::new(&tool, more, what, &report)));
            }
        }
        Ok(Err(match (kept, archives.first()) {
            (Some(kept), _) => format!(
                "{}: `{}` makes no working program with it in place of the patched libc.a",
                kept.display(),
                tool.line()
            ),
            (None, Some(archive)) => {
                format!("{}: no original is kept beside it", archive.display())
            }
            (None, None) => "the linker does not say which libc.a it takes".to_owned(),
        }))
    }

    /// Every libc.a that the toolchain may have taken, by what its linker prints.
    fn archives(&self, tool: &Tool<'_>, object: &Path) -> Result<Vec<PathBuf>> {
        let out = text(&self.executable());
        let ways = [
            vec!["-o".into(), out.clone(), text(object), "-Wl,-t".into()],
            // zig does not know that option, but prints its linker's command line: see `Tool::run`.
            vec!["-o".into(), out, text(object)],
            vec!["-print-file-name=libc.a".into()],
        ];
        let mut found: Vec<PathBuf> = Vec::new();
        for more in ways {
            let ran = tool.run(&more)?;
            // GNU ld prints `(archive)member`, lld `archive(member)`, zig a command line.
            let is_end = |c: char| c.is_whitespace() || "()[]'\",:".contains(c);
            for word in ran.out.split(is_end).chain(ran.err.split(is_end)) {
                let path = Path::new(word);
                if path.file_name().is_some_and(|n| n == "libc.a")
                    && let Ok(path) = path.canonicalize()
                    && !found.contains(&path)
                {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }
}

/// Whether it is a program of musl's with musl's own heap alone.
fn is_musls(report: &Inspection) -> bool {
    let is_own = report.heaps.iter().all(|h| h.heap.is_musl());
    report.libc == Libc::Musl && !report.heaps.is_empty() && is_own
}

/// Whether a program's heap is brawn's alone.
fn is_brawns(heaps: &[FoundHeap]) -> bool {
    matches!(heaps, [one] if one.heap == Heap::Brawn)
}

/// Where `brawn patch` keeps the original of `archive`.
fn original(archive: &Path) -> PathBuf {
    let mut name = archive.as_os_str().to_owned();
    name.push(".brawn-original");
    PathBuf::from(name)
}

/// Whether a word of a command names a file with the payload.
fn holds_payload(path: &Path) -> bool {
    is_linked(path)
        && std::fs::read(path).is_ok_and(|bytes| {
            inspect(&bytes).is_ok_and(|r| {
                is_brawns(&r.heaps) || r.memory_note.is_some() || r.libc_note.is_some()
            })
        })
}

/// Refuses a directory whose name cannot be passed to other programs.
pub fn printable_folder(folder: &Path) -> Result<()> {
    match folder.to_str().filter(|f| !f.contains(char::is_control)) {
        Some(_) => Ok(()),
        None => Err(Error::usage("a directory whose name is not printable text")
            .path(folder)
            .expected("UTF-8 without control characters")
            .next("choose another with TMPDIR or `--keep`")),
    }
}
