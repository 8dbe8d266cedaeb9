#!/usr/bin/env python3
"""Measures `brawn rewrite` and `brawn run` on finished executables: `make bench-rewrite`.

Two programs are made in a temporary folder: one of 100 MB, half code and half data, with symbols, and one with 64 MiB
of .bss; and one is the public `typos` (34 MB) of tools/corpus.txt.  Prints a table in Markdown; docs/rewrite.md has the
newest.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from timing import timed

ROOT = pathlib.Path(__file__).resolve().parents[2]
BRAWN = ROOT / "target/release/brawn"
WHEEL = "typos-1.52.0-py3-none-musllinux_1_2_x86_64.whl"
MB = 1_000_000
ROUNDS = 21

MAIN = """#include <stdlib.h>
#include <string.h>
extern char code[], data[];
static char large[BSS];
int main(int argc, char **argv) {
    char *p = malloc(100 * argc);
    strcpy(p, argv[0]);
    large[argc] = p[0];
    return code[argc] + data[argc] + large[argc] == 0;
}
"""
FILLER = """.section .text, "ax"
.globl code
code: .incbin "code"
.data
.globl data
data: .incbin "data"
.section .note.GNU-stack, "", @progbits
"""


def build(folder, name, size, bss):
    """A program with `size` bytes of code and data that are no other program's."""
    half = max(size // 2, 16)
    for part in ["code", "data"]:
        # No two pages alike, as in a real one, and no byte that is a jump.
        (folder / part).write_bytes((bytes(range(1, 200)) * (half // 199 + 1))[:half])
    (folder / "filler.s").write_text(FILLER)
    (folder / "main.c").write_text(MAIN)
    command = ["musl-gcc", "-static", "-O1", f"-DBSS={bss}", "-o", name, "main.c", "filler.s"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / name


def allocated(path):
    os.sync()
    return path.stat().st_blocks * 512


def row(what, figure, bar, met):
    print(f"| {what} | {figure} | {bar}: {'met' if met else 'not met'} |", flush=True)


def rewriting(folder, program, title):
    out = folder / "out"
    runs = []
    for _ in range(5):
        out.unlink(missing_ok=True)
        runs.append(timed([BRAWN, "rewrite", program, "-o", out]))
    subprocess.run([out], check=True)
    seconds = statistics.median(run[0] for run in runs)
    memory = max(run[1] for run in runs)
    size = program.stat().st_size
    row(f"`brawn rewrite` of {title}", f"{seconds * 1000:.0f} ms", "≤ 500 ms", seconds <= 0.5)
    share = memory / size
    row("its peak memory, against the file", f"{share:.2f}x", "≤ 2x", share <= 2)


def added(folder, program, title):
    out = folder / "out"
    out.unlink(missing_ok=True)
    subprocess.run([BRAWN, "rewrite", program, "-o", out], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([out, "--version"], check=True, stdout=subprocess.DEVNULL)
    more = allocated(out) - allocated(program)
    row(f"disk space added to {title}", f"{more / 1024:.0f} KiB", "≤ payload + 16 KiB", more <= payload() + 16384)


def payload():
    """What the payload's objects bring into a program that uses all of it, in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        line = [BRAWN, "link-args", "--dir", folder, "--format", "cc"]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        total = 0
        for path in folder.iterdir():
            if path.suffix in [".o", ".a"]:
                text = subprocess.run(["size", path], check=True, capture_output=True, text=True).stdout
                total += sum(int(line.split()[0]) + int(line.split()[1]) for line in text.splitlines()[1:])
        return total


def running(folder, program, title):
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
    plain, run = [], []
    first = timed([BRAWN, "run", program, "--version"], env=environment)[0]
    for _ in range(ROUNDS):
        plain.append(timed([program, "--version"])[0])
        run.append(timed([BRAWN, "run", program, "--version"], env=environment)[0])
    more = statistics.median(b - a for a, b in zip(plain, run))
    row(f"`brawn run` of {title}, cached, over running it", f"{more * 1000:.1f} ms", "≤ 10 ms", more <= 0.01)
    print(f"| the first `brawn run` of it | {first * 1000:.0f} ms | |")


def main():
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        folder = pathlib.Path(name)
        with zipfile.ZipFile(ROOT / "target/tools/corpus" / WHEEL) as wheel:
            with wheel.open("typos-1.52.0.data/scripts/typos") as source:
                with open(folder / "typos", "wb") as target:
                    shutil.copyfileobj(source, target)
        typos = folder / "typos"
        typos.chmod(0o755)
        print("| what | figure | bar |\n| --- | ---: | --- |")
        large = build(folder, "large", 100 * MB, 1)
        rewriting(folder, large, f"a program of {large.stat().st_size // MB} MB")
        running(folder, typos, f"a program of {typos.stat().st_size // MB} MB")
        added(folder, typos, "the same program")
        added(folder, build(folder, "bss", 0, 64 << 20), "a small program with 64 MiB of .bss")


main()
