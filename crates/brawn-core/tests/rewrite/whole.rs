//! The payload itself in programs of every shape: with all of it, and with the memory functions alone.

use crate::build::{Tool, program};
use crate::programs::output;
use crate::tools;
use brawn_core::component::Component;
use brawn_core::program::{Options, rewrite};
use brawn_core::publish::write_elsewhere;
use brawn_payload::Profile;

fn each(tool: Tool, flags: &str, components: &[Component]) {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    program(tool, flags, &old);
    let bytes = std::fs::read(&old).unwrap();
    let architecture = tool.architecture();
    let payload = brawn_payload::payload(architecture.architecture(), Profile::Fast).unwrap();
    let options = Options {
        components,
        keeps: false,
        force: false,
        builds: &[],
    };
    let rewritten = rewrite(&bytes, payload, &options).unwrap();
    let plan = rewritten.plan.unwrap();
    let what = format!("{tool:?} {flags} {components:?}: {:?}", plan.layout.headers);
    println!("{what}");
    assert!(plan.functions.len() > 1, "{what}");
    write_elsewhere(&old, &new, &rewritten.pieces.unwrap()).unwrap();
    let expected = output(architecture, &old);
    assert_eq!(output(architecture, &new), expected, "{what}");
    tools::all(
        architecture,
        &old,
        &new,
        &expected,
        plan.layout.headers.place,
    );
}

#[test]
fn the_payload_runs() {
    for components in [Component::ALL, &[Component::Memory]] {
        each(Tool::Gcc, "-DTDATA", components);
        each(Tool::Lld, "-DALIGN=64 -DBSS", components);
        each(Tool::Ld, "-static-pie -DTDATA -DALIGN=256", components);
        each(Tool::Lld, "-static-pie -DTDATA -g", components);
    }
}
