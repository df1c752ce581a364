"""Whole lakes: compact, ls and status over partitions that foreign writers filled."""

import datetime
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pyarrow.parquet as parquet
import pytest

import foreign
import lithify

UTC = datetime.timezone.utc
HOURS = [datetime.datetime(2026, 6, 15, hour, tzinfo=UTC) for hour in (10, 11)]
TENANTS = ["acme", "globex"]
COMPACT = ["--readers", "manifest", "--quiet"]


@pytest.fixture(scope="module", autouse=True)
def needs_compact():
    if not lithify.has_command("compact"):
        pytest.skip("this lithify has no `compact`")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A lake of 2 tenants x 2 hours x about 12 files, and the rows of each partition."""
    root = tmp_path_factory.mktemp("written") / "lake"
    return root, foreign.write_lake(root, TENANTS, HOURS, 12)


@pytest.fixture
def lake(written, tmp_path):
    """A copy that a test may change; modification times are kept."""
    copy = tmp_path / "lake"
    shutil.copytree(written[0], copy, copy_function=shutil.copy2)
    return copy


def partitions(lake):
    return sorted({path.parent for path in (lake / "data").rglob("*.parquet")})


def live(partition):
    """The files that `lithify ls` names: one per line, absolute or below the partition."""
    lines = lithify.ok("ls", partition).out.splitlines()
    paths = [pathlib.Path(line) if os.path.isabs(line) else partition / line for line in lines]
    assert all(path.exists() for path in paths), paths
    return paths


def rows(duck, paths):
    answer = duck.ask("fingerprint", paths=[str(path) for path in paths])
    assert "fingerprint" in answer, answer
    return answer["fingerprint"], sum(parquet.ParquetFile(path).metadata.num_rows for path in paths)


def tree(lake):
    """Everything below the lake: name -> size, modification time."""
    return {path.relative_to(lake).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in sorted(lake.rglob("*")) if path.is_file()}


def contents(lake, duck):
    return {partition.relative_to(lake): rows(duck, live(partition)) for partition in partitions(lake)}


def test_small_files_become_one(lake, duck):
    """B10, RFC0009.1, RFC0009.2, P1: about 12 files a partition become one, with the same rows."""
    before = {p.relative_to(lake): rows(duck, sorted(p.glob("*.parquet"))) for p in partitions(lake)}
    assert contents(lake, duck) == before
    lithify.ok("status", lake)
    lithify.ok("compact", lake, *COMPACT)
    assert contents(lake, duck) == before
    assert [len(live(partition)) for partition in partitions(lake)] == [1] * 4
    lithify.ok("status", lake)


def test_second_sweep_rewrites_nothing(lake):
    """P6, HYP.2: without new data a second and a third sweep change no byte."""
    lithify.ok("compact", lake, *COMPACT)
    before = tree(lake)
    for _ in range(2):
        lithify.ok("compact", lake, *COMPACT)
        assert tree(lake) == before


def test_plan_changes_nothing(lake):
    """P10: `plan` reads and tells; it writes and deletes nothing."""
    before = tree(lake)
    lithify.ok("plan", lake)
    assert tree(lake) == before


def test_partitions_and_tenants_stay_apart(lake):
    """J3, RFC0009.5, P4: after a sweep each live file holds rows of its path's tenant and hour alone."""
    lithify.ok("compact", lake, *COMPACT)
    for partition in partitions(lake):
        keys = dict(part.split("=") for part in partition.relative_to(lake / "data").parts)
        for path in live(partition):
            table = parquet.ParquetFile(path).read(columns=["tenant_id", "time"])
            assert set(table["tenant_id"].to_pylist()) == {keys["tenant_id"]}
            assert {stamp.hour for stamp in table["time"].to_pylist()} == {int(keys["hour"])}


def test_foreign_tenant_blocks_its_partition(lake):
    """RFC0009.5, P4: a file with another tenant's rows stops its partition, named, and no other."""
    own, other = partitions(lake)[0], partitions(lake)[-1]
    wrong = own / "wrong.parquet"
    shutil.copy2(next(other.glob("*.parquet")), wrong)
    before = sorted(path.name for path in own.glob("*.parquet"))
    result = lithify.run("compact", lake, *COMPACT)
    assert result.code == lithify.BLOCKED, str(result)
    assert "wrong.parquet" in result.err + result.out and "tenant_id" in result.err + result.out
    assert sorted(path.name for path in own.glob("*.parquet")) == before
    assert len(live(other)) == 1


def test_broken_file_keeps_everything(lake, duck):
    """P9, P10: a file that does not parse costs no other file and no other partition."""
    own = partitions(lake)[0]
    good = rows(duck, sorted(own.glob("*.parquet")))
    broken = own / "broken.parquet"
    broken.write_bytes(b"PAR1" + bytes(1000) + b"PAR1")
    os.utime(broken, (HOURS[0].timestamp(), HOURS[0].timestamp()))
    result = lithify.run("compact", lake, *COMPACT)
    assert result.code in (lithify.FAILED, lithify.BLOCKED), str(result)
    assert "broken.parquet" in result.err + result.out, str(result)
    assert broken.exists()
    assert rows(duck, [path for path in live(own) if path.name != "broken.parquet"]) == good
    assert all(len(live(partition)) == 1 for partition in partitions(lake)[1:])


def test_late_file_is_seen_at_once(lake, duck):
    """B10, M5, P2: a file that a writer adds after a compaction is live, once, before and after a
    sweep."""
    lithify.ok("compact", lake, *COMPACT)
    partition = partitions(lake)[0]
    before = live(partition)
    late = partition / "late.parquet"
    foreign.by_pyarrow(foreign.records("late", "acme", HOURS[0], 10), late, random.Random(1))
    assert sorted(live(partition)) == sorted([*before, late])
    wanted = rows(duck, live(partition))
    lithify.run("compact", lake, *COMPACT)
    assert rows(duck, live(partition)) == wanted


def test_fresh_partition_is_left_alone(lake):
    """K3, P6: files younger than `quiet_for` are not touched, for their writer may not be done."""
    partition = partitions(lake)[0]
    for path in partition.glob("*.parquet"):
        os.utime(path)
    before = sorted(path.name for path in partition.iterdir())
    lithify.ok("compact", lake, *COMPACT)
    assert sorted(p.name for p in partition.iterdir() if p.suffix == ".parquet") == before


def test_reader_during_compaction(lake, duck):
    """A16, RFC0009.3, P2: a reader of the rule sees the same rows at any moment of a compaction."""
    wanted = contents(lake, duck)
    process = subprocess.Popen([lithify.BIN, "compact", lake, *COMPACT], stderr=subprocess.PIPE)
    looks = 0
    while process.poll() is None or looks == 0:
        assert contents(lake, duck) == wanted
        looks += 1
    assert process.communicate() and process.returncode == 0
    assert contents(lake, duck) == wanted


def test_killed_at_any_moment(lake, duck):
    """B16, P3, RFC0009.4, ARC.2: after a kill the rows are the same, and a later sweep converges."""
    wanted = contents(lake, duck)
    for delay_ms in (0, 2, 5, 10, 15, 20, 30, 40, 60, 80, 120):
        process = subprocess.Popen([lithify.BIN, "compact", lake, *COMPACT],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay_ms / 1000)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert contents(lake, duck) == wanted, f"killed after {delay_ms} ms"
    lithify.ok("compact", lake, *COMPACT)
    assert contents(lake, duck) == wanted
    assert all(len(live(partition)) == 1 for partition in partitions(lake))


def test_compactors_exclude_each_other(lake, duck):
    """A17, K4, ARC.3: three compactors at once lose and double nothing."""
    wanted = contents(lake, duck)
    processes = [subprocess.Popen([lithify.BIN, "compact", lake, *COMPACT], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) for _ in range(3)]
    codes = [process.wait(timeout=lithify.SECONDS_MAX) for process in processes]
    assert set(codes) <= {lithify.DONE, lithify.BLOCKED, lithify.AGAIN}, codes
    assert contents(lake, duck) == wanted
    lithify.ok("compact", lake, *COMPACT)
    assert all(len(live(partition)) == 1 for partition in partitions(lake))


def test_file_count_does_not_follow_input_count(tmp_path):
    """RFC0009.7: four times the files of small bytes are still one file."""
    for count in (8, 32):
        root = tmp_path / str(count)
        foreign.write_lake(root, ["acme"], HOURS[:1], count)
        lithify.ok("compact", root, *COMPACT)
        assert [len(live(partition)) for partition in partitions(root)] == [1]
