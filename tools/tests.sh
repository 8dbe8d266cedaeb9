#!/usr/bin/env bash
# Runs every test of `cargo test --workspace`, in two lanes beside each other.  Each program of tests has an end at which a
# processor waits for the last test, and the trials of the conformance suite wait a third of their time.
#
# The first lane has the tests of two packages; what it says is printed when the second is through.
set -euo pipefail
cd "$(dirname "$0")/.."

# The programs of a lane, as arguments for cargo: a new package's are in the second.
programs() { # first|second
  cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    lane = "first" if package["name"] in ("brawn", "brawn-payload") else "second"
    for target in package["targets"]:
        if target["kind"] == ["test"] and target["test"] and lane == sys.argv[1]:
            print("--test", target["name"], sep="\n")' "$1"
}
lane() { tools/stage.sh --cargo cargo test --workspace --locked --no-fail-fast "$@"; }

first=$(programs first)
second=$(programs second)
mapfile -t first <<<"$first"
mapfile -t second <<<"$second"
said=$(mktemp)
trap 'cat "$said"; rm -f "$said"' EXIT
status=0
lane "${first[@]}" >"$said" 2>&1 &
lane --lib --bins "${second[@]}" || status=1
lane --doc || status=1
wait "$!" || status=1
exit "$status"
