//! Builds the launcher, the libcs and the workloads in a work directory.

use crate::catalogue::{Entry, Kind};
use crate::link::{Linked, copy_writable, opened, shown};
use crate::raw::{Build, read_json, write_json};
use crate::variant::Variant;
use crate::work::renew;
use crate::{Result, context, nginx, repository, rust};
use brawn_lab::build::checked;
use brawn_lab::process::parent::Launcher;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that a benchmark needs: `built.json` in the work directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The directory with all of them.
    pub work: PathBuf,
    /// Starts the programs.
    pub launcher: Launcher,
    /// The distribution's `libc.a`.
    pub libc: PathBuf,
    /// The `brawn` to patch with.
    pub brawn: PathBuf,
    /// The variants that are compared.
    pub variants: Vec<Variant>,
    /// What `brawn patch` printed.
    pub patch_output: String,
    /// How each executable was built.
    pub builds: Vec<Build>,
    /// Versions of the engines that went into the peers.
    pub engines: BTreeMap<String, String>,
}

impl Prepared {
    /// Builds everything that `entries` need for `variants`. `step` is told what is being done.
    pub fn build(
        work: &Path,
        brawn: &Path,
        variants: &[Variant],
        entries: &[&Entry],
        step: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        context(fs::create_dir_all(work), "create", work)?;
        let work = context(work.canonicalize(), "find", work)?;
        step("the launcher");
        let (launcher, libc) = launcher(&work)?;
        let mut prepared = Self {
            work,
            launcher,
            libc,
            brawn: brawn.to_path_buf(),
            variants: variants.to_vec(),
            patch_output: String::new(),
            builds: Vec::new(),
            engines: BTreeMap::new(),
        };
        let needed = |variant: &&Variant| entries.iter().any(|e| e.variants.contains(*variant));
        for &variant in variants.iter().filter(needed) {
            prepared.libc_of(variant, step)?;
            for entry in entries.iter().filter(|e| e.variants.contains(&variant)) {
                prepared.workload(variant, entry, step)?;
            }
        }
        prepared.record()?;
        Ok(prepared)
    }

    /// Reads what an earlier [`build`](Self::build) made in a work directory. Fails if `entries` need something for
    /// `variants` that is missing, or if brawn was built again since.
    pub fn built(
        work: &Path,
        brawn: &Path,
        variants: &[Variant],
        entries: &[&Entry],
    ) -> Result<Self> {
        let next = "run `brawn-bench build` with the same --only and --variants";
        let kept = Self::read(work, brawn).map_err(|error| format!("{error}; {next}"))?;
        let mut builds = Vec::new();
        for entry in entries.iter().filter(|e| e.kind != Kind::Patch) {
            for &variant in variants.iter().filter(|v| entry.variants.contains(v)) {
                let is_it = |b: &&Build| b.variant == variant && b.workload == entry.workload;
                let found = kept.builds.iter().find(is_it);
                let found = found.filter(|_| kept.executable(variant, entry.workload).is_file());
                let what = || format!("{}: {} is not built; {next}", entry.id, variant.title());
                let build = found.ok_or_else(what)?;
                if !builds.iter().any(|b: &Build| is_it(&b)) {
                    builds.push(build.clone());
                }
            }
        }
        Ok(Self {
            variants: variants.to_vec(),
            builds,
            ..kept
        })
    }

    fn read(work: &Path, brawn: &Path) -> Result<Self> {
        let path = work.join("built.json");
        let kept: Self = read_json(&path)?;
        let changed = |path: &Path| fs::metadata(path).and_then(|m| m.modified());
        if let Ok(changed_brawn) = changed(brawn)
            && changed_brawn > context(changed(&path), "look at", &path)?
        {
            return Err(format!("{} is newer than what it built", brawn.display()));
        }
        Ok(kept)
    }

    /// Records what was built, in addition to earlier builds with the same brawn.
    fn record(&self) -> Result<()> {
        let (mut builds, mut engines) = (self.builds.clone(), self.engines.clone());
        if let Ok(earlier) = Self::read(&self.work, &self.brawn) {
            Build::join(&mut builds, earlier.builds);
            for (name, version) in earlier.engines {
                engines.entry(name).or_insert(version);
            }
        }
        let all = Self {
            builds,
            engines,
            ..self.clone()
        };
        write_json(&self.work.join("built.json"), &all)
    }

    /// The executable of a workload.
    pub fn executable(&self, variant: Variant, workload: &str) -> PathBuf {
        self.work.join(variant.name()).join(workload)
    }

    fn libc_folder(&self, variant: Variant) -> Option<PathBuf> {
        match variant {
            Variant::Stock | Variant::Glibc => None,
            _ if variant.feature().is_some() => None,
            _ => Some(self.work.join(variant.name()).join("lib")),
        }
    }

    fn libc_of(&mut self, variant: Variant, step: &mut dyn FnMut(&str)) -> Result<()> {
        let folder = self.work.join(variant.name());
        context(fs::create_dir_all(&folder), "create", &folder)?;
        let Some(lib) = self.libc_folder(variant) else {
            return Ok(());
        };
        step(&format!("libc.a: {}", variant.title()));
        // A file that was left here would be patched a second time.
        renew(&lib)?;
        if let Some(peer) = variant.peer() {
            let script = repository().join("bench/peers/build.sh");
            checked(Command::new(script).arg(peer).arg(&self.libc).arg(&lib))?;
            let number = lib.join("version");
            let number = context(fs::read_to_string(&number), "read", &number)?;
            self.engines
                .insert(variant.name().to_owned(), dotted(number.trim()));
            return Ok(());
        }
        copy_writable(&self.libc, &lib.join("libc.a"))?;
        let mut patch = Command::new(&self.brawn);
        patch.arg("patch").arg(lib.join("libc.a"));
        if let Some(profile) = variant.profile() {
            patch.args(["--profile", profile]);
        }
        let output = checked(&mut patch)?;
        if variant == Variant::Brawn {
            self.patch_output = output;
        }
        Ok(())
    }

    fn workload(
        &mut self,
        variant: Variant,
        entry: &Entry,
        step: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let done = self
            .builds
            .iter()
            .any(|b| b.variant == variant && b.workload == entry.workload);
        if done || entry.kind == Kind::Patch {
            return Ok(());
        }
        step(&format!("{}: {}", entry.workload, variant.title()));
        let lib = self.libc_folder(variant);
        let output = self.executable(variant, entry.workload);
        let linked = if entry.workload == nginx::NGINX {
            nginx::build(&self.work, variant, lib.as_deref(), &output)?
        } else if rust::is(entry.workload) {
            self.engines.extend(rust::versions()?);
            rust::build(&self.work, variant, lib.as_deref(), entry.workload, &output)?
        } else {
            let source = source(entry.workload);
            cc(&self.work, variant, lib.as_deref(), &source, &output)?
        };
        if let Some(lib) = lib {
            // With the wrong archive first on the search path, a libc would be compared with itself.
            let ours = lib.join("libc.a");
            let others =
                |path: &PathBuf| path.file_name().is_some_and(|n| n == "libc.a") && *path != ours;
            if !linked.archives.contains(&ours) || linked.archives.iter().any(others) {
                return Err(format!(
                    "{} is not linked with {}",
                    output.display(),
                    ours.display()
                ));
            }
        }
        self.builds.push(Build {
            variant,
            workload: entry.workload.to_owned(),
            command: linked.command,
        });
        Ok(())
    }
}

/// Builds the launcher in `work`. Also returns the libc.a that it was linked with.
pub(crate) fn launcher(work: &Path) -> Result<(Launcher, PathBuf)> {
    let executable = work.join("launch");
    let linked = cc(work, Variant::Stock, None, &source("launch"), &executable)?;
    let libc = linked
        .archives
        .into_iter()
        .find(|path| path.file_name().is_some_and(|n| n == "libc.a"))
        .ok_or("musl-gcc links no libc.a")?;
    let libc = context(libc.canonicalize(), "find", &libc)?;
    Ok((Launcher { executable }, libc))
}

fn source(workload: &str) -> PathBuf {
    repository().join(format!("bench/workloads/{workload}.c"))
}

/// For every workload and variant: loops and functions begin at a cache line of their own. Otherwise, a loop's time
/// depends on where it lies, since the processor fetches and keeps code by lines; gcc aligns loops to 16 bytes, and `main`
/// moves with what is linked. A row would then compare the places of the benchmark's own loop: profile `secure` takes 1.40
/// times `fast`'s time for the growing vectors without this, and 1.11 times with it.
pub(crate) const ALIGNED: [&str; 2] = ["-falign-functions=64", "-falign-loops=64"];

/// Compiles and links one source file. The linker's trace shows which archives it used.
fn cc(
    work: &Path,
    variant: Variant,
    lib: Option<&Path>,
    source: &Path,
    output: &Path,
) -> Result<Linked> {
    let mut command = Command::new(if variant == Variant::Glibc {
        "gcc"
    } else {
        "musl-gcc"
    });
    command.args(["-O2", "-pthread"]).args(ALIGNED);
    if variant != Variant::Glibc {
        command.arg("-static");
    }
    if let Some(lib) = lib {
        command.arg("-L").arg(lib);
    }
    command.arg("-Wl,--trace").arg("-o").arg(output).arg(source);
    let trace = checked(&mut command)?;
    Ok(Linked {
        command: shown(&command, work),
        archives: opened(&trace),
    })
}

/// The version of a number: `20302` is 2.3.2; in the older style, `223` is 2.2.3. What is no number stays as it is.
fn dotted(number: &str) -> String {
    match number.parse::<u32>() {
        Ok(n) if n >= 10000 => format!("{}.{}.{}", n / 10000, n / 100 % 100, n % 100),
        Ok(n) => format!("{}.{}.{}", n / 100, n / 10 % 10, n % 10),
        Err(_) => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_numbers_of_both_styles() {
        assert_eq!(dotted("20302"), "2.3.2");
        assert_eq!(dotted("217"), "2.1.7");
        assert_eq!(dotted("5.3.1"), "5.3.1");
    }
}
