//! How one program is compiled and linked at one place.

use crate::failure::Failure;
use crate::files::{hash, write_once};
use brawn_lab::build::checked;
use brawn_verify::directives::{Program, Stage};
use brawn_verify::ways::Link;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs call a heap in ways of which compilers rightly warn: that is their purpose.
pub const COMPILE: &str = "-c -g1 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -fno-builtin \
    -Wno-unknown-warning-option -Wno-use-after-free -Wno-alloc-size-larger-than \
    -Wno-free-nonheap-object -Wno-unused-result";

const SECTIONS: &str = "-ffunction-sections -fdata-sections";

/// How to compile and link.
pub struct Recipe {
    /// The compiler, with the arguments that it always gets.
    pub compiler: Command,
    linker: Command,
    /// The archiver whose archives its linker can read.
    pub archiver: &'static str,
    /// Further arguments for the compiler.
    pub compile_flags: Vec<String>,
    /// Arguments for the linker, after all files.
    pub link_flags: Vec<String>,
    /// Objects between the program's own and libc.
    pub line: Vec<String>,
    /// The directory of libc.a; empty if the compiler knows it.
    pub libraries: PathBuf,
    shared: bool,
    /// Anything else that the result depends on.
    pub identity: String,
}

impl Recipe {
    /// A recipe with nothing but `driver`.
    pub fn new(driver: Command) -> Self {
        Self {
            compiler: again(&driver),
            linker: driver,
            archiver: "ar",
            compile_flags: Vec::new(),
            link_flags: Vec::new(),
            line: Vec::new(),
            libraries: PathBuf::new(),
            shared: false,
            identity: String::new(),
        }
    }

    /// Adds the flags for `link`.
    pub fn bend(&mut self, link: Link, headers: &Path) {
        let (compile, linking) = match link {
            Link::Static | Link::Line => ("", "-static"),
            Link::StaticPie => ("-fPIE", "-static-pie"),
            Link::Lld | Link::LineLld => ("", "-static -fuse-ld=lld"),
            Link::LldPie => ("-fPIE", "-static-pie -fuse-ld=lld"),
            Link::Gc => (SECTIONS, "-static -Wl,--gc-sections"),
            Link::GcLld => (SECTIONS, "-static -Wl,--gc-sections -fuse-ld=lld"),
            Link::LtoGcc => ("-flto", "-static -flto -O2"),
            Link::LtoClang => ("-flto", "-static -fuse-ld=lld"),
            Link::Shared => ("-fPIC", ""),
            Link::Zig | Link::Dynamic => ("", ""),
        };
        self.compile_flags.extend(words(compile));
        self.link_flags.extend(words(linking));
        if link == Link::LtoGcc {
            self.archiver = "gcc-ar";
        }
        if link == Link::LtoClang {
            self.archiver = "llvm-ar";
            self.compiler = Command::new("clang");
            self.compile_flags = words("--target=x86_64-linux-musl -nostdlibinc -flto -isystem");
            self.compile_flags.push(headers.display().to_string());
        }
        self.shared = link == Link::Shared;
    }

    /// A hash of everything that the executable depends on.
    pub fn key(&self, program: &Program) -> Result<String, String> {
        let mut text = format!(
            "{:?}{:?}{:?}{:?}{}",
            self.linker, self.link_flags, self.line, self.libraries, self.identity,
        );
        let more = program.objects.iter().chain(&program.archives);
        for source in std::iter::once(&program.path).chain(more) {
            text += &self.object_key(program, source)?;
        }
        Ok(hash(&[text]))
    }

    /// A hash of everything that the object of a source depends on.
    pub fn object_key(&self, program: &Program, source: &Path) -> Result<String, String> {
        let mut text = format!(
            "{:?}{:?}{COMPILE}{:?}",
            self.compiler, self.compile_flags, program.cflags
        );
        let mut sources = vec![source.to_owned()];
        // Programs may include each other, to test the same thing in two surroundings.
        let mut next = 0;
        while let Some(path) = sources.get(next).cloned() {
            let source =
                std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let folder = path.parent().unwrap_or(Path::new("."));
            for line in source.lines() {
                let name = line
                    .strip_prefix("#include \"")
                    .and_then(|l| l.strip_suffix('"'));
                let included = name.map(|name| folder.join(name));
                sources.extend(included.filter(|path| !sources.contains(path)));
            }
            text += &source;
            next += 1;
        }
        Ok(hash(&[text]))
    }

    /// Links the program in `work`. Files that it needs at run time go to `folder`.
    pub fn link(&self, inputs: &[PathBuf], work: &Path, folder: &Path) -> Result<PathBuf, Failure> {
        if self.shared {
            return self.link_shared(inputs, work, folder);
        }
        let out = work.join("out");
        let mut command = again(&self.linker);
        command.arg("-o").arg(&out).args(inputs);
        command.args(&self.line).args(&self.link_flags);
        finish(&mut command, Stage::Link)?;
        Ok(out)
    }

    /// Links everything with libc.a into a shared object. Then links a dynamic program that needs the object and
    /// calls its `conformance`.
    fn link_shared(
        &self,
        inputs: &[PathBuf],
        work: &Path,
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        let library = folder.join("libconformance.so");
        let mut command = again(&self.linker);
        command.args(words(
            "-shared -nostdlib -Wl,--exclude-libs,ALL -Wl,-soname,libconformance.so -o",
        ));
        command.arg(&library).args(inputs).args(&self.link_flags);
        command.arg(self.libraries.join("libc.a")).arg("-lgcc");
        finish(&mut command, Stage::Link)?;
        let main = work.join("main.c");
        write_once(
            &main,
            b"int conformance(void);\nint main(void) { return conformance(); }\n",
        )
        .map_err(Failure::setup)?;
        let out = work.join("out");
        let mut command = again(&self.linker);
        command
            .args(&self.link_flags)
            .arg("-o")
            .arg(&out)
            .arg(&main)
            .arg(&library);
        command.arg(format!("-Wl,-rpath,{}", folder.display()));
        finish(&mut command, Stage::Setup)?;
        Ok(out)
    }
}

/// The words of `text`.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A copy of `command`, which cannot be cloned.
pub fn again(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            copy.env(name, value);
        }
    }
    copy
}

/// Runs a tool to its end.
pub fn finish(command: &mut Command, stage: Stage) -> Result<(), Failure> {
    let done = checked(command).map(drop);
    done.map_err(|text| Failure { stage, text })
}
