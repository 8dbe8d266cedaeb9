//! Any bytes are a build to learn, a program to search or a database to read, or an error.

use brawn_core::elf::program::Program;
use brawn_core::signatures;
use brawn_core::signatures::{learn, text};

pub fn run(bytes: &[u8]) {
    let learnt = learn::learn(bytes);
    if let Ok(build) = &learnt {
        let written = text::write(build);
        let read = text::read(&written).expect("what is written is read");
        assert_eq!(text::write(&read), written);
    }
    if let Ok(program) = Program::read(bytes) {
        let _ = signatures::name(&program).expect("the database is whole");
        // What was learnt of a program is found in it, or contradicts itself.
        if let Ok(build) = learnt {
            let _ = signatures::name_by(&program, &[build]);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = text::read_all(text);
    }
}
