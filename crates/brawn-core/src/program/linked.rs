//! The input and output of linking: types that layout, link and apply share.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The sizes of the linked objects, before their addresses are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Bytes of code and of all other data that is only read: one segment.
    pub code: u64,
    /// Their alignment in bytes, a power of two.
    pub code_align: u64,
    /// Bytes of data that the file holds.
    pub data: u64,
    /// Bytes of zeros directly after the data.
    pub zero: u64,
    /// Alignment of the data in bytes, a power of two.
    pub data_align: u64,
    /// Bytes of thread-locals, all zero.
    pub tls: u64,
    /// Their alignment in bytes, a power of two.
    pub tls_align: u64,
}

/// The addresses for the linked objects.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Address of the code.
    pub code: u64,
    /// Address of the data.
    pub data: u64,
    /// The first thread-local byte, in bytes from the thread pointer.
    pub tls: i64,
    /// Addresses of names in the program.
    pub host: &'a dyn Fn(&str) -> Option<u64>,
}

/// The linked objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// `Sizes::code` bytes.
    pub code: Vec<u8>,
    /// `Sizes::data` bytes.
    pub data: Vec<u8>,
    /// Addresses of the global names.
    pub symbols: BTreeMap<String, u64>,
    /// Name, address and size of every function, for a symbol table.
    pub functions: Vec<(String, u64, u64)>,
    /// The addresses of `.note.brawn`, inside the code.
    pub note: Range<u64>,
    /// Unwind information for the code, as a separate `.debug_frame`; empty if there is none.
    pub debug_frame: Vec<u8>,
}
