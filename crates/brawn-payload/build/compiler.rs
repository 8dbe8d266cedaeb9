//! The C compiler: the pinned zig, or the host's own.

use crate::Result;
use crate::engine::Engine;
use crate::recipe::{Architecture, FLAGS};
use std::env;
use std::ffi::OsString;
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
}

impl Compiler {
    pub fn find(root: &Path, out: &Path) -> Result<Self> {
        let asked = env::var_os("BRAWN_ZIG");
        let none = asked.as_ref().is_some_and(|asked| asked == "none");
        let candidates: Vec<PathBuf> = match asked {
            Some(_) if none => Vec::new(),
            Some(path) => vec![path.into()],
            None => vec![root.join("target/tools/zig/ziglang/zig"), "zig".into()],
        };
        for zig in candidates {
            println!("cargo::rerun-if-changed={}", zig.display());
            let version = Command::new(&zig).arg("version").output();
            if version.is_ok_and(|v| v.stdout.trim_ascii() == ZIG_VERSION.as_bytes()) {
                return Ok(Self {
                    program: zig,
                    is_zig: true,
                    name: format!("zig {ZIG_VERSION}"),
                    work: out.to_owned(),
                });
            }
            if env::var_os("BRAWN_ZIG").is_some() {
                return Err(format!("BRAWN_ZIG={}: not zig {ZIG_VERSION}", zig.display()).into());
            }
        }
        let program = PathBuf::from(env::var_os("CC").unwrap_or_else(|| OsString::from("cc")));
        let version = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(|e| {
                format!(
                    "found neither zig {ZIG_VERSION} nor a C compiler ({}: {e})",
                    program.display()
                )
            })?;
        let name = String::from_utf8_lossy(&version.stdout);
        let name = name.lines().next().unwrap_or("unknown").to_owned();
        Ok(Self {
            program,
            is_zig: false,
            name,
            work: out.to_owned(),
        })
    }

    /// Whether it can compile for this architecture.
    pub fn targets(&self, architecture: &str) -> bool {
        self.is_zig
            || env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|host| host == architecture)
                && env::var("HOST").is_ok_and(|host| host.starts_with(architecture))
    }

    /// Compiles the heap and returns the object's bytes.
    pub fn compile(
        &self,
        payload: &Path,
        engine: &Engine,
        architecture: &Architecture,
        profile: &str,
        note: &str,
    ) -> Result<Vec<u8>> {
        let object = self
            .work
            .join(format!("{}-{profile}-raw.o", architecture.name));
        let mut command = Command::new(&self.program);
        if self.is_zig {
            command.args([
                "cc",
                "-target",
                architecture.zig_target,
                "-fno-sanitize=all",
            ]);
            // Its caches belong to this build, not to the user's home.
            command.env("ZIG_GLOBAL_CACHE_DIR", self.work.join("zig-cache"));
            command.env("ZIG_LOCAL_CACHE_DIR", self.work.join("zig-cache"));
        }
        // Relative names, from a fixed folder: the bytes do not depend on where the checkout lies.
        command.current_dir(payload.join("heap"));
        command.args(FLAGS).args(architecture.flags);
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
        command.arg(format!("-DBRAWN_NOTE=\"{}\"", note.replace('\n', "\\n")));
        command.args(["-c", "brawn-heap.c", "-o"]).arg(&object);
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
        Ok(std::fs::read(&object)?)
    }
}
