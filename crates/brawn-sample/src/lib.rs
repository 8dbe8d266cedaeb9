//! Where a program's time goes. A run of the unchanged program is sampled; each sample's address leads to a function.
//!
//! ```text
//! Command ─ sample ─> Samples ─ diagnose, mark ─> Diagnosis ─ predict ─> Prediction
//! ```
//!
//! Samples come from the kernel's processor clock (`perf.rs`), or, where that is forbidden, from stopping running
//! threads (`stops.rs`). What threads wait for is looked up in `/proc` meanwhile (`waits.rs`).

mod calls;
mod code;
mod costs;
mod diagnosis;
pub mod heap;
mod hits;
mod made_up;
mod maps;
mod perf;
mod prediction;
mod records;
mod ring;
mod run;
mod sampler;
mod samples;
mod stays;
mod stops;
mod waits;
mod words;

pub use costs::{Cost, Costs};
pub use diagnosis::{Diagnosis, FunctionShare, Owner, OwnerShare, Share, diagnose};
pub use prediction::{Gain, Prediction, Unclear, predict};
pub use run::{Options, Source};
pub use sampler::sample;
pub use samples::{FileOffset, Hit, Mode, Samples, Wait};
pub use stays::mark;
