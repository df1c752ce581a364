"""P3: a directory is swapped for another one while a program waits for its lock: what it does then it
does in the one that readers see."""

import fcntl
import os
import shutil
import subprocess
import time

import pytest

import changes
import crash
import lithify
import numbered
import reader
import syscalls

DELAY_S = 1.5
SECONDS_MAX = 60


def start(words, guard_out, delayed=None):
    """Starts the program, with or without its guard; `delayed`: a path whose flock takes its time."""
    tracer = ["strace", "-f", "-qq", "-o", os.devnull, "-P", str(delayed), "-e", "trace=flock", "-e",
              f"inject=flock:delay_enter={int(DELAY_S * 1e6)}"] if delayed else []
    program = [crash.BIN if guard_out else lithify.BIN, *map(str, words)]
    return subprocess.Popen([*tracer, *program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL,
                            env=lithify.environment(crash.without("LOCK_SAME") if guard_out else None))


def swap(path, top):
    """`other` is at the path from then on, what was there is `old`, outside of the lake."""
    path.rename(top / "old")
    (top / "other").rename(path)
    return top / "old"


def swap_root(top, guard_out):
    """The lake's own file is put while its directory is swapped. (the old one, the new one)"""
    root, other = top / "lake", top / "other"
    numbered.fill(root / changes.PARTITION, 4, 20)
    shutil.copytree(root, other)
    fd = os.open(root, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    process = start([*changes.COMPACT, root], guard_out)
    time.sleep(DELAY_S)
    assert process.poll() is None, "it did not wait for the lock"
    old = swap(root, top)
    os.close(fd)
    assert process.wait(SECONDS_MAX) in (lithify.DONE, lithify.AGAIN)
    return old, root


def test_root(tmp_path):
    """P3: the lake's own file goes to the lake that is there."""
    old, root = swap_root(tmp_path, guard_out=False)
    assert (root / "_lithify.json").exists() and not (old / "_lithify.json").exists()
    old, root = swap_root(tmp_path / "without", guard_out=True)
    assert (old / "_lithify.json").exists(), "without its guard it works in the old one: the test is vacuous"


def swap_partition(top, guard_out):
    """A partition is swapped between its opening and its lock. (the old one, the new one, rows)"""
    root = top / "lake"
    folder, other = root / changes.PARTITION, top / "other"
    ids = [*numbered.fill(folder, 4, 20)]
    lithify.ok(*changes.ADOPT, root)
    shutil.copytree(folder, other, copy_function=shutil.copy2)
    ids += numbered.fill(other, 2, 20, first=1000, stem="late")
    process = start([*changes.COMPACT, root], guard_out, delayed=folder)
    time.sleep(DELAY_S / 2)
    old = swap(folder, top)
    assert process.wait(SECONDS_MAX) in (lithify.DONE, lithify.AGAIN)
    return old, folder, ids


def test_partition(tmp_path):
    """P3, P2: a job that was begun in a directory that was swapped away writes nothing there."""
    if syscalls.why_not():
        pytest.skip(f"NO SWAP BEFORE A LOCK: {syscalls.why_not()}")
    old, folder, ids = swap_partition(tmp_path, guard_out=False)
    assert len(list(old.iterdir())) == 5, sorted(old.iterdir())
    numbered.check_everywhere(tmp_path / "lake", ids)
    assert len(reader.live(folder)) == 1, "the partition that is there was not compacted"
    old, folder, ids = swap_partition(tmp_path / "without", guard_out=True)
    assert len(list(old.iterdir())) > 5, "without its guard it works in the old one: the test is vacuous"
