#!/usr/bin/env python3
"""Makes this checkout the next version, as one commit: `make release VERSION=x.y.z`.

    tools/release.py VERSION [--objects COMMAND]

The version changes wherever it stands, CHANGELOG.md's notes become those of the version, and COMMAND (`make rt-objects`)
writes the objects that carry it.  Refused are a tree with changes, a version that is not greater, and missing notes.
Whatever fails, the tree is left as it was.  Nothing is tagged or pushed: what is left to do is printed.
"""

import argparse
import datetime
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Where the version stands beside manifests and locks: the pattern around it.  Each must be found.
TEXTS = {
    "crates/brawn-rt/README.md": r"(?<=brawn )@(?= \(mimalloc)",
    "docs/rust.md": r"(?<=brawn )@(?= \(mimalloc)",
    "docs/toolchains.md": r"(?<=of brawn )@(?=:)",
    "docs/verify.md": r"(?<=note: brawn )@(?=,)",
    "packaging/README.md": r"(?<=version: )@(?=,)",
}
# What was true of the old version stays so.
HISTORY = ["CHANGELOG.md", "docs/benchmarks.md", "bench/results/"]


class Wrong(Exception):
    """What a user can do something about."""


def say(*words):
    """What the program prints, without its last newline."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def parsed(version):
    if not re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", version):
        raise Wrong(f"version: found {version!r}, expected three numbers, as in 1.2.3")
    return [int(number) for number in version.split(".")]


def replaced(path, pattern, by):
    """The file's text with each place of `pattern` replaced; there must be one."""
    text, count = re.subn(pattern, by, (ROOT / path).read_text())
    if not count:
        raise Wrong(f"{path}: found no place for the version, expected {pattern!r}: change tools/release.py with it")
    return text


def notes(version, day):
    """CHANGELOG.md, its notes of what is unreleased now those of the version."""
    path = "CHANGELOG.md"
    text = (ROOT / path).read_text()
    found = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found or not re.search(r"^- \S", found[1], re.MULTILINE):
        raise Wrong(f"{path}: found no notes below `## Unreleased`, expected a line for each change")
    head = f"## Unreleased\n\n## {version} - {day}\n"
    return text[: found.start()] + head + found[1] + text[found.end() :]


def locks(crates, old, new):
    """Every lock that names one of these crates, with its new version."""
    names = "|".join(map(re.escape, crates))
    pattern = re.compile(rf'(name = "(?:{names})"\nversion = "){re.escape(old)}(?="\n(?!source))')
    for path in say("git", "ls-files", "--", "*Cargo.lock", "Cargo.lock").splitlines():
        text, count = pattern.subn(rf"\g<1>{new}", (ROOT / path).read_text())
        if count:
            yield path, text


def changes(old, new, day):
    """Every file that changes, with its whole new text."""
    metadata = json.loads(say("cargo", "metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"))
    crates = [package["name"] for package in metadata["packages"]]
    number = re.escape(old)
    yield "Cargo.toml", replaced("Cargo.toml", rf'(?m)^(version = "){number}(?="$)|(?<=version = "=){number}(?=")', rf"\g<1>{new}")
    for path, pattern in TEXTS.items():
        yield path, replaced(path, pattern.replace("@", number), new)
    yield from locks(crates, old, new)
    yield "CHANGELOG.md", notes(new, day)


def check_rest(old):
    """Nothing but history still says that brawn is of the old version."""
    found = subprocess.run(
        ["git", "grep", "-nIE", rf"\bbrawn[- ]v?{re.escape(old)}\b", "--", ".", *(f":!{path}" for path in HISTORY)],
        cwd=ROOT, capture_output=True, text=True,
    )
    if found.stdout:
        raise Wrong(f"the old version still stands in\n{found.stdout}add the place to tools/release.py")


def release(new, objects):
    number = parsed(new)
    old = re.search(r'(?m)^version = "(.*)"$', (ROOT / "Cargo.toml").read_text())[1]
    if number <= parsed(old):
        raise Wrong(f"version: found {new}, expected one greater than {old}")
    changed = say("git", "status", "--porcelain")
    if changed:
        raise Wrong(f"the tree has changes: commit them, or put them away\n{changed}")
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    # All of them before the first is written.
    files = dict(changes(old, new, day))
    try:
        for path, text in files.items():
            (ROOT / path).write_text(text)
        check_rest(old)
        subprocess.run(objects, shell=True, cwd=ROOT, check=True)
        say("cargo", "metadata", "--no-deps", "--format-version", "1", "--locked", "--offline")
        say("git", "commit", "--all", "--quiet", "--message", f"brawn {new}\n\nCHANGELOG.md has its notes.")
    except BaseException:
        # The tree was clean.
        say("git", "reset", "--hard", "--quiet")
        raise
    print(f"brawn {new} is committed.  Next: `make test`, `git tag v{new}`, `make dist`, and push both")


def main():
    parser = argparse.ArgumentParser(description="Makes this checkout the next version.")
    parser.add_argument("version", metavar="VERSION")
    parser.add_argument("--objects", metavar="COMMAND", default="make rt-objects")
    args = parser.parse_args()
    # As Ctrl-C: what was begun is undone.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        release(args.version, args.objects)
    except Wrong as wrong:
        sys.exit(f"error: {wrong}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"error: {failed.cmd}: exit code {failed.returncode}: nothing was changed")
    except KeyboardInterrupt:
        sys.exit("error: interrupted: nothing was changed")


main()
