//! The Node module.

use extensions_core::Encoding;
use napi::bindgen_prelude::*;
use napi_derive::napi;

extensions_core::heap!();

/// One document's tokens.
#[napi]
pub struct Encoded(Encoding);

#[napi]
impl Encoded {
    #[napi(getter)]
    pub fn length(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
    #[napi]
    pub fn ids(&self) -> Vec<u32> {
        self.0.get_ids().to_vec()
    }
}

#[napi]
pub struct Tokenizer(extensions_core::Tokenizer);

#[napi]
impl Tokenizer {
    #[napi(constructor)]
    pub fn new(vocabulary: String, merges: String) -> Result<Self> {
        let made = extensions_core::tokenizer(&vocabulary, &merges);
        made.map(Self).map_err(Error::from_reason)
    }

    /// Every document's tokens.
    #[napi]
    pub fn encode_batch(&self, documents: Vec<String>) -> Result<Vec<Encoded>> {
        let encoded = extensions_core::encode_batch(&self.0, documents);
        let encoded = encoded.map_err(Error::from_reason)?;
        Ok(encoded.into_iter().map(Encoded).collect())
    }
}

/// Whose heap the module's Rust code has.
#[napi]
pub fn heap() -> String {
    heap_name()
}
