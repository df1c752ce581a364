"""The lake of `make demo`: writes it, measures it with DuckDB, compares two measurements.

demo_lake.py write LAKE            two tenants, three hours, about 40 files each
demo_lake.py measure LAKE [--live] per partition: files, rows, a hash that no order changes
demo_lake.py compare BEFORE AFTER  the same rows in fewer files?

`measure` takes every file of a partition; with --live, those that `lithify ls` names.
"""

import datetime
import pathlib
import subprocess
import sys

import duckdb

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "py"))
import foreign  # noqa: E402

TENANTS = ["acme", "globex"]
HOURS = [datetime.datetime(2026, 6, 15, hour, tzinfo=datetime.timezone.utc) for hour in (10, 11, 12)]
FILES = 40


def partitions(lake):
    return sorted({path.parent for path in (pathlib.Path(lake) / "data").rglob("*.parquet")})


def query_of(partition, live):
    """A query of DuckDB for the rows of a partition, and the number of files it reads."""
    if not live:
        files = sorted(partition.glob("*.parquet"))
        names = ", ".join(f"'{path}'" for path in files)
        return f"SELECT * FROM read_parquet([{names}], union_by_name=true)", len(files)
    listed, query = (
        subprocess.run([ROOT / "build" / "lithify", "ls", *how, partition], check=True,
                       capture_output=True, text=True).stdout.strip()
        for how in ([], ["--format", "duckdb"]))
    return query, len(listed.splitlines())


def measure(lake, live):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for partition in partitions(lake):
            query, files = query_of(partition, live)
            rows, total = connection.sql(
                "SELECT count(*), sum(md5_number_lower(t::VARCHAR)::HUGEINT) "
                f"FROM ({query}) t").fetchall()[0]
            print(f"{partition.relative_to(lake)}\t{files} files\t{rows} rows\thash {total}")


def compare(before, after):
    first, second = ([line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]
                     for path in (before, after))
    same = [[row[0], *row[2:]] for row in first] == [[row[0], *row[2:]] for row in second]
    counts = [sum(int(row[1].split()[0]) for row in rows) for rows in (first, second)]
    print(f"{counts[0]} files became {counts[1]}; rows and hashes of {len(first)} partitions "
          + ("are the same" if same else "DIFFER"))
    return 0 if same and first and counts[1] < counts[0] else 1


def main():
    command, *rest = sys.argv[1:]
    if command == "write":
        foreign.write_lake(rest[0], TENANTS, HOURS, FILES)
    elif command == "measure":
        measure(pathlib.Path(rest[0]), "--live" in rest)
    elif command == "compare":
        return compare(*rest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
