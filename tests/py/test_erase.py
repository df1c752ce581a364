"""Rows that are left out on purpose: the library's one exception to P1.

erase_rows (tests/unit) asks for it by the public interface. What stays is what DuckDB selects, in the
order of the inputs; row groups without such rows keep their pages.
"""

import os
import random
import re
import subprocess

import duckdb
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify

TOOL = lithify.pathlib.Path(lithify.BIN).parent / "tests" / "unit" / "erase_rows"


def erase(out, columns, value, inputs, **environment):
    done = subprocess.run([TOOL, out, columns, value, *inputs], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    if done.returncode:
        return done.stderr
    asked, columns, rows, erased, spliced = map(int, re.findall(r"\d+", done.stdout))
    return {"asked": asked, "columns": columns, "rows": rows, "erased": erased, "spliced": spliced}


def person(rng):
    return rng.choice(["ada", "bob", "eve", None, "", "ada lovelace"])


def write(folder, seed, files=5, rows=3000):
    rng = random.Random(seed)
    paths = []
    for number in range(files):
        count = rng.randrange(1, rows)
        table = pyarrow.table({
            "id": range(number * rows, number * rows + count),
            "user": pyarrow.array([person(rng) for _ in range(count)], pyarrow.string()),
            "tags": pyarrow.array([rng.choice([None, [], ["x"], ["y", None, "z" * rng.randrange(9)]])
                                   for _ in range(count)], pyarrow.list_(pyarrow.string())),
            "s": pyarrow.array([rng.choice([None, {"a": None}, {"a": rng.random()}]) for _ in range(count)],
                               pyarrow.struct([("a", pyarrow.float64())])),
        })
        path = folder / f"{number}.parquet"
        parquet.write_table(table, path, row_group_size=rng.choice([500, 1 << 20]),
                            use_dictionary=bool(number % 2), data_page_size=4096)
        paths.append(path)
    return paths


def rows(paths, where="true"):
    listed = ", ".join(f"'{path}'" for path in paths)
    return duckdb.sql(f"SELECT id, user, tags, s FROM read_parquet([{listed}]) WHERE {where} ORDER BY id").fetchall()


@pytest.mark.parametrize("columns, value, where", [
    ("user", "ada", "\"user\" IS DISTINCT FROM 'ada'"),
    ("user", "null", "\"user\" IS NOT NULL"),
    ("user", "", "\"user\" IS DISTINCT FROM ''"),
    ("user", "nobody", "true"),
    ("user,s.a", "11", "coalesce(octet_length(encode(\"user\")), 0) + (CASE WHEN s.a IS NULL THEN 0 ELSE 8 END) != 11"),
])
@pytest.mark.parametrize("seed", [1, 2])
def test_rows_go(columns, value, where, seed, tmp_path):
    inputs = write(tmp_path, seed)
    out = tmp_path / "out.parquet"
    done = erase(out, columns, value, inputs, ERASE_ROW_GROUP="20000")
    expected = rows(inputs, where)
    assert isinstance(done, dict), done
    assert done["asked"] == len(rows(inputs)) == done["rows"] + done["erased"]
    assert done["columns"] == columns.count(",") + 1
    found = duckdb.sql(f"SELECT id, user, tags, s FROM '{out}'").fetchall()
    assert found == expected  # in the order of the inputs, which is that of id
    metadata = parquet.read_metadata(out).metadata or {}
    assert int(metadata.get(b"lithify.erased", 0)) == done["erased"] == len(rows(inputs)) - len(expected)


@pytest.mark.parametrize("files, groups", [(1, 100000), (3, 100000), (3, 7000)])
def test_files_that_end_within_a_row_group(files, groups, tmp_path):
    """A row group of the input becomes several, and outputs end between them."""
    inputs = []
    for number in range(files):
        rng = random.Random(number)
        table = pyarrow.table({"id": range(number * 50000, (number + 1) * 50000),
                               "user": [rng.choice(["ada", "eve"]) for _ in range(50000)],
                               "tags": [["x" * rng.randrange(9)]] * 50000,
                               "s": pyarrow.array([None] * 50000, pyarrow.struct([("a", pyarrow.float64())]))})
        inputs.append(tmp_path / f"{number}.parquet")
        parquet.write_table(table, inputs[-1], row_group_size=groups)
    done = erase(tmp_path / "out.parquet", "user", "eve", inputs, ERASE_ROWS="4000", ERASE_TARGET="30000")
    assert isinstance(done, dict), done
    outs = sorted(tmp_path.glob("out*.parquet"), key=lambda path: parquet.read_table(path)["id"][0].as_py())
    assert len(outs) > 2
    assert max(parquet.ParquetFile(path).metadata.row_group(0).num_rows for path in outs) <= 4000
    assert [row for path in outs for row in rows([path])] == rows(inputs, "\"user\" != 'eve'")


def test_all_rows_go(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"user": ["eve"] * 100, "id": range(100)}), path)
    done = erase(tmp_path / "out.parquet", "user", "eve", [path, path])
    assert done["rows"] == 0 and done["erased"] == 200
    assert parquet.read_table(tmp_path / "out.parquet").num_rows == 0


def test_pages_of_others_stay(tmp_path):
    """Only row groups with a row that goes are written anew."""
    paths = []
    for number in range(8):
        table = pyarrow.table({"user": ["eve" if number == 3 else "ada"] * 20000,
                               "x": [random.Random(number).random() for _ in range(20000)]})
        paths.append(tmp_path / f"{number}.parquet")
        parquet.write_table(table, paths[-1], use_dictionary=False)
    done = erase(tmp_path / "out.parquet", "user", "eve", paths, ERASE_ROW_GROUP="250000")
    size = sum(path.stat().st_size for path in paths)
    assert done["erased"] == 20000
    assert done["spliced"] > size / 2, f"{done} of {size}"


def test_what_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"user": ["eve"], "l": [[1]]}), path)
    assert 'there is no column "nobody"' in erase(tmp_path / "out.parquet", "nobody", "x", [path])
    assert "below a list or map" in erase(tmp_path / "out.parquet", "l.list.element", "x", [path])
    assert "not both" in erase(tmp_path / "out.parquet", "user", "eve", [path], ERASE_SORT_BY="user")
    assert not (tmp_path / "out.parquet").exists()
