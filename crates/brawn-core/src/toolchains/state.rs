//! Describes an archive of a toolchain.

use super::Archive;
use crate::advice::Advice;
use crate::archive::identify::identify;
use crate::archive::plan;
use crate::archive::plan::{Action, Options, Plan};
use crate::archive::read::Archive as Ar;
use crate::component::Component;
use crate::error::{Error, Kind, Result};
use crate::identify::heap::Heap;
use crate::identify::{Libc, Memory};
use crate::input;
use crate::publish::{Standing, standing};
use crate::report::inspect::{Inspection, Verdict, inspect};
use brawn_payload::Payload;
use serde::Serialize;

crate::named! {
    /// The state of an archive. The names are a public interface: scripts read them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum State {
        /// musl without changes.
        Stock = "stock",
        /// This brawn's payload, in one profile.
        Patched = "patched",
        /// The payload of another version or build of brawn; `patch` replaces it.
        OtherBrawn = "other brawn",
        /// musl without changes, beside brawn's record of another file: an update replaced the patched file.
        Replaced = "replaced",
        /// Patched, and then changed by another program; `restore` refuses it.
        Changed = "changed",
        /// A write in place was interrupted.
        Interrupted = "interrupted",
        /// A heap that is neither musl's nor brawn's: somebody put it there.
        ForeignHeap = "foreign heap",
        /// musl's heap beside brawn's.
        Mixed = "mixed",
        /// musl without a heap, as in zig since 0.16.
        NoHeap = "no heap",
        /// musl, for an architecture that brawn has no payload for.
        Unsupported = "unsupported",
        /// musl in a shape that brawn does not edit.
        Refused = "refused",
        /// Not musl.
        NotMusl = "not musl",
        /// It could not be read.
        Unreadable = "unreadable",
    }
}

/// An archive of a toolchain and its state. The names of these fields are a public interface.
#[derive(Clone, Debug, Serialize)]
pub struct Toolchain {
    /// The archive, and the toolchain that it is of.
    #[serde(flatten)]
    pub archive: Archive,
    /// Its state.
    pub state: State,
    /// The reason for the state, in a sentence.
    pub why: String,
    /// The architecture, as in `x86_64`.
    pub architecture: Option<String>,
    /// musl's version.
    pub libc_version: Option<String>,
    /// Its heap, as `inspect` reports it.
    pub heap: Option<String>,
    /// Its memory functions.
    pub memory: Option<Memory>,
    /// The profile of brawn's heap.
    pub profile: Option<String>,
    /// The version of brawn that the payload comes from.
    pub brawn: Option<String>,
    /// How it relates to brawn's record beside it. Absent without a record; then `restore` is not possible.
    pub record: Option<Standing>,
}

/// Reads and describes `archive`. `None` if other libcs may be at its place too, and it is one of them.
pub fn survey(archive: &Archive, payloads: &[Payload]) -> Option<Toolchain> {
    let mut toolchain = Toolchain {
        archive: archive.clone(),
        state: State::Unreadable,
        why: String::new(),
        architecture: None,
        libc_version: None,
        heap: None,
        memory: None,
        profile: None,
        brawn: None,
        record: None,
    };
    let read = input::read(&archive.path).map_err(|e| input::failed("cannot read it", e));
    if let Err(error) = read.and_then(|bytes| look(&bytes, payloads, &mut toolchain)) {
        toolchain.state = match error.kind() {
            Kind::NotApplicable => State::NotMusl,
            _ => State::Unreadable,
        };
        toolchain.why = error.without_path().to_string();
    }
    (archive.certain || toolchain.state != State::NotMusl).then_some(toolchain)
}

fn look(bytes: &[u8], payloads: &[Payload], toolchain: &mut Toolchain) -> Result<()> {
    toolchain.record = standing(&toolchain.archive.path, bytes)?;
    // This counts more than its contents.
    if toolchain.record == Some(Standing::Torn) {
        toolchain.state = State::Interrupted;
        toolchain.why = format!(
            "a write in place was interrupted; {} or {} puts the original back first",
            Advice::Patch(None),
            Advice::Restore(None)
        );
        return Ok(());
    }
    let report = inspect(bytes)?;
    if report.libc != Libc::Musl {
        let found = match report.libc {
            Libc::Glibc => "glibc's libc.a",
            _ => "an archive without musl's libc",
        };
        return Err(Error::not_applicable(found));
    }
    // If no directory names the target, the archive's architecture does.
    let target = || format!("{}-linux-musl", report.architecture);
    toolchain.archive.target.get_or_insert_with(target);
    let notes = || report.heaps.iter().filter_map(|found| found.note.as_ref());
    toolchain.profile = notes().next().map(|note| note.profile.clone());
    let note = notes().next().or(report.memory_note.as_ref());
    let note = note.or(report.libc_note.as_ref());
    toolchain.brawn = note.map(|note| note.brawn.clone());
    (toolchain.state, toolchain.why) = state(bytes, payloads, &report, toolchain.record);
    toolchain.architecture = Some(report.architecture);
    toolchain.libc_version = report.libc_version;
    toolchain.heap = Some(report.heap);
    toolchain.memory = Some(report.memory);
    Ok(())
}

fn state(
    bytes: &[u8],
    payloads: &[Payload],
    report: &Inspection,
    record: Option<Standing>,
) -> (State, String) {
    let has_brawn = report.heaps.iter().any(|found| found.heap == Heap::Brawn);
    let has = |component: &&Component| match component {
        Component::Heap => has_brawn,
        Component::Memory => report.memory_note.is_some(),
        Component::Libc(_) => report.libc_note.is_some(),
        Component::Supplied => false,
    };
    let mut parts: Vec<Component> = Component::ALL.iter().filter(has).copied().collect();
    if parts.is_empty() {
        parts.extend_from_slice(Component::ALL);
    }
    if let Some(found) = report.heaps.iter().find(|found| found.heap.is_another()) {
        let next = match report.hint {
            Some(_) => format!("{} replaces it", Advice::Upgrade),
            None => "brawn patches musl's own: install the original again".into(),
        };
        let why = format!(
            "its heap is {}, which somebody put there; {next}",
            found.title()
        );
        return (State::ForeignHeap, why);
    }
    if has_brawn && report.verdict == Verdict::Mixed {
        return (State::Mixed, report.why.clone());
    }
    let plan = match would(bytes, payloads, &parts) {
        Ok(plan) => plan,
        Err(error) => {
            let state = match error.kind() {
                Kind::NotApplicable => State::Unsupported,
                _ if report.heaps.is_empty() => State::NoHeap,
                _ => State::Refused,
            };
            return (state, error.without_path().to_string());
        }
    };
    let is_brawns = has_brawn || report.memory_note.is_some() || report.libc_note.is_some();
    let patch = Advice::Patch(None);
    let changed =
        "it is not what brawn wrote, but holds brawn's payload: something changed it afterwards";
    match (record, plan.action) {
        (Some(Standing::Changed), _) if is_brawns => (State::Changed, changed.into()),
        (Some(Standing::Changed), _) => {
            let why = format!(
                "something replaced what brawn had patched, as an update does; {patch} patches the new one"
            );
            (State::Replaced, why)
        }
        (Some(Standing::Original), _) if !is_brawns => {
            let why = format!(
                "the original is back, as after installing its package again; {patch} patches it"
            );
            (State::Replaced, why)
        }
        (_, Action::Patch) => (State::Stock, report.why.clone()),
        (_, Action::Nothing) => (State::Patched, report.why.clone()),
        (_, Action::Upgrade) => {
            let why = format!(
                "the payload is that of another version or build of brawn; {patch} replaces it"
            );
            (State::OtherBrawn, why)
        }
    }
}

/// What `patch` would do to these parts. Asking `patch` keeps this list from contradicting it.
fn would(bytes: &[u8], payloads: &[Payload], parts: &[Component]) -> Result<Plan> {
    let archive = Ar::read(bytes)?;
    let findings = identify(&archive)?;
    let profile = plan::own_profile(&findings).unwrap_or_default();
    let payload = plan::choose(&findings, payloads, profile)?;
    let options = Options {
        components: parts,
        keeps: true,
        ..Options::default()
    };
    plan::plan(&archive, &findings, payload, &options)
}
