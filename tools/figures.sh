#!/usr/bin/env bash
# Draws the figures of docs/memory-functions.md from the newest raw data in bench/results/memory, or from what is given
# (bench/memory/plot.py), with the matplotlib of tools/requirements-figures.txt, which it installs below target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=target/tools/figures
if ! cmp -s tools/requirements-figures.txt "$folder/installed.txt"; then
  printf 'installing: matplotlib\n'
  rm -rf "$folder"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: \
    --require-hashes --target "$folder" -r tools/requirements-figures.txt
  cp tools/requirements-figures.txt "$folder/installed.txt"
fi
# Its configuration and caches are no part of the user's own.
PYTHONPATH=$folder MPLCONFIGDIR=$folder/configuration exec python3 -B bench/memory/plot.py "$@"
