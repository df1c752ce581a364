"""Readers that know nothing of Lithify: they list a lake, and read what ends in .parquet.

Three engines, each by its own way to glob. What they see may be more than the rows: `judge` says what
docs/readers.md allows.
"""

import collections
import json
import os
import pathlib

import duckdb
import polars
import pyarrow
import pyarrow.parquet as parquet

import lithify
import numbered

STATE = "_compaction_state"
# As numbered.NOW, for readers that glob.
NOW = ["--readers", "glob", *numbered.NOW[2:]]


class Gone(Exception):
    """A file that was listed is not there any more: run again."""


def by_pyarrow(root):
    try:
        return numbered.of_files(sorted(pathlib.Path(root).rglob("*.parquet")))["id"].to_pylist()
    except FileNotFoundError as problem:
        raise Gone from problem


def by_duckdb(root):
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            found = connection.sql(f"SELECT id FROM read_parquet('{root}/**/*.parquet')")
            return [row[0] for row in found.fetchall()]
        except duckdb.Error as problem:
            if not any(words in str(problem) for words in ("No files found", "No such file", "Cannot open")):
                raise
            raise Gone from problem


def by_polars(root):
    try:
        return polars.scan_parquet(f"{root}/**/*.parquet").select("id").collect()["id"].to_list()
    except (FileNotFoundError, OSError, polars.exceptions.ComputeError) as problem:
        if "No such file" not in str(problem) and "os error 2" not in str(problem):
            raise
        raise Gone from problem


ENGINES = {"pyarrow": by_pyarrow, "duckdb": by_duckdb, "polars": by_polars}


def judge(numbers, least, most, where, times=2):
    """How often a row is there at most. All of `least` are there, none that is not of `most`, and none
    more than `times` times."""
    counts = collections.Counter(numbers)
    lost = set(least) - set(counts)
    assert not lost, f"{where}: {len(lost)} rows are missing: {sorted(lost)[:20]}"
    more = set(counts) - set(most)
    assert not more, f"{where}: unknown rows: {sorted(more)[:20]}"
    often = [row for row, count in counts.items() if count > times]
    assert not often, f"{where}: {len(often)} rows more than {times} times: {sorted(often)[:20]}"
    return max(counts.values(), default=0)


def check(root, ids, where="", times=1):
    """Every engine sees each row once (or so many times at most); how often at most."""
    return max(judge(engine(root), ids, ids, f"{where}: {name}", times) for name, engine in ENGINES.items())


def journals(root):
    """Whatever is in the folders of journals, temporary files included."""
    return sorted(path for path in (pathlib.Path(root) / STATE).rglob("*") if path.is_file())


def journal(root):
    """The only one, parsed."""
    [path] = journals(root)
    return path, json.loads(path.read_bytes())


def check_settled(root, ids, where=""):
    """Each row is there once for everybody, and no journal."""
    assert journals(root) == [], f"{where}: {journals(root)}"
    check(root, ids, where)
    numbered.check_everywhere(root, ids, where=where)
