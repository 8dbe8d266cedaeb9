//! A step that failed.

use brawn_verify::directives::Stage;

/// A step that failed, with a description.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The step.
    pub stage: Stage,
    /// The description.
    pub text: String,
}

impl Failure {
    /// A failure before linking.
    pub fn setup(text: impl Into<String>) -> Self {
        let (stage, text) = (Stage::Setup, text.into());
        Self { stage, text }
    }
}
