//! Any bytes are an object, or an error with a place in them.

use brawn_core::elf::ident::Ident;
use brawn_core::elf::object::Object;

pub fn run(bytes: &[u8]) {
    match Object::read(bytes, 0) {
        Ok(Some(object)) => {
            let count = object.defined().count() + object.undefined().count();
            assert_eq!(count, object.symbols.len());
        }
        Ok(None) => {
            let ident = Ident::read(bytes, 0).expect("it was read before");
            assert!(ident.architecture().is_none());
        }
        Err(error) => assert!(error.offset().is_some()),
    }
    // Offsets are added to where the object begins in its file.
    let _ = Object::read(bytes, u64::MAX);
}
