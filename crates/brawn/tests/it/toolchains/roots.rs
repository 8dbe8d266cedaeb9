//! Toolchains below a root, and zig's cache.

use super::*;

#[test]
fn distributions_cross_compilers_and_zigs_cache_are_patched_below_a_root() {
    let machine = Machine::new();
    let small = Folder::small();
    machine.put("root/etc/os-release", b"ID=debian\n");
    let places = [
        ("--system", "root/usr/lib/x86_64-linux-musl/libc.a"),
        (
            "--musl-cross",
            "root/opt/x86_64-linux-musl-cross/x86_64-linux-musl/lib/libc.a",
        ),
        (
            "--zig",
            concat!("root/", "home/user/.cache/zig/o/0123/libc.a"),
        ),
        (
            "--rust",
            "root/usr/local/rustup/toolchains/1.90.0-x86_64-unknown-linux-gnu/lib/rustlib/x86_64-unknown-linux-musl/lib/self-contained/libc.a",
        ),
    ];
    let archives = places.map(|(_, path)| machine.put(path, small.old()));
    // glibc's, where Alpine has musl's, and another libc in zig's cache.
    let glibc = read(Path::new(GLIBC));
    let others = [
        "root/usr/lib/libc.a",
        concat!("root/", "home/user/.cache/zig/o/4567/libc.a"),
    ];
    let others = others.map(|path| machine.put(path, &glibc));
    assert_eq!(listed(&mut machine.below(&["toolchains"])).len(), 4);
    let patched = || archives.each_ref().map(|libc| read(libc) != small.old());
    for (number, (flag, _)) in places.iter().enumerate() {
        let (_, notes) = both(&mut machine.below(&["patch", flag]));
        let mut expected = [false; 4];
        expected[number] = true;
        assert_eq!(patched(), expected, "{flag}");
        assert_eq!(notes.contains(RELINK), *flag == "--rust", "{notes}");
        assert!(notes.contains("do not change"), "{notes}");
        succeed(&mut machine.below(&["restore", flag]));
        assert_eq!(patched(), [false; 4], "{flag}");
    }
    let text = succeed(&mut machine.below(&["patch", "--system", "--zig", "--dry-run"]));
    assert_eq!(text.matches("would patch").count(), 2, "{text}");
    succeed(&mut machine.below(&["patch", "--all"]));
    assert_eq!(patched(), [true; 4]);
    let states = listed(&mut machine.below(&["toolchains"]));
    assert!(states.iter().all(|t| t["state"] == "patched"), "{states:?}");
    succeed(&mut machine.below(&["restore", "--all"]));
    assert_eq!(patched(), [false; 4]);
    assert!(others.iter().all(|libc| read(libc) == glibc));

    // Where musl is the system's own libc, by what the archive is.
    machine.put("root/usr/lib/libc.a", small.old());
    machine.put("root/etc/os-release", b"ID=alpine\n");
    fs::remove_dir_all(machine.path("root/usr/lib/x86_64-linux-musl")).unwrap();
    succeed(&mut machine.below(&["patch", "--system"]));
    let alpine = &listed(&mut machine.below(&["toolchains", "--kind=system"]))[0];
    assert_eq!(
        (&alpine["name"], &alpine["state"]),
        (&"alpine".into(), &"patched".into())
    );
    assert_eq!(alpine["target"], "x86_64-linux-musl");
}

#[test]
fn a_link_out_of_the_root_is_not_followed() {
    let machine = Machine::new();
    let small = Folder::small();
    let outside = machine.put("outside/libc.a", small.old());
    fs::create_dir(machine.path("root/usr/lib/x86_64-linux-musl")).unwrap();
    let link = machine.path("root/usr/lib/x86_64-linux-musl/libc.a");
    symlink(&outside, &link).unwrap();
    let text = fail(&mut machine.below(&["patch", "--system"]), REFUSED);
    assert!(text.contains("a symbolic link that leads to"), "{text}");
    assert!(read(&outside) == small.old());
}

#[test]
fn zig_links_what_is_patched_in_its_cache() {
    let shared = tools().join("zig-cache");
    let machine = Machine::new();
    let work = machine.path("work");
    let source =
        "#include <stdlib.h>\nint main(void) { void *p = malloc(9); free(p); return !p; }\n";
    fs::write(work.join("main.c"), source).unwrap();
    let cc = [
        "cc",
        "-target",
        "x86_64-linux-musl",
        "-static",
        "main.c",
        "-o",
    ];
    // Its musl is in the shared cache from here on, if it was not: to compile it takes minutes.
    run_in(&work, &zig(), &[&cc[..], &["before"]].concat());
    let cache = machine.path("cache");
    fs::create_dir(&cache).unwrap();
    for part in ["h", "o"] {
        let from = shared.join(part);
        crate::common::ok(
            "cp",
            &["-r", from.to_str().unwrap(), cache.to_str().unwrap()],
        );
    }
    // zig 0.16, which other tests use with this cache, keeps its heap elsewhere: `patch` refuses that archive.
    for entry in fs::read_dir(cache.join("o")).unwrap() {
        let archive = entry.unwrap().path().join("libc.a");
        if archive.exists() && inspect(archive.to_str().unwrap())["heap"] == "none" {
            fs::remove_file(archive).unwrap();
        }
    }
    let own = |command: &mut Command| {
        command.env("ZIG_GLOBAL_CACHE_DIR", &cache);
        succeed(command)
    };
    let text = own(&mut machine.brawn(&["patch", "--zig"]));
    assert!(text.starts_with("patched"), "{text}");
    let text = own(&mut machine.brawn(&["toolchains", "--kind=zig"]));
    assert!(
        text.contains("\npatched ") && !text.contains("\nstock"),
        "{text}"
    );
    fs::write(work.join("main.c"), source.replace('9', "99")).unwrap();
    let output = std::process::Command::new(zig())
        .args(cc)
        .arg("after")
        .current_dir(&work)
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let heap = |name: &str| inspect(work.join(name).to_str().unwrap())["heap"].clone();
    assert_ne!(heap("before"), "brawn");
    assert_eq!(heap("after"), "brawn");
    crate::common::ok(work.join("after").to_str().unwrap(), &[]);
}
