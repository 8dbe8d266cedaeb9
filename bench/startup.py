#!/usr/bin/env python3
"""How long `brawn --version` takes beside an empty static program: bench/startup.py BRAWN [--rounds N] [--out FILE].

Both run in turn, and what counts is the time from spawn to the end.  FILE gets every run's nanoseconds; the medians and
what brawn's takes more are printed.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


def run(words):
    """Nanoseconds of one run, whose output goes nowhere."""
    to = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    begin = time.perf_counter_ns()
    child = os.posix_spawn(words[0], words, {}, file_actions=to)
    _, status = os.waitpid(child, 0)
    end = time.perf_counter_ns()
    assert status == 0, (words, status)
    return end - begin


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("brawn", type=Path)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    brawn = str(args.brawn.resolve())
    with tempfile.TemporaryDirectory() as folder:
        empty = f"{folder}/empty"
        source = "int main(void) { return 0; }"
        subprocess.run(["musl-gcc", "-static", "-O2", "-x", "c", "-", "-o", empty], input=source, text=True, check=True)
        forms = {"empty": [empty], "brawn --version": [brawn, "--version"]}
        times = {name: [] for name in forms}
        for words in forms.values():
            run(words)
        for turn in range(args.rounds):
            # Neither is always the one after the other.
            for name in list(forms)[:: 1 if turn % 2 else -1]:
                times[name].append(run(forms[name]))
    medians = {name: statistics.median(all_of_it) / 1e3 for name, all_of_it in times.items()}
    for name, median in medians.items():
        print(f"{name}: {median:.0f} µs (median of {args.rounds})")
    print(f"more: {medians['brawn --version'] - medians['empty']:.0f} µs")
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        load = Path("/proc/loadavg").read_text().split()[:3]
        data = {"bytes": args.brawn.stat().st_size, "processor": processor(), "load": load, "nanoseconds": times}
        args.out.write_text(json.dumps(data, separators=(",", ":")) + "\n")


main()
