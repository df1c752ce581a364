"""One column of two files: which types join, which never, and which columns are the same one. P5,
parquet-splice.md 6.1, 6.2 and 7.2.
"""

import datetime
import decimal
import json
import math
import os
import random
import shutil

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import columns
import engines
import foreign
import judge
import lithify
import movers
import numbered
import parquet_file
import unions
from parquet_thrift import BINARY, BYTE, I32, STRUCT, TRUE, Struct

ID = pa.field("id", pa.int64(), False)
INTS = [5, None, -5, 2**31 - 1, -2**31, 0, 7, 7]
LONGS = [2**40, None, -2**63, 2**63 - 2, 7, 0]
UNSIGNED = [5, None, 2**31, 2**32 - 1, 0]
FLOATS = [0.5, None, -0.0, math.inf, -math.inf, 2.0**-149, 3.4028234663852886e38, 0.0, math.nan]
DOUBLES = [0.1, None, -0.0, 5e-324, 1.7976931348623157e308, math.nan, 2.5]
WORDS = ["a", None, "", "bcd", "é"]
BYTES = [b"a", None, b"", b"bcd"]
DAYS = [datetime.date(1969, 12, 31), None, datetime.date(1970, 1, 1), datetime.date(2026, 6, 15),
        datetime.date(1900, 2, 28), datetime.date(2262, 4, 11), datetime.date(1677, 9, 22)]
TIMES = [datetime.datetime(2026, 6, 15, 12, 30, 1), None, datetime.datetime(1969, 12, 31, 23, 59)]


def decimals(digits, scale):
    """The extremes of so many digits, and some between."""
    most = 10**digits - 2
    found = [most, None, -most, 0, 1, -1, 10**(digits - 1)]
    return [value if value is None else decimal.Decimal(value).scaleb(-scale, decimal.Context(prec=80))
            for value in found]


def column(kind, found, nullable=True):
    """A table of `id` and `x`; REQUIRED ones lose their nulls."""
    found = [value for value in found if nullable or value is not None]
    return unions.table([{"id": number, "x": value} for number, value in enumerate(found)],
                        pa.schema([ID, pa.field("x", kind, nullable)]))


def decimal_column(digits, scale):
    return pa.decimal128(digits, scale), decimals(digits, scale)


INTEGERS, FIXED = dict(store_decimal_as_integer=True), dict(store_decimal_as_integer=False)
DATES = ["--allow", "dates-to-timestamps"]
STRINGS = ["--allow", "bytes-to-strings"]


def midnights(found):
    return [value and datetime.datetime(value.year, value.month, value.day) for value in found]


# Name -> (narrow type, its values, how they are stored; wide type, its values, how; the narrow values
# in the wide type; options of the merge).
WIDER = {
    "INT32 to INT64": ((pa.int32(), INTS, {}), (pa.int64(), LONGS, {}), INTS, []),
    "FLOAT to DOUBLE": ((pa.float32(), FLOATS, {}), (pa.float64(), DOUBLES, {}), FLOATS, []),
    "decimal of INT32 to INT64": ((*decimal_column(9, 2), INTEGERS), (*decimal_column(18, 2), INTEGERS),
                                  decimals(9, 2), []),
    "decimal of INT32 to bytes": ((*decimal_column(5, 2), INTEGERS), (*decimal_column(30, 2), FIXED),
                                  decimals(5, 2), []),
    "decimal of INT64 to bytes": ((*decimal_column(18, 6), INTEGERS), (pa.decimal128(38, 6), decimals(30, 6), FIXED),
                                  decimals(18, 6), []),
    "decimal of INT64 to few bytes": ((*decimal_column(18, 0), INTEGERS), (*decimal_column(19, 0), FIXED),
                                      decimals(18, 0), []),
    "digits of INT32": ((*decimal_column(4, 2), INTEGERS), (*decimal_column(9, 2), INTEGERS), decimals(4, 2), []),
    "digits of INT64": ((*decimal_column(11, 2), INTEGERS), (*decimal_column(18, 2), INTEGERS),
                        decimals(11, 2), []),
    "digits of bytes": ((*decimal_column(19, 3), FIXED), (*decimal_column(21, 3), FIXED), decimals(19, 3), []),
    "digits and bytes": ((*decimal_column(20, 2), FIXED), (*decimal_column(30, 2), FIXED), decimals(20, 2), []),
    "INTEGER(8) to 16": ((pa.int8(), [1, None, -128, 127], {}), (pa.int16(), [300, -32768], {}), [1, None, -128, 127], []),
    "INTEGER(16) to 32": ((pa.int16(), [1, None, -32768], {}), (pa.int32(), INTS, {}), [1, None, -32768], []),
    "INTEGER(8) to 64": ((pa.int8(), [1, None, -128], {}), (pa.int64(), LONGS, {}), [1, None, -128], []),
    "unsigned 8 to 32": ((pa.uint8(), [1, None, 255], {}), (pa.uint32(), UNSIGNED, {}), [1, None, 255], []),
    "unsigned 32 to 64": ((pa.uint32(), UNSIGNED, {}), (pa.uint64(), [2**62, None, 1], {}), UNSIGNED, []),
    "UNKNOWN to INT32": ((pa.null(), [None] * 5, {}), (pa.int32(), INTS, {}), [None] * 5, []),
    "UNKNOWN to STRING": ((pa.null(), [None] * 5, {}), (pa.string(), WORDS, {}), [None] * 5, []),
    "UNKNOWN to BOOLEAN": ((pa.null(), [None] * 5, {}), (pa.bool_(), [True, None, False], {}), [None] * 5, []),
    "UNKNOWN to bytes": ((pa.null(), [None], {}), (pa.binary(3), [b"abc", None], {}), [None], []),
    "DATE to milliseconds": ((pa.date32(), DAYS, {}), (pa.timestamp("ms"), TIMES, {}), midnights(DAYS), DATES),
    "DATE to microseconds": ((pa.date32(), DAYS, {}), (pa.timestamp("us"), TIMES, {}), midnights(DAYS), DATES),
    "DATE to nanoseconds": ((pa.date32(), DAYS, {}), (pa.timestamp("ns"), TIMES, {}), midnights(DAYS), DATES),
    "BYTE_ARRAY to STRING": ((pa.binary(), BYTES, {}), (pa.string(), WORDS, {}),
                             [value and value.decode() for value in BYTES[:2]] + ["", "bcd"], STRINGS),
}
DELTA = {pa.int32(): "DELTA_BINARY_PACKED", pa.int64(): "DELTA_BINARY_PACKED"}
SPLIT = {kind: "BYTE_STREAM_SPLIT" for kind in (pa.int32(), pa.int64(), pa.float32(), pa.float64())}


def write_column(path, made, style, encodings=None):
    options = dict(style)
    encoding = (encodings or {}).get(made.schema.field("x").type)
    if encoding:
        options.update(use_dictionary=False, column_encoding={"x": encoding})
    return unions.write(path, made, **options)


def check(mover, folder, sources, expected, *options, filtered=("x", "id"), **control):
    output = unions.merge(mover, folder, sources, *options)
    unions.same_schema(output, expected.schema, folder, **control)
    unions.seen(output, expected, filtered, folder, **control)
    lithify.ok("verify", *sources, "--", output)
    return output


TURNS = movers.in_turn([(name, nullable) for name in WIDER for nullable in (True, False)])


@pytest.mark.parametrize("case, mover, number", [(*turn, number) for number, turn in enumerate(TURNS)],
                         ids=lambda part: f"{part[0]}, {'OPTIONAL' if part[1] else 'REQUIRED'}"
                         if isinstance(part, tuple) else str(part))
def test_types_widen(case, mover, number, arrow, tmp_path):
    """P5, P1: a narrow column beside chunks of the wide type, in both orders and all encodings: each
    value is the same number, and filters by it find it."""
    name, nullable = case
    narrow, wide, in_wide, options = WIDER[name]
    nullable = nullable or pa.types.is_null(narrow[0])
    found, expected = {}, {}
    for side, (kind, values, storage), as_wide in (("narrow", narrow, in_wide), ("wide", wide, wide[1])):
        made = column(kind, values, nullable)
        for turn, encodings in enumerate((None, DELTA, SPLIT)):
            style = unions.STYLES[(number + 5 * turn) % 12] | storage
            path = write_column(tmp_path / f"{side}-{turn}.parquet", made, style, encodings)
            found.setdefault(side, []).append(path)
        expected[side] = column(wide[0], as_wide, nullable).to_pylist()
    schema = pa.schema([ID, pa.field("x", wide[0], nullable)])
    for order in (["narrow", "wide"], ["wide", "narrow", "narrow"], ["narrow", "wide"] * 3):
        files = [found[side][turn // 2 if len(order) > 3 else turn % 3] for turn, side in enumerate(order)]
        rows = [row for side in order for row in expected[side]]
        filtered = ("id",) if "nanoseconds" in name else ("x", "id")
        output = check(mover, tmp_path / "-".join(order), files, unions.table(rows, schema), *options,
                       filtered=filtered, **wide[2])
        judge.honest_statistics(arrow, [output])


@pytest.mark.parametrize("name", WIDER)
def test_narrow_beside_nothing(name, tmp_path):
    """P5: only the schema of a file without rows is wide."""
    narrow, wide, in_wide, options = WIDER[name]
    made = column(narrow[0], narrow[1])
    files = [unions.write(tmp_path / "rows.parquet", made, **narrow[2]),
             unions.write(tmp_path / "none.parquet", column(wide[0], []), **wide[2])]
    check("auto", tmp_path, files, column(wide[0], in_wide), *options, filtered=("id",), **wide[2])


@pytest.mark.parametrize("allow, name", [("dates", "DATE to microseconds"), ("bytes", "BYTE_ARRAY to STRING")])
def test_only_where_allowed(allow, name, tmp_path):
    """P5: a date is no moment and bytes are no text, unless the operator says so."""
    narrow, wide, _, options = WIDER[name]
    files = [unions.write(tmp_path / "narrow.parquet", column(*narrow[:2])),
             unions.write(tmp_path / "wide.parquet", column(*wide[:2]))]
    words = {"dates": "DATE.*TIMESTAMP", "bytes": "BYTE_ARRAY.*STRING"}[allow]
    unions.names(unions.refused(tmp_path, files), files, "x", words)
    other = STRINGS if options == DATES else DATES
    unions.names(unions.refused(tmp_path / "other", files, *other), files, "x", words)


def test_date_that_no_nanosecond_has(tmp_path):
    """P1: a day outside 1677 to 2262 has no number of nanoseconds: it is never cut."""
    for number, day in enumerate((datetime.date(2262, 4, 12), datetime.date(1677, 9, 21), datetime.date(9999, 1, 1))):
        folder = tmp_path / str(number)
        files = [unions.write(folder / "days.parquet", column(pa.date32(), [*DAYS, day])),
                 unions.write(folder / "times.parquet", column(pa.timestamp("ns"), TIMES))]
        assert "days.parquet" in unions.refused(folder, files, *DATES)


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_wide_chunks_are_still_copied(mover, arrow, duck, tmp_path):
    """P1: narrow and wide sources in turn, each of its own range, many pages, dictionaries, page
    indexes and bloom filters: a filter finds each value where it is, and the wide pages are copied."""
    kinds = {"i": (pa.int32(), pa.int64()), "f": (pa.float32(), pa.float64()),
             "d": (pa.decimal128(9, 2), pa.decimal128(18, 2)), "w": (pa.int32(), pa.int64())}
    blooms = {name: {"ndv": 2000, "fpp": 0.01} for name in kinds}
    tables, files = [], []
    for number in range(6):
        fields = [pa.field(name, pair[number % 2], number % 3 != 0) for name, pair in kinds.items()]
        low = (number - 3) * 1000
        rows = [{"id": number * 1500 + row, "i": low + row % 700, "f": float(low + row), "w": row % 5 - number,
                 "d": decimal.Decimal(low + row % 900).scaleb(-2)} for row in range(1500)]
        tables.append(unions.table(rows, pa.schema([ID, *fields])))
        files.append(unions.write(tmp_path / f"{number}.parquet", tables[-1], compression="zstd",
                                  use_dictionary=["w", "d"], data_page_size=2000, write_batch_size=100,
                                  row_group_size=700, write_page_index=True, bloom_filter_options=blooms,
                                  data_page_version=["1.0", "2.0"][number // 2 % 2], **INTEGERS))
    schema = unions.schema_of(*(table.schema for table in tables))
    expected = unions.table([row for table in tables for row in table.to_pylist()], schema)
    output = check(mover, tmp_path, files, expected, filtered=tuple(schema.names), **INTEGERS)
    judge.same_union([arrow, duck], files, [output])
    judge.honest_statistics(arrow, [output])
    ways = movers.ways(mover, unions.place(tmp_path, "ways") / "out.parquet", files)
    assert mover != "copy" or {"splice", "recode"} <= ways, ways


# Annotations: the old form, the new one, both.
def logical(number, **fields):
    return Struct("Any", unknown={number: (STRUCT, Struct("Any", unknown=dict(fields.get("inside", {}))))})


def annotate(converted, kind, path="x"):
    """A change of a footer: the element's annotation in its old form and its new one."""
    def change(footer):
        one = unions.element(footer, path)
        one.converted_type, one.logical_type = converted, kind
    return change


UTF8, MAP, MAP_KEY_VALUE, LIST, ENUM, DECIMAL, DATE, TIME_MILLIS, TIME_MICROS, STAMP_MILLIS, STAMP_MICROS, \
    UINT_8, UINT_16, UINT_32, UINT_64, INT_8, INT_16, INT_32, INT_64, JSON, BSON, INTERVAL = range(22)


def only_old(footer):
    unions.element(footer, "x").logical_type = None


def only_new(footer):
    unions.element(footer, "x").converted_type = None


UTC_STAMPS = [value and value.replace(tzinfo=datetime.timezone.utc) for value in TIMES]
DAY_TIMES = [datetime.time(1, 2, 3), None, datetime.time(23, 59, 59)]
# Name -> (type, values): each is written with both forms, the old alone, the new alone.
FORMS = {
    "STRING": (pa.string(), WORDS),
    "DATE": (pa.date32(), DAYS),
    "TIMESTAMP in milliseconds": (pa.timestamp("ms", "UTC"), UTC_STAMPS),
    "TIMESTAMP in microseconds": (pa.timestamp("us", "UTC"), UTC_STAMPS),
    "DECIMAL": (pa.decimal128(9, 2), decimals(9, 2)),
    "INTEGER(8)": (pa.int8(), [1, None, -128]),
    "INTEGER(16)": (pa.int16(), [1, None, -32768]),
    "unsigned INTEGER(8)": (pa.uint8(), [1, None, 255]),
    "unsigned INTEGER(32)": (pa.uint32(), [1, None, 2**32 - 1]),
    "unsigned INTEGER(64)": (pa.uint64(), [1, None, 2**64 - 1]),
    "LIST": (pa.list_(pa.field("element", pa.int32())), [[1, None], None, []]),
    "MAP": (pa.map_(pa.string(), pa.int32()), [[("a", 1), ("b", None)], None, []]),
}
BOTH = {None: None, "old": only_old, "new": only_new}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_annotations(name, tmp_path):
    """P5: an annotation's old form and its new one say the same. The files have one column more in turn."""
    kind, found = FORMS[name]
    files, rows = [], []
    for number, form in enumerate(["old", None, "new", "old", "new"]):
        schema = column(kind, found).schema.append(pa.field("y", pa.int32()))
        made = column(kind, found) if number % 2 else unions.table(
            [row | {"y": number} for row in column(kind, found).to_pylist()], schema)
        rows += [row | {"y": None} if number % 2 else row for row in made.to_pylist()] \
            if number % 2 else made.to_pylist()
        files.append(unions.write(tmp_path / f"{number}.parquet", made, BOTH[form], **unions.STYLES[number]))
    # Engines take no such values for filters.
    odd = pa.types.is_nested(kind) or pa.types.is_timestamp(kind) or kind == pa.uint64()
    check("auto", tmp_path, files, unions.table(rows, schema), filtered=("id", "y") if odd else ("id", "y", "x"))


def times(unit):
    """TIME of a unit (1: milliseconds, 2: microseconds), adjusted to UTC."""
    inside = Struct("Any", unknown={1: (TRUE, True), 2: (STRUCT, Struct("Any", unknown={unit: (STRUCT, Struct("Any"))}))})
    return Struct("Any", unknown={7: (STRUCT, inside)})


@pytest.mark.parametrize("kind, form, new", [(pa.time32("ms"), TIME_MILLIS, times(1)),
                                             (pa.time64("us"), TIME_MICROS, times(2))], ids=["ms", "us", ])
def test_forms_of_times(kind, form, new, tmp_path):
    """P5: the old TIME is the new one that is adjusted to UTC, and no local one."""
    made = column(kind, DAY_TIMES)
    more = unions.table([row | {"y": 1} for row in made.to_pylist()], made.schema.append(pa.field("y", pa.int32())))
    files = [unions.write(tmp_path / f"{number}.parquet", table, change) for number, (table, change) in enumerate(
        [(made, annotate(form, None)), (more, annotate(None, new)), (made, annotate(form, new))])]
    output = unions.merge("auto", tmp_path, files)
    rows = [{**row, "y": row.get("y")} for table in (made, more, made) for row in table.to_pylist()]
    assert parquet.ParquetFile(output).read().to_pylist() == rows
    assert "isAdjustedToUTC=true" in "".join(unions.described(output))
    local = unions.write(tmp_path / "local.parquet", made)
    unions.names(unions.refused(tmp_path, [files[0], local]), [files[0], local], "x", "TIME.*TIME")


@pytest.mark.parametrize("kind, form, number", [(pa.int32(), INT_32, 32), (pa.int64(), INT_64, 64)], ids=str)
def test_plain_integers(kind, form, number, tmp_path):
    """P5: INTEGER(32, signed) on INT32 says what INT32 alone says, and so with 64."""
    signed = Struct("Any", unknown={10: (STRUCT, Struct("Any", unknown={1: (BYTE, number), 2: (TRUE, True)}))})
    forms = [None, annotate(form, None), annotate(None, signed), annotate(form, signed)]
    made = column(kind, INTS)
    files = [unions.write(tmp_path / f"{place}.parquet", made, change) for place, change in enumerate(forms)]
    files.append(unions.write(tmp_path / "wide.parquet", column(pa.int64(), LONGS)))
    for order in (files, files[::-1]):
        folder = tmp_path / order[0].stem
        output = unions.merge("auto", folder, order)
        rows = [row for path in order for row in parquet.ParquetFile(path).read().to_pylist()]
        unions.seen(output, unions.table(rows, column(pa.int64(), []).schema), ("x", "id"), folder)
        lithify.ok("verify", *order, "--", output)


def test_annotations_spelled_otherwise(tmp_path):
    """P5: Polars writes the number of FLOAT16 in Thrift's long form, pyarrow in the short one: what it says
    is the same."""
    made = pa.table({"x": pa.array([1.0, None, -0.0], pa.float16())})
    more = made.append_column("y", pa.array([1, 2, 3], pa.int32()))
    files = [unions.write(tmp_path / "a.parquet", made), tmp_path / "b.parquet", tmp_path / "c.parquet"]
    foreign.by_polars(made, files[1], random.Random(1))
    foreign.by_polars(more, files[2], random.Random(1))
    expected = pa.concat_tables([made, made, more], promote_options="permissive")
    check("auto", tmp_path, files, expected, filtered=("y",))


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_map_key_value_is_map(mover, tmp_path):
    """P5: the old name of MAP, on the outer group as old writers had it, and on the inner one, too."""
    kind, found = FORMS["MAP"]

    def old(footer):
        annotate(MAP_KEY_VALUE, None)(footer)

    def inner(footer):
        annotate(MAP, None)(footer)
        annotate(MAP_KEY_VALUE, None, "x.key_value")(footer)
        unions.rename(footer, "x.key_value", "map")
    made, more = column(kind, found), column(pa.map_(pa.string(), pa.int64()), found)
    files = [unions.write(tmp_path / f"{number}.parquet", table, change, **unions.STYLES[number])
             for number, (table, change) in enumerate([(made, None), (made, old), (made, inner), (more, None)])]
    check(mover, tmp_path, files, column(more.schema.field("x").type, found * 4).set_column(
        0, ID, pa.array(list(range(3)) * 4)), filtered=("id",))


# Name -> (type, values, change; type, values, change; what the text says of both). All is refused.
VARIANT, GEOMETRY, GEOGRAPHY = 16, 17, 18
POINTS = [b"\1\1\0\0\0" + bytes(16)]


def geometry(crs):
    return annotate(None, logical(GEOMETRY, inside={1: (BINARY, crs)} if crs else {}))


def geography(edges):
    return annotate(None, logical(GEOGRAPHY, inside={2: (I32, edges)}))


NEVER = {
    "local and UTC": ((pa.timestamp("us"), TIMES), (pa.timestamp("us", "UTC"), UTC_STAMPS),
                      r"TIMESTAMP\(local.*TIMESTAMP\(UTC|TIMESTAMP\(UTC.*TIMESTAMP\(local"),
    "units": ((pa.timestamp("ms"), TIMES), (pa.timestamp("us"), TIMES), "MILLIS.*MICROS|MICROS.*MILLIS"),
    "units of a time": ((pa.time64("us"), DAY_TIMES), (pa.time64("ns"), DAY_TIMES), "MICROS.*NANOS|NANOS.*MICROS"),
    "date and UTC": ((pa.date32(), DAYS), (pa.timestamp("us", "UTC"), UTC_STAMPS), "DATE.*UTC|UTC.*DATE"),
    "string and bytes": ((pa.binary(), BYTES), (pa.string(), WORDS), "BYTE_ARRAY.*STRING|STRING.*BYTE_ARRAY"),
    "signed and unsigned": ((pa.int32(), [1]), (pa.uint32(), [1]), "INT32.*unsigned|unsigned.*INT32"),
    "unsigned and wider": ((pa.uint32(), [1]), (pa.int64(), [1]), "unsigned.*INT64|INT64.*unsigned"),
    "scales": ((pa.decimal128(9, 2), decimals(9, 2)), (pa.decimal128(9, 3), decimals(9, 3)),
               r"\(9, 2\).*\(9, 3\)|\(9, 3\).*\(9, 2\)"),
    "scale and more digits": ((pa.decimal128(9, 2), decimals(9, 2)), (pa.decimal128(20, 5), decimals(20, 5)),
                              r"\(9, 2\).*\(20, 5\)|\(20, 5\).*\(9, 2\)"),
    "lengths": ((pa.binary(3), [b"abc"]), (pa.binary(4), [b"abcd"]), r"\(3\).*\(4\)|\(4\).*\(3\)"),
    "fixed and not": ((pa.binary(3), [b"abc"]), (pa.binary(), [b"abc"]), "FIXED.*BYTE_ARRAY"),
    "integer and decimal": ((pa.int32(), [1]), (pa.decimal128(9, 2), decimals(9, 2)), "INT32.*DECIMAL|DECIMAL.*INT32"),
    "integer and float": ((pa.int32(), [1]), (pa.float64(), [1.0]), "INT32.*DOUBLE|DOUBLE.*INT32"),
    "integer and date": ((pa.int32(), [1]), (pa.date32(), DAYS), "INT32.*DATE|DATE.*INT32"),
    "long and float": ((pa.int64(), [1]), (pa.float64(), [1.0]), "INT64.*DOUBLE|DOUBLE.*INT64"),
    "FLOAT16 and FLOAT": ((pa.float16(), [1.0]), (pa.float32(), [1.0]), "FLOAT16.* FLOAT|FLOAT .*FLOAT16"),
    "integer and string": ((pa.int32(), [1]), (pa.string(), WORDS), "INT32.*STRING|STRING.*INT32"),
    "boolean and integer": ((pa.bool_(), [True]), (pa.int32(), [1]), "BOOLEAN.*INT32|INT32.*BOOLEAN"),
    "a leaf and a group": ((pa.int32(), [1]), (pa.struct([("a", pa.int32())]), [{"a": 1}]), "INT32.*group|group.*INT32"),
    "UNKNOWN and a group": ((pa.null(), [None]), (pa.struct([("a", pa.int32())]), [{"a": 1}]), "UNKNOWN.*group|group.*UNKNOWN"),
    "a list and a struct": ((pa.list_(pa.int32()), [[1]]), (pa.struct([("a", pa.int32())]), [{"a": 1}]), "LIST"),
    "a list and a map": ((pa.list_(pa.int32()), [[1]]), (pa.map_(pa.string(), pa.int32()), [[("a", 1)]]), "LIST.*MAP|MAP.*LIST"),
    "ENUM and STRING": ((pa.string(), WORDS, annotate(ENUM, None)), (pa.string(), WORDS), "ENUM.*STRING|STRING.*ENUM"),
    "JSON and STRING": ((pa.string(), WORDS, annotate(JSON, None)), (pa.string(), WORDS), "JSON.*STRING|STRING.*JSON"),
    "BSON and bytes": ((pa.binary(), BYTES, annotate(BSON, None)), (pa.binary(), BYTES), "BSON"),
    "an INTERVAL and bytes": ((pa.binary(12), [b"x" * 12], annotate(INTERVAL, None)), (pa.binary(12), [b"x" * 12]), "INTERVAL"),
    "a UUID and bytes": ((pa.uuid(), [b"x" * 16]), (pa.binary(16), [b"x" * 16]), "UUID"),
    "reference systems": ((pa.binary(), POINTS, geometry(b"EPSG:4326")), (pa.binary(), POINTS, geometry(b"EPSG:3857")), "GEOMETRY"),
    "GEOMETRY and GEOGRAPHY": ((pa.binary(), POINTS, geometry(None)), (pa.binary(), POINTS, geography(0)), "GEOMETRY.*GEOGRAPHY|GEOGRAPHY.*GEOMETRY"),
    "edges": ((pa.binary(), POINTS, geography(0)), (pa.binary(), POINTS, geography(1)), "GEOGRAPHY"),
    "GEOMETRY and bytes": ((pa.binary(), POINTS, geometry(None)), (pa.binary(), POINTS), "GEOMETRY"),
}


def write_side(path, kind, found, change=None):
    if kind == pa.uuid():
        storage = pa.array(found, pa.binary(16))
        made = pa.table({"id": pa.array(range(len(found)), pa.int64()),
                         "x": pa.ExtensionArray.from_storage(kind, storage)}, pa.schema([ID, ("x", kind)]))
        return unions.write(path, made)
    return unions.write(path, column(kind, found), change)


@pytest.mark.parametrize("name", NEVER)
def test_types_never_join(name, tmp_path):
    """P5, P9: what would change a value's meaning is refused, naming both files, the column and both
    types, in either order; nothing is written. Not at the top alone."""
    left, right, words = NEVER[name]
    files = [write_side(tmp_path / "left.parquet", *left), write_side(tmp_path / "right.parquet", *right)]
    more = write_side(tmp_path / "another.parquet", *left)
    for number, order in enumerate((files, files[::-1], [files[0], more, files[1]])):
        text = unions.refused(tmp_path / str(number), order)
        unions.names(text, [files[0], files[1]] if number < 2 else [files[1]], "x", words)


def test_types_never_join_inside_groups(tmp_path):
    """P5, P9: a column inside of lists and maps is named by its path."""
    def nested(kind):
        inside = pa.struct([("m", pa.map_(pa.string(), pa.struct([("leaf", kind)])))])
        return pa.schema([ID, pa.field("x", pa.list_(pa.field("element", inside)))])
    files = [unions.write(tmp_path / f"{kind}.parquet", nested(kind).empty_table()) for kind in (pa.int32(), pa.string())]
    unions.names(unions.refused(tmp_path, files), files, "leaf", "INT32.*STRING")
    assert "x.list.element.m.key_value.value.leaf" in unions.refused(tmp_path / "again", files)


# VARIANTs: groups of value, metadata and typed_value, annotated by hand.
def variant_table(shredded, first=0):
    fields = [pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), shredded is not None)]
    if shredded is not None:
        fields.append(pa.field("typed_value", shredded))
    rows = [{"id": first, "x": {"metadata": b"\1\0\0", "value": b"\0"}}, {"id": first + 1, "x": None}]
    if shredded is not None:
        typed = "text" if shredded == pa.string() else 5
        rows.append({"id": first + 2, "x": {"metadata": b"\1\0\0", "value": None, "typed_value": typed}})
    return unions.table(rows, pa.schema([ID, pa.field("x", pa.struct(fields))]))


def as_variant(footer):
    annotate(None, Struct("Any", unknown={VARIANT: (STRUCT, Struct("Any", unknown={1: (BYTE, 1)}))}))(footer)


def test_variants(tmp_path):
    """P5, P1: VARIANTs of one shape join; shredded otherwise they never do, for a field that is null in
    both parts is missing."""
    files = {name: unions.write(tmp_path / f"{name}.parquet", variant_table(kind, number * 10), as_variant)
             for number, (name, kind) in enumerate((("whole", None), ("longs", pa.int64()), ("ints", pa.int32()),
                                                    ("words", pa.string())))}
    for number, pair in enumerate((("whole", "longs"), ("longs", "whole"), ("longs", "words"), ("ints", "longs"))):
        sources = [files[name] for name in pair]
        unions.names(unions.refused(tmp_path / str(number), sources), sources, "x", "VARIANT")
    for name, kind in (("whole", None), ("longs", pa.int64())):
        made = variant_table(kind, 90)
        more = unions.table([row | {"y": "y"} for row in made.to_pylist()], made.schema.append(pa.field("y", pa.string())))
        sources = [files[name], unions.write(tmp_path / f"{name}-y.parquet", more, as_variant)]
        output = unions.merge("auto", tmp_path / name, sources)
        assert unions.described(output) == unions.described(sources[1])
        want = [row | {"y": None} for row in parquet.ParquetFile(sources[0]).read().to_pylist()] + more.to_pylist()
        assert parquet.ParquetFile(output).read().to_pylist() == want
        lithify.ok("verify", *sources, "--", output)


# 6.1: which columns are the same one.
def ids(schema, *numbers):
    """The schema with field ids; a number for each of its fields."""
    return pa.schema([field.with_metadata({"PARQUET:field_id": str(number)}) if number is not None else field
                      for field, number in zip(schema, numbers)])


def simple(*names):
    return pa.schema([pa.field(name, pa.string() if name.startswith("w") else pa.int32()) for name in names])


def simple_rows(schema, first, count=3):
    return [{name: (f"{name}{first + row}" if name.startswith("w") else first + row) if row else None
             for name in schema.names} for row in range(count)]


def simple_file(path, schema, first):
    return unions.write(path, unions.table(simple_rows(schema, first), schema))


# Names of the columns of files -> names of the union, in order.
ORDERS = {
    "behind": ([["a", "b"], ["a", "b", "c"]], ["a", "b", "c"]),
    "in front": ([["a", "b"], ["c", "a", "b"]], ["a", "b", "c"]),
    "first": ([["c", "a", "b"], ["a", "b"]], ["c", "a", "b"]),
    "between": ([["a", "c"], ["a", "b", "c"]], ["a", "c", "b"]),
    "turned round": ([["a", "w", "c"], ["c", "w", "a"]], ["a", "w", "c"]),
    "nothing in common": ([["a", "w"], ["x", "wy"]], ["a", "w", "x", "wy"]),
    "three of them": ([["b"], ["c", "b"], ["a", "b", "c"]], ["b", "c", "a"]),
    "a hole in the middle": ([["a", "b", "c"], ["a", "c"], ["b"]], ["a", "b", "c"]),
}


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", ORDERS)
def test_order_of_columns(name, mover, arrow, duck, tmp_path):
    """P5, P1: columns come in the order of their first appearance, and no two are swapped."""
    files, expected, schemas = [], [], []
    for number, names in enumerate(ORDERS[name][0]):
        schemas.append(simple(*names))
        files.append(simple_file(tmp_path / f"{number}.parquet", schemas[-1], number * 10))
        expected += simple_rows(schemas[-1], number * 10)
    schema = simple(*ORDERS[name][1])
    assert schema.names == unions.schema_of(*schemas).names
    output = check(mover, tmp_path, files, unions.table(expected, schema), filtered=tuple(schema.names))
    judge.same_union([arrow, duck], files, [output])


AUTO, BY_NAME, BY_ID = [], ["--match-columns", "name"], ["--match-columns", "id"]
# Name -> (files as (columns, ids), options, columns of the union as (name, id, names in the files)).
MATCHED = {
    "renamed": ([("ab", (1, 2)), ("ac", (1, 2))], AUTO, [("a", 1, "aa"), ("c", 2, "bc")]),
    "names turned": ([("ab", (1, 2)), ("ba", (1, 2))], BY_ID, [("b", 1, "ab"), ("a", 2, "ba")]),
    "ids asked for": ([("ab", (1, 2)), ("ac", (1, 2))], BY_ID, [("a", 1, "aa"), ("c", 2, "bc")]),
    "names asked for": ([("ab", (1, 2)), ("ac", (1, 2))], BY_NAME, [("a", 1, "aa"), ("b", None, "b-"), ("c", None, "-c")]),
    "names asked for, ids differ": ([("ab", (1, 2)), ("ba", (1, 2))], BY_NAME, [("a", None, "aa"), ("b", None, "bb")]),
    "moved": ([("ab", (1, 2)), ("cba", (3, 2, 1))], AUTO, [("a", 1, "aa"), ("b", 2, "bb"), ("c", 3, "-c")]),
    "ids in one file": ([("ab", (1, 2)), ("bc", (None, None))], AUTO, [("a", 1, "a-"), ("b", None, "bb"), ("c", None, "-c")]),
    "an id is missing": ([("ab", (1, None)), ("ba", (2, 1))], AUTO, [("a", 1, "aa"), ("b", None, "bb")]),
    "ids that differ": ([("ab", (1, None)), ("ba", (1, 2))], BY_NAME, [("a", None, "aa"), ("b", None, "bb")]),
    "renamed twice": ([("ab", (1, 2)), ("bc", (1, 2)), ("cd", (1, 2))], BY_ID, [("c", 1, "abc"), ("d", 2, "bcd")]),
    "the newest file lacks it": ([("ab", (1, 2)), ("ac", (1, 2)), ("a", (1,))], AUTO, [("a", 1, "aaa"), ("c", 2, "bc-")]),
}


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", MATCHED)
def test_matching(name, mover, tmp_path):
    """P5, P1: by ids where every field of every file has one, names being those of the last file; else by
    names. Ids that differ are dropped."""
    sources, options, union = MATCHED[name]
    files, expected = [], []
    for number, (names, numbers) in enumerate(sources):
        schema = ids(simple(*names), *numbers)
        files.append(simple_file(tmp_path / f"{number}.parquet", schema, number * 10))
        for row in simple_rows(schema, number * 10):
            expected.append({new: None if old[number] == "-" else row[old[number]] for new, _, old in union})
    schema = ids(simple(*(new for new, _, _ in union)), *(number for _, number, _ in union))
    output = unions.merge(mover, tmp_path, files, *options)
    unions.same_schema(output, schema, tmp_path)
    unions.seen(output, unions.table(expected, schema), schema.names, tmp_path)
    lithify.ok("verify", *files, "--", output)


@pytest.mark.parametrize("name", ["names turned", "ids that differ", "renamed twice"])
def test_contradictions(name, tmp_path):
    """P5: where ids and names do not tell the same, somebody must say which of them count."""
    files = [simple_file(tmp_path / f"{number}.parquet", ids(simple(*names), *numbers), number * 10)
             for number, (names, numbers) in enumerate(MATCHED[name][0])]
    unions.names(unions.refused(tmp_path, files), files[:2], "a", r"\bid\b")


def with_id(name, kind, number):
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_ids_inside_groups(mover, tmp_path):
    """P5, P1: Iceberg's ids, also of elements, keys and values: a child is renamed and one is added."""
    def schema(name, more, more_values):
        inside = pa.struct([with_id(name, pa.int32(), 5), *more])
        value = pa.struct([with_id(name, pa.int32(), 8), *more_values])
        return pa.schema([with_id("l", pa.list_(with_id("element", inside, 2)), 1),
                          with_id("m", pa.map_(with_id("key", pa.string(), 6).with_nullable(False),
                                               with_id("value", value, 7)), 3)])
    old = schema("before", [], [])
    new = schema("after", [with_id("more", pa.string(), 9)], [with_id("more", pa.string(), 10)])
    rows = {"before": [{"l": [{"before": 1}, None], "m": [("k", {"before": 2}), ("n", None)]}, {"l": None, "m": []}],
            "after": [{"l": [{"after": None, "more": "x"}], "m": [("k", {"after": 3, "more": None})]}, {"l": [], "m": None}]}
    files = [unions.write(tmp_path / f"{name}.parquet", unions.table(rows[name], kind))
             for name, kind in (("before", old), ("after", new))]

    def moved(value):
        return value and {"after": value.get("before", value.get("after")), "more": value.get("more")}
    expected = [{"l": row["l"] and [moved(value) for value in row["l"]],
                 "m": row["m"] and [(key, moved(value)) for key, value in row["m"]]}
                for name in ("before", "after") for row in rows[name]]
    output = unions.merge(mover, tmp_path, files)
    unions.same_schema(output, new, tmp_path)
    unions.seen(output, unions.table(expected, new), (), tmp_path)
    lithify.ok("verify", *files, "--", output)


def test_ids_that_are_not_there(tmp_path):
    """P5: matching by ids is refused where a field has none."""
    files = [simple_file(tmp_path / "with.parquet", ids(simple("a", "b"), 1, 2), 0),
             simple_file(tmp_path / "without.parquet", ids(simple("a", "b"), 1, None), 10)]
    text = unions.refused(tmp_path, files, *BY_ID)
    assert "without.parquet" in text and "field id" in text, text


def test_one_name_of_two_ids(tmp_path):
    """P5: a column was dropped and another of its name was made: two columns cannot have one name."""
    files = [simple_file(tmp_path / "left.parquet", ids(simple("a", "b"), 1, 2), 0),
             simple_file(tmp_path / "right.parquet", ids(simple("a", "b"), 1, 3), 10)]
    unions.names(unions.refused(tmp_path, files), files, "b", "of another field")
    check("auto", tmp_path, files, unions.table(
        simple_rows(simple("a", "b"), 0) + simple_rows(simple("a", "b"), 10), ids(simple("a", "b"), 1, None)),
        *BY_NAME, filtered=("a", "b"))


def test_names_that_differ_by_case(arrow, tmp_path):
    """P5: Spark and Hive take them for one column: only where the operator allows it, as two."""
    files = [simple_file(tmp_path / "left.parquet", simple("a", "Name"), 0),
             simple_file(tmp_path / "right.parquet", simple("a", "name"), 10)]
    unions.names(unions.refused(tmp_path, files), files, "name", "case")
    schema = simple("a", "Name", "name")
    rows = simple_rows(simple("a", "Name"), 0) + simple_rows(simple("a", "name"), 10)
    output = unions.merge("auto", tmp_path, files, "--allow", "names-by-case")
    unions.same_schema(output, schema, tmp_path)
    # Other engines do not have such columns, each in its way.
    found = arrow.ask("union", sources=files, outputs=[output])
    assert found == {"difference": None}, found
    assert parquet.ParquetFile(output).read().to_pylist() == unions.table(rows, schema).to_pylist()
    lithify.ok("verify", *files, "--", output)


def test_allowed_together(tmp_path):
    """P5: several things can be allowed at once."""
    left = pa.schema([ID, ("Name", pa.binary()), ("day", pa.date32())])
    right = pa.schema([ID, ("Name", pa.string()), ("name", pa.int32()), ("day", pa.timestamp("us"))])
    rows = [{"id": 1, "Name": b"a", "day": DAYS[3]}], [{"id": 2, "Name": "b", "name": 3, "day": TIMES[0]}]
    files = [unions.write(tmp_path / f"{number}.parquet", unions.table(found, schema))
             for number, (found, schema) in enumerate(zip(rows, (left, right)))]
    output = unions.merge("auto", tmp_path, files, "--allow", "dates-to-timestamps,bytes-to-strings,names-by-case")
    want = [{"id": 1, "Name": "a", "day": midnights(DAYS)[3], "name": None},
            {"id": 2, "Name": "b", "day": TIMES[0], "name": 3}]
    assert parquet.ParquetFile(output).read().to_pylist() == want


def test_dots_in_names(tmp_path):
    """P5, P1: "a.b" is a name, not the b of a."""
    dotted = pa.schema([ID, pa.field("a.b", pa.int32())])
    nested = pa.schema([ID, pa.field("a", pa.struct([("b", pa.string())]))])
    rows = [[{"id": 1, "a.b": 5}], [{"id": 2, "a": {"b": "x"}}, {"id": 3, "a": None}]]
    files = [unions.write(tmp_path / f"{number}.parquet", unions.table(found, schema))
             for number, (found, schema) in enumerate(zip(rows, (dotted, nested)))]
    schema = unions.schema_of(dotted, nested)
    expected = unions.table(unions.fill_rows(rows[0] + rows[1], schema), schema)
    check("auto", tmp_path, files, expected, filtered=("id",))


def test_one_name_twice(tmp_path):
    """P5: two columns of one name cannot be told apart by it."""
    good = simple_file(tmp_path / "good.parquet", simple("a", "b", "c"), 0)
    twice = simple_file(tmp_path / "twice.parquet", simple("a", "b"), 0)
    parquet_file.take_apart(twice).write(twice, lie=lambda footer: unions.rename(footer, "b", "a"))
    for order in ([good, twice], [twice, good]):
        text = unions.refused(tmp_path / order[0].stem, order)
        assert "twice.parquet" in text and "column a: " in text, text


# 7.2: keys that describe a schema.
def test_keys_of_a_schema_go(tmp_path):
    """P1: a key that describes a schema hides new columns from readers that believe it: it goes, also
    where all files have the same one. Other keys stay."""
    spark = "org.apache.spark.sql.parquet.row.metadata"
    hiding = [spark, "parquet.avro.schema", "avro.schema", "iceberg.schema", "pandas", "parquet.hive.schema"]
    files = []
    for number, names in enumerate((["a", "b"], ["a", "b", "c"])):
        schema = simple(*names)
        made = unions.table(simple_rows(schema, number * 10), schema)
        told = {name: json.dumps({"type": "struct", "fields": [], "columns": []}) for name in hiding}
        made = made.replace_schema_metadata(told | {"mine": "same"})
        files.append(unions.write(tmp_path / f"{number}.parquet", made, store_schema=True))
    output = unions.merge("auto", tmp_path, files)
    found = {key.decode() for key in parquet.read_metadata(output).metadata or {}}
    assert "mine" in found and found.isdisjoint([*hiding, "ARROW:schema"]), found
    for engine in engines.ENGINES:
        assert engines.ENGINES[engine](output, None).column_names == ["a", "b", "c"], engine


# Many files, several outputs, threads.
def many(folder, count):
    """Files of two schemas in turn, a few contents, linked: (paths, rows of DuckDB's union)."""
    folder.mkdir()
    inside = pa.struct([("p", pa.int32()), ("q", pa.list_(pa.field("element", pa.int32())))])
    kinds = [pa.schema([ID, ("x", pa.int32()), ("s", pa.struct([("p", pa.int32())]))]),
             pa.schema([ID, ("w", pa.string()), ("x", pa.int64()), ("s", inside)])]
    paths = []
    for number in range(count):
        paths.append(folder / f"{number:04}.parquet")
        if number >= 6:
            paths[-1].hardlink_to(paths[number % 6])
            continue
        schema = kinds[number % 2]
        unions.write(paths[-1], unions.table(unions.rows_of(schema, number * 100), schema), **unions.STYLES[number])
    return paths


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_more_files_than_can_be_open(mover, duck, arrow, tmp_path):
    """P5, P1: inputs that are transposed while they are planned, in a small memory."""
    files = many(tmp_path / "in", 600)
    output = unions.merge(mover, tmp_path, files, "--memory", "64MiB")
    judge.same_union([arrow, duck], files, [output])
    judge.honest_statistics(arrow, [output])
    lithify.ok("verify", *files, "--", output)


def test_threads_do_not_show(tmp_path):
    """P5, DESIGN 7: outputs of two threads are those of one, byte for byte."""
    files = many(tmp_path / "in", 40)
    found = [unions.merge("auto", tmp_path / str(threads), files, "--threads", str(threads)).read_bytes()
             for threads in (1, 2)]
    assert found[0] == found[1]
    again = unions.merge("auto", tmp_path / "again", files).read_bytes()
    assert again == found[0]


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_outputs_have_one_schema(mover, arrow, duck, tmp_path):
    """P5, P1: of several outputs and row groups each has all columns, also where its own sources have none
    of them."""
    files = sorted(many(tmp_path / "in", 60), key=lambda path: int(path.stem) % 2)
    outputs = movers.merge(mover, unions.place(tmp_path) / "out.parquet", files, "--row-group-rows", "40",
                           "--target-file", "4KiB")
    outputs.sort(key=lambda path: int(path.stem.partition("-")[2] or 0))
    assert len(outputs) > 1
    assert len({tuple(unions.described(path)) for path in outputs}) == 1
    judge.same_union([arrow, duck], files, outputs)
    lithify.ok("verify", *files, "--", *outputs)


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_files_without_rows(mover, tmp_path):
    """P5: a file without rows, or without a row group, adds its columns."""
    files, rows = [], []
    for number, names in enumerate((["a"], ["a", "b"], ["w"])):
        schema = simple(*names)
        found = simple_rows(schema, 0) if number == 1 else []
        rows += found
        files.append(unions.write(tmp_path / f"{number}.parquet", unions.table(found, schema)))
    expected = unions.table(rows, simple("a", "b", "w"))
    check(mover, tmp_path, files, expected, filtered=("a", "b", "w"))
    output = unions.merge(mover, tmp_path / "none", [files[0], files[2]])
    unions.same_schema(output, simple("a", "w"), tmp_path / "none")
    assert parquet.ParquetFile(output).read().num_rows == 0


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_foreign_writers(mover, arrow, duck, tmp_path):
    """P5, P1: files of pyarrow, DuckDB and Polars, each of its own schema, by their own unions."""
    hour = datetime.datetime(2026, 6, 15, 10, tzinfo=datetime.timezone.utc)
    keep = [["tenant_id", "time", "template_id", "tags"], foreign.SCHEMA.names, ["time", "body", "params", "resource"],
            ["duration", "params", "tenant_id"]]
    files = []
    for number in range(12):
        made = foreign.records(number, "acme", hour, 50 + number * 20).select(keep[number % 4])
        files.append(tmp_path / f"{number:02}.parquet")
        list(foreign.WRITERS.values())[number % 3](made, files[-1], random.Random(number))
    output = unions.merge(mover, tmp_path, files)
    judge.same_union([arrow, duck], files, [output])
    judge.honest_statistics(arrow, [output])
    lithify.ok("verify", *files, "--", output)


def test_compact(duck, arrow, tmp_path):
    """P5, P6, RFC0009.6: a partition of files written before and after columns were added becomes one
    file, whose rows DuckDB finds by the query of `ls`; a second run writes nothing."""
    root = tmp_path / "lake"
    folder = root / "tenant_id=acme" / numbered.HOUR
    folder.mkdir(parents=True)
    paths = many(tmp_path / "made", 30)
    for path in paths:
        shutil.copyfile(path, folder / path.name)
        os.utime(folder / path.name, (10**9, 10**9))
    lithify.ok("compact", *numbered.NOW, root)
    live = lithify.ok("ls", root).out.split()
    assert len(live) == 1, live
    judge.same_union([arrow, duck], paths, live)
    with duckdb.connect(config={"threads": 1}) as connection:
        names = ", ".join(f"'{path}'" for path in paths)
        want = connection.sql(f"SELECT * FROM read_parquet([{names}], union_by_name = true)").to_arrow_table()
        have = numbered.by_duckdb(root).select(want.column_names)
    assert columns.difference([want], have) is None
    before = numbered.tree(root)
    lithify.ok("compact", *numbered.NOW, root)
    assert numbered.tree(root) == before
