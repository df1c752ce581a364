"""Levels put in front of compressed pages, and columns of nulls, as pyarrow, DuckDB and Polars read them.

define_columns (tests/unit) has the movers turn all that is REQUIRED into OPTIONAL, without decoding where
that is possible, and adds a column and a list that the file lacks; the engines must read what was written,
and nulls."""

import random

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import movers
import parquet_file

CODECS = ["NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4", "BROTLI"]
ROWS = 12000


def flat_table(rows):
    draw = random.Random(7)
    columns = {
        "flag": (pa.bool_(), [draw.random() < 0.3 for _ in range(rows)]),
        "small": (pa.int32(), [i % 7 for i in range(rows)]),
        "number": (pa.int64(), [draw.randrange(-2**63, 2**63) for _ in range(rows)]),
        "real": (pa.float64(), [i / 3 for i in range(rows)]),
        "word": (pa.string(), [f"word-{draw.randrange(50)}" for _ in range(rows)]),
        "text": (pa.string(), [f"row {i} of " + "x" * (i % 90) for i in range(rows)]),
        "noise": (pa.binary(), [draw.randbytes(1 + i % 40) for i in range(rows)]),
        "fixed": (pa.binary(5), [draw.randbytes(5) for _ in range(rows)]),
        "same": (pa.int64(), [4] * rows),
    }
    inside = pa.struct([pa.field("number", pa.int16(), nullable=False)])
    columns["inside"] = (inside, [{"number": i % 300} for i in range(rows)])
    fields = [pa.field(name, kind, nullable=False) for name, (kind, _) in columns.items()]
    return pa.table([pa.array(v, kind) for kind, v in columns.values()], schema=pa.schema(fields))


def engines(path):
    """name -> list of values, by engine."""
    arrow = pq.read_table(path, page_checksum_verification=True)
    yield "pyarrow", {name: arrow.column(name).to_pylist() for name in arrow.column_names}
    rows = duckdb.connect().execute("select * from read_parquet(?)", [str(path)])
    names = [d[0] for d in rows.description]
    yield "DuckDB", dict(zip(names, map(list, zip(*rows.fetchall()))))
    frame = polars.read_parquet(path)
    yield "Polars", {name: frame[name].to_list() for name in frame.columns}


def check(path, expected):
    for engine, found in engines(path):
        assert list(found) == list(expected), engine
        for name, values in expected.items():
            if found[name] != values:
                at = next(i for i, (a, b) in enumerate(zip(found[name], values)) if a != b)
                pytest.fail(f"{engine}, {name}, row {at}: {found[name][at]!r}, expected {values[at]!r}")


@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", CODECS)
def test_required_under_optional(codec, version, dictionary, tmp_path):
    """Pages of REQUIRED columns get levels for every codec and both versions of pages."""
    table = flat_table(ROWS)
    pq.write_table(table, tmp_path / "in", compression=codec, data_page_version=version,
                   use_dictionary=dictionary, data_page_size=20000, write_batch_size=512,
                   row_group_size=ROWS // 2 + 1, write_page_checksum=True, store_schema=False)
    assert not pq.ParquetFile(tmp_path / "in").schema_arrow.field("number").nullable
    moved = movers.define(tmp_path / "in", tmp_path / "out")
    # Nothing can be put in front of what BROTLI compressed; ids are compressed again anyway.
    assert moved["splice" if codec == "BROTLI" and version == "1.0" else "recode"] == 0
    assert (moved["remap"] > 0) == dictionary
    schema = pq.ParquetFile(tmp_path / "out").schema_arrow
    assert all(field.nullable for field in schema)
    assert schema.field("inside").type.field("number").nullable
    nulls = [None] * ROWS
    check(tmp_path / "out", table.to_pydict() | {"added": nulls, "added_list": nulls})
    # Filters use what the footer says of the chunk, and skip pages.
    query = "select count(*), count(added), count(number) from read_parquet(?) where small = 3 and added is null"
    found = duckdb.connect().execute(query, [str(tmp_path / "out")]).fetchone()
    wanted = table.column("small").to_pylist().count(3)
    assert found == (wanted, 0, wanted)
    lazy = polars.scan_parquet(tmp_path / "out").filter(polars.col("small") == 3, polars.col("added").is_null())
    assert lazy.select("number").collect()["number"].null_count() == 0
    assert lazy.select(polars.len()).collect().item() == wanted


def test_a_million_nulls(tmp_path):
    """A column that a file of a million rows lacks: pages of few bytes, none of more than 20,000 rows, as
    readers make buffers for a page."""
    field = pa.field("n", pa.int32(), nullable=False)
    table = pa.table([pa.array(range(10**6), field.type)], pa.schema([field]))
    pq.write_table(table, tmp_path / "in", store_schema=False, use_dictionary=False)
    movers.define(tmp_path / "in", tmp_path / "out")
    for name in ("added", "added_list.list.element"):
        pages = parquet_file.take_apart(tmp_path / "out").chunk(name).pages
        assert [page.detail.num_values for page in pages] == [20000] * 50
        assert sum(len(page.body) for page in pages) < 50 * 30
    read = pq.read_table(tmp_path / "out")
    assert read["n"].equals(table["n"]) and read["added"].null_count == 10**6
    query = "select count(*), count(added), count(added_list), sum(n) from read_parquet(?) where added is null"
    wanted = (10**6, 0, 0, sum(range(10**6)))
    assert duckdb.connect().execute(query, [str(tmp_path / "out")]).fetchone() == wanted
    frame = polars.read_parquet(tmp_path / "out")
    assert frame["added"].null_count() == frame["added_list"].null_count() == 10**6
    assert frame["n"].max() == 10**6 - 1


def nested_rows(rows):
    """Structs, lists of structs and a map, with nulls and empty lists at every level."""
    draw = random.Random(11)

    def maybe(make, share=0.2):
        return None if draw.random() < share else make()

    def several(make):
        return [maybe(make) for _ in range(draw.choice([0, 1, 1, 2, 5]))]

    def inner():
        return {"x": draw.randrange(9), "y": maybe(lambda: several(lambda: f"w{draw.randrange(9)}"))}

    return [{
        "s": maybe(lambda: {"a": maybe(lambda: draw.randrange(100)), "b": maybe(lambda: several(lambda: draw.randrange(5)))}),
        "l": maybe(lambda: several(inner)),
        "n": draw.randrange(1000),
    } for _ in range(rows)]


NESTED = pa.schema([
    pa.field("s", pa.struct([("a", pa.int64()), ("b", pa.list_(pa.int32()))])),
    pa.field("l", pa.list_(pa.struct([pa.field("x", pa.int32(), nullable=False), ("y", pa.list_(pa.string()))]))),
    pa.field("n", pa.int32(), nullable=False),
])


def with_added(value):
    return None if value is None else value | {"added": None, "added_list": None}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("group, sibling", [
    ("s", "s.a"), ("s", "s.b.list.element"),
    ("l.list.element", "l.list.element.x"), ("l.list.element", "l.list.element.y.list.element"),
])
def test_missing_inside_a_group(group, sibling, version, tmp_path):
    """A new child of a group is null where the group is there, and the group stays what it was."""
    rows = nested_rows(9000)
    table = pa.Table.from_pylist(rows, schema=NESTED)
    pq.write_table(table, tmp_path / "in", compression="ZSTD", data_page_version=version, row_group_size=5000,
                   store_schema=False)
    movers.define(tmp_path / "in", tmp_path / "out", group, sibling)
    expected = table.to_pydict()
    if group == "s":
        expected["s"] = [with_added(value) for value in expected["s"]]
    else:
        expected["l"] = [None if value is None else [with_added(v) for v in value] for value in expected["l"]]
    check(tmp_path / "out", expected)
