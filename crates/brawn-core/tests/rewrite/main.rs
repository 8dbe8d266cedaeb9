//! Real programs, rewritten with a payload of a few instructions: they run as before, and every tool reads them.

mod build;
mod programs;
mod tools;
mod whole;
