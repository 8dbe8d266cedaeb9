//! Any bytes are an error, or a bundle in which nothing but what is planned changes, and which patching again leaves
//! alone.

use brawn_core::archive::Edit;
use brawn_core::archive::plan::{Action, Plan};
use brawn_core::bundle::{Limits, plan};
use brawn_core::publish::Stream as _;
use brawn_core::{Error, Result};
use std::io::{Cursor, Read};

const LIMITS: Limits = Limits {
    header: 1 << 13,
    json: 1 << 12,
    member: 1 << 14,
    total: 1 << 20,
    links: 1 << 14,
    candidates: 8,
};

/// For what has been patched, which is a little larger.
const WIDER: Limits = Limits {
    header: 2 * LIMITS.header,
    member: 2 * LIMITS.member,
    total: 2 * LIMITS.total,
    ..LIMITS
};

/// Makes what begins with `old` longer, and leaves what begins with `new` alone.
fn editor(bytes: &[u8]) -> Result<Edit> {
    let (action, bytes) = match bytes {
        [b'o', b'l', b'd', rest @ ..] => (Action::Patch, Some([b"newer", rest].concat())),
        [b'n', b'e', b'w', ..] => (Action::Nothing, None),
        _ => return Err(Error::not_applicable("something else")),
    };
    let plan = Plan {
        action,
        ..Plan::default()
    };
    Ok(Edit { plan, bytes })
}

fn patch(bytes: &[u8], limits: Limits) -> Result<Option<Vec<u8>>> {
    let bytes = bytes.to_vec();
    let open = move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read>);
    let planned = plan(&open, &editor, limits, &|_| ())?;
    if planned.action() == Action::Nothing {
        return Ok(None);
    }
    let mut repack = planned.repack(&open, &editor, WIDER, &|_| ());
    let mut new = Vec::new();
    // An error where a header has no room for the new size.
    repack.write(&mut new)?;
    repack
        .check(&mut &new[..])
        .expect("what was written is as planned");
    Ok(Some(new))
}

pub fn run(bytes: &[u8]) {
    match patch(bytes, LIMITS) {
        Ok(Some(new)) => assert!(patch(&new, WIDER).expect("a bundle still").is_none()),
        Ok(None) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
