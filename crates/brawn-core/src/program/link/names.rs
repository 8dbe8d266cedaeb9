//! All names with their addresses.

use super::frames::DebugFrame;
use super::relocatable::{Area, Binding, Relocation};
use super::{At, Fix, Fixed, Objects, TABLE, Value, aarch64};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, HashMap};

/// All names with their addresses.
pub(super) struct Names<'l, 'a> {
    objects: &'l Objects<'a>,
    at: &'l At<'l>,
    pub(super) host: HashMap<&'a str, u64>,
}

impl<'l, 'a> Names<'l, 'a> {
    pub(super) fn of(objects: &'l Objects<'a>, at: &'l At<'l>) -> Result<Self> {
        let mut host = HashMap::new();
        for name in objects.needs() {
            let Some(address) = (at.host)(name) else {
                let found = format!("the payload needs `{name}`, which is nowhere in the program");
                return Err(Error::refused(found));
            };
            host.insert(name, address);
        }
        if let Some(empty) = objects.empty_table {
            host.insert(TABLE, (at.host)(TABLE).unwrap_or(at.code + empty));
        }
        Ok(Self { objects, at, host })
    }

    /// The address of `place` in section `section` of object `object`.
    pub(super) fn value(&self, (object, section, place): (usize, usize, u64)) -> Option<Value> {
        let from = self.objects.places[object][section]?.wrapping_add(place);
        Some(match self.objects.objects[object].sections[section].area {
            Area::Text | Area::Constant | Area::Note => {
                Value::Address(self.at.code.wrapping_add(from))
            }
            Area::Data | Area::Zero => Value::Address(self.at.data.wrapping_add(from)),
            Area::Local => Value::Local(self.at.tls.wrapping_add_unsigned(from)),
        })
    }

    /// `relocation` of object `object`, in a section at `section`.
    pub(super) fn fix(&self, object: usize, relocation: &Relocation, section: u64) -> Fixed<Fix> {
        let place = section.wrapping_add(relocation.at);
        let definition = self.objects.definition(object, relocation.symbol);
        let value = match definition {
            Some(definition) => self.value(definition).ok_or("its section was dropped")?,
            None => {
                let name = self.objects.objects[object].symbols[relocation.symbol].name;
                let mut address = *self.host.get(name).ok_or("it is nowhere")?;
                let way = self.objects.needs.get(name).copied().flatten();
                if let Some(way) = way
                    && aarch64::is_branch(relocation.kind)
                    && !aarch64::reaches(place, address)
                {
                    address = self.at.code + way;
                }
                Value::Address(address)
            }
        };
        Ok(Fix {
            kind: relocation.kind,
            at: usize::try_from(relocation.at).map_err(|e| e.to_string())?,
            place,
            value,
            addend: relocation.addend,
        })
    }

    pub(super) fn symbols(&self) -> BTreeMap<String, u64> {
        let defined = self.objects.defined.iter();
        let address = |(object, symbol): (usize, usize)| {
            let (section, place) = self.objects.objects[object].symbols[symbol].place?;
            match self.value((object, section, place))? {
                Value::Address(address) => Some(address),
                Value::Local(_) => None,
            }
        };
        let symbols = defined.filter_map(|(name, at)| Some(((*name).to_owned(), address(*at)?)));
        symbols.collect()
    }

    pub(super) fn debug_frame(&self) -> Result<Vec<u8>> {
        let mut all = DebugFrame::default();
        for (number, object) in self.objects.objects.iter().enumerate() {
            let address = |name: &str, place: u64| {
                let section = object.sections.iter().position(|s| s.name == name)?;
                match self.value((number, section, place))? {
                    Value::Address(address) => Some(address),
                    Value::Local(_) => None,
                }
            };
            let added = all.add(&object.frames, &address);
            added.map_err(|e| e.member(object.name.as_bytes()))?;
        }
        Ok(all.bytes)
    }

    pub(super) fn functions(&self) -> Vec<(String, u64, u64)> {
        let mut found: BTreeMap<u64, (bool, bool, &str, u64)> = BTreeMap::new();
        for (number, object) in self.objects.objects.iter().enumerate() {
            for symbol in object.symbols.iter().filter(|s| s.is_function) {
                let place = symbol.place.and_then(|(s, at)| self.value((number, s, at)));
                let Some(Value::Address(address)) = place else {
                    continue;
                };
                // A public name is preferred to musl's and the payload's own names.
                let is_public = symbol.binding == Binding::Weak;
                let name = (
                    !is_public,
                    symbol.name.starts_with('_'),
                    symbol.name,
                    symbol.size,
                );
                let best = found.entry(address).or_insert(name);
                *best = name.min(*best);
            }
        }
        let functions = found.into_iter();
        functions
            .map(|(address, (_, _, name, size))| (name.to_owned(), address, size))
            .collect()
    }
}
