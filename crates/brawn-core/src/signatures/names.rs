//! What of libc is where in a program: from its symbols, or from signatures where it has none.

use crate::elf::program::{Kind, Program};
use crate::identify;
use serde::Serialize;
use std::collections::HashSet;

/// How a name's place is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The program's symbol table says so.
    Symbol,
    /// Its code is that of this build of musl.
    Signature(String),
    /// Code whose place is known refers to it, where that build of musl refers to this name.
    Reference(String),
}

/// A name of libc with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name, as in musl's sources.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its size in bytes; 0 for unknown.
    pub size: u64,
    /// How that is known.
    pub evidence: Evidence,
}

/// Every name whose place is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Names {
    /// Code, by address.
    pub functions: Vec<Named>,
    /// Data, by address.
    pub objects: Vec<Named>,
}

impl Names {
    /// Those of the program's symbol table: none, if it is stripped.
    pub fn of_symbols(program: &Program<'_>) -> Self {
        let of = |kind: Kind| {
            let symbols = program.symbols.iter().filter(|s| s.kind == kind);
            symbols
                .map(|s| Named {
                    name: s.name.to_owned(),
                    address: s.address,
                    size: s.size,
                    evidence: Evidence::Symbol,
                })
                .collect()
        };
        Self {
            functions: of(Kind::Function),
            objects: of(Kind::Object),
        }
    }

    /// These, and of `others` those that have other names.
    pub fn with(mut self, others: Self) -> Self {
        let add = |all: &mut Vec<Named>, others: Vec<Named>| {
            let known: HashSet<String> = all.iter().map(|n| n.name.clone()).collect();
            all.extend(others.into_iter().filter(|n| !known.contains(&n.name)));
            all.sort_by_key(|n| n.address);
        };
        add(&mut self.functions, others.functions);
        add(&mut self.objects, others.objects);
        self
    }

    /// The function of that name; of several the first.
    pub fn function(&self, name: &str) -> Option<&Named> {
        self.functions.iter().find(|n| n.name == name)
    }

    /// Where libc begins: linkers put the members of an archive together, and libc's come late.
    pub fn libc(&self) -> Option<u64> {
        let functions = self.functions.iter();
        let libcs = functions.filter(|n| identify::is_libcs(n.name.as_bytes()));
        libcs.map(|n| n.address).min()
    }

    /// The object of that name; of several the first.
    pub fn object(&self, name: &str) -> Option<&Named> {
        self.objects.iter().find(|n| n.name == name)
    }
}
