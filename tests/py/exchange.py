"""Lakes of readers = exchange: read by listing alone, in three engines, and what is held beside them."""

import pathlib
import shutil

import duckdb
import polars
import pyarrow.dataset
import pyarrow.fs

import audit
import lithify
import numbered

PARTITION = pathlib.Path("tenant_id=acme") / numbered.HOUR
# Everything is due at once, nothing waits.
NOW = ["--readers", "exchange", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--min-free", "0%"]
COMPACT = ["compact", *NOW]
# Late files are named, nothing is merged.
WAIT = [*COMPACT, "--min-files", "9", "--settle", "9h"]
GC = ["gc", *numbered.NO_GRACE]
MARK = "_lithify_staging.json"


def staging(root):
    """Where what readers do not see is held, unless it was told otherwise."""
    root = pathlib.Path(root)
    return root.with_name(root.name + ".lithify")


def by_duckdb(root):
    with duckdb.connect(config={"threads": 1}) as connection:
        # Partition keys stay out: they are columns of the files already.
        return connection.sql(f"SELECT * FROM read_parquet('{root}/**/*.parquet', hive_partitioning = false)") \
            .to_arrow_table()


def by_pyarrow(root):
    """What bears the suffix: by itself pyarrow takes any file, whatever its name."""
    found = pyarrow.fs.LocalFileSystem().get_file_info(pyarrow.fs.FileSelector(str(root), recursive=True))
    paths = [info.path for info in found if info.path.endswith(".parquet") and info.is_file]
    return pyarrow.dataset.dataset(paths, format="parquet").to_table()


def by_polars(root):
    return polars.read_parquet(f"{root}/**/*.parquet", hive_partitioning=False).to_arrow()


ENGINES = {"DuckDB": by_duckdb, "pyarrow": by_pyarrow, "Polars": by_polars}


def check_globs(root, ids, where=""):
    """Fails unless each way to list the lake shows exactly these rows."""
    for name, read in ENGINES.items():
        numbered.check(read(root).select(numbered.SCHEMA.names), ids, where=f"{where}: {name}")


def check(root, ids, where=""):
    """The same, and every way to read by manifests; no file is late."""
    check_globs(root, ids, where)
    numbered.check_everywhere(root, ids, where=where)


def held(root, partition=PARTITION):
    """Names that are held for the partition."""
    folder = staging(root) / partition / "_held"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def swapped_out(root, partition=PARTITION):
    """The directories that were the partition's before."""
    return sorted(path for path in (staging(root) / partition).glob("_swap-*") if path.is_dir())


def check_nothing_held(root, where=""):
    left = sorted(path.relative_to(staging(root)).as_posix() for path in staging(root).rglob("*"))
    assert left == [MARK], f"{where}: in staging: {left}"


def copy(source, place):
    """A copy of the lake with all that lies beside it, times kept."""
    for find in (lambda root: root, staging, audit.place):
        shutil.rmtree(find(place), ignore_errors=True)
        if find(source).exists():
            shutil.copytree(find(source), find(place), copy_function=shutil.copy2)
    return place


def tree(root):
    return [numbered.tree(path) for path in (root, staging(root), audit.place(root))]


def finish(root, where=""):
    """The way of an operator: compact until nothing is due, gc; then a sweep changes nothing."""
    for command in (COMPACT, GC, GC):
        result = lithify.run(*command, root)
        assert result.code == lithify.DONE, f"{where}: {result}"
    before = tree(root)
    lithify.ok(*COMPACT, root)
    lithify.ok(*GC, root)
    assert tree(root) == before, f"{where}: it is not at rest"
    check_nothing_held(root, where)
