//! Where a payload comes from.

use brawn_payload::Payload;
use serde::Serialize;

/// Where a payload comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of brawn.
    pub brawn: String,
    /// The engine and its version.
    pub engine: String,
    /// The variant.
    pub profile: String,
    /// The compiler that built it.
    pub compiler: String,
    /// SHA-256 over its sources, in hex.
    pub source: String,
}

impl From<&Payload> for Provenance {
    fn from(payload: &Payload) -> Self {
        Self {
            brawn: payload.version.into(),
            engine: payload.engine.into(),
            profile: payload.profile.name().into(),
            compiler: payload.compiler.into(),
            source: payload.source.into(),
        }
    }
}
