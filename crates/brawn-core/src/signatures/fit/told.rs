//! What the fit tells: names of functions and of data, each with how it is known.

use super::{Fit, How};
use crate::signatures::names::{Evidence, Named, Names};

impl Fit<'_, '_, '_> {
    /// The names of everything that was placed.
    pub(super) fn names(&self) -> Names {
        let mut names = Names::default();
        let text = |name: u32| self.build.text(name).to_owned();
        let evidence = |how| match how {
            How::Code => Evidence::Signature(self.build.name.clone()),
            How::Reference => Evidence::Reference(self.build.name.clone()),
        };
        for (function, place) in self.build.functions.iter().zip(&self.places) {
            let Some((address, how)) = *place else {
                continue;
            };
            let is_here = |name: &&u32| self.known.get(name) == Some(&address);
            for name in function
                .names
                .iter()
                .chain(function.weak.iter().filter(is_here))
            {
                names.functions.push(Named {
                    name: text(*name),
                    address,
                    size: u64::from(function.size),
                    evidence: evidence(how),
                });
            }
        }
        let is_code = |address: u64| {
            self.program
                .loads()
                .any(|s| s.is_code() && s.addresses().contains(&address))
        };
        let is_loaded = |address: u64| {
            self.program
                .loads()
                .any(|s| s.addresses().contains(&address))
        };
        for (name, address) in &self.known {
            if is_loaded(*address) && !is_code(*address) {
                let constants = &self.build.constants;
                let size = constants
                    .iter()
                    .find(|c| c.name == *name)
                    .map_or(0, |c| c.size);
                names.objects.push(Named {
                    name: text(*name),
                    address: *address,
                    size: u64::from(size),
                    evidence: evidence(How::Reference),
                });
            }
        }
        let order = |a: &Named, b: &Named| (a.address, &a.name).cmp(&(b.address, &b.name));
        names.functions.sort_by(order);
        names
            .functions
            .dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
        names.objects.sort_by(order);
        names
    }
}
