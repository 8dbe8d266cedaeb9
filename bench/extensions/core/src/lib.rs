//! What all three bindings call: GPT-2's tokenizer over a batch of documents.

pub use tokenizers::{Encoding, Tokenizer};
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;

/// The tokenizer of these two files, as GPT-2's release has them.
pub fn tokenizer(vocabulary: &str, merges: &str) -> Result<Tokenizer, String> {
    let model = BPE::from_file(vocabulary, merges).build();
    let model = model.map_err(|e| format!("{vocabulary}, {merges}: {e}"))?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(ByteLevel::default()));
    Ok(tokenizer)
}

/// Tokens of every document.
pub fn encode_batch(tokenizer: &Tokenizer, documents: Vec<String>) -> Result<Vec<Encoding>, String> {
    let encoded = tokenizer.encode_batch(documents, false);
    encoded.map_err(|e| e.to_string())
}

/// Whose heap Rust code has, in words.
#[macro_export]
macro_rules! heap {
    () => {
        #[cfg(feature = "mimalloc")]
        #[global_allocator]
        static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;
        #[cfg(feature = "brawn")]
        brawn_rt::global!();

        fn heap_name() -> String {
            #[cfg(feature = "mimalloc")]
            return "mimalloc".to_string();
            #[cfg(feature = "brawn")]
            return brawn_rt::active().to_string();
            #[allow(unreachable_code)]
            "system".to_string()
        }
    };
}
