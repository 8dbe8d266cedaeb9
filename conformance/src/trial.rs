//! One program, one libc, one way of linking, one case: runs it and compares the result with the expected one.

use crate::build::Builder;
use crate::failure::Failure;
use crate::musls::{ALL, Extent, Musl, SHARE};
use crate::place::Place;
use crate::toolchain::home;
use brawn_payload::Profile;
use brawn_verify::directives::{Program, Stage};
use brawn_verify::run::{measures, run};
use brawn_verify::ways::{Libc, Link};

/// How often `fork_threads` forks without [`ALL`], instead of 20,000 times: it runs alone, for 40 seconds.
const FORKS: u32 = 6000;

/// How much more time a program has here than by itself. Its limit is there for one that hangs, and where the processors
/// have other work, everything takes several times as long.
const PATIENCE: u32 = 5;

/// One combination to try.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The program.
    pub program: &'a Program,
    /// The libc, and how the program is linked.
    pub place: Place,
    /// Its first argument.
    pub case: Option<&'a str>,
}

/// Every program of `programs/`, sorted by name.
pub fn programs() -> Result<Vec<Program>, String> {
    Program::all(&home().join("programs"))
}

/// Every trial of `program`, on the distribution's musl and on the musls of `matrix`.
pub fn trials<'a>(program: &'a Program, matrix: &'static [Musl]) -> Vec<Trial<'a>> {
    let mut places = Vec::new();
    for &libc in &program.libcs {
        places.extend(program.links_with(libc).into_iter().map(|link| Place {
            libc,
            musl: None,
            link,
            profile: Profile::Fast,
        }));
    }
    places.extend(
        matrix
            .iter()
            .filter(|musl| runs_on(program, musl))
            .map(|musl| Place {
                libc: Libc::Brawn,
                musl: Some(musl),
                link: musl.link,
                profile: Profile::Fast,
            }),
    );
    places.extend(other_profiles(program, matrix));
    places.extend(rewritten(program, matrix));
    places.extend(preloaded(program, matrix));
    places.retain(|place| !place.libc.is_brawns() || program.profiles.contains(&place.profile));
    let mut all = Vec::new();
    let mut cases: Vec<Option<&str>> = program.cases.iter().map(|c| Some(c.as_str())).collect();
    if cases.is_empty() {
        cases.push(None);
    }
    for place in places {
        all.extend(cases.iter().map(|&case| Trial {
            program,
            place,
            case,
        }));
    }
    all
}

/// Whether `program` also runs on `musl`: static programs do, and C++ programs if zig brings its library.
fn runs_on(program: &Program, musl: &Musl) -> bool {
    let links = |link| program.links.contains(&link);
    let wanted = match musl.extent {
        Extent::All => true,
        Extent::Short => !program.alone,
        Extent::Linking => links(Link::StaticPie),
        Extent::Cxx => program.cxx,
    };
    program.libcs.contains(&Libc::Brawn) && wanted && (links(Link::Static) || links(musl.link))
}

/// The places for the profiles other than the default one: the distribution's musl, linked in the simplest way, and
/// the musls that name such profiles.
fn other_profiles(program: &Program, matrix: &'static [Musl]) -> Vec<Place> {
    if !program.libcs.contains(&Libc::Brawn) {
        return Vec::new();
    }
    let mut places = Vec::new();
    for profile in [Profile::Secure, Profile::Lean, Profile::Trace] {
        let links = [Link::Static, Link::Zig];
        let link = links.into_iter().find(|link| program.links.contains(link));
        places.extend(link.map(|link| Place {
            libc: Libc::Brawn,
            musl: None,
            link,
            profile,
        }));
    }
    let short = matrix
        .iter()
        .filter(|_| !program.alone && program.links.contains(&Link::Static));
    places.extend(short.flat_map(|musl| {
        musl.profiles.iter().map(|&profile| Place {
            libc: Libc::Brawn,
            musl: Some(musl),
            link: musl.link,
            profile,
        })
    }));
    places
}

/// The places at which stock's executables are rewritten: every way of linking with the distribution's musl, and one
/// way with every other musl and profile.
fn rewritten(program: &Program, matrix: &'static [Musl]) -> Vec<Place> {
    let has = |libc: Libc| program.libcs.contains(&libc);
    let is_wanted = has(Libc::Rewritten) || has(Libc::Stock) && has(Libc::Brawn);
    if !is_wanted {
        return Vec::new();
    }
    let place = |musl, link, profile| Place {
        libc: Libc::Rewritten,
        musl,
        link,
        profile,
    };
    let links = program.links_with(Libc::Rewritten);
    let fast = links.iter().map(|&link| place(None, link, Profile::Fast));
    let mut places: Vec<Place> = fast.collect();
    let simple = [Link::Static, Link::Zig];
    let simple = simple.into_iter().find(|link| links.contains(link));
    let others = [Profile::Secure, Profile::Lean];
    // Musls differ in the places of their functions, and in how threads begin, end and fork. Profiles differ in what
    // is linked.
    let matters = program.links.contains(&Link::StaticPie) || program.cxx;
    let simple = simple.into_iter().filter(|_| matters);
    places.extend(simple.flat_map(|link| others.map(|profile| place(None, link, profile))));
    // The heap beside zig 0.16's libc.a is not musl's.
    let musls = matrix
        .iter()
        .filter(|musl| musl.has_own_heap() && musl.is_rewritten());
    let musls = musls.filter(|musl| {
        let is_wanted = match musl.is_emulated() {
            true => matters && musl.extent != Extent::Short,
            false => matters || program.alone,
        };
        is_wanted && runs_on(program, musl)
    });
    places.extend(musls.map(|musl| place(Some(musl), musl.link, Profile::Fast)));
    places
}

/// The places at which stock's dynamic executables run with the object for LD_PRELOAD: the distribution's musl, and
/// one way with every other shared musl and profile.
fn preloaded(program: &Program, matrix: &'static [Musl]) -> Vec<Place> {
    if !program.libcs.contains(&Libc::Stock) || program.links_with(Libc::Preloaded).is_empty() {
        return Vec::new();
    }
    let place = |musl, profile| Place {
        libc: Libc::Preloaded,
        musl,
        link: Link::Dynamic,
        profile,
    };
    let mut places = vec![place(None, Profile::Fast)];
    // These differ if libc is shared: the first call, threads, forks, alignments, blocks from libc, a program's own
    // heap.
    let matters = program.links.contains(&Link::StaticPie)
        || program.cxx
        || !program.profiles.contains(&Profile::Fast);
    if matters {
        places.extend([Profile::Secure, Profile::Lean].map(|profile| place(None, profile)));
    }
    let musls = matrix.iter().filter(|musl| {
        let is_wanted = match musl.is_emulated() {
            true => matters && musl.extent != Extent::Short,
            false => matters || program.alone,
        };
        // C++ needs zig's library, and zig has no shared musl.
        musl.is_shared() && !program.cxx && is_wanted && runs_on(program, musl)
    });
    places.extend(musls.map(|musl| place(Some(musl), Profile::Fast)));
    places
}

impl Trial<'_> {
    /// `LIBC/LINK/PROGRAM[/CASE]`, where LIBC may be `brawn@MUSL`.
    pub fn name(&self) -> String {
        let (libc, link, program) = (
            self.place.name(),
            self.place.link.name(),
            &self.program.name,
        );
        match self.case {
            Some(case) => format!("{libc}/{link}/{program}/{case}"),
            None => format!("{libc}/{link}/{program}"),
        }
    }

    /// If it is declared as not covered: the reason.
    pub fn not_covered(&self) -> Option<&str> {
        let found = self
            .program
            .not_covered(&self.place.surroundings(), self.case);
        found.map(|exception| exception.reason.as_str())
    }

    /// Runs it. A declared failure must happen where it is declared.
    pub fn attempt(&self, builder: &Builder) -> Result<(), String> {
        let exception = self
            .program
            .exception(&self.place.surroundings(), self.case);
        match (exception, self.perform(builder)) {
            (None, Ok(())) => Ok(()),
            (Some(e), Err(f)) if f.stage == e.stage => Ok(()),
            (_, Err(f)) => Err(format!(
                "{:?} failed: {}\nit states: {}",
                f.stage, f.text, self.program.states
            )),
            (Some(e), Ok(())) => Err(format!(
                "it works, but is declared to fail at {:?} ({}: {}): remove that line",
                e.stage, e.pattern, e.reason
            )),
        }
    }

    fn perform(&self, builder: &Builder) -> Result<(), Failure> {
        let printed = self.output(builder, self.place)?;
        let Some(percent) = self.program.percent(self.place.profile) else {
            return Ok(());
        };
        let ours = measures(&printed);
        if ours.is_empty() {
            return Err(Failure::setup("it printed no `measure NAME VALUE`"));
        }
        if !self.place.libc.is_brawns() {
            return Ok(());
        }
        // Programs that gcc links are compared with the distribution's stock on every musl: 1.2.2's own heap crashes
        // when memory ends, and oldmalloc keeps so much that no thread can begin. zig's programs have larger stacks,
        // so they are compared with zig's stock.
        let musl = self.place.musl.filter(|musl| musl.link == Link::Zig);
        let stock = Place {
            libc: Libc::Stock,
            musl,
            profile: Profile::Fast,
            ..self.place
        };
        let stock = measures(&self.output(builder, stock)?);
        let mut text = String::new();
        for (name, wanted) in stock {
            let found = ours.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v);
            if found * 100 < wanted * percent {
                text += &format!("{name}: stock {wanted}, brawn {found}: not {percent} %\n");
            }
        }
        let stage = Stage::Run;
        if text.is_empty() {
            Ok(())
        } else {
            Err(Failure { stage, text })
        }
    }

    fn output(&self, builder: &Builder, place: Place) -> Result<String, Failure> {
        let program = self.program;
        let path = builder.build(program, place)?;
        let mut env = program.env.clone();
        let mut emulator = Vec::new();
        let profile = place.profile;
        if place.libc.is_brawns() {
            env.push(("CONFORMANCE_PROFILE".to_owned(), profile.name().to_owned()));
        }
        let share = place.musl.map_or(SHARE, Musl::share);
        // Rewritten programs have the same heap as those with brawn's archive, which run the whole counts. Heaps that are
        // not brawn's only show that the program is right, for which small counts are enough, unless brawn's results are
        // compared with them.
        let is_again = place.libc == Libc::Rewritten;
        let is_measured = program.percent(profile).is_some();
        let is_reference = match place.libc {
            Libc::Glibc => true,
            Libc::Stock => !is_measured,
            _ => false,
        };
        if place.musl.is_some() || profile != Profile::Fast || is_again || is_reference {
            env.push(("CONFORMANCE_SHARE".to_owned(), share.to_string()));
        }
        if std::env::var_os(ALL).is_none() {
            env.push(("CONFORMANCE_FORKS".to_owned(), FORKS.to_string()));
        }
        if let Some(musl) = place.musl {
            emulator = musl.emulator();
            if musl.is_emulated() {
                env.push(("CONFORMANCE_EMULATED".to_owned(), "1".to_owned()));
            }
        }
        if place.libc == Libc::Preloaded {
            let object = builder.preload(place)?.display().to_string();
            env.push(("CONFORMANCE_PRELOADED".to_owned(), "1".to_owned()));
            // The emulator is a program with another libc.
            match emulator.is_empty() {
                true => env.push(("LD_PRELOAD".to_owned(), object)),
                false => emulator.extend(["-E".to_owned(), format!("LD_PRELOAD={object}")]),
            }
        }
        let limit = program.timeout * PATIENCE;
        run(&emulator, &path, self.case, &env, limit).map_err(|text| {
            let stage = Stage::Run;
            Failure { stage, text }
        })
    }
}
