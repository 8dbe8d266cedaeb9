//! Builds nginx, whose sources `bench/server/nginx.sh` downloads.

use crate::link::{Linked, opened, shown};
use crate::variant::Variant;
use crate::{Result, repository};
use brawn_lab::build::checked;
use std::path::Path;
use std::process::Command;

/// Its name among the workloads.
pub(crate) const NGINX: &str = "nginx";
/// What the script builds.
pub(crate) const VERSION: &str = "nginx 1.22.1, zlib 1.2.13";

/// Builds it. For one libc, variants differ only in the last step, the link.
pub(crate) fn build(
    work: &Path,
    variant: Variant,
    lib: Option<&Path>,
    output: &Path,
) -> Result<Linked> {
    let mut command = Command::new(repository().join("bench/server/nginx.sh"));
    let libc = match variant {
        Variant::Glibc => "glibc",
        _ => "musl",
    };
    command.arg(work).arg(libc).arg(output).args(lib);
    let trace = checked(&mut command)?;
    Ok(Linked {
        command: shown(&command, work),
        archives: opened(&trace),
    })
}
