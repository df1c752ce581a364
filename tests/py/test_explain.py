"""--explain: the way of each column, and why, where the right answer is known."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import parquet_file

BENCH = lithify.ROOT / "bench"
RANDOM = numpy.random.default_rng(11)
OLD = 1_000_000  # seconds: files that have been quiet for long


def words(order, rows=20_000, kinds=50):
    """Text whose dictionary is `kinds` entries in the given order."""
    entries = [f"word {k:03}" for k in order(range(kinds))]
    picks = numpy.concatenate([numpy.arange(kinds), RANDOM.integers(0, kinds, rows - kinds)])
    return pyarrow.array([entries[i] for i in picks])


def numbers(rows=20_000):
    return pyarrow.array(RANDOM.integers(0, 1 << 62, rows))


def floats(rows=20_000):
    return pyarrow.array(RANDOM.random(rows))


PLAIN = {"use_dictionary": False}
WIDE = {"dictionary_pagesize_limit": 1 << 30}  # no page falls back from its dictionary

# Name -> (columns with options of each input, what is said: mover and words of the reason -> inputs).
CASES = {
    "values": ([(numbers(), PLAIN)] * 3, {("splice", "pages of values"): [0, 1, 2]}),
    "values of one encoding": (
        [(numbers(), {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"})] * 2,
        {("splice", "pages of values"): [0, 1]}),
    "same dictionaries": ([(words(list), {}) for _ in range(3)],
                          {("splice", "dictionary begins"): [0, 1, 2]}),
    "a dictionary and its beginning": (
        [(words(list, kinds=30), {}), (words(list, kinds=90), {}), (words(list, kinds=60), {})],
        {("splice", "dictionary begins"): [0, 1, 2]}),
    "other dictionaries": (
        [(words(reversed), {}), (words(list, kinds=90), {}), (words(reversed, kinds=70), {})],
        {("splice", "dictionary begins"): [1], ("remap", "rewritten"): [0, 2]}),
    "dictionaries without use": (
        [(floats(), WIDE) for _ in range(3)],
        {("recode", "does not pay"): [0, 1, 2]}),
    "small pages": ([(numbers(100), PLAIN)] * 3, {("recode", "small pages"): [0, 1, 2]}),
    "small pages behind a large one": (
        [(numbers(), PLAIN), (numbers(100), PLAIN), (numbers(100), PLAIN)],
        {("splice", "pages of values"): [0], ("recode", "small pages"): [1, 2]}),
    "another codec": (
        [(numbers(), PLAIN), (numbers(8_000), PLAIN | {"compression": "zstd"}),
         (numbers(), PLAIN)],
        {("splice", "pages of values"): [0, 2], ("recode", "another codec"): [1]}),
}


def write(path, column, options=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table({"c": column}), path, **(options or {}))
    stamp = time.time() - OLD
    os.utime(path, (stamp, stamp))
    return path


def inputs_of(case, folder):
    return [write(folder / f"{i}.parquet", column, options)
            for i, (column, options) in enumerate(CASES[case][0])]


def document(*arguments):
    return json.loads(lithify.ok("merge", "--explain", "--json", *arguments).out)


def bodies(path):
    """Of its data pages, as stored."""
    file = parquet_file.take_apart(pathlib.Path(path))
    return [page.body for group in file.groups for chunk in group.chunks
            for page in chunk.data_pages]


@pytest.mark.parametrize("case", CASES)
def test_the_reason_is_the_known_one(case, tmp_path):
    """MOV.4"""
    inputs = inputs_of(case, tmp_path)
    said = {}
    for one in document(*inputs)["explained"]:
        assert one["column"] == "c" and one["row_group"] == 0
        source = parquet.read_metadata(one["input"]).row_group(0).column(0)
        assert one["bytes"] == source.total_compressed_size
        said[inputs.index(pathlib.Path(one["input"]))] = (one["mover"], one["reason"])
    assert sorted(said) == list(range(len(inputs)))
    for (mover, reason), sources in CASES[case][1].items():
        for source in sources:
            assert said[source][0] == mover and reason in said[source][1], (source, said)


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_is_what_is_done(case, tmp_path):
    """MOV.4: bodies of pages are in the output, byte for byte, just where splicing was said."""
    inputs = inputs_of(case, tmp_path / "in")
    before = sorted(tmp_path.rglob("*"))
    planned = document(*inputs)
    assert sorted(tmp_path.rglob("*")) == before, "a plan writes nothing"
    done = document("-o", tmp_path / "out.parquet", *inputs)
    assert done["explained"] == planned["explained"]
    pages = bodies(tmp_path / "out.parquet")
    moved = {"splice": 0, "remap": 0, "recode": 0}
    for one in done["explained"]:
        source = bodies(one["input"])
        moved[one["mover"]] += sum(map(len, source))
        copied = one["mover"] == "splice"
        assert all((body in pages) == copied for body in source), one
    result = done["result"]
    # Pages that are to be joined may be so as they are compressed.
    result["recoded_bytes"] += result["regrouped_bytes"]
    assert [result[f"{name}_bytes"] for name in ("spliced", "remapped", "recoded")] == list(
        moved.values())
    assert result["rows"] == planned["result"]["rows"] > 0
    assert planned["result"]["output"] is None and planned["result"]["outputs"] == 0


def test_pages_behind_a_full_dictionary(tmp_path):
    """MOV.4: a chunk of both kinds of pages is said to be of both, and only those of values are copied."""
    options = {"dictionary_pagesize_limit": 40_000, "write_batch_size": 1_000, "data_page_size": 40_000}
    inputs = [write(tmp_path / f"{i}.parquet", floats(30_000), options) for i in range(3)]
    said = document("-o", tmp_path / "out.parquet", *inputs)
    for one in said["explained"]:
        assert one["mover"] == "splice" and "those of ids are encoded anew" in one["reason"], one
    result, copied = said["result"], bodies(tmp_path / "out.parquet")
    kinds = [(page.body in copied, len(page.body)) for path in inputs
             for group in parquet_file.take_apart(path).groups for chunk in group.chunks
             for page in chunk.data_pages]
    assert result["spliced_bytes"] == sum(size for is_copied, size in kinds if is_copied) > 0
    assert result["recoded_bytes"] == sum(size for is_copied, size in kinds if not is_copied) > 0


def test_small_pages_that_hardly_compress_are_regrouped(tmp_path):
    """Planned as recode, of which it is a shorter way; a merge says what became of them."""
    inputs = [write(tmp_path / f"{i:02}.parquet", numbers(500), PLAIN) for i in range(80)]
    out = tmp_path / "out.parquet"
    value = document("-o", out, *inputs)
    assert {one["mover"] for one in value["explained"]} == {"recode"}
    regrouped, recoded = (value["result"][f"{name}_bytes"] for name in ("regrouped", "recoded"))
    assert regrouped + recoded == sum(len(body) for path in inputs for body in bodies(path))
    assert regrouped > recoded and len(bodies(out)) < 10
    text = lithify.ok("merge", "--explain", "--overwrite", "-o", out, *inputs).out
    share = 100 * regrouped / (regrouped + recoded)
    assert f"spliced 0.0 %, remapped 0.0 %, regrouped {share:.1f} %, recoded " in text


def test_regrouping_does_not_depend_on_windows(tmp_path):
    """Many wide inputs have windows that are smaller than a page of values: it is joined, too."""
    values = numpy.random.default_rng(5)
    wide = {f"c{i}": pyarrow.array([i] * 1900, pyarrow.int32()) for i in range(60)}
    inputs = []
    for number in range(300):
        numbers_of_file = values.integers(0, 1 << 60, 1900)
        table = pyarrow.table({"v": numbers_of_file} | wide)
        inputs.append(tmp_path / f"{number:03}.parquet")
        parquet.write_table(table, inputs[-1], use_dictionary=False)
    value = document("-o", tmp_path / "out.parquet", "--memory", "64MiB", *inputs)
    assert value["result"]["regrouped_bytes"] > 250 * 1900 * 8


def table_of(text):
    """{(column, mover, words of the reason): (sources, share)} of a table."""
    found = {}
    for line in text.splitlines():
        row = re.fullmatch(r" *(\S+) +(splice|remap|recode) +(\d+) +\S+ +([\d.]+) %  (.+)", line)
        if row:
            found[row[1], row[2], row[5]] = (int(row[3]), float(row[4]))
    return found


def test_text_is_summed_up(tmp_path):
    """A line for each column, mover and reason, however many files; most bytes first."""
    inputs = []
    for i in range(40):
        table = pyarrow.table({"id": numbers(), "word": words(reversed if i % 2 else list)})
        inputs.append(tmp_path / f"{i:02}.parquet")
        parquet.write_table(table, inputs[-1], use_dictionary=["word"])
    text = lithify.ok("merge", "--explain", *inputs).out
    table = table_of(text)
    assert [(key[:2], sources) for key, (sources, _) in table.items()] == [
        (("id", "splice"), 40), (("word", "remap"), 20), (("word", "splice"), 20)]
    assert abs(sum(share for _, share in table.values()) - 100) < 0.3
    share = sum(share for (_, mover, _), (_, share) in table.items() if mover == "splice")
    total = re.search(r"^spliced ([\d.]+) %, remapped ([\d.]+) %, recoded 0.0 % of ", text, re.M)
    assert abs(float(total[1]) - share) < 0.2 and "nothing is written" in text
    out = tmp_path / "out.parquet"
    merged = lithify.ok("merge", "--explain", "-o", out, *inputs).out
    assert table_of(merged) == table and "800000 rows" in merged
    assert parquet.read_metadata(out).num_rows == 800_000


def test_nested_and_odd_columns(tmp_path):
    table = pyarrow.table({"a.b": [1], "x": [{"y\n": [2]}]})
    for name in ("0", "1"):
        parquet.write_table(table, tmp_path / name)
    said = document(tmp_path / "0", tmp_path / "1")["explained"]
    assert [one["column"] for one in said[::2]] == ['"a.b"', r'x."y\x0a".list.element']
    text = lithify.ok("merge", "--explain", tmp_path / "0").out
    assert len(table_of(text)) == 2 and len(text.splitlines()) == 5, "a name is in its line"


def test_json_is_whole_when_it_fails(tmp_path):
    inputs = inputs_of("same dictionaries", tmp_path)
    missing = lithify.run("merge", "--explain", "--json", *inputs, tmp_path / "none.parquet")
    assert missing.code == lithify.FAILED and "none.parquet" in missing.err
    value = json.loads(missing.out)
    assert value["error"]["code"] == "NOT_FOUND" and value["explained"] == []


def lake(root):
    for i in range(6):
        write(root / "tenant_id=a/day" / f"{i}.parquet", words(reversed if i % 2 else list))
        write(root / "tenant_id=b/day" / f"{i}.parquet", numbers(), PLAIN)
    write(root / "tenant_id=c/day/0.parquet", numbers())
    return root


@pytest.mark.parametrize("jobs", [1, 3])
def test_plan_of_a_lake(jobs, tmp_path):
    root = lake(tmp_path)
    arguments = ["plan", root, f"--jobs={jobs}", "--grace=0"]
    plain = json.loads(lithify.ok(*arguments, "--json").out)
    assert not any("explained" in partition for partition in plain["partitions"])
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    value = json.loads(lithify.ok(*arguments, "--explain", "--json").out)
    assert before == {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    by_path = {partition["path"]: partition for partition in value["partitions"]}
    said = {path: {(one["mover"], one["sources"]) for one in partition.get("explained", [])}
            for path, partition in by_path.items()}
    assert said == {"tenant_id=a/day": {("splice", 3), ("remap", 3)},
                    "tenant_id=b/day": {("splice", 6)}, "tenant_id=c/day": set()}
    text = lithify.ok(*arguments, "--explain").out
    assert len(table_of(text)) == 3 and text.count("    spliced ") == 2


def test_plan_finds_what_compact_would(tmp_path):
    """P9: a dictionary that cannot be read is told, not planned around."""
    root = lake(tmp_path)
    path = root / "tenant_id=a/day/2.parquet"
    stamp = path.stat().st_mtime
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(56)  # the dictionary page's header and more
    path.write_bytes(data)
    os.utime(path, (stamp, stamp))
    result = lithify.run("plan", root, "--explain", "--json", "--grace=0")
    states = {p["path"]: p["state"] for p in json.loads(result.out)["partitions"]}
    assert result.code == lithify.FAILED
    assert states["tenant_id=a/day"] == "failed" and states["tenant_id=b/day"] == "compacted"
    failed = [p for p in json.loads(result.out)["partitions"] if p["state"] == "failed"]
    assert "2.parquet" in failed[0]["error"]


@pytest.mark.parametrize("name", ["L1", "L3", "L4"])
def test_most_bytes_of_the_bench_lakes_are_spliced(name, tmp_path):
    """MOV.3: at least 95 % of the compressed bytes, on a few files of each lake."""
    subprocess.run([sys.executable, BENCH / "lakes.py", "--out", tmp_path, "--files", "3",
                    "--lakes", name], check=True, capture_output=True)
    inputs = sorted((tmp_path / name).iterdir())
    for more in ([], ["-o", tmp_path / "out.parquet"]):
        value = document(*more, *inputs)
        spliced = sum(one["bytes"] for one in value["explained"] if one["mover"] == "splice")
        assert spliced >= 0.95 * sum(one["bytes"] for one in value["explained"])
        moved = {key: value["result"][f"{key}_bytes"]
                 for key in ("spliced", "remapped", "regrouped", "recoded")}
        assert moved["spliced"] >= 0.95 * sum(moved.values()), moved
