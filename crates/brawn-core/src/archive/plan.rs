//! What to do with an archive, as plain data: `--dry-run` prints it, and tests need no file.

mod libc;
mod memory;
mod supplied;
mod symbols;

use crate::advice::Advice;
use crate::archive::identify::{Content, Findings, Member, Role};
use crate::archive::mimalloc::Mimalloc;
use crate::archive::read::Archive;
use crate::error::{Error, Result, printable};
use crate::identify::{Libc, fork, is_heap, is_surface};
use crate::note::Note;
use brawn_payload::{Payload, Profile};
use serde::Serialize;

use crate::component::{self, Component, is_less};
use crate::provenance::Provenance;
pub use memory::{Memory, State, Stays};

/// What a plan does as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The archive already holds this very payload and no other heap.
    #[default]
    Nothing,
    /// musl's heap is removed and the payload is added.
    Patch,
    /// Another brawn payload is removed and this one is added.
    Upgrade,
}

/// Why a member is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It defines nothing but musl's heap.
    MuslHeap,
    /// It belongs to a mimalloc that somebody put in the place of musl's heap.
    Mimalloc,
    /// It defines nothing but memory functions that the payload has.
    MuslMemory,
    /// It defines nothing but other functions of libc that the payload has.
    MuslLibc,
    /// It belongs to another brawn payload.
    OtherPayload,
}

/// A member that is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its position among the archive's entries, special ones included.
    pub entry: usize,
    /// Its name.
    pub name: String,
    /// Where its header is in the file.
    pub offset: u64,
    /// The part that it belongs to.
    pub component: Component,
    /// Why it is removed.
    pub why: Why,
    /// The global symbols that are removed with it.
    pub defines: Vec<String>,
}

/// A member that is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Added {
    /// Its name.
    pub name: String,
    /// The part that it belongs to.
    pub component: Component,
    /// Its size in bytes.
    pub size: usize,
    /// The symbol of the function that it supplies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<String>,
}

/// What to do with an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// What the plan does as a whole.
    pub action: Action,
    /// What the archive's objects run on.
    pub architecture: String,
    /// The heap that is added or already there; absent if the heap is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Provenance>,
    /// What happens to the memory functions; absent if they are left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// What happens to other functions of libc; absent if they are left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub libc: Option<Memory>,
    /// Parts of brawn's that the archive had before and keeps, though they were not chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub had: Vec<Component>,
    /// Whether nobody chose parts now, and it keeps those that it has, which are not all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// The notes of the payloads that are removed.
    pub replaces: Vec<Note>,
    /// Members that are removed.
    pub remove: Vec<Removed>,
    /// Members that are added, after all others.
    pub add: Vec<Added>,
    /// How many members stay the same to the byte.
    pub keep: usize,
}

impl Plan {
    /// Whether the plan removes entry number `entry` of the archive.
    pub fn removes(&self, entry: usize) -> bool {
        self.remove
            .binary_search_by_key(&entry, |r| r.entry)
            .is_ok()
    }

    /// The members of `payload` that are added, in their order.
    pub fn coming(&self, payload: &Payload) -> Result<Vec<&'static brawn_payload::Member>> {
        let known = |added: &Added| {
            let mut members = added.component.members(payload).into_iter();
            let found = members.find(|member| member.name == added.name);
            found.ok_or_else(|| {
                Error::refused(format!("a plan with member {}", added.name))
                    .expected("members that the payload has")
            })
        };
        self.add.iter().map(known).collect()
    }

    /// Removes a member. What its notes say is lost.
    fn take_out(&mut self, member: &Member<'_>, component: Component, why: Why) {
        self.replaces.extend_from_slice(member.notes());
        self.remove.push(Removed {
            entry: member.entry,
            name: printable(member.name),
            offset: member.offset,
            component,
            why,
            defines: member.defined().map(|s| printable(s.name)).collect(),
        });
    }
}

/// The profile of brawn's heap in the archive, if there is one and this brawn knows the profile.
pub fn own_profile(findings: &Findings<'_>) -> Option<Profile> {
    let mut notes = findings
        .with_role(Role::Ours(Component::Heap))
        .flat_map(|m| m.notes());
    Profile::from_name(&notes.find(|note| note.is_heap())?.profile)
}

/// Chooses the payload for an archive.
pub fn choose<'p>(
    findings: &Findings<'_>,
    payloads: &'p [Payload],
    profile: Profile,
) -> Result<&'p Payload> {
    let ident = findings
        .ident
        .ok_or_else(|| not_musl(findings).expected("ELF objects"))?;
    // First the libc: if it is not musl's, that is the reason to give, not the architecture.
    if findings.libc != Libc::Musl {
        return Err(not_musl(findings));
    }
    ident
        .architecture()
        .and_then(|a| {
            payloads
                .iter()
                .find(|p| p.architecture == a && p.profile == profile)
        })
        .ok_or_else(|| {
            let mut have: Vec<_> = payloads
                .iter()
                .filter(|p| p.profile == profile)
                .map(|p| p.architecture.name())
                .collect();
            have.sort_unstable();
            Error::not_applicable(format!("objects for {}", ident.describe())).expected(format!(
                "an architecture that this brawn has a `{}` payload for ({})",
                profile.name(),
                if have.is_empty() {
                    "none".into()
                } else {
                    have.join(", ")
                }
            ))
        })
}

fn not_musl(findings: &Findings<'_>) -> Error {
    match findings.libc {
        Libc::Glibc => Error::not_applicable("glibc's libc.a (it defines gnu_get_libc_version)")
            .expected("musl's libc.a")
            .next("glibc's heap needs no replacement; leave it alone"),
        _ if findings.has_no_heap() => {
            Error::not_applicable("no heap in this archive").expected("musl's libc.a")
        }
        _ => Error::not_applicable(
            "an archive with a heap that is not musl's (no __init_libc, __lctrans)",
        )
        .expected("musl's libc.a"),
    }
}

/// What the caller asks for.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The parts of libc to exchange, of [`Component::ALL`].
    pub components: &'a [Component],
    /// Whether nobody chose these parts: then an archive that already has brawn's keeps those that it has.
    pub keeps: bool,
    /// The heap's variant. Without one, an archive keeps the variant that it has: patching an archive a second time
    /// must not take its hardening away.
    pub profile: Option<Profile>,
    /// Whether a mimalloc that somebody put in the place of musl's heap is exchanged too.
    pub upgrade: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            components: Component::ALL,
            keeps: false,
            profile: None,
            upgrade: false,
        }
    }
}

/// Plans to exchange parts of `archive` for those of `payload`, which [`choose`] has chosen for the profile.
pub fn plan(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    payload: &Payload,
    options: &Options<'_>,
) -> Result<Plan> {
    let present = libc::present(findings, payload);
    let kept = (options.keeps && !present.is_empty()).then(|| {
        let is_asked = options.profile.is_some() || options.upgrade;
        component::kept(present.clone(), is_asked)
    });
    let components = kept.as_deref().unwrap_or(options.components);
    if findings.libc != Libc::Musl {
        return Err(not_musl(findings));
    }
    let mut plan = Plan {
        architecture: payload.architecture.name().into(),
        keep: findings.members.len(),
        had: present
            .iter()
            .filter(|had| !components.iter().any(|c| c.name() == had.name()))
            .copied()
            .collect(),
        kept: kept.is_some() && is_less(components, payload),
        ..Plan::default()
    };
    if components.contains(&Component::Heap) {
        refuse_mimalloc(archive, findings, options.upgrade)?;
        heap(archive, findings, payload, &mut plan)?;
    }
    libc::functions(archive, findings, payload, components, &mut plan)?;
    if components.contains(&Component::Heap) {
        let parts = (plan.remove.len(), plan.add.len());
        let exchanges = options.upgrade && findings.with_role(Role::Mimalloc).next().is_some();
        supplied::plan(archive, findings, payload, exchanges, &mut plan)?;
        let is_of = |component| move |r: &Removed| r.component == component;
        let has_changed = plan.remove.iter().any(is_of(Component::Heap))
            || parts != (plan.remove.len(), plan.add.len());
        if has_changed {
            symbols::check(findings, payload, &plan)?;
        }
    }
    plan.remove.sort_unstable_by_key(|removed| removed.entry);
    plan.replaces.dedup();
    plan.keep -= plan.remove.len();
    if !(plan.remove.is_empty() && plan.add.is_empty()) {
        let is_brawns = |m: &Member<'_>| matches!(m.role, Role::Ours(_));
        plan.action = match findings.members.iter().any(is_brawns) {
            true => Action::Upgrade,
            false => Action::Patch,
        };
    }
    Ok(plan)
}

/// Whether the members `old` are exactly these.
fn is_same<'a>(
    archive: &Archive<'_>,
    old: &[&Member<'_>],
    new: impl ExactSizeIterator<Item = &'a brawn_payload::Member>,
) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| {
            old.name == new.name.as_bytes()
                && archive
                    .entries
                    .get(old.entry)
                    .is_some_and(|e| archive.data(e) == new.bytes.get())
        })
}

fn added(member: &brawn_payload::Member, component: Component) -> Added {
    Added {
        name: member.name.into(),
        component,
        size: member.bytes.len(),
        defines: Vec::new(),
    }
}

/// Plans to exchange the heap.
fn heap(
    archive: &Archive<'_>,
    findings: &Findings<'_>,
    payload: &Payload,
    plan: &mut Plan,
) -> Result<()> {
    refuse_old(findings)?;
    refuse_foreign(findings)?;
    let brawn: Vec<_> = findings.with_role(Role::Ours(Component::Heap)).collect();
    let others = |m: &&Member<'_>| matches!(m.role, Role::MuslHeap | Role::Mimalloc);
    let others = findings.members.iter().filter(others).count();
    if brawn.is_empty() && others == 0 {
        return Err(Error::refused("musl's libc.a without a heap")
            .expected("members that define malloc, free and the others")
            .next(format!(
                "zig since 0.16 keeps the heap in libzigc.a: put the payload on the link line \
                 ({}); otherwise something has taken the heap out, and the \
                 original has to be installed again",
                Advice::LinkArgs
            )));
    }
    plan.payload = Some(Provenance::from(payload));
    if others == 0 && is_same(archive, &brawn, payload.members.iter()) {
        return Ok(());
    }
    for member in &findings.members {
        let why = match member.role {
            Role::MuslHeap => Why::MuslHeap,
            Role::Mimalloc => Why::Mimalloc,
            Role::Ours(Component::Heap) => Why::OtherPayload,
            Role::ForeignHeap | Role::Ours(_) | Role::Rest => continue,
        };
        plan.take_out(member, Component::Heap, why);
    }
    let members = payload.members.iter();
    plan.add.extend(members.map(|m| added(m, Component::Heap)));
    Ok(())
}

/// Refuses a mimalloc that somebody added, unless the caller asked to replace it: somebody chose that heap on
/// purpose.
fn refuse_mimalloc(archive: &Archive<'_>, findings: &Findings<'_>, upgrade: bool) -> Result<()> {
    if upgrade {
        return Ok(());
    }
    let (Some(found), Some(member)) = (
        Mimalloc::of(archive, findings)?,
        findings.with_role(Role::Mimalloc).next(),
    ) else {
        return Ok(());
    };
    let what = format!("its heap is {}: {}", found.title(), found.shape());
    Err(
        member.refused(what)
            .expected("musl's own heap, or brawn's")
            .next(format!(
                "{} replaces it by brawn's, and supplies the functions that came with it; {} replaces only the \
                 memory functions",
                Advice::Upgrade,
                Advice::PatchOnly(&[Component::Memory])
            )),
    )
}

/// Refuses musl before 1.2.2, which its fork shows (`identify/fork.rs`): since 1.2.2 that member has a weak
/// `__malloc_atfork`, which the heap overrides.
fn refuse_old(findings: &Findings<'_>) -> Result<()> {
    let Some(member) = findings.defining(fork::FORK.as_bytes()) else {
        return Ok(());
    };
    let mut symbols = member.defined().chain(member.undefined());
    if symbols.any(|s| s.name == fork::ATFORK.as_bytes()) {
        return Ok(());
    }
    let only_memory = Advice::PatchOnly(&[Component::Memory]);
    Err(fork::refused()
        .member(member.name)
        .at(member.offset)
        .next(format!("{only_memory} replaces only the memory functions")))
}

/// Refuses a heap whose members define other things too, and a heap that brawn cannot look into.
fn refuse_foreign(findings: &Findings<'_>) -> Result<()> {
    if let Some(member) = findings.with_role(Role::ForeignHeap).next() {
        let name = |wanted: fn(&[u8]) -> bool| {
            member
                .defined()
                .find(|s| wanted(s.name))
                .map(|s| printable(s.name))
                .unwrap_or_default()
        };
        let (of_heap, other) = (name(is_surface), name(|s| !is_heap(s)));
        let found = format!("it defines `{of_heap}` of the heap together with `{other}`");
        return Err(member
            .refused(found)
            .expected("members that define nothing but musl's heap")
            .next("if another allocator was put into this archive, install the original again"));
    }
    if let Some((symbol, entry)) = findings.indexed.iter().find(|(s, _)| is_surface(s)) {
        let member = findings.members.iter().find(|m| m.entry == *entry);
        let (name, offset, what) = member.map_or((&b""[..], 0, "not ELF"), |m| {
            let what = match m.content {
                Content::Bitcode => "LLVM bitcode",
                Content::OtherElf(_) => "ELF of another class",
                _ => "not ELF",
            };
            (m.name, m.offset, what)
        });
        return Err(
            Error::refused(format!("it defines `{}` and is {what}", printable(symbol)))
                .member(name)
                .at(offset)
                .expected("an ELF object")
                .next("use a libc.a that was built without link-time optimization"),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
