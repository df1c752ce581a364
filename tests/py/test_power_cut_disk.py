"""P3, P2, P8: the same as test_power_cut.py of real file systems: a command runs on a disk that remembers
what it was asked for (log_disk.py), and every disk that a power cut may leave of it is mounted.

This needs root in a machine of its own; elsewhere it is skipped, and says why.
LITHIFY_POWER_CUTS: disks of each file system and command, or `all`: some of each moment.
"""

import os
import random
import subprocess

import pyarrow
import pytest

import after_cut
import changes
import crash
import lithify
import log_disk
import reader

SEED = os.environ.get("LITHIFY_SEED", "1")
COUNT = os.environ.get("LITHIFY_POWER_CUTS", "24")
KINDS = ["ext4", "xfs", "btrfs"]
# Of one moment in a thorough run; of all moments together else: a mount takes its time.
DRAWN, FEW = 2, 4


class Case:
    """A command that ran on a disk of its own."""

    def __init__(self, kind, name, top, command):
        self.kind, self.name, self.top = kind, name, top
        log = top / "log"
        with log_disk.served(top, log) as file, log_disk.looped(file) as device:
            log_disk.run(f"mkfs.{kind}", "-q", device)
            with log_disk.mounted(device, top / "mounted") as place:
                root = place / "top" / "lake"
                root.mkdir(parents=True)
                self.rows = after_cut.wanted(name, *changes.SCENARIOS[name].make(root))
                log_disk.run("sync", "-f", root)
                begun = len(log_disk.Record(log).flushes) - 1
                command(root)
                self.ended = len(log_disk.Record(log).flushes) - 1
                self.acknowledged = after_cut.manifests(root)
        self.record = log_disk.Record(log)
        self.moments = range(begun, len(self.record.flushes))

    def look(self, moment, chance):
        """One disk that may be left behind a flush."""
        where = self.record.image(self.top / "image", self.record.flushes[moment], chance)
        where = f"LITHIFY_SEED={SEED}: {self.kind}, {self.name}, a cut after {where}"
        with log_disk.looped(self.top / "image") as device:
            with log_disk.mounted(device, self.top / "mounted") as place:
                after_cut.check(place / "top" / "lake", self.rows,
                                self.acknowledged if moment >= self.ended else None, where)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_disks(kind, name, quick_path):
    """P3, P2, P8: a file system comes back from any moment with every row, and cleans up."""
    if log_disk.why_not(kind):
        pytest.skip(f"NO DISK WITH {kind}: {log_disk.why_not(kind)}")
    chance = random.Random(f"{SEED}/{kind}/{name}")
    case = Case(kind, name, quick_path, lambda root: lithify.ok(*changes.words(name, root)))
    drawn = [m for m in case.moments for _ in range(DRAWN)] if COUNT == "all" else \
        chance.choices(case.moments, k=FEW)
    print(f"LITHIFY_SEED={SEED}: {kind}, {name}: {len(drawn)} disks of {len(case.moments)} moments")
    for moment in drawn:
        case.look(moment, chance)


def test_a_guard_that_is_out(quick_path):
    """The mutation: without an fsync of what is written, a file system shows what is lost."""
    if log_disk.why_not("ext4"):
        pytest.skip(f"NO DISK WITH ext4: {log_disk.why_not('ext4')}")
    env = lithify.environment(crash.without("SYNC_FIRST"))
    case = Case("ext4", "compact", quick_path, lambda root: subprocess.run(
        [crash.BIN, *changes.words("compact", root)], env=env, check=True, capture_output=True))
    chance, found = random.Random(SEED), []
    for moment in chance.sample(case.moments, len(case.moments)):
        try:
            case.look(moment, chance)
        except (AssertionError, OSError, reader.Blocked, reader.Gone, pyarrow.ArrowException) as problem:
            found.append(problem)
            break
    print(f"LITHIFY_SEED={SEED}: {found}")
    assert found, f"none of {len(case.moments)} moments shows it"
