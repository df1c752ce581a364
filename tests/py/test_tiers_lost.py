"""Hours whose manifest is lost after a roll-up: what the day has of them must not count there once more."""

import json
import os
import time

import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader
from test_tiers import DAY, TIERS, day_fill, hour_write, live

HOUR = f"{DAY}/hour=02"
LOST = "its manifest was lost"


def lake_make(tmp_path, files=1, cleaned=False):
    """A day that was rolled up, and its rows; the files of hours are still there unless `cleaned`."""
    root = tmp_path / "lake"
    ids = day_fill(root, files=files)
    lithify.ok(*TIERS, root)
    if cleaned:
        lithify.ok("gc", *numbered.NO_GRACE, root)
    numbered.check_everywhere(root, ids)
    return root, ids


def manifest_lose(root, hour=HOUR):
    (root / hour / "manifest.json").unlink()


def hour_of(done, path=HOUR):
    return next(p for p in json.loads(done.out)["partitions"] if p["path"] == path and not p.get("rollup"))


def state(root, path=HOUR):
    return json.loads((root / path / "manifest.json").read_text())


def findings(root):
    return [(f["kind"], f["file"], f["text"]) for p in json.loads(lithify.run("fsck", "--json", root).out)["partitions"]
            for f in p["findings"]]


@pytest.mark.parametrize("tiers", [["--tiers", "day"], []], ids=["tiers", "a run without tiers"])
def test_the_next_pass_gives_it_one(tiers, tmp_path):
    """P2: until then a list is refused; after it the rows count once, and gc takes the files."""
    root, ids = lake_make(tmp_path)
    manifest_lose(root)
    refused = lithify.run("ls", root)
    assert refused.code == lithify.FAILED and LOST in refused.err and "was rolled up into" in refused.err, refused
    assert not refused.out
    [(kind, file, text)] = [found for found in findings(root) if found[0] == "lost-manifest"]
    assert file == "part-0-0.parquet" and f"rolled up into {DAY}/" in text
    lithify.ok("compact", *numbered.NOW, *tiers, root)
    numbered.check_everywhere(root, ids)
    retired = state(root)["lithify"]["retired"]
    assert [(e["name"], e["rows"]) for e in retired] == [("part-0-0.parquet", 50)] and retired[0]["crc32"]
    assert not [found for found in findings(root) if found[0] == "lost-manifest"]
    before = numbered.tree(root)
    lithify.ok("compact", *numbered.NOW, *tiers, root)
    assert numbered.tree(root) == before
    lithify.ok("gc", *numbered.NO_GRACE, root)
    assert not list((root / HOUR).glob("*.parquet"))
    numbered.check_everywhere(root, ids)


def test_the_day_was_rolled_up_again(tmp_path):
    """P2: what lists the files was superseded since, and is there until gc."""
    root, ids = lake_make(tmp_path)
    for hour in (0, 1, 3):
        late = range(1000 * (hour + 1), 1000 * (hour + 1) + 400)
        hour_write(root / DAY / f"hour={hour:02}" / "late.parquet", late, hour)
        ids += late
    lithify.ok(*TIERS, root)
    lithify.ok(*TIERS, root)
    assert len(live(root)) == 1
    manifest_lose(root)
    lithify.ok(*TIERS, root)
    numbered.check_everywhere(root, ids)


def test_late_files_count(tmp_path):
    """P1: what no output above lists is new data, whenever it was written."""
    root, ids = lake_make(tmp_path)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    hour_write(root / HOUR / "later.parquet", range(2030, 2060), 2)
    os.utime(root / HOUR / "late.parquet", (time.time() - 7200,) * 2)
    manifest_lose(root)
    lithify.ok("compact", *numbered.NOW, root)
    numbered.check_everywhere(root, ids + list(range(2000, 2060)))
    lithify.ok(*TIERS, root)
    numbered.check_everywhere(root, ids + list(range(2000, 2060)))


def test_an_hour_that_begins_late(tmp_path):
    """P6: it is given a manifest at once, so that no later pass asks the day again."""
    root, ids = lake_make(tmp_path)
    hour_write(root / DAY / "hour=17" / "late.parquet", range(3000, 3010), 17)
    lithify.ok(*TIERS, root)
    assert state(root, f"{DAY}/hour=17")["files"] == ["late.parquet"]
    numbered.check_everywhere(root, ids + list(range(3000, 3010)))
    before = numbered.tree(root)
    lithify.ok(*TIERS, root)
    assert numbered.tree(root) == before


def test_a_day_above_no_roll_up_has_no_say(tmp_path):
    """An hour of one file needs no manifest where nothing above it was rolled up."""
    root = tmp_path / "lake"
    day_fill(root, hours=1, files=1)
    lithify.ok(*TIERS, root)
    assert not (root / DAY / "hour=00" / "manifest.json").exists()


@pytest.mark.parametrize("command", ["compact", "adopt"])
def test_the_same_name_and_size_with_other_rows(command, tmp_path):
    """P1, P9: neither dropped nor counted twice: blocked until somebody says what it is."""
    root, ids = lake_make(tmp_path)
    path = root / HOUR / "part-0-0.parquet"
    size = path.stat().st_size
    hour_write(path, range(5000, 5030), 2)
    table = parquet.read_table(path, partitioning=None)
    for pad in range(2000):
        with parquet.ParquetWriter(path, table.schema, store_schema=False) as out:
            out.write_table(table)
            out.add_key_value_metadata({"pad": "x" * pad})
        if path.stat().st_size == size:
            break
    assert path.stat().st_size == size
    manifest_lose(root)
    before = numbered.tree(root)
    options = numbered.NOW if command == "compact" else ["--readers", "manifest", "--quiet"]
    done = lithify.run(command, *options, "--json", root)
    part = hour_of(done)
    assert done.code == lithify.BLOCKED and part["state"] == "blocked", done
    assert LOST in part["reason"] and "part-0-0.parquet may have been rolled up" in part["reason"]
    assert numbered.tree(root) == before
    path.rename(path.with_name("new.parquet"))
    lithify.ok(*TIERS, root)
    numbered.check_everywhere(root, ids + list(range(5000, 5030)))


def test_a_day_that_cannot_be_read(tmp_path):
    """P9: nothing is adopted below a day that cannot say what it has taken."""
    root, ids = lake_make(tmp_path)
    manifest_lose(root)
    kept = (root / DAY / "manifest.json").read_bytes()
    (root / DAY / "manifest.json").write_bytes(kept[:200])
    done = lithify.run("compact", *numbered.NOW, "--json", root)
    part = hour_of(done)
    assert done.code == lithify.BLOCKED and part["state"] == "blocked", done
    assert "may have taken files of it" in part["reason"]
    assert not (root / HOUR / "manifest.json").exists()
    (root / DAY / "manifest.json").write_bytes(kept)
    lithify.ok("compact", *numbered.NOW, root)
    numbered.check_everywhere(root, ids)


def repair(root, *more):
    done = lithify.run("fsck", "--repair", *more, "--json", root / HOUR)
    return hour_of(done)


def test_an_output_beside_its_inputs(tmp_path):
    """P2: the hour was compacted before it was rolled up: its output is above, and says what that was made of."""
    root, ids = lake_make(tmp_path, files=2)
    assert len(list((root / HOUR).glob("*.parquet"))) == 3
    manifest_lose(root)
    done = lithify.run("compact", *numbered.NOW, root)
    assert done.code == lithify.BLOCKED and "inputs of it are here too" in done.out, done
    hour_write(root / HOUR / "late.parquet", range(4000, 4020), 2)
    told = repair(root, "--dry-run")  # older than the roll-up, as far as anyone can see
    assert told["state"] == "blocked" and "it was there by the last roll-up" in told["reason"], told
    os.utime(root / HOUR / "late.parquet")
    told = repair(root, "--dry-run")
    assert told["state"] == "changed", told
    part = repair(root, "--yes")
    assert part["state"] == "changed" and part["files_after"] == 1, part
    numbered.check_everywhere(root, ids + list(range(4000, 4020)))
    lithify.ok("gc", *numbered.NO_GRACE, root)
    assert [path.name for path in (root / HOUR).glob("*.parquet")] == ["late.parquet"]
    numbered.check_everywhere(root, ids + list(range(4000, 4020)))


def test_an_output_that_the_day_may_have(tmp_path):
    """P2: the outputs that listed it are gone: nobody knows, and nothing is done."""
    root, ids = lake_make(tmp_path, files=2)
    for hour in (0, 1, 3):
        late = range(1000 * (hour + 1), 1000 * (hour + 1) + 400)
        hour_write(root / DAY / f"hour={hour:02}" / "late.parquet", late, hour)
        ids += late
    lithify.ok(*TIERS, root)
    lithify.ok(*TIERS, root)
    assert len(live(root)) == 1
    manifest = root / HOUR / "manifest.json"
    kept = manifest.read_bytes()
    manifest.unlink()
    lithify.ok("gc", *numbered.NO_GRACE, root)
    part = repair(root, "--yes")
    assert part["state"] == "blocked" and "may have been rolled up into the partition above" in part["reason"], part
    manifest.write_bytes(kept)
    lithify.ok("gc", *numbered.NO_GRACE, root)
    numbered.check_everywhere(root, ids)


def test_the_files_of_a_day_below_a_month(tmp_path):
    """The same one tier up: the day's own outputs are in the month."""
    root = tmp_path / "lake"
    ids = []
    for day in (1, 2, 3):
        ids += day_fill(root, hours=3, first=len(ids), day=day)
    for _ in range(2):
        lithify.ok("compact", *numbered.NOW, "--tiers", "day,month", root)
    lithify.ok("gc", "--reader-grace", "1d", "--quiet", root)
    assert "day=" not in live(root)[0].split("month=03")[1]
    day = DAY
    for hour in (root / day).glob("hour=*"):
        for path in hour.glob("*.parquet"):
            path.unlink()  # what gc would do by now
    (root / day / "manifest.json").unlink()
    assert lithify.run("ls", root).code == lithify.FAILED
    lithify.run("compact", *numbered.NOW, "--tiers", "day,month", root)
    got = reader.read(root)["id"].to_pylist()
    assert sorted(got) == sorted(ids)
