#!/usr/bin/env python3
"""Packs finished binaries of brawn as people install them.  Nothing is compiled here, and the network is not used.

    tools/package.py [--arch x86_64|aarch64] [--binaries FOLDER] [--out FOLDER] [--level 1-9] [KIND…]

KIND is `archive` (brawn-VERSION-TARGET.tar.gz, as cargo-binstall has it), `wheel`, `npm`, `deb` or `recipes` (Alpine's,
Homebrew's and Nix's, with the archives' sums, and GitLab's component); all of them where none is named.  FOLDER/TARGET/brawn are the binaries (target/dist/bin), and the SBOM
of the wheels is OUT/brawn-VERSION.cdx.json; `make dist` makes both.  Templates are in packaging/: packaging/README.md.

The same binaries and the same SOURCE_DATE_EPOCH (the last commit's time where it is not set) give the same bytes.
"""

import argparse
import base64
import functools
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "packaging"
KINDS = ["archive", "wheel", "npm", "deb", "recipes"]
# What each kind of package calls an architecture, and the `e_machine` of its programs.
ARCHITECTURES = {
    "x86_64": {"npm": "x64", "deb": "amd64", "machine": 62},
    "aarch64": {"npm": "arm64", "deb": "arm64", "machine": 183},
}
SHELLS = {"bash": "brawn", "zsh": "_brawn", "fish": "brawn.fish"}
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions",
    "zsh": "usr/share/zsh/vendor-completions",
    "fish": "usr/share/fish/vendor_completions.d",
}
RECIPES = ["alpine/APKBUILD", "gitlab/brawn.yml", "homebrew/brawn.rb", "nix/flake.nix"]
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]
# `cargo brawn`: the program of this name, as a script, which is the same for every architecture.
CARGO_BRAWN = TEMPLATES / "cargo-brawn"


class Wrong(Exception):
    """What a user can do something about."""


def settings():
    """Version, repository and maintainer, each of which stands once, in Cargo.toml."""
    text = (ROOT / "Cargo.toml").read_text()
    words = {"version": "version", "repository": "repository", "authors": "maintainer"}
    return {of: re.search(rf'^{name} = \[?"(.*)"\]?$', text, re.MULTILINE)[1] for name, of in words.items()}


def epoch():
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if said is None:
        git = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        said = subprocess.run(git, check=True, capture_output=True, text=True).stdout
    # A zip file has no earlier time.
    return max(int(said), 315532800)


def fill(template, values):
    """The template's text, with each @NAME@ replaced; one that has no value is an error."""
    def value(found):
        if found[1] not in values:
            raise Wrong(f"{template}: nothing is known of @{found[1]}@")
        return values[found[1]]
    return re.sub(r"@([A-Z0-9_]+)@", value, template.read_text())


def readme(repository):
    """README.md for pages that are not the repository's: what it refers to is named by its whole address."""
    def whole(found):
        kind = "raw" if found[2].endswith((".png", ".svg")) else "blob"
        return f"{found[1]}{repository}/{kind}/main/{found[2]}"
    return re.sub(r'(\]\(|\bsrc(?:set)?=")(?!https?:|#)([^)"\s]+)', whole, (ROOT / "README.md").read_text())


def machine(path):
    """The architecture of a program, by its ELF header."""
    try:
        head = path.read_bytes()[:20]
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}: `make dist` makes it") from None
    if len(head) < 20 or head[:6] != b"\x7fELF\x02\x01":
        raise Wrong(f"{path}: at 0x0: found {head[:6].hex()}, expected a 64-bit ELF program")
    number = int.from_bytes(head[18:20], "little")
    return next((name for name, of in ARCHITECTURES.items() if of["machine"] == number), f"machine {number}")


class Pack:
    """What is packed, and where to."""

    def __init__(self, args):
        self.__dict__.update(settings())
        self.out, self.epoch, self.level = args.out, epoch(), args.level
        self.values = {"VERSION": self.version, "REPOSITORY": self.repository, "MAINTAINER": self.maintainer}
        self.binaries = {}
        for arch in args.arch or ARCHITECTURES:
            path = args.binaries / self.target(arch) / "brawn"
            if machine(path) != arch:
                raise Wrong(f"{path}: found a program for {machine(path)}, expected one for {arch}")
            self.binaries[arch] = path
        self.out.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def target(arch):
        return f"{arch}-unknown-linux-musl"

    def ask(self, *words):
        """What brawn itself prints: of the first binary that this machine runs."""
        path = self.binaries.get(platform.machine())
        if path is None:
            raise Wrong(f"none of these binaries is for {platform.machine()}: pack them where one of them runs")
        said = subprocess.run([path, *words], check=True, capture_output=True, env={"LC_ALL": "C"})
        return said.stdout

    @functools.cached_property
    def pages(self):
        """Manual pages and completions, which are the same for every architecture."""
        files = {f"man/{name}.1": (0o644, self.ask("man", name)) for name in self.ask("man", "--list").decode().split()}
        files["man/cargo-brawn.1"] = (0o644, b".so man1/brawn-cargo.1\n")
        for shell, name in SHELLS.items():
            files[f"completions/{shell}/{name}"] = (0o644, self.ask("completions", shell))
        return files

    def publish(self, name, data):
        """A whole file, or none."""
        path = self.out / name
        with tempfile.NamedTemporaryFile(dir=self.out, prefix=".", delete=False) as file:
            file.write(data)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
        print(f"{path}  {len(data):,} bytes")

    def tar(self, entries):
        """A .tar.gz of {name: (mode, bytes)} that says nothing of who made it."""
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, (mode, data) in sorted(entries.items()):
                info = tarfile.TarInfo(name)
                info.mode, info.size, info.mtime = mode, len(data), self.epoch
                tar.addfile(info, io.BytesIO(data))
        return gzip.compress(plain.getvalue(), self.level, mtime=0)

    def files(self, arch):
        """What every kind of package for a system has: {path: (mode, bytes)}."""
        return {
            "bin/brawn": (0o755, self.binaries[arch].read_bytes()),
            "bin/cargo-brawn": (0o755, CARGO_BRAWN.read_bytes()),
            **self.pages,
        }

    def archive(self):
        for arch in self.binaries:
            top = f"brawn-{self.version}-{self.target(arch)}"
            entries = {}
            for name, content in self.files(arch).items():
                # cargo-binstall looks for programs at the top.
                entries[f"{top}/{name.removeprefix('bin/')}"] = content
            for name in LICENCES:
                entries[f"{top}/{name}"] = (0o644, (ROOT / name).read_bytes())
            entries[f"{top}/README.md"] = (0o644, readme(self.repository).encode())
            self.publish(f"{top}.tar.gz", self.tar(entries))

    def recipes(self):
        """What builds packages of others from the archives, which must be there."""
        values = dict(self.values)
        for arch in ARCHITECTURES:
            archive = self.out / f"brawn-{self.version}-{self.target(arch)}.tar.gz"
            # One that is not packed has a sum that no file has.
            data = archive.read_bytes() if arch in self.binaries else None
            for name in ["sha256", "sha512"]:
                digest = hashlib.new(name, data or b"")
                value = digest.hexdigest() if data else "0" * 2 * digest.digest_size
                values[f"{name.upper()}_{arch.upper()}"] = value
        for template in RECIPES:
            self.publish(Path(template).name, fill(TEMPLATES / template, values).encode())

    def wheel(self):
        sbom = self.out / f"brawn-{self.version}.cdx.json"
        if not sbom.is_file():
            raise Wrong(f"{sbom}: no such file: `make dist` makes the SBOM that a wheel carries")
        metadata = fill(TEMPLATES / "wheel/METADATA", self.values) + "\n" + readme(self.repository)
        for arch, binary in self.binaries.items():
            tags = [f"manylinux_2_17_{arch}", f"manylinux2014_{arch}", f"musllinux_1_1_{arch}"]
            wheel = "Wheel-Version: 1.0\nGenerator: tools/package.py\nRoot-Is-Purelib: false\n"
            wheel += "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
            data, info = f"brawn-{self.version}.data", f"brawn-{self.version}.dist-info"
            entries = {
                f"{data}/scripts/brawn": binary.read_bytes(),
                f"{info}/METADATA": metadata.encode(),
                f"{info}/WHEEL": wheel.encode(),
                f"{info}/sboms/brawn.cdx.json": sbom.read_bytes(),
            }
            for name in LICENCES:
                entries[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
            entries[f"{info}/RECORD"] = record(entries, f"{info}/RECORD")
            self.publish(f"brawn-{self.version}-py3-none-{'.'.join(tags)}.whl", self.zip(entries))

    def zip(self, entries):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=self.level) as file:
            for name, data in entries.items():
                info = zipfile.ZipInfo(name, time.gmtime(self.epoch)[:6])
                info.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
                info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
                file.writestr(info, data, compresslevel=self.level)
        return packed.getvalue()

    def npm(self):
        names = {arch: f"@brawn/linux-{of['npm']}" for arch, of in ARCHITECTURES.items()}
        common = {"README.md": (0o644, readme(self.repository).encode())}
        for name in LICENCES:
            common[name] = (0o644, (ROOT / name).read_bytes())

        def pack(package, files):
            files = {**common, **files, "package.json": (0o644, (json.dumps(package, indent=2) + "\n").encode())}
            name = package["name"].lstrip("@").replace("/", "-")
            entries = {f"package/{path}": content for path, content in files.items()}
            self.publish(f"{name}-{self.version}.tgz", self.tar(entries))

        for arch, binary in self.binaries.items():
            package = json.loads(fill(TEMPLATES / "npm/platform.json", self.values))
            package["name"], package["cpu"] = names[arch], [ARCHITECTURES[arch]["npm"]]
            pack(package, {"bin/brawn": (0o755, binary.read_bytes())})
        package = json.loads(fill(TEMPLATES / "npm/package.json", self.values))
        # To the version: each launcher goes with its own binary alone.
        package["optionalDependencies"] = {name: self.version for name in names.values()}
        pack(package, {"bin/brawn.js": (0o755, (TEMPLATES / "npm/brawn.js").read_bytes())})

    def deb(self):
        for arch in self.binaries:
            with tempfile.TemporaryDirectory() as work:
                tree = Path(work) / "tree"
                self.deb_tree(arch, tree)
                name = f"brawn_{self.version}_{ARCHITECTURES[arch]['deb']}.deb"
                built = Path(work) / name
                command = ["dpkg-deb", "--build", "--root-owner-group", "-Zxz", f"-z{self.level}", str(tree), str(built)]
                environment = {**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch)}
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
                self.publish(name, built.read_bytes())

    def deb_tree(self, arch, tree):
        files = {}
        for name, (mode, data) in self.files(arch).items():
            kind, rest = name.split("/", 1)
            if kind == "bin":
                files[f"usr/bin/{rest}"] = (mode, data)
            elif kind == "man":
                files[f"usr/share/man/man1/{rest}.gz"] = (mode, gzip.compress(data, 9, mtime=0))
            else:
                shell, base = rest.split("/")
                files[f"{COMPLETIONS[shell]}/{base}"] = (mode, data)
        size = sum(len(data) for _, data in files.values()) // 1024 + 1
        day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(self.epoch))
        values = {**self.values, "ARCH": ARCHITECTURES[arch]["deb"], "SIZE": str(size), "DATE": day}
        values["MIT"] = "\n".join(f" {line or '.'}" for line in (ROOT / "LICENSE-MIT").read_text().rstrip().splitlines())

        def filled(name):
            return fill(TEMPLATES / "deb" / name, values).encode()

        doc = "usr/share/doc/brawn"
        files[f"{doc}/copyright"] = (0o644, filled("copyright"))
        files[f"{doc}/changelog.gz"] = (0o644, gzip.compress(filled("changelog"), 9, mtime=0))
        files["usr/share/lintian/overrides/brawn"] = (0o644, filled("lintian-overrides"))
        sums = (f"{hashlib.md5(data).hexdigest()}  {name}\n" for name, (_, data) in sorted(files.items()))
        files["DEBIAN/md5sums"] = (0o644, "".join(sums).encode())
        files["DEBIAN/control"] = (0o644, filled("control"))
        for name, (mode, data) in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
        # Whatever mask this runs with, whoever installs it may look into its folders.
        for path in [tree, *tree.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (self.epoch, self.epoch))


def record(entries, own):
    """Of each file of a wheel the sum; of itself none."""
    lines = []
    for name, data in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return ("".join(lines) + f"{own},,\n").encode()


def main():
    parser = argparse.ArgumentParser(description="Packs finished binaries of brawn.", usage=__doc__.split("\n")[2].strip())
    parser.add_argument("--arch", action="append", choices=ARCHITECTURES)
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/dist/bin")
    parser.add_argument("--out", type=Path, default=ROOT / "target/dist")
    parser.add_argument("--level", type=int, default=9, choices=range(1, 10), help="of compression: 9 makes the smallest packages, 1 takes the least time")
    parser.add_argument("kinds", nargs="*", metavar="KIND", default=[])
    args = parser.parse_args()
    for kind in args.kinds:
        if kind not in KINDS:
            parser.error(f"{kind}: found no such kind, expected one of: {' '.join(KINDS)}")
    try:
        pack = Pack(args)
        if "deb" in (args.kinds or KINDS) and not shutil.which("dpkg-deb"):
            raise Wrong("dpkg-deb: no such program: it packs the Debian packages")
        for kind in args.kinds or KINDS:
            getattr(pack, kind)()
    except Wrong as wrong:
        sys.exit(f"error: {wrong}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"error: {failed}\n{(failed.stderr or b'')!s}")


main()
