#!/usr/bin/env python3
"""Files that the writer wrote, read by pyarrow, DuckDB and Polars: writer_check.py WRITE_SAMPLE.

Every value is compared with one computed here by the formulas of tests/unit/write_sample.c; filtered
scans, which use statistics, page indexes and bloom filters, with the filtered values. Needs pyarrow,
duckdb and polars: the interpreter named by LITHIFY_PYTHON, or .venv/bin/python. Exits 77 without.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MASK = (1 << 64) - 1


def find_python():
    """Starts again in an interpreter that has the engines, if there is one."""
    wanted = os.environ.get("LITHIFY_PYTHON") or str(ROOT / ".venv/bin/python")
    if os.environ.get("LITHIFY_PYTHON_FOUND") or not os.path.exists(wanted):
        print("SKIP: no Python with pyarrow, duckdb and polars (set LITHIFY_PYTHON, or run scripts/setup)")
        sys.exit(77)
    os.environ["LITHIFY_PYTHON_FOUND"] = "1"
    os.execv(wanted, [wanted, *sys.argv])


try:
    import duckdb
    import polars
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    find_python()

import datetime
import decimal
import math
import struct

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
GROUP = 60000


def mix(row, column):
    z = (row * 64 + column + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def f32(i, h):
    return math.nan if h % 11 == 0 else struct.unpack("f", struct.pack("f", signed(h >> 40, 32)))[0] / 8


def decimal_of(i, h):
    unscaled = (h >> 8) - ((1 << 64) if h & 1 else 0)
    return decimal.Decimal(unscaled).scaleb(-2, decimal.Context(prec=40))


def mixed(i, h):
    return f"low-{h % 100}" if i % GROUP < 30000 else f"{i:064d}"


def half(i, h):
    return 1 + h % 1024 / 1024


def numbers(i, h):
    count = h % 5
    if count < 2:
        return None if count == 0 else []
    return [None if h >> (8 + 2 * k) & 3 == 0 else signed((h >> 20) + k, 32) for k in range(count - 1)]


def words(i, h):
    outer = h % 4
    if outer < 2:
        return None if outer == 0 else []
    lists = []
    for k in range(outer - 1):
        inner = (h >> (4 * k + 8)) % 4
        lists.append(None if inner == 0 else [f"w{(h >> 16 & 31) + k + m}" for m in range(inner - 1)])
    return lists


def pair(i, h):
    return None if h % 5 == 0 else {"a": h >> 1 if h % 3 else None, "b": float(h >> 40)}


def map_of(i, h):
    return [(f"key-{(h >> 8 & 255) + k}", None if (h + k) % 2 else signed(h >> 32, 32)) for k in range(h % 3)]


# Name, number of the column in mix, nullable by h % 7, value.
COLUMNS = [
    ("flag", 0, False, lambda i, h: bool(h >> 8 & 1)),
    ("i32", 1, True, lambda i, h: signed(h >> 16, 32)),
    ("i64", 2, False, lambda i, h: i * 3),
    ("f32", 3, True, f32),
    ("f64", 4, False, lambda i, h: signed(h >> 32, 32) / 16),
    ("word", 5, True, lambda i, h: f"value-{h >> 8 & 63}"),
    ("unique", 6, False, lambda i, h: f"row-{i}-unique"),
    ("bytes", 7, True, lambda i, h: f"{h >> (h >> 58):x}".encode()),
    ("fixed", 8, False, lambda i, h: h.to_bytes(8, "little")[:5]),
    ("decimal", 9, True, decimal_of),
    ("u32", 10, False, lambda i, h: h >> 16 & 0xFFFFFFFF),
    ("stamp", 11, True, lambda i, h: EPOCH + datetime.timedelta(microseconds=1700000000000000 + h % 1000000000000)),
    ("date", 12, False, lambda i, h: datetime.date(1970, 1, 1) + datetime.timedelta(days=h % 20000)),
    ("half", 13, False, half),
    ("uuid", 14, False, lambda i, h: struct.pack("<QQ", h, i)),
    ("nothing", 15, False, lambda i, h: None),
    ("key", 16, False, lambda i, h: h % 1000),
    ("mixed", 17, False, mixed),
    ("int96", 18, False, lambda i, h: i % 10000 * 86400 + h % 86400),
    ("numbers", 19, False, numbers),
    ("words", 20, False, words),
    ("pair", 21, False, pair),
    ("map", 23, False, map_of),
    ("sorted", 25, False, lambda i, h: f"{i // 10:08d}"),
]


def expected_columns(rows):
    columns = {}
    for name, number, nullable, value in COLUMNS:
        hashes = [mix(i, number) for i in range(rows)]
        columns[name] = [None if nullable and h % 7 == 0 else value(i, h) for i, h in enumerate(hashes)]
    return columns


def plain(name, values):
    """An engine's values in the form of expected_columns."""
    def one(value):
        if value is None:
            return None
        if name == "int96":
            if isinstance(value, int):
                return value // 10**9
            return int((value - EPOCH.replace(tzinfo=value.tzinfo)).total_seconds())
        if name == "uuid" and not isinstance(value, bytes):
            return value.bytes if hasattr(value, "bytes") else bytes.fromhex(str(value).replace("-", ""))
        if name == "stamp":
            return value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        if name == "map":
            pairs = value.items() if isinstance(value, dict) else value
            return [(p["key"], p["value"]) if isinstance(p, dict) else tuple(p) for p in pairs]
        return value
    return [one(value) for value in values]


def same(a, b):
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def compare(engine, name, found, expected):
    found = plain(name, found)
    if len(found) != len(expected):
        raise SystemExit(f"{engine}, {name}: {len(found)} values, expected {len(expected)}")
    if found == expected:
        return
    for i, (a, b) in enumerate(zip(found, expected)):
        if not same(a, b):
            raise SystemExit(f"{engine}, {name}, row {i}: {a!r}, expected {b!r}")


def arrow_list(table, name):
    column = table.column(name)
    if name == "int96":
        return column.cast(pa.timestamp("ns")).cast(pa.int64()).to_pylist()
    if isinstance(column.type, pa.UuidType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks])
    return column.to_pylist()


def check_values(path, expected):
    table = pq.read_table(path, page_checksum_verification=True)
    for name, values in expected.items():
        compare("pyarrow", name, arrow_list(table, name), values)
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    for name, values in expected.items():
        rows = connection.execute(f'select "{name}" from read_parquet(?)', [path]).fetchall()
        compare("DuckDB", name, [row[0] for row in rows], values)
    for name, values in expected.items():
        if name == "uuid":
            continue  # Polars 2.1 has no DELTA_BYTE_ARRAY for fixed lengths
        compare("Polars", name, polars.read_parquet(path, columns=[name])[name].to_list(), values)


# SQL for DuckDB and Polars, and the same in Python over a dict of a row.
FILTERS = [
    ("i64 between 90000 and 90300", ["i64"], lambda i64: 90000 <= i64 <= 90300),
    ("sorted = '00000777'", ["sorted"], lambda s: s == "00000777"),
    ("word = 'value-7'", ["word"], lambda w: w == "value-7"),
    ("word = 'absent'", ["word"], lambda w: w == "absent"),
    ("word is null", ["word"], lambda w: w is None),
    ("\"unique\" = 'row-4321-unique'", ["unique"], lambda u: u == "row-4321-unique"),
    ("nothing is not null", ["nothing"], lambda n: n is not None),
    ("nothing is null", ["nothing"], lambda n: n is None),
    ("f64 < -134000000", ["f64"], lambda f: f < -134000000),
    ("f32 < -2000000", ["f32"], lambda f: f is not None and f < -2000000),  # NaN is above all numbers
    ("i32 > 2147000000", ["i32"], lambda n: n is not None and n > 2147000000),
    ("u32 > 4294000000", ["u32"], lambda n: n > 4294000000),
    ("\"key\" = 999", ["key"], lambda k: k == 999),
    ("mixed = 'low-3'", ["mixed"], lambda m: m == "low-3"),
    ("mixed >= '" + "0" * 60 + "3000'", ["mixed"], lambda m: m >= "0" * 60 + "3000"),
    ("flag", ["flag"], lambda f: f),
]


def check_filters(path, expected):
    """Statistics and indexes must not hide rows: filtered scans against the values themselves."""
    rows = len(expected["i64"])
    lazy = polars.scan_parquet(path)
    for sql, names, keep in FILTERS:
        want = [i * 3 for i in range(rows) if keep(*(expected[name][i] for name in names))]
        got = duckdb.execute(f"select i64 from read_parquet(?) where {sql} order by i64", [path]).fetchall()
        if [row[0] for row in got] != want:
            raise SystemExit(f"DuckDB where {sql}: {len(got)} rows, expected {len(want)}")
        got = polars.SQLContext(t=lazy).execute(f"select i64 from t where {sql} order by i64").collect()
        if got["i64"].to_list() != want:
            raise SystemExit(f"Polars where {sql}: {len(got)} rows, expected {len(want)}")
    for name, value in [("word", "value-7"), ("key", 5), ("sorted", "00000777")]:
        table = pq.read_table(path, filters=[(name, "=", value)], columns=["i64"])
        want = [i * 3 for i in range(rows) if expected[name][i] == value]
        if table.column("i64").to_pylist() != want:
            raise SystemExit(f"pyarrow where {name} = {value}: {table.num_rows} rows, expected {len(want)}")


def check_statistics(path, expected):
    metadata = pq.read_metadata(path)
    if not metadata.created_by.startswith("lithify version ") or metadata.format_version != "1.0":
        raise SystemExit(f"created_by {metadata.created_by}, version {metadata.format_version}")
    if metadata.metadata[b"empty"] != b"" or b"blob" not in metadata.metadata:
        raise SystemExit(f"key-values {metadata.metadata}")
    first = 0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        for c in range(group.num_columns):
            column = group.column(c)
            where = f"row group {g}, column {column.path_in_schema}"
            if not column.has_offset_index:
                raise SystemExit(f"{where}: no offset index")
            name = column.path_in_schema
            if name not in expected or name in ("int96", "nothing", "decimal", "half", "uuid", "stamp", "date"):
                continue
            values = expected[name][first:first + group.num_rows]
            known = [v for v in values if v is not None and not (isinstance(v, float) and math.isnan(v))]
            s = column.statistics
            all_nan = not known and values.count(None) < len(values)  # TYPE_ORDER: no bounds, no index
            if column.has_column_index == all_nan:
                raise SystemExit(f"{where}: column index {column.has_column_index}")
            if s.null_count != values.count(None):
                raise SystemExit(f"{where}: null_count {s.null_count}, expected {values.count(None)}")
            if s.has_min_max != bool(known) or known and (s.min, s.max) != (min(known), max(known)):
                raise SystemExit(f"{where}: {s.min}..{s.max}, expected those of {known[:5]}...")
        first += group.num_rows
    shapes = {
        "word": ({"PLAIN", "RLE", "RLE_DICTIONARY"}, True),
        "i64": ({"DELTA_BINARY_PACKED"}, False),
        "f64": ({"BYTE_STREAM_SPLIT"}, False),
        "unique": ({"DELTA_BYTE_ARRAY"}, False),
        "nothing": ({"PLAIN", "RLE"}, False),
        "flag": ({"RLE"}, False),
        "mixed": ({"PLAIN", "RLE_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY"}, True),
    }
    for c in range(metadata.num_columns):
        column = metadata.row_group(0).column(c)
        encodings, dictionary = shapes.get(column.path_in_schema, (None, None))
        if encodings and metadata.num_rows >= GROUP and (
                set(column.encodings) != encodings or column.has_dictionary_page != dictionary):
            raise SystemExit(f"{column.path_in_schema}: {column.encodings}, expected {encodings}")


def check_blooms(path, expected):
    """DuckDB shows for a value which row groups a bloom filter rules out: none of those it is in."""
    for name, absent in [("word", "nowhere"), ("key", 123456), ("unique", "row--1-unique")]:
        present = next(v for v in expected[name] if v is not None)
        for value, ruled_out in [(present, False), (absent, True)]:
            rows = duckdb.execute("select bloom_filter_excludes from parquet_bloom_probe(?, ?, ?) "
                                  "where row_group_id = 0", [path, name, value]).fetchall()
            if rows != [(ruled_out,)]:
                raise SystemExit(f"bloom filter of {name}, {value!r}: {rows}, expected {ruled_out}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        # Two row groups and one of a single row; a budget in which everything spills; tiny files.
        for rows, memory in [(2 * GROUP + 1, 64 << 20), (GROUP, 16 << 20), (1, 16 << 20), (23, 16 << 20)]:
            path = os.path.join(folder, f"{rows}.parquet")
            subprocess.run([program, path, str(rows), str(memory)], check=True)
            expected = expected_columns(rows)
            check_values(path, expected)
            check_filters(path, expected)
            if rows > 23:
                check_statistics(path, expected)
                check_blooms(path, expected)
            print(f"{rows} rows: {os.path.getsize(path)} bytes, good")
    print(f"pyarrow {pa.__version__}, DuckDB {duckdb.__version__}, Polars {polars.__version__}")


if __name__ == "__main__":
    main()
