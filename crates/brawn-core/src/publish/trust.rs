//! Files that others trust: their inode has special rights, or they are signed.
//!
//! If somebody gave a program special rights or signed it, they trusted exactly its bytes. brawn's new file has other
//! bytes, so it must not replace such a file.

use crate::error::{Error, Result};
use crate::input;
use rustix::io::Errno;
use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;

/// The rights that a file gives to its user when it is run, in words.
///
/// # Errors
/// The file cannot be looked at.
pub fn rights(file: &File) -> Result<Vec<&'static str>> {
    let mode = input::stat(file)?.mode();
    let mut rights = Vec::new();
    if mode & SETUID != 0 {
        rights.push("setuid");
    }
    if mode & SETGID != 0 {
        rights.push("setgid");
    }
    if has_attribute(file, CAPABILITIES)? {
        rights.push("file capabilities");
    }
    Ok(rights)
}

/// Refuses a file that must not be changed in place: does all checks of this module.
///
/// # Errors
/// It has such rights or such a signature, or cannot be looked at.
pub fn refuse(file: &File) -> Result<()> {
    refuse_set_id(&input::stat(file)?)?;
    refuse_capabilities(file)?;
    refuse_signature(file)
}

/// Refuses a program that runs with the rights of another user or group.
///
/// # Errors
/// `stat` has a set-user-ID or set-group-ID bit.
pub fn refuse_set_id(stat: &Metadata) -> Result<()> {
    let bit = match stat.mode() {
        mode if mode & SETUID != 0 => "setuid",
        mode if mode & SETGID != 0 => "setgid",
        _ => return Ok(()),
    };
    Err(Error::refused(format!(
        "a {bit} program (mode {:o}): somebody gave these rights to exactly these bytes",
        stat.mode() & 0o7777
    ))
    .next("write the new program to another file, without that bit"))
}

/// The same for capabilities, which are in an extended attribute.
///
/// # Errors
/// `file` has it, or cannot be looked at.
pub fn refuse_capabilities(file: &File) -> Result<()> {
    if !has_attribute(file, CAPABILITIES)? {
        return Ok(());
    }
    Err(Error::refused(
        "a program with file capabilities: somebody gave these rights to exactly these bytes",
    )
    .next("write the new program to another file, without capabilities"))
}

/// Refuses a file with a signature that the kernel may check (IMA, EVM): new bytes would not match it.
fn refuse_signature(file: &File) -> Result<()> {
    for name in [c"security.ima", c"security.evm"] {
        if has_attribute(file, name)? {
            let found = format!("a file with a signature in {}", name.to_string_lossy());
            return Err(Error::refused(found)
                .expected("no signature, since it would not fit the new bytes")
                .next("write the new bytes to another file, and sign that"));
        }
    }
    Ok(())
}

const SETUID: u32 = 0o4000;
const SETGID: u32 = 0o2000;
const CAPABILITIES: &CStr = c"security.capability";
/// The list of users and groups that have rights beside those of the mode.
pub(super) const ACL: &CStr = c"system.posix_acl_access";

pub(super) fn has_attribute(file: &File, name: &CStr) -> Result<bool> {
    match rustix::fs::fgetxattr_query(file, name) {
        Ok(_) => Ok(true),
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(false),
        Err(e) => {
            let doing = format!(
                "cannot read the extended attribute {}",
                name.to_string_lossy()
            );
            Err(Error::io(doing, e))
        }
    }
}
