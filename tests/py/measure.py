"""Runs a command and writes its exit code, peak memory and time to a file.

A child counts the memory of the process that started it until it execs, so the peak of a small
program started by a test process full of Arrow tables would be the test's. This starts from a bare
interpreter: python -S -E measure.py RESULT COMMAND...
"""

import os
import sys
import time


def main():
    result, command = sys.argv[1], sys.argv[2:]
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            os.execv(command[0], command)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    with open(result, "w", encoding="ascii") as out:
        out.write(f"{code} {usage.ru_maxrss * 1024} {time.monotonic() - start:.6f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
