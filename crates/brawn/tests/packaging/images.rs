//! The recipes of `packaging/image`, built by buildah as they are: only the base images are the tests' own.
//! `tools/image-base.sh` makes these, and whatever of the recipes needs the network.

use crate::build::inspect;
use crate::cargo_room::{Package, Said};
use crate::common::{brawn_path, ok, tools};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const RECIPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/image");
const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";
/// The number of the user that the recipes run programs as.
const USER: u32 = 65532;

/// Where images are, and the brawn that goes into them.
struct Images {
    base: PathBuf,
    driver: String,
    /// What every build gets.
    options: Vec<String>,
    /// The directory with a static brawn in it, which is `--build-context brawn=FOLDER`.
    brawn: PathBuf,
    /// One build at a time; which toolchains are built.
    built: Mutex<Vec<&'static str>>,
    /// Other checkouts have the same images.
    _lock: File,
}

static IMAGES: LazyLock<Images> = LazyLock::new(|| {
    // One name, however many checkouts link to it.
    let tools = tools().canonicalize().expect("target/tools");
    let base = tools.join("image-base");
    let read = |name| {
        let path = base.join(name);
        fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("{}: {e}: run `make test-packaging`", path.display()))
    };
    read(".stamp");
    let lock = File::open(base.join(".lock")).expect("the lock of image-base.sh");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let images = Images {
        driver: read("driver").trim().into(),
        options: read("options").lines().map(str::to_owned).collect(),
        base,
        brawn: static_brawn(),
        built: Mutex::new(Vec::new()),
        _lock: lock,
    };
    // What an interrupted test left running off, and steps that no image has any more.
    images.ok(&["rm", "--all"]);
    images.ok(&["rmi", "--prune"]);
    images
});

/// The directory with a brawn in it that `brawn cargo` built for musl.
pub fn static_brawn() -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = kept().join("context");
        fs::create_dir_all(&folder).expect("made");
        fs::copy(static_brawn_for("x86_64"), folder.join("brawn")).expect("copied");
        folder
    });
    FOLDER.clone()
}

/// A brawn that `brawn cargo` built for that architecture's musl.
pub fn static_brawn_for(arch: &str) -> PathBuf {
    static X86_64: LazyLock<PathBuf> = LazyLock::new(|| build_static_brawn("x86_64"));
    static AARCH64: LazyLock<PathBuf> = LazyLock::new(|| build_static_brawn("aarch64"));
    match arch {
        "aarch64" => AARCH64.clone(),
        _ => X86_64.clone(),
    }
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes")
}

/// It has its own heap.
fn build_static_brawn(arch: &str) -> PathBuf {
    let mut package = Package::new();
    let target = kept().join("target");
    let linker = tools().join("rust-musl/bin/aarch64-linux-musl-gcc");
    for (name, value) in [
        ("CARGO_TARGET_DIR", &target),
        ("XDG_CACHE_HOME", &kept().join("cache")),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", &linker),
    ] {
        package.set(name, value.to_str().expect("UTF-8"));
    }
    package.set("CARGO_PROFILE_DEV_DEBUG", "0");
    let triple = format!("{arch}-unknown-linux-musl");
    let words = format!("cargo build --locked --target {triple} -p brawn --bin brawn");
    let mut command = package.command(brawn_path(), &words);
    Said::by({
        command.current_dir(ROOT);
        command
    })
    .ok();
    let brawn = target.join(triple).join("debug/brawn");
    let report = inspect(brawn.to_str().expect("UTF-8"));
    assert_eq!(report["heap"], "brawn", "{report:#}");
    is_static(&report);
    brawn
}

impl Images {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("buildah");
        command.arg("--root").arg(self.base.join("store"));
        command.arg("--runroot").arg(self.base.join("run"));
        command.args(["--storage-driver", &self.driver]).args(words);
        command
    }

    fn ok(&self, words: &[&str]) -> String {
        Said::by(self.command(words)).ok().out.trim().to_owned()
    }

    /// What a build prints.
    fn build(&self, words: &[&str]) -> String {
        let mut command = self.command(&["build", "--isolation", "chroot", "--layers"]);
        command.arg("--pull=never").args(&self.options);
        let said = Said::by({
            command.args(words);
            command
        });
        assert_eq!(said.code, Some(0), "{words:?}:\n{}\n{}", said.out, said.err);
        said.out + &said.err
    }

    /// Builds a target of the toolchains' recipe, and gives the image's name.
    fn toolchain(&self, target: &'static str) -> (String, MutexGuard<'_, Vec<&'static str>>) {
        let name = format!("brawn-test-{target}");
        let mut built = self.built.lock().unwrap_or_else(|e| e.into_inner());
        if !built.contains(&target) {
            self.build(&[
                "--target",
                target,
                "--tag",
                &name,
                "--build-arg",
                "DEBIAN=brawn-test-debian",
                "--build-arg",
                "RUST=brawn-test-debian-rust",
                "--build-context",
                &format!("brawn={}", self.brawn.display()),
                &format!("{RECIPES}/debian"),
            ]);
            built.push(target);
        }
        (name, built)
    }

    /// Builds the recipe in a directory with a toolchain, and gives the image's name, and what the build printed.
    fn program(&self, folder: &str, toolchain: &'static str, tag: &str) -> (String, String) {
        let (from, guard) = self.toolchain(toolchain);
        let argument = format!("TOOLCHAIN={from}");
        // The first stage has a name, too: its steps are kept for the next time.
        let stage = format!("{tag}-build");
        let mut said = String::new();
        for words in [
            vec!["--target", "build", "--tag", &stage],
            vec!["--tag", tag],
        ] {
            said += &self.build(&[&words[..], &["--build-arg", &argument, folder]].concat());
        }
        drop(guard);
        (tag.to_owned(), said)
    }
}

/// A container from an image.
struct Container {
    name: String,
    images: &'static Images,
}

impl Container {
    fn from(image: &str) -> Self {
        let images = &*IMAGES;
        let name = images.ok(&["from", "--pull=never", image]);
        Self { name, images }
    }

    /// Runs a program with the image's user and environment; `options` are buildah's.
    fn command(&self, options: &[&str], words: &[&str]) -> Command {
        let mut command = self.images.command(&["run", "--isolation", "chroot"]);
        command.args(options).arg(&self.name).arg("--").args(words);
        command
    }

    /// Runs a program in the image's files, as its user. Not by buildah, which can lose what a program prints at
    /// its end.
    fn run(&self, certificates: &str, words: &[&str]) -> Said {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={USER}:{USER}"));
        command.arg(self.images.ok(&["mount", &self.name]));
        command
            .args(words)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("SSL_CERT_FILE", certificates);
        Said::by(command)
    }

    /// Holds that the image is the program and certificates, run by a user that is not root, and that the program
    /// has brawn's heap and nothing of another.
    fn is_small(&self, program: &str) {
        let root = self.images.ok(&["mount", &self.name]);
        let mut files = BTreeSet::new();
        list(Path::new(&root), Path::new(&root), &mut files);
        assert_eq!(files, BTreeSet::from([BUNDLE.into(), program.into()]));
        let bundle = fs::read_to_string(Path::new(&root).join(BUNDLE)).expect("readable");
        assert!(bundle.matches("BEGIN CERTIFICATE").count() > 50);

        let path = format!("{root}/{program}");
        let report = inspect(&path);
        assert_eq!(report["heap"], "brawn", "{report:#}");
        assert_eq!(report["verdict"], "fine", "{report:#}");
        is_static(&report);
        let reports = Said::by({
            let mut command = Command::new(brawn_path());
            command.args(["verify", "--json", &path]);
            command
        });
        let reports: serde_json::Value = serde_json::from_str(&reports.ok().out).expect("JSON");
        assert_eq!(reports[0]["verdict"], "replaced", "{reports:#}");

        let format = "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Env}}";
        let config = self.images.ok(&["inspect", "--format", format, &self.name]);
        let runs = format!("{USER}:{USER} [/{program}] [");
        assert!(config.starts_with(&runs), "{config}");
        // buildah adds PATH.
        let variable = format!(" SSL_CERT_FILE=/{BUNDLE}]");
        assert!(config.ends_with(&variable), "{config}");
        self.images.ok(&["umount", &self.name]);
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.images.command(&["rm", &self.name]).output();
    }
}

/// Holds that the program which `inspect` reports needs no loader.
fn is_static(report: &serde_json::Value) {
    let linkage = report["linkage"].as_str();
    assert!(
        matches!(linkage, Some("static" | "static-pie")),
        "{report:#}"
    );
}

/// Every file below a directory.
fn list(folder: &Path, root: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() && !path.is_symlink() {
            list(&path, root, files);
        } else {
            let name = path.strip_prefix(root).expect("below it");
            files.insert(name.to_string_lossy().into_owned());
        }
    }
}

/// The user whose socket listens on a port of this machine.
fn listener(port: u16) -> Option<u32> {
    let table = fs::read_to_string("/proc/net/tcp").expect("readable");
    table.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields[1].ends_with(&format!(":{port:04X}")) && fields[3] == "0A";
        listens.then(|| fields[7].parse().expect("a number"))
    })
}

/// Whom any thread of a process has started.
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task"));
    let lists = tasks
        .into_iter()
        .flatten()
        .flatten()
        .map(|task| fs::read_to_string(task.path().join("children")));
    let lists: Vec<String> = lists.flatten().collect();
    let ids = lists.iter().flat_map(|list| list.split_whitespace());
    ids.map(|id| id.parse().expect("a number")).collect()
}

/// A program that is stopped with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // buildah's own children do not end with it.
        let mut left = vec![self.0.id()];
        while let Some(id) = left.pop() {
            left.extend(children(id));
            let _ = Command::new("kill").args(["-9", &id.to_string()]).output();
        }
        let _ = self.0.wait();
    }
}

#[test]
fn a_service_in_rust_and_a_program_in_c_talk_tls() {
    let images = &*IMAGES;
    let (service, _) = images.program(
        &format!("{RECIPES}/examples/rust"),
        "rust",
        "brawn-test-service",
    );
    let (fetch, _) = images.program(&format!("{RECIPES}/examples/c"), "c", "brawn-test-fetch");
    let (service, fetch) = (Container::from(&service), Container::from(&fetch));
    service.is_small("service");
    fetch.is_small("fetch");

    let keys = tempfile::tempdir().expect("a temporary directory");
    let file = |name| keys.path().join(name).to_str().expect("UTF-8").to_owned();
    let words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=DNS:localhost";
    let mut words: Vec<&str> = words.split(' ').collect();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    words.extend(["-out", &certificate, "-keyout", &key]);
    ok("openssl", &words);
    ok(
        "chown",
        &[
            "-R",
            &USER.to_string(),
            keys.path().to_str().expect("UTF-8"),
        ],
    );
    let volume = format!("{}:/keys:ro", keys.path().display());

    let variables = [
        "-v",
        &volume,
        "-e",
        "TLS_CERT=/keys/certificate.pem",
        "-e",
        "TLS_KEY=/keys/key.pem",
    ];
    let mut command = service.command(&variables, &["/service", "127.0.0.1:0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Running(command.spawn().expect("it runs"));
    let mut line = String::new();
    let mut out = BufReader::new(server.0.stdout.take().expect("piped"));
    out.read_line(&mut line).expect("readable");
    if line.is_empty() {
        let mut said = String::new();
        let _ = server
            .0
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut said);
        panic!("the service ends: {said}");
    }
    let port = line.trim_end().strip_prefix("listening on 127.0.0.1:");
    let port = port.unwrap_or_else(|| panic!("not a port: {line}"));
    assert_eq!(listener(port.parse().expect("a number")), Some(USER));

    // The image's own certificates do not vouch for it; then it is trusted, but for its own name alone.
    let bundle = format!("/{BUNDLE}");
    let trusted = "/keys/certificate.pem";
    images.ok(&["copy", &fetch.name, &certificate, trusted]);
    images.ok(&["copy", &fetch.name, "/etc/hosts", "/etc/hosts"]);
    for (certificates, host) in [(bundle.as_str(), "localhost"), (trusted, "127.0.0.1")] {
        let said = fetch.run(certificates, &["/fetch", host, port]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("certificate verify failed"), "{said:?}");
    }
    for _ in 0..3 {
        let said = fetch.run(trusted, &["/fetch", "localhost", port]).ok();
        assert!(said.out.starts_with("HTTP/1.1 200 OK\r\n"), "{said:?}");
        let answer = "GET / HTTP/1.1 over TLSv1.3; 18890 bytes deflated to ";
        let (_, size) = said
            .out
            .split_once(answer)
            .unwrap_or_else(|| panic!("{said:?}"));
        let size: usize = size.trim_end().parse().expect("a number");
        assert!((100..5000).contains(&size), "{size}");
    }
}

#[test]
fn a_program_in_cpp() {
    let (image, _) = IMAGES.program(
        &format!("{RECIPES}/examples/cpp"),
        "cpp",
        "brawn-test-digests",
    );
    let digests = Container::from(&image);
    digests.is_small("digests");
    let said = digests.run("", &["/digests", "abc", "brawn"]).ok();
    // The first is FIPS 180's example.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n";
    assert!(said.out.starts_with(abc), "{said:?}");
    assert!(said.out.ends_with("  brawn\n"), "{said:?}");
    // Exceptions cross threads.
    let said = digests.run("", &["/digests", "abc", ""]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), abc), "{said:?}");
    assert!(
        said.err.contains("digests: an argument is empty"),
        "{said:?}"
    );
}

#[test]
fn dependencies_stay_built_when_the_program_changes() {
    let images = &*IMAGES;
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().to_str().expect("UTF-8");
    ok("cp", &["-a", &format!("{RECIPES}/examples/rust/."), path]);
    images.program(path, "rust", "brawn-test-changed");
    let main = folder.path().join("src/main.rs");
    let source = fs::read_to_string(&main).expect("readable");
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time");
    let unique = format!("listening since {} on ", now.as_nanos());
    assert!(source.contains("listening on "));
    fs::write(&main, source.replace("listening on ", &unique)).expect("written");
    let (image, said) = images.program(path, "rust", "brawn-test-changed");
    assert!(said.contains("Compiling service "), "{said}");
    for compiled in [
        "Compiling openssl",
        "Compiling libz-sys",
        "Compiling flate2",
    ] {
        assert!(!said.contains(compiled), "{said}");
    }
    let changed = Container::from(&image);
    let root = images.ok(&["mount", &changed.name]);
    let program = fs::read(Path::new(&root).join("service")).expect("readable");
    let new = memchr::memmem::find(&program, unique.as_bytes());
    assert!(new.is_some(), "the old program is in the image");
}
