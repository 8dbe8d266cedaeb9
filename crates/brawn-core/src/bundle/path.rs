//! Paths inside a bundle, and where they lead through its links. They never lead out of it.

use crate::error::{Error, Result, printable};

/// How many links one path may lead through.
const LINKS: usize = 40;

/// How long a path may be, in bytes: Linux opens no longer path (`PATH_MAX`).
const LONGEST: usize = 4096;

/// A link of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// A symbolic link; its target starts from the link's own directory.
    Symbolic(Vec<u8>),
    /// Another name for the file at this path, which starts from the archive's top.
    Hard(Vec<u8>),
    /// More than one entry has this path, and one of them is a link.
    Several,
}

/// Knows the links of a bundle.
pub trait Tree {
    /// The link at `path`; only the last part of `path` may be a link. `None` if there is no link.
    fn link(&self, path: &[u8]) -> Result<Option<Link>>;
}

/// `name` without parts like `.`; `None` if it is absolute or leads up.
pub fn normal(name: &[u8]) -> Option<Vec<u8>> {
    let mut parts = Vec::new();
    if name.starts_with(b"/") {
        return None;
    }
    for part in name.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

/// The last part of a path.
pub fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or_default()
}

/// The directory of a path.
pub fn folder(path: &[u8]) -> &[u8] {
    let at = path.iter().rposition(|b| *b == b'/');
    at.map_or(b"", |at| &path[..at])
}

/// Resolves `path` from the directory `base`, without leaving the directory `top`. `base` is `top` or an earlier result.
///
/// # Errors
/// It leads out of `top`, is absolute, is too long, or leads through too many links.
pub fn resolve(tree: &dyn Tree, top: &[u8], base: &[u8], path: &[u8]) -> Result<Vec<u8>> {
    let too_long = |what: String| Err(Error::refused(what).expected(format!("at most {LONGEST}")));
    if path.len() > LONGEST {
        return too_long(format!("a path of {} bytes", path.len()));
    }
    let shown = printable(path);
    let out = |how: &str| {
        Error::refused(format!("the path `{shown}`{how} leads out of the bundle"))
            .expected("a path inside of it")
    };
    let depth = top.split(|b| *b == b'/').filter(|p| !p.is_empty()).count();
    let mut done: Vec<Vec<u8>> = parts(base);
    // A stack of parts: the last one is resolved next.
    let mut open: Vec<Vec<u8>> = parts(path).into_iter().rev().collect();
    if path.starts_with(b"/") {
        return Err(out(", which is absolute,"));
    }
    let mut links = 0;
    while let Some(part) = open.pop() {
        match part.as_slice() {
            b"" | b"." => continue,
            b".." => {
                if done.len() <= depth {
                    return Err(out(""));
                }
                done.pop();
                continue;
            }
            _ => done.push(part),
        }
        let here = done.join(&b'/');
        let Some(link) = tree.link(&here)? else {
            continue;
        };
        let name = printable(&here);
        links += 1;
        if links > LINKS {
            return Err(Error::malformed(format!(
                "the path `{shown}` leads through more than {LINKS} links, {name} among them"
            )));
        }
        let by = |target: &[u8]| format!(", by the link {name} to `{}`,", printable(target));
        match link {
            Link::Symbolic(target) | Link::Hard(target) if target.len() > LONGEST => {
                return too_long(format!("the link {name} with {} bytes", target.len()));
            }
            Link::Symbolic(target) if target.starts_with(b"/") => return Err(out(&by(&target))),
            Link::Symbolic(target) => {
                done.pop();
                open.extend(parts(&target).into_iter().rev());
            }
            Link::Hard(target) => {
                let Some(normal) = normal(&target) else {
                    return Err(out(&by(&target)));
                };
                done = parts(&normal);
                if !parts(top).iter().eq(done.iter().take(depth)) {
                    return Err(out(&by(&target)));
                }
            }
            Link::Several => {
                return Err(Error::malformed(format!("{name} is there more than once")));
            }
        }
    }
    Ok(done.join(&b'/'))
}

fn parts(path: &[u8]) -> Vec<Vec<u8>> {
    let all = path.split(|b| *b == b'/');
    all.filter(|part| !part.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests;
