"""The benchmark still runs, on miniature lakes, and does not take a broken run for a fast one."""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lithify

BENCH = lithify.ROOT / "bench"
BUILD = pathlib.Path(lithify.BIN).parent
sys.path.append(str(BENCH))

import chart  # noqa: E402
import configurations  # noqa: E402
import lake_dealt  # noqa: E402
import limits  # noqa: E402
import one_run  # noqa: E402
import scratch  # noqa: E402
import sort  # noqa: E402
import sort_check  # noqa: E402
import sort_limits  # noqa: E402
import sort_pruning  # noqa: E402


def script(name, *arguments):
    done = subprocess.run([sys.executable, BENCH / name, *map(str, arguments)], text=True,
                          capture_output=True, timeout=5 * lithify.SECONDS_MAX,
                          env=os.environ | {"LITHIFY": lithify.BIN})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lakes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lakes")
    script("lakes.py", "--out", folder, "--files", 3, "--lakes", "L2,L4r")
    return folder


def test_lakes_are_the_same_bytes_each_time(lakes, tmp_path):
    script("lakes.py", "--out", tmp_path, "--files", 2, "--lakes", "L2")
    for path in sorted((tmp_path / "L2").iterdir()):
        assert path.read_bytes() == (lakes / "L2" / path.name).read_bytes()


def test_tiny_and_repeated_lakes(tmp_path):
    script("lakes.py", "--out", tmp_path, "--files", 1, "--lakes", "L1")
    script("lakes.py", "--out", tmp_path, "--repeat", 0.03)
    assert len(list((tmp_path / "repeat-0.03").iterdir())) == 3
    script("lakes.py", "--out", tmp_path, "--tiny", 5, "--rows", 7)
    assert len(list((tmp_path / "tiny-5").iterdir())) == 5


def test_every_configuration_runs(lakes, tmp_path):
    text = script("run.py", "--folder", lakes, "--lakes", "L2,L4r", "--rounds", 1,
                  "--build", BUILD, "--out", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "merge.jsonl").read_text().splitlines()]
    ran = {(line["lake"], line["configuration"]) for line in lines[1:] if "failed" not in line}
    wanted = {(lake, one.name) for lake in ("L2", "L4r") for one in configurations.CONFIGURATIONS
              if one.lakes is None}
    assert ran == wanted
    assert all(line["wall"] > 0 and line["peak_bytes"] > 1 << 16 for line in lines[1:])
    assert "| L4r | bytes / polars |" in text
    for name in ("wall.svg", "memory.svg"):
        assert (tmp_path / name).read_text().startswith("<svg")


def test_queries_run(lakes, tmp_path):
    text = script("query.py", "--folder", lakes, "--lakes", "L2", "--runs", 2, "--build", BUILD,
                  "--out", tmp_path)
    assert "| L2 | range |" in text


def test_an_output_without_all_rows_is_no_result(lakes, tmp_path):
    names = sorted(path.name for path in (lakes / "L2").iterdir())
    lake = one_run.Lake("L2", lakes / "L2", names, "zstd", {"rows": 301, "bytes": 1})
    for name in ("lithify-off", "duckdb-t1", "floor"):
        one = next(one for one in configurations.CONFIGURATIONS if one.name == name)
        with pytest.raises(RuntimeError):
            one_run.run_once(one, one_run.Tools.of_build(BUILD), lake, tmp_path / "out.parquet")


def test_limits_are_missed_by_what_is_slow():
    peer = dict(wall=7.0, cpu=7.0, output_bytes=1000, peak_bytes=1 << 30)
    medians = {"floor": peer | dict(wall=1.0), "duckdb-t1": peer, "polars-t1": peer,
               "lithify-off": dict(wall=1.0, cpu=1.0, output_bytes=1000, peak_bytes=1 << 20),
               "lithify-content": dict(wall=1.4, cpu=1.0, output_bytes=1000, peak_bytes=1 << 20)}
    assert all(verdict.passed for verdict in limits.verdicts("L1", medians, 1000))
    medians["lithify-off"] = dict(wall=1.6, cpu=1.0, output_bytes=1001, peak_bytes=49 << 20)
    medians["lithify-content"]["wall"] = 2.4
    missed = [verdict.what for verdict in limits.verdicts("L1", medians, 1000)
              if not verdict.passed]
    assert missed == ["wall / floor", "wall / duckdb", "content / off", "peak MiB",
                      "bytes / inputs"]


def test_a_chart_of_one_point():
    assert "<polyline" in chart.line_chart("t", [("p", {"s": [(1, 1), (10, 2)]})], "x")


def test_scale_runs(tmp_path):
    script("lakes.py", "--out", tmp_path, "--files", 1, "--lakes", "L1")
    text = script("scale.py", "--folder", tmp_path, "--gib", "0.01,0.02", "--files", "5,10",
                  "--runs", 1, "--build", BUILD, "--out", tmp_path)
    assert "| 10 files | 10 |" in text
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["L1"]


def test_page_sizes_are_measured(tmp_path):
    script("page_size.py", "--rows", 5000, "--rounds", 1, "--page-rows", "50,1000",
           "--build", BUILD, "--kinds", "double;dictionary", "--codecs", "snappy",
           "--out", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "page-size.jsonl").read_text().splitlines()]
    assert [line["pages"] for line in lines[1:]] == [100, 5, 100, 5]
    assert (tmp_path / "page-size.svg").read_text().count("<polyline") == 2 * 5


def test_a_lake_at_rest_is_measured(tmp_path):
    text = script("rest.py", "--folder", tmp_path / "lakes", "--partitions", "5,20", "--rounds", 1,
                  "--build", BUILD, "--out", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "rest.jsonl").read_text().splitlines()]
    assert [line["partitions"] for line in lines[1:]] == [5, 20]
    assert all(line[name]["wall"] > 0 for line in lines[1:] for name in ("find", "cat", "sweep"))
    assert "20 partitions, nothing due: " in text and not list((tmp_path / "lakes").iterdir())


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    script("lakes.py", "--out", folder, "--files", 3, "--lakes", "L4")
    return folder


def test_sorts_are_measured(metrics, tmp_path):
    text = script("sort.py", "--folder", metrics, "--rounds", 1, "--gib", 0.003, "--rows", 500,
                  "--queries", 1, "--build", BUILD, "--out", tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "sort.jsonl").read_text().splitlines()]
    ran = {(line["lake"], line["configuration"]) for line in lines[1:] if "failed" not in line}
    wanted = {("L4", one.name) for one in sort.ORDERED} | {("memory", "lithify")}
    wanted |= {(lake, one.name) for lake in ("L4s", "L4i") for one in sort.OVERLAPPING}
    wanted |= {("services", one.name) for one in sort_pruning.VARIANTS}
    assert ran == wanted
    for what in ("| L4 | sorted / unsorted, off |", "| L4i | lithify-64MiB-content peak / duckdb",
                 "| services | bytes to read, sorted / unsorted |", "- L4s, lithify-256MiB-off: "):
        assert what in text
    assert sorted(path.name for path in metrics.iterdir()) == ["L4", "L4i", "L4s"]


def test_a_large_sort_without_room_is_skipped(metrics, tmp_path):
    text = script("sort.py", "--folder", metrics, "--parts", "memory", "--gib", 1e9,
                  "--build", BUILD, "--out", tmp_path)
    assert "Not measured: 7e+09 GiB are needed" in text


def test_dealt_lakes_have_the_rows_of_their_source(metrics, tmp_path):
    with duckdb.connect() as connection:
        expected = sort_check.multiset(connection, metrics / "L4" / "*.parquet")
        for name, in_order in lake_dealt.DEALT.items():
            folder = lake_dealt.make_dealt(metrics / "L4", tmp_path / name, in_order)
            assert sort_check.multiset(connection, folder / "*.parquet") == expected
            for path in sorted(folder.iterdir()):
                assert sort_check.is_sorted(connection, path, "time") == in_order


def test_an_output_out_of_order_or_with_other_rows_is_no_sort(metrics, tmp_path):
    names = sorted(path.name for path in (metrics / "L4").iterdir())
    lake = one_run.Lake("L4", metrics / "L4", names, "snappy", {})
    output = tmp_path / "output.parquet"
    source = f"FROM '{metrics / 'L4' / '*.parquet'}'"
    for query, expected in [(f"SELECT * {source} ORDER BY time", None),
                            (f"SELECT * {source} ORDER BY host", "not in the order"),
                            (f"SELECT * REPLACE (-cpu AS cpu) {source} ORDER BY time", "hashes"),
                            (f"SELECT * {source} ORDER BY time LIMIT 59999", "hashes")]:
        duckdb.sql(f"COPY ({query}) TO '{output}' (FORMAT parquet)")
        if expected is None:
            sort_check.check_sorted(lithify.BIN, lake, output, "time")
            continue
        with pytest.raises(RuntimeError, match=expected):
            sort_check.check_sorted(lithify.BIN, lake, output, "time")


def test_several_keys_are_in_order_together(tmp_path):
    path = tmp_path / "two.parquet"
    duckdb.sql(f"COPY (SELECT * FROM (VALUES (1, 2), (1, 3), (2, 1)) AS t(a, b)) TO '{path}'")
    with duckdb.connect(config={"threads": 1}) as connection:
        assert sort_check.is_sorted(connection, path, "a, b")
        assert not sort_check.is_sorted(connection, path, "b, a")


def test_row_groups_to_read_are_those_with_a_row_that_may_match(tmp_path):
    """Five row groups: the service and the time match; only one of both; neither; no statistics."""
    path = tmp_path / "five.parquet"
    inside, outside = ("2026-06-15 10:30:00", "2026-06-15 11:30:00")
    rows = [("svc-07", inside), ("svc-07", outside), ("svc-08", inside), ("svc-06", outside)]
    schema = pa.schema([("service.name", pa.string()), ("time", pa.timestamp("us"))])
    with pq.ParquetWriter(path, schema, version="2.6") as writer:
        for service, moment in rows:
            times = pa.array([datetime.datetime.fromisoformat(moment)], pa.timestamp("us"))
            writer.write_table(pa.table([pa.array([service]), times], schema))
        writer.write_table(pa.table([pa.array([None], pa.string()), times], schema))
    with duckdb.connect() as connection:
        facts = sort_pruning.read_facts(connection, path)
    assert (facts["row_groups"], facts["row_groups_read"]) == (5, 1)
    assert 0 < facts["chunk_bytes_read"] < facts["chunk_bytes"] / 3


def test_sort_limits_are_missed_by_what_is_slow():
    peer = dict(wall=3.0, cpu=3.0, peak_bytes=400)
    medians = {"duckdb-t1": peer, "duckdb-slow-t1": peer | dict(wall=9.0, peak_bytes=9000),
               "duckdb-t2": peer | dict(wall=2.0), "polars-t1": peer,
               "lithify-off": dict(wall=1.0, cpu=1.0, peak_bytes=100)}
    assert all(verdict.passed for verdict in sort_limits.peer_verdicts("L4s", medians))
    medians["lithify-off"] = dict(wall=1.1, cpu=1.0, peak_bytes=101)
    assert not any(verdict.passed for verdict in sort_limits.peer_verdicts("L4s", medians))
    assert len(list(sort_limits.peer_verdicts("L4s", medians))) == 2


def test_scratch_files_without_names_are_seen(tmp_path):
    program = os.readlink("/proc/self/exe")
    with tempfile.TemporaryFile(dir=tmp_path) as file:
        file.write(bytes(1 << 20))
        file.flush()
        assert scratch.scratch_bytes(program, tmp_path) >= 1 << 20
    assert scratch.scratch_bytes(program, tmp_path) == 0
