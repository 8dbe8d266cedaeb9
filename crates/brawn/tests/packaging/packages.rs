//! The packages that `tools/package.py` makes, installed and used where there is no checkout: in namespaces of their own,
//! with an empty directory mounted over it.  The binary inside is static, as that of a release, and built for tests, which
//! makes it several times as large: `make dist` holds the real ones to their sizes.

use crate::common::{MUSL, ok, root};
use crate::images::static_brawn_for;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];
/// A time before this repository was, so that nobody's clock can be it.
const EPOCH: &str = "1500000000";

/// Where binaries are, and what is packed from them.
struct Packages {
    folder: TempDir,
}

static PACKAGES: LazyLock<Packages> = LazyLock::new(|| {
    let packages = Packages {
        folder: tempfile::tempdir().expect("a temporary directory"),
    };
    for arch in ARCHITECTURES {
        let to = packages.binary(arch);
        let words = ["-o", to.to_str().expect("UTF-8")];
        let from = static_brawn_for(arch);
        ok(
            "llvm-strip",
            &[&words[..], &[from.to_str().expect("UTF-8")]].concat(),
        );
    }
    packages.pack("out", "022", &["archive", "wheel", "npm", "deb", "recipes"]);
    remove_at_end(&packages.folder);
    packages
});

/// Nobody drops what is static.  The shell's input ends with this process, however it ends.
fn remove_at_end(folder: &TempDir) {
    let shell = Command::new("sh")
        .args(["-c", "read -r never; rm -rf -- \"$0\""])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    std::mem::forget(shell.expect("sh"));
}

impl Packages {
    fn out(&self, folder: &str) -> PathBuf {
        self.folder.path().join(folder)
    }

    /// Where the binary for that architecture belongs.
    fn binary(&self, arch: &str) -> PathBuf {
        let folder = self.out("binaries");
        let folder = folder.join(format!("{arch}-unknown-linux-musl"));
        fs::create_dir_all(&folder).expect("made");
        folder.join("brawn")
    }

    /// Packs the binaries that there are into that directory, by a process with this mask.
    fn pack(&self, folder: &str, mask: &str, kinds: &[&str]) {
        let out = self.out(folder);
        fs::create_dir_all(&out).expect("made");
        let sbom = format!("brawn-{}.cdx.json", env!("CARGO_PKG_VERSION"));
        fs::write(out.join(sbom), SBOM).expect("written");
        let there = ARCHITECTURES
            .iter()
            .filter(|arch| self.binary(arch).exists());
        let arch: String = there.map(|arch| format!("--arch {arch} ")).collect();
        let script = format!(
            "umask {mask}; exec \"$0\" {arch} --level 1 --binaries \"$1\" --out \"$2\" \"${{@:3}}\""
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .arg(root().join("tools/package.py"))
            .args([&self.out("binaries"), &out])
            .args(kinds)
            .env("SOURCE_DATE_EPOCH", EPOCH)
            .output()
            .expect("bash");
        assert!(output.status.success(), "{output:?}");
    }
}

/// What the wheel has to carry as it is.
const SBOM: &str = r#"{"bomFormat":"CycloneDX","specVersion":"1.6","version":1}"#;

/// Runs the script where there is no checkout, in an empty directory, with the packages in `$packages`.
pub fn alone(script: &str) -> Output {
    let work = tempfile::tempdir().expect("a temporary directory");
    let begin = r#"
        set -euo pipefail
        exec 9<"$debian"
        mount -t tmpfs none "$checkout"
        [[ ! -e $checkout/Cargo.toml ]]
        export version checkout packages musl
        cd "$HOME"
    "#;
    Command::new("unshare")
        .args(["--mount", "--pid", "--fork", "--mount-proc", "bash", "-c"])
        .arg(format!("{begin}{script}"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").expect("a path"))
        .env("HOME", work.path())
        .env("LC_ALL", "C")
        .env("version", env!("CARGO_PKG_VERSION"))
        .env("checkout", root())
        .env("packages", PACKAGES.out("out"))
        .env("debian", debian())
        .env("musl", MUSL)
        .stdin(Stdio::null())
        .output()
        .expect("unshare of util-linux")
}

/// Debian's base, of `tools/image-base.sh`.
fn debian() -> PathBuf {
    let tar = root().join("target/tools/image-base/bookworm.tar");
    tar.canonicalize()
        .unwrap_or_else(|e| panic!("{}: {e}: run `make test-packaging`", tar.display()))
}

pub fn succeeds(script: &str) -> String {
    let output = alone(script);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out
}

#[test]
fn a_wheel_is_installed_into_a_clean_environment_and_says_what_it_is() {
    let said = succeeds(
        r#"
        python3 -m venv --without-pip venv
        python3 -m pip --python venv/bin/python --disable-pip-version-check --no-cache-dir install --quiet --no-index \
          --root-user-action ignore "$packages"/brawn-"$version"-*x86_64.whl
        [[ $(venv/bin/brawn --version) = "brawn $version" ]]
        venv/bin/brawn inspect "$musl"
        cat >check.py <<'END'
import base64, hashlib, importlib.metadata, re, sys
brawn = importlib.metadata.distribution("brawn")
for file in brawn.files:
    if file.hash:
        digest = base64.urlsafe_b64encode(hashlib.new(file.hash.mode, file.locate().read_bytes()).digest())
        assert digest.decode().rstrip("=") == file.hash.value, file
# PyPI's page of it is no directory of the repository.
page = brawn.metadata["Description"] or brawn.metadata.get_payload()
assert len(page) > 1000
relative = re.findall(r'(?:\]\(|src="|srcset=")(?!https://|#).*', page)
assert not relative, relative
print("version", brawn.version, brawn.metadata["License-Expression"])
print(*(f for f in brawn.files if "/sboms/" in str(f)))
print(brawn.read_text("sboms/brawn.cdx.json"))
END
        venv/bin/python check.py
        # pip's own reading of the file's name: a platform of each kind, for any Python 3.
        cat >tags.py <<'END'
import sys
from pip._vendor.packaging.utils import parse_wheel_filename
print(*sorted(f"tag {tag}" for tag in parse_wheel_filename(sys.argv[1])[3]), sep="\n")
END
        python3 tags.py "$(basename "$packages"/brawn-"$version"-*x86_64.whl)"
        "#,
    );
    assert!(said.contains("slow heap"), "{said}");
    assert!(said.contains("MIT OR Apache-2.0"), "{said}");
    assert!(said.contains(SBOM), "{said}");
    let info = format!(
        "brawn-{}.dist-info/sboms/brawn.cdx.json",
        env!("CARGO_PKG_VERSION")
    );
    assert!(said.contains(&info), "{said}");
    for platform in ["manylinux_2_17", "manylinux2014", "musllinux_1_1"] {
        let tag = format!("tag py3-none-{platform}_x86_64\n");
        assert!(said.contains(&tag), "{tag}: {said}");
    }
}

#[test]
fn npm_installs_it_without_scripts_and_npx_runs_it_as_itself() {
    let said = succeeds(
        r#"
        export npm_config_update_notifier=false
        npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error \
          "$packages/brawn-$version.tgz" "$packages/brawn-linux-x64-$version.tgz" >npm.log
        npx --offline brawn inspect "$musl"
        code=0; npx --offline brawn inspect --quiet --fail-on slow "$musl" || code=$?
        echo "code $code"
        # A signal to the launcher ends the program, and then itself; a program that waits is in the place of brawn.
        cp "$(command -v sleep)" node_modules/@brawn/linux-x64/bin/brawn
        node node_modules/.bin/brawn 600 &
        launcher=$!
        until program=$(pgrep -P $launcher); do sleep 0.1; done
        kill $launcher
        code=0; wait $launcher || code=$?
        while kill -0 "$program" 2>/dev/null; do sleep 0.1; done
        echo "by a signal: $code"
        # Of a package for another platform, or without the optional ones, it says what is missing.
        rm -r node_modules/@brawn
        code=0; npx --offline brawn --version 2>err || code=$?
        echo "without: $code $(cat err)"
        "#,
    );
    assert!(said.contains("slow heap"), "{said}");
    assert!(said.contains("code 1\n"), "{said}");
    assert!(said.contains("by a signal: 143\n"), "{said}");
    let missing = "without: 5 error: @brawn/linux-x64: not found beside the package brawn: install again without";
    assert!(said.contains(missing), "{said}");
}

#[test]
fn debian_installs_and_removes_it_in_its_base_alone() {
    let debs = ["amd64", "arm64"].map(|arch| {
        let name = format!("brawn_{}_{arch}.deb", env!("CARGO_PKG_VERSION"));
        PACKAGES.out("out").join(name)
    });
    let lint = Command::new("lintian")
        .args(["--allow-root", "--fail-on", "error,warning"])
        .args(debs)
        .output()
        .expect("lintian");
    assert!(lint.status.success(), "{lint:?}");
    let said = succeeds(
        r#"
        mkdir root
        mount -t tmpfs none root
        tar -xf /dev/fd/9 -C root
        cp "$packages/brawn_${version}_amd64.deb" "$musl" root/tmp/
        mkdir -p root/usr/share/man/man1
        chroot root find /usr /etc | sort >before
        in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot root "$@"; }
        # Debian's slim images leave manual pages out; this is none.
        in_root dpkg -i "/tmp/brawn_${version}_amd64.deb" >dpkg.log
        in_root brawn --version
        in_root brawn inspect /tmp/libc.a
        in_root sh -c 'brawn patch /tmp/libc.a >/dev/null && brawn inspect /tmp/libc.a'
        for page in $(in_root brawn man --list); do
          zcat "root/usr/share/man/man1/$page.1.gz" | cmp - <(in_root brawn man "$page")
        done
        for file in bash-completion/completions/brawn zsh/vendor-completions/_brawn fish/vendor_completions.d/brawn.fish; do
          [[ -s root/usr/share/$file ]]
        done
        in_root dpkg --verify brawn
        [[ $(stat -c %U:%G:%a root/usr/bin/brawn root/usr/share/man/man1/brawn.1.gz | xargs) = "root:root:755 root:root:644" ]]
        in_root dpkg -r brawn >dpkg.log
        chroot root find /usr /etc | sort | diff before -
        "#,
    );
    assert!(
        said.contains(concat!("brawn ", env!("CARGO_PKG_VERSION"), "\n")),
        "{said}"
    );
    assert!(
        said.contains("slow heap") && said.contains("fine"),
        "{said}"
    );
}

/// Says what the packer asks brawn for.  Small, since every byte is compressed eight times.
const SPEAKER: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
    return puts(count > 2 && !strcmp(words[2], "--list") ? "brawn" : ".TH brawn 1") < 0;
}
"#;

#[test]
fn the_same_binary_and_time_give_the_same_bytes() {
    let packages = Packages {
        folder: tempfile::tempdir().expect("a temporary directory"),
    };
    let source = packages.out("main.c");
    fs::write(&source, SPEAKER).expect("written");
    let program = packages.binary("x86_64");
    let [to, from] = [&program, &source].map(|path| path.to_str().expect("UTF-8"));
    ok("musl-gcc", &["-static", "-O2", "-o", to, from]);
    packages.pack("out", "022", &["archive", "wheel", "npm", "deb", "recipes"]);
    packages.pack(
        "again",
        "077",
        &["deb", "npm", "wheel", "archive", "recipes"],
    );
    let names = |folder: &str| crate::common::names(&packages.out(folder));
    assert_eq!(names("out"), names("again"));
    assert_eq!(names("out").len(), 10, "{:?}", names("out"));
    for name in names("out") {
        let read = |folder: &str| crate::common::read(&packages.out(folder).join(&name));
        assert!(read("out") == read("again"), "{name} differs");
    }
}

#[test]
fn what_is_no_binary_of_the_architecture_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let target = "x86_64-unknown-linux-musl";
    let refused = |made: &dyn Fn(&Path)| {
        let target = folder.path().join(target);
        fs::create_dir_all(&target).expect("made");
        made(&target.join("brawn"));
        let output = Command::new(root().join("tools/package.py"))
            .args(["--arch", "x86_64", "--binaries"])
            .args([folder.path(), Path::new("--out"), folder.path()])
            .output()
            .expect("python3");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(refused(&|_| ()).contains("brawn: No such file or directory: `make dist` makes it"));
    let script = refused(&|path| fs::write(path, "#!/bin/sh\nexec rm -rf /\n").expect("written"));
    assert!(
        script.contains("at 0x0: found 23212f62696e, expected a 64-bit ELF program"),
        "{script}"
    );
    // Of an archive for aarch64, the first member.
    let other = refused(&|path| {
        let objects = root().join("crates/brawn-rt/objects/aarch64/libbrawn_memory.a");
        let member = Command::new("sh")
            .args(["-c", "ar p \"$0\" \"$(ar t \"$0\" | head -n 1)\""])
            .arg(objects)
            .output()
            .expect("ar");
        fs::write(path, member.stdout).expect("written");
    });
    assert!(
        other.contains("found a program for aarch64, expected one for x86_64"),
        "{other}"
    );
    assert_eq!(crate::common::names(folder.path()), [target]);
}
