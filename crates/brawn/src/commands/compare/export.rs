//! A comparison as files: all of it as JSON, its runs as CSV, its table as Markdown.

use super::{Args, html, say};
use brawn_core::{Error, Result};
use brawn_measure::data::{Comparison, Phase};
use brawn_measure::figures::METRICS;
use brawn_measure::tree::End;
use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Writes the files that `args` asks for.
pub fn write(data: &Comparison, args: &Args) -> Result<()> {
    if let Some(path) = &args.export_json {
        json(data, path)?;
    }
    if let Some(path) = &args.html {
        whole(path, html::page(data))?;
    }
    if let Some(path) = &args.export_csv {
        whole(path, csv(data))?;
    }
    if let Some(path) = &args.export_markdown {
        whole(path, markdown(data))?;
    }
    Ok(())
}

/// Fails if one of `files` has no directory to be written to: before anything is measured, which takes a while.
pub fn check<'a>(files: impl IntoIterator<Item = &'a Option<PathBuf>>) -> Result<()> {
    for path in files.into_iter().flatten() {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let stat = fs::metadata(folder.unwrap_or_else(|| Path::new(".")));
        let error = match stat {
            Ok(stat) if stat.is_dir() => continue,
            Ok(_) => ErrorKind::NotADirectory.into(),
            Err(error) => error,
        };
        return Err(Error::io("cannot write it", error).path(path));
    }
    Ok(())
}

/// Writes all figures of something.
pub fn json(data: &impl Serialize, path: &Path) -> Result<()> {
    let text = serde_json::to_string(data)
        .map_err(|e| Error::io("cannot make JSON of it", std::io::Error::from(e)))?;
    whole(path, text + "\n")
}

/// Writes to something that is not a regular file, such as a pipe.
fn file(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| Error::io("cannot write it", error).path(path))
}

/// Writes a file that nobody sees half-written: first under another name, in the same directory.
pub fn whole(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let bytes = content.as_ref();
    let is_file = fs::metadata(path).map_or(true, |there| there.is_file());
    let Some(name) = path.file_name().filter(|_| is_file) else {
        return file(path, bytes);
    };
    // A link stays; the file that it leads to is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut staged = path.file_name().unwrap_or(name).to_owned();
    staged.push(format!(".{}.new", std::process::id()));
    let staged = path.with_file_name(staged);
    let mode = fs::metadata(path).map(|there| there.permissions());
    let write = || -> std::io::Result<()> {
        let mut new = fs::OpenOptions::new();
        let mut file = new.write(true).create_new(true).open(&staged)?;
        std::io::Write::write_all(&mut file, bytes)?;
        if let Ok(mode) = mode {
            file.set_permissions(mode)?;
        }
        fs::rename(&staged, path)
    };
    write().map_err(|error| {
        // A file that another process made must not be removed here.
        if error.kind() != ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&staged);
        }
        Error::io("cannot write it", error).path(path)
    })
}

/// A line for each run.
fn csv(data: &Comparison) -> String {
    let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let mut text = format!("candidate,phase,round,end,{}\n", names.join(","));
    for run in &data.runs {
        let phase = match run.phase {
            Phase::Look => "look",
            Phase::WarmUp => "warm-up",
            Phase::Measured => "measured",
        };
        let end = match run.end {
            End::Exit(code) => format!("exit {code}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Limit => "limit".into(),
        };
        let value = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.0}"));
        let values: Vec<String> = METRICS
            .iter()
            .map(|m| value((m.of)(&run.figures)))
            .collect();
        let name = data.candidates[run.candidate].name.replace('"', "\"\"");
        let round = run.round;
        text += &format!("\"{name}\",{phase},{round},{end},{}\n", values.join(","));
    }
    text
}

fn markdown(data: &Comparison) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&say::HEAD.map(String::from));
    text += &line(&say::HEAD.map(|_| "---".to_owned()));
    for row in say::rows(data) {
        text += &line(&row.cells.map(|cell| cell.replace('|', "\\|")));
    }
    text
}
