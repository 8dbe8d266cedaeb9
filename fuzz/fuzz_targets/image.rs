//! Any bytes are a program whose image stands its check, certificates or a name, or an error says what was found.

use brawn_core::image::certificates::Certificates;
use brawn_core::image::image;
use brawn_core::image::plan::{Wanted, plan};
use brawn_core::image::program::program;
use brawn_core::image::reference::Reference;
use std::path::Path;

pub fn run(bytes: &[u8]) {
    match Certificates::parse(Path::new("pem"), bytes.to_vec()) {
        Ok(certificates) => assert!(certificates.count > 0),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let text = str::from_utf8(bytes).unwrap_or_default();
    if let Ok(name) = text.parse::<Reference>() {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    let Ok(program) = program(bytes) else {
        return;
    };
    let wanted = Wanted {
        program: "program".into(),
        size: bytes.len() as u64,
        ..Wanted::default()
    };
    let plan = plan(&program, &wanted).expect("nothing contradicts itself");
    let made =
        image(&plan, &bytes.into(), b"", &mut |_| {}).expect("what is made is what was planned");
    assert!(made.facts.size < 2 * bytes.len() as u64 + 20_000);
}
