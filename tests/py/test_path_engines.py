"""P4: what engines write into paths belongs to them, and what is put elsewhere does not.

DuckDB and Polars write partitions with the key in the files, pyarrow says what it would name one: by
that they are the oracle of which rows belong. Whether two values are the same is DuckDB's or Python's
word. Files of the corpus stand under the path that DuckDB makes of their own values. docs/path-rows.md.
"""

import datetime
import decimal
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import urllib.parse
import uuid

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as parquet
import pytest

import corpus
import lithify
import path_rows

CASES = int(os.environ.get("LITHIFY_CASES", "0")) or 24
NULL = "__HIVE_DEFAULT_PARTITION__"
SEED = int(os.environ.get("LITHIFY_SEED", "1"))
# Letters that somebody escapes, or forgets to.
LETTERS = list("ab06 /%=+:?#&*\"'\\<>|{}[]^`~!@$,;._-\t\n") + ["é", "ü", "日", "🐘", "%41", "%2F", "\u0301"]


def text_of(random_):
    return "".join(random_.choice(LETTERS) for _ in range(random_.randrange(0, 9)))


def moment_of(random_, precision=6):
    base = datetime.datetime(1969, 12, 30) + datetime.timedelta(days=random_.randrange(0, 25000))
    unit = random_.choice([86400, 3600, 1])
    base += datetime.timedelta(seconds=random_.randrange(0, 86400 // unit) * unit)
    if random_.random() < 0.3:
        base += datetime.timedelta(microseconds=random_.randrange(0, 10**precision)
                                   * 10**(6 - precision))
    return base


# DuckDB's type of the key, and how to draw a value of it.
KINDS = {
    "TINYINT": lambda r: r.randrange(-128, 128),
    "INTEGER": lambda r: r.choice([r.randrange(-20, 20), r.randrange(-2**31, 2**31)]),
    "BIGINT": lambda r: r.choice([r.randrange(-20, 20), r.randrange(-2**63, 2**63)]),
    "UTINYINT": lambda r: r.randrange(0, 256),
    "UINTEGER": lambda r: r.randrange(0, 2**32),
    "UBIGINT": lambda r: r.choice([r.randrange(0, 9), r.randrange(0, 2**64)]),
    "BOOLEAN": lambda r: r.random() < 0.5,
    "VARCHAR": text_of,
    "DATE": lambda r: moment_of(r).date(),
    "TIMESTAMP": moment_of,
    "TIMESTAMP_MS": lambda r: moment_of(r, 3),
    "TIMESTAMP_NS": moment_of,
    "TIMESTAMPTZ": lambda r: moment_of(r).replace(tzinfo=datetime.timezone.utc),
    "DECIMAL(4,1)": lambda r: decimal.Decimal(r.randrange(-9999, 9999)) / 10,
    "DECIMAL(9,2)": lambda r: decimal.Decimal(r.randrange(-10**9 + 1, 10**9)) / 100,
    "DECIMAL(18,9)": lambda r: decimal.Decimal(r.randrange(-10**18 + 1, 10**18)) / 10**9,
    "DECIMAL(38,3)": lambda r: decimal.Decimal(r.randrange(-10**30, 10**30)) / 1000,
    "DOUBLE": lambda r: r.choice([float(r.randrange(-9, 9)), r.random(), 10.0**r.randrange(-9, 30)]),
    "REAL": lambda r: r.choice([float(r.randrange(-9, 9)), 0.5, 1e10]),
    "UUID": lambda r: uuid.UUID(int=r.getrandbits(128)),
    "BLOB": lambda r: bytes(r.choice(b"abc0\x00\xff\\'\"/%= ") for _ in range(r.randrange(1, 5))),
}
# Of these only whole numbers, or plain texts, are compared: others are told.
LENIENT = {"DOUBLE", "REAL", "BLOB"}


def write_duckdb(connection, folder, number):
    connection.execute(f"COPY t TO '{folder}' (FORMAT parquet, PARTITION_BY (k), "
                       f"WRITE_PARTITION_COLUMNS true, OVERWRITE_OR_IGNORE true, "
                       f"FILENAME_PATTERN 'd{number}_{{i}}')")


def write_polars(connection, folder, number):
    made = folder.parent / "made"
    connection.sql("SELECT * FROM t").pl().write_parquet(
        polars.PartitionBy(str(made), key="k", include_key=True))
    for path in made.rglob("*.parquet"):
        place = folder / path.parent.relative_to(made)
        place.mkdir(parents=True, exist_ok=True)
        path.rename(place / f"p{number}.parquet")
    shutil.rmtree(made)


WRITERS = {"duckdb": write_duckdb, "polars": write_polars}


def values_of(connection, kind, values):
    connection.execute("SET timezone = 'UTC'")
    connection.execute(f"CREATE TABLE t (k {kind}, n INTEGER)")
    for value in values:
        for n in range(3):
            connection.execute("INSERT INTO t VALUES (?, ?)", [value, n])


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_an_engine_writes_belongs(writer, kind, tmp_path):
    """P4: partitions of another writer, with the key in the files, merge; a file of one of them in the
    directory of another blocks that one, if the two values differ."""
    if (writer, kind) == ("polars", "BLOB"):
        pytest.skip("Polars does not write partitions by bytes that are no text")
    random_ = random.Random(f"{SEED} {writer} {kind}")
    root = tmp_path / "lake"
    values = [None] + [KINDS[kind](random_) for _ in range(CASES // 3)]
    with duckdb.connect(config={"threads": 1}) as connection:
        values_of(connection, kind, dict.fromkeys(values))
        for number in range(3):
            WRITERS[writer](connection, root, number)
    for path in root.rglob("*.parquet"):
        path_rows.age(path)
    folders = sorted(path for path in root.iterdir())
    assert len(folders) == len(dict.fromkeys(values))
    untouched = tmp_path / "untouched"
    shutil.copytree(root, untouched)
    path_rows.check_merged(root)

    # One file of each in the directory of the next.
    swapped = tmp_path / "swapped"
    shutil.copytree(untouched, swapped)
    key = {folder.name: parquet.read_table(next(folder.glob("*.parquet")), partitioning=None)["k"][0]
           for folder in (untouched / folder.name for folder in folders)}
    for folder, other in zip(folders, folders[1:] + folders[:1]):
        shutil.copy2(next((untouched / other.name).glob("*.parquet")), swapped / folder.name / "x.parquet")
    parts, _ = path_rows.compact(swapped)
    blocked = {path for path, part in parts.items() if part["state"] == "blocked"}
    for folder, other in zip(folders, folders[1:] + folders[:1]):
        is_null = folder.name == "k=__HIVE_DEFAULT_PARTITION__"  # which some write for an empty text, too
        same = key[folder.name].equals(key[other.name]) or (is_null and key[other.name].as_py() == "")
        is_blocked = folder.name in blocked
        if kind not in LENIENT:
            assert is_blocked != same, (folder.name, other.name, parts[folder.name]["reason"])
        elif is_blocked:
            assert not same, (folder.name, other.name)
        if is_blocked:
            assert "x.parquet: column k holds" in parts[folder.name]["reason"]


ARROW = {
    "int32": (pa.int32(), lambda r: r.randrange(-99, 99)),
    "int64": (pa.int64(), lambda r: r.randrange(-2**63, 2**63)),
    "string": (pa.string(), lambda r: text_of(r) or "x"),
    "date32": (pa.date32(), lambda r: moment_of(r).date()),
    "timestamp": (pa.timestamp("us"), moment_of),
    "bool": (pa.bool_(), lambda r: r.random() < 0.5),
}


@pytest.mark.parametrize("kind", ARROW)
def test_what_pyarrow_names_belongs(kind, tmp_path):
    """P4: paths as pyarrow's Hive partitioning formats them."""
    made, draw = ARROW[kind]
    random_ = random.Random(f"{SEED} arrow {kind}")
    partitioning = pyarrow.dataset.partitioning(pa.schema([("k", made)]), flavor="hive")
    root = tmp_path / "lake"
    for value in dict.fromkeys([None] + [draw(random_) for _ in range(CASES // 3)]):
        scalar = pa.scalar(value, made)
        field = pyarrow.dataset.field("k")
        path = partitioning.format(field.is_null() if value is None else field == scalar)
        folder = root / (path[0] if isinstance(path, tuple) else path).strip("/")
        path_rows.fill(folder, "k", pa.array([value] * 2, made))
        assert path_rows.run("plan", root)[1] == lithify.DONE, (value, path)
    path_rows.check_merged(root)


def random_lake(random_, root):
    """A few partitions of a tenant and an hour, with files whose rows are drawn to belong, or not;
    returns the partitions with a row that does not."""
    wrong = set()
    for tenant in ("acme", "beta"):
        for hour in (5, 6):
            path = f"tenant_id={tenant}/year=2024/month=06/day=15/hour={hour:02}"
            begin = datetime.datetime(2024, 6, 15, hour)
            for number in range(3):
                count = random_.randrange(1, 40)
                at = [begin + datetime.timedelta(seconds=random_.randrange(0, 3600)) for _ in range(count)]
                seen = [begin] * count
                tenants, hours = [tenant] * count, [hour] * count
                for column in (at, seen):
                    for row in range(count):
                        if random_.random() < 0.02:
                            column[row] = None
                what = random_.random()
                row = random_.randrange(count)
                if what < 0.05:
                    tenants[row] = random_.choice(["acme ", "gamma", None])
                elif what < 0.1:
                    hours[row] = random_.choice([hour + 1, None])
                elif what < 0.15:
                    at[row] = begin + datetime.timedelta(hours=random_.choice([-1, 1]))
                elif what < 0.2:
                    at[row], seen[row] = None, begin + datetime.timedelta(hours=1)
                columns = {"tenant_id": pa.array(tenants, pa.string()),
                           "hour": pa.array(hours, random_.choice([pa.int8(), pa.int64()])),
                           "at": pa.array(at, pa.timestamp("us")),
                           "seen": pa.array(seen, pa.timestamp("ms"))}
                path_rows.write(root / path / f"{number}.parquet", pa.table({"n": range(count), **columns}),
                                row_group_size=random_.choice([7, 1000]),
                                use_dictionary=random_.random() < 0.5,
                                write_statistics=random_.random() < 0.5,
                                data_page_version=random_.choice(["1.0", "2.0"]))
            files = f"{root / path}/*.parquet"
            # What belongs is DuckDB's word.
            ((bad,),) = duckdb.sql(f"""
                SELECT count(*) FROM read_parquet('{files}', hive_partitioning = false)
                WHERE tenant_id IS DISTINCT FROM '{tenant}' OR hour IS DISTINCT FROM {hour}
                   OR coalesce(date_trunc('hour', coalesce("at", seen)) <> TIMESTAMP '{begin}', true)
                """).fetchall()
            if bad:
                wrong.add(path)
    return wrong


@pytest.mark.parametrize("case", range(CASES))
def test_random_rows(case, tmp_path):
    """P4, P1: a partition is blocked exactly where DuckDB finds a row that does not belong; all rows
    are there afterwards; a second pass finds the same."""
    random_ = random.Random(f"{SEED} rows {case}")
    root = tmp_path / "lake"
    wrong = random_lake(random_, root)
    options = ["--time-column", "at", "--time-column-fallback", "seen", "--match-columns",
               random_.choice(["auto", "name"])]
    before = duckdb.sql(f"SELECT * FROM read_parquet('{root}/**/*.parquet', union_by_name = true)"
                        " ORDER BY ALL").fetchall()
    for _ in range(2):
        parts, code = path_rows.compact(root, *options)
        assert {path for path, part in parts.items() if part["state"] == "blocked"} == wrong, {
            path: part["reason"] for path, part in parts.items()}
        assert code == (lithify.BLOCKED if wrong else lithify.DONE)
    names = lithify.ok("ls", root).out.splitlines()
    after = duckdb.execute("SELECT * FROM read_parquet($1, union_by_name = true) ORDER BY ALL",
                           [names]).fetchall()
    assert before == after


# Real files.

def keys_of(path):
    """For the first columns of a file: (column, the key that DuckDB would write for its most frequent
    value, whether all rows have that)."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET timezone = 'UTC'")
        try:
            columns = [row[0] for row in connection.execute(
                "DESCRIBE SELECT * FROM read_parquet($1)", [str(path)]).fetchall()][:6]
            for column in columns:
                quoted = '"' + column.replace('"', '""') + '"'
                rows = connection.execute(
                    f"SELECT CAST({quoted} AS VARCHAR), count(*) FROM read_parquet($1) GROUP BY 1 "
                    "ORDER BY 2 DESC LIMIT 2", [str(path)]).fetchall()
                if rows and (rows[0][0] is None or len(rows[0][0]) <= 60 and "\0" not in rows[0][0]):
                    yield column, rows[0][0], len(rows) == 1
        except duckdb.Error:
            return


def folder_name(column, text):
    return f"{urllib.parse.quote(column, safe='')}=" + (
        NULL if text is None else urllib.parse.quote(text, safe=" "))


@pytest.mark.skipif(not corpus.PRESENT, reason=corpus.ABSENT)
def test_corpus_is_not_blocked_wrongly(tmp_path):
    """P4: each file of the corpus, under a path made of its own rows: it is blocked only if DuckDB
    reads another value in some row."""
    root = tmp_path / "lake"
    made = {}
    for index, name in enumerate(corpus.files("good")):
        for column, text, is_same in keys_of(corpus.FOLDER / name):
            place = f"{index}/{folder_name(column, text)}"
            if column[:1] in ("", "_", "."):  # no partitions
                continue
            (root / place).mkdir(parents=True)
            for number in range(2):
                shutil.copyfile(corpus.FOLDER / name, root / place / f"{number}.parquet")
                path_rows.age(root / place / f"{number}.parquet")
            made[place] = (name, is_same)
    parts, _ = path_rows.run("plan", root)
    assert parts.keys() == made.keys()
    blocked = [path for path, part in parts.items() if "do not belong" in (part["reason"] or "")]
    for path in blocked:
        assert parts[path]["state"] == "blocked"
        assert not made[path][1], (made[path], parts[path]["reason"])
    assert len(parts) > 100 and len(blocked) > 20, (len(parts), len(blocked))


# What it costs.

@pytest.mark.skipif(lithify.SANITIZED, reason="sanitizers multiply memory")
@pytest.mark.parametrize("form", [dict(use_dictionary=False), dict()])
def test_memory_is_bounded(form, tmp_path):
    """P7: columns of many times the budget are decoded within it."""
    root = tmp_path / "lake"
    hour = root / "tenant_id=acme" / "year=2024/month=06/day=15/hour=12"
    rows = 400_000
    at = pa.array([1718452800_000000 + i for i in range(rows)], pa.int64()).cast(pa.timestamp("us"))
    for number in range(3):
        path_rows.write(hour / f"{number}.parquet",
                        path_rows.table("tenant_id", pa.array(["acme"] * rows), at=at, seen=at,
                                        text=pa.array([f"{number}-{i}" * 4 for i in range(rows)])),
                        write_statistics=False, compression="zstd", **form)
    options = ["--memory", "16MiB", "--time-column", "at", "--time-column-fallback", "seen"]
    command = ["compact", *path_rows.NOW, *options, "--json", root]
    result = lithify.run(*command)
    assert result.code == lithify.DONE, str(result)
    assert json.loads(result.out)["partitions"][0]["state"] == "compacted"
    assert result.peak_bytes < 64 << 20, result.peak_bytes


def test_stopped_while_it_looks(tmp_path):
    """P3: a wish to stop is heard while a column is decoded slowly; nothing was written but what an
    adoption writes."""
    root = tmp_path / "lake"
    rows = 300_000
    for number in range(2):
        path_rows.write(root / "k=acme" / f"{number}.parquet",
                        path_rows.table("k", pa.array(["acme"] * rows), other=pa.array(range(rows))),
                        write_statistics=False, use_dictionary=False, compression="none")
    command = [lithify.BIN, "compact", *path_rows.NOW, "--io-rate", "100KiB", str(root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=lithify.SECONDS_MAX)
    assert time.monotonic() - start < 5 and "stopped on request" in err, err
    assert sorted(path.name for path in (root / "k=acme").glob("*.parquet*")) == [
        "0.parquet", "1.parquet"]
    assert not any(entry["op"] == "lease" for entry in path_rows.manifest(root / "k=acme")["lithify"]["log"])
    path_rows.check_merged(root)


def test_statistics_cost_no_read(tmp_path):
    """P4: what statistics prove costs no byte of a column: its pages are damaged, and plan does not
    see it."""
    root = tmp_path / "lake"
    for number in range(3):
        path = path_rows.write(root / "k=acme" / f"{number}.parquet",
                               path_rows.table("k", pa.array(["acme"] * 100)), use_dictionary=False)
        raw = path.read_bytes()
        meta = parquet.ParquetFile(path).metadata.row_group(0).column(1)
        at, size = meta.data_page_offset, meta.total_compressed_size
        path.write_bytes(raw[:at] + bytes(size) + raw[at + size:])
        path_rows.age(path)
    parts, code = path_rows.run("plan", root)
    assert code == lithify.DONE and parts["k=acme"]["state"] == "compacted"
