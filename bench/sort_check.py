"""Whether an output has the rows of the lake, in order. DuckDB says so, and `lithify verify`."""

import subprocess

import duckdb


def is_sorted(connection, path, keys):
    """`keys` as SQL has them, `"service.name", time`. One thread reads a file from its beginning to
    its end, so that a window without an order sees the rows as they stand."""
    back = connection.execute(
        f"SELECT count(*) FROM (SELECT ({keys}) < lag(({keys})) OVER () AS is_back "
        f"FROM read_parquet('{path}')) WHERE is_back").fetchone()[0]
    return back == 0


def multiset(connection, paths):
    """The number of rows and the sum of their hashes: the same in any order of the rows."""
    return connection.execute("SELECT count(*), sum(hash(row)) FROM "
                              f"read_parquet('{paths}', hive_partitioning=false) AS row").fetchone()


def check_sorted(lithify, lake, output, keys):
    """Raises an error unless `output` is the lake in the order of `keys` (None: in any order)."""
    with duckdb.connect(config={"threads": 1, "memory_limit": "8GB"}) as connection:
        if keys and not is_sorted(connection, output, keys):
            raise RuntimeError(f"{output}: the rows are not in the order of {keys}")
        found = multiset(connection, output)
        expected = multiset(connection, lake.folder / "*.parquet")
        if found != expected:
            raise RuntimeError(f"{output}: expected rows and hashes {expected}, found {found}")
    done = subprocess.run([lithify, "verify", "--quiet", *lake.names, "--", output],
                          cwd=lake.folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise RuntimeError(f"{output}: lithify verify: {done.stderr.strip()[:400]}")
