//! Where brawn's heap is not tested: the build succeeds, and the system's heap is used.

use crate::build::{Build, run};
use std::process::Output;

/// What Cargo sees under Miri, the one target of the table's other side whose std is everywhere.
const ELSEWHERE: &str = "--cfg miri -Aexplicit_builtin_cfgs_in_flags";

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_systems_heap() {
    let build = Build {
        fixture: "program",
        rustflags: ELSEWHERE,
        artifact: "program",
        name: "program-elsewhere",
        ..Default::default()
    };
    let path = build.run();
    assert_eq!(
        run(&path, &[""; 0]).trim(),
        "the system's heap: Miri runs no foreign code"
    );
    let report = crate::build::inspected(&path);
    assert!(
        report.heaps.iter().all(|heap| heap.note.is_none()),
        "{report:?}"
    );
    // The note to who builds it.
    let output = build.output();
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("warning: brawn-rt"),
        "{}",
        text(&output)
    );
    assert!(
        text(&output).contains("the system's heap is used"),
        "{}",
        text(&output)
    );
}

#[test]
fn two_of_them_are_rustcs_error() {
    for rustflags in ["", ELSEWHERE] {
        let output = Build {
            fixture: "two",
            rustflags,
            ..Default::default()
        }
        .output();
        assert!(!output.status.success());
        assert!(
            text(&output).contains("cannot define multiple global allocators"),
            "{}",
            text(&output)
        );
    }
}

#[test]
fn without_unsafe_code_and_unused() {
    // `forbid(unsafe_code)` in the user's crate, the line in a module.
    let build = Build {
        fixture: "safe",
        artifact: "safe",
        name: "safe",
        ..Default::default()
    };
    assert!(run(build.run(), &[""; 0]).trim().ends_with("for Rust"));
    let build = Build {
        fixture: "safe",
        features: "unused",
        artifact: "safe",
        name: "safe-unused",
        ..Default::default()
    };
    let said = run(build.run(), &[""; 0]);
    assert_eq!(
        said.trim(),
        "the system's heap: brawn_rt::global!() is not in this program"
    );
}
