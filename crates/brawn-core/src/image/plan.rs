//! The contents of an image, as plain data.

use super::additions;
use super::certificates::{self, Certificates};
use super::entry::{READ, RUN, check_place};
use super::program::{Platform, Program};
use super::reference::Reference;
use super::settings::{Addition, Nothing, Pair, Port, Settings, User};
use crate::error::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;

pub use super::entry::{Entry, What};

/// The mode of `/tmp`: everybody may write, and nobody may remove other users' files.
const TEMPORARY: u32 = 0o1777;
/// The end of the year 9999, the last date that an image's configuration can have (RFC 3339).
const LAST_TIME: u64 = 253_402_300_799;
/// What the user wants in an image, besides the program.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The program's name in it.
    pub program: String,
    /// The program's size in bytes.
    pub size: u64,
    /// The program's arguments if the user gives none at its start.
    pub arguments: Vec<String>,
    /// The image's name.
    pub name: Option<Reference>,
    /// The root certificates.
    pub certificates: Option<Certificates>,
    /// The user that the program runs as.
    pub user: Option<User>,
    /// The program's environment.
    pub environment: Vec<Pair>,
    /// The image's labels.
    pub labels: Vec<Pair>,
    /// The directory that the program starts in.
    pub folder: Option<String>,
    /// The ports that it listens on.
    pub ports: Vec<Port>,
    /// Further files and directories.
    pub additions: Vec<Addition>,
    /// The time of every file and of the image, in seconds since 1970.
    pub time: u64,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The platform that it is for.
    pub platform: Platform,
    /// Its name.
    pub name: Option<Reference>,
    /// The time of every file and of the image, in seconds since 1970.
    pub time: u64,
    /// How the program is started.
    pub settings: Settings,
    /// The entries of its layer, sorted by path: a directory comes before its contents.
    pub entries: Vec<Entry>,
}

/// Plans the image of `program`. Looks at the files that are added, but does not read them.
///
/// # Errors
/// The wishes contradict each other; or an added path cannot be looked at, or is neither file, directory nor link.
pub fn plan(program: &Program, wanted: &Wanted) -> Result<Plan> {
    if wanted.time > LAST_TIME {
        return Err(Error::usage(format!("the time {}", wanted.time))
            .expected(format!("seconds since 1970, up to {LAST_TIME}"))
            .next("look at SOURCE_DATE_EPOCH"));
    }
    let mut entries = Entries::default();
    entries.insert("tmp", TEMPORARY, 0, What::Folder)?;
    if wanted.program.is_empty() || wanted.program.contains('/') {
        let found = format!("the program's name `{}`", wanted.program);
        return Err(Error::usage(found).expected("a name without a slash"));
    }
    let name = check_place(&format!("/{}", wanted.program))?;
    entries.insert(&name, RUN, wanted.size, What::Program)?;
    if let Some(certificates) = &wanted.certificates {
        let size = certificates.bytes.len() as u64;
        let what = What::Certificates(certificates.path.clone());
        entries.insert(certificates::IN_IMAGE, READ, size, what)?;
    }
    if let Some(user) = wanted.user {
        for (path, text) in [("etc/passwd", passwd(user)), ("etc/group", group(user))] {
            entries.insert(path, READ, text.len() as u64, What::Text(text))?;
        }
    }
    for addition in &wanted.additions {
        for found in additions::list(addition)? {
            entries
                .insert(&found.path, found.mode, found.size, found.what)
                .map_err(|e| e.path(&addition.source))?;
        }
    }
    let folder = wanted.folder.as_deref().map(check_place).transpose()?;
    if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_empty()) {
        entries.insert(folder, RUN, 0, What::Folder)?;
    }
    Ok(Plan {
        platform: program.platform.clone(),
        name: wanted.name.clone(),
        time: wanted.time,
        settings: settings(wanted, &name, folder)?,
        entries: entries.0.into_values().collect(),
    })
}

fn settings(wanted: &Wanted, name: &str, folder: Option<String>) -> Result<Settings> {
    let mut environment = unique("the variable", &wanted.environment)?;
    if wanted.certificates.is_some() {
        let place = format!("/{}", certificates::IN_IMAGE);
        let variable = certificates::VARIABLE;
        environment.entry(variable.into()).or_insert(place);
    }
    let variables = environment.into_iter();
    let ports = wanted.ports.iter();
    Ok(Settings {
        user: wanted.user.map(|user| user.to_string()),
        exposed_ports: ports.map(|p| (p.name().to_owned(), Nothing {})).collect(),
        env: variables
            .map(|(key, value)| format!("{key}={value}"))
            .collect(),
        entrypoint: vec![format!("/{name}")],
        cmd: wanted.arguments.clone(),
        working_dir: folder.map(|folder| format!("/{folder}")),
        labels: unique("the label", &wanted.labels)?,
    })
}

/// The pairs by their keys. Each key may be there only once.
fn unique(what: &str, pairs: &[Pair]) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for pair in pairs {
        if all.insert(pair.key.clone(), pair.value.clone()).is_some() {
            let found = format!("{what} {} is there twice", pair.key);
            return Err(Error::usage(found).expected("each key once"));
        }
    }
    Ok(all)
}

/// The entries of root and the user, for programs that look up names (passwd(5)).
fn passwd(user: User) -> String {
    let root = "root:x:0:0:root:/:/sbin/nologin\n";
    match user {
        User { uid: 0, .. } => root.into(),
        User { uid, gid } => format!("{root}app:x:{uid}:{gid}:app:/:/sbin/nologin\n"),
    }
}

/// Their groups (group(5)).
fn group(user: User) -> String {
    match user.gid {
        0 => "root:x:0:\n".into(),
        gid => format!("root:x:0:\napp:x:{gid}:\n"),
    }
}

/// The entries by their paths.
#[derive(Debug, Default)]
struct Entries(BTreeMap<String, Entry>);

impl Entries {
    /// Adds an entry at `path`, and the directories above it. If both the old and the new entry are directories, the old one
    /// stays.
    fn insert(&mut self, path: &str, mode: u32, size: u64, what: What) -> Result<()> {
        for (at, _) in path.match_indices('/') {
            self.one(&path[..at], RUN, 0, What::Folder)?;
        }
        self.one(path, mode, size, what)
    }

    fn one(&mut self, path: &str, mode: u32, size: u64, what: What) -> Result<()> {
        let entry = Entry {
            path: path.into(),
            mode,
            uid: 0,
            gid: 0,
            size,
            what,
        };
        match self.0.get(path) {
            Some(there) if there.what == What::Folder && entry.what == What::Folder => Ok(()),
            Some(there) => {
                let (there, new) = (there.what.describe(), entry.what.describe());
                Err(
                    Error::usage(format!("two things at /{path}: {there}, and {new}"))
                        .next("give one of them another place"),
                )
            }
            None => {
                self.0.insert(path.into(), entry);
                Ok(())
            }
        }
    }
}
