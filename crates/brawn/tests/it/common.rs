//! Archives to work on, and ways to run programs.

use assert_cmd::Command;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Debian's `musl-dev`.
pub const MUSL: &str = "/usr/lib/x86_64-linux-musl/libc.a";
/// Debian's `libc6-dev`.
pub const GLIBC: &str = "/usr/lib/x86_64-linux-gnu/libc.a";

pub const REFUSED: i32 = 3;
pub const MALFORMED: i32 = 4;
pub const IO: i32 = 5;
pub const RESTORE_REFUSED: i32 = 6;

/// The binary under test.
pub fn brawn() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("brawn"));
    command.env("LC_ALL", "C");
    command
}

pub fn brawn_path() -> &'static str {
    assert_cmd::cargo::cargo_bin!("brawn")
        .to_str()
        .expect("cargo's target directory is UTF-8")
}

/// brawn, with the signals that a test sends to it as they are at first: whoever runs the tests may ignore some (`nohup`, a shell's `&`), and
/// brawn does not watch for a signal that is ignored.
pub fn interruptible() -> std::process::Command {
    let mut command = std::process::Command::new("env");
    command.args(["--default-signal=HUP,INT,TERM", brawn_path()]);
    command
}

/// How many bytes of address space brawn's own file takes, which is another number with another compiler.
pub fn brawn_mapped() -> u64 {
    let said = ok("size", &[brawn_path()]);
    let sum = said
        .lines()
        .nth(1)
        .and_then(|l| l.split_whitespace().nth(3));
    sum.and_then(|sum| sum.parse().ok())
        .unwrap_or_else(|| panic!("{said}"))
}

/// The workspace's directory.
pub fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.ancestors().nth(2);
    root.expect("this crate is two directories below the workspace's")
}

/// What `make test-tools` installs, in the workspace's directory.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// A directory with a `libc.a` in it.
pub struct Folder {
    folder: TempDir,
    old: Vec<u8>,
}

impl Folder {
    /// With Debian's musl.
    pub fn musl() -> Self {
        Self::with(read(Path::new(MUSL)))
    }

    /// With the few members of Debian's musl that matter.
    pub fn small() -> Self {
        Self::with(small().to_vec())
    }

    pub fn with(old: Vec<u8>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("libc.a"), &old).expect("written");
        Self { folder, old }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn libc(&self) -> PathBuf {
        self.path().join("libc.a")
    }

    pub fn kept(&self) -> PathBuf {
        self.path().join("libc.a.brawn-original")
    }

    pub fn record(&self) -> PathBuf {
        self.path().join("libc.a.brawn.json")
    }

    /// The bytes it began with.
    pub fn old(&self) -> &[u8] {
        &self.old
    }

    /// Every name in it, sorted.
    pub fn names(&self) -> Vec<String> {
        names(self.path())
    }

    pub fn patch(&self) -> String {
        succeed(brawn().arg("patch").arg(self.libc()))
    }

    pub fn restore(&self) -> String {
        succeed(brawn().arg("restore").arg(self.libc()))
    }

    /// The bytes that patching it gives.
    pub fn new_bytes(&self) -> Vec<u8> {
        let out = tempfile::tempdir().expect("a temporary directory");
        let out = out.path().join("out.a");
        succeed(brawn().arg("patch").arg(self.libc()).arg("-o").arg(&out));
        read(&out)
    }

    /// The patched archive as an older brawn would have written it: another version in its note.
    pub fn older(&self) -> Vec<u8> {
        let mut bytes = self.new_bytes();
        let version = format!("brawn={}\n", env!("CARGO_PKG_VERSION"));
        let at = bytes
            .windows(version.len())
            .position(|w| w == version.as_bytes())
            .expect("the payload's note");
        bytes[at + 6] = b'x';
        bytes
    }
}

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("readable")
        .map(|e| {
            e.expect("readable")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs it, and gives what it printed.
pub fn succeed(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs it, holds its exit code against `code`, and gives what it printed on standard error.
pub fn fail(command: &mut Command, code: i32) -> String {
    let output = command.assert().code(code).get_output().clone();
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// Copies the binary.  By a program of its own: another test may start one while this process has the copy open for
/// writing, and what is open so cannot be run.
pub fn copy_of_brawn(to: &Path) {
    ok("cp", &[brawn_path(), to.to_str().expect("UTF-8")]);
}

/// Makes a file that was written a program, which can be run at once: a copy, for the same reason.
pub fn make_program(file: &Path) {
    let name = file.to_str().expect("UTF-8");
    let copy = format!("{name}.copy");
    ok("install", &["-m", "755", name, &copy]);
    std::fs::rename(&copy, file).expect("renamed");
}

/// Runs brawn without root's power to ignore permissions, with `variables` in its environment.
pub fn as_nobody(variables: &[(&str, &Path)], arguments: &[&str]) -> Output {
    // The binary may lie where only root can look.
    let folder = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o755))
        .tempdir()
        .expect("a temporary directory");
    let binary = folder.path().join("brawn");
    copy_of_brawn(&binary);
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
        command.arg(&binary);
        command
    } else {
        std::process::Command::new(&binary)
    };
    command.args(arguments).stdin(Stdio::null());
    command.envs(variables.iter().copied());
    command.output().expect("setpriv of util-linux")
}

/// Runs another program, which must exist.
pub fn run(program: &str, arguments: &[&str]) -> Output {
    std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"))
}

/// Runs another program, which must succeed, and gives what it printed.
pub fn ok(program: &str, arguments: &[&str]) -> String {
    let output = run(program, arguments);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Debian's musl, cut down to its heap and what goes with it.
fn small() -> &'static [u8] {
    static SMALL: OnceLock<Vec<u8>> = OnceLock::new();
    SMALL.get_or_init(|| {
        const KEEP: [&str; 23] = [
            "valloc",
            "calloc",
            "free",
            "libc_calloc",
            "lite_malloc",
            "aligned_alloc",
            "donate",
            "malloc",
            "malloc_usable_size",
            "realloc",
            "memalign",
            "posix_memalign",
            "reallocarray",
            "replaced",
            "fork",
            "__libc_start_main",
            "__lctrans",
            "strdup",
            "__errno_location",
            "__environ",
            "getauxval",
            "pthread_key_create",
            "pthread_setspecific",
        ];
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("libc.a");
        std::fs::copy(MUSL, &path).expect("Debian's musl-dev is installed");
        let path = path.to_str().expect("UTF-8");
        let names = ok("ar", &["t", path]);
        let rest = names
            .lines()
            .filter(|name| !KEEP.contains(&name.trim_end_matches(".lo")));
        let arguments: Vec<&str> = ["dD", path].into_iter().chain(rest).collect();
        ok("ar", &arguments);
        read(Path::new(path))
    })
}
