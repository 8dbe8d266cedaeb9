#!/usr/bin/env bash
# Installs maturin, which builds Python modules of Rust, below target/tools/maturin, from PyPI's own wheel
# (tools/requirements-maturin.txt).  Does nothing when it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=target/tools/maturin
if ! cmp -s tools/requirements-maturin.txt "$folder/installed.txt"; then
  printf 'installing: maturin\n'
  rm -rf "$folder"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: \
    --require-hashes --target "$folder" -r tools/requirements-maturin.txt
  "$folder/bin/maturin" --version >/dev/null
  cp tools/requirements-maturin.txt "$folder/installed.txt"
fi
