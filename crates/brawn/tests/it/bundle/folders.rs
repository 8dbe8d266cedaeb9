//! Bundles that are unpacked.

use super::*;

#[test]
fn an_unpacked_bundle_is_patched_in_place() {
    let made = Made::new(&[("x86_64", &debian()), ("aarch64", &musl("1.2.5-arm64"))]);
    let [one, two] = ["x86_64", "aarch64"].map(|architecture| made.libc(architecture));
    let olds = [read(&one), read(&two)];
    let news = [alone(&one), alone(&two)];
    // A libc.a that no target links.
    made.put("else/libc.a", &olds[0]);
    let printed = succeed(brawn().arg("patch").arg(made.bundle()));
    assert!(
        printed.contains("for aarch64-swift-linux-musl of"),
        "{printed}"
    );
    assert!([read(&one), read(&two)] == news);
    assert!(read(&made.bundle().join("else/libc.a")) == olds[0]);
    succeed(brawn().arg("restore").arg(made.bundle()));
    assert!([read(&one), read(&two)] == olds);
    // A directory in it.
    succeed(brawn().arg("patch").arg(one.ancestors().nth(3).unwrap()));
    assert!(read(&one) == news[0] && read(&two) == olds[1]);
    succeed(brawn().arg("restore").arg(made.bundle()));
    // A directory with bundles in it is searched as any other.
    succeed(brawn().arg("patch").arg(made.path("")));
    assert!([read(&one), read(&two)] == news);
    assert!(read(&made.bundle().join("else/libc.a")) == news[0]);
}

#[test]
fn installed_bundles_are_toolchains() {
    let machine = Machine::new();
    let made = Made::new(&[("x86_64", &debian()), ("aarch64", &musl("1.2.5-arm64"))]);
    for home in ["home/.swiftpm", "home/.config/swiftpm"] {
        fs::create_dir_all(machine.path(home)).unwrap();
    }
    // Root's, in an image.
    let inside = machine.path("root").join("root/.swiftpm");
    fs::create_dir_all(&inside).unwrap();
    let sdks = machine.path("home/.swiftpm/swift-sdks");
    fs::create_dir(&sdks).unwrap();
    // As some installations have it; what has two names is listed once.
    symlink(&sdks, machine.path("home/.config/swiftpm/swift-sdks")).unwrap();
    let broken = sdks.join("broken.artifactbundle");
    ok("cp", &["-a", text(&made.bundle()), text(&sdks)]);
    let swift = ["toolchains", "--kind", "swift"];
    let all = listed(&mut machine.brawn(&swift));
    let found: Vec<_> = all
        .iter()
        .map(|t| {
            [
                &t["kind"],
                &t["name"],
                &t["target"],
                &t["version"],
                &t["state"],
            ]
        })
        .collect();
    let line = |triple: &'static str| ["swift", NAME, triple, "0.0.1", "stock"];
    assert_eq!(
        found,
        [
            line("aarch64-swift-linux-musl"),
            line("x86_64-swift-linux-musl")
        ]
    );
    succeed(&mut machine.brawn(&["patch", &format!("--swift={NAME}")]));
    let all = listed(&mut machine.brawn(&swift));
    assert!(all.iter().all(|t| t["state"] == "patched"), "{all:?}");
    let said = fail(&mut machine.brawn(&["patch", "--swift=6.3"]), REFUSED);
    assert!(
        said.contains(&format!("no Swift SDK 6.3; installed: {NAME}")),
        "{said}"
    );
    succeed(&mut machine.brawn(&["restore", "--swift"]));
    succeed(&mut machine.brawn(&["patch", "--all", "-n"]));
    // One that is broken is said, and the others are there all the same.
    fs::create_dir(&broken).unwrap();
    let said = fail(&mut machine.brawn(&swift), MALFORMED);
    assert!(
        said.contains("broken.artifactbundle") && said.contains("info.json"),
        "{said}"
    );
    let said = fail(&mut machine.below(&["patch", "--swift"]), REFUSED);
    assert!(said.contains("no installed Swift SDK with musl"), "{said}");
    ok("cp", &["-a", text(&sdks), text(&inside)]);
    fs::remove_dir(inside.join("swift-sdks/broken.artifactbundle")).unwrap();
    succeed(&mut machine.below(&["patch", "--swift=all"]));
    assert_eq!(listed(&mut machine.below(&swift))[0]["state"], "patched");
}
