//! Compiles and links programs. Keeps the executables under a hash of everything that they were made from.

use crate::failure::Failure;
use crate::files::{hash, write_once};
use crate::musls::{ALL, Musl};
use crate::patched::{self, Patched};
use crate::place::Place;
use crate::recipe::{COMPILE, Recipe, again, finish, words};
use crate::rewritten;
use crate::toolchain;
use brawn_payload::{Architecture, Profile};
use brawn_verify::directives::{Program, Stage};
use brawn_verify::ways::{Libc, Link};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A file that is made once, for whichever thread asks first.
type Built = Arc<OnceLock<Result<PathBuf, Failure>>>;
type Exchanged = Arc<OnceLock<Result<Patched, Failure>>>;

/// Builds programs, each once.
pub struct Builder {
    cache: PathBuf,
    patched: Mutex<HashMap<(Option<&'static str>, Profile), Exchanged>>,
    built: Mutex<HashMap<(String, Place), Built>>,
    objects: Mutex<HashMap<String, Built>>,
}

impl Builder {
    /// A builder that keeps its results in `cache`.
    pub fn new(cache: &Path) -> Self {
        Self {
            cache: cache.to_owned(),
            patched: Mutex::default(),
            built: Mutex::default(),
            objects: Mutex::default(),
        }
    }

    /// The executable of `program` at `place`.
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
        let made = self.execute(&recipe, program, work.path(), &folder)?;
        // (llvm-strip takes no static executable of glibc's.)
        let large = std::fs::metadata(&made).map_err(io)?.len() > LARGE;
        if large && place.libc != Libc::Glibc {
            strip_debug(&made)?;
        }
        if place.libc == Libc::Brawn {
            refuse_second_heap(&made)?;
        }
        std::fs::rename(made, &finished).map_err(io)?;
        Ok(finished)
    }

    /// Removes the executables that [`Self::rewrite`] made, a third of all bytes: nobody looks at them once their trials
    /// have passed.
    ///
    /// # Errors
    ///
    /// Those of the filesystem.
    pub fn forget_rewritten(&self) -> std::io::Result<()> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        for ((_, place), slot) in built.iter() {
            let Some(Ok(path)) = slot.get() else { continue };
            let folder = path.parent().expect("the folder of a program");
            // Places whose programs differ in their pages' size alone share one.
            if place.libc == Libc::Rewritten && folder.is_dir() {
                std::fs::remove_dir_all(folder)?;
            }
        }
        Ok(())
    }

    /// Stock's executable, rewritten. This takes milliseconds, so every run of the tests does it again, in folders of its
    /// own.
    fn rewrite(&self, program: &Program, place: Place) -> Result<PathBuf, Failure> {
        let stock = Place {
            libc: Libc::Stock,
            profile: Profile::Fast,
            ..place
        };
        let stock = self.build(program, stock)?;
        let (profile, run) = (place.profile.name(), std::process::id());
        let name = format!("rewritten-{profile}-{run}");
        let folder = stock.with_file_name(name);
        rewritten::make(program, place, &stock, &folder)
    }

    /// The object for LD_PRELOAD that fits `place`.
    pub fn preload(&self, place: Place) -> Result<PathBuf, Failure> {
        let architecture = place
            .musl
            .map_or(Architecture::X86_64, |m| m.tools.architecture);
        let object = brawn_core::preload::object(architecture, place.profile);
        let object = object.map_err(|e| Failure::setup(e.to_string()))?;
        let folder = self
            .cache
            .join("preload")
            .join(&hash(&[object.bytes.get()])[..32]);
        let path = folder.join(brawn_payload::PRELOAD_NAME);
        if !path.is_file() {
            write_once(&path, object.bytes.get()).map_err(Failure::setup)?;
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
            recipe.link_flags = words("-pthread -lm");
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
        let (gcc, archiver) = musl.map_or(("gcc", "ar"), |m| m.tools.gcc);
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
        // Compiling depends only on the headers. So one object is linked with every libc.a that has these headers; or
        // with every one of its architecture, since what differs between them is the archive.
        let compiled_with = match musl.filter(|_| std::env::var_os(ALL).is_none()) {
            Some(musl) => musl.common_headers().map_err(Failure::setup)?,
            None => headers.clone(),
        };
        recipe.compile_flags = vec![self.specs(&compiled_with, &compiled_with)?];
        recipe.link_flags = vec![self.specs(&libraries, &headers)?];
        let flags = musl.map_or("", |m| m.tools.flags);
        recipe.compile_flags.extend(words(flags));
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

    /// The gcc option that makes gcc use these directories.
    fn specs(&self, libraries: &Path, headers: &Path) -> Result<String, Failure> {
        let specs = toolchain::specs(libraries, headers);
        let path = self.cache.join(format!("{}.specs", &hash(&[&specs])[..16]));
        write_once(&path, specs.as_bytes()).map_err(Failure::setup)?;
        Ok(format!("-specs={}", path.display()))
    }

    /// The object of a source. Ways of linking that compile in the same way share it.
    fn object(
        &self,
        recipe: &Recipe,
        program: &Program,
        source: &Path,
    ) -> Result<PathBuf, Failure> {
        let key = recipe.object_key(program, source).map_err(Failure::setup)?;
        let slot = {
            let mut objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(objects.entry(key.clone()).or_default())
        };
        let compile = || {
            let finished = self.cache.join("objects").join(format!("{}.o", &key[..32]));
            if finished.is_file() {
                return Ok(finished);
            }
            let folder = self.cache.join("objects");
            let io = |e: std::io::Error| Failure::setup(format!("{}: {e}", folder.display()));
            std::fs::create_dir_all(&folder).map_err(io)?;
            let work = tempfile::tempdir_in(&folder).map_err(io)?;
            let out = work.path().join("out.o");
            let mut command = again(&recipe.compiler);
            command.args(words(COMPILE));
            command.args(&recipe.compile_flags).args(&program.cflags);
            command.arg("-o").arg(&out).arg(source);
            finish(&mut command, Stage::Setup)?;
            std::fs::rename(out, &finished).map_err(io)?;
            Ok(finished)
        };
        slot.get_or_init(compile).clone()
    }

    /// Makes the program in `work`. Files that it needs at run time go to `folder`.
    fn execute(
        &self,
        recipe: &Recipe,
        program: &Program,
        work: &Path,
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        let objects = |sources: &[PathBuf]| {
            let objects = sources.iter().map(|s| self.object(recipe, program, s));
            objects.collect::<Result<Vec<_>, _>>()
        };
        let mut inputs = objects(std::slice::from_ref(&program.path))?;
        inputs.extend(objects(&program.objects)?);
        if !program.archives.is_empty() {
            let archive = work.join("libbefore.a");
            let mut command = Command::new(recipe.archiver);
            command.arg("rcs").arg(&archive);
            command.args(objects(&program.archives)?);
            finish(&mut command, Stage::Setup)?;
            inputs.push(archive);
        }
        recipe.link(&inputs, work, folder)
    }

    fn zig_recipe(&self, cxx: bool, place: Place) -> Result<Recipe, Failure> {
        let musl = place.musl;
        let zig = musl.map_or_else(|| toolchain::zig(&self.cache), |m| m.zig(&self.cache));
        let mut zig = zig.map_err(Failure::setup)?;
        zig.arg(if cxx { "c++" } else { "cc" });
        let mut recipe = Recipe::new(zig);
        // By default, zig traps on behaviour that C leaves undefined: that would be a different program.
        let architecture = musl.map_or(Architecture::X86_64, |m| m.tools.architecture);
        let target = format!("-target {}-linux-musl", architecture.name());
        recipe.compile_flags = words(&format!("{target} -fno-sanitize=undefined"));
        recipe.link_flags = words(&format!("{target} -static -fno-sanitize=undefined"));
        if place.link == Link::Dynamic {
            recipe.compile_flags.extend(words(PRELOADED));
            recipe.link_flags = words(&format!("{target} -dynamic -fno-sanitize=undefined"));
        }
        if place.libc == Libc::Brawn {
            let patched = self.patched(musl, place.profile)?;
            recipe.line = patched.line()?;
            recipe.identity.clone_from(&patched.identity);
        }
        Ok(recipe)
    }
}

/// An executable of more bytes has what a C++ library, or a musl that zig compiled, has for debuggers: four fifths of
/// the file, 400 MB of all programs.
const LARGE: u64 = 512 << 10;

/// Takes that out. Names stay.
fn strip_debug(executable: &Path) -> Result<(), Failure> {
    let mut command = Command::new("llvm-strip");
    finish(command.arg("--strip-debug").arg(executable), Stage::Setup)
}

/// For programs that run with the preloaded object: `check.h` then checks whose functions they have.
const PRELOADED: &str = "-DCHECK_DYNAMIC";

/// Checks that an executable has only one heap: brawn's, or the program's own with brawn's for the functions that it
/// lacks. A function that only musl's heap has shows that musl's heap was linked too.
fn refuse_second_heap(executable: &Path) -> Result<(), Failure> {
    // In mallocng, and in oldmalloc.
    const TELLING: [&[u8]; 2] = [b"\0__malloc_alloc_meta\0", b"\0__bin_chunk\0"];
    let bytes = std::fs::read(executable)
        .map_err(|e| Failure::setup(format!("{}: {e}", executable.display())))?;
    let has = |name: &&[u8]| memchr::memmem::find(&bytes, name).is_some();
    if TELLING.iter().any(has) {
        let text = "musl's heap is in the executable, too".to_owned();
        let stage = Stage::Link;
        return Err(Failure { stage, text });
    }
    Ok(())
}
