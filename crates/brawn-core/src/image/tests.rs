//! Tests of plans and images without real programs; `crates/brawn/tests/it/image.rs` has those.

use super::check::check;
use super::plan::{Plan, Wanted, What, plan};
use super::program::{Platform, Program, program};
use super::settings::{Addition, Pair};
use super::{Image, image};
use crate::Kind;
use crate::content::{Content, Piece};
use crate::identify::Libc;
use crate::report::inspect::Verdict;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

const BYTES: &[u8] = b"what stands for a program";

fn fake() -> Program {
    Program {
        platform: Platform {
            architecture: "arm64".into(),
            os: "linux".into(),
            variant: Some("v8".into()),
        },
        libc: Libc::Musl,
        verdict: Verdict::Fine,
        why: String::new(),
        can_be_faster: false,
    }
}

fn wanted() -> Wanted {
    Wanted {
        program: "tool".into(),
        size: BYTES.len() as u64,
        ..Wanted::default()
    }
}

fn add(source: &Path, place: &str) -> Addition {
    format!("{}:{place}", source.display()).parse().unwrap()
}

fn planned(wanted: &Wanted) -> Plan {
    plan(&fake(), wanted).unwrap()
}

/// The paths of a plan, with their modes.
fn paths(plan: &Plan) -> Vec<(&str, u32)> {
    let entries = plan.entries.iter();
    entries.map(|e| (e.path.as_str(), e.mode)).collect()
}

/// The image of `plan` around [`BYTES`].
fn made(plan: &Plan) -> Image {
    image(plan, &BYTES.into(), b"", &mut |_| {}).unwrap()
}

#[test]
fn next_to_nothing_is_in_an_image() {
    let plan = planned(&wanted());
    assert_eq!(paths(&plan), [("tmp", 0o1777), ("tool", 0o755)]);
    assert_eq!(plan.settings.entrypoint, ["/tool"]);
    assert_eq!(plan.settings.user, None);
    assert!(plan.entries.iter().all(|e| e.uid == 0 && e.gid == 0));
}

#[test]
fn a_user_has_lines_for_programs_that_ask_for_names() {
    let text = |user: &str| {
        let user = Some(user.parse().unwrap());
        let plan = planned(&Wanted { user, ..wanted() });
        let mut texts = plan.entries.into_iter().filter_map(|e| match e.what {
            What::Text(text) => Some(text),
            _ => None,
        });
        (texts.next().unwrap(), texts.next().unwrap())
    };
    let root = ("root:x:0:\n", "root:x:0:0:root:/:/sbin/nologin\n");
    assert_eq!(text("0"), (root.0.into(), root.1.into()));
    let (group, passwd) = text("7:8");
    assert_eq!(group, format!("{}app:x:8:\n", root.0));
    assert_eq!(passwd, format!("{}app:x:7:8:app:/:/sbin/nologin\n", root.1));
    assert_eq!(text("7:0").0, root.0);
}

#[test]
fn folders_are_added_with_what_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("inner")).unwrap();
    fs::write(at("b"), "bb").unwrap();
    fs::write(at("inner/run"), "").unwrap();
    symlink("../b", at("inner/link")).unwrap();
    fs::set_permissions(at("b"), Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(at("inner/run"), Permissions::from_mode(0o4711)).unwrap();
    let listed = |additions: Vec<Addition>| {
        let plan = planned(&Wanted {
            additions,
            ..wanted()
        });
        let entries = plan.entries.into_iter();
        let added = entries.filter(|e| e.path != "tool" && e.path != "tmp");
        added.map(|e| (e.path, e.mode, e.size)).collect::<Vec<_>>()
    };
    let all = |prefix: &str, above: &[&str]| {
        let mut all: Vec<(String, u32, u64)> =
            above.iter().map(|p| (p.to_string(), 0o755, 0)).collect();
        for (name, mode, size) in [
            ("b", 0o644, 2),
            ("inner", 0o755, 0),
            ("inner/link", 0o644, 0),
            ("inner/run", 0o755, 0),
        ] {
            let mode = if name.ends_with("link") { 0o755 } else { mode };
            all.push((format!("{prefix}{name}"), mode, size));
        }
        all
    };
    assert_eq!(listed(vec![add(folder.path(), "/")]), all("", &[]));
    assert_eq!(
        listed(vec![add(folder.path(), "/x//y/")]),
        all("x/y/", &["x", "x/y"])
    );
    let file = |place: &str| listed(vec![add(&at("b"), place)]).pop().unwrap().0;
    assert_eq!(file("/c"), "c");
    assert_eq!(file("/"), "b");
    assert_eq!(file("/etc/"), "etc/b");
    // A link that the user names stands for its target.
    let (path, _, size) = listed(vec![add(&at("inner/link"), "/")]).pop().unwrap();
    assert_eq!((path.as_str(), size), ("link", 2));
    // A directory that is added twice is there once; /tmp stays as it is.
    assert_eq!(
        listed(vec![add(&at("inner"), "/x"), add(&at("inner"), "/x/inner")]).len(),
        6
    );
    let additions = vec![add(&at("inner"), "/tmp")];
    let plan = planned(&Wanted {
        additions,
        ..wanted()
    });
    assert!(paths(&plan).contains(&("tmp", 0o1777)));
}

#[test]
fn what_contradicts_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    fs::write(at("directory/.wh.file"), "").unwrap();
    let kind = |wanted: Wanted| {
        let error = plan(&fake(), &wanted).unwrap_err();
        (error.kind(), error.to_string())
    };
    let added = |additions: &[Addition]| {
        kind(Wanted {
            additions: additions.to_vec(),
            ..wanted()
        })
    };
    for (places, word) in [
        (&["/tool"][..], "the program"),
        (&["/tool/x"], "the program"),
        (&["/tmp"], "a directory"),
        (&["/a", "/a"], "two things at /a"),
        (&["/a/b", "/a"], "two things at /a"),
        (&["/a", "/a/b"], "two things at /a"),
        (&["/a/../b"], "`..`"),
        (&["/./b"], "`.`"),
        (&["/.wh.a"], "removes"),
    ] {
        let additions: Vec<Addition> = places.iter().map(|p| add(&at("file"), p)).collect();
        let (kind, text) = added(&additions);
        assert_eq!(kind, Kind::Usage, "{places:?}");
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(added(&[add(&at("directory"), "/")]).1.contains(".wh.file"));
    assert_eq!(added(&[add(&at("none"), "/")]).0, Kind::Io);
    assert_eq!(added(&[add(Path::new("/dev/null"), "/")]).0, Kind::Refused);
    for folder in ["x", "/a/../b"] {
        let folder = Some(folder.into());
        assert_eq!(kind(Wanted { folder, ..wanted() }).0, Kind::Usage);
    }
    for program in ["", "..", "tmp", ".wh.a", "a/b"] {
        let program = program.into();
        assert_eq!(
            kind(Wanted {
                program,
                ..wanted()
            })
            .0,
            Kind::Usage
        );
    }
    let twice: Vec<Pair> = vec!["A=1".parse().unwrap(), "A=2".parse().unwrap()];
    let (usage, text) = kind(Wanted {
        environment: twice.clone(),
        ..wanted()
    });
    assert!(
        usage == Kind::Usage && text.contains("variable A"),
        "{text}"
    );
    assert_eq!(
        kind(Wanted {
            labels: twice,
            ..wanted()
        })
        .0,
        Kind::Usage
    );
    assert_eq!(
        kind(Wanted {
            time: 253_402_300_800,
            ..wanted()
        })
        .0,
        Kind::Usage
    );
}

/// A plan with one of everything.
fn everything(folder: &Path) -> Plan {
    let long = folder.join("a".repeat(120));
    fs::write(&long, "long").unwrap();
    symlink("b".repeat(130), folder.join("link")).unwrap();
    planned(&Wanted {
        name: Some("me/tool:1".parse().unwrap()),
        user: Some("7:8".parse().unwrap()),
        environment: vec!["A=1".parse().unwrap()],
        labels: vec!["b=2".parse().unwrap()],
        ports: vec!["53/udp".parse().unwrap()],
        folder: Some("/srv/".into()),
        arguments: vec!["x y".into()],
        additions: vec![add(folder, "/etc")],
        time: 1_700_000_000,
        ..wanted()
    })
}

#[test]
fn the_same_plan_is_the_same_image() {
    let folder = tempfile::tempdir().unwrap();
    let plan = everything(folder.path());
    let first = made(&plan);
    assert!(first.content == made(&plan).content);
    assert_eq!(first.facts.size, first.content.size());
    // The digest of the layer's tar, whose bytes depend only on this crate and `tar`. A change here changes every
    // user's images.
    assert_eq!(
        first.facts.diff_id,
        "sha256:0c2e49863640de9477266623321fa15f9a638057dc79463c1fcc065f8f5ee82b"
    );
}

#[test]
fn links_lead_where_they_did_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut targets: Vec<String> = [
        "/",
        ".",
        "..",
        "a//b",
        "a/./b",
        "./a",
        "a/",
        "/a//../b/",
        " ",
    ]
    .map(Into::into)
    .into();
    targets.extend([99, 100, 101].map(|length| "a".repeat(length)));
    targets.push("./".repeat(60) + "b");
    for (number, target) in targets.iter().enumerate() {
        symlink(target, folder.path().join(number.to_string())).unwrap();
    }
    let long = folder.path().join("c".repeat(120));
    symlink("d".repeat(120), long).unwrap();
    let additions = vec![add(folder.path(), "/links")];
    // Its links are compared with the plan's.
    made(&planned(&Wanted {
        additions,
        ..wanted()
    }));
}

#[test]
fn progress_is_told_of_every_byte_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = 0;
    let plan = everything(folder.path());
    let made = image(&plan, &BYTES.into(), b"", &mut |bytes| told += bytes).unwrap();
    assert_eq!(told, 2 * made.facts.unpacked_size);
}

#[test]
fn a_file_that_changes_meanwhile_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for (before, after) in [("12", "1"), ("12", "123"), ("", "1"), ("1", "")] {
        fs::write(&file, before).unwrap();
        let additions = vec![add(&file, "/")];
        let plan = planned(&Wanted {
            additions,
            ..wanted()
        });
        made(&plan);
        fs::write(&file, after).unwrap();
        let error = image(&plan, &BYTES.into(), b"", &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), Kind::Io, "{error}");
        assert!(error.to_string().contains("size has changed"), "{error}");
    }
}

#[test]
fn one_wrong_byte_anywhere_that_matters_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let plan = everything(folder.path());
    let image = made(&plan);
    let is_found = |image: &Image| check(&plan, &BYTES.into(), image, &mut |_| {}).is_err();
    assert!(!is_found(&image));
    let old = image.content.0.clone();
    let mut places = 0;
    for (number, piece) in old.iter().enumerate() {
        let Piece::Bytes(bytes) = piece else {
            panic!("a hole in an image");
        };
        // Padding has no meaning.
        if bytes.iter().all(|b| *b == 0) {
            continue;
        }
        for at in 0..bytes.len() {
            let mut wrong = bytes.to_vec();
            wrong[at] ^= 1;
            let mut pieces = old.clone();
            pieces[number] = Piece::Bytes(wrong.into());
            let content = Content(pieces);
            let facts = image.facts.clone();
            assert!(
                is_found(&Image { content, facts }),
                "piece {number}, byte {at:#x}"
            );
            places += 1;
        }
    }
    assert!(places > 4000, "{places}");
}

#[test]
fn an_image_of_another_plan_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let plan = everything(folder.path());
    let right = made(&plan);
    let mut others = Vec::new();
    for number in 0..plan.entries.len() {
        let mut other = plan.clone();
        other.entries[number].mode ^= 1;
        others.push(other);
        let mut other = plan.clone();
        other.entries.remove(number);
        others.push(other);
    }
    let mut other = plan.clone();
    other.time += 1;
    others.push(other);
    let mut other = plan.clone();
    other.settings.cmd.clear();
    others.push(other);
    let mut other = plan.clone();
    other.name = None;
    others.push(other);
    let mut other = plan.clone();
    other.platform.variant = None;
    others.push(other);
    for other in &others {
        let result = check(other, &BYTES.into(), &right, &mut |_| {});
        assert!(result.is_err(), "{other:?}");
    }
    let other = b"what stands for a pr0gram";
    assert!(check(&plan, &other[..].into(), &right, &mut |_| {}).is_err());
}

#[test]
fn what_is_no_program_is_refused_whatever_it_begins_with() {
    let refused = |bytes: &[u8]| program(bytes).unwrap_err();
    assert_eq!(refused(b"").kind(), Kind::Malformed);
    let script = refused(b"#!/bin/sh -e\necho");
    assert!(
        script.to_string().contains("a script for /bin/sh -e"),
        "{script}"
    );
    assert_eq!(refused(b"\x7fELF").kind(), Kind::Malformed);
    assert_eq!(refused(b"!<arch>\n").kind(), Kind::NotApplicable);
}

#[test]
fn a_program_with_any_byte_changed_is_refused_or_packed() {
    let bytes = include_bytes!("../../../../fuzz/corpus/image/static");
    let mut packed = 0;
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut changed = *bytes;
            changed[at] = value;
            let Ok(program) = program(&changed) else {
                continue;
            };
            packed += 1;
            let size = changed.len() as u64;
            let plan = plan(&program, &Wanted { size, ..wanted() }).unwrap();
            image(&plan, &changed[..].into(), b"", &mut |_| {}).unwrap();
        }
    }
    assert!(packed > 500, "{packed}");
}
