"""Files as other writers leave them: log records with nested columns by pyarrow, DuckDB and Polars.

Each file of a lake comes from another writer with other options; the rows follow from a seed.
"""

import datetime
import os
import pathlib
import random

import duckdb
import polars
import pyarrow
import pyarrow.parquet as parquet

SCHEMA = pyarrow.schema([
    ("tenant_id", pyarrow.string()),
    ("time", pyarrow.timestamp("us", "UTC")),
    ("template_id", pyarrow.int64()),
    ("severity", pyarrow.string()),
    ("duration", pyarrow.float64()),
    ("body", pyarrow.string()),
    ("resource", pyarrow.struct([("service", pyarrow.string()), ("host", pyarrow.string())])),
    ("params", pyarrow.list_(pyarrow.field("element", pyarrow.struct(
        [("name", pyarrow.string()), ("value", pyarrow.string())])))),
    ("tags", pyarrow.list_(pyarrow.field("element", pyarrow.string()))),
])
WORDS = "request user cache timeout upstream retry connection shard compaction token".split()


def records(seed, tenant, hour, count):
    """`count` log records of a tenant in the hour that begins at `hour` (a datetime in UTC)."""
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        template = chance.randrange(25)
        rows.append({
            "tenant_id": tenant,
            "time": hour + datetime.timedelta(microseconds=chance.randrange(3600 * 10**6)),
            "template_id": template,
            "severity": chance.choice(["INFO", "INFO", "INFO", "WARN", "ERROR", None]),
            "duration": chance.choice([None, 0.0, -0.0, float("nan"), chance.expovariate(10)]),
            "body": f"{WORDS[template % 10]} {WORDS[template % 7]} took {chance.randrange(10**6)} us",
            "resource": chance.choice([None, {"service": chance.choice(WORDS), "host": None},
                                       {"service": "api", "host": f"node-{chance.randrange(9)}"}]),
            "params": chance.choice([None, [], [{"name": "user", "value": str(chance.randrange(99))},
                                                {"name": None, "value": "x"}]]),
            "tags": chance.choice([None, [], ["a"], ["b", None, "c" * chance.randrange(9)]]),
        })
    return pyarrow.Table.from_pylist(rows, schema=SCHEMA)


def by_pyarrow(table, path, chance):
    parquet.write_table(
        table, path, compression=chance.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]),
        data_page_version=chance.choice(["1.0", "2.0"]), use_dictionary=chance.choice([True, False]),
        data_page_size=chance.choice([512, 1 << 20]), row_group_size=chance.choice([50, 1 << 20]),
        write_page_index=chance.choice([True, False]), write_page_checksum=chance.choice([True, False]))


def by_duckdb(table, path, chance):
    version, codec = chance.choice(["V1", "V2"]), chance.choice(["snappy", "zstd", "gzip", "lz4_raw"])
    quoted = str(path).replace("'", "''")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("records", table)
        # From Arrow it knows of no column that it has no nulls, so it writes OPTIONAL like the others.
        connection.execute(f"COPY (SELECT * FROM records) TO '{quoted}' "
                           f"(FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version})")


def by_polars(table, path, chance):
    polars.from_arrow(table).write_parquet(
        path, compression=chance.choice(["uncompressed", "snappy", "zstd", "lz4"]),
        row_group_size=chance.choice([40, 100000]), data_page_size=chance.choice([1024, 1 << 20]),
        statistics=chance.choice([True, False]))


WRITERS = {"pyarrow": by_pyarrow, "duckdb": by_duckdb, "polars": by_polars}


def write_partition(folder, tenant, hour, files, seed, modified, writers=tuple(WRITERS)):
    """Fills a partition with `files` small files of the writers in turn; returns their paths.

    `modified` is the time stamp they get, in the past, so that the partition is sealed.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    paths = []
    for number in range(files):
        chance = random.Random(f"{seed}/{tenant}/{hour}/{number}")
        table = records(f"{seed}/{tenant}/{hour}/{number}", tenant, hour, chance.randrange(1, 200))
        path = folder / f"part-{number:05}.parquet"
        WRITERS[writers[number % len(writers)]](table, path, chance)
        os.utime(path, (modified.timestamp(), modified.timestamp()))
        paths.append(path)
    return paths


def write_lake(root, tenants, hours, files, seed=1):
    """A lake of `tenants` x `hours` partitions of about `files` files each, long sealed.

    `hours` are datetimes in UTC. Returns partition directory -> paths.
    """
    found = {}
    for tenant in tenants:
        for hour in hours:
            folder = (pathlib.Path(root) / "data" / f"tenant_id={tenant}"
                      / hour.strftime("year=%Y/month=%m/day=%d/hour=%H"))
            count = files + random.Random(f"{seed}{tenant}{hour}").randrange(-2, 3)
            modified = hour + datetime.timedelta(hours=2)
            found[folder] = write_partition(folder, tenant, hour, count, seed, modified)
    return found
