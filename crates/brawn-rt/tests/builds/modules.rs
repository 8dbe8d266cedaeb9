//! Extension modules as their authors make them, with PyO3 and maturin and with napi-rs, in real python3 and node.

use crate::build::{Build, fixture, inspected, one_at_a_time, root, run, scratch, succeeded, tool};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace of both, so that what one compiles for them all is there for the others.
const WORKSPACE: &str = "modules";

/// The directory that pip installed the module's wheel into.
fn python_module(name: &str, features: &[&str]) -> PathBuf {
    let (wheels, installed) = (scratch("wheels").join(name), scratch("made").join(name));
    for left in [&wheels, &installed] {
        if left.exists() {
            fs::remove_dir_all(left).unwrap();
        }
    }
    let maturin = root().join("target/tools/maturin/bin/maturin");
    assert!(
        maturin.exists(),
        "{} is missing: run `make test-tools`",
        maturin.display()
    );
    let (mut build, _) = tool(WORKSPACE, &maturin);
    build
        .args(["build", "--release", "--locked"])
        .args(["--manifest-path", "python/Cargo.toml", "--out"])
        .arg(&wheels)
        .args(features);
    {
        let _lock = one_at_a_time();
        succeeded(&build.output().unwrap(), "maturin build");
    }
    let wheel = fs::read_dir(&wheels).unwrap().next().expect("a wheel");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"])
        .args(["--disable-pip-version-check", "--root-user-action=ignore"])
        .arg("--target")
        .arg(&installed)
        .arg(wheel.unwrap().path());
    succeeded(&pip.output().expect("python3"), "pip install");
    installed
}

fn node_module(name: &str, features: &str) -> PathBuf {
    Build {
        fixture: WORKSPACE,
        package: "node-module",
        features,
        artifact: "libnode_module.so",
        name,
        ..Default::default()
    }
    .run()
}

/// Runs one act after the other, each in a process of its own, with both modules; the act `two` loads both.
fn every_act(interpreter: &str, flags: &[&str], script: &str, acts: &[&str], modules: [&Path; 2]) {
    let script = fixture(script);
    for act in acts {
        let mut arguments: Vec<_> = flags.iter().map(AsRef::as_ref).collect();
        arguments.extend([script.as_os_str(), act.as_ref()]);
        arguments.extend(modules.map(Path::as_os_str));
        let said = run(interpreter, &arguments);
        let profiles: &[&str] = match *act {
            "two" => &["fast", "secure"],
            "workers" => &[],
            _ => &["fast"],
        };
        let (engine, version) = (
            brawn_payload::payloads()[0].engine,
            env!("CARGO_PKG_VERSION"),
        );
        let expected = profiles
            .iter()
            .map(|profile| format!("brawn {version} ({engine}, {profile}), for Rust"));
        assert!(
            said.lines().eq(expected),
            "{interpreter}, act {act}: {said}"
        );
    }
}

/// What `inspect` tells of the module as it is shipped.
fn rust_code_has_brawns_heap(module: &Path) {
    let report = inspected(module);
    assert!(
        report.why.contains("its Rust code has brawn's heap"),
        "{}: {}",
        module.display(),
        report.why
    );
}

#[test]
fn python() {
    let fast = python_module("python-fast", &[]);
    let secure = python_module("python-secure", &["--features", "secure"]);
    rust_code_has_brawns_heap(&fast.join("python_module/python_module.abi3.so"));
    every_act(
        "python3",
        &["-B"],
        "modules/python/check.py",
        &["threads", "c-memory", "twice", "fork", "two"],
        [&fast, &secure],
    );
}

#[test]
fn node() {
    let fast = node_module("module-fast.node", "");
    let secure = node_module("module-secure.node", "secure");
    rust_code_has_brawns_heap(&fast);
    every_act(
        "node",
        &["--expose-gc"],
        "modules/node/check.js",
        &["threads", "memory", "twice", "workers", "two"],
        [&fast, &secure],
    );
}
