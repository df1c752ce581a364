"""Roll-ups: files of hours become files of their day, those of days files of their month."""

import collections
import json
import os
import threading
import time

import pyarrow
import pyarrow.parquet as parquet
import pytest

import crash
import lithify
import numbered
import reader

SECONDS = float(os.environ.get("LITHIFY_SOAK_SECONDS", "6"))
DAY = "tenant_id=acme/year=2024/month=03/day=01"
TIERS = ["compact", *numbered.NOW, "--tiers", "day"]


def hour_write(path, ids, hour, day=1):
    """A file whose rows bear the keys of their path, as columns."""
    numbered.write(path, ids, more={"hour": hour, "day": day})


def day_fill(root, hours=6, files=2, rows=50, first=0, day=1):
    """A day of hours of some files; returns the numbers of their rows."""
    number = first
    folder = root / f"tenant_id=acme/year=2024/month=03/day={day:02}"
    for hour in range(hours):
        for index in range(files):
            hour_write(folder / f"hour={hour:02}" / f"part-{first}-{index}.parquet",
                       range(number, number + rows), hour, day)
            number += rows
    return list(range(first, number))


def live(root):
    return lithify.ok("ls", root).out.splitlines()


def check(root, ids):
    numbered.check_everywhere(root, ids)


@pytest.fixture
def lake(tmp_path):
    root = tmp_path / "lake"
    return root, day_fill(root)


def test_hours_become_a_day(lake):
    """P1, P2: the rows of a day are in one file of the day, and in no other that is live."""
    root, ids = lake
    lithify.ok(*TIERS, root)
    files = live(root)
    assert len(files) == 1 and f"{DAY}/" in files[0] and "hour=" not in files[0]
    check(root, ids)
    table = parquet.read_table(files[0], partitioning=None)
    assert sorted(set(table["hour"].to_pylist())) == list(range(6))


def test_a_second_sweep_rests(lake):
    """P6."""
    root, ids = lake
    lithify.ok(*TIERS, root)
    before = numbered.tree(root)
    lithify.ok(*TIERS, root)
    assert numbered.tree(root) == before
    check(root, ids)


def test_gc_takes_what_was_rolled_up(lake):
    """P10: nothing is left but the files of the day."""
    root, ids = lake
    lithify.ok(*TIERS, root)
    lithify.ok("gc", *numbered.NO_GRACE, root)
    assert [str(path) for path in root.rglob("*.parquet")] == live(root)
    check(root, ids)
    lithify.ok(*TIERS, root)
    check(root, ids)


def test_late_hours_join_the_day(lake):
    root, ids = lake
    lithify.ok(*TIERS, root)
    late = list(range(10_000, 10_040))
    for hour in range(4):
        hour_write(root / DAY / f"hour={hour:02}" / "late.parquet", late[hour * 10:hour * 10 + 10], hour)
    numbered.check_everywhere(root, ids + late, ids)  # at once; strict readers wait for the fold
    lithify.ok(*TIERS, root)
    check(root, ids + late)
    assert not [path for path in live(root) if "hour=" in path]


def month_make(tmp_path):
    """Three days of a month, rolled up twice, and their rows."""
    root = tmp_path / "lake"
    ids = []
    for day in (1, 2, 3):
        ids += day_fill(root, hours=3, first=len(ids), day=day)
    for _ in range(2):
        lithify.ok("compact", *numbered.NOW, "--tiers", "day,month", root)
        check(root, ids)
    return root, ids


def test_days_become_a_month(tmp_path):
    root, ids = month_make(tmp_path)
    files = live(root)
    assert len(files) == 1 and "/month=03/" in files[0] and "day=" not in files[0].split("month=03")[1]


def test_off_by_default(lake):
    root, ids = lake
    lithify.ok("compact", *numbered.NOW, root)
    assert len(live(root)) == 6
    check(root, ids)
    assert json.loads((root / "_lithify.json").read_text())["format"] == 1


def test_a_key_that_would_be_lost(tmp_path):
    """Rows whose files lack the column of the key stay where the path tells of it."""
    root = tmp_path / "lake"
    ids = []
    for hour in range(4):
        numbered.write(root / DAY / f"hour={hour:02}" / "part.parquet", range(hour * 10, hour * 10 + 10))
        ids += range(hour * 10, hour * 10 + 10)
    before = {path for path in root.rglob("*.parquet")}
    done = lithify.run(*TIERS, "--json", root)
    report = [p for p in json.loads(done.out)["partitions"] if p["rollup"]]
    assert done.code == 3 and report[0]["state"] == "blocked"
    assert "hour=00/part.parquet has no column hour" in report[0]["reason"], report
    assert {path for path in root.rglob("*.parquet")} == before
    check(root, ids)


@pytest.mark.parametrize("column,place", [("hour", "hour=02"), ("tenant_id", "hour=00")])
def test_rows_of_another_path(column, place, lake):
    """P4: the column of a key that the path loses must say what the path says; so must those that stay."""
    root, ids = lake
    path = root / DAY / place / "part-0-0.parquet"
    table = parquet.read_table(path, partitioning=None)
    other = table.column(column).to_pylist()
    other[7] = 23 if column == "hour" else "globex"
    at = table.schema.get_field_index(column)
    field = table.schema.field(at)
    parquet.write_table(table.set_column(at, field, pyarrow.array(other, field.type)), path)
    os.utime(path, (time.time() - 7200,) * 2)
    before = {path for path in root.rglob("*.parquet")}
    done = lithify.run(*TIERS, "--min-files", "9", "--settle", "1d", "--json", root)
    report = [p for p in json.loads(done.out)["partitions"] if p["rollup"]]
    assert done.code == 3 and [p["state"] for p in report] == ["blocked"], done
    assert {path for path in root.rglob("*.parquet")} == before
    told = json.dumps(report[0])
    assert column in told and ("23" if column == "hour" else "globex") in told, told


def test_plan_tells(lake):
    root, ids = lake
    before = numbered.tree(root)
    done = json.loads(lithify.ok("plan", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--tiers", "day",
                                 "--json", root).out)
    report = [p for p in done["partitions"] if p["rollup"]]
    assert [(p["path"], p["state"], p["inputs"], p["outputs"]) for p in report] == [(DAY, "compacted", 12, 1)]
    # Its files are due in their hours, too, and go once.
    assert done["summary"]["files_before"] == 12 and done["summary"]["files_after"] == 1
    assert numbered.tree(root) == before


@pytest.mark.parametrize("options,state,reason", [
    (["--grace", "99999d"], "left", "not sealed yet"),
    (["--min-files", "99", "--settle", "99999d"], "left", "too few small files"),
    (["--min-free", "100%"], "pending", "free"),
], ids=["not sealed", "too few", "no room"])
def test_roll_ups_that_are_left_are_told(options, state, reason, lake):
    """P8: as text and as JSON, and counted, until there is nothing that could be rolled up."""
    root, ids = lake
    lithify.ok("compact", *numbered.NOW, root)
    result = lithify.run(*TIERS, *options, "--json", root)
    told = json.loads(result.out)
    report = [p for p in told["partitions"] if p["rollup"]]
    assert [(p["path"], p["state"]) for p in report] == [(DAY, state)] and reason in report[0]["reason"], result
    assert (told["summary"]["rollups"], told["summary"]["rollups_left"]) == (0, 1), result
    result = lithify.run(*TIERS, *options, root)
    assert "roll-ups: 0 made, 1 left" in result.out and reason in result.out, result
    assert state != "left" or f"to be rolled up: {reason} (1)" in result.out, result
    check(root, ids)
    assert "roll-ups: 1 made, 0 left" in lithify.ok(*TIERS, root).out
    for words in ([], ["--json"]):
        result = lithify.ok(*TIERS, *options[:2], *words, root)
        assert "rolled up" not in result.out and "roll-ups" not in result.out, result
    assert json.loads(result.out)["summary"]["rollups_left"] == 0


def test_a_refused_roll_up_is_counted(tmp_path):
    """P8: one of two days is rolled up, the other one has files without the column."""
    root = tmp_path / "lake"
    day_fill(root)
    other = DAY.replace("day=01", "day=02")
    for hour in range(4):
        numbered.write(root / other / f"hour={hour:02}" / "part.parquet", range(9000 + hour, 9001 + hour))
    result = lithify.run(*TIERS, root)
    assert result.code == lithify.BLOCKED and "roll-ups: 1 made, 1 left" in result.out, result
    assert f"blocked    {other}  (hour=00/part.parquet has no column hour" in result.out, result


def test_readers_among_rollups(tmp_path):
    """P2: while hours are rolled up and others come late, readers of both kinds see each row once."""
    root = tmp_path / "lake"
    written = day_fill(root, hours=4)
    lithify.ok("adopt", "--readers", "manifest", root)
    stop, wrong, reads = threading.Event(), [], collections.Counter()

    def look(name, ids_of):
        while not stop.is_set():
            before, found = set(written), ids_of()
            reads[name] += 1
            if len(found) != len(set(found)) or not before <= set(found):
                wrong.append((name, "lost", sorted(before - set(found))[:5], "twice", len(found) - len(set(found))))
                stop.set()

    def by_ls():
        for _ in range(50):  # files of a list go once their grace, which is none here, is over
            try:
                return numbered.listed(root)["id"].to_pylist()
            except FileNotFoundError:
                continue
        raise AssertionError("no list lives long enough")

    readers = [threading.Thread(target=look, args=("rule", lambda: reader.read(root)["id"].to_pylist())),
               threading.Thread(target=look, args=("ls", by_ls))]
    for thread in readers:
        thread.start()
    until, number = time.monotonic() + SECONDS, 10_000
    while time.monotonic() < until and not stop.is_set():
        for hour in range(4):
            ids = range(number, number + 10)
            hour_write(root / DAY / f"hour={hour:02}" / f"late-{number}.parquet", ids, hour)
            written += ids
            number += 10
        assert lithify.run(*TIERS, root).code in (lithify.DONE, lithify.AGAIN)
        assert lithify.run("gc", *numbered.NO_GRACE, root).code in (lithify.DONE, lithify.AGAIN)
    stop.set()
    for thread in readers:
        thread.join()
    assert not wrong, wrong
    assert reads["rule"] > 2 and reads["ls"] > 2, reads
    lithify.ok(*TIERS, root)
    check(root, written)


def test_a_day_that_cannot_say(lake):
    """P9: what was handed to a day whose manifest is gone stays, blocked, until it is back."""
    root, ids = lake
    assert crash.run("handed", 2, *TIERS, root) is None
    day = root / DAY / "manifest.json"
    kept = day.read_bytes()
    day.unlink()
    held = [root / DAY, root / DAY / "hour=00", root / DAY / "hour=01"]  # the other hours go on
    before = [sorted(folder.glob("*.parquet")) for folder in held]
    for command in (["compact", *numbered.NOW], ["gc", *numbered.NO_GRACE]):
        done = lithify.run(*command, "--json", root)
        hours = {p["path"][-2:]: p for p in json.loads(done.out)["partitions"] if "hour=" in p["path"]}
        told = [hour for hour, part in hours.items() if "has no manifest" in str(part["reason"])]
        assert done.code == 3 and told == ["00", "01"], done
        assert [sorted(folder.glob("*.parquet")) for folder in held] == before
    day.write_bytes(kept)
    lithify.ok("compact", *numbered.NOW, root)
    check(root, ids)
