//! The way of the data in brawn: bytes are read into a host, identified, planned for, edited,
//! checked and published.  `ARCHITECTURE.md` maps each step to its module.
#![forbid(unsafe_code)]

pub mod apply;
pub mod bundle;
pub mod check;
pub mod demangle;
pub mod error;
pub mod identify;
pub mod input;
pub mod inspect;
pub mod link;
pub mod note;
pub mod oci;
pub mod plan;
pub mod preload;
pub mod publish;

pub mod read;
pub mod rewrite;
pub mod shown;
pub mod toolchains;
pub mod verify;

#[cfg(test)]
mod testing;

pub use error::{Error, Kind, Result};
pub use plan::Options;

/// Takes an archive from its file to checked new bytes, as [`rewrite::edit`] does a program.
///
/// # Errors
/// Those of [`edit_components`].
pub fn edit_archive<'s>(
    source: &'s publish::Source,
    payloads: &[brawn_payload::Payload],
    options: &Options<'_>,
) -> Result<publish::Edited<'s, plan::Plan>> {
    let edit = edit_components(source.bytes(), payloads, options)?;
    Ok(publish::Edited {
        had_payload: edit.plan.action == plan::Action::Upgrade,
        plan: edit.plan,
        content: edit.bytes.map(publish::Content::from),
    })
}

/// What [`edit`] gives.
#[derive(Debug)]
pub struct Edit {
    /// What was, or would be, done.
    pub plan: plan::Plan,
    /// The new archive; `None` where there is nothing to do.
    pub bytes: Option<Vec<u8>>,
}

/// The way from an archive's bytes to checked new ones: everything but publishing.
pub fn edit(
    bytes: &[u8],
    payloads: &[brawn_payload::Payload],
    profile: brawn_payload::Profile,
) -> Result<Edit> {
    let options = Options {
        profile: Some(profile),
        ..Options::default()
    };
    edit_components(bytes, payloads, &options)
}

/// The same, of what `options` ask for.
pub fn edit_components(
    bytes: &[u8],
    payloads: &[brawn_payload::Payload],
    options: &Options<'_>,
) -> Result<Edit> {
    let archive = read::archive::Archive::read(bytes)?;
    let findings = identify::archive::identify(&archive)?;
    let profile = options.profile.or_else(|| plan::own_profile(&findings));
    let payload = plan::choose(&findings, payloads, profile.unwrap_or_default())?;
    let plan = plan::plan(&archive, &findings, payload, options)?;
    if plan.action == plan::Action::Nothing {
        return Ok(Edit { plan, bytes: None });
    }
    let new = apply::apply(&archive, &findings, &plan, payload)?;
    check::check(&archive, &findings, &plan, payload, &new)?;
    Ok(Edit {
        plan,
        bytes: Some(new),
    })
}
