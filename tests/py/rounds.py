#!/usr/bin/env python3
"""Rounds of append and sweep on one partition: how many files stay, how often a byte is rewritten.

Appends come closer than `settle`, so that a job waits for min_files, or wider, so that each of them
finds the partition settled and two files are enough. `make rounds ROUNDS=5000` measures more rounds
than the tests do.
"""

import dataclasses
import math
import pathlib
import subprocess
import sys
import tempfile

import lithify
import numbered
import reader

FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR
COMPACT = ["compact", "--readers", "manifest", "--grace", "0s", "--quiet-for", "0s", "--settle", "6h",
           "--audit", "none", "--quiet"]
# Deleted names are forgotten at once: the manifest of one partition would name thousands of them.
GC = ["gc", *numbered.NO_GRACE, "--replay-window", "0s", "--audit", "none"]
AGE_S = {"closer": 60, "wider": 7 * 3600}  # of a new file when the sweep comes
ROWS = 200
GC_ROUNDS = 20
SHM = pathlib.Path("/dev/shm")  # memory: fsync is not what is measured


@dataclasses.dataclass
class Figures:
    rounds: int
    live: int  # files that count at the end
    most: int  # and after the worst of all sweeps
    left: int  # objects in the directory at the end
    times: float  # bytes written by sweeps for each byte appended
    limit: float  # 1 + log4(all that was appended / what came first)


def command(words, root):
    subprocess.run([lithify.BIN, *words, root], check=True, stdout=subprocess.DEVNULL)


def run(root, rounds, kind):
    """`rounds` times one file more and a sweep; every row must be there at the end."""
    appended = rewritten = first = most = 0
    before = {}
    for number in range(rounds):
        path = numbered.write(root / FOLDER / f"round-{number:06}.parquet",
                              range(number * ROWS, (number + 1) * ROWS), age_s=AGE_S[kind])
        appended += path.stat().st_size
        first = first or appended
        command(COMPACT, root)
        live = {path.name: path.stat().st_size for path in reader.live(root / FOLDER)}
        rewritten += sum(size for name, size in live.items() if name not in before and "_e" in name)
        most, before = max(most, len(live)), live
        if number % GC_ROUNDS == GC_ROUNDS - 1:
            command(GC, root)
    for _ in range(2):
        command(GC, root)
    numbered.check(reader.read(root), range(rounds * ROWS))
    left = len(list((root / FOLDER).iterdir()))
    return Figures(rounds, len(before), most, left, rewritten / appended,
                   1 + math.log(appended / first, 4))


def main():
    counts = [50, 500, *map(int, sys.argv[1:])]
    print("| rounds | appends | files at the end | most at once | bytes rewritten per byte appended | "
          "1 + log4(total / first) |")
    print("|---|---|---|---|---|---|")
    for rounds in sorted(set(counts)):
        for kind in AGE_S:
            with tempfile.TemporaryDirectory(dir=SHM if SHM.exists() else None) as folder:
                found = run(pathlib.Path(folder) / "lake", rounds, kind)
            print(f"| {rounds} | {kind} than settle | {found.live} | {found.most} | {found.times:.2f} | "
                  f"{found.limit:.2f} |", flush=True)


if __name__ == "__main__":
    main()
