//! Shows progress on stderr: a bar on a terminal, otherwise a line for each step.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Shows what is being done and how much is left.
pub struct Progress {
    bar: ProgressBar,
    terminal: bool,
}

impl Progress {
    /// Shows nothing yet.
    pub fn new() -> Self {
        let bar = ProgressBar::new(0);
        bar.enable_steady_tick(Duration::from_millis(120));
        Self {
            bar,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    /// A step of unknown length.
    pub fn step(&self, message: &str) {
        self.begin(message, 0, "{spinner:.green} {msg}");
    }

    /// A step with `length` parts, each reported through [`advance`](Self::advance).
    pub fn steps(&self, message: &str, length: usize) {
        self.begin(
            message,
            length,
            "{spinner:.green} {msg}  {bar:24.green/white.dim} {pos}/{len}",
        );
    }

    fn begin(&self, message: &str, length: usize, template: &str) {
        if !self.terminal && self.bar.message() != message {
            eprintln!("{message}");
        }
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style.progress_chars("━━─"));
        self.bar.set_length(length as u64);
        self.bar.set_position(0);
        self.bar.set_message(message.to_owned());
    }

    /// One part is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Leaves the terminal clean.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}
