#!/usr/bin/env python3
"""Measures what `brawn preload` makes of programs that are linked dynamically with musl: `make bench-preload`.

Builds workloads of bench/workloads for the distribution's musl and for glibc, both dynamic, and runs them in turns: as they
are, musl's with the object of `brawn preload`, glibc's.  Every round's figures go to bench/results/preload; prints a table in
Markdown, which docs/preload.md has.  BRAWN names another binary than the release build's.
"""

import datetime
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BRAWN = os.environ.get("BRAWN", ROOT / "target/release/brawn")
ROUNDS = 11
STARTS = 30  # of the process that allocates once, in each round

# Title, workload, arguments.
WORK = [
    ("`bignum`: small churn on one thread", "bignum", []),
    ("`threads 1`: 1 to 1000 bytes, one thread", "threads", ["1", "1000000", "random"]),
    ("`threads 2`: the same on two", "threads", ["2", "1000000", "random"]),
    ("`seed001`: vectors on two threads", "seed001", ["2", "1000000"]),
    ("`server`: blocks that other threads free", "server", ["2", "100"]),
    ("`realloc`: growing vectors", "realloc", []),
]
ONCE = "a process that allocates once, from start to end"
SIDES = {"dynamic musl": "musl", "with the object": "musl", "glibc": "glibc"}


def build(folder):
    """The workloads for each libc, and the object."""
    for workload in sorted({w for _, w, _ in WORK} | {"once"}):
        source = ROOT / f"bench/workloads/{workload}.c"
        for libc, compiler in [("musl", "musl-gcc"), ("glibc", "gcc")]:
            out = folder / f"{workload}-{libc}"
            subprocess.run([compiler, "-O2", "-w", "-pthread", "-o", out, source], check=True)
    path = folder / "brawn-preload.so"
    subprocess.run([BRAWN, "preload", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def environment(side, path):
    return {"LD_PRELOAD": str(path)} if side == "with the object" else {}


def run(folder, path, side, workload, arguments):
    """Nanoseconds of one operation, and the peak of resident memory in KiB."""
    program = folder / f"{workload}-{SIDES[side]}"
    ran = subprocess.run([program, *arguments], env=environment(side, path), capture_output=True, text=True, check=True)
    line = next(line for line in ran.stdout.splitlines() if line.startswith("result"))
    figures = dict(word.split("=") for word in line.split()[1:])
    return float(figures["ns"]), int(figures["hwm_kb"])


def start(folder, path, side):
    """Nanoseconds from the start of a process to its end; its memory is not looked at."""
    program = folder / f"once-{SIDES[side]}"
    begin = time.perf_counter_ns()
    for _ in range(STARTS):
        process = os.posix_spawn(program, [program], environment(side, path))
        if os.waitpid(process, 0)[1] != 0:
            sys.exit(f"{program} failed")
    return (time.perf_counter_ns() - begin) / STARTS, 0


def time_of(ns):
    return f"{ns:,.3g} ns" if ns < 1000 else f"{ns / 1000:,.3g} µs"


def main():
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = build(folder)
        for number in range(ROUNDS):
            for title, workload, arguments in WORK:
                for side in random.sample(list(SIDES), len(SIDES)):
                    rows.append((number, title, side, *run(folder, path, side, workload, arguments)))
            for side in random.sample(list(SIDES), len(SIDES)):
                rows.append((number, ONCE, side, *start(folder, path, side)))
    results = ROOT / f"bench/results/preload/{datetime.date.today()}.tsv"
    results.parent.mkdir(parents=True, exist_ok=True)
    with open(results, "w") as file:
        print("round", "workload", "side", "ns", "peak_kib", sep="\t", file=file)
        for row in rows:
            print(*row, sep="\t", file=file)
    print("| |", " | ".join(SIDES), "| |\n|---|" + "---:|" * (len(SIDES) + 1))
    for title in [title for title, _, _ in WORK] + [ONCE]:
        cells, medians = [], {}
        for side in SIDES:
            figures = [row[3:] for row in rows if row[1:3] == (title, side)]
            medians[side] = statistics.median(ns for ns, _ in figures)
            peak = statistics.median(peak for _, peak in figures)
            cells.append(time_of(medians[side]) + (f" ({peak:,} KiB)" if peak else ""))
        ratio = medians["with the object"] / medians["dynamic musl"]
        print(f"| {title} | {' | '.join(cells)} | {ratio:.2g} |")


main()
