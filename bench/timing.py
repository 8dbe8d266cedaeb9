"""What the measuring scripts of these folders share."""

import os
import subprocess
import sys
import time


def timed(command, **options):
    """Seconds, and the peak of resident memory in bytes: a child's begins with its parent's."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command}: exit code {process.returncode}")
    return seconds, usage.ru_maxrss * 1024
