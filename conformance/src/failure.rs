//! What did not work.

use brawn_verify::directives::Stage;

/// Something that did not work, and what was being done.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was being done.
    pub stage: Stage,
    /// What is told about it.
    pub text: String,
}

impl Failure {
    /// A failure before linking.
    pub fn setup(text: impl Into<String>) -> Self {
        let (stage, text) = (Stage::Setup, text.into());
        Self { stage, text }
    }
}
