"""Measures tokenizers' encode_batch in Rust, Python and Node with each heap, in turns, and keeps the raw data.

    run.py build             builds every binding with every heap
    run.py measure [ROUNDS [WHAT…]]
                             measures what is built, adds to bench/results/extensions.json; WHAT is the beginning
                             of binding/threads/heap, as in `rust` or `python/2`
    run.py table             the medians, as a table
"""

import collections
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "target/bench-extensions"
RESULTS = ROOT / "bench/results/extensions.json"
HEAPS = {"system": "", "mimalloc": "mimalloc", "fast": "brawn", "secure": "brawn-secure", "lean": "brawn-lean"}
PRODUCTS = {"rust": "extensions-rust", "python": "libextensions_python.so", "node": "libextensions_node.so"}
CALLS = 50
THREADS = (1, 2)


def vocabulary():
    """GPT-2's, from an npm package, and the text from a Debian package (tools/extensions.sh fetches both)."""
    return [str(WORK / "package/encoder.json"), str(WORK / "package/vocab.bpe"), str(WORK / "text.txt")]


def product(binding, heap):
    names = {"rust": "program", "python": "extensions_python.abi3.so", "node": "extensions_node.node"}
    return WORK / "built" / heap / names[binding]


def build():
    target = ROOT / "target/extensions"
    for heap, feature in HEAPS.items():
        for binding, name in PRODUCTS.items():
            features = ["--features", feature] if feature else []
            command = ["cargo", "build", "--release", "--locked", "-p", f"extensions-{binding}", *features]
            subprocess.run(command, cwd=HERE, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
            to = product(binding, heap)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target / "release" / name, to)


def run(binding, heap, threads):
    """One process of CALLS calls."""
    built = product(binding, heap)
    command = {
        "rust": [str(built)],
        "python": [sys.executable, str(HERE / "python/measure.py"), str(built.parent)],
        "node": ["node", str(HERE / "node/measure.js"), str(built)],
    }[binding]
    parallel = {"TOKENIZERS_PARALLELISM": str(threads > 1).lower(), "RAYON_NUM_THREADS": str(threads)}
    environment = {**os.environ, **parallel}
    done = subprocess.run([*command, *vocabulary(), str(CALLS)], check=True, env=environment, capture_output=True, text=True)
    told = json.loads(done.stdout)
    said = told.pop("heap")
    expected = f", {heap})" if heap in ("fast", "secure", "lean") else heap
    if expected not in said:
        raise SystemExit(f"{built}: its heap is {said!r}, expected {heap}")
    return {"binding": binding, "heap": heap, "said": said, "threads": threads, **told}


def measure(rounds, chosen):
    runs = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    day = datetime.date.today().isoformat()
    turns = [(binding, threads, heap) for binding in PRODUCTS for threads in THREADS for heap in HEAPS]
    turns = [turn for turn in turns if product(turn[0], turn[2]).exists()]
    turns = [turn for turn in turns if not chosen or "/".join(map(str, turn)).startswith(tuple(chosen))]
    if not turns:
        raise SystemExit("nothing of that is built: run `run.py build`")
    for _ in range(rounds):
        for binding, threads, heap in turns:
            runs.append({"day": day, "kernel": platform.release(), **run(binding, heap, threads)})
            # Kept run by run: whoever ends it early loses none.
            RESULTS.write_text("[\n" + ",\n".join(map(json.dumps, runs)) + "\n]\n")


def table():
    size = os.path.getsize(vocabulary()[2]) / 2**20
    speed, memory = collections.defaultdict(list), collections.defaultdict(list)
    for run in json.loads(RESULTS.read_text()):
        key = run["binding"], run["threads"], run["heap"]
        speed[key].append(size / statistics.median(run["seconds"]))
        memory[key].append(run["rss_kib"] / 1024)
    print("| | heap | throughput | against the system's | RSS after 50 calls | against the system's |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for key in sorted(speed, key=lambda key: (list(PRODUCTS).index(key[0]), key[1], list(HEAPS).index(key[2]))):
        base = (*key[:2], "system")
        fast, held = statistics.median(speed[key]), statistics.median(memory[key])
        gain = ratio = "not measured"
        if base in speed:
            gain = f"{fast / statistics.median(speed[base]) - 1:+.0%}"
            ratio = f"{held / statistics.median(memory[base]):.2f}x"
        print(f"| {key[0]}, {key[1]} thread{'s' * (key[1] > 1)} | {key[2]} | {fast:.2f} MiB/s | {gain} | {held:.0f} MiB | {ratio} |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build"]:
            build()
        case ["measure", *rest]:
            measure(int(rest[0]) if rest else 5, rest[1:])
        case ["table"]:
            table()
        case _:
            raise SystemExit(__doc__)
