//! `libc.a`: brawn reads, identifies, plans, edits and checks it here.
//!
//! ```text
//! bytes ─ read ─> Archive ─ identify ─> Findings ─ plan ─> Plan ─ apply ─> bytes ─ check ─> published
//! ```

pub mod apply;
pub mod check;
mod entry;
mod findings;
pub mod identify;
mod index;
pub mod mimalloc;
pub mod plan;
pub mod read;

use crate::component::Component;
use crate::content::Content;
use crate::error::{Kind, Result};
use crate::publish::{Edited, Source};
use brawn_payload::{Payload, Profile};
use identify::Role;
use plan::{Action, Plan};

pub use plan::Options;

/// Takes an archive from its file to checked new bytes, as [`crate::program::edit`] does for programs.
///
/// If parts are chosen for an archive that brawn patched before, it is made again from its original: in the archive itself, nobody
/// could bring musl's functions back.
///
/// # Errors
/// Those of [`edit_bytes`].
pub fn edit<'s>(
    source: &'s Source,
    payloads: &[Payload],
    options: &Options<'_>,
) -> Result<Edited<'s, Plan>> {
    let edit = edit_source(source, payloads, options)?;
    Ok(Edited {
        had_payload: edit.plan.action == Action::Upgrade,
        plan: edit.plan,
        content: edit.bytes.map(Content::from),
        chosen: None,
    })
}

/// The same, for callers that put the result somewhere else.
///
/// # Errors
/// Those of [`edit_bytes`].
pub fn edit_source(source: &Source, payloads: &[Payload], options: &Options<'_>) -> Result<Edit> {
    let present = || edit_bytes(source.bytes(), payloads, options);
    if options.keeps {
        return present();
    }
    match source.original() {
        Ok(Some(original)) => edit_again(source.bytes(), original, payloads, options),
        Ok(None) => present(),
        // Without its original, an archive is still good for everything that takes nothing away.
        Err(lost) => present().map_err(|error| match error.kind() {
            Kind::Refused => lost,
            _ => error,
        }),
    }
}

/// The result of [`edit_bytes`].
#[derive(Debug)]
pub struct Edit {
    /// What was done or would be done.
    pub plan: Plan,
    /// The new archive; `None` if there is nothing to do.
    pub bytes: Option<Vec<u8>>,
}

/// Makes the archive `present` again from its original. It keeps its profile.
fn edit_again(
    present: &[u8],
    original: &[u8],
    payloads: &[Payload],
    options: &Options<'_>,
) -> Result<Edit> {
    let archive = read::Archive::read(present)?;
    let findings = identify::identify(&archive)?;
    let heap = Role::Ours(Component::Heap);
    let options = Options {
        profile: options.profile.or_else(|| plan::own_profile(&findings)),
        // Who has brawn's heap in the place of a mimalloc asked for it before.
        upgrade: options.upgrade || findings.with_role(heap).next().is_some(),
        ..*options
    };
    let Edit { mut plan, bytes } = edit_bytes(original, payloads, &options)?;
    // Where there is nothing to do in the original, that is the result.
    let new = bytes.unwrap_or_else(|| original.to_vec());
    let is_same = new == present;
    plan.action = match is_same {
        true => Action::Nothing,
        false => Action::Upgrade,
    };
    let bytes = (!is_same).then_some(new);
    Ok(Edit { plan, bytes })
}

/// All steps from an archive's bytes to checked new bytes, without publishing.
pub fn edit_with_profile(bytes: &[u8], payloads: &[Payload], profile: Profile) -> Result<Edit> {
    let options = Options {
        profile: Some(profile),
        ..Options::default()
    };
    edit_bytes(bytes, payloads, &options)
}

/// The same with the parts of libc and the profile that `options` name.
pub fn edit_bytes(bytes: &[u8], payloads: &[Payload], options: &Options<'_>) -> Result<Edit> {
    let archive = read::Archive::read(bytes)?;
    let findings = identify::identify(&archive)?;
    let profile = options.profile.or_else(|| plan::own_profile(&findings));
    let payload = plan::choose(&findings, payloads, profile.unwrap_or_default())?;
    let plan = plan::plan(&archive, &findings, payload, options)?;
    if plan.action == Action::Nothing {
        return Ok(Edit { plan, bytes: None });
    }
    let new = apply::apply(&archive, &findings, &plan, payload)?;
    check::check(&archive, &findings, &plan, payload, &new)?;
    Ok(Edit {
        plan,
        bytes: Some(new),
    })
}
