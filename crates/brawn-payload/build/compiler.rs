//! The C compiler: the pinned zig, or the host's own.

use crate::Result;
use crate::engine::Engine;
use crate::recipe::{
    ATTACH_FLAGS, Architecture, CXX_FLAGS, FLAGS, Form, MEMORY_FLAGS, PRELOAD_LINK,
};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version whose bytes releases embed.
const ZIG_VERSION: &str = "0.15.2";

pub struct Compiler {
    program: PathBuf,
    is_zig: bool,
    /// As in `zig 0.15.2`, or the first line of `cc --version`.
    pub name: String,
    work: PathBuf,
    /// For zig: its earlier results, by the bytes of every file and flag.
    cache: PathBuf,
}

impl Compiler {
    /// The zig that `BRAWN_ZIG` names, or the one in `tools`, where `make tools` puts it; the host's compiler if asked
    /// for.
    pub fn of_checkout(tools: &Path, work: &Path) -> Result<Option<Self>> {
        let compiler = match env::var_os("BRAWN_ZIG") {
            Some(asked) if asked == "none" => Self::of_host(work)?,
            Some(zig) => {
                watch(Path::new(&zig));
                Self::zig(Path::new(&zig), work).map_err(|error| format!("BRAWN_ZIG: {error}"))?
            }
            None => {
                let zig = tools.join("zig/ziglang/zig");
                watch(&zig);
                match Self::zig(&zig, work) {
                    Ok(compiler) => compiler,
                    Err(_) => return Ok(None),
                }
            }
        };
        Ok(Some(compiler.with_cache_of(tools)))
    }

    /// A zig of the pinned version on the path, else the host's compiler.
    pub fn of_machine(work: &Path) -> Result<Self> {
        if let Ok(compiler) = Self::zig(Path::new("zig"), work) {
            return Ok(compiler);
        }
        println!(
            "cargo::warning=the payload is compiled for {} alone: prebuilt objects of these sources and zig {ZIG_VERSION} \
             are not there",
            env::consts::ARCH
        );
        Self::of_host(work)
    }

    fn of_host(work: &Path) -> Result<Self> {
        let host = env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
        Self::host(&host, work).map_err(|error| {
            format!("found neither zig {ZIG_VERSION} nor a C compiler: {error}").into()
        })
    }

    /// A zig of the pinned version; its caches and objects go below `work`.
    pub fn zig(program: &Path, work: &Path) -> Result<Self> {
        let output = Command::new(program)
            .arg("version")
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let version = String::from_utf8_lossy(&output.stdout);
        if version.trim() != ZIG_VERSION {
            return Err(format!(
                "{}: found version {:?}, expected {ZIG_VERSION}",
                program.display(),
                version.trim()
            )
            .into());
        }
        Ok(Self {
            program: program.to_owned(),
            is_zig: true,
            name: format!("zig {ZIG_VERSION}"),
            work: work.to_owned(),
            cache: work.join("zig-cache"),
        })
    }

    /// Shares zig's cache with every other build of the checkout, where `make tools` made the directory of its tools: tests,
    /// releases and fuzz targets have a work directory each, and a hundred and fifty compilations take half a minute.
    fn with_cache_of(mut self, tools: &Path) -> Self {
        if tools.is_dir() {
            self.cache = tools.join("zig-cache");
        }
        self
    }

    /// The folder of zig's earlier results.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Any other C compiler, for the architecture that it runs on.
    pub fn host(program: &OsStr, work: &Path) -> Result<Self> {
        let output = Command::new(program)
            .arg("--version")
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(Self {
            program: program.into(),
            is_zig: false,
            name: text.lines().next().unwrap_or("unknown").to_owned(),
            work: work.to_owned(),
            cache: work.join("zig-cache"),
        })
    }

    /// Whether it can compile for this architecture.
    pub fn targets(&self, architecture: &str) -> bool {
        self.is_zig || architecture == env::consts::ARCH
    }

    /// Compiles the heap in one of its forms and returns the object's bytes.
    pub fn compile(
        &self,
        payload: &Path,
        engine: &Engine,
        architecture: &Architecture,
        form: &Form,
        profile: &str,
        note: &str,
    ) -> Result<Vec<u8>> {
        let object = self.work.join(format!(
            "{}-{profile}-{}-raw.o",
            architecture.name, form.name
        ));
        let mut command = self.command(architecture);
        // Names are relative to a fixed directory, so the bytes do not depend on the place of the checkout.
        command.current_dir(payload.join("heap"));
        command.args(FLAGS).args(architecture.flags);
        command.args(form.flags(architecture));
        if self.is_zig {
            command.args(form.clang_flags);
        }
        command.arg("-Iinclude");
        command.arg(format!("-I../arch/{}", architecture.name));
        command.arg(format!("-I../profiles/{profile}"));
        for folder in ["include", "src"] {
            let folder = engine.folder.join(folder);
            command.arg("-I").arg(&folder);
            let mut map = OsString::from("-ffile-prefix-map=");
            map.push(&folder);
            map.push("=mimalloc");
            command.arg(map);
        }
        command.arg(define(note));
        command.args(["-c", form.file, "-o"]).arg(&object);
        self.object(command, &object)
    }

    /// Compiles one file of the memory functions, with the note if it should carry one, and returns the object's bytes.
    pub fn compile_memory(
        &self,
        payload: &Path,
        architecture: &Architecture,
        file: &str,
        note: Option<&str>,
    ) -> Result<Vec<u8>> {
        let object = self
            .work
            .join(format!("{}-memory-{file}-raw.o", architecture.name));
        let mut command = self.command(architecture);
        command.current_dir(payload.join("memory").join(architecture.name));
        command.args(FLAGS).args(architecture.flags);
        command.args(MEMORY_FLAGS);
        if let Some(note) = note {
            command.arg(define(note));
            command.args(["-include", "stdint.h", "-include", "../../heap/note.c"]);
        }
        command.arg("-c").arg(format!("{file}.c"));
        command.arg("-o").arg(&object);
        self.object(command, &object)
    }

    /// Compiles one file of `payload/libc/`, with flags of its own and the note if it is to carry it, and returns the
    /// object's bytes.
    pub fn compile_libc(
        &self,
        payload: &Path,
        architecture: &Architecture,
        family: &str,
        file: &str,
        flags: &[&str],
        note: Option<&str>,
    ) -> Result<Vec<u8>> {
        let object = self
            .work
            .join(format!("{}-libc-{file}-raw.o", architecture.name));
        let mut command = self.command(architecture);
        command.current_dir(payload.join("libc").join(family));
        command.args(FLAGS).args(architecture.flags);
        command.args(flags);
        command.args(note.map(define));
        command.arg("-c").arg(format!("{file}.c"));
        command.arg("-o").arg(&object);
        self.object(command, &object)
    }

    /// Compiles what a rewritten program runs before its own entry point, and returns the object's bytes.
    pub fn compile_attach(&self, payload: &Path, architecture: &Architecture) -> Result<Vec<u8>> {
        let object = self
            .work
            .join(format!("{}-attach-raw.o", architecture.name));
        let mut command = self.command(architecture);
        command.current_dir(payload.join("attach"));
        command.args(FLAGS).args(architecture.flags);
        command.args(ATTACH_FLAGS);
        command.arg(format!("-I{}", architecture.name));
        command.args(["-c", "attach.c", "-o"]).arg(&object);
        self.object(command, &object)
    }

    /// Compiles one function of `payload/supplied/`, and returns the object's bytes.
    pub fn compile_supplied(
        &self,
        payload: &Path,
        architecture: &Architecture,
        function: &str,
        is_cxx: bool,
        note: &str,
    ) -> Result<Vec<u8>> {
        let object = self
            .work
            .join(format!("{}-supplied-{function}-raw.o", architecture.name));
        let mut command = self.command(architecture);
        command.current_dir(payload.join("supplied"));
        let flags = FLAGS.iter().chain(architecture.flags);
        command.args(flags.filter(|flag| !(is_cxx && flag.starts_with("-std="))));
        command.arg(format!("-DBRAWN_SUPPLY_{function}=1"));
        command.arg(define(note));
        if is_cxx {
            command.args(CXX_FLAGS).args(["-c", "operators.cpp"]);
        } else {
            command.args(["-include", "stdint.h", "-include", "../heap/note.c"]);
            command.args(["-c", "copies.c"]);
        }
        command.arg("-o").arg(&object);
        self.object(command, &object).map_err(|error| match is_cxx {
            true => {
                format!("{error}\nC++'s operators are C++: that compiler has to know it").into()
            }
            false => error,
        })
    }

    /// Links `objects`, which are in `folder` beside the files that [`PRELOAD_LINK`] names, into a shared object there.
    ///
    /// zig brings lld; beside another compiler there is always the linker that it calls.
    pub fn link_preload(&self, folder: &Path, objects: &[String], name: &str) -> Result<Vec<u8>> {
        let mut command = Command::new(&self.program);
        // Relative names, as above.
        command.current_dir(folder);
        if self.is_zig {
            command.arg("ld.lld").args(PRELOAD_LINK);
        } else {
            command.args(["-shared", "-nostdlib", "-nostartfiles"]);
            for flag in PRELOAD_LINK {
                command.args(["-Xlinker", flag]);
            }
        }
        command.args(objects).args(["-o", name]);
        self.object(command, &folder.join(name))
    }

    /// The compiler for `architecture`.
    fn command(&self, architecture: &Architecture) -> Command {
        let mut command = Command::new(&self.program);
        if self.is_zig {
            command.args([
                "cc",
                "-target",
                architecture.zig_target,
                "-fno-sanitize=all",
            ]);
            // Its caches belong to this build, not to the user's home.
            command.env("ZIG_GLOBAL_CACHE_DIR", &self.cache);
            command.env("ZIG_LOCAL_CACHE_DIR", &self.cache);
        }
        command
    }

    /// Runs it, and reads the result.
    fn object(&self, mut command: Command, object: &Path) -> Result<Vec<u8>> {
        let output = command
            .output()
            .map_err(|e| format!("{}: {e}", self.program.display()))?;
        if !output.status.success() {
            return Err(format!(
                "{:?} failed:\n{}",
                command,
                String::from_utf8_lossy(&output.stderr)
            )
            .into());
        }
        Ok(std::fs::read(object)?)
    }
}

/// Has cargo build again when the file changes. For one that is not there, cargo would do so every time. `make tools`, which
/// brings zig, tells cargo by itself.
fn watch(file: &Path) {
    if file.exists() {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// The macro with the note's text.
fn define(note: &str) -> String {
    format!("-DBRAWN_NOTE=\"{}\"", note.replace('\n', "\\n"))
}
