"""Arguments: the module's folder, vocabulary, merges, text, number of calls.  Prints what `brawn-bench extensions` reads."""

import json
import sys
import time

folder, vocabulary, merges, path, calls = sys.argv[1:]
sys.path.insert(0, folder)
import extensions_python  # noqa: E402

tokenizer = extensions_python.Tokenizer(vocabulary, merges)
text = open(path, encoding="utf-8").read()
documents = [text[at : at + 6500] for at in range(0, len(text), 6500)]
seconds = []
for _ in range(int(calls)):
    start = time.perf_counter()
    encoded = tokenizer.encode_batch(documents)
    seconds.append(time.perf_counter() - start)
tokens = sum(map(len, encoded))
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
told = {"heap": extensions_python.heap(), "tokens": tokens, "seconds": seconds, "rss_kib": int(resident.split()[1])}
print(json.dumps(told))
