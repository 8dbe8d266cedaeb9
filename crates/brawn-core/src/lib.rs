//! The way of the data in brawn: bytes are read into a host, identified, planned for, edited,
//! checked and published.  `ARCHITECTURE.md` maps each step to its module.
#![forbid(unsafe_code)]
