"""What went wrong in other compactors, section C of docs/reports.md: tiny outputs, work without end.

A test is named after the reports that it holds, or its docstring begins with them.
"""

import json
import math
import os
import pathlib
import re

import duckdb
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import parquet_file
import reader
import rounds
import test_tiers

COMPACT = ["compact", *numbered.NOW]
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR
KIB = 1 << 10


def sized(path, first, kib):
    """A file of about so many KiB, from 8 on, that are not to be compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = kib * KIB // 40
    for _ in range(3):
        rows = pyarrow.table({"id": list(range(first, first + count)),
                              "noise": [os.urandom(24) for _ in range(count)]})
        parquet.write_table(rows, path, compression="none", use_dictionary=False)
        count += int((kib * KIB - path.stat().st_size) / 36)
    assert abs(path.stat().st_size - kib * KIB) < 0.02 * kib * KIB
    os.utime(path, (10**9, 10**9))


def live_sizes(root):
    return sorted(path.stat().st_size for path in reader.live(root / FOLDER))


def data(root):
    return sorted(path for path in root.rglob("*.parquet"))


def rest(root, *options, runs=5):
    """Sweeps until nothing changes, which must be soon; returns how many wrote something."""
    wrote = 0
    for _ in range(runs):
        before = data(root)
        lithify.ok(*COMPACT, *options, root)
        wrote += data(root) != before
    before = numbered.tree(root)
    lithify.ok(*COMPACT, *options, root)
    assert numbered.tree(root) == before, f"no rest after {runs} sweeps"
    return wrote


def reasons(root, *options):
    """File -> why `plan` merges it or leaves it."""
    plan = json.loads(lithify.ok("plan", "--json", *numbered.NOW[2:-1], *options, root).out)
    return {file["name"]: file["reason"] for file in plan["partitions"][0]["files"]}


def numbers(root):
    return sorted(reader.read(root)["id"].to_pylist())


def test_c1_equal_values(tmp_path):
    """C1, C8, LO7: two thousand rows with one text of 100 KB, the same in all of them: 200 MB in memory, a few
    hundred KB on disk; with a target of 1 MiB that is one file, made in 64 MiB."""
    root = tmp_path / "lake"
    (root / FOLDER).mkdir(parents=True)
    text = "x" * 100_000
    for number in range(10):
        rows = pyarrow.table({"id": list(range(200 * number, 200 * number + 200)),
                              "text": pyarrow.array([text] * 200).dictionary_encode()})
        path = root / FOLDER / f"{number}.parquet"
        parquet.write_table(rows, path, compression="none", store_schema=False)
        os.utime(path, (10**9, 10**9))
    assert sum(path.stat().st_size for path in (root / FOLDER).iterdir()) > 900_000
    assert rest(root, "--target-file", "1MiB", "--memory", "64MiB", runs=2) == 1
    (live,) = reader.live(root / FOLDER)
    assert live.stat().st_size < 1 << 20
    assert pyarrow.compute.all(pyarrow.compute.equal(
        pyarrow.compute.binary_length(parquet.ParquetFile(live).read()["text"]), 100_000)).as_py()
    assert numbers(root) == list(range(2000))


def test_c2_no_gain_no_rewrite(tmp_path):
    """C2, C7: two files of 90 KiB and a target of 100 KiB would be two files again: three ticks write
    nothing, though both are below the target."""
    root = tmp_path / "lake"
    for number in range(2):
        sized(root / FOLDER / f"{number}.parquet", 10**6 * number, 90)
    assert rest(root, "--target-file", "100KiB", runs=3) == 0
    assert len(live_sizes(root)) == 2


def test_c3_a_large_sorted_file_and_small_ones(tmp_path):
    """C3, C16: of small, large, small the two small ones are merged; the large one, which somebody has
    sorted, stays as it is."""
    root = tmp_path / "lake"
    (root / FOLDER).mkdir(parents=True)
    large = root / FOLDER / "b.parquet"
    parquet.write_table(numbered.table(range(20000)), large,
                        sorting_columns=[parquet.SortingColumn(0)])
    os.utime(large, (10**9, 10**9))
    before = large.read_bytes()
    for number, name in enumerate("ac"):
        numbered.write(root / FOLDER / f"{name}.parquet", range(30000 + 20 * number, 30020 + 20 * number))
    assert rest(root) == 1
    assert large in reader.live(root / FOLDER) and large.read_bytes() == before
    assert len(live_sizes(root)) == 2
    numbered.check_everywhere(root, [*range(20000), *range(30000, 30040)])


@pytest.mark.parametrize("kib,target,most", [([145] * 4, 512, 2), ([290] * 2, 512, 2),
                                             ([106] * 5, 512, 1), ([160] * 5, 512, 2),
                                             ([64] * 32, 512, 4)])
def test_c4_sizes_that_do_not_pack(kib, target, most, tmp_path):
    """C4, C5: files of a part of the target, five ticks: at most one rewrite, and no output that is a
    remainder, small again. (What is left over stays as it was, for those that come.)"""
    root = tmp_path / "lake"
    for number, size in enumerate(kib):
        sized(root / FOLDER / f"{number}.parquet", 10**6 * number, size)
    assert rest(root, "--target-file", f"{target}KiB", "--row-group-rows", "500") <= 1
    assert len(live_sizes(root)) <= most
    sizes = [path.stat().st_size for path in reader.live(root / FOLDER) if "_e" in path.name]
    assert not sizes or min(sizes) > max(0.5 * max(sizes), 400 * KIB), sizes


def test_c6_one_file_alone(tmp_path):
    """C6: one small file, or one large one, is nothing to merge, and `plan` says so."""
    for kib in (8, 300):
        root = tmp_path / str(kib)
        sized(root / FOLDER / "alone.parquet", 0, kib)
        before = numbered.tree(root)
        lithify.ok(*COMPACT, "--target-file", "100KiB", root)
        assert {name: state for name, state in numbered.tree(root).items() if name in before} == before
        text = reasons(root, "--target-file", "100KiB")["alone.parquet"]
        assert re.search("target_file" if kib == 300 else "too little beside it", text), text


def test_c9_one_file_an_hour(tmp_path):
    """C9: 24 hours of one file each, which no hour has anything to merge with, are one file of the day."""
    root = tmp_path / "lake"
    ids = test_tiers.day_fill(root, hours=24, files=1, rows=10)
    lithify.ok(*test_tiers.TIERS, root)
    files = lithify.ok("ls", root).out.splitlines()
    assert len(files) == 1 and "hour=" not in files[0], files
    numbered.check_everywhere(root, ids)


def test_c10_one_more_than_a_job_takes(tmp_path):
    """C10: 31 files of which a job takes 30: the last one is not tried for ever, and a job that could
    never run is refused."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 31, 20)
    assert rest(root, "--max-inputs", "30", runs=3) <= 2
    assert len(live_sizes(root)) <= 2
    numbered.check_everywhere(root, range(31 * 20))
    told = lithify.run(*COMPACT, "--max-inputs", "1", root)
    assert told.code == lithify.USAGE and "max" in told.err


def test_c11_a_larger_target(tmp_path):
    """C11: what was compacted to 64 KiB is looked at again, once, when 256 KiB are asked for."""
    root = tmp_path / "lake"
    for number in range(32):
        sized(root / FOLDER / f"{number:02}.parquet", 10**6 * number, 16)
    rest(root, "--target-file", "64KiB", "--row-group-rows", "200", runs=2)
    few = len(live_sizes(root))
    assert few >= 6
    assert rest(root, "--target-file", "256KiB", "--row-group-rows", "200") == 1
    assert len(live_sizes(root)) <= 3


def test_c14_large_row_groups_are_copied(tmp_path):
    """C14, T4: two large row groups and thirty small ones in one output: bodies of the pages of the
    large ones are there byte for byte."""
    root = tmp_path / "lake"
    large = [numbered.write(root / FOLDER / f"large-{number}.parquet",
                            range(20000 * number, 20000 * number + 20000), use_dictionary=False)
             for number in range(2)]
    numbered.fill(root / FOLDER, 30, 20, first=10**6)
    lithify.ok(*COMPACT, root)
    (live,) = reader.live(root / FOLDER)
    whole = live.read_bytes()
    for path in large:
        chunk = parquet_file.take_apart(path).chunk("id")
        bodies = [page.body for page in chunk.pages]
        assert bodies and all(bytes(body) in whole for body in bodies), path.name
    numbered.check_everywhere(root, [*range(40000), *range(10**6, 10**6 + 600)])


def test_c15_partitioned_writes(tmp_path):
    """C15, B10: what DuckDB's PARTITION_BY leaves, from eight threads, is a lake like any other, with a
    file of another writer in it."""
    root = tmp_path / "lake"
    with duckdb.connect(config={"threads": 8}) as connection:
        for _ in range(5):
            connection.execute(
                f"""COPY (SELECT i AS id, i % 3 AS shard, 'x' || i AS body FROM range(20000) t(i))
                    TO '{root}' (FORMAT parquet, PARTITION_BY (shard), APPEND, ROW_GROUP_SIZE 2048)""")
    for shard in range(3):
        parquet.write_table(pyarrow.table({"id": [10**6 + shard], "body": ["late"]}),
                            root / f"shard={shard}" / "other.parquet")
    wanted = duckdb.sql(f"SELECT id, body, shard FROM read_parquet('{root}/*/*.parquet', "
                        "hive_partitioning = true) ORDER BY ALL").fetchall()
    assert rest(root, runs=2) == 1
    query = lithify.ok("ls", "--format", "duckdb", root).out
    assert duckdb.sql(f"SELECT id, body, shard FROM ({query}) ORDER BY ALL").fetchall() == wanted
    assert [len(reader.live(root / f"shard={shard}")) for shard in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("kind", rounds.AGE_S)
def test_c19_fifty_rounds(kind, tmp_path):
    """C19, L9: fifty rounds of append and sweep: O(log n) files at any time, nothing else left, and
    where appends come closer than settle each byte rewritten at most 1 + log4(total / first) times."""
    found = rounds.run(tmp_path / "lake", 50, kind)
    print(found)
    assert found.most <= math.log2(found.rounds) + 3, found
    assert found.left == found.live + 1, found
    assert kind != "closer" or found.times <= found.limit, found
