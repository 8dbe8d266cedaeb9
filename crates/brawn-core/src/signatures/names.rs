//! Names of libc and their addresses in a program: from its symbols or, without symbols, from signatures.

use crate::elf::program::{Program, Symbol};
use crate::identify;
use serde::Serialize;
use std::collections::HashSet;

/// The functions with which every static musl program begins. Small functions such as `strdup` may have the same code
/// in other libcs.
pub const START: [&str; 3] = ["__init_libc", "__libc_start_main", "__init_tls"];

/// How a name's address is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The program's symbol table says so.
    Symbol,
    /// Its code is that of this build of musl.
    Signature(String),
    /// Code at a known address refers to it, and in that build of musl the same code refers to this name.
    Reference(String),
}

/// A name of libc and its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name, as in musl's sources.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
    /// The evidence.
    pub evidence: Evidence,
}

/// Every name whose address is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Names {
    /// Functions, by address.
    pub functions: Vec<Named>,
    /// Data, by address.
    pub objects: Vec<Named>,
}

impl Names {
    /// The names of the program's symbol table; none if it is stripped.
    pub fn of_symbols(program: &Program<'_>) -> Self {
        Self::of_those(program, |_| true)
    }

    /// The same without names that nothing of libc's has: those of C++ and Rust, and marks of what is code (`$x`). In a
    /// large program, these are most.
    pub fn of_plain_symbols(program: &Program<'_>) -> Self {
        let others = ["_Z", "_R", "$"];
        Self::of_those(program, |name| {
            !others.iter().any(|start| name.starts_with(start))
        })
    }

    fn of_those(program: &Program<'_>, is_wanted: impl Fn(&str) -> bool) -> Self {
        let named = |symbol: Symbol<'_>| Named {
            name: symbol.name.to_owned(),
            address: symbol.address,
            size: symbol.size,
            evidence: Evidence::Symbol,
        };
        let is_wanted = |symbol: &Symbol<'_>| is_wanted(symbol.name);
        Self {
            functions: program.functions().filter(is_wanted).map(named).collect(),
            objects: program.objects().filter(is_wanted).map(named).collect(),
        }
    }

    /// These names, and those of `others` that are not among them.
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

    /// Whether a function with which every static musl program begins was found by its code.
    pub fn begin_as_musl(&self) -> bool {
        let mut by_code = self
            .functions
            .iter()
            .filter(|n| n.evidence != Evidence::Symbol);
        by_code.any(|n| START.contains(&n.name.as_str()))
    }

    /// The first function of that name.
    pub fn function(&self, name: &str) -> Option<&Named> {
        self.functions.iter().find(|n| n.name == name)
    }

    /// The address where libc begins: linkers keep the members of an archive together, and libc's come late.
    pub fn libc(&self) -> Option<u64> {
        let functions = self.functions.iter();
        let libcs = functions.filter(|n| identify::is_libcs(n.name.as_bytes()));
        libcs.map(|n| n.address).min()
    }

    /// The first object of that name.
    pub fn object(&self, name: &str) -> Option<&Named> {
        self.objects.iter().find(|n| n.name == name)
    }
}
