//! `brawn image`: what is in the file, and what other tools make of it.  `image_runs.rs` has containers,
//! `image_refused.rs` what becomes none.

use crate::build::{PROGRAM, Room, inspect, zig};
use crate::common::{
    IO, MALFORMED, REFUSED, as_nobody, brawn, brawn_path, fail, ok, read, run, succeed,
};
use crate::image_refused::refused;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

mod machine;

pub const USAGE: i32 = 2;

/// A room with the static program `p` of musl's, which allocates.
pub fn room() -> Room {
    let room = Room::with(PROGRAM);
    room.run("musl-gcc", &["-O1 -static -o p main.c"]);
    room
}

/// Makes `image.tar` of `p`, and gives what `--json` says.
pub fn image(room: &Room, arguments: &[&str]) -> Value {
    let (program, out) = (room.path("p"), room.path("image.tar"));
    let command = &mut brawn();
    command.args(["image", "--json", &program, "-o", &out]);
    serde_json::from_str(&succeed(command.args(arguments))).expect("JSON")
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

fn digest(bytes: &[u8]) -> String {
    let hex = Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect::<String>();
    format!("sha256:{hex}")
}

/// An image, unpacked by others' tools.
pub struct Unpacked {
    index: Value,
    manifest: Value,
    pub config: Value,
    saved: Value,
    /// `tar --numeric-owner -tv` of the layer: mode, owner, size, date, time, path.
    entries: Vec<Vec<String>>,
    /// The directory that the layer is unpacked to.
    pub root: String,
}

/// Unpacks `image.tar`, and holds every digest in it against its blob.
pub fn unpack(room: &Room) -> Unpacked {
    let folder = room.path("unpacked");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    ok("tar", &["-xf", &room.path("image.tar"), "-C", &folder]);
    let file = |name: &str| read(Path::new(&format!("{folder}/{name}")));
    assert_eq!(json(&file("oci-layout"))["imageLayoutVersion"], "1.0.0");
    let mut blobs = BTreeSet::new();
    for name in crate::common::names(Path::new(&format!("{folder}/blobs/sha256"))) {
        assert_eq!(
            digest(&file(&format!("blobs/sha256/{name}"))),
            format!("sha256:{name}")
        );
        blobs.insert(name);
    }
    assert_eq!(blobs.len(), 3);
    let mut blob = |described: &Value, kind: &str| {
        assert_eq!(
            described["mediaType"],
            format!("application/vnd.oci.image.{kind}")
        );
        let name = described["digest"]
            .as_str()
            .unwrap()
            .strip_prefix("sha256:")
            .unwrap();
        assert!(blobs.remove(name), "{name}");
        let name = format!("blobs/sha256/{name}");
        let bytes = file(&name);
        assert_eq!(described["size"], bytes.len() as u64);
        (name, bytes)
    };
    let index = json(&file("index.json"));
    assert_eq!(index["manifests"].as_array().unwrap().len(), 1);
    let manifest = json(&blob(&index["manifests"][0], "manifest.v1+json").1);
    let (config_name, config) = blob(&manifest["config"], "config.v1+json");
    assert_eq!(manifest["layers"].as_array().unwrap().len(), 1);
    let (layer_name, _) = blob(&manifest["layers"][0], "layer.v1.tar+gzip");
    assert_eq!(blobs.len(), 0, "{blobs:?}");
    let config = json(&config);
    let saved = json(&file("manifest.json"));
    assert_eq!(saved[0]["Config"], config_name);
    assert_eq!(saved[0]["Layers"], serde_json::json!([layer_name]));
    let layer = format!("{folder}/{layer_name}");
    let root = format!("{folder}/root");
    fs::create_dir(&root).unwrap();
    let unzipped = run("gzip", &["-dc", &layer]).stdout;
    assert_eq!(
        config["rootfs"]["diff_ids"],
        serde_json::json!([digest(&unzipped)])
    );
    ok("tar", &["-xpf", &layer, "-C", &root]);
    let list = ok(
        "env",
        &[
            "TZ=UTC",
            "LC_ALL=C",
            "tar",
            "--numeric-owner",
            "--full-time",
            "-tvzf",
            &layer,
        ],
    );
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    Unpacked {
        index,
        manifest,
        config,
        saved,
        entries: list.lines().map(words).collect(),
        root,
    }
}

#[test]
fn every_digest_is_that_of_its_blob_and_the_program_is_all_there_is() {
    let room = room();
    let report = image(&room, &[]);
    let unpacked = unpack(&room);
    let size = fs::metadata(room.path("p")).unwrap().len().to_string();
    let dated = ["1970-01-01", "00:00:00"];
    let entry = |mode: &str, size: &str, path: &str| -> Vec<String> {
        let words = [mode, "0/0", size, dated[0], dated[1], path];
        words.map(str::to_owned).to_vec()
    };
    assert_eq!(
        unpacked.entries,
        [
            entry("-rwxr-xr-x", &size, "p"),
            entry("drwxrwxrwt", "0", "tmp/")
        ]
    );
    assert!(read(Path::new(&room.path("p"))) == read(Path::new(&format!("{}/p", unpacked.root))));
    let manifest = &unpacked.index["manifests"][0];
    assert_eq!(manifest["digest"], report["manifest"]);
    assert_eq!(manifest.get("annotations"), None);
    assert_eq!(manifest["platform"]["architecture"], "amd64");
    assert_eq!(unpacked.manifest["layers"][0]["digest"], report["layer"]);
    assert_eq!(unpacked.manifest["config"]["digest"], report["config"]);
    assert_eq!(unpacked.saved[0]["RepoTags"], serde_json::json!([]));
    assert_eq!(
        unpacked.config["config"],
        serde_json::json!({"Entrypoint": ["/p"]})
    );
    assert_eq!(unpacked.config["created"], "1970-01-01T00:00:00Z");
    assert_eq!(
        report["size"],
        fs::metadata(room.path("image.tar")).unwrap().len()
    );
    // Names that a registry or another tool knows come from both.
    image(&room, &["--name", "host:5000/me/tool:1"]);
    let unpacked = unpack(&room);
    let annotations = &unpacked.index["manifests"][0]["annotations"];
    assert_eq!(
        annotations["io.containerd.image.name"],
        "host:5000/me/tool:1"
    );
    assert_eq!(annotations["org.opencontainers.image.ref.name"], "1");
    assert_eq!(
        unpacked.saved[0]["RepoTags"],
        serde_json::json!(["host:5000/me/tool:1"])
    );
}

#[test]
fn skopeo_takes_it_as_either_archive() {
    let room = room();
    image(
        &room,
        &[
            "--name",
            "tool:7",
            "--label",
            "a=b",
            "--expose",
            "53/udp",
            "--workdir",
            "/srv",
            "--",
            "x y",
        ],
    );
    let tar = room.path("image.tar");
    let skopeo = |arguments: &[&str]| {
        let words = [&["--insecure-policy"], arguments].concat();
        ok("skopeo", &words)
    };
    let index = unpack(&room).index;
    for source in ["oci-archive:", "docker-archive:"] {
        let source = format!("{source}{tar}");
        let seen = json(skopeo(&["inspect", &source]).as_bytes());
        assert_eq!(seen["Architecture"], "amd64");
        assert_eq!(seen["Os"], "linux");
        assert_eq!(seen["Labels"]["a"], "b");
        let config = &json(skopeo(&["inspect", "--config", &source]).as_bytes())["config"];
        assert_eq!(config["Entrypoint"], serde_json::json!(["/p"]));
        assert_eq!(config["Cmd"], serde_json::json!(["x y"]));
        assert_eq!(config["WorkingDir"], "/srv");
        assert_eq!(config["ExposedPorts"], serde_json::json!({"53/udp": {}}));
        let folder = room.path("copy");
        skopeo(&["copy", "--quiet", &source, &format!("dir:{folder}")]);
        let layers = json(&read(Path::new(&format!("{folder}/manifest.json"))));
        assert_eq!(layers["layers"].as_array().unwrap().len(), 1, "{layers:#}");
        fs::remove_dir_all(folder).unwrap();
    }
    let seen = json(skopeo(&["inspect", &format!("oci-archive:{tar}:7")]).as_bytes());
    assert_eq!(seen["Digest"], index["manifests"][0]["digest"]);
    let seen = json(skopeo(&["inspect", &format!("docker-archive:{tar}:tool:7")]).as_bytes());
    assert_eq!(seen["Name"], "docker.io/library/tool");
    let other = format!("docker-archive:{}:other:1", room.path("other.tar"));
    skopeo(&["copy", "--quiet", &format!("oci-archive:{tar}"), &other]);
    let layout = format!("oci:{}:1", room.path("layout"));
    skopeo(&["copy", "--quiet", &format!("oci-archive:{tar}:7"), &layout]);
    let copied = json(skopeo(&["inspect", &layout]).as_bytes());
    assert_eq!(copied["Digest"], index["manifests"][0]["digest"]);
}

#[test]
fn the_same_bytes_whoever_makes_them_wherever_and_when() {
    let (first, second) = (room(), Room::new());
    let arguments = |room: &Room| {
        let add = format!("{}:/data", room.path("data"));
        [
            "--user", "1:2", "--env", "B=1", "--env", "A=2", "--add", &add,
        ]
        .map(str::to_owned)
    };
    for (room, names) in [(&first, ["a", "b"]), (&second, ["b", "a"])] {
        fs::create_dir(room.path("data")).unwrap();
        for name in names {
            room.write(&format!("data/{name}"), name);
        }
        symlink("a", room.path("data/link")).unwrap();
    }
    let given = arguments(&first);
    image(&first, &given.each_ref().map(String::as_str));
    let expected = read(Path::new(&first.path("image.tar")));
    assert!(expected.len() > 5000);
    // Another directory, umask, time zone, locale, time and mode of the files, and user.
    fs::copy(first.path("p"), second.path("p")).unwrap();
    fs::set_permissions(second.path("p"), Permissions::from_mode(0o4700)).unwrap();
    fs::set_permissions(second.path("data/a"), Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(second.path("data"), Permissions::from_mode(0o700)).unwrap();
    ok(
        "touch",
        &[
            "-d",
            "2001-02-03",
            &second.path("data/a"),
            &second.path("p"),
        ],
    );
    let out = second.path("image.tar");
    let words = arguments(&second).map(|word| format!("'{word}'")).join(" ");
    let line = format!(
        "umask 077; cd {}; TZ=Asia/Tokyo LC_ALL=tr_TR.UTF-8 {} image p -o image.tar {words}",
        second.path(""),
        brawn_path()
    );
    ok("sh", &["-c", &line]);
    assert!(read(Path::new(&out)) == expected);
    assert_eq!(
        fs::metadata(&out).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    let third = tempfile::tempdir().unwrap();
    fs::set_permissions(third.path(), Permissions::from_mode(0o777)).unwrap();
    for name in ["p", "data"] {
        let to = third.path().join(name).to_str().unwrap().to_owned();
        ok("cp", &["-r", &first.path(name), &to]);
    }
    let at = |name: &str| third.path().join(name).to_str().unwrap().to_owned();
    let add = format!("{}:/data", at("data"));
    let mut words = vec!["image".to_owned(), at("p"), "-o".into(), at("image.tar")];
    words.extend(arguments(&first));
    *words.last_mut().unwrap() = add;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = as_nobody(&[], &words);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(read(&third.path().join("image.tar")) == expected);
}

#[test]
fn the_time_is_source_date_epochs() {
    let room = room();
    let with = |epoch: &str| {
        let mut command = brawn();
        command.env("SOURCE_DATE_EPOCH", epoch);
        command.args(["image", &room.path("p"), "-o", &room.path("image.tar")]);
        command
    };
    succeed(&mut with("1700000000"));
    let unpacked = unpack(&room);
    assert_eq!(unpacked.config["created"], "2023-11-14T22:13:20Z");
    for entry in &unpacked.entries {
        assert_eq!(entry[3..5], ["2023-11-14", "22:13:20"]);
    }
    for epoch in ["", "now", "-1", "1.5", "999999999999"] {
        let text = fail(&mut with(epoch), USAGE);
        assert!(text.contains("SOURCE_DATE_EPOCH"), "{text}");
    }
}

#[test]
fn a_dry_run_says_what_would_be_there() {
    let room = room();
    let before = crate::common::names(Path::new(&room.path("")));
    let add = format!("{}:/etc/", room.path("main.c"));
    let arguments = [
        "--user",
        "7",
        "--add",
        &add,
        "--name",
        "tool",
        "--",
        "one",
        "two words",
    ];
    let program = room.path("p");
    let text = succeed(brawn().args(["image", "-n", &program]).args(arguments));
    for word in [
        "would write",
        "linux/amd64",
        "1777 0:0",
        "/etc/passwd",
        "/etc/main.c",
        "one 'two words'",
        "7:7",
        "docker.io/library/tool:latest",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let text = succeed(
        brawn()
            .args(["image", "-n", "--json", &program])
            .args(arguments),
    );
    let report = json(text.as_bytes());
    assert_eq!(report["status"], "planned");
    assert_eq!(report["plan"]["settings"]["User"], "7:7");
    let paths: Vec<&str> = report["plan"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        ["etc", "etc/group", "etc/main.c", "etc/passwd", "p", "tmp"]
    );
    assert_eq!(crate::common::names(Path::new(&room.path(""))), before);
}

#[test]
fn a_program_is_rewritten_on_the_way() {
    let room = room();
    let program = room.path("p");
    let notes = |report: &Value| report["notes"].to_string();
    let plain = image(&room, &[]);
    assert!(
        notes(&plain).contains("slow") && notes(&plain).contains("--rewrite"),
        "{plain:#}"
    );
    for profile in ["fast", "secure"] {
        let report = image(&room, &["--rewrite", "--profile", profile]);
        assert_eq!(report["notes"], serde_json::json!([]));
        assert_eq!(report["rewritten"], true);
        let out = room.path("rewritten");
        succeed(brawn().args(["rewrite", &program, "-o", &out, "--profile", profile]));
        let inside = format!("{}/p", unpack(&room).root);
        assert!(read(Path::new(&inside)) == read(Path::new(&out)));
        let seen = inspect(&inside);
        assert_eq!(seen["heap"], "brawn");
        assert_eq!(seen["heaps"][0]["note"]["profile"], profile, "{seen:#}");
        ok(&inside, &[]);
    }
    // The file itself stays as it is, and one that has the payload goes in as it is.
    assert_eq!(inspect(&program)["verdict"], "slow heap");
    succeed(brawn().args(["rewrite", &program]));
    let report = image(&room, &["--rewrite"]);
    assert_eq!(report["rewritten"], false);
    assert_eq!(image(&room, &[])["notes"], serde_json::json!([]));
    room.run("gcc", &["-static -o p main.c"]);
    refused(&room, REFUSED, &["--rewrite"], &["musl"]);
    assert!(notes(&image(&room, &[])).contains("glibc loads shared libraries"));
}

#[test]
fn the_architecture_is_the_programs() {
    let room = Room::with(PROGRAM);
    room.run(&zig(), &["cc -target aarch64-linux-musl -O1 -o p main.c"]);
    for arguments in [&[][..], &["--rewrite"]] {
        let report = image(&room, arguments);
        assert_eq!(
            report["notes"].to_string().contains("slow"),
            arguments.is_empty()
        );
        let unpacked = unpack(&room);
        assert_eq!(
            unpacked.index["manifests"][0]["platform"],
            serde_json::json!({"architecture": "arm64", "os": "linux", "variant": "v8"})
        );
        assert_eq!(unpacked.config["architecture"], "arm64");
        assert_eq!(unpacked.config["variant"], "v8");
        ok("qemu-aarch64", &[&format!("{}/p", unpacked.root)]);
        let tar = format!("oci-archive:{}", room.path("image.tar"));
        let seen = json(ok("skopeo", &["inspect", &tar]).as_bytes());
        assert_eq!(seen["Architecture"], "arm64");
    }
}

#[test]
fn rights_of_the_file_are_not_in_the_image() {
    let room = room();
    let program = room.path("p");
    fs::set_permissions(&program, Permissions::from_mode(0o6711)).unwrap();
    let notes = image(&room, &[])["notes"].to_string();
    assert!(
        notes.contains("setuid") && notes.contains("setgid"),
        "{notes}"
    );
    assert_eq!(unpack(&room).entries[0][0], "-rwxr-xr-x");
    let add = format!("--add={program}:/bin/other");
    let notes = image(&room, &["--rewrite", &add])["notes"].to_string();
    assert!(notes.contains(&format!("{program}'s setuid")), "{notes}");
    fs::set_permissions(&program, Permissions::from_mode(0o644)).unwrap();
    ok("setcap", &["cap_net_raw=ep", &program]);
    let notes = image(&room, &["--rewrite"])["notes"].to_string();
    assert!(notes.contains("file capabilities"), "{notes}");
    let unpacked = unpack(&room);
    assert_eq!(unpacked.entries[0][0], "-rwxr-xr-x");
    assert_eq!(ok("getcap", &[&format!("{}/p", unpacked.root)]), "");
}
