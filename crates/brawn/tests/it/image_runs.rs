//! Containers of what `brawn image` makes: by buildah, as root, in storage of their own.

use crate::build::Room;
use crate::common::{brawn, ok, run, succeed, tools};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Says who and where it is, and what it finds there; in the file that [`Storage::run`] reads.
const PROBE: &str = r#"#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *work(void *kept) {
    for (int i = 0; i < 20000; i++) {
        char *p = malloc(i % 1000 + 1);
        p[0] = 1;
        free(p);
    }
    return kept;
}
int main(int argc, char **argv) {
    if (!freopen("/out/text", "w", stdout)) return 2;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) if (pthread_create(&threads[i], 0, work, 0)) return 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    struct passwd *user = getpwuid(getuid());
    char folder[100] = "?", line[1000], name[] = "/tmp/probe-XXXXXX";
    int certificates = 0;
    FILE *file = fopen(getenv("SSL_CERT_FILE") ? getenv("SSL_CERT_FILE") : "/none", "r");
    while (file && fgets(line, sizeof line, file))
        certificates += !strcmp(line, "-----BEGIN CERTIFICATE-----\n");
    file = fopen("data/greeting", "r");
    if (!file || !fgets(line, sizeof line, file)) strcpy(line, "nothing");
    printf("user %d group %d name %s\n", getuid(), getgid(), user ? user->pw_name : "none");
    printf("in %s, argument %s, GREET %s, %s\n", getcwd(folder, sizeof folder), argv[argc - 1],
           getenv("GREET") ? getenv("GREET") : "none", line);
    printf("certificates %d, temporary %d, own file %d\n", certificates, mkstemp(name) >= 0, !access(argv[0], W_OK));
    return 0;
}
"#;

/// A room that has buildah's storage, too.
struct Storage(Room);

impl Storage {
    fn buildah(&self, arguments: &[&str]) -> String {
        let root = format!("--root={}", self.0.path("storage"));
        let run_root = format!("--runroot={}", self.0.path("run"));
        let own = [&root, &run_root, "--storage-driver=vfs"];
        ok("buildah", &[&own[..], arguments].concat())
    }

    /// A container of the image in `tar`; gives its name.
    fn from(&self, tar: &str) -> String {
        self.buildah(&["from", "--quiet", tar]).trim().to_owned()
    }

    /// Runs a command in it, which must succeed, and gives what it wrote to `/out/text`.
    ///
    /// What it prints would come through a process of buildah's that copies it and ends as soon as
    /// the program does, without what it has not read by then.
    fn run(&self, container: &str, command: &[&str]) -> String {
        let out = self.0.path("out");
        fs::create_dir_all(&out).expect("a directory");
        // The program's user is not the one who runs the tests.
        fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).expect("its rights");
        let volume = format!("--volume={out}:/out");
        let own = ["run", "--isolation=chroot", &volume, container, "--"];
        self.buildah(&[&own[..], command].concat());
        let text = format!("{out}/text");
        let written = fs::read_to_string(&text).expect("what the program wrote");
        fs::remove_file(&text).expect("to remove it");
        written
    }
}

/// Makes `image.tar` of a program.
fn image(room: &Room, program: &str, arguments: &[&str]) {
    let (program, out) = (room.path(program), room.path("image.tar"));
    succeed(
        brawn()
            .args(["image", &program, "-o", &out])
            .args(arguments),
    );
}

#[test]
fn a_program_runs_as_its_user_with_certificates_and_files() {
    let room = Room::with(PROBE);
    room.run("musl-gcc", &["-O1 -static -pthread -o probe main.c"]);
    room.write("data/greeting", "hello from a file");
    let add = format!("{}:/srv/data", room.path("data"));
    let storage = Storage(room);
    let room = &storage.0;
    let system = fs::read_to_string("/etc/ssl/certs/ca-certificates.crt").expect("ca-certificates");
    let certificates = system.matches("-----BEGIN CERTIFICATE-----\n").count();
    assert!(certificates > 50);
    for (rewrite, transport) in [(&[][..], "oci-archive"), (&["--rewrite"], "docker-archive")] {
        let arguments = [
            "--user",
            "65532",
            "--ca-certificates",
            "--env",
            "GREET=there",
            "--workdir",
            "/srv",
            "--add",
            &add,
            "--name",
            "probe:1",
        ];
        image(room, "probe", &[&arguments[..], rewrite].concat());
        let tar = format!("{transport}:{}", room.path("image.tar"));
        let container = storage.from(&tar);
        let text = storage.run(&container, &["/probe", "last one"]);
        let expected = format!(
            "user 65532 group 65532 name app\n\
             in /srv, argument last one, GREET there, hello from a file\n\
             certificates {certificates}, temporary 1, own file 0\n"
        );
        assert_eq!(text, expected, "{tar}");
        let images = storage.buildah(&["images", "--noheading", "--format={{.Name}}:{{.Tag}}"]);
        assert_eq!(images, "docker.io/library/probe:1\n");
        storage.buildah(&["rm", &container]);
        storage.buildah(&["rmi", "--all", "--force"]);
    }
}

#[test]
fn without_anything_it_is_roots_and_nothing_else_is_there() {
    let storage = Storage(Room::with(PROBE));
    let room = &storage.0;
    room.run("musl-gcc", &["-O1 -static -pthread -o probe main.c"]);
    image(room, "probe", &[]);
    let container = storage.from(&format!("oci-archive:{}", room.path("image.tar")));
    let text = storage.run(&container, &["/probe"]);
    let expected = "user 0 group 0 name none\n\
                    in /, argument /probe, GREET none, nothing\n\
                    certificates 0, temporary 1, own file 1\n";
    assert_eq!(text, expected);
    // No shell, for one.
    let [root, run_root] = ["storage", "run"].map(|name| room.path(name));
    let roots = [format!("--root={root}"), format!("--runroot={run_root}")];
    let words = [
        &roots[0],
        &roots[1],
        "--storage-driver=vfs",
        "run",
        "--isolation=chroot",
        &container,
        "--",
        "/bin/sh",
    ];
    assert!(!run("buildah", &words).status.success());
}

/// Threads that fill vectors, and what the standard library asks the system.
const RUST: &str = r#"fn main() {
    let work = |n: usize| (0..n).map(|i| vec![i as u8; i % 500]).map(|v| v.len()).sum::<usize>();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(move || work(5000))).collect();
    let sum: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    let pem = std::fs::read_to_string(std::env::var("SSL_CERT_FILE").unwrap()).unwrap();
    let certificates = pem.matches("-----BEGIN CERTIFICATE-----").count() > 50;
    let file = std::env::temp_dir().join("a");
    std::fs::write(&file, "temporary").unwrap();
    let text = format!("{sum} {certificates} {}", std::fs::read_to_string(file).unwrap());
    std::fs::write("/out/text", text).unwrap();
}
"#;

#[test]
fn a_rust_program_runs_rewritten() {
    let storage = Storage(Room::new());
    let room = &storage.0;
    let source = room.write("main.rs", RUST);
    let rustc = tools().join("rust-musl/bin/rustc");
    let target = "x86_64-unknown-linux-musl";
    let program = room.path("tool");
    let words = ["-O", "--target", target, "-o", &program, &source];
    ok(rustc.to_str().expect("UTF-8"), &words);
    image(
        room,
        "tool",
        &["--rewrite", "--user", "1:2", "--ca-certificates"],
    );
    let container = storage.from(&format!("oci-archive:{}", room.path("image.tar")));
    assert_eq!(
        storage.run(&container, &["/tool"]),
        "4990000 true temporary"
    );
}
