//! A command's report about a file, for people and in `--json`.

use crate::exit::Exit;
use crate::ui;
use brawn_core::{Error, shown};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result for one file: `S` is the command's status, `D` its details.
#[derive(Debug, Serialize)]
pub struct Report<S, D> {
    #[serde(serialize_with = "shown::path")]
    pub path: PathBuf,
    pub status: S,
    /// The file with the result, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "output")]
    pub output: Option<PathBuf>,
    /// The reason why it failed or was left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// All reasons, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    #[serde(flatten)]
    pub details: D,
    #[serde(skip)]
    pub exit: Exit,
}

fn output<S: serde::Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => shown::path(path, to),
        None => to.serialize_none(),
    }
}

impl<S, D: Default> Report<S, D> {
    /// A report without details.
    pub fn new(path: &Path, status: S) -> Self {
        Self {
            path: path.to_path_buf(),
            status,
            output: None,
            reason: None,
            reasons: Vec::new(),
            details: D::default(),
            exit: Exit::Success,
        }
    }

    /// `status` is the command's word for failure.
    pub fn failed(path: &Path, status: S, error: &Error) -> Self {
        let mut report = Self::new(path, status);
        report.reason = Some(error.to_string());
        report.reasons = error.all_reasons().to_vec();
        report.exit = error.kind().into();
        report
    }
}

impl<S: Serialize, D: Serialize> Report<S, D> {
    /// Prints the one report of a command that works on one file: as JSON, or by `print`.
    pub fn tell(&self, json: bool, print: impl FnOnce(&Self)) -> Exit {
        if json {
            ui::json(self);
        } else {
            print(self);
        }
        self.exit
    }
}
