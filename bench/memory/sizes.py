"""Turns the histograms of count.c into sizes.h: for each function 256 lengths, the quantiles of what real programs
ask for.  Every program has the same weight, however many calls it makes.

    python3 sizes.py FOLDER... > sizes.h        # one directory a program, with a file for each of its processes
"""
import collections
import pathlib
import sys

POINTS = 256

programs = []
for folder in sys.argv[1:]:
    histograms = collections.defaultdict(collections.Counter)
    for file in pathlib.Path(folder).iterdir():
        for line in file.read_text().splitlines():
            name, length, count = line.split()
            histograms[name][int(length)] += int(count)
    programs.append((pathlib.Path(folder).name, histograms))

print("// Written by sizes.py from what these programs did (calls counted):")
for name, histograms in programs:
    print("//   " + name + ": " + ", ".join(f"{k} {sum(v.values())}" for k, v in sorted(histograms.items())))
functions = sorted({function for _, histograms in programs for function in histograms})
for function in functions:
    weights = collections.Counter()
    for _, histograms in programs:
        total = sum(histograms[function].values())
        # A handful of calls says nothing of a program.
        if total >= 100:
            for length, count in histograms[function].items():
                weights[length] += count / total
    if not weights:
        raise SystemExit(f"{function}: no program calls it 100 times")
    whole, seen, points = sum(weights.values()), 0.0, []
    for length in sorted(weights):
        seen += weights[length] / whole
        while len(points) < POINTS and (len(points) + 0.5) / POINTS <= seen + 1e-12:
            points.append(length)
    points += [max(weights)] * (POINTS - len(points))
    print(f"static const unsigned sizes_{function}[{POINTS}] = {{")
    for row in range(0, POINTS, 16):
        print("    " + ", ".join(str(p) for p in points[row:row + 16]) + ",")
    print("};")
