"""P3 for readers = exchange: killed at any step, who lists directories sees each row once.

Each scenario is made anew for each kill: a copy of a lake has other inodes, by which directories that
were swapped out are known. Steps that are the same in every mode are those of test_crash.py.
"""

import collections
import os

import pytest

import changes
import crash
import exchange
import lithify
import numbered
import reader
from exchange import COMPACT, PARTITION, WAIT

ARRIVALS_MAX = 40
SWAP = ["swap-built", "swap-synced", "swap-exchanged", "swap-durable"]
SPLIT = ["--target-file", "16KiB", "--row-group-rows", "70"]

# What it makes: (numbers of all rows, numbers that are gone once the command is done).
Scenario = collections.namedtuple("Scenario", "make command steps")


def make_fresh(root):
    return numbered.fill(root / PARTITION, 6, 120), []


def make_late(root):
    """Swapped once; then more files came."""
    before = numbered.fill(root / PARTITION, 3, 120)
    lithify.ok(*COMPACT, root)
    return [*before, *numbered.fill(root / PARTITION, 4, 120, first=1000, stem="late")], []


def make_compacted(root):
    ids = numbered.fill(root / PARTITION, 6, 120)
    lithify.ok(*COMPACT, *SPLIT, root)
    return ids, []


def make_retirable(root):
    ids = numbered.fill(root / PARTITION, 6, 120)
    lithify.ok("adopt", "--readers", "exchange", root)
    late = numbered.fill(root / PARTITION, 1, 120, first=1000, stem="late")
    return [*ids, *late], [*range(120), *range(1000, 1120)]


def make_garbage(root):
    """Retired files, outputs that were never committed, temporary ones, directories that were swapped
    out, and one that never came in."""
    ids = numbered.fill(root / PARTITION, 6, 120)
    assert crash.run("output-durable", 2, *COMPACT, *SPLIT, root) is None
    assert crash.run("output-written", 1, *COMPACT, *SPLIT, root) is None
    lithify.ok(*COMPACT, *SPLIT, root)
    lithify.ok("rollback", root / PARTITION)
    lithify.ok(*COMPACT, root)
    assert crash.run("swap-synced", 1, "rollback", root / PARTITION) is None
    names = exchange.held(root)
    assert sum(name.endswith(".parquet.tmp") for name in names) == 1, names
    assert len(exchange.swapped_out(root)) == 4
    return ids, []


def make_found(root):
    """A program went on writing in the directory that was swapped out."""
    ids = numbered.fill(root / PARTITION, 6, 120)
    fd = os.open(root / PARTITION, os.O_RDONLY | os.O_DIRECTORY)
    lithify.ok(*COMPACT, root)
    for number in range(2):
        first = 1000 + 10 * number
        numbered.write(root.parent / "spare.parquet", range(first, first + 10))
        os.rename(root.parent / "spare.parquet", f"late-{number}.parquet", dst_dir_fd=fd)
    os.close(fd)
    return [*ids, *range(1000, 1020)], []


SCENARIOS = {
    "compact": Scenario(make_fresh, [*COMPACT, *SPLIT], [
        "adopted", "folder-made", "output-created", "output-written", "output-durable", *SWAP, "committed",
        "put-written", "put-renamed", "audited"]),
    "late": Scenario(make_late, [*COMPACT, *SPLIT], ["folded", "leased", "output-renamed", *SWAP, "committed"]),
    "rollback": Scenario(make_compacted, ["rollback", PARTITION], [*SWAP, "rolled-back", "audited"]),
    "retire": Scenario(make_retirable, ["retire", PARTITION, "part-00000.parquet", "late-00000.parquet"],
                       ["folded", *SWAP, "retired"]),
    "gc": Scenario(make_garbage, ["gc", *numbered.NO_GRACE], [
        "fenced", *changes.DELETE, "cleaned", "swap-removed"]),
    "carry": Scenario(make_found, WAIT, ["swap-carried", "folded"]),
}
CASES = [(name, step) for name, scenario in SCENARIOS.items() for step in scenario.steps]


def words(name, root):
    """The command line: the root stands behind it, or the partition in it."""
    command = SCENARIOS[name].command
    if PARTITION in command:
        return [root / PARTITION if word == PARTITION else word for word in command]
    return [*command, root]


def check(root, ids, gone, where):
    """By a list of each directory, as any reader that globs: all rows, or those that stay."""
    found = numbered.of_files(sorted(root.rglob("*.parquet")))
    left = set(found["id"].to_pylist()) & set(gone)
    ids = set(ids) if left or not gone else set(ids) - set(gone)
    numbered.check(found, ids, where=f"{where}: by listing")
    numbered.check(reader.read(root), ids, where=f"{where}: by manifests")


@pytest.mark.parametrize("name,step", CASES, ids=[f"{name}-{step}" for name, step in CASES])
def test_killed_at(name, step, tmp_path):
    """P3, P2, P6: a kill at each arrival at a step loses, doubles and leaves nothing, also in staging."""
    scenario = SCENARIOS[name]
    for arrival in range(1, ARRIVALS_MAX):
        root = tmp_path / str(arrival) / "lake"
        ids, gone = scenario.make(root)
        code = crash.run(step, arrival, *words(name, root))
        if code is not None:
            assert code == lithify.DONE
            break
        where = f"{name}, killed at {step}:{arrival}"
        if name != "carry":  # what was found is seen from the next sweep on
            check(root, ids, gone, where)
        result = lithify.run(*words(name, root))
        assert result.code in (lithify.DONE, lithify.FAILED), f"{where}: {result}"
        check(root, ids, gone, f"{where}, and again")
        exchange.finish(root, where)
        check(root, ids, gone, f"{where}, at rest")
        changes.check_only_live(root, where)
    assert arrival > 1, f"`lithify {scenario.command[0]}` never came to {step}"
    assert arrival < ARRIVALS_MAX - 1, f"{step}: more arrivals than are tried"
