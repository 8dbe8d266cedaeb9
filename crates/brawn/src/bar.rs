//! Progress of long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, if that is a terminal, until it is dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// Of `length` steps; `template` is indicatif's.
    pub fn new(length: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template);
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// No bar, for work that takes no time.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// `steps` more steps are done.
    pub fn inc(&self, steps: u64) {
        self.0.inc(steps);
    }

    /// Adds `steps` to the number of steps.
    pub fn inc_length(&self, steps: u64) {
        self.0.inc_length(steps);
    }
}

impl Bar {
    /// Takes it off the screen.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
