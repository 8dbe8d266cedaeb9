//! What of the machine an image takes, and what it stands: certificates, kills, memory.

use super::*;

#[test]
fn certificates_are_this_systems_or_a_files() {
    const SYSTEM: &str = "/etc/ssl/certs/ca-certificates.crt";
    let room = room();
    let inside = |room: &Room| {
        let unpacked = unpack(room);
        let bytes = read(Path::new(&format!("{}{SYSTEM}", unpacked.root)));
        (bytes, unpacked.config["config"]["Env"].clone())
    };
    let variable = serde_json::json!([format!("SSL_CERT_FILE={SYSTEM}")]);
    image(&room, &["--ca-certificates"]);
    assert!(inside(&room) == (read(Path::new(SYSTEM)), variable.clone()));
    // The first certificate alone.
    let text = String::from_utf8(read(Path::new(SYSTEM))).unwrap();
    let end = "-----END CERTIFICATE-----\n";
    let one = room.write("one.pem", &text[..text.find(end).unwrap() + end.len()]);
    let given = format!("--ca-certificates={one}");
    image(&room, &[&given]);
    assert!(inside(&room) == (read(Path::new(&one)), variable));
    image(&room, &[&given, "--env", "SSL_CERT_FILE=/else"]);
    assert_eq!(inside(&room).1, serde_json::json!(["SSL_CERT_FILE=/else"]));
    let mut command = brawn();
    command.env("SSL_CERT_FILE", &one);
    let (program, out) = (room.path("p"), room.path("image.tar"));
    succeed(command.args(["image", &program, "-o", &out, "--ca-certificates"]));
    assert!(inside(&room).0 == read(Path::new(&one)));
    let mut command = brawn();
    command.env("SSL_CERT_FILE", "/no/such/file");
    let said = fail(
        command.args(["image", &program, "-o", &out, "--ca-certificates"]),
        IO,
    );
    assert!(said.contains("/no/such/file"), "{said}");
    for (text, code, word) in [
        ("", MALFORMED, "no certificate"),
        (&text[..1000], MALFORMED, "certificate 1"),
        ("-----BEGIN PRIVATE KEY-----\n", REFUSED, "private key"),
    ] {
        let path = room.write("other.pem", text);
        refused(
            &room,
            code,
            &[&format!("--ca-certificates={path}")],
            &[word, "other.pem"],
        );
    }
}

#[test]
fn a_kill_at_any_instant_leaves_the_old_image_or_the_new_one() {
    let room = room();
    image(&room, &["--name", "new"]);
    let (program, out) = (room.path("p"), room.path("image.tar"));
    let new = read(Path::new(&out));
    let names = crate::common::names(Path::new(&room.path("")));
    let mut instants = 0;
    for old in [None, Some(b"old")] {
        for call in ["openat", "write", "fsync", "fchmod", "rename", "unlink"] {
            for n in 1.. {
                fs::remove_file(&out).unwrap();
                if let Some(old) = old {
                    fs::write(&out, old).unwrap();
                }
                let inject = format!("inject={call}:signal=KILL:when={n}");
                let trace = ["-f", "-o", "/dev/null", "-e", &inject, brawn_path()];
                let words = ["image", &program, "-o", &out, "--name", "new"];
                let output = run("strace", &[&trace[..], &words].concat());
                let there = fs::read(&out).ok();
                let is_old = there.as_deref() == old.map(|old| &old[..]);
                assert!(is_old || there.as_ref() == Some(&new), "{call} {n}: torn");
                image(&room, &["--name", "new"]);
                assert!(read(Path::new(&out)) == new, "{call} {n}");
                assert_eq!(
                    crate::common::names(Path::new(&room.path(""))),
                    names,
                    "{call} {n}"
                );
                match output.status.code() {
                    Some(0) => break,
                    None | Some(137) => instants += 1,
                    code => panic!(
                        "{call} {n}: {code:?}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    ),
                }
            }
        }
    }
    assert!(
        instants > 15,
        "only {instants} instants: does strace inject?"
    );
}

#[test]
fn a_large_program_stands_in_memory_with_its_layer() {
    let room = Room::with(PROGRAM);
    let mut state = 1u64;
    // Noise, which nothing compresses.
    let noise = (0..12 << 17).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    fs::write(room.path("filler"), noise.collect::<Vec<u8>>()).unwrap();
    room.write(
        "filler.s",
        ".data\n.incbin \"filler\"\n.section .note.GNU-stack, \"\", @progbits\n",
    );
    room.run("musl-gcc", &["-static -O1 -o p main.c filler.s"]);
    let size = fs::metadata(room.path("p")).unwrap().len();
    // The program, its layer as it grows, brawn itself, and what else it needs.
    let limit = format!(
        "--as={}",
        2 * size + crate::common::brawn_mapped() + (8 << 20)
    );
    let (program, out) = (room.path("p"), room.path("image.tar"));
    ok(
        "prlimit",
        &[&limit, brawn_path(), "image", &program, "-o", &out],
    );
    ok(&format!("{}/p", unpack(&room).root), &[]);
}
