//! The root certificates that a program trusts: finds the system's file of them and checks that a file has some.

use crate::error::{Error, Kind, Result};
use crate::input;
use crate::shown::shown;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::{self, PemObject as _};
use std::path::{Path, PathBuf};

/// Their place in an image, without the leading slash: Debian's place, where most libraries look first.
pub const IN_IMAGE: &str = "etc/ssl/certs/ca-certificates.crt";

/// The variable that tells OpenSSL and others about another place.
pub const VARIABLE: &str = "SSL_CERT_FILE";

/// The places of various systems, without the leading slash.
const PLACES: [&str; 6] = [
    // Debian, Ubuntu, Arch, Alpine, Gentoo, NixOS.
    IN_IMAGE,
    // Fedora, Red Hat.
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "etc/pki/tls/certs/ca-bundle.crt",
    // openSUSE.
    "var/lib/ca-certificates/ca-bundle.pem",
    "etc/ssl/ca-bundle.pem",
    // Alpine without its package, and macOS.
    "etc/ssl/cert.pem",
];

/// Certificates in PEM (RFC 7468), as a file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// How many certificates it has.
    pub count: usize,
}

impl Certificates {
    /// Reads `path`.
    ///
    /// # Errors
    /// The file cannot be read, has no certificate, has a broken one, or has a private key.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input::read(path).map_err(|e| input::failed("cannot read it", e).path(path))?;
        Self::parse(path, bytes)
    }

    /// The same for `bytes`, the contents of `path`.
    ///
    /// # Errors
    /// Those of [`Certificates::read`], except for reading.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self {
            count: count(&bytes).map_err(|e| e.path(path))?,
            path: path.to_path_buf(),
            bytes,
        })
    }
}

/// Finds the system's file of certificates below `root`: the one that `variable` (`SSL_CERT_FILE`) names, or the
/// first of the known places that exists.
///
/// # Errors
/// There is no such file.
pub fn find(variable: Option<PathBuf>, root: &Path) -> Result<PathBuf> {
    if let Some(path) = variable.filter(|path| !path.as_os_str().is_empty()) {
        return Ok(path);
    }
    let mut places = PLACES.iter().map(|place| root.join(place));
    places.find(|path| path.is_file()).ok_or_else(|| {
        Error::new(
            Kind::Io,
            "this system has no bundle of certificates that brawn knows",
        )
        .expected(format!(
            "one at {}, or in {VARIABLE}",
            shown(&root.join(PLACES[0]))
        ))
        .next("install the package `ca-certificates`, or name a file that has them")
    })
}

/// How many certificates are in `pem`.
fn count(pem: &[u8]) -> Result<usize> {
    if let Some(at) = memchr::memmem::find(pem, b"PRIVATE KEY-----") {
        return Err(Error::refused("a private key")
            .at(at as u64)
            .expected("certificates alone")
            .next("an image is no place for it: take it out"));
    }
    let expected = "certificates in PEM, each between `-----BEGIN CERTIFICATE-----` and its end";
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        count += 1;
        let broken = match certificate {
            Ok(der) if is_sequence(&der) => continue,
            Ok(der) => format!("{} bytes that are no DER sequence", der.len()),
            // That error's own text prints the marker as a list of numbers.
            Err(pem::Error::MissingSectionEnd { .. }) => "no end of it".to_owned(),
            Err(e) => e.to_string(),
        };
        return Err(Error::malformed(format!("certificate {count}: {broken}")).expected(expected));
    }
    match count {
        0 => Err(Error::malformed("no certificate").expected(expected)),
        count => Ok(count),
    }
}

/// Whether `der` is one SEQUENCE and nothing else, as a certificate is (ITU-T X.690, 8.1.3 and 10.1).
fn is_sequence(der: &[u8]) -> bool {
    let Some(([0x30, first], rest)) = der.split_first_chunk::<2>() else {
        return false;
    };
    let (length, rest) = match *first {
        short if short < 0x80 => (usize::from(short), rest),
        long => {
            let Some((digits, rest)) = rest.split_at_checked(usize::from(long & 0x7f)) else {
                return false;
            };
            if digits.len() > 4 {
                return false;
            }
            let length = digits.iter().fold(0, |n, b| n << 8 | usize::from(*b));
            (length, rest)
        }
    };
    length > 0 && rest.len() == length
}

#[cfg(test)]
mod tests;
