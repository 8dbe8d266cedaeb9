#!/usr/bin/env bash
# tools/fuzz.sh SECONDS: runs every fuzz target for SECONDS, and fails if one crashes.
#
# Works with stable Rust and without cargo-fuzz: the flags are those by which the compiler counts
# edges for libFuzzer.  What a run finds stays out of the committed corpora; a crash is kept in
# target/fuzz/artifacts/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS}
host=$(rustc -vV | sed -n 's/^host: //p')
build=${CARGO_TARGET_DIR:-target}/fuzz
mkdir -p "$build"
build=$(cd "$build" && pwd)

# With --target, build scripts and macros are not instrumented.
RUSTFLAGS="-Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table \
--cfg fuzzing" \
    cargo build --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$build"

status=0
for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    found=$(mktemp -d)
    mkdir -p "$build/artifacts/$target"
    echo "fuzzing $target for $seconds s"
    if ! "$build/$host/release/$target" \
        -max_total_time="$seconds" -max_len=32768 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/artifacts/$target/" \
        "$found" "fuzz/corpus/$target" 2>"$found.log"; then
        status=1
        tail -n 40 "$found.log"
        echo "$target failed; what it failed on is in $build/artifacts/$target/" >&2
    else
        sed -nE '/number_of_executed_units|new_units_added/p' "$found.log"
    fi
    rm -rf "$found" "$found.log"
done
exit "$status"
