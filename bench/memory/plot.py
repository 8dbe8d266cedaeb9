"""Figures of the times that `memory` wrote: one SVG for each function, and `overview.svg` with all of them.

    python3 plot.py [results.tsv [FOLDER]]

Takes the newest raw data in bench/results/memory/ and writes to docs/figures/memory/.  The same data gives the same
bytes; each figure names its data with its SHA-256, which a test of brawn-payload compares.
"""
import hashlib
import pathlib
import re
import statistics
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from samples import interval, paired, read

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Okabe and Ito's colours: told apart whatever one's colour vision, and by their lightness.  brawn is drawn last, and
# thinner than glibc, which shows beside it where both take the same time.
LINES = {
    "stock": {"label": "stock musl", "color": "#666666", "linewidth": 1.6},
    "glibc": {"label": "glibc", "color": "#e69f00", "linewidth": 3.6},
    "brawn": {"label": "brawn", "color": "#0072b2", "linewidth": 1.6},
}
WARM, COLD = ("warm", "huge"), ("cold",)
COLD_STYLE = {"linestyle": (0, (3, 1.6)), "alpha": 0.5}
INK, GRID = "#24292f", "#d8dee4"

plt.rcParams.update({
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "brawn",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#8c959f",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
})


def bytes_text(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024 or unit == "MiB":
            return f"{size:g} {unit}"
        size /= 1024


def time_text(ns):
    for unit in ("ns", "µs", "ms"):
        if ns < 1000 or unit == "ms":
            return f"{ns:.3g} {unit}"
        ns /= 1000


def ratio_text(ratio):
    return f"{ratio:g}x"


def sizes_of(times, function, modes):
    return sorted((key for key in times if key[0] == function and key[1] in modes), key=lambda key: key[2])


def medians(times, keys, name):
    """Sizes and median times of a candidate, where it was measured."""
    keys = [key for key in keys if name in times[key]]
    return [key[2] for key in keys], [statistics.median(times[key][name]) for key in keys]


def ratios(times, keys, name):
    """Sizes, and of the paired ratios to glibc the medians and the ends of their intervals."""
    pairs = [(key[2], paired(times[key], name, "glibc")) for key in keys if {name, "glibc"} <= times[key].keys()]
    ends = [interval(values) for _, values in pairs]
    return ([size for size, _ in pairs], [statistics.median(values) for _, values in pairs],
            [low for low, _ in ends], [high for _, high in ends])


def size_axis(axis, largest, step):
    """Binary sizes: a label every `step` powers of two."""
    last = largest.bit_length() - 1
    axis.set_xscale("log", base=2)
    axis.set_xlim(2**-0.25, largest * 2**0.25)
    axis.xaxis.set_major_locator(FixedLocator([2**power for power in range(0, last + 1, step)]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda size, _: bytes_text(size)))


def ratio_axis(axis, low, high):
    """Powers of two around 1x; `low` and `high` are what has to be seen."""
    axis.set_yscale("log", base=2)
    axis.set_ylim(low / 1.12, high * 1.12)
    axis.yaxis.set_major_locator(FixedLocator([2.0**power for power in range(-4, 9)]))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: ratio_text(ratio)))


def save(figure, path, title, data):
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    figure.savefig(path, format="svg", metadata={
        "Date": None,
        "Title": title,
        "Source": f"{data.name} sha256:{digest}",
    })
    plt.close(figure)
    # matplotlib writes a millionth of a point, which is the last bit of some logarithm, and spaces at lines' ends.
    text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", path.read_text(encoding="utf-8"))
    path.write_text(re.sub(" +$", "", text, flags=re.MULTILINE), encoding="utf-8")


def one(times, function, path, data):
    """Time against size, and below it brawn's ratio to glibc."""
    warm, cold = sizes_of(times, function, WARM), sizes_of(times, function, COLD)
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7.6, 4.9), sharex=True, height_ratios=(3, 1),
        gridspec_kw={"left": 0.095, "right": 0.965, "top": 0.86, "bottom": 0.06, "hspace": 0.1})
    for name, style in LINES.items():
        above.plot(*medians(times, warm, name), zorder=3, solid_capstyle="round", **style)
        above.plot(*medians(times, cold, name), zorder=2.5, **{**style, **COLD_STYLE, "label": None})
    size_axis(above, max(key[2] for key in warm), 2)
    above.set_yscale("log")
    above.yaxis.set_major_locator(LogLocator(numticks=20))
    above.yaxis.set_minor_locator(NullLocator())
    above.yaxis.set_major_formatter(FuncFormatter(lambda ns, _: time_text(ns)))
    above.tick_params(axis="x", length=0)
    above.grid(True)
    above.set_ylabel("time of a call")

    below.axhline(1, color=LINES["glibc"]["color"], linewidth=2.4, zorder=2)
    seen = [0.5, 2]
    for keys, style, band in ((cold, COLD_STYLE, 0.1), (warm, {}, 0.22)):
        sizes, middle, low, high = ratios(times, keys, "brawn")
        below.fill_between(sizes, low, high, color=LINES["brawn"]["color"], alpha=band, linewidth=0, zorder=2.2)
        below.plot(sizes, middle, zorder=3, color=LINES["brawn"]["color"], linewidth=1.6, **style)
        seen += low + high
    ratio_axis(below, min(seen), max(seen))
    below.grid(True)
    below.set_ylabel("brawn / glibc")

    figure.text(0.095, 0.945, function, fontsize=13, weight="bold", family="monospace")
    mix = times.get((function, "mix", 0), {})
    parts = [f"{style['label']} {time_text(statistics.median(mix[name]))}" for name, style in LINES.items() if name in mix]
    if parts:
        figure.text(0.095, 0.9, "lengths of real programs: " + ", ".join(parts), fontsize=8.5)
    handles = [Line2D([], [], **style) for style in LINES.values()]
    handles += [Line2D([], [], color=INK, linewidth=1.2, label="warm"),
                Line2D([], [], color=INK, linewidth=1.2, label="cold", **COLD_STYLE)]
    figure.legend(handles=handles, loc="upper right", bbox_to_anchor=(0.978, 0.995), ncols=5, frameon=False,
                  columnspacing=1.4, handlelength=2.0)
    save(figure, path, f"{function}: time against size", data)


def overview(times, functions, path, data):
    """All functions, warm: stock musl and brawn, in units of glibc's time."""
    columns = 6
    rows = -(-(len(functions) + 1) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(9.6, 1.5 * rows + 0.45), sharex=True, sharey=True, squeeze=False,
        gridspec_kw={"left": 0.055, "right": 0.99, "top": 0.925, "bottom": 0.045, "hspace": 0.32, "wspace": 0.12})
    cells = list(axes.flat)
    largest, seen = 1, [0.5, 2]
    for axis, function in zip(cells, functions):
        keys = sizes_of(times, function, ("warm",))
        largest = max([largest] + [key[2] for key in keys])
        axis.axhline(1, color=LINES["glibc"]["color"], linewidth=2.6, zorder=2)
        for name in ("stock", "brawn"):
            sizes, middle, low, high = ratios(times, keys, name)
            color = LINES[name]["color"]
            axis.fill_between(sizes, low, high, color=color, alpha=0.2, linewidth=0, zorder=2.2)
            axis.plot(sizes, middle, color=color, linewidth=1.4, zorder=3)
            seen += middle
        axis.set_title(function, fontsize=9, family="monospace", weight="bold", loc="left", pad=3)
        axis.grid(True)
    size_axis(cells[0], largest, 10)
    ratio_axis(cells[0], min(seen), max(seen))
    cells[0].yaxis.set_major_locator(FixedLocator([4.0**power for power in range(-2, 4)]))
    for axis in cells:
        axis.tick_params(labelsize=8, length=2)
        # Within the cell: the next one's are close.
        ticks = axis.xaxis.get_major_ticks()
        ticks[0].label1.set_horizontalalignment("left")
        ticks[-1].label1.set_horizontalalignment("right")
    spare = cells[len(functions):]
    for axis in spare:
        axis.set_axis_off()
    for axis in axes[-2][columns - len(spare):]:
        axis.tick_params(labelbottom=True)
    handles = [Line2D([], [], **{**style, "label": label}) for style, label in (
        (LINES["stock"], "stock musl"), (LINES["glibc"], "glibc = 1x"), (LINES["brawn"], "brawn"))]
    spare[0].legend(handles=handles, loc="upper left", frameon=False, borderpad=0, handlelength=1.6)
    figure.text(0.008, 0.975, "Time of a call in units of glibc's, by size, data in cache: lower is better", fontsize=9.5)
    save(figure, path, "The memory functions: time against glibc's", data)


def main():
    data = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else max((ROOT / "bench/results/memory").glob("*.tsv"))
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/figures/memory"
    folder.mkdir(parents=True, exist_ok=True)
    times = read(data)
    functions = list(dict.fromkeys(key[0] for key in times))
    for function in functions:
        one(times, function, folder / f"{function}.svg", data)
    overview(times, functions, folder / "overview.svg", data)
    print(f"{folder}: {len(functions) + 1} figures of {data.name}")


if __name__ == "__main__":
    main()
