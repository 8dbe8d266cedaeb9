//! Output for people.  Colour goes through `anstream`, which honours `NO_COLOR` and terminals.

use anstyle::{AnsiColor, Style};
use brawn_core::Error;
use brawn_core::publish::Published;
use brawn_core::shown::{self, shown};
pub use brawn_lab::show::table::folded;
use clap::builder::StyledStr;
use clap::error::ContextValue;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Width of the first column, the longest word in it.
const COLUMN: usize = 11;

/// Whether something could not be written to standard output.
static IS_CUT: AtomicBool = AtomicBool::new(false);

/// The meaning of a line's first word, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done, or is as it should be.
    Good,
    /// Something the user may want to know.
    Note,
    /// Something that is not as it should be.
    Bad,
}

/// One aligned line on standard output: a word, then text, whose names may be anybody's.
pub fn line(tone: Tone, word: &str, text: &str) {
    let style = match tone {
        Tone::Good => GOOD,
        Tone::Note => NOTE,
        Tone::Bad => BAD,
    };
    let text = folded(&shown::line(text).to_string(), COLUMN + 1, width());
    out(&format!("{style}{word:<COLUMN$}{style:#} {text}\n"));
}

/// The width of the terminal on standard output; `None` if it is not a terminal, so nothing needs to fit.
pub fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0.into())
}

/// A line that continues the one above.
pub fn more(text: &str) {
    let text = folded(&shown::line(text).to_string(), COLUMN + 1, width());
    out(&format!("{:COLUMN$} {DIM}{text}{DIM:#}\n", ""));
}

/// As in `one, two and three`.
pub fn listed(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Where new bytes were written, and notes of publishing (a followed link, hard links that keep the old contents), as
/// lines that continue the one above.
pub fn written(output: &Option<PathBuf>, published: &Option<Published>, verbose: bool) {
    if let Some(output) = output {
        more(&format!("written to {}", shown(output)));
    }
    let Some(published) = published else { return };
    if verbose {
        more(&format!("original kept in {}", shown(&published.original)));
    }
    if published.other_links > 0 {
        more(&format!(
            "{} other hard link{} to the old file keep{} its contents",
            published.other_links,
            if published.other_links == 1 { "" } else { "s" },
            if published.other_links == 1 { "s" } else { "" },
        ));
    }
    if published.in_place {
        more("it is a mount point, and was overwritten in place");
    }
}

/// Text on standard output as it is, lines and colours included: names in it went through [`shown`].
pub fn text(text: &str) {
    out(text);
    if !text.ends_with('\n') {
        out("\n");
    }
}

/// `value` as JSON on standard output.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(json) => text(&shown::json(&json)),
        // Every type that is printed has string keys only, so that this has no known way to happen.
        Err(e) => error(&format_args!("cannot print JSON: {e}")),
    }
}

/// A progress message, on standard error.
pub fn info(text: &str) {
    // If standard error is closed, nobody can read the error.
    let _ = writeln!(
        anstream::stderr(),
        "{NOTE}brawn:{NOTE:#} {}",
        shown::line(text)
    );
}

/// An error, on standard error.
pub fn error(error: &dyn std::fmt::Display) {
    // If standard error is closed, nobody can read the error.
    let _ = writeln!(
        anstream::stderr(),
        "{BAD}error:{BAD:#} {}",
        shown::line(&error.to_string())
    );
}

/// Prints clap's message about a command line.  Its words may come from anybody, so control characters are escaped.
pub fn usage(mut error: clap::Error) {
    let mut safe = Vec::new();
    let is_plain = |tips: &[StyledStr]| {
        tips.iter()
            .all(|tip| tip.to_string().chars().all(shown::is_plain))
    };
    for (kind, value) in error.context() {
        let text = |text: &String| shown(text).to_string();
        let tip = |tip: &StyledStr| StyledStr::from(shown(&tip.to_string()).to_string());
        let value = match value {
            ContextValue::String(word) => ContextValue::String(text(word)),
            ContextValue::Strings(words) => ContextValue::Strings(words.iter().map(text).collect()),
            // Tips repeat the words.
            ContextValue::StyledStrs(tips) if !is_plain(tips) => {
                ContextValue::StyledStrs(tips.iter().map(tip).collect())
            }
            _ => continue,
        };
        safe.push((kind, value));
    }
    for (kind, value) in safe {
        error.insert(kind, value);
    }
    let said = error.render();
    let plain = said.to_string();
    // clap adds its own colours only if the rest has no control characters.
    if plain.chars().all(|c| c == '\n' || shown::is_plain(c)) {
        match error.print() {
            // The help.  If standard error is closed, nobody can read an error.
            Err(e) if !error.use_stderr() => cut(e),
            _ => {}
        }
        return;
    }
    let lines = plain.lines().map(|line| shown::line(line).to_string());
    let lines: Vec<String> = lines.collect();
    // As above.
    let _ = writeln!(std::io::stderr(), "{}", lines.join("\n"));
}

/// The help text of `command`, for a command line without a subcommand.
pub fn help(mut command: clap::Command) {
    let help = command.render_help();
    // As above.
    let _ = writeln!(anstream::stderr(), "{}", help.ansi());
}

fn out(text: &str) {
    let mut stdout = anstream::stdout();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(e) = written {
        cut(e);
    }
}

/// Says, once, that standard output cannot be written.  If the reader has closed the pipe, as `head` does, this is not an
/// error: the work is done nevertheless.
fn cut(why: std::io::Error) {
    if why.kind() != ErrorKind::BrokenPipe && !IS_CUT.swap(true, Ordering::Relaxed) {
        error(&Error::io("cannot write to standard output", why));
    }
}

/// Whether some output was lost.
pub fn is_cut() -> bool {
    IS_CUT.load(Ordering::Relaxed)
}
