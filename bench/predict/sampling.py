#!/usr/bin/env python3
"""sampling.py BRAWN ROUNDS OUT PROGRAM ARGS...: what sampling costs a program, in processor time.

Each round is one `brawn compare` of the program with itself: two measured runs of each, then the sampled ones. OUT is JSON:
for each round the processor time in seconds of the measured runs, and the mean of the sampled ones. What brawn's own process
takes to read the samples is not in it."""
import json, os, statistics, subprocess, sys

brawn, rounds, out, *command = sys.argv[1:]
options = ["--against", command[0], "--runs", "2", "--compare-output", "none", "--json"]
found = []
for _ in range(int(rounds)):
    done = subprocess.run([brawn, "compare", *options, "--", *command], stdout=subprocess.PIPE, check=True)
    data = json.loads(done.stdout)
    figures = [run["figures"] for run in data["runs"] if run["phase"] == "measured"]
    plain = [(f["user_ns"] + f["system_ns"]) / 1e9 for f in figures]
    sampled = [form["diagnosis"]["seconds"] / form["runs"] for form in data["diagnosis"]["forms"]]
    counts = [form["diagnosis"]["samples"] for form in data["diagnosis"]["forms"]]
    found.append({"plain": plain, "sampled": sampled, "samples": counts})
ratios = [statistics.mean(r["sampled"]) / statistics.mean(r["plain"]) for r in found]
with open(out, "w") as file:
    json.dump({"command": command, "load": os.getloadavg(), "rounds": found}, file, indent=1)
print(f"sampled / plain: median {statistics.median(ratios):.4f}, {min(ratios):.4f} to {max(ratios):.4f}")
