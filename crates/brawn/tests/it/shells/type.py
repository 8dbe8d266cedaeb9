"""Types into a shell on a terminal of its own: type.py STEPS COMMAND…

Each step is [keys, word]: the keys are typed, and the shell has to show the word before the next step.  What it showed
is printed, a JSON string a line.
"""

import json
import os
import pty
import select
import sys

steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = ""


def until(word):
    """What is shown up to that word."""
    global seen
    while word not in seen:
        # A shell that says nothing for a minute never will.
        ready, _, _ = select.select([terminal], [], [], 60)
        try:
            chunk = os.read(terminal, 65536) if ready else b""
        except OSError:
            chunk = b""
        if not chunk:
            sys.exit(f"expected {word!r}, found {seen!r}")
        seen += chunk.decode(errors="replace")
    end = seen.index(word) + len(word)
    shown, seen = seen[:end], seen[end:]
    return shown


until("READY> ")
for keys, word in steps:
    os.write(terminal, keys.encode())
    print(json.dumps(until(word)), flush=True)
