//! The forms of a program that are compared.

use super::Args;
use crate::commands::preload;
use crate::commands::run::Stop;
use crate::commands::run::cached::{self, Ask, Ready};
use crate::commands::run::search;
use crate::profile::ProfileArg;
use brawn_core::fingerprint::Fingerprint;
use brawn_core::shown::shown;
use brawn_core::{Error, Result};
use brawn_lab::data::{Candidate, CandidateKind};
use brawn_lab::run::request::{AS_IT_IS, Form};
use brawn_payload::Profile;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::ffi::OsString;
use std::path::Path;

/// What is compared.
pub struct Found {
    /// The program as it is, and the forms beside it.
    pub forms: Vec<Form>,
    /// Keeps files without a name open while they are needed.
    _ready: Vec<Ready>,
    /// Why there is no form with brawn's functions, if nobody asked for one by its name.
    pub left_out: Option<String>,
}

/// A value of `--with`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// A form with this profile.
    Profile(ProfileArg),
    /// No form with brawn's functions.
    None,
}

impl ValueEnum for With {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Profile(ProfileArg::Fast),
            Self::Profile(ProfileArg::Secure),
            Self::Profile(ProfileArg::Lean),
            Self::Profile(ProfileArg::Trace),
            Self::None,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Profile(profile) => profile.to_possible_value(),
            Self::None => Some(PossibleValue::new("none").help("With --against: only that file")),
        }
    }
}

/// The program at `path` as it is, and each form that the user asked for.
pub fn find(path: &Path, args: &Args) -> std::result::Result<Found, Stop> {
    let mut forms = vec![form(AS_IT_IS, CandidateKind::Original, path)?];
    if let Some(other) = &args.against {
        let other = search::search(other.as_os_str())?;
        forms.push(form(
            &shown(&other).to_string(),
            CandidateKind::Other,
            &other,
        )?);
    }
    let mut profiles = Vec::new();
    for asked in &args.with {
        match asked {
            With::Profile(profile) if !profiles.contains(profile) => profiles.push(*profile),
            With::Profile(_) | With::None => {}
        }
    }
    let (mut left_out, mut open) = (None, Vec::new());
    if args.with.is_empty() {
        let profile = ProfileArg::default().into();
        match with(path, profile, args, &mut open) {
            Ok(form) => forms.push(form),
            // The other file can be compared all the same.
            Err(Stop::Refused(error) | Stop::Failed(error)) if args.against.is_some() => {
                let (name, why) = (profile.name(), error.without_path());
                left_out = Some(format!("there is no form `{name}` of it: {why}"));
            }
            Err(stop) => return Err(stop),
        }
    }
    for profile in profiles {
        forms.push(with(path, profile.into(), args, &mut open)?);
    }
    if forms.len() == 1 {
        let error = Error::usage("`--with none` leaves nothing to compare with");
        return Err(Stop::Failed(error.next(AGAINST)));
    }
    Ok(Found {
        forms,
        _ready: open,
        left_out,
    })
}

/// The program with brawn's functions: rewritten or, if it is dynamic, by preload. What must stay open while it runs goes to
/// `open`.
fn with(
    path: &Path,
    profile: Profile,
    args: &Args,
    open: &mut Vec<Ready>,
) -> std::result::Result<Form, Stop> {
    let ask = Ask {
        profile,
        components: args.parts.components()?,
        builds: &args.signatures.read()?,
    };
    // Who gave another file needs no advice to do so.
    let refused = |error: Error| match args.against {
        Some(_) => Stop::Refused(error),
        None => Stop::Refused(error.next(AGAINST)),
    };
    let error = match cached::prepare(path, &ask, &|_| {}) {
        Ok(Ready::AsItIs) => {
            let found = "there is nothing in it that brawn would replace";
            return Err(refused(Error::not_applicable(found).path(path)));
        }
        Ok(ready) => {
            let file = ready.path_elsewhere(path);
            let mut form = form(profile.name(), CandidateKind::Rewritten, &file)?;
            form.told.profile = Some(profile.name().into());
            open.push(ready);
            return Ok(form);
        }
        Err(Stop::Refused(error)) => error,
        Err(stop) => return Err(stop),
    };
    match preload::prepare(path, profile) {
        Ok(value) => preloaded(path, profile, value).map_err(Stop::from),
        // It could be preloaded, but the object could not be put into the cache.
        Err(Stop::Failed(error)) => Err(Stop::Failed(error)),
        // The reason why it cannot be rewritten says more: it names `brawn preload` if that would work.
        Err(Stop::NotFound(_) | Stop::Refused(_)) => Err(refused(error)),
    }
}

/// The advice for a program that has no other form.
const AGAINST: &str = "`--against FILE` compares it with another file, such as a patched build";

fn preloaded(path: &Path, profile: Profile, value: OsString) -> Result<Form> {
    let mut form = form(profile.name(), CandidateKind::Preload, path)?;
    form.told.profile = Some(profile.name().into());
    // The user's own objects follow it, and its path has no colon.
    let text = value.to_string_lossy();
    let object = text.split(':').next().unwrap_or_default();
    let hash = fingerprint(Path::new(object))?.sha256;
    form.told.preload = Some([object.to_owned(), hash]);
    form.variables = vec![(OsString::from(preload::VARIABLE), value)];
    Ok(form)
}

/// The file at `path` as a form.
pub fn form(name: &str, kind: CandidateKind, path: &Path) -> Result<Form> {
    let Fingerprint { size, sha256 } = fingerprint(path)?;
    Ok(Form {
        told: Candidate {
            against: 0,
            name: name.to_owned(),
            kind,
            profile: None,
            file: path.to_string_lossy().into_owned(),
            size,
            sha256,
            preload: None,
        },
        path: path.to_owned(),
        variables: Vec::new(),
    })
}

/// Size and SHA-256 of a file.
fn fingerprint(path: &Path) -> Result<Fingerprint> {
    Fingerprint::of_file(path).map_err(|error| Error::io("cannot read it", error).path(path))
}
