#!/usr/bin/env bash
# Formats every C and C++ file as .clang-format says, with the pinned clang-format that tools/setup.sh installs.
#
#   tools/format-c.sh           writes them
#   tools/format-c.sh --check   says which are not so, and fails
set -euo pipefail
cd "$(dirname "$0")/.."
format=target/tools/clang-format/clang_format/data/bin/clang-format
mode=(-i)
[[ ${1-} != --check ]] || mode=(--dry-run -Werror)
git ls-files -z -- '*.c' '*.h' '*.cc' | xargs -0 "$format" "${mode[@]}"
