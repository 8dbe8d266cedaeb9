//! What `inspect` says of a Swift SDK, in addition to what it says of each archive.

use brawn_core::bundle::Target;
use brawn_core::identify::heap::Heap;
use brawn_core::report::inspect::Inspection;
use serde::Serialize;

/// The SDK that a `libc.a` belongs to.
#[derive(Debug, Serialize)]
pub struct Sdk {
    artifact: String,
    version: String,
    /// The target triples that link it.
    targets: Vec<String>,
    kind: Kind,
}

/// What kinds of SDKs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// With musl as it comes: version 0.0.1.
    StockMusl,
    /// With mimalloc in libc.a: since version 0.1.0.
    Mimalloc,
    /// Patched.
    Brawn,
    /// With something else.
    Other,
}

impl Sdk {
    pub fn new(targets: &[Target], report: &Inspection) -> Self {
        let first = targets.first();
        let has = |is: &dyn Fn(Heap) -> bool| report.heaps.iter().any(|found| is(found.heap));
        let kind = if has(&|heap| heap == Heap::Brawn) {
            Kind::Brawn
        } else if has(&|heap| heap == Heap::Mimalloc) {
            Kind::Mimalloc
        } else if has(&Heap::is_musl) {
            Kind::StockMusl
        } else {
            Kind::Other
        };
        Self {
            artifact: first.map_or_else(String::new, |target| target.artifact.clone()),
            version: first.map_or_else(String::new, |target| target.version.clone()),
            targets: targets.iter().map(|target| target.triple.clone()).collect(),
            kind,
        }
    }

    /// A line below the file's.
    pub fn line(&self) -> String {
        let kind = match self.kind {
            Kind::StockMusl => "unchanged musl, as in SDK 0.0.1",
            Kind::Mimalloc => "mimalloc in libc.a, as in SDKs since 0.1.0",
            Kind::Brawn => "patched by brawn",
            Kind::Other => "neither musl's heap nor mimalloc",
        };
        format!(
            "Swift SDK {} {} for {}: {kind}",
            self.artifact,
            self.version,
            self.targets.join(", ")
        )
    }
}
