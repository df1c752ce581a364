"""Sorted rewrites: `merge --sort-by` gives every row once, in the order that other engines have.

docs/design.md section 7, *Sorted*.
"""

import os
import random

import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet
import pytest

import engines
import generate
import lithify
import ordering
import parquet_build
import scans
from ordering import Key

SEED = os.environ.get("LITHIFY_SEED", "1")
# Larger where other random tests are (make soak).
CASES = max(20, int(os.environ.get("LITHIFY_CASES", "60")) // 3)

# Name -> (type, why DuckDB does not order its values). Whether a decimal is an integer or of fixed
# length is the writer's choice.
TYPES = {str(kind): (kind, None) for kind in [
    pyarrow.bool_(), pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64(),
    pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64(),
    pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.string(), pyarrow.binary(),
    pyarrow.binary(1), pyarrow.binary(12), pyarrow.date32(), pyarrow.time32("ms"),
    pyarrow.time64("us"), pyarrow.time64("ns"), pyarrow.decimal128(4, 2), pyarrow.decimal128(9, 2),
    pyarrow.decimal128(18, 6), pyarrow.decimal128(38, 10), pyarrow.uuid(),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.string())]}
TYPES |= {f"timestamp {unit} {zone}": (pyarrow.timestamp(unit, zone), None)
          for unit in ("ms", "us", "ns") for zone in (None, "UTC")}
TYPES["timestamp ns UTC"] = (pyarrow.timestamp("ns", "UTC"), "it cuts them to microseconds")
TYPES["decimal256(60, 20)"] = (pyarrow.decimal256(60, 20), "it reads them as DOUBLE")
TEXTS = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0\0", "a\0b", "aa", "ab", "\u007f", "\u0080", "ä",
         "ß", "€", "\uffff", "𝄞", "z", "zz" * 40, "zz" * 40 + "a", "zz" * 200, "zz" * 200 + "\0"]


def data_of(chance, **fields):
    """A source of random tables of these columns."""
    data = generate.Data(chance)
    data.schema = pyarrow.schema([pyarrow.field(name, kind) for name, kind in fields.items()])
    data.distinct, data.null_share, data.long = chance.choice([3, 40, 10000]), 0.1, False
    return data


def hard(kind):
    """Values whose order is easily got wrong; none for types whose random bits are hard enough."""
    types = pyarrow.types
    if types.is_string(kind):
        return TEXTS
    if types.is_binary(kind):
        return [text.encode() for text in TEXTS] + [b"\xff", b"\xff\xff", b"\xff\0", b"\x80"]
    if types.is_decimal(kind):
        numbers = [0, 1, -1, 127, 128, -128, -129, 255, 256, 9999, -9999]
        return [pyarrow.scalar(generate.decimal.Decimal(n).scaleb(-kind.scale), kind).as_py()
                for n in numbers]
    return []


def write_files(place, tables, chance, **options):
    """One file a table, whose names do not stand as they are numbered: of 11, 10 comes second."""
    place.mkdir(exist_ok=True)
    paths = []
    for number, table in enumerate(tables):
        more = dict(row_group_size=chance.choice([50, 120, 1000]), write_page_index=number % 2 == 0,
                    data_page_size=chance.choice([200, 1 << 20]),
                    use_dictionary=chance.random() < 0.5,
                    data_page_version=chance.choice(["1.0", "2.0"]), version="2.6")
        paths.append(place / f"f{number}.parquet")
        parquet.write_table(table, paths[-1], **(more | options))
    return paths


def with_near_times(table):
    """The first column's points in time within what DuckDB has: its microseconds are of 64 bits."""
    near = compute.bit_wise_and(table.column(0).cast(pyarrow.int64()), (1 << 53) - 1)
    return table.set_column(0, table.schema.field(0), near.cast(table.schema.field(0).type))


def typed_tables(kind, chance, count=5):
    data = data_of(chance, v=kind, st=pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.string())]),
                   tags=pyarrow.list_(pyarrow.int32()), n=pyarrow.int32())
    if pyarrow.types.is_dictionary(kind) or isinstance(kind, pyarrow.BaseExtensionType):
        data.schema = data.schema.remove(1)  # pyarrow does not read these back beside groups
    tables = [data.table(chance.randrange(1, 200)) for _ in range(count)]
    if pyarrow.types.is_timestamp(kind) and kind.unit == "ms":
        tables = [with_near_times(table) for table in tables]
    if hard(kind):
        values = hard(kind) * 3
        chance.shuffle(values)
        rows = data.table(len(values))
        tables[1] = pyarrow.concat_tables(
            [tables[1], rows.set_column(0, rows.schema.field(0), pyarrow.array(values, kind))])
    return tables


@pytest.mark.parametrize("descending", [False, True], ids=["asc", "desc"])
@pytest.mark.parametrize("name", TYPES)
def test_types(name, descending, arrow, tmp_path):
    """P1: rows by a column of each type that has an order, and equal ones as they came."""
    kind, duck_has_not = TYPES[name]
    chance = random.Random(f"{SEED}/{name}/{descending}")
    tables = typed_tables(kind, chance)
    wanted = [Key(("v",), descending, chance.random() < 0.5)]
    if chance.random() < 0.5:
        tables[2] = ordering.arranged([tables[2]], wanted)
    options = {"store_decimal_as_integer": True} if "decimal" in name and chance.random() < 0.5 else {}
    paths = write_files(tmp_path / "in", tables, chance, **options)
    made = ordering.merge(tmp_path / "out.parquet", paths, wanted)
    expected = ordering.wanted_rows(paths, wanted, not duck_has_not)
    ordering.check_sorted(expected, made, wanted, arrow)
    lithify.ok("verify", *paths, "--", *made)


def decimal_file(path, numbers, precision, scale):
    """A DECIMAL of any length, with one byte more than it needs in every other value."""
    leaf = parquet_build.leaves(pyarrow.schema([("v", pyarrow.binary())]))["v"]
    stored = [n if n is None else n.to_bytes(n.bit_length() // 8 + 1 + place % 2, "big", signed=True)
              for place, n in enumerate(numbers)]
    chunk = parquet_build.chunk(leaf, [parquet_build.page(leaf, stored)], stats=False)
    file = parquet_build.file(pyarrow.schema([("v", pyarrow.binary())]), [{"v": chunk}])
    element = file.footer.schema[1]
    element.converted_type, element.scale, element.precision = 5, scale, precision
    file.write(path)
    return path


@pytest.mark.parametrize("descending", [False, True], ids=["asc", "desc"])
def test_decimals_of_any_length(descending, arrow, tmp_path):
    """DECIMAL on BYTE_ARRAY: bytes are a number, of whatever length, not text."""
    chance = random.Random(f"{SEED}/{descending}")
    edges = [sign * (1 << bits) + more
             for bits in range(0, 100, 7) for sign in (1, -1) for more in (-1, 0, 1)]
    paths = [decimal_file(tmp_path / f"{i}.parquet", [0, None, *chance.sample(edges, 60)], 31, 4)
             for i in range(3)]
    wanted = [Key(("v",), descending)]
    made = ordering.merge(tmp_path / "out.parquet", paths, wanted)
    expected = ordering.wanted_rows(paths, wanted)
    ordering.check_sorted(expected, made, wanted, arrow)


KEY_COLUMNS = {("flag",): pyarrow.bool_(), ("i",): pyarrow.int32(), ("big",): pyarrow.uint64(),
               ("f",): pyarrow.float64(), ("word",): pyarrow.string(), ("raw",): pyarrow.binary(),
               ("day",): pyarrow.date32(), ("amount",): pyarrow.decimal128(18, 6),
               ("st", "a"): pyarrow.int64(), ("st", "b"): pyarrow.string(),
               ("deep", "in", "x"): pyarrow.float32()}


def nested(paths):
    """The type of a group of these leaves: {path: type}."""
    names = dict.fromkeys(path[0] for path in paths)
    return [pyarrow.field(name, paths.get((name,)) or pyarrow.struct(
        nested({path[1:]: kind for path, kind in paths.items() if path[0] == name}))) for name in names]


def tables_of_keys(chance, count):
    data = generate.Data(chance)
    data.schema = pyarrow.schema(nested(KEY_COLUMNS) + [("tags", pyarrow.list_(pyarrow.string()))])
    data.distinct, data.long = chance.choice([2, 5, 1000]), False
    data.null_share = chance.choice([0.0, 0.1, 0.4])
    return [ordering.with_numbers(data.table(chance.randrange(1, 250)), 1000 * number)
            for number in range(count)]


@pytest.mark.parametrize("case", range(CASES))
def test_keys(case, arrow, tmp_path):
    """P1: one, two and three keys, of columns and leaves of groups, in all directions; the order in
    which files are named does not show, and filters find what they found."""
    chance = random.Random(f"{SEED}/keys/{case}")
    tables = tables_of_keys(chance, chance.randrange(2, 12))
    wanted = ordering.random_keys(chance, list(KEY_COLUMNS), 1 + case % 3)
    for number in range(0, len(tables), 2 + case % 2):  # some are in order already
        tables[number] = ordering.arranged([tables[number]], wanted)
    paths = write_files(tmp_path / "in", tables, chance)
    options = chance.choice([[], ["--row-group-rows", 100], ["--row-group-rows", 7]
                             if len(tables) < 5 else [], ["--row-group", "4KiB"]])
    made = ordering.merge_shuffled(tmp_path / "out.parquet", paths, wanted, chance, *options)
    expected = ordering.wanted_rows(paths, wanted)
    ordering.check_sorted(expected, made, wanted, arrow)
    filtered(expected, made, list(scans.CHECKS)[case // 3 % 3], chance, tmp_path)


def sortable(fields, above=()):
    """Paths of the leaves that rows can be sorted by: those below no list or map."""
    for field in fields:
        if pyarrow.types.is_struct(field.type):
            yield from sortable(field.type, above + (field.name,))
        elif not pyarrow.types.is_nested(field.type):
            yield above + (field.name,)


@pytest.mark.parametrize("case", range(CASES))
def test_random_schemas(case, arrow, tmp_path):
    """P1: schemas of all types and shapes, REQUIRED columns too, from writers with random options."""
    chance = random.Random(f"{SEED}/schemas/{case}")
    data = generate.Data(chance)
    while not any(sortable(data.schema)):
        data = generate.Data(chance)
    version, as_integer = generate.format_version(chance, data.schema), chance.random() < 0.5
    has_arrow_schema = chance.random() < 0.5
    paths = [tmp_path / f"in-{number}.parquet" for number in range(chance.randrange(1, 6))]
    leaves = list(sortable(data.schema))
    wanted = ordering.random_keys(chance, leaves, min(len(leaves), chance.choice([1, 2, 3])))
    for path in paths:
        options = generate.writer_options(chance, data.schema, version)
        # Or the schemas of the files differ.
        options.update(store_decimal_as_integer=as_integer, store_schema=has_arrow_schema)
        if not as_integer:
            options.pop("column_encoding", None)
        table = data.table(chance.choice([0, 1, 20, 300]))
        if chance.random() < 0.4:
            table = ordering.arranged([table], wanted)
        generate.write(path, table, options)
    made = ordering.merge_shuffled(tmp_path / "out.parquet", paths, wanted, chance)
    ordering.check_sorted(ordering.wanted_rows(paths, wanted, has_duckdb=False), made, wanted, arrow)


def filtered(expected, outputs, engine, chance, place):
    """An engine that prunes finds in the output what it finds in the expected rows."""
    held = place / "held.parquet"
    parquet.write_table(expected, held, write_statistics=False, version="2.6")
    wrong = [why for path in outputs for why in scans.CHECKS[engine]([held], path, chance)]
    assert not wrong, "\n".join(wrong)


def test_page_index(tmp_path):
    """Bounds of pages are those of their rows after the sort: engines that skip pages find all."""
    chance = random.Random(SEED)
    data = data_of(chance, k=pyarrow.int32(), word=pyarrow.string(), n=pyarrow.int64())
    paths = write_files(tmp_path / "in", [data.table(3000) for _ in range(4)], chance,
                        write_page_index=True, data_page_size=500, use_dictionary=False)
    wanted = ordering.keys("k,word:desc")
    made = ordering.merge(tmp_path / "out.parquet", paths, wanted)
    expected = ordering.wanted_rows(paths, wanted)
    ordering.check_sorted(expected, made, wanted)
    assert parquet.ParquetFile(made[0]).metadata.row_group(0).column(0).has_column_index
    wrong = list(engines.wrong(made[0], expected.to_pylist(), ["k", "word", "n"],
                               ["duckdb", "datafusion"]))
    assert not wrong, "\n".join(wrong)


def test_one_name_twice(tmp_path):
    """A file that is named twice has its rows twice, one after the other among equal ones."""
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"k": [2, 1, 2], "n": [0, 1, 2]}), path)
    made = ordering.merge(tmp_path / "out.parquet", [path, path], ordering.keys("k"))
    assert ordering.read(made[0]).column("n").to_pylist() == [1, 1, 0, 2, 0, 2]


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows, tmp_path):
    """Files without rows are no reason to fail."""
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for number, path in enumerate(paths):
        parquet.write_table(pyarrow.table({"k": pyarrow.array([7 - number] * rows * (number % 2),
                                                               pyarrow.int32())}), path)
    made = ordering.merge(tmp_path / "out.parquet", paths, ordering.keys("k"))
    assert ordering.read(made[0]).column("k").to_pylist() == [6] * rows
    lithify.ok("verify", *paths, "--", *made)
