#!/usr/bin/env bash
# tools/fuzz.sh SECONDS [TARGET…]: runs every fuzz target, or these, for SECONDS, as many at a time as there are
# processors, and fails if one crashes, takes 5 seconds for one input or 512 MiB.  tools/fuzz.sh --build only compiles
# them.
#
# Works with stable Rust and without cargo-fuzz: the flags are those by which the compiler counts
# edges for libFuzzer.  BRAWN_FUZZ_SEED=1 makes the same inputs in each run, as many as there is
# time for.  What a run finds stays out of the committed corpora; a crash is kept in
# target/fuzz/artifacts/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS|--build [TARGET…]}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
build=${CARGO_TARGET_DIR:-target}/fuzz
mkdir -p "$build"
build=$(cd "$build" && pwd)

# With --target, build scripts and macros are not instrumented.  Lines of sources, compressed, are half of the size.
RUSTFLAGS="-Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table \
-Clink-arg=-Wl,--compress-debug-sections=zlib \
--cfg fuzzing" \
    cargo build --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$build"

[[ $seconds != --build ]] || exit 0

fuzz() { # TARGET
    local target=$1 found status=0
    found=$(mktemp -d)
    mkdir -p "$build/artifacts/$target" "$found.tmp"
    echo "fuzzing $target for $seconds s"
    TMPDIR=$found.tmp BRAWN_FUZZ=$target "$build/$host/release/fuzz" \
        -max_total_time="$seconds" -seed="${BRAWN_FUZZ_SEED:-0}" -max_len=32768 -timeout=5 -rss_limit_mb=512 \
        -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/artifacts/$target/" \
        "$found" "fuzz/corpus/$target" 2>"$found.log" || status=1
    if ((status)); then
        tail -n 40 "$found.log"
        echo "$target failed; what it failed on is in $build/artifacts/$target/" >&2
    else
        echo "$target: $(sed -nE '/number_of_executed_units|new_units_added/p' "$found.log" | tr -s '\n ' ' ')"
    fi
    rm -rf "$found" "$found.log" "$found.tmp"
    return "$status"
}

targets=("$@")
for source in fuzz/fuzz_targets/*.rs; do
    (($#)) || targets+=("$(basename "$source" .rs)")
done
status=0
running=0
for target in "${targets[@]}"; do
    if [[ ! -f fuzz/fuzz_targets/$target.rs ]]; then
        echo "$target: no such target in fuzz/fuzz_targets" >&2
        status=1
        continue
    fi
    if ((running == $(nproc))); then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz "$target" &
    running=$((running + 1))
done
for ((; running; running--)); do wait -n || status=1; done
exit "$status"
