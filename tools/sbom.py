#!/usr/bin/env python3
"""Writes what is in brawn's static executables, as CycloneDX 1.6 in JSON.

    tools/sbom.py --out FOLDER      FOLDER/brawn-VERSION.cdx.json
    tools/sbom.py --check FILE      holds a file against CycloneDX's schema (of tools/requirements-sbom.txt)

Its crates are those that cargo links for both targets, with the licence that each names and the SHA-256 that Cargo.lock has.
Besides: the payload's engine, musl, Rust's std, and the unwinder, which tools/rust-musl.sh takes from zig.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"]
# The payload's engine: its sources come from this crate, which nothing links.
ENGINE_CRATE = "libmimalloc-sys2"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def wrong(text):
    sys.exit(f"tools/sbom.py: {text}")


def found(pattern, path):
    """The only group of the pattern in a file, whose path may be below this repository."""
    match = re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)
    return match[1] if match else wrong(f"{path}: found nothing of {pattern}")


def linked():
    """The packages that the program is linked of, and all that cargo knows."""
    # The engine's crate is for a target that does not exist: no filter, once.
    all_of_them = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1"))["packages"]
    chosen, known = {}, {p["id"]: p for p in all_of_them}
    for target in TARGETS:
        data = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target))
        nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
        todo = [p["id"] for p in data["packages"] if p["name"] == "brawn"]
        seen = set()
        while todo:
            package = todo.pop()
            if package in seen:
                continue
            seen.add(package)
            # Procedural macros run where it is compiled; their code is not in the program.
            if any("proc-macro" in t["kind"] for t in known[package]["targets"]):
                continue
            chosen[package] = known[package]
            for dependency in nodes[package]["deps"]:
                if any(k["kind"] is None for k in dependency["dep_kinds"]):
                    todo.append(dependency["pkg"])
    return chosen, known


def sums():
    """The SHA-256 of each package in Cargo.lock, by name and version."""
    entry = r'\[\[package\]\]\nname = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"'
    return {(name, version): sum for name, version, sum in re.findall(entry, (ROOT / "Cargo.lock").read_text())}


def component(kind, name, version, licence, purl, **more):
    reference = {"bom-ref": purl} if purl else {}
    fields = {"type": kind, **reference, "name": name, "version": version, "licenses": [{"expression": licence}]}
    return fields | ({"purl": purl} if purl else {}) | more


def crate(package, hashes):
    name, version = package["name"], package["version"]
    if not package["license"]:
        wrong(f"{name} {version} names no licence")
    more = {}
    if (name, version) in hashes:
        more["hashes"] = [{"alg": "SHA-256", "content": hashes[name, version]}]
    # Older packages divide licences by a slash.
    licence = re.sub(r"\s*/\s*", " OR ", package["license"])
    return component("library", name, version, licence, f"pkg:cargo/{name}@{version}", **more)


def engine(known):
    """mimalloc, whose header has 20502 for version 2.5.2."""
    sources = next((p for p in known.values() if p["name"] == ENGINE_CRATE), None) or wrong(f"cargo knows no {ENGINE_CRATE}")
    # The same header as crates/brawn-payload/build/engine/mod.rs reads.
    header = Path(sources["manifest_path"]).parent / "c_src/mimalloc/include/mimalloc.h"
    number = int(found(r"^#define MI_MALLOC_VERSION\s+(\d+)", header))
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    crate_of = f"pkg:cargo/{sources['name']}@{sources['version']}"
    return component("library", "mimalloc", version, "MIT", f"pkg:github/microsoft/mimalloc@v{version}",
                     description=f"the engine of the payload's heap, compiled from the sources that {crate_of} carries, with the "
                                 "patches of payload/engine")


def document():
    version = found(r'^version = "(.*)"$', "Cargo.toml")
    repository = found(r'^repository = "(.*)"$', "Cargo.toml")
    packages, known = linked()
    hashes = sums()
    crates = [crate(p, hashes) for p in packages.values() if p["name"] != "brawn"]
    rust = found(r"--remap-path-prefix=\$usr/src/rustc-([0-9.]+)=", "tools/rust-musl.sh")
    musl = found(r"^musl=([0-9.]+)$", "tools/rust-musl.sh")
    zig = found(r"^ziglang==([0-9.]+)", "tools/requirements.txt")
    gcc = run("gcc", "-dumpversion").strip()
    others = [
        engine(known),
        component("library", "musl", musl, "MIT", f"pkg:generic/musl@{musl}", description="libc"),
        component("library", "rust-std", rust, "MIT OR Apache-2.0", f"pkg:generic/rust-std@{rust}"),
        component("library", "libunwind", zig, "Apache-2.0 WITH LLVM-exception", f"pkg:generic/libunwind@{zig}",
                  description="LLVM's unwinder, as this version of zig has it"),
        component("library", "libgcc", gcc, "GPL-3.0-or-later WITH GCC-exception-3.1", f"pkg:generic/libgcc@{gcc}",
                  description="the start and end of a program (crtbegin, crtend), and the counting of bits"),
    ]
    itself = component("application", "brawn", version, "MIT OR Apache-2.0", f"pkg:cargo/brawn@{version}",
                       externalReferences=[{"type": "vcs", "url": repository}])
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct"))
    return version, {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "component": itself},
        "components": sorted(crates + others, key=lambda c: c["bom-ref"]),
    }


def check(path):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    try:
        error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(path).read_text())
    except OSError as failed:
        wrong(f"{path}: {failed.strerror}")
    if error:
        wrong(f"{path}: not as CycloneDX's schema has it: {error}")


def main():
    parser = argparse.ArgumentParser(description="Writes what is in brawn's static executables, as CycloneDX.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path)
    what.add_argument("--check", type=Path)
    args = parser.parse_args()
    if args.check:
        return check(args.check)
    version, bom = document()
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"brawn-{version}.cdx.json").write_text(json.dumps(bom, indent=1, ensure_ascii=False) + "\n")


main()
