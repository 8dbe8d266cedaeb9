#!/usr/bin/env python3
"""Measures one engine of the payload against another, and both against mimalloc by hand.

    bench/engine/measure.py OLD OLD_VERSION OUT

OLD is a folder of `crates/brawn-rt/objects` as it was with the engine before (`git show`, `git worktree`), the new
one is the repository's.  Builds workloads of bench/workloads with each engine's object on the link line, and with the
libc.a of bench/peers/build.sh (mimalloc 2 and 3 at the version that Cargo.lock pins), and runs them in turns; every
round's figures go to OUT, a file of bench/results/engine.  Ratios are of pairs within a round.  `instructions` are
callgrind's, which runs one thread at a time: they do not depend on what else the machine does.
"""

import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBC = "/usr/lib/x86_64-linux-musl/libc.a"  # Debian's package musl-dev
ROUNDS = int(os.environ.get("ROUNDS", "9"))

# Title, workload, arguments.
WORK = [
    ("bignum: small churn on one thread", "bignum", ["1000000"]),
    ("threads 1: 1 to 1000 bytes, one thread", "threads", ["1", "1000000", "random"]),
    ("threads 2: the same on two", "threads", ["2", "500000", "random"]),
    ("server: blocks that other threads free", "server", ["2", "100"]),
    ("stress: 16 B to 1 MiB, two threads", "stress", ["60", "200000"]),
    ("realloc: growing vectors", "realloc", ["600"]),
]
COUNTED = {
    "bignum": ["100000"],
    "threads": ["1", "200000", "random"],
    "realloc": ["100"],
    "server": ["2", "3"],
    "stress": ["60", "5000"],
}


def build(folder, old):
    """The workloads, each for every side."""
    sides = {"before": None, "now": None, "mimalloc 2 by hand": "v2", "mimalloc 3 by hand": "v3"}
    objects = {"before": pathlib.Path(old), "now": ROOT / "crates/brawn-rt/objects"}
    for side, version in sides.items():
        if version:
            subprocess.run([ROOT / "bench/peers/build.sh", version, LIBC, folder / version], check=True)
            more = ["-L", folder / version]
        else:
            heap = objects[side] / "x86_64/fast/libbrawn_heap.a"
            more = ["-Wl,--whole-archive", heap, "-Wl,--no-whole-archive"]
        for workload in {workload for _, workload, _ in WORK}:
            source = ROOT / f"bench/workloads/{workload}.c"
            out = folder / f"{workload}-{side}"
            subprocess.run(["musl-gcc", "-O2", "-static", "-o", out, source, *more], check=True)
    return list(sides)


def run(program, arguments):
    """Processor time in milliseconds, and the peak of resident memory in KiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([program, *arguments], env={}, capture_output=True, text=True, check=True)
    line = next(line for line in ran.stdout.splitlines() if line.startswith("result"))
    figures = dict(word.split("=") for word in line.split()[1:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_ms": round(cpu * 1000, 3), "peak_kib": int(figures["hwm_kb"])}


def instructions(program, arguments):
    ran = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *arguments],
        capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", ran.stderr).group(1))


def main():
    old, version, out = sys.argv[1:]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sides = build(folder, old)
        for workload, arguments in COUNTED.items():
            for side in sides:
                count = instructions(folder / f"{workload}-{side}", arguments)
                rows.append((0, f"{workload} {' '.join(arguments)}", side, "instructions", count))
        for number in range(ROUNDS):
            for title, workload, arguments in WORK:
                for side in random.sample(sides, len(sides)):
                    figures = run(folder / f"{workload}-{side}", arguments)
                    rows += [(number, title, side, what, figure) for what, figure in figures.items()]
    with open(out, "w") as file:
        print(f"# before: {version}; now: the payload's engine; by hand: the versions of bench/peers/build.sh", file=file)
        print("round", "workload", "side", "what", "figure", sep="\t", file=file)
        for row in rows:
            print(*row, sep="\t", file=file)
    for title, what in dict.fromkeys((row[1], row[3]) for row in rows):
        of = {side: [row[4] for row in rows if (row[1], row[2], row[3]) == (title, side, what)] for side in sides}
        cells = [f"{side} {statistics.median(of[side]):,.4g}" for side in sides]
        ratio = statistics.median(now / before for now, before in zip(of["now"], of["before"]))
        print(f"{title}, {what}: {', '.join(cells)}; now/before {ratio:.3f}")


main()
