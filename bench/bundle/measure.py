#!/usr/bin/env python3
"""Measures `brawn patch` of a large bundle of a Swift SDK against unpacking and packing it: `make bench-bundle`.

    measure.py build             makes the bundle, about 200 MB as .tar.gz, of libraries and headers on this machine
    measure.py measure ROUNDS    so many rounds of `tar xzf` and `tar czf`, then `brawn patch -o`; adds to the raw data
    measure.py table             prints the table, in Markdown

The raw data is bench/results/bundle.json: seconds, and peaks of resident memory in bytes.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from timing import timed

ROOT = pathlib.Path(__file__).resolve().parents[2]
BRAWN = ROOT / "target/release/brawn"
WORK = pathlib.Path(os.environ.get("BENCH_FOLDER", ROOT / "target/bench-bundle"))
RESULTS = ROOT / "bench/results/bundle.json"
MB = 1_000_000
MIB = 1 << 20
NAME = "swift-6.0.3-RELEASE_static-linux-0.0.1"
BUNDLE = WORK / f"{NAME}.artifactbundle"
PACKED = WORK / f"{NAME}.artifactbundle.tar.gz"
MUSLS = {"x86_64": "1.2.5", "aarch64": "1.2.5-arm64"}


def libraries():
    """Files as SDKs have them, of this machine's compilers and libraries, in a fixed order."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    folders = [pathlib.Path(sysroot) / "lib", pathlib.Path("/usr/lib"), pathlib.Path("/usr/include"), ROOT / "target/tools/zig"]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            is_wanted = path.suffix in [".a", ".o", ".h", ".hpp", ".rlib"] or ".so" in path.name
            if is_wanted and path.is_file() and not path.is_symlink():
                yield path


def build():
    shutil.rmtree(WORK, ignore_errors=True)
    sdk = BUNDLE / NAME / "swift-linux-musl"
    targets = {}
    for architecture, musl in MUSLS.items():
        root = sdk / "musl-1.2.5.sdk" / architecture
        (root / "usr/lib").mkdir(parents=True)
        shutil.copy(ROOT / "target/tools/musls" / musl / "lib/libc.a", root / "usr/lib/libc.a")
        shutil.copytree(ROOT / "target/tools/musls" / musl / "include", root / "usr/include")
        targets[f"{architecture}-swift-linux-musl"] = {"sdkRootPath": f"musl-1.2.5.sdk/{architecture}"}
    variants = [{"path": f"{NAME}/swift-linux-musl"}]
    info = {"schemaVersion": "1.0", "artifacts": {NAME: {"variants": variants, "version": "0.0.1", "type": "swiftSDK"}}}
    (BUNDLE / "info.json").write_text(json.dumps(info))
    (sdk / "swift-sdk.json").write_text(json.dumps({"schemaVersion": "4.0", "targetTriples": targets}))
    packed = 0
    for number, path in enumerate(libraries()):
        if packed >= 200 * MB:
            break
        start = path.read_bytes()[:MIB]
        packed += path.stat().st_size * len(zlib.compress(start, 6)) // max(len(start), 1)
        folder = sdk / "musl-1.2.5.sdk" / list(MUSLS)[number % 2] / "usr/lib/parts" / str(number // 500)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / f"{number}-{path.name}")
    subprocess.run(["tar", "-C", WORK, "-czf", PACKED, BUNDLE.name], check=True)
    sizes = [path.stat().st_size for path in BUNDLE.rglob("*") if path.is_file()]
    data = {
        "packed": PACKED.stat().st_size,
        "unpacked": sum(sizes),
        "files": len(sizes),
        "largest_file": max(sizes),
        "largest_libc": max(path.stat().st_size for path in BUNDLE.rglob("libc.a")),
        "processors": os.cpu_count(),
        "rounds": [],
    }
    shutil.rmtree(BUNDLE)
    save(data)
    print(f"{data['packed'] / MB:.0f} MB, {data['unpacked'] / MB:.0f} MB unpacked, {data['files']} files")


def save(data):
    RESULTS.write_text(json.dumps(data, indent=1) + "\n")


def measure(rounds):
    data = json.loads(RESULTS.read_text())
    # What is read is in the cache for both.  Not read here: the peak of a child begins with its parent's.
    subprocess.run(["cat", PACKED], check=True, stdout=subprocess.DEVNULL)
    for _ in range(rounds):
        out = WORK / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        unpack = timed(["tar", "-C", out, "-xzf", PACKED])[0]
        pack = timed(["tar", "-C", out, "-czf", WORK / "tar.tar.gz", BUNDLE.name])[0]
        shutil.rmtree(out)
        patched = WORK / "brawn.tar.gz"
        patched.unlink(missing_ok=True)
        seconds, memory = timed([BRAWN, "patch", PACKED, "-o", patched])
        one = {"unpack": unpack, "pack": pack, "brawn": seconds, "brawn_peak": memory}
        one["tar_size"] = (WORK / "tar.tar.gz").stat().st_size
        one["brawn_size"] = patched.stat().st_size
        data["rounds"].append(one)
        save(data)


def table():
    data = json.loads(RESULTS.read_text())
    rounds = data["rounds"]
    median = lambda of: statistics.median(of(one) for one in rounds)
    tar = median(lambda one: one["unpack"] + one["pack"])
    brawn = median(lambda one: one["brawn"])
    ratio = median(lambda one: one["brawn"] / (one["unpack"] + one["pack"]))
    peak = max(one["brawn_peak"] for one in rounds)
    bar = 64 * MIB + data["largest_libc"]
    last = rounds[-1]
    print(f"A bundle of {data['packed'] / MB:.0f} MB ({data['unpacked'] / MB:.0f} MB unpacked, {data['files']} files, the")
    print(f"largest of {data['largest_file'] / MB:.0f} MB, libc.a of {data['largest_libc'] / MB:.1f} MB),", end=" ")
    print(f"{data['processors']} processors; medians of {len(rounds)} rounds:\n")
    print("| what | figure | bar |\n| --- | ---: | --- |")
    print(f"| `tar xzf` and `tar czf` | {tar:.1f} s | |")
    print(f"| `brawn patch -o` | {brawn:.1f} s | |")
    print(f"| against each other | {ratio:.2f}x | ≤ 1.2x: {'met' if ratio <= 1.2 else 'not met'} |")
    word = "met" if peak <= bar else "not met"
    print(f"| `brawn patch`, peak memory | {peak / MIB:.1f} MiB | ≤ 64 MiB and the largest libc.a: {word} |")
    print(f"| size of the result, against tar's | {last['brawn_size'] / last['tar_size']:.3f}x | |")


match sys.argv[1:]:
    case ["build"]:
        build()
    case ["measure", rounds]:
        measure(int(rounds))
    case ["table"]:
        table()
    case _:
        sys.exit(__doc__)
