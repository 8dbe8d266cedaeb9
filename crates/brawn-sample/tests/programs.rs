//! Real programs, sampled by each source. Only shares are looked at: they are the same on a busy machine. A run may give
//! few samples there, so a program runs again until there are enough for what is stated.

use brawn_core::component::Component;
use brawn_core::program::Options as Rewrite;
use brawn_sample::{
    Diagnosis, FunctionShare, Mode, Options, Owner, Samples, Source, diagnose, mark, sample,
};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A program of `tests/programs`, compiled for musl.
struct Built {
    folder: TempDir,
}

impl Built {
    fn new(name: &str, flags: &[&str]) -> Self {
        let built = Self {
            folder: tempfile::tempdir().expect("a directory"),
        };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let source = source.join(format!("{name}.c"));
        let mut command = Command::new("musl-gcc");
        command.args(["-O2", "-static"]).args(flags).arg(source);
        let done = command.arg("-o").arg(built.path()).status();
        assert!(done.expect("musl-gcc").success(), "{name} compiles");
        built
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    fn sample(&self, source: Source) -> Samples {
        let options = Options {
            source,
            ..Options::default()
        };
        sample(&mut Command::new(self.path()), &options).expect("samples")
    }

    /// Samples of one run, or of as many as it takes until they are enough.
    fn until(&self, source: Source, are_enough: impl Fn(&Samples) -> bool) -> Samples {
        let mut samples = self.sample(source);
        while !are_enough(&samples) {
            assert!(samples.runs < MOST_RUNS, "never enough: {samples:?}");
            samples.add(self.sample(source));
        }
        samples
    }

    /// The same for what the samples say.
    fn diagnosed(&self, source: Source, is_enough: impl Fn(&Diagnosis) -> bool) -> Diagnosis {
        let path = self.path();
        diagnose(
            &self.until(source, |samples| is_enough(&diagnose(samples, &path))),
            &path,
        )
    }
}

/// Of so many samples, a share of 0.9 is seen as less than 0.75 one time in a million; what the statements here are on is
/// farther from their bounds.
const ENOUGH: u64 = 100;
/// What is not seen in so many runs is never seen.
const MOST_RUNS: u32 = 100;

fn are_enough(samples: &Samples) -> bool {
    samples.count() >= ENOUGH
}

fn is_enough(diagnosis: &Diagnosis) -> bool {
    diagnosis.samples >= ENOUGH
}

const BOTH: [Source; 2] = [Source::Best, Source::Stops];

/// The share of the samples for which `is` holds, in percent.
fn share(samples: &Samples, is: impl Fn(&brawn_sample::Hit) -> bool) -> u64 {
    let hits = samples.hits.iter().filter(|h| is(h));
    hits.map(|h| h.count).sum::<u64>() * 100 / samples.count().max(1)
}

fn is_in(samples: &Samples, hit: &brawn_sample::Hit, path: &Path) -> bool {
    let file = hit.place.map(|p| &samples.files[p.file as usize]);
    file.and_then(|f| f.file_name()) == path.file_name() && path.file_name() != Some(OsStr::new(""))
}

#[test]
fn samples_are_in_the_program() {
    let program = Built::new("own", &[]);
    for source in BOTH {
        let samples = program.until(source, are_enough);
        assert_eq!(samples.status >> 8, 7, "its status is kept");
        let own = share(&samples, |h| {
            !h.kernel && is_in(&samples, h, &program.path())
        });
        assert!(own > 80, "{own} %: {samples:?}");
    }
}

#[test]
fn time_in_the_kernel_is_seen() {
    let program = Built::new("read", &[]);
    for source in BOTH {
        let samples = program.until(source, are_enough);
        if samples.mode != Mode::UserClock {
            let kernel = share(&samples, |h| {
                h.kernel && is_in(&samples, h, &program.path())
            });
            assert!(kernel > 70, "{kernel} %: {samples:?}");
        }
        assert!(samples.system > samples.user);
    }
}

#[test]
fn threads_and_what_they_wait_for_are_seen() {
    let program = Built::new("lock", &[]);
    for source in BOTH {
        program.until(source, |samples| {
            samples.threads >= 6 && !samples.waits.is_empty()
        });
    }
}

#[test]
fn children_are_followed_and_signals_arrive() {
    let program = Built::new("fork", &[]);
    for source in BOTH {
        let samples = program.until(source, are_enough);
        assert_eq!(samples.status, 0);
        let own = share(&samples, |h| is_in(&samples, h, &program.path()));
        assert!(own > 80, "{own} %: {samples:?}");
    }
}

#[test]
fn a_process_is_killed_after_its_time() {
    for source in BOTH {
        let options = Options {
            source,
            limit: Some(std::time::Duration::from_millis(50)),
            ..Options::default()
        };
        let samples = sample(Command::new("sleep").arg("1000"), &options).expect("samples");
        assert_eq!(samples.status, libc::SIGKILL);
    }
}

#[test]
fn what_is_no_program_is_an_error() {
    for source in BOTH {
        let options = Options {
            source,
            ..Options::default()
        };
        let error = sample(&mut Command::new("/nonexistent/program"), &options);
        assert_eq!(error.expect_err("none").kind(), io::ErrorKind::NotFound);
    }
}

/// From here on this thread and its children may not call `perf_event_open`.
fn forbid_the_clock() {
    const LOAD: u16 = 0x20;
    const EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const REFUSE: u32 = 0x0005_0000 | libc::EPERM as u32;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut steps = [
        step(LOAD, 0, 0, 0),
        step(EQUAL, 0, 1, libc::SYS_perf_event_open as u32),
        step(RETURN, 0, 0, REFUSE),
        step(RETURN, 0, 0, ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: steps.len() as u16,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: the filter and its steps live until the kernel has copied them.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(
            libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter),
            0
        );
    }
}

#[test]
fn threads_are_stopped_where_the_clock_is_forbidden() {
    let program = Built::new("own", &[]);
    let samples = std::thread::spawn(move || {
        forbid_the_clock();
        let options = Options {
            source: Source::Clock,
            ..Options::default()
        };
        let refused = sample(&mut Command::new(program.path()), &options);
        assert_eq!(
            refused.expect_err("no clock").raw_os_error(),
            Some(libc::EPERM)
        );
        program.until(Source::Best, are_enough)
    });
    let samples = samples.join().expect("samples");
    assert_eq!(samples.mode, Mode::Stops);
    let reason = samples.reason.clone().unwrap_or_default();
    assert!(reason.starts_with("perf_event_open"), "{reason}");
}

/// Programs with their symbols and without, by each source.
fn each(name: &str, look: impl Fn(&Diagnosis)) {
    for flags in [&["-g"][..], &["-s"]] {
        let built = Built::new(name, flags);
        for source in BOTH {
            look(&built.diagnosed(source, is_enough));
        }
    }
}

fn at_least(diagnosis: &Diagnosis, part: Owner, least: f64) {
    let share = diagnosis.part(part);
    assert!(share.share >= least, "{part:?}: {diagnosis:#?}");
    assert!(share.low <= share.share && share.share <= share.high);
}

fn of_function(diagnosis: &Diagnosis, part: Owner, name: &str) -> f64 {
    let functions = diagnosis.functions.iter();
    let of_it = functions.filter(|f| f.part == part && f.name == name);
    of_it.map(|f| f.share.share).sum()
}

/// The first function of these that was seen.
fn any_of<'d>(diagnosis: &'d Diagnosis, names: &[&str]) -> Option<&'d FunctionShare> {
    let mut functions = diagnosis.functions.iter();
    functions.find(|f| names.contains(&&*f.name))
}

#[test]
fn the_heaps_time_is_the_heaps() {
    each("heap", |diagnosis| {
        at_least(diagnosis, Owner::Heap, 0.7);
        assert!(diagnosis.has_musl);
        let words = diagnosis.words();
        assert!(
            words.contains("% of the processor time is in malloc and free"),
            "{words}"
        );
    });
}

#[test]
fn threads_wait_for_the_heaps_lock() {
    for source in BOTH {
        let built = Built::new("lock", &["-s"]);
        // Each look sees the instant only: a run may end without a thread that waits then.
        let diagnosis = built.diagnosed(source, |d| is_enough(d) && d.heap_wait > 0.0);
        // Where samples in the kernel are forbidden, nobody knows for whom it works.
        let kernel = match diagnosis.mode {
            Mode::UserClock => diagnosis.part(Owner::Kernel).share,
            _ => 0.0,
        };
        at_least(&diagnosis, Owner::Heap, 0.7 - kernel);
    }
}

#[test]
fn memcmp_is_named() {
    each("compare", |diagnosis| {
        at_least(diagnosis, Owner::Memory, 0.7);
        let share = of_function(diagnosis, Owner::Memory, "memcmp");
        assert!(share > 0.7, "{diagnosis:#?}");
    });
}

#[test]
fn the_kernels_function_is_named() {
    each("read", |diagnosis| {
        at_least(diagnosis, Owner::Kernel, 0.6);
        let share = of_function(diagnosis, Owner::Kernel, "read");
        assert!(
            share > 0.6 || diagnosis.mode == Mode::UserClock,
            "{diagnosis:#?}"
        );
    });
}

#[test]
fn the_programs_own_time_is_its_own() {
    each("own", |diagnosis| {
        at_least(diagnosis, Owner::Program, 0.8);
        assert!(diagnosis.part(Owner::Heap).share < 0.05);
    });
}

/// The plan of `rewrite` says what stays: of this program `nl_langinfo_l`, and not strtod or its parts.
#[test]
fn what_rewrite_leaves_is_marked() {
    let built = Built::new("months", &["-g"]);
    let parts = ["decfloat", "__floatscan"];
    let months = [
        "nl_langinfo_l",
        "__nl_langinfo_l",
        "__nl_langinfo",
        "nl_langinfo",
    ];
    let plain = built.diagnosed(Source::Best, |diagnosis| {
        any_of(diagnosis, &parts).is_some() && any_of(diagnosis, &months).is_some()
    });
    let marked = |components| {
        let mut diagnosis = plain.clone();
        let options = Rewrite {
            components,
            keeps: false,
            force: false,
            builds: &[],
        };
        mark(&mut diagnosis, &built.path(), &options);
        diagnosis
    };
    let staying = |diagnosis: &Diagnosis, names: &[&str]| {
        any_of(diagnosis, names).is_some_and(|function| function.stays)
    };
    let all = marked(Component::ALL);
    assert!(!staying(&all, &parts), "{all:#?}");
    assert!(staying(&all, &months), "{all:#?}");
    let memory = marked(&[Component::Memory]);
    assert!(staying(&memory, &parts), "{memory:#?}");
}

/// The third argument is kept where musl copies, so a sample there has the length of the copy.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_lengths_of_copies_are_seen() {
    for (length, class) in [(48, 0), (256, 1), (2048, 2), (60000, 3)] {
        let built = Built::new("copies", &["-s", &format!("-DLENGTH={length}")]);
        let diagnosis = built.diagnosed(Source::Best, |diagnosis| {
            let copies: u64 = diagnosis.copies.iter().sum();
            // A thread that is stopped is asked for its address alone.
            let is_known = diagnosis.mode != Mode::Stops;
            copies >= ENOUGH || (is_enough(diagnosis) && !is_known)
        });
        if diagnosis.mode == Mode::Stops {
            assert_eq!(diagnosis.copies, [0; 4]);
            continue;
        }
        let all: u64 = diagnosis.copies.iter().sum();
        let of_it = diagnosis.copies[class];
        assert!(of_it * 10 >= all * 9, "{length}: {diagnosis:#?}");
    }
}

/// The second argument of `munmap` is the length of what goes back to the kernel.
#[test]
#[cfg(target_arch = "x86_64")]
fn large_blocks_are_told_from_small_ones() {
    for (length, is_large) in [(1 << 20, false), (40 << 20, true)] {
        let built = Built::new("blocks", &["-s", &format!("-DLENGTH={length}")]);
        let diagnosis = built.diagnosed(Source::Best, |diagnosis| {
            let given = of_function(diagnosis, Owner::Heap, "munmap") * diagnosis.samples as f64;
            given >= 30.0 || (is_enough(diagnosis) && diagnosis.mode != Mode::Clock)
        });
        if diagnosis.mode == Mode::Clock {
            let share = diagnosis.large;
            assert!((share > 0.9) == is_large, "{diagnosis:#?}");
            assert!((share < 0.1) != is_large, "{diagnosis:#?}");
        }
    }
}

/// What a sort's comparisons take is known by who called them.
#[test]
fn comparisons_of_a_sort_are_seen() {
    let built = Built::new("sorts", &["-g"]);
    let diagnosis = built.diagnosed(Source::Best, is_enough);
    if diagnosis.mode == Mode::Clock {
        let all: f64 = diagnosis.comparing.iter().map(|c| c.2).sum();
        assert!(all > 0.3, "{diagnosis:#?}");
        let mut own = diagnosis.comparing.iter();
        assert!(own.all(|c| c.1 != "other"), "{diagnosis:#?}");
    }
}

/// `__shlim` is strtod's and strtol's: it does not stay in a program that has only the one.
#[test]
fn what_numbers_share_does_not_stay() {
    let built = Built::new("numbers", &["-g"]);
    let shared = ["__shlim", "__intscan"];
    let mut diagnosis = built.diagnosed(Source::Best, |d| any_of(d, &shared).is_some());
    let options = Rewrite {
        components: Component::ALL,
        keeps: false,
        force: false,
        builds: &[],
    };
    mark(&mut diagnosis, &built.path(), &options);
    let found = any_of(&diagnosis, &shared);
    assert!(found.is_some_and(|f| !f.stays), "{diagnosis:#?}");
    let mut functions = diagnosis.functions.iter();
    assert!(
        functions.all(|f| f.name != "__shlim" || !f.stays),
        "{diagnosis:#?}"
    );
}
