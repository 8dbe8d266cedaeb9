"""Ratios of the times that `memory` wrote, as Markdown: for each function the geometric mean of the candidate's time
against glibc's over every size and mode, the worst size, and where it is slower than stock musl beyond chance.

    python3 summary.py results.tsv [CANDIDATE]
"""
import math
import statistics
import sys

from samples import interval, paired, read

candidate = sys.argv[2] if len(sys.argv) > 2 else "brawn"
times = read(sys.argv[1])

print("| function | mean, glibc | mix | warm | cold | worst size, glibc | mean, stock | slower than stock |")
print("| --- | ---: | ---: | ---: | ---: | --- | ---: | --- |")
functions = list(dict.fromkeys(key[0] for key in times))
for function in functions:
    rows = {k[1:]: v for k, v in times.items() if k[0] == function and candidate in v}
    if not rows:
        continue
    ratio = {k: statistics.median(paired(v, candidate, "glibc")) for k, v in rows.items()}

    def mean(mode=None, of=ratio):
        logs = [math.log(r) for k, r in of.items() if mode in (None, k[0])]
        return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else "–"

    worst = max(ratio, key=ratio.get)
    low, high = interval(paired(rows[worst], candidate, "glibc"))
    stock = {k: statistics.median(paired(v, candidate, "stock")) for k, v in rows.items() if "stock" in v}
    slower = []
    for k, row in rows.items():
        if "stock" in row:
            a, b = interval(paired(row, candidate, "stock"))
            if a > 1:
                slower.append(f"{k[0]} {k[1]}: {stock[k]:.2f} ({a:.2f} … {b:.2f})")
    over = [f"{k[0]} {k[1]}: {r:.2f}" for k, r in ratio.items() if r > 1.5 and k != worst]
    print(f"| {function} | {mean()} | {mean('mix')} | {mean('warm')} | {mean('cold')} "
          f"| {worst[0]} {worst[1]}: {ratio[worst]:.2f} ({low:.2f} … {high:.2f}){'; ' + '; '.join(over) if over else ''} "
          f"| {mean(of=stock)} | {'; '.join(slower) or '–'} |")
