"""What docs/reading.md says of readers, against `lithify ls`: P2."""

import os
import re
import shutil

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

import lithify

TEXT = (lithify.ROOT / "docs/reading.md").read_text()
OLD = 1_750_000_000


def write(path, start):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": range(start, start + 10)}), path)
    os.utime(path, (OLD, OLD))
    return path


def rule():
    space = {}
    exec(re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1], space)
    return space["live_files"]


def test_the_rule_in_the_docs_is_that_of_ls(tmp_path):
    """P2: before any commit, after one, with a late file, an orphan, a replay, and after gc."""
    live_files = rule()
    root = tmp_path / "lake"
    day = root / "tenant_id=acme/day=15"
    files = [write(day / f"f{i}.parquet", i * 10) for i in range(6)]
    kept = shutil.copy2(files[0], tmp_path)

    def check(count):
        lines = lithify.ok("ls", day).out.splitlines()
        assert live_files(str(day)) == lines and len(lines) == count

    check(6)
    lithify.ok("compact", root, "--readers=manifest")
    check(1)
    output = live_files(str(day))[0]
    write(day / "late.parquet", 100)
    write(day / "_hidden.parquet", 200)
    check(2)
    shutil.copy(output, day / ("0" * 8 + os.path.basename(output)[8:]))
    check(2)
    lithify.ok("gc", root, "--reader-grace=0")
    shutil.copy2(kept, files[0])
    check(2)


def test_engines_read_what_ls_names(tmp_path):
    """P2: each row once, with the keys of the path as columns."""
    root = tmp_path / "lake"
    for tenant in ("acme", "globex"):
        for i in range(6):
            write(root / f"tenant_id={tenant}/day=15/f{i}.parquet", i * 10)
    lithify.ok("compact", root, "--readers=manifest")
    lines = lithify.ok("ls", root).out.splitlines()
    query = lithify.ok("ls", root, "--format", "duckdb").out
    rows = duckdb.sql(f"SELECT tenant_id, count(*), sum(n) FROM ({query}) GROUP BY 1 ORDER BY 1").fetchall()
    assert rows == [("acme", 60, 1770), ("globex", 60, 1770)]
    frame = polars.read_parquet(lines, hive_partitioning=True)
    assert frame.height == 120 and set(frame["tenant_id"]) == {"acme", "globex"}
    table = pyarrow.dataset.dataset(lines, partitioning="hive").to_table()
    assert table.num_rows == 120 and set(table["tenant_id"].to_pylist()) == {"acme", "globex"}
