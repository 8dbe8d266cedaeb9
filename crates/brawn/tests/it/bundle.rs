//! `brawn patch` of bundles of Swift SDKs, as archives and unpacked.

use crate::bundle_files::{Made, NAME, debian, musl, text};
use crate::common::{
    Folder, MALFORMED, REFUSED, brawn, brawn_path, fail, names, ok, read, run, succeed, tools,
};
use crate::toolchains::{Machine, listed};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

mod folders;

/// What `brawn patch` makes of a libc.a alone.
fn alone(libc: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("libc.a");
    succeed(brawn().arg("patch").arg(libc).arg("-o").arg(&out));
    read(&out)
}

fn gunzip(path: &Path) -> Vec<u8> {
    let output = run("gzip", &["-dc", text(path)]);
    assert!(output.status.success());
    output.stdout
}

pub fn patch_json(path: &Path) -> Value {
    let printed = succeed(brawn().arg("patch").arg(path).arg("--json"));
    serde_json::from_str::<Value>(&printed).unwrap()[0].clone()
}

#[test]
fn only_the_libcs_change_whatever_the_format_of_tar() {
    let made = Made::real();
    // One more entry before and behind everything.
    made.put("a", b"first");
    made.put("zzz", &[0; 4096]);
    let pax = "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime";
    let formats: [&[&str]; 4] = [
        &["--format=gnu", "-b1"],
        &["--format=pax", "-b1", pax],
        &["--format=pax", "-b1", pax, "--xattrs", "--numeric-owner"],
        &["--format=gnu", "-b1", "--transform=s,^,./,"],
    ];
    let before: Vec<_> = formats
        .iter()
        .enumerate()
        .map(|(n, format)| {
            let plain = made.tar(&format!("{n}.tar"), format);
            let zipped = made.tar(&format!("{n}.tar.gz"), &[&["-z"], *format].concat());
            (plain, zipped)
        })
        .collect();
    for architecture in ["x86_64", "aarch64"] {
        let libc = made.libc(architecture);
        let new = alone(&libc);
        let times =
            fs::FileTimes::new().set_modified(fs::metadata(&libc).unwrap().modified().unwrap());
        let file = fs::OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(&libc)
            .unwrap();
        std::io::Write::write_all(&mut &file, &new).unwrap();
        file.set_times(times).unwrap();
    }
    for (format, (plain, zipped)) in formats.iter().zip(before) {
        let expected = read(&made.tar("expected.tar", format));
        succeed(brawn().arg("patch").arg(&plain));
        assert!(read(&plain) == expected, "{format:?}");
        succeed(brawn().arg("patch").arg(&zipped));
        assert!(gunzip(&zipped) == expected, "{format:?}, compressed");
    }
}

#[test]
fn a_bundle_is_patched_once_says_its_checksum_and_is_restored() {
    let made = Made::real();
    let path = made.packed();
    let old = read(&path);
    let inode = fs::metadata(&path).unwrap().ino();
    let printed = succeed(brawn().arg("patch").arg(&path));
    let digest = ok("sha256sum", &[text(&path)]);
    let (digest, _) = digest.split_once(' ').unwrap();
    for part in [
        format!("checksum    {digest}\n"),
        format!("swift sdk install {} --checksum {digest}\n", path.display()),
        format!("for x86_64-swift-linux-musl of {NAME} 0.0.1\n"),
        format!("patched     {}\n", path.display()),
        format!(
            "{:12}aarch64/usr/lib/libc.a: brawn's heap (profile fast)",
            ""
        ),
    ] {
        assert!(printed.contains(&part), "{part}: {printed}");
    }
    let kept = PathBuf::from(format!("{}.brawn-original", path.display()));
    // Not a copy.
    assert_eq!(fs::metadata(&kept).unwrap().ino(), inode);
    let out = made.path("out");
    fs::create_dir(&out).unwrap();
    ok("tar", &["-C", text(&out), "-xzf", text(&path)]);
    for architecture in ["x86_64", "aarch64"] {
        let libc = made.libc(architecture);
        let inside = out.join(libc.strip_prefix(made.path("")).unwrap());
        assert!(read(&inside) == alone(&libc), "{architecture}");
    }
    // Again: nothing to do, and nothing is written.
    let before = fs::metadata(&path).unwrap();
    let again = patch_json(&path);
    assert_eq!(again["status"], "unchanged");
    assert_eq!(again["bundle"]["sha256"], *digest);
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (before.ino(), before.mtime_nsec()),
        (after.ino(), after.mtime_nsec())
    );
    // What is in it now cannot have other parts.
    let other = ["patch", "--only", "heap"];
    let error = fail(brawn().args(other).arg(&path), REFUSED);
    assert!(error.contains("`brawn restore` it first"), "{error}");
    let error = fail(
        brawn()
            .args(["patch", "-o"])
            .arg(&path)
            .arg(made.libc("x86_64")),
        REFUSED,
    );
    assert!(error.contains("brawn keeps its original"), "{error}");
    succeed(brawn().arg("restore").arg(&path));
    assert!(read(&path) == old);
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
    assert!(!kept.exists());
}

#[test]
fn json_has_what_is_printed_and_two_runs_write_the_same() {
    let made = Made::real();
    let path = made.packed();
    let planned = succeed(
        brawn()
            .arg("patch")
            .arg(&path)
            .args(["-n", "--json", "--only", "heap"]),
    );
    let planned: Value = serde_json::from_str(&planned).unwrap();
    assert_eq!(planned[0]["status"], "planned");
    assert_eq!(planned[0]["bundle"]["install"], Value::Null);
    assert_eq!(
        planned[0]["bundle"]["archives"][0]["plan"]["memory"],
        Value::Null
    );
    assert_eq!(names(made.path("").as_path()).len(), 2);
    let outs = ["one.tar.gz", "two.tar.gz"].map(|name| made.path(name));
    for out in &outs {
        succeed(brawn().arg("patch").arg(&path).arg("-o").arg(out));
    }
    // One processor, or all.
    let three = made.path("three.tar.gz");
    ok(
        "taskset",
        &[
            "-c",
            "0",
            brawn_path(),
            "patch",
            text(&path),
            "-o",
            text(&three),
        ],
    );
    assert!(read(&outs[0]) == read(&outs[1]) && read(&outs[0]) == read(&three));
    let json = patch_json(&path);
    assert!(read(&path) == read(&outs[0]));
    assert_eq!(json["status"], "patched");
    let archives = json["bundle"]["archives"].as_array().unwrap();
    let triples: Vec<_> = archives
        .iter()
        .map(|a| a["targets"][0]["triple"].as_str().unwrap())
        .collect();
    assert_eq!(
        triples,
        ["aarch64-swift-linux-musl", "x86_64-swift-linux-musl"]
    );
    assert_eq!(archives[1]["plan"]["action"], "patch");
    assert_eq!(json["bundle"]["size"], fs::metadata(&path).unwrap().len());
    let install = json["bundle"]["install"].as_str().unwrap();
    assert!(
        install.ends_with(json["bundle"]["sha256"].as_str().unwrap()),
        "{install}"
    );
    // What is patched is written elsewhere as it is.
    let copy = made.path("copy.tar.gz");
    succeed(brawn().arg("patch").arg(&path).arg("-o").arg(&copy));
    assert!(read(&copy) == read(&path));
}

#[test]
fn an_older_payload_is_upgraded_and_other_architectures_are_left_alone() {
    let folder = Folder::small();
    let made = Made::new(&[
        ("x86_64", &folder.older()),
        ("i386", &unknown(folder.old())),
    ]);
    let path = made.packed();
    let json = patch_json(&path);
    assert_eq!(json["status"], "upgraded", "{json}");
    let left = &json["bundle"]["archives"][0];
    assert_eq!(left["targets"][0]["triple"], "i386-swift-linux-musl");
    assert!(
        left["reason"].as_str().unwrap().contains("payload"),
        "{left}"
    );
    assert_eq!(json["bundle"]["archives"][1]["plan"]["action"], "upgrade");
    // A patched one that somebody else has touched is none that an original goes with.
    fs::remove_file(made.path(&format!("{NAME}.artifactbundle.tar.gz.brawn.json"))).unwrap();
    let said = fail(brawn().arg("patch").arg(made.packed()), REFUSED);
    assert!(said.contains("without its record"), "{said}");
}

/// An archive for a processor that nobody has a payload for.
fn unknown(x86_64: &[u8]) -> Vec<u8> {
    let mut bytes = x86_64.to_vec();
    let magic = b"\x7fELF\x02\x01\x01";
    let mut at = 0;
    while let Some(next) = memchr::memmem::find(&bytes[at..], magic) {
        at += next + 18;
        bytes[at] = 21; // EM_PPC64
    }
    bytes
}

#[test]
fn what_is_no_bundle_is_refused_and_left_as_it_is() {
    let made = Made::new(&[("x86_64", Folder::small().old())]);
    let good = read(&made.packed());
    let other = made.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("info.json"), "{}").unwrap();
    let cases: [(&str, Vec<u8>, i32, &str); 6] = [
        (
            "cut.tar.gz",
            good[..good.len() / 2].to_vec(),
            MALFORMED,
            "ends too early",
        ),
        (
            "cut.tar",
            gunzip_bytes(&good)[..9000].to_vec(),
            MALFORMED,
            "the tar archive ends",
        ),
        (
            "more.tar.gz",
            [&good[..], b"xx"].concat(),
            MALFORMED,
            "gzip",
        ),
        (
            "text.tar.gz",
            zipped(b"some text"),
            REFUSED,
            "no tar archive",
        ),
        (
            "other.tar.gz",
            tarred(&other, "info.json"),
            MALFORMED,
            "(member info.json)",
        ),
        (
            "empty.tar.gz",
            tarred(&other, "none"),
            REFUSED,
            "it has no info.json",
        ),
    ];
    for (name, bytes, code, why) in cases {
        let path = made.path(name);
        fs::write(&path, &bytes).unwrap();
        let before = names(&made.path(""));
        let said = fail(brawn().arg("patch").arg(&path), code);
        assert!(said.contains(why) && said.contains(name), "{name}: {said}");
        assert!(read(&path) == bytes, "{name}");
        assert_eq!(names(&made.path("")), before, "{name}");
    }
}

fn gunzip_bytes(bytes: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gz");
    fs::write(&path, bytes).unwrap();
    gunzip(&path)
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, bytes).unwrap();
    run("gzip", &["-c", text(&path)]).stdout
}

fn tarred(folder: &Path, name: &str) -> Vec<u8> {
    fs::create_dir_all(folder.join("none")).unwrap();
    run("tar", &["-C", text(folder), "-czPf", "-", name]).stdout
}

#[test]
fn mimalloc_in_an_sdk_is_refused_and_upgraded() {
    let mimalloc = |architecture| read(&tools().join(format!("sdk-mimalloc/{architecture}/sdk.a")));
    let made = Made::new(&[
        ("x86_64", &mimalloc("x86_64")),
        ("aarch64", &mimalloc("aarch64")),
    ]);
    let path = made.packed();
    let old = read(&path);
    let said = fail(brawn().arg("patch").arg(&path), REFUSED);
    assert!(
        said.contains("--upgrade") && said.contains("aarch64/usr/lib/libc.a"),
        "{said}"
    );
    assert!(read(&path) == old);
    let kinds = || -> Vec<String> {
        let printed = succeed(brawn().arg("inspect").arg(&path).arg("--json"));
        let found: Vec<Value> = serde_json::from_str(&printed).unwrap();
        let kinds = found
            .iter()
            .map(|f| f["sdk"]["kind"].as_str().unwrap().to_owned());
        kinds.collect()
    };
    assert_eq!(kinds(), ["mimalloc", "mimalloc"]);
    succeed(brawn().arg("patch").arg(&path).arg("--upgrade"));
    assert_eq!(kinds(), ["brawn", "brawn"]);
    let out = made.path("out");
    fs::create_dir(&out).unwrap();
    ok("tar", &["-C", text(&out), "-xzf", text(&path)]);
    let libc = made.libc("aarch64");
    let inside = out.join(libc.strip_prefix(made.path("")).unwrap());
    let expected = made.path("expected.a");
    succeed(
        brawn()
            .arg("patch")
            .arg(&libc)
            .arg("--upgrade")
            .arg("-o")
            .arg(&expected),
    );
    assert!(read(&inside) == read(&expected));
    succeed(brawn().arg("restore").arg(&path));
    assert!(read(&path) == old);
}

#[test]
fn inspect_looks_at_the_libcs_of_targets_alone() {
    let made = Made::new(&[("x86_64", &debian()), ("aarch64", &musl("1.2.5-arm64"))]);
    let path = made.packed();
    let plain = made.tar("plain.tar", &[]);
    for path in [&path, &plain, &made.bundle()] {
        let printed = succeed(brawn().arg("inspect").arg(path).arg("--json"));
        let found: Vec<Value> = serde_json::from_str(&printed).unwrap();
        let lines: Vec<_> = found
            .iter()
            .map(|f| {
                [
                    &f["architecture"],
                    &f["libc_version"],
                    &f["verdict"],
                    &f["sdk"]["kind"],
                ]
            })
            .collect();
        let line = |architecture, version| [architecture, version, "slow heap", "stock-musl"];
        assert_eq!(lines, [line("aarch64", "1.2.5"), line("x86_64", "1.2.3")]);
        assert_eq!(found[0]["sdk"]["targets"][0], "aarch64-swift-linux-musl");
        assert_eq!(found[0]["sdk"]["version"], "0.0.1");
        let name = found[1]["path"].as_str().unwrap();
        assert!(
            name.starts_with(text(path)) && name.ends_with("/x86_64/usr/lib/libc.a"),
            "{name}"
        );
    }
    fail(
        brawn()
            .arg("inspect")
            .arg("--verbose")
            .arg(&path)
            .args(["--fail-on", "slow"]),
        1,
    );
    succeed(brawn().arg("patch").arg(&path));
    let printed = succeed(
        brawn()
            .arg("inspect")
            .arg("--verbose")
            .arg(&path)
            .args(["--fail-on", "slow,mixed"]),
    );
    let line = format!("Swift SDK {NAME} 0.0.1 for x86_64-swift-linux-musl: patched by brawn");
    assert!(printed.contains(&line), "{printed}");
    // In a directory that is searched, both forms.
    made.put("other.txt", b"text");
    let printed = succeed(brawn().arg("inspect").arg(made.path("")).arg("--json"));
    let found: Vec<Value> = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        found.iter().filter(|f| f["sdk"]["kind"] == "brawn").count(),
        2
    );
    let bytes = read(&path);
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let said = fail(brawn().arg("inspect").arg(&path), MALFORMED);
    assert!(said.contains("ends too early"), "{said}");
}

#[test]
fn a_link_is_followed_and_one_that_leads_out_is_refused() {
    let small = Folder::small();
    let made = Made::new(&[("x86_64", small.old()), ("aarch64", b"")]);
    let [one, two] = ["x86_64", "aarch64"].map(|architecture| made.libc(architecture));
    fs::rename(&one, one.with_file_name("libc-1.2.5.a")).unwrap();
    symlink("libc-1.2.5.a", &one).unwrap();
    fs::remove_file(&two).unwrap();
    fs::hard_link(one.with_file_name("libc-1.2.5.a"), &two).unwrap();
    let path = made.packed();
    let json = patch_json(&path);
    let archives = json["bundle"]["archives"].as_array().unwrap();
    assert_eq!(archives.len(), 1, "{json}");
    assert_eq!(archives[0]["targets"].as_array().unwrap().len(), 2);
    ok("tar", &["-C", text(&made.path("")), "-xzf", text(&path)]);
    assert!(read(&one) == small.new_bytes());
    assert!(read(&two) == small.new_bytes());
    fs::remove_file(&one).unwrap();
    symlink("../../../../../../../../../../etc/passwd", &one).unwrap();
    for path in [made.tar("out.tar.gz", &["-z"]), made.bundle()] {
        let said = fail(brawn().arg("patch").arg(path), REFUSED);
        assert!(said.contains("leads out of the bundle"), "{said}");
        assert!(said.contains("x86_64/usr/lib/libc.a"), "{said}");
    }
}
