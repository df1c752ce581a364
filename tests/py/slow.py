"""A compaction that takes its time, so that a test can meet it in the middle of its work."""

import json
import subprocess
import time

import lithify
import numbered

SECONDS_MAX = 60


def _has_lease(folder):
    try:
        log = json.loads((folder / "manifest.json").read_bytes())["lithify"]["log"]
    except FileNotFoundError:
        return False
    return log[-1]["op"] == "lease"


def _has_output(folder):
    return any(folder.glob("*_e*.parquet.tmp"))


def begin(root, folder, until="lease", kib_a_second=8):
    """Starts it and returns while it holds the partition: it has the lease and is about to read its
    inputs, or (`until` output) is writing. It reads and writes a few KiB a second."""
    process = subprocess.Popen(
        [lithify.BIN, "compact", *numbered.NOW, "--io-rate", f"{kib_a_second}KiB", root],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    is_there = {"lease": _has_lease, "output": _has_output}[until]
    end = time.monotonic() + SECONDS_MAX
    while not is_there(root / folder):
        assert process.poll() is None and time.monotonic() < end, "it was too quick, or never began"
        time.sleep(0.005)
    return process
