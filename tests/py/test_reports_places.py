"""What went wrong in other compactors, sections J, K, L, M and Q of docs/reports.md: paths, programs at
once, gc against readers, clocks, and files that are no data.

A test is named after the reports that it holds, or its docstring begins with them.
"""

import datetime
import json
import os
import pathlib
import signal
import subprocess
import time

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader
import slow

COMPACT = ["compact", *numbered.NOW]
GC = ["gc", *numbered.NO_GRACE]
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR


@pytest.fixture
def lake(tmp_path):
    """One partition of six files of 20 rows."""
    numbered.fill(tmp_path / "lake" / FOLDER, 6, 20)
    return tmp_path / "lake"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def plan(root, *options, **more):
    """Partition -> what `plan` says of it."""
    told = lithify.run("plan", "--json", *options, root, **more)
    return {one["path"]: one for one in json.loads(told.out)["partitions"]}


# J, M: paths and clocks.

# As they are on disk: escapes, none, an empty value, leading zeros, two spellings of one value.
PATHS = ["p=a%2Fb", "p=", "p=__HIVE_DEFAULT_PARTITION__", "city=S%C3%A3o", "city=São", "q=a b", "q=a%20b",
         "q=a+b", "q=%41", "q=A", "month=06", "month=6"]


def test_j5_paths_are_opaque(tmp_path):
    """J5, J6, J7, J3: an output lands where its inputs were, whatever the path says; two spellings of
    one value are two partitions, and of no two are rows mixed."""
    root = tmp_path / "lake"
    for number, path in enumerate(PATHS):
        for file in range(4):
            first = 1000 * number + 10 * file
            numbered.write(root / path / f"{file}.parquet", range(first, first + 10))
    lithify.ok(*COMPACT, "--jobs", "3", root)
    lithify.ok(*GC, root)
    assert sorted(path.name for path in root.iterdir() if path.is_dir()) == sorted(PATHS)
    for number, path in enumerate(PATHS):
        assert len(names(root / path)) == 2, path
        numbered.check(reader.read(root / path), range(1000 * number, 1000 * number + 40), where=path)
    assert {line.split("/")[-2] for line in lithify.ok("ls", root).out.splitlines()} == \
        {path.replace("ã", r"ã") for path in PATHS}


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"])
def test_j2_zones_change_nothing(zone, tmp_path):
    """J2, M2: an hour of a path is one in UTC, wherever the program runs: what is sealed, and until
    when, is the same."""
    root = tmp_path / "lake"
    now = datetime.datetime.now(datetime.timezone.utc)
    for hours in (-26, -2, -1, 0, 1, 26):
        hour = now + datetime.timedelta(hours=hours)
        numbered.fill(root / hour.strftime("year=%Y/month=%m/day=%d/hour=%H"), 4, 10, age_s=7200)
    here = plan(root, "--grace", "0s", env={"TZ": "UTC"})
    assert plan(root, "--grace", "0s", env={"TZ": zone}) == here
    due = [path for path, one in sorted(here.items()) if one["state"] == "compacted"]
    assert due == sorted(here)[:3], here
    assert lithify.run(*COMPACT, root, env={"TZ": zone}).code == lithify.DONE
    assert [len(reader.live(root / path)) for path in sorted(here)] == [1, 1, 1, 4, 4, 4]


def test_m1_backfill(tmp_path):
    """M1: files that are written today for 2019 are merged once they are quiet, by the defaults."""
    root = tmp_path / "lake"
    folder = "year=2019/month=05/day=06/hour=07"
    numbered.fill(root / folder, 6, 20, age_s=0)
    assert plan(root)[folder]["state"] == "left"
    lithify.ok("compact", "--readers", "manifest", root)
    assert len(reader.live(root / folder)) == 6
    for path in (root / folder).glob("*.parquet"):
        os.utime(path, (time.time() - 1000,) * 2)
    lithify.ok("compact", "--readers", "manifest", root)
    assert len(reader.live(root / folder)) == 1
    numbered.check_everywhere(root, range(120))


def test_m3_absurd_times(tmp_path):
    """M3: rows at the epoch, before it and at the end of time decide nothing; they are kept."""
    root = tmp_path / "lake"
    times = [0, -1, -3_601_000_000_000, 2**63 - 1, -2**63, 1709269200_000_000_000]
    (root / FOLDER).mkdir(parents=True)
    for number in range(6):
        path = root / FOLDER / f"{number}.parquet"
        rows = pyarrow.table({"id": [number], "tenant_id": ["acme"], "time": pyarrow.array(
            [times[number]], pyarrow.int64()).cast(pyarrow.timestamp("ns"))})
        parquet.write_table(rows, path)
        os.utime(path, (10**9, 10**9))
    lithify.ok(*COMPACT, root)
    (live,) = reader.live(root / FOLDER)
    assert parquet.ParquetFile(live).read()["time"].cast(pyarrow.int64()).to_pylist() == times


# K: several at once.

def test_k1_a_holder_that_sleeps(lake):
    """K1: a job is stopped while it holds its partition, and goes on much later: nobody else works
    there meanwhile, what it commits then is right, and of what came in between nothing is lost."""
    holder = slow.begin(lake, FOLDER)
    holder.send_signal(signal.SIGSTOP)
    try:
        numbered.write(lake / FOLDER / "late.parquet", range(500, 520))
        for command in (COMPACT, COMPACT):
            assert lithify.run(*command, lake).code == lithify.AGAIN
        assert lithify.run(*GC, lake).code in (lithify.AGAIN, lithify.DONE)
        numbered.check(reader.read(lake), [*range(120), *range(500, 520)])
    finally:
        holder.send_signal(signal.SIGCONT)
    assert holder.wait(60) in (lithify.DONE, lithify.AGAIN)
    lithify.ok(*COMPACT, lake)
    numbered.check_everywhere(lake, [*range(120), *range(500, 520)])


def test_k10_an_input_that_goes_away(lake):
    """K10, K3, K9: retention deletes an input in the middle of a run: there is no output, and no other
    input goes."""
    job = slow.begin(lake, FOLDER)
    (lake / FOLDER / "part-00003.parquet").unlink()
    assert job.wait(60) not in (lithify.DONE, -signal.SIGKILL)
    left = [name for name in names(lake / FOLDER) if name.endswith(".parquet")]
    assert left == [f"part-0000{number}.parquet" for number in (0, 1, 2, 4, 5)]
    lithify.run(*COMPACT, lake)
    lithify.run(*GC, lake)
    assert set(left) <= set(names(lake / FOLDER))
    numbered.check(numbered.of_files((lake / FOLDER) / name for name in left),
                   [i for i in range(120) if i not in range(60, 80)])


# L: gc against readers.

def test_l1_a_listing_is_good_for_the_grace(lake):
    """L1, L7, LO4, LA5: what a reader listed before the swap is there as long as the grace says, by default much
    longer than readers poll; where the grace was shorter, the reader finds the file gone."""
    listed = lithify.ok("ls", lake).out.splitlines()
    lithify.ok(*COMPACT, lake)
    lithify.ok("gc", "--quiet", lake)
    lithify.ok("gc", "--quiet", "--orphan-grace", "0s", lake)
    numbered.check(numbered.of_files(listed), range(120))
    lithify.ok(*GC, lake)
    with pytest.raises(FileNotFoundError):
        numbered.of_files(listed)
    numbered.check_everywhere(lake, range(120))


def test_l2_files_without_a_time(lake):
    """L2: files whose time is the epoch, as of a store that gives none, are no older than the commit
    that superseded them."""
    for path in (lake / FOLDER).iterdir():
        os.utime(path, (0, 0))
    lithify.ok(*COMPACT, lake)
    for path in (lake / FOLDER).iterdir():
        if path.suffix == ".parquet" and "_e" not in path.name:
            os.utime(path, (0, 0))
    before = names(lake / FOLDER)
    lithify.ok("gc", "--quiet", lake)
    assert names(lake / FOLDER) == before and len(before) == 8
    lithify.ok(*GC, lake)
    numbered.check_everywhere(lake, range(120))


def test_l3_what_is_none_of_ours_stays(lake):
    """L3, Q5: statistics, checksums and marks beside the data outlive gc, and what is named like an output
    of another partition is data."""
    lithify.ok(*COMPACT, lake)
    folder = lake / FOLDER
    others = ["stats.puffin", ".part-00000.parquet.crc", "_SUCCESS", "part-00000.parquet.index",
              "notes.txt", "_committed_17", "x.json"]
    for name in others:
        (folder / name).write_bytes(b"sidecar")
        os.utime(folder / name, (10**9, 10**9))
    moved = folder / "01890000-0000-7000-8000-000000000000_0badf00d_e1.parquet"
    numbered.write(moved, range(500, 520))
    for command in (GC, COMPACT, GC):
        lithify.ok(*command, lake)
    assert set(others) <= set(names(folder))
    numbered.check_everywhere(lake, [*range(120), *range(500, 520)])


@pytest.mark.parametrize("spelling", ["{}/", "{}//", "{}/.", "{}/../lake", "lake", "./lake/", "link"])
def test_l4_spellings_of_the_root(spelling, lake):
    """L4, L5, J8: with a slash more, a link or a relative path in front the same files are live, and gc
    takes no other one."""
    (lake.parent / "link").symlink_to(lake)
    root = spelling.format(lake)
    lithify.ok(*COMPACT, root, cwd=lake.parent)
    numbered.write(lake / FOLDER / "late.parquet", range(500, 520))
    lithify.ok(*COMPACT, lake)
    lithify.ok(*GC, root, cwd=lake.parent)
    lithify.ok(*COMPACT, root, cwd=lake.parent)
    numbered.check(reader.read(lake), [*range(120), *range(500, 520)])
    assert len(names(lake / FOLDER)) == 1 + len(reader.live(lake / FOLDER))


def test_l8_the_grace_outlives_the_process(lake):
    """L8: every look of gc is a new process: nothing goes before the grace is over, and then all of it,
    once."""
    lithify.ok(*COMPACT, lake)
    begun = time.monotonic()
    deleted = []
    while not deleted or not deleted[-1]:
        told = json.loads(lithify.ok("gc", "--json", "--reader-grace", "2s", lake).out)
        deleted.append(told["summary"]["deleted"])
        assert time.monotonic() - begun < 30
        time.sleep(0.2)
    assert time.monotonic() - begun > 1.5 and len(deleted) > 1 and deleted[-1] == 6, deleted
    again = json.loads(lithify.ok("gc", "--json", "--reader-grace", "2s", lake).out)
    assert again["summary"]["deleted"] == 0


# Q: odd files.

def test_q3_row_groups_without_rows(lake):
    """Q3: a row group without rows in the middle of a file is read, and none is ever written."""
    path = lake / FOLDER / "holes.parquet"
    with parquet.ParquetWriter(path, numbered.SCHEMA) as writer:
        for ids in (range(500, 505), [], range(505, 510), []):
            writer.write_table(numbered.table(ids))
    os.utime(path, (10**9, 10**9))
    assert parquet.ParquetFile(path).metadata.num_row_groups == 4
    lithify.ok(*COMPACT, "--row-group-rows", "20", lake)
    numbered.check_everywhere(lake, [*range(120), *range(500, 510)])
    for live in reader.live(lake / FOLDER):
        metadata = parquet.ParquetFile(live).metadata
        assert all(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))


def by_pyarrow(folder):
    return set(pyarrow.dataset.dataset(folder, format="parquet").to_table(columns=["id"])["id"]
               .to_pylist())


def by_duckdb(pattern):
    rows = duckdb.sql(f"SELECT id FROM read_parquet('{pattern}')").fetchall()
    return {row[0] for row in rows}


def by_polars(pattern):
    return set(polars.scan_parquet(pattern, hive_partitioning=False).select("id").collect()["id"])


def test_q5_hidden_names(tmp_path):
    """Q5: which of the odd names readers take for data, as docs/reading.md has it: ours are those that
    Spark, Hive and pyarrow read. Nothing of Lithify's own is one of them, or ends in .parquet."""
    folder = tmp_path / "lake" / FOLDER
    kinds = {"plain.parquet": 1, "_under.parquet": 2, ".dot.parquet": 3, "_temporary/0.parquet": 4,
             ".hidden/0.parquet": 5, "UPPER.PARQUET": 6}
    for name, number in kinds.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        numbered.write(folder / name, [number])
    for name in ("_SUCCESS", ".plain.parquet.crc"):
        (folder / name).write_bytes(b"")
    ours = {path.name for path in reader.live(folder)}
    listed = {pathlib.Path(line).name for line in lithify.ok("ls", tmp_path / "lake").out.splitlines()}
    assert listed == ours == {"plain.parquet"}
    assert by_pyarrow(folder) - {6} == {1}
    assert by_duckdb(folder / "*.parquet") == {1, 2, 3}
    assert by_polars(folder / "*.parquet") >= {1}
    # And what Lithify leaves there: one more file that all of them read, and nothing else that they do.
    numbered.fill(folder, 5, 1, first=100)
    (folder / "UPPER.PARQUET").unlink()
    lithify.ok(*COMPACT, tmp_path / "lake")
    lithify.ok(*GC, tmp_path / "lake")
    wanted = {1, *range(100, 105)}
    assert by_duckdb(folder / "*.parquet") == wanted | {2, 3}
    assert by_polars(folder / "*.parquet") >= wanted
    made = set(names(folder)) - {name.split("/")[0] for name in kinds} - {"_SUCCESS", ".plain.parquet.crc"}
    assert [name for name in made if name.endswith(".parquet")] == \
        [path.name for path in reader.live(folder)]
    assert {name for name in made if not name.endswith(".parquet")} == {"manifest.json"}
