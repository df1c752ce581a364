"""The benchmark still runs, on miniature lakes, and does not take a broken run for a fast one."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import lithify

BENCH = lithify.ROOT / "bench"
BUILD = pathlib.Path(lithify.BIN).parent
sys.path.append(str(BENCH))

import chart  # noqa: E402
import configurations  # noqa: E402
import limits  # noqa: E402
import one_run  # noqa: E402


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
