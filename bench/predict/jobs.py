#!/usr/bin/env python3
"""jobs.py BRAWN JOBS OUT [measure]: what brawn predicts for each job, and what is measured.

JOBS has a line for each job: its name, a tab, and its command, as in a shell. The jobs run in the current folder. OUT is
JSON: for each job the command, the diagnosis and prediction, and the runs (processor time and wall time in seconds, peak
in bytes) as it is and with brawn; the diagnosis of what was rewritten, so that each part can be looked at. What OUT
has already is left out. With `measure` nothing is predicted: a later call, maybe of another brawn, does it."""
import json, os, shlex, statistics, subprocess, sys

brawn, jobs, out, *how = sys.argv[1:]
ROUNDS = "8"
found = json.load(open(out)) if os.path.exists(out) else {}

def told(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout:
        raise ValueError(done.stderr.decode().strip()[:200])
    return json.loads(done.stdout)

def measured(words):
    data = told([brawn, "compare", "--ignore-failure", "--compare-output", "none", "--runs", ROUNDS, "--json", *words])
    runs = {}
    for run in data["runs"]:
        if run["phase"] == "measured":
            figures = run["figures"]
            runs.setdefault(run["round"], {})["brawn" if run["candidate"] else "stock"] = {
                "wall": figures["wall_ns"] / 1e9,
                "cpu": (figures["user_ns"] + figures["system_ns"]) / 1e9,
                "peak": figures["peak_rss"],
                "faults": figures["minor_faults"],
            }
    pairs = [pair for pair in runs.values() if len(pair) == 2]
    if not pairs:
        raise ValueError(f"no runs: {data['findings']}")
    ratio = statistics.median(pair["brawn"]["cpu"] / max(pair["stock"]["cpu"], 1e-9) for pair in pairs)
    forms = (data.get("diagnosis") or {}).get("forms", [])
    after = next((form["diagnosis"] for form in forms if form["candidate"]), None)
    return {"runs": pairs, "ratio": ratio, "load": data["load"], "machine": data["machine"], "after": after}

for line in open(jobs):
    name, command = line.rstrip("\n").split("\t")
    words = ["--", *shlex.split(command)]
    job = found.get(name, {"command": command})
    try:
        if not how and "prediction" not in job:
            job |= told([brawn, "compare", "--predict", "--ignore-failure", "--json", *words])
        if "ratio" not in job:
            job |= measured(words)
    except ValueError as error:
        print(f"{name}: {error}", flush=True)
        continue
    found[name] = job
    with open(out, "w") as file:
        json.dump(found, file, indent=1)
    if "prediction" in job:
        guess = job["prediction"]
        seconds = statistics.median(pair["stock"]["cpu"] for pair in job["runs"])
        print(f"{name:24} {seconds:6.2f} s  measured {job['ratio']:.3f}  predicted {guess['ratio']:.3f} "
              f"({guess['low']:.2f}-{guess['high']:.2f}) {guess['ratio'] - job['ratio']:+.3f}", flush=True)
