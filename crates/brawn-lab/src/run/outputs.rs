//! Compares the output of a form with the output of the program as it is.

use crate::process::job::{End, Kept, Run};
use crate::show::units::elapsed;
use brawn_core::shown::shown;
use brawn_core::{Error, Result};
use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// How many bytes of each output are compared.
pub const MOST: usize = 64 << 20;
/// How much of a line is shown.
const SHOWN: usize = 60;

/// What is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs(Vec<(String, Kept)>);

impl Outputs {
    /// The outputs of `run` that `asked` names: its standard streams, and files that it wrote.
    pub fn of(run: &Run, asked: &[String]) -> Self {
        let [out, err] = &run.output;
        let take = |name: &String| {
            let kept = match name.as_str() {
                "none" => return None,
                "stdout" => out.clone(),
                "stderr" => err.clone(),
                path => file(Path::new(path)),
            };
            Some((name.clone(), kept))
        };
        Self(asked.iter().filter_map(take).collect())
    }

    /// The file of `asked` that is not there, though the program ran.
    pub fn missing(asked: &[String]) -> Option<&Path> {
        let files = asked.iter().filter(|name| !is_stream(name));
        files
            .map(Path::new)
            .find(|path| brawn_core::input::open(path).is_err())
    }

    /// Where `other` first differs, in words.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let pairs = self.0.iter().zip(&other.0);
        let mut different = pairs.filter(|((_, a), (_, b))| a != b);
        let ((name, a), (_, b)) = different.next()?;
        Some(format!("{}: {}", shown(name), first(a, b)))
    }

    /// Writes both to a directory of their own; gives the paths.
    pub fn keep(&self, other: &Self) -> Result<Vec<String>> {
        let failed = |path: &Path, error| Error::io("cannot keep the outputs", error).path(path);
        let mut number = 0;
        let folder = loop {
            let name = format!("brawn-compare-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => break folder,
                // What is there may be anybody's.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => {
                    number += 1;
                }
                Err(error) => return Err(failed(&folder, error)),
            }
        };
        let mut paths = Vec::new();
        let pairs = self.0.iter().zip(&other.0).filter(|(a, b)| a != b);
        for (name, kept) in pairs.flat_map(|(a, b)| [("as-it-is", &a.1), ("other", &b.1)]) {
            let path = folder.join(format!("{}-{name}", paths.len()));
            fs::write(&path, &kept.bytes).map_err(|error| failed(&path, error))?;
            paths.push(path.to_string_lossy().into_owned());
        }
        Ok(paths)
    }
}

/// Whether `name` is no file's.
fn is_stream(name: &str) -> bool {
    matches!(name, "none" | "stdout" | "stderr")
}

fn file(path: &Path) -> Kept {
    let mut kept = Kept::default();
    // A missing file counts as an output, too: it is missing in both, or it is a difference.
    if let Ok(file) = brawn_core::input::open(path) {
        kept.length = file.metadata().map_or(0, |stat| stat.len());
        let _ = file.take(MOST as u64).read_to_end(&mut kept.bytes);
    }
    kept
}

fn first(a: &Kept, b: &Kept) -> String {
    let same = a
        .bytes
        .iter()
        .zip(&b.bytes)
        .take_while(|(a, b)| a == b)
        .count();
    if same == MOST {
        return format!("{} bytes, not {}", b.length, a.length);
    }
    let before = &a.bytes[..same];
    let number = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let begin = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    // For a long line, the part around the difference.
    let begin = begin.max(same.saturating_sub(SHOWN / 2));
    let line = |kept: &Kept| match kept.bytes.get(begin..) {
        None | Some([]) => "the end".to_owned(),
        Some(rest) => {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let line = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
            format!("“{}”", shown(&line.into_owned()))
        }
    };
    format!("line {number}: {}, not {}", line(b), line(a))
}

/// How a run ended, in words, with what it printed on standard error.
pub fn ended(run: &Run) -> String {
    let how = match run.end {
        End::Limit => {
            let after = elapsed(run.figures.wall_ns as f64);
            format!("had not ended after {after}; `--time-limit` gives it longer")
        }
        end => how(end),
    };
    match said(run) {
        Some(said) => format!("{how} ({said})"),
        None => how,
    }
}

/// How a run ended, in words.
pub fn how(end: End) -> String {
    match end {
        End::Exit(code) => format!("ended with exit code {code}"),
        End::Signal(signal) => format!("was ended by signal {signal}"),
        End::Limit => "had not ended in time".into(),
    }
}

/// The first line that a run printed on standard error, and the last one: some programs say first what is wrong, and
/// some say it last.
fn said(run: &Run) -> Option<String> {
    let text = String::from_utf8_lossy(&run.output[1].bytes);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let quoted = |line: &str| format!("“{}”", line.chars().take(200).collect::<String>());
    let first = lines.next()?;
    Some(match lines.next_back() {
        Some(last) => format!("{} … {}", quoted(first), quoted(last)),
        None => quoted(first),
    })
}

/// Whether the exit code of a run may be its answer, as that of linters is: it ended by itself, and printed a result.
pub fn is_answer(run: &Run) -> bool {
    matches!(run.end, End::Exit(_)) && run.output[0].length > 0
}
