"""Sets of rows compared: what `lithify verify A... -- B...` says, against the rows as pyarrow, DuckDB
and Polars read and write them.
"""

import collections
import decimal
import random

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest

import lithify

STRUCT = pyarrow.struct([("m", pyarrow.int32()), ("n", pyarrow.list_(pyarrow.string()))])
SCHEMA = pyarrow.schema([
    pyarrow.field("id", pyarrow.int64(), nullable=False),
    ("small", pyarrow.int32()),
    ("flag", pyarrow.bool_()),
    ("x", pyarrow.float64()),
    ("f", pyarrow.float32()),
    ("name", pyarrow.string()),
    ("price", pyarrow.decimal128(20, 2)),
    ("key", pyarrow.binary(16)),
    ("three", pyarrow.binary(3)),
    ("items", pyarrow.list_(pyarrow.int64())),
    ("deep", pyarrow.list_(STRUCT)),
    ("one", STRUCT),
])
# How a file may hold the same rows.
WRITERS = [
    {},
    {"use_dictionary": False, "compression": "none"},
    {"data_page_size": 2000, "data_page_version": "2.0", "compression": "zstd"},
    {"row_group_size": 997, "dictionary_pagesize_limit": 500},
    {"use_dictionary": False, "compression": "gzip", "write_batch_size": 7, "data_page_size": 300,
     "column_encoding": {"id": "DELTA_BINARY_PACKED", "name": "DELTA_BYTE_ARRAY",
                         "x": "BYTE_STREAM_SPLIT"}},
    {"row_group_size": 4096, "compression": "lz4"},
]


def value(field, draw, distinct):
    """A random value of few or many, or a null."""
    if field.nullable and draw.random() < 0.15:
        return None
    number = draw.randrange(distinct)
    kind = field.type
    if pyarrow.types.is_list(kind):
        return [value(kind.value_field, draw, distinct) for _ in range(draw.randrange(4))]
    if pyarrow.types.is_struct(kind):
        return {child.name: value(child, draw, distinct) for child in kind}
    if pyarrow.types.is_boolean(kind):
        return number % 2 == 1
    if pyarrow.types.is_floating(kind):
        return [0.0, -0.0, float("nan"), float("inf")][number] if number < 4 else float(number)
    if pyarrow.types.is_string(kind):
        return "" if number == 0 else f"text {number} " * (1 + number % 4)
    if pyarrow.types.is_decimal(kind):
        return decimal.Decimal(number) / 4 if number % 4 == 0 else decimal.Decimal(-number)
    if pyarrow.types.is_fixed_size_binary(kind):
        return number.to_bytes(kind.byte_width, "little")
    return number - distinct // 2


def rows_make(draw, count, distinct):
    return [{field.name: value(field, draw, distinct) for field in SCHEMA} for _ in range(count)]


def write(path, rows, writer):
    options = dict(writer)
    size = options.pop("row_group_size", None)
    table = pyarrow.Table.from_pylist(rows, schema=SCHEMA)
    pyarrow.parquet.write_table(table, path, row_group_size=size, **options)
    return path


def same(a, b, *options):
    """What the program says: whether the files hold the same rows."""
    done = lithify.run("verify", *options, *a, "--", *b)
    assert done.code in (lithify.DONE, lithify.FAILED), str(done)
    assert done.out.startswith("the same" if done.code == lithify.DONE else "different"), str(done)
    return done.code == lithify.DONE


def multiset(paths):
    """The rows as pyarrow reads them."""
    found = collections.Counter()
    for path in paths:
        found.update(repr(row) for row in pyarrow.parquet.read_table(path).to_pylist())
    return found


def other_value(field, old, draw):
    while True:
        new = value(field, draw, 50)
        if repr(new) != repr(old):
            return new


def change(rows, kind, draw):
    """One difference, of the kind named."""
    at = draw.randrange(len(rows) - 1)
    field = draw.choice(list(SCHEMA))
    if kind == "one value":
        rows[at] = rows[at] | {field.name: other_value(field, rows[at][field.name], draw)}
    elif kind == "one null":
        field = draw.choice([f for f in SCHEMA if f.nullable and rows[at][f.name] is not None])
        rows[at] = rows[at] | {field.name: None}
    elif kind == "exchanged":
        old, new = rows[at], rows[at + 1]
        rows[at] = old | {field.name: new[field.name]}
        rows[at + 1] = new | {field.name: old[field.name]}
    elif kind == "doubled":
        rows[at] = rows[at + 1]
    elif kind == "dropped":
        del rows[at]


@pytest.mark.parametrize("memory", ["256MiB", "16MiB"])
def test_rows_however_they_are_written(tmp_path, memory):
    """Any order, files, row groups, pages, encodings and codecs: the same rows."""
    draw = random.Random(7)
    rows = rows_make(draw, 6000, 300)
    first = write(tmp_path / "first.parquet", rows, {})
    for i in range(len(WRITERS)):
        draw.shuffle(rows)
        cut = draw.randrange(1, len(rows))
        parts = [write(tmp_path / f"{i}-{k}.parquet", part, WRITERS[(i + k) % len(WRITERS)])
                 for k, part in enumerate([rows[:cut], rows[cut:]])]
        assert same([first], parts, "--memory", memory)
        assert not same([first], parts[:1], "--memory", memory)


@pytest.mark.parametrize("kind", ["one value", "one null", "exchanged", "doubled", "dropped"])
@pytest.mark.parametrize("distinct", [2, 60])
def test_one_difference(tmp_path, kind, distinct):
    """Each kind of difference, or none where the rows were alike: as their multisets are."""
    draw = random.Random(f"{kind} {distinct}")
    differ = 0
    for case in range(8):
        rows = rows_make(draw, draw.choice([2, 30, 300]), distinct)
        a = write(tmp_path / "a.parquet", rows, draw.choice(WRITERS))
        change(rows, kind, draw)
        draw.shuffle(rows)
        b = write(tmp_path / "b.parquet", rows, draw.choice(WRITERS))
        expected = multiset([a]) == multiset([b])
        assert same([a], [b]) == expected, f"case {case}"
        differ += not expected
    assert differ >= 4


def test_more_columns_than_fit(tmp_path):
    """120 columns in 16 MiB: by groups; a difference in any of them is seen."""
    draw = random.Random(3)
    columns = {f"c{i}": [draw.choice([None, i, draw.randrange(1 << 40)]) for _ in range(6000)]
               for i in range(120)}
    order = list(range(6000))
    draw.shuffle(order)
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), a)
    table = pyarrow.table(columns).take(pyarrow.array(order))
    pyarrow.parquet.write_table(table, b, row_group_size=5000, use_dictionary=False)
    assert same([a], [b], "--memory", "16MiB")
    for i in (0, 60, 119):
        values = table.column(i).to_pylist()
        values[4999] = 5 if values[4999] is None else None
        other = table.set_column(i, f"c{i}", pyarrow.array(values, pyarrow.int64()))
        pyarrow.parquet.write_table(other, b, row_group_size=5000)
        assert not same([a], [b], "--memory", "16MiB")


def test_large_pages_and_values(tmp_path):
    """Pages and dictionaries that no share of the budget holds, values of some MiB beside them."""
    draw = random.Random(5)
    texts = [draw.randbytes(draw.choice([10, 100, 20000])) for _ in range(1500)]
    texts[700] = draw.randbytes(2 << 20)
    table = pyarrow.table({"id": range(1500), "a": texts, "b": texts[::-1],
                           "c": [texts[i % 90] for i in range(1500)]})
    whole = {"data_page_size": 1 << 30, "dictionary_pagesize_limit": 1 << 30, "compression": "none"}
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pyarrow.parquet.write_table(table, a, **whole)
    order = list(range(1500))
    draw.shuffle(order)
    pyarrow.parquet.write_table(table.take(pyarrow.array(order)), b, use_dictionary=False)
    for memory in ("16MiB", "64MiB", "1GiB"):
        assert same([a], [b], "--memory", memory)
    order[3] = order[4]
    pyarrow.parquet.write_table(table.take(pyarrow.array(order)), b, use_dictionary=False)
    assert not same([a], [b], "--memory", "16MiB")


def test_files_of_other_engines(tmp_path):
    """DuckDB and Polars write what pyarrow wrote: the same rows, also where its files are narrower:
    REQUIRED under OPTIONAL, INT32 under INT64, a column that is not there."""
    draw = random.Random(11)
    rows = [{"id": i, "n": draw.randrange(100) if i < 9000 else draw.choice([None, 1, -2]),
             "t": draw.choice(["a", "b" * 30, "", None])} for i in range(20000)]
    inputs = []
    for part in (rows[:9000], rows[9000:]):
        fields = [pyarrow.field("id", pyarrow.int32(), nullable=False),
                  pyarrow.field("n", pyarrow.int32(), nullable=bool(inputs)),
                  ("t", pyarrow.string())]
        inputs.append(tmp_path / f"a{len(inputs)}.parquet")
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(part, pyarrow.schema(fields)),
                                    inputs[-1])
    both = f"read_parquet(['{inputs[0]}', '{inputs[1]}'])"
    out = tmp_path / "out.parquet"

    def duck(columns, order="hash(id)"):
        duckdb.sql(f"copy (select {columns} from {both} order by {order}) to '{out}'")
        return [out]

    assert same(inputs, duck("*"))
    polars.read_parquet(inputs).reverse().write_parquet(tmp_path / "p.parquet", row_group_size=3000)
    assert same([tmp_path / "p.parquet"], duck("*"))
    assert same(inputs, [tmp_path / "p.parquet"])
    assert same(inputs, duck("id::bigint id, n::bigint n, t, null::double x", "t, id desc"))
    for columns in ("if(id = 77, null, n)::bigint n, t, null::double x",
                    "n::bigint n, t, if(id = 77, 0.0, null)::double x",
                    "n::bigint n, if(id = 77, 'c', t) t, null::double x",
                    "if(id = 19999, 5, n)::bigint n, t, null::double x"):
        assert not same(inputs, duck(f"id::bigint id, {columns}")), columns


def with_ids(names, ids):
    return pyarrow.schema([pyarrow.field(name, pyarrow.int64(), metadata={"PARQUET:field_id": str(number)})
                           for name, number in zip(names, ids)])


@pytest.mark.parametrize("left, right", [
    (pyarrow.schema([("a", pyarrow.int64()), ("b", pyarrow.int64())]),
     pyarrow.schema([("a", pyarrow.int64()), ("a", pyarrow.int64())])),
    (with_ids("ab", (1, 2)), with_ids("ab", (1, 1))),
    (with_ids("ab", (1, 1)), with_ids("ab", (1, 2))),
], ids=["one name twice", "one id twice", "one id twice on the left"])
def test_no_column_stands_for_two(left, right, tmp_path):
    """P1: rows are the same only if every column of both sides was compared."""
    first = tmp_path / "first.parquet"
    second = tmp_path / "second.parquet"
    pyarrow.parquet.write_table(pyarrow.table([[1, 2, 3], [100, 200, 300]], schema=left), first)
    pyarrow.parquet.write_table(pyarrow.table([[1, 2, 3], [1, 2, 3]], schema=right), second)
    for order in ((first, second), (second, first)):
        result = lithify.run("verify", order[0], "--", order[1])
        assert result.code != lithify.DONE, str(result)
        lithify.ok("verify", order[0], "--", order[0])
