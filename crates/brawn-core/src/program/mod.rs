//! Finished executables. The payload is linked to addresses of the program and put after its last segment, and the
//! entries of musl's functions become jumps to the payload's functions.
//!
//! ```text
//! bytes ─ program ─> Program ─ find ─> Functions ─ plan (layout, link) ─> Plan ─ apply ─> Content ─ check ─> published
//! ```

pub mod apply;
pub mod branch;
pub mod check;
mod edits;
pub mod find;
pub mod headers;
pub mod layout;
pub mod link;
pub mod linked;
pub mod moved;
pub mod plan;
mod refused;
pub mod relocations;
mod sections;
mod segments;
mod span;
mod symbols;
pub mod tls;

use crate::advice::look_at_it;
use crate::component::{self, Chosen, Component, Families, is_less};
use crate::content::Content;
use crate::elf::image::Image;
use crate::elf::program::{Placement, Program};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::identify::reach::LOCAL;
use crate::identify::{Identity, executable, rewritten};
use crate::provenance::Provenance;
use crate::publish::{Edited, Source};
use crate::signatures;
use crate::signatures::Build;
use crate::signatures::names::{Named, Names};
use brawn_payload::{Payload, Profile};
use find::{Functions, Risk};
use link::Objects;
use linked::At;
use plan::{Hooked, Plan};
use std::collections::{BTreeSet, HashSet};

/// The caller's wishes.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The parts of libc to replace.
    pub components: &'o [Component],
    /// Whether nobody chose these parts: then a program that brawn rewrote before keeps those that it has.
    pub keeps: bool,
    /// Whether to rewrite the program in spite of risks.
    pub force: bool,
    /// Builds of musl by whose code functions are recognized, in addition to the database's.
    pub builds: &'o [Build],
}

/// The result of [`rewrite`].
#[derive(Clone, Debug)]
pub struct Rewritten<'a> {
    /// What was done or would be done; `None` if the program already has exactly this payload.
    pub plan: Option<Plan>,
    /// The new file; `None` in the same case.
    pub pieces: Option<Content<'a>>,
}

/// Takes a program from its file to checked new bytes: all steps but publishing.
/// A program that brawn rewrote before is made again from its original, and keeps its profile. The payload is the one of `payloads` for the program's architecture and for `profile`.
///
/// # Errors
/// The original cannot be read; there is no such payload; those of [`rewrite`].
pub fn edit<'s>(
    source: &'s Source,
    payloads: &[Payload],
    profile: Option<Profile>,
    options: &Options<'_>,
) -> Result<Edited<'s, Option<Plan>>> {
    let original = source.original()?;
    let chosen = source
        .chosen()
        .filter(|_| options.keeps && original.is_some());
    let components = match chosen {
        Some(chosen) => component::kept(chosen.components(), profile.is_some()),
        None => options.components.to_vec(),
    };
    let profile = match original {
        Some(_) => profile.or(own_profile(source.bytes())?),
        None => profile,
    };
    let options = Options {
        components: &components,
        ..*options
    };
    let bytes = original.unwrap_or(source.bytes());
    let program = Program::read(bytes)?;
    let payload = choose(&program, payloads, profile.unwrap_or_default())?;
    let rewritten = rewrite_program(&program, payload, &options)?;
    let kept = chosen.is_some() && is_less(&components, payload);
    Ok(Edited {
        plan: rewritten.plan.map(|plan| Plan { kept, ..plan }),
        content: rewritten.pieces,
        had_payload: rewritten::payload_code(program.code()).is_some(),
        chosen: Some(Chosen::of(&components)),
    })
}

/// The profile of an earlier rewrite, whose result is `bytes`.
fn own_profile(bytes: &[u8]) -> Result<Option<Profile>> {
    // The file may also be a patched archive: reading it as a program gives the right error.
    if Format::of(bytes) != Format::Elf {
        return Ok(None);
    }
    let notes = Image::read(bytes, 0)?.brawn;
    let heap = notes.iter().find(|note| note.is_heap());
    Ok(heap.and_then(|note| Profile::from_name(&note.profile)))
}

fn choose<'p>(
    program: &Program<'_>,
    payloads: &'p [Payload],
    profile: Profile,
) -> Result<&'p Payload> {
    let architecture = program.architecture.architecture();
    let mut payloads = payloads.iter();
    let payload = payloads.find(|p| p.architecture == architecture && p.profile == profile);
    payload.ok_or_else(|| {
        let (name, profile) = (architecture.name(), profile.name());
        Error::not_applicable(format!("no payload for {name} ({profile})"))
    })
}

/// All steps from a program's bytes to checked new bytes, whatever files are beside it. Uses the one of `payloads`
/// for its architecture and for `profile`.
///
/// # Errors
/// There is no such payload; those of [`rewrite`].
pub fn rewrite_for<'a>(
    bytes: &'a [u8],
    payloads: &[Payload],
    profile: Profile,
    options: &Options<'_>,
) -> Result<Rewritten<'a>> {
    let program = Program::read(bytes)?;
    let payload = choose(&program, payloads, profile)?;
    rewrite_program(&program, payload, options)
}

/// The same with exactly this payload.
///
/// Errors: those of [`Program::read`] and [`find::find`]; [`Kind::Refused`](crate::Kind::Refused) for risks, unless
/// forced, and if there is no room.
pub fn rewrite<'a>(
    bytes: &'a [u8],
    payload: &Payload,
    options: &Options<'_>,
) -> Result<Rewritten<'a>> {
    rewrite_program(&Program::read(bytes)?, payload, options)
}

fn rewrite_program<'a>(
    program: &Program<'a>,
    payload: &Payload,
    options: &Options<'_>,
) -> Result<Rewritten<'a>> {
    let identity = executable::identify(&program.image);
    let names = names(program, payload, options)?;
    let rest = options.components.iter().filter(|c| !c.is_libc());
    let rest: Vec<Component> = rest.copied().collect();
    // A problem with functions of libc is no reason to refuse the program: then they stay.
    let without = |why: Error| -> Result<Functions> {
        if rest.is_empty() || rest.len() == options.components.len() {
            return Err(why);
        }
        let mut found = find::find(program, &identity, &names, payload, &rest)?;
        let left = find::left(&names, payload, &why.to_string());
        found.left.extend(left);
        Ok(found)
    };
    let found =
        find::find(program, &identity, &names, payload, options.components).or_else(&without)?;
    refuse_less(&found, options)?;
    if found.functions.is_empty() && !found.present.is_empty() {
        return Ok(Rewritten {
            plan: None,
            pieces: None,
        });
    }
    let risks = risks(program, &identity, &names, &found, payload, options)?;
    if found.functions.is_empty() {
        return Err(nothing(options.components));
    }
    made(program, payload, &found, &risks)
        .or_else(|error| made(program, payload, &without(error)?, &risks))
}

/// Refuses a program that already has brawn's functions of libc where `options` leave some of these out: it does not say which it
/// has, and without the original, nobody can bring musl's back.
fn refuse_less(found: &Functions, options: &Options<'_>) -> Result<()> {
    let asked = Component::families(options.components);
    let is_less = asked.is_some_and(|families| families != Families::ALL);
    if !is_less || !found.present.iter().any(|c| c.is_libc()) {
        return Ok(());
    }
    Err(
        Error::refused(
            "it already has brawn's functions of libc, and does not say whether those that the options leave out or choose \
             differently are among them",
        )
        .expected("a program with musl's own")
        .next("rewrite its original with these options, or link it anew"),
    )
}

/// The new program, with the functions that were found.
fn made<'a>(
    program: &Program<'a>,
    payload: &Payload,
    found: &Functions,
    risks: &[Risk],
) -> Result<Rewritten<'a>> {
    let components: Vec<Component> = found.functions.iter().map(|f| f.component).collect();
    let families = Component::families(&components).unwrap_or(Families::ALL);
    let objects = Objects::choose_of(payload, families, &wanted(program, found))?;
    let plan = plan(program, found, risks.to_vec(), payload, &objects)?;
    let host = |name: &str| match name {
        link::HOST_ENTRY => Some(program.entry),
        link::HOST_TSD_RUN_DTORS => found.thread_exit.map(|call| call.callee),
        link::TABLE => Some(plan.layout.table.address),
        "__errno_location" if found.errno_location.is_some() => found.errno_location,
        _ => found.host.get(name).copied(),
    };
    let at = At {
        code: plan.layout.code.address,
        data: plan.layout.data(),
        tls: plan.layout.thread_locals(),
        host: &host,
    };
    let linked = link::link(&objects, &at)?;
    let content = apply::apply(program, &plan, &linked)?;
    check::check(program, &plan, &linked, &content)?;
    Ok(Rewritten {
        plan: Some(plan),
        pieces: Some(content),
    })
}

/// The names of libc in the program: from its symbols or, if these are missing, from signatures.
fn names(program: &Program<'_>, payload: &Payload, options: &Options<'_>) -> Result<Names> {
    let builds = options.builds;
    let mut names = Names::of_plain_symbols(program);
    let mut doubted: HashSet<&str> = payload
        .memory
        .iter()
        .flat_map(|set| set.surface())
        .collect();
    if Component::families(options.components).is_some() {
        doubted.extend(payload.libc.surface());
    }
    signatures::confirm(program, &mut names, &doubted, builds)?;
    // Every musl program begins with these.
    let start = ["__libc_start_main", "__init_libc"];
    if start.iter().all(|name| names.function(name).is_none()) {
        return signatures::name_with(program, builds);
    }
    // `strip -x` removes local names: then the code must show what is there. A global function of such a name is the
    // program's own.
    let mut locals = program.functions().filter(|s| !s.global);
    let malloc = names.function("malloc").map(|n| n.address);
    if malloc.is_none() || locals.any(|s| LOCAL.contains(&s.name)) {
        return Ok(names);
    }
    let by_code = signatures::name_with(program, builds)?;
    if by_code.function("malloc").map(|n| n.address) != malloc {
        return Ok(names);
    }
    // Both are there, then: the program's own, and the heap's.
    let twins = |n: &&Named| LOCAL.contains(&n.name.as_str()) && names.function(&n.name).is_some();
    let twins: Vec<Named> = by_code.functions.iter().filter(twins).cloned().collect();
    let mut names = names.with(by_code);
    names.functions.extend(twins);
    names.functions.sort_by_key(|n| n.address);
    Ok(names)
}

/// The names that are needed from the payload.
fn wanted<'f>(program: &Program<'_>, found: &'f Functions) -> Vec<&'f str> {
    let targets: BTreeSet<&str> = found.functions.iter().map(|f| f.target.as_str()).collect();
    let exit = found.thread_exit.map(|_| link::THREAD_EXIT);
    let start = is_attached(program, found).then_some(link::START);
    let hooks = exit.into_iter().chain(start);
    targets.into_iter().chain(hooks).collect()
}

/// Whether the payload runs before the program. It does if the heap is replaced, and if the program may be loaded
/// anywhere, since the payload may have to apply some of its relocations (`moved`).
fn is_attached(program: &Program<'_>, found: &Functions) -> bool {
    found.has_heap() || program.placement == Placement::Anywhere
}

/// The risks. Fails if there are any, unless the caller accepts them.
fn risks(
    program: &Program<'_>,
    identity: &Identity,
    names: &Names,
    found: &Functions,
    payload: &Payload,
    options: &Options<'_>,
) -> Result<Vec<Risk>> {
    let mut risks = concerning(found, options.components);
    if risks.is_empty() {
        return Ok(risks);
    }
    // A part is only recommended if rewriting it alone would work.
    let works = |component: Component| {
        find::find(program, identity, names, payload, &[component]).is_ok_and(|rest| {
            !rest.functions.is_empty() && concerning(&rest, &[component]).is_empty()
        })
    };
    let rest = |component: Component| Some(component.other()).filter(|rest| works(*rest));
    let advice = [Component::Heap, Component::Memory].map(|component| {
        let is_risked = risks.iter().any(|r| r.component == Some(component));
        (component, is_risked.then(|| rest(component)).flatten())
    });
    for risk in &mut risks {
        let of =
            |(component, _): &&(Component, Option<Component>)| risk.component == Some(*component);
        if let Some((_, rest)) = advice.iter().find(of) {
            risk.advise(*rest);
        }
    }
    if options.force {
        return Ok(risks);
    }
    Err(refused::error(program, names, &risks))
}

/// The risks of replacing these parts.
fn concerning(found: &Functions, components: &[Component]) -> Vec<Risk> {
    let concerns = |risk: &&Risk| match risk.component {
        Some(component) => components.contains(&component),
        None => true,
    };
    found.risks.iter().filter(concerns).cloned().collect()
}

/// The error if the program has musl, but none of the wanted functions: the linker found no use for them.
fn nothing(components: &[Component]) -> Error {
    let names = components.iter().map(|component| component.name());
    let what = names.collect::<Vec<_>>().join(", ");
    Error::not_applicable(format!(
        "nothing to replace: none of musl's functions ({what}) could be found in it"
    ))
    .next(look_at_it())
}

fn plan(
    program: &Program<'_>,
    found: &Functions,
    risks: Vec<Risk>,
    payload: &Payload,
    objects: &Objects<'_>,
) -> Result<Plan> {
    let sizes = objects.sizes();
    let exit = found.thread_exit.iter().map(|call| Hooked {
        at: call.at,
        callee: call.callee,
        target: link::THREAD_EXIT.into(),
    });
    Ok(Plan {
        architecture: program.architecture.name().into(),
        placement: program.placement,
        entry: program.entry,
        start: is_attached(program, found).then(|| link::START.into()),
        payload: found.has_heap().then(|| Provenance::from(payload)),
        functions: found.functions.clone(),
        hooks: exit.collect(),
        left: found.left.clone(),
        risks,
        kept: false,
        notes: found.notes.clone(),
        sizes,
        layout: layout::layout(program, &sizes)?,
    })
}
