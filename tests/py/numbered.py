"""Files whose rows carry a number, so that a test can name the rows that are lost or doubled.

All other columns follow from the number, so a row that was changed is seen as well.
"""

import hashlib
import os
import pathlib
import time

import duckdb
import pyarrow
import pyarrow.parquet as parquet

import lithify
import reader

SCHEMA = pyarrow.schema([
    ("id", pyarrow.int64()),
    ("tenant_id", pyarrow.string()),
    ("template_id", pyarrow.int64()),
    ("body", pyarrow.string()),
    ("tags", pyarrow.list_(pyarrow.field("element", pyarrow.string()))),
])
# Long over, so that only the age of the files decides whether the partition is sealed.
HOUR = "year=2024/month=03/day=01/hour=05"
# Everything is due at once, nothing waits.
NOW = ["--readers", "manifest", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--quiet"]
NO_GRACE = ["--reader-grace", "0s", "--orphan-grace", "0s", "--quiet"]


def table(ids, tenant="acme"):
    """The rows with these numbers."""
    ids = list(ids)
    return pyarrow.table({
        "id": ids,
        "tenant_id": [tenant] * len(ids),
        "template_id": [i % 7 for i in ids],
        # Hashes do not compress: the size of a file follows its rows.
        "body": [None if i % 11 == 0 else hashlib.md5(str(i).encode()).hexdigest() for i in ids],
        "tags": [[None, [], [f"t{i % 3}", None]][i % 3] for i in ids],
    }, schema=SCHEMA)


def write(path, ids, tenant="acme", age_s=7200, more=None, **options):
    """Writes a file as a careful writer does: under another name first, then renamed. `more` columns
    have one integer in all rows."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    rows = table(ids, tenant)
    for name, value in (more or {}).items():
        rows = rows.append_column(name, pyarrow.array([value] * len(rows), pyarrow.int32()))
    parquet.write_table(rows, part, **options)
    if age_s:
        past = time.time() - age_s
        os.utime(part, (past, past))
    part.rename(path)
    return path


def fill(folder, files, rows, first=0, tenant="acme", stem="part", **options):
    """`files` files of `rows` rows each; returns the numbers of all rows."""
    for number in range(files):
        ids = range(first + number * rows, first + (number + 1) * rows)
        write(pathlib.Path(folder) / f"{stem}-{number:05}.parquet", ids, tenant, **options)
    return range(first, first + files * rows)


def check(found, ids, tenant="acme", where=""):
    """Fails unless `found` holds exactly the rows with these numbers, each once and unchanged."""
    wanted = sorted(ids)
    numbers = sorted(found["id"].to_pylist())
    if numbers != wanted:
        lost = sorted(set(wanted) - set(numbers))
        more = sorted(set(numbers) - set(wanted))
        twice = sorted({a for a, b in zip(numbers, numbers[1:]) if a == b})
        raise AssertionError(f"{where}: {len(wanted)} rows wanted, {len(numbers)} found; lost "
                             f"{lost[:20]}, unknown {more[:20]}, doubled {twice[:20]}")
    if wanted:
        same = found.select(SCHEMA.names).sort_by("id").cast(SCHEMA).combine_chunks()
        assert same.equals(table(wanted, tenant)), f"{where}: a row was changed"


def of_files(paths):
    tables = [parquet.ParquetFile(path).read() for path in paths]
    return pyarrow.concat_tables(tables, promote_options="default") if tables else table([])


def listed(place, *options):
    """The rows of the files that `lithify ls` names."""
    return of_files(lithify.ok("ls", *options, place).out.splitlines())


def by_duckdb(place):
    """What DuckDB reads with the query that `lithify ls` writes for it."""
    query = lithify.ok("ls", "--format", "duckdb", place).out
    with duckdb.connect(config={"threads": 1}) as connection:
        return connection.sql(query).to_arrow_table()


def check_everywhere(root, ids, strict_ids=None, tenant="acme", where=""):
    """Every way to read a lake shows each row once: ls, DuckDB and the rules by themselves.

    `strict_ids` are what a strict reader sees where late files are not named yet.
    """
    check(listed(root), ids, tenant, f"{where}: lithify ls")
    check(by_duckdb(root), ids, tenant, f"{where}: DuckDB")
    check(reader.read(root), ids, tenant, f"{where}: the open rule")
    strict = ids if strict_ids is None else strict_ids
    check(reader.read(root, strict=True), strict, tenant, f"{where}: the strict rule")
    check(listed(root, "--strict"), strict, tenant, f"{where}: lithify ls --strict")


def tree(root):
    """Everything below `root`: relative path -> (SHA-256 of the bytes, mtime), folders -> None."""
    found = {}
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        else:
            found[name] = None
    return found


def break_footers(paths):
    """Files get another footer under the same identity: who reads one would fail."""
    for path in paths:
        stat = path.stat()
        with open(path, "r+b") as file:
            file.seek(-64, os.SEEK_END)
            file.write(b"\xff" * 56)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
