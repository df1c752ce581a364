"""Files before and after their schema changed become one. parquet-splice.md sections 6.1 to 6.5."""

import collections
import datetime
import decimal
import json
import os

import duckdb
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader
from test_schema_sets import COMPACT, FOLDER, manifest, plan, settle

ROWS = 20
DAY = datetime.date(2024, 2, 29)


def write(root, name, columns):
    """A file of ROWS rows; `columns` are (name, type, value of a row's number[, field id])."""
    path = root / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = len(list(path.parent.glob("*.parquet"))) * ROWS
    ids = range(begin, begin + ROWS)
    fields, arrays = [], []
    for column, type_, value, *field_id in columns:
        metadata = {"PARQUET:field_id": str(field_id[0])} if field_id else None
        fields.append(pyarrow.field(column, type_, metadata=metadata))
        arrays.append(pyarrow.array([None if i % 7 == 3 and column != "id" else value(i) for i in ids], type_))
    parquet.write_table(pyarrow.table(arrays, schema=pyarrow.schema(fields)), path,
                        store_decimal_as_integer=True)
    os.utime(path, (path.stat().st_mtime - 7200,) * 2)


ID = ("id", pyarrow.int64(), lambda i: i)
NUMBER = ("n", pyarrow.int32(), lambda i: i)
WIDE = ("n", pyarrow.int64(), lambda i: i << 33)
FLOAT = ("f", pyarrow.float32(), float)
DOUBLE = ("f", pyarrow.float64(), lambda i: i / 3)
TEXT = ("t", pyarrow.string(), str)
MOMENT = ("m", pyarrow.timestamp("us", tz="UTC"), lambda i: datetime.datetime(2024, 1, 1) + datetime.timedelta(i))
FEW = ("d", pyarrow.decimal128(9, 2), lambda i: decimal.Decimal(i) / 4)
MANY = ("d", pyarrow.decimal128(18, 2), lambda i: decimal.Decimal(i) * 10**12 / 4)
SMALL_GROUP = ("s", pyarrow.struct([("x", pyarrow.int32())]), lambda i: {"x": i})
GROUP = ("s", pyarrow.struct([("x", pyarrow.int32()), ("y", pyarrow.string())]), lambda i: {"x": i, "y": None if i % 2 else "y"})
LIST = ("l", pyarrow.list_(pyarrow.field("element", pyarrow.int32())), lambda i: [None, [], [i, None]][i % 3])

EVOLUTIONS = {
    "added": [[ID], [ID, TEXT], [ID, TEXT, MOMENT]],
    "dropped": [[ID, TEXT, NUMBER], [ID, NUMBER], [ID]],
    "widened": [[ID, NUMBER, FLOAT, FEW], [ID, WIDE, DOUBLE, MANY]],
    "moved": [[ID, NUMBER, TEXT], [TEXT, ID, NUMBER]],
    "nested": [[ID], [ID, SMALL_GROUP], [ID, GROUP, LIST]],
    "all": [[ID, NUMBER], [ID, WIDE, TEXT], [TEXT, ID], [ID, GROUP, DOUBLE], [MOMENT, ID, LIST, FEW], [ID]],
}


def rows(root):
    """All rows by DuckDB, columns matched by name, as the multiset that any reader of the lake sees."""
    paths = [str(path) for path in reader.live(root / FOLDER)]
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.sql("SET TimeZone = 'UTC'")
        found = connection.sql(f"FROM read_parquet({paths}, union_by_name = true)")
        order = sorted(found.columns)
        return order, collections.Counter(map(repr, found.select(*[f'"{name}"' for name in order]).fetchall()))


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_one_file_in_the_end(name, tmp_path):
    """P1, P5, P6: a partition whose schema evolved becomes one file with every value; then there is rest."""
    root = tmp_path / "lake"
    for number in range(4):
        for at, columns in enumerate(EVOLUTIONS[name]):
            write(root, f"f{number}-{at}.parquet", columns)
    before = rows(root)
    assert plan(root)["conflicts"] == []
    settle(root, 1)
    assert len(reader.live(root / FOLDER)) == 1
    assert rows(root) == before
    assert "conflicts" not in manifest(root)["lithify"]["outcome"]


def rows_by_kind(root):
    """The rows of all live files as multisets, by the type that n has there."""
    found = collections.defaultdict(collections.Counter)
    for path in reader.live(root / FOLDER):
        table = parquet.ParquetFile(path).read()
        found[str(table.schema.field("n").type)].update(
            (row["id"], row["n"], row.get("t")) for row in table.to_pylist())
    return found


def test_evolving_beside_what_does_not_join(tmp_path):
    """P5, P8: two kinds, each of which evolves, become two files."""
    root = tmp_path / "lake"
    kinds = [[ID, NUMBER], [ID, ("n", pyarrow.string(), str)]]
    for number in range(4):
        for at, columns in enumerate(kinds):
            write(root, f"f{number}-{at}.parquet", columns)
            write(root, f"f{number}-{at}x.parquet", [*columns, TEXT])
    before = rows_by_kind(root)
    assert [found.total() for found in before.values()] == [8 * ROWS] * 2
    done = settle(root, 2)
    assert len(done["conflicts"]) == 1
    assert len(reader.live(root / FOLDER)) == 2
    assert rows_by_kind(root) == before


def test_a_late_column(tmp_path):
    """P5, P6: late files with one more column are merged with what was compacted before."""
    root = tmp_path / "lake"
    for number in range(4):
        write(root, f"a{number}.parquet", [ID, NUMBER])
    settle(root, 1)
    for number in range(8):
        write(root, f"b{number}.parquet", [ID, NUMBER, MOMENT])
    before = rows(root)
    settle(root, 1)
    assert rows(root) == before and len(reader.live(root / FOLDER)) == 1


def with_ids(columns, ids):
    return [(*column, field_id) for column, field_id in zip(columns, ids)]


def value_of(number):
    """What write gives a row in a column like NUMBER."""
    return None if number % 7 == 3 else number


def test_renamed_by_id(tmp_path):
    """P5: where all files have field ids, a renamed column is one column."""
    root = tmp_path / "lake"
    renamed = ("number", *NUMBER[1:])
    for number in range(4):
        write(root, f"a{number}.parquet", with_ids([ID, NUMBER], [1, 2]))
        write(root, f"b{number}.parquet", with_ids([ID, renamed], [1, 2]))
    settle(root, 1)
    live = reader.live(root / FOLDER)
    assert len(live) == 1
    table = parquet.ParquetFile(live[0]).read().sort_by("id")
    assert table.to_pydict() == {"id": list(range(8 * ROWS)), "number": list(map(value_of, range(8 * ROWS)))}


def test_renamed_by_name(tmp_path):
    """P5: with match_columns=name ids do not matter: two columns."""
    root = tmp_path / "lake"
    renamed = ("number", *NUMBER[1:])
    for number in range(4):
        write(root, f"a{number}.parquet", with_ids([ID, NUMBER], [1, 2]))
        write(root, f"b{number}.parquet", with_ids([ID, renamed], [1, 2]))
    lithify.ok(*COMPACT, "--match-columns", "name", root)
    live = reader.live(root / FOLDER)
    assert len(live) == 1
    table = parquet.ParquetFile(live[0]).read().sort_by("id")
    assert table.column_names == ["id", "n", "number"]
    assert table.to_pylist() == [  # the files were written in turn
        {"id": i, "n": value_of(i) if i // ROWS % 2 == 0 else None, "number": value_of(i) if i // ROWS % 2 else None}
        for i in range(8 * ROWS)]


@pytest.mark.parametrize("word, kinds", [
    ("bytes-to-strings", [[ID, ("t", pyarrow.binary(), lambda i: str(i).encode())], [ID, TEXT]]),
    ("names-by-case", [[ID, TEXT], [ID, ("T", pyarrow.string(), str)]]),
    ("dates-to-timestamps", [[ID, ("m", pyarrow.date32(), lambda i: DAY + datetime.timedelta(i))],
                             [ID, ("m", pyarrow.timestamp("us"),
                                   lambda i: datetime.datetime(1999, 1, 1) + datetime.timedelta(hours=i))]]),
])
def test_what_is_allowed(word, kinds, tmp_path):
    """P5, P8: apart by default; one file once it is allowed, which is asked for once."""
    root = tmp_path / "lake"
    for number in range(4):
        for at, columns in enumerate(kinds):
            write(root, f"f{number}-{at}.parquet", columns)
    settle(root, 2)
    assert len(reader.live(root / FOLDER)) == 2
    done = json.loads(lithify.ok(*COMPACT, "--allow", word, "--json", root).out)["partitions"][0]
    assert (done["state"], done["conflicts"]) == ("compacted", [])
    assert len(reader.live(root / FOLDER)) == 1
    before = numbered.tree(root)
    lithify.ok(*COMPACT, "--allow", word, root)
    assert numbered.tree(root) == before
