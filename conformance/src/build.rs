//! Compiles and links programs, and keeps the executables by a hash of all that went into them.

use crate::directives::{Program, Stage};
use crate::musls::Musl;
use crate::patched::{self, Patched};
use crate::rewritten;
use crate::toolchain::{self, Libc, Link, Place};
use brawn_payload::{Architecture, Profile};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Something that did not work, and what was being done.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was being done.
    pub stage: Stage,
    /// What is told about it.
    pub text: String,
}

impl Failure {
    /// A failure before linking.
    pub fn setup(text: impl Into<String>) -> Self {
        let (stage, text) = (Stage::Setup, text.into());
        Self { stage, text }
    }
}

type Built = Arc<OnceLock<Result<PathBuf, Failure>>>;
type Exchanged = Arc<OnceLock<Result<Patched, Failure>>>;

/// Builds programs, each once.
pub struct Builder {
    cache: PathBuf,
    patched: Mutex<HashMap<(Option<&'static str>, Profile), Exchanged>>,
    built: Mutex<HashMap<(String, Place), Built>>,
}

impl Builder {
    /// A builder that keeps its results in `cache`.
    pub fn new(cache: &Path) -> Self {
        Self {
            cache: cache.to_owned(),
            patched: Mutex::default(),
            built: Mutex::default(),
        }
    }

    /// The executable of `program` for `place`.
    pub fn build(&self, program: &Program, place: Place) -> Result<PathBuf, Failure> {
        let key = (program.name.clone(), place);
        let slot = {
            let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(built.entry(key).or_default())
        };
        slot.get_or_init(|| self.make(program, place)).clone()
    }

    fn patched(&self, musl: Option<&'static Musl>, profile: Profile) -> Result<Patched, Failure> {
        let slot = {
            let mut patched = self.patched.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(
                patched
                    .entry((musl.map(|m| m.name.as_str()), profile))
                    .or_default(),
            )
        };
        slot.get_or_init(|| patched::make(&self.cache, musl, profile).map_err(Failure::setup))
            .clone()
    }

    fn make(&self, program: &Program, place: Place) -> Result<PathBuf, Failure> {
        if place.libc == Libc::Rewritten {
            return self.rewrite(program, place);
        }
        if place.libc == Libc::Preloaded {
            let (libc, profile) = (Libc::Stock, Profile::Fast);
            return self.build(
                program,
                Place {
                    libc,
                    profile,
                    ..place
                },
            );
        }
        let recipe = self.recipe(program.cxx, place)?;
        let key = recipe.key(program).map_err(Failure::setup)?;
        let folder = self.cache.join("programs").join(&key[..32]);
        let finished = folder.join(&program.name);
        if finished.is_file() {
            return Ok(finished);
        }
        let io = |e: std::io::Error| Failure::setup(format!("{}: {e}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(io)?;
        let work = tempfile::tempdir_in(&folder).map_err(io)?;
        let made = recipe.execute(program, work.path(), &folder)?;
        if place.libc == Libc::Brawn {
            refuse_second_heap(&made)?;
        }
        std::fs::rename(made, &finished).map_err(io)?;
        Ok(finished)
    }

    /// Stock's executable, rewritten.  It takes milliseconds, and is done in every run of the tests.
    fn rewrite(&self, program: &Program, place: Place) -> Result<PathBuf, Failure> {
        let stock = Place {
            libc: Libc::Stock,
            profile: Profile::Fast,
            ..place
        };
        let stock = self.build(program, stock)?;
        let name = format!("rewritten-{}", place.profile.name());
        let folder = stock.with_file_name(name);
        rewritten::make(program, place, &stock, &folder)
    }

    /// The object for LD_PRELOAD that fits `place`.
    pub fn preload(&self, place: Place) -> Result<PathBuf, Failure> {
        let architecture = place.musl.map_or(Architecture::X86_64, |m| m.architecture);
        let object = brawn_core::preload::object(architecture, place.profile);
        let object = object.map_err(|e| Failure::setup(e.to_string()))?;
        let folder = self
            .cache
            .join("preload")
            .join(&hash(&[object.bytes])[..32]);
        let path = folder.join(brawn_payload::PRELOAD_NAME);
        if !path.is_file() {
            patched::write_once(&path, object.bytes).map_err(Failure::setup)?;
        }
        Ok(path)
    }

    fn recipe(&self, cxx: bool, place: Place) -> Result<Recipe, Failure> {
        let Place {
            libc,
            musl,
            link,
            profile,
        } = place;
        let is_shared_musl = link == Link::Dynamic && libc != Libc::Glibc;
        if link == Link::Zig || (is_shared_musl && cxx) {
            return self.zig_recipe(cxx, place);
        }
        if libc == Libc::Glibc {
            let mut recipe = Recipe::new(Command::new(if cxx { "g++" } else { "gcc" }));
            recipe.link_flags = words("-pthread");
            recipe
                .link_flags
                .extend((link == Link::Static).then(|| "-static".to_owned()));
            return Ok(recipe);
        }
        if cxx {
            return Err(Failure::setup("C++ for musl is linked by zig: `link: zig`"));
        }
        let folders = match musl {
            Some(musl) => musl.libraries().and_then(|l| Ok((l, musl.headers()?))),
            None => toolchain::musl_libraries().and_then(|l| Ok((l, toolchain::musl_headers()?))),
        };
        let (mut libraries, headers) = folders.map_err(Failure::setup)?;
        let (gcc, archiver) = musl.map_or(("gcc", "ar"), Musl::gcc);
        let mut recipe = Recipe::new(Command::new(gcc));
        recipe.archiver = archiver;
        if libc == Libc::Brawn {
            let patched = self.patched(musl, profile)?;
            if link.payload_on_line() {
                recipe.line = patched.line()?;
            } else {
                libraries.clone_from(&patched.libraries);
            }
            recipe.identity.clone_from(&patched.identity);
        }
        let specs = toolchain::specs(&libraries, &headers);
        let path = self.cache.join(format!("{}.specs", &hash(&[&specs])[..16]));
        patched::write_once(&path, specs.as_bytes()).map_err(Failure::setup)?;
        recipe.compile_flags = vec![format!("-specs={}", path.display())];
        recipe.link_flags = recipe.compile_flags.clone();
        if musl.is_some_and(|m| m.architecture == Architecture::Aarch64) {
            // libgcc's functions for these ask `__getauxval`, which musl does not have.
            recipe.compile_flags.extend(words("-mno-outline-atomics"));
        }
        recipe.libraries = libraries;
        recipe.bend(link, &headers);
        recipe.link_flags.extend(words(musl.map_or("", |m| m.more)));
        if is_shared_musl {
            recipe.compile_flags.extend(words(PRELOADED));
        }
        if let Some(musl) = musl.filter(|_| is_shared_musl) {
            let (folder, linker) = musl.shared().map_err(Failure::setup)?;
            let linker = format!("-Wl,-dynamic-linker,{}", linker.display());
            let folder = format!("-L{}", folder.display());
            recipe.link_flags.extend([folder, linker]);
        }
        Ok(recipe)
    }

    fn zig_recipe(&self, cxx: bool, place: Place) -> Result<Recipe, Failure> {
        let musl = place.musl;
        let zig = musl.map_or_else(|| toolchain::zig(&self.cache), |m| m.zig(&self.cache));
        let mut zig = zig.map_err(Failure::setup)?;
        zig.arg(if cxx { "c++" } else { "cc" });
        let mut recipe = Recipe::new(zig);
        // zig's default is to trap on what C leaves undefined: a different program.
        let architecture = musl.map_or(Architecture::X86_64, |m| m.architecture);
        let target = format!("-target {}-linux-musl", architecture.name());
        recipe.compile_flags = words(&format!("{target} -fno-sanitize=undefined"));
        recipe.link_flags = words(&format!("{target} -static"));
        if place.link == Link::Dynamic {
            recipe.compile_flags.extend(words(PRELOADED));
            recipe.link_flags = words(&format!("{target} -dynamic"));
        }
        if place.libc == Libc::Brawn {
            let patched = self.patched(musl, place.profile)?;
            recipe.line = patched.line()?;
            recipe.identity.clone_from(&patched.identity);
        }
        Ok(recipe)
    }
}

/// How to compile and link.
struct Recipe {
    compiler: Command,
    linker: Command,
    archiver: &'static str,
    compile_flags: Vec<String>,
    link_flags: Vec<String>,
    /// Objects between the program's own and libc.
    line: Vec<String>,
    /// The folder of libc.a; empty where the compiler knows it.
    libraries: PathBuf,
    shared: bool,
    /// What else the result depends on.
    identity: String,
}

impl Recipe {
    fn new(driver: Command) -> Self {
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

    /// Adds what `link` asks for.
    fn bend(&mut self, link: Link, headers: &Path) {
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
    fn key(&self, program: &Program) -> Result<String, String> {
        let mut text = format!(
            "{:?}{:?}{:?}{:?}{:?}{:?}{}{}",
            self.compiler,
            self.compile_flags,
            self.linker,
            self.link_flags,
            self.line,
            self.libraries,
            self.identity,
            program.cflags.join(" ")
        );
        let mut sources = vec![program.path.clone()];
        sources.extend(program.objects.iter().chain(&program.archives).cloned());
        // Programs include each other, to state one thing in two surroundings.
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

    /// Makes the program in `work`; what it needs at run time goes to `folder`.
    fn execute(&self, program: &Program, work: &Path, folder: &Path) -> Result<PathBuf, Failure> {
        let object = |source: &PathBuf| -> Result<PathBuf, Failure> {
            let stem = source.file_name().unwrap_or_default().to_string_lossy();
            let out = work.join(format!("{stem}.o"));
            let mut command = again(&self.compiler);
            command.args(words(COMPILE));
            command.args(&self.compile_flags).args(&program.cflags);
            command.arg("-o").arg(&out).arg(source);
            finish(&mut command, Stage::Setup)?;
            Ok(out)
        };
        let objects =
            |sources: &[PathBuf]| sources.iter().map(object).collect::<Result<Vec<_>, _>>();
        let mut inputs = vec![object(&program.path)?];
        inputs.extend(objects(&program.objects)?);
        if !program.archives.is_empty() {
            let archive = work.join("libbefore.a");
            let mut command = Command::new(self.archiver);
            command
                .arg("rcs")
                .arg(&archive)
                .args(objects(&program.archives)?);
            finish(&mut command, Stage::Setup)?;
            inputs.push(archive);
        }
        let out = work.join("out");
        if self.shared {
            return self.link_shared(&inputs, work, folder);
        }
        let mut command = again(&self.linker);
        command
            .arg("-o")
            .arg(&out)
            .args(&inputs)
            .args(&self.line)
            .args(&self.link_flags);
        finish(&mut command, Stage::Link)?;
        Ok(out)
    }

    /// Links everything and libc.a into a shared object, and a dynamically linked program that
    /// needs it and calls its `conformance`.
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
        patched::write_once(
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

/// Programs call a heap in ways that compilers rightly warn of: that is their purpose.
const COMPILE: &str = "-c -g -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -fno-builtin \
    -Wno-unknown-warning-option -Wno-use-after-free -Wno-alloc-size-larger-than \
    -Wno-free-nonheap-object -Wno-unused-result";

/// For programs that are preloaded for: `check.h` then looks whose functions they have.
const PRELOADED: &str = "-DCHECK_DYNAMIC";

/// An executable has one heap: brawn's, or the program's own and brawn's for what that lacks.  A
/// function of musl's that nothing but its heap has tells that musl's came along.
fn refuse_second_heap(executable: &Path) -> Result<(), Failure> {
    // mallocng's, oldmalloc's.
    const TELLING: [&[u8]; 2] = [b"\0__malloc_alloc_meta\0", b"\0__bin_chunk\0"];
    let bytes = std::fs::read(executable)
        .map_err(|e| Failure::setup(format!("{}: {e}", executable.display())))?;
    let has = |name: &&[u8]| bytes.windows(name.len()).any(|w| w == *name);
    if TELLING.iter().any(has) {
        let text = "musl's heap is in the executable, too".to_owned();
        let stage = Stage::Link;
        return Err(Failure { stage, text });
    }
    Ok(())
}

const SECTIONS: &str = "-ffunction-sections -fdata-sections";

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A command like `command`, which cannot be cloned.
fn again(command: &Command) -> Command {
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
fn finish(command: &mut Command, stage: Stage) -> Result<(), Failure> {
    let output = command
        .output()
        .map_err(|e| Failure::setup(format!("{:?}: {e}", command.get_program())))?;
    if output.status.success() {
        return Ok(());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    let text = format!("{command:?}: {}\n{error}", output.status);
    Err(Failure { stage, text })
}

/// SHA-256 in hex.
pub fn hash<T: AsRef<[u8]>>(parts: &[T]) -> String {
    let mut state = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        state.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        state.update(part);
    }
    state
        .finalize()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}
