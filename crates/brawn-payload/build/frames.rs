//! Unwind information. The objects of other routes do not have it, as musl's do not; `brawn rewrite` gives it to
//! debuggers. It is taken out of the compiler's object, together with the section that each part belongs to.

use crate::Result;
use crate::recipe::ARCHITECTURES;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
};
use std::collections::HashSet;

/// The `.eh_frame` of an object, not relocated.
#[derive(Default)]
pub struct Frames {
    pub bytes: Vec<u8>,
    /// The places in it that have the distance to a function, each with the function's section and its place there.
    pub functions: Vec<(u32, String, u64)>,
}

/// The part of `raw` about the sections that are left in `finished`.
pub fn take(raw: &[u8], finished: &[u8]) -> Result<Frames> {
    let machine = raw.get(18..20); // e_machine
    let mut all = ARCHITECTURES.iter();
    let architecture = all.find(|a| machine == Some(&a.machine.to_le_bytes()));
    let Some(distance) = architecture.and_then(|a| a.distance) else {
        return Ok(Frames::default());
    };
    let (raw, finished) = (object::File::parse(raw)?, object::File::parse(finished)?);
    let mut kept = HashSet::new();
    for section in finished.sections() {
        let name = section.name()?.to_owned();
        let is_code = section.kind() == object::SectionKind::Text;
        if is_code && !kept.insert(name.clone()) {
            return Err(format!("two sections are called {name}").into());
        }
    }
    let Some(section) = raw.section_by_name(".eh_frame") else {
        if kept.is_empty() {
            return Ok(Frames::default());
        }
        return Err("it has no unwind information".into());
    };
    let mut functions = Vec::new();
    for (at, relocation) in section.relocations() {
        let is_distance = matches!(relocation.flags(), RelocationFlags::Elf { r_type }
            if r_type.0 == distance);
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            return Err("its unwind information refers to no symbol".into());
        };
        let symbol = raw.symbol_by_index(symbol)?;
        let of = symbol.section_index().filter(|_| is_distance);
        let of = of.ok_or("its unwind information refers to what is no function of it")?;
        let name = raw.section_by_index(of)?.name()?.to_owned();
        if kept.contains(&name) {
            let place = symbol.address().wrapping_add_signed(relocation.addend());
            functions.push((u32::try_from(at)?, name, place));
        }
    }
    let has_some = |section: &&String| functions.iter().any(|(_, name, _)| name == *section);
    if let Some(name) = kept.iter().find(|section| !has_some(section)) {
        return Err(format!("{name} has no unwind information").into());
    }
    Ok(Frames {
        bytes: section.data()?.to_vec(),
        functions,
    })
}
