"""lithify fsck --restore where directories are swapped, and where files are rolled up.

By listing alone each row is there once before and after; what was rolled up does not come back beside
the files of the partition above.
"""

import json
import shutil

import pytest

import changes
import crash
import exchange
import globbing
import lithify
import numbered
import reader
import test_exchange_crash

if not lithify.has_command("fsck"):
    pytest.skip("this lithify has no `fsck`", allow_module_level=True)

HOUR = changes.DAY / "hour=00"


def save(folder, name):
    to = folder.parents[len(changes.PARTITION.parts)] / f"{name}.json"
    shutil.copy2(folder / "manifest.json", to)
    return to


def restored(saved, folder):
    (partition,) = json.loads(lithify.ok("fsck", "--json", "--restore", saved, folder).out)["partitions"]
    return partition


def refused(saved, folder, says):
    before = exchange.tree(folder)
    for options in ([], ["--dry-run"]):
        result = lithify.run("fsck", "--restore", saved, *options, folder)
        assert result.code == lithify.FAILED and says in result.err, f"{says!r}: {result}"
    assert exchange.tree(folder) == before


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def swapped(tmp_path):
    """A lake for those who glob: six files, adopted."""
    root = tmp_path / "lake"
    numbered.fill(root / exchange.PARTITION, 6, 50)
    lithify.ok("adopt", "--readers", "exchange", root)
    return root


# readers = exchange

def test_to_and_fro(swapped):
    """P1, P2, A22: the directory shows what is live at once, and nothing else."""
    folder = swapped / exchange.PARTITION
    before = save(folder, "before")
    lithify.ok(*exchange.COMPACT, swapped)
    after = save(folder, "after")
    exchange.check(swapped, range(300))
    lithify.ok("fsck", "--restore", before, "--dry-run", folder)
    assert len(names(folder)) == 2
    assert restored(before, folder)["state"] == "changed"
    assert names(folder) == ["manifest.json", *(f"part-{i:05}.parquet" for i in range(6))]
    exchange.check(swapped, range(300))
    assert restored(after, folder)["files_after"] == 1
    assert len(names(folder)) == 2
    exchange.check(swapped, range(300))
    exchange.finish(swapped)
    exchange.check(swapped, range(300))


def test_late_files_stay_in_sight(swapped):
    """P1, P2: named, unnamed, merged: who lists sees them, once."""
    folder = swapped / exchange.PARTITION
    before = save(folder, "before")
    numbered.fill(folder, 2, 50, first=300, stem="merged")
    lithify.ok(*exchange.COMPACT, swapped)
    numbered.fill(folder, 2, 50, first=400, stem="named")
    lithify.ok(*exchange.WAIT, swapped)
    numbered.fill(folder, 2, 50, first=500, stem="unnamed")
    restored(before, folder)
    assert len(list(folder.glob("*.parquet"))) == 12
    exchange.check_globs(swapped, range(600))
    exchange.finish(swapped)
    exchange.check(swapped, range(600))


@pytest.mark.parametrize("bad", [None, b"", b"\0" * 5000])
@pytest.mark.parametrize("more", [0, 2])
def test_the_manifest_was_lost(swapped, bad, more):
    """P9: what is held comes into sight again where it is needed; nobody globbed it meanwhile."""
    folder = swapped / exchange.PARTITION
    saved = save(folder, "saved")
    ids = range(300 + more * 50)
    numbered.fill(folder, more, 50, first=300, stem="merged")
    lithify.ok(*exchange.COMPACT, swapped)
    (folder / "manifest.json").unlink()
    if bad is not None:
        (folder / "manifest.json").write_bytes(bad)
    exchange.check_globs(swapped, ids)
    restored(saved, folder)
    exchange.check(swapped, ids)
    assert len(list(folder.glob("*.parquet"))) == 6 + more
    kept = list(folder.glob("_lithify_manifest_*.bad"))
    assert [path.read_bytes() for path in kept] == ([] if bad is None else [bad])
    for path in kept:
        path.unlink()
    for command in (exchange.COMPACT, exchange.GC, exchange.GC):
        lithify.ok(*command, swapped)
    exchange.check(swapped, ids)
    assert "clean" in lithify.ok("fsck", "--deep", swapped).out


def make_restorable(root):
    ids = [*numbered.fill(root / exchange.PARTITION, 4, 120)]
    lithify.ok("adopt", "--readers", "exchange", root)
    save(root / exchange.PARTITION, "saved")
    ids += numbered.fill(root / exchange.PARTITION, 2, 120, first=1000, stem="late")
    lithify.ok(*exchange.COMPACT, root)
    return ids


@pytest.mark.parametrize("step", [*test_exchange_crash.SWAP, "restored", "put-written", "put-renamed", "audited"])
def test_killed_at(step, tmp_path):
    """P3, P2: a kill at each arrival at a step; who lists sees each row once, and it can be run again."""
    for arrival in range(1, test_exchange_crash.ARRIVALS_MAX):
        root = tmp_path / str(arrival) / "lake"
        ids = make_restorable(root)
        command = ["fsck", "--restore", root.with_name("saved.json"), root / exchange.PARTITION]
        code = crash.run(step, arrival, *command)
        if code is not None:
            assert code == lithify.DONE
            break
        where = f"killed at {step}:{arrival}"
        test_exchange_crash.check(root, ids, [], where)
        lithify.ok(*command)
        exchange.check(root, ids, f"{where}, and again")
        exchange.finish(root, where)
        exchange.check(root, ids, f"{where}, at rest")
    assert arrival > 1, f"it never came to {step}"


# Roll-ups

@pytest.fixture
def hours(tmp_path):
    """Hours of one day, adopted; saved.json is the manifest of the first."""
    root = tmp_path / "lake"
    ids, _ = changes.make_hours(root)
    lithify.ok(*changes.ADOPT, root)
    save(root / HOUR, "saved")
    return root, ids


def test_what_was_rolled_up_stays_above(hours):
    """P2: its rows are in the day; here they would show a second time."""
    root, ids = hours
    lithify.ok(*changes.ROLLUP, root)
    saved = root.with_name("saved.json")
    refused(saved, root / HOUR, "may have been rolled up since")
    (root / HOUR / "manifest.json").unlink()
    refused(saved, root / HOUR, "may have been rolled up since")


def test_what_came_after_the_roll_up_is_restored(hours):
    """The log tells that nothing was taken since."""
    root, ids = hours
    lithify.ok(*changes.ROLLUP, root)
    for number in (0, 1):
        new = range(len(ids), len(ids) + 60)
        numbered.write(root / HOUR / f"late-{number}.parquet", new, more={"hour": 0})
        ids += new
    lithify.ok("compact", *numbered.NOW, "--min-files", "9", "--settle", "1d", root)
    saved = save(root / HOUR, "named")
    lithify.ok("compact", *numbered.NOW, root)
    assert len(reader.live(root / HOUR)) == 1
    assert restored(saved, root / HOUR)["files_after"] == 2
    numbered.check_everywhere(root, ids)


def test_while_files_are_handed(hours):
    """P2: a roll-up that was cut off is settled first; a copy that says they are handed is refused."""
    root, ids = hours
    assert crash.run("handed", 2, *changes.ROLLUP, root) is None
    handed = save(root / HOUR, "handed")
    assert "handed" in json.loads(handed.read_bytes())["lithify"]
    assert restored(root.with_name("saved.json"), root / HOUR)["state"] == "left"
    assert "handed" not in json.loads((root / HOUR / "manifest.json").read_bytes())["lithify"]
    refused(handed, root / HOUR, "are being rolled up")
    numbered.check_everywhere(root, ids)
    lithify.ok(*changes.ROLLUP, root)
    refused(handed, root / HOUR, "are being rolled up")
    numbered.check_everywhere(root, ids)


def test_the_day_comes_back(hours):
    """A day that was compacted since; and one whose manifest, lost, had taken more than the copy knows."""
    root, ids = hours
    day = root / changes.DAY
    lithify.ok(*changes.ROLLUP, root)
    first = save(day, "first")
    for number in range(4):
        new = range(len(ids), len(ids) + 60)
        numbered.write(day / f"hour={number % 2:02}" / f"late-{number}.parquet", new,
                       more={"hour": number % 2})
        ids += new
    lithify.ok(*changes.ROLLUP, root)
    numbered.check_everywhere(root, ids)
    taken = json.loads((day / "manifest.json").read_bytes())["lithify"]["taken"]
    assert len(taken) == 2
    restored(first, day)
    numbered.check_everywhere(root, ids)
    assert json.loads((day / "manifest.json").read_bytes())["lithify"]["taken"] == taken
    (day / "manifest.json").unlink()
    refused(first, day, "was rolled up since from partitions below")


# readers = glob

@pytest.fixture
def globbed(tmp_path):
    """Six files for those who list, adopted; and the manifest as it is then."""
    root = tmp_path / "lake"
    changes.make_globbed(root)
    return root, root / changes.PARTITION, save(root / changes.PARTITION, "before")


def settle(root):
    """The next passes; then each row is there once for everybody, and no journal."""
    lithify.ok("gc", "--orphan-grace", "0s", root)
    globbing.check_settled(root, range(720))
    lithify.ok(*changes.GLOB, "--orphan-grace", "0s", root)
    lithify.ok("gc", "--orphan-grace", "0s", root)
    globbing.check_settled(root, range(720))


@pytest.mark.parametrize("step,state", [("journaled", "left"), ("output-durable", "left"), ("committed", "changed"),
                                        ("fenced", "changed")])
def test_before_what_a_journal_speaks_of_is_done(globbed, step, state):
    """P1, P2, P10: what was merged is still there, and comes back; what the journal says is undone by it."""
    root, folder, before = globbed
    assert crash.run(step, 1, *changes.GLOB, root) is None
    if step == "fenced":  # what is condemned is being deleted
        return refused(before, folder, "is being deleted")
    assert restored(before, folder)["state"] == state
    assert len(globbing.journals(root)) == 1
    numbered.check_everywhere(root, range(720))
    settle(root)


@pytest.mark.parametrize("step", ["journaled", "output-durable", "committed"])
def test_a_lost_manifest_beside_a_journal(globbed, step):
    """P1, P2, P9: passes stand still until it is there again; then they go on."""
    root, folder, before = globbed
    assert crash.run(step, 1, *changes.GLOB, root) is None
    (folder / "manifest.json").unlink()
    for command in (changes.GLOB, changes.GC):
        assert lithify.run(*command, root).code == lithify.BLOCKED
    assert restored(before, folder)["state"] == "changed"
    numbered.check_everywhere(root, range(720))
    settle(root)


def test_what_was_deleted_does_not_come_back(globbed):
    """P10: with these readers there is no grace."""
    root, folder, before = globbed
    lithify.ok(*changes.GLOB, root)
    refused(before, folder, "part-0000")
    globbing.check_settled(root, range(720))
