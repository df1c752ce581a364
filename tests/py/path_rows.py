"""Lakes whose columns repeat what their paths say, and what a pass makes of them."""

import json
import os
import pathlib
import time

import pyarrow as pa
import pyarrow.parquet as parquet

import lithify
import numbered

NOW = [*numbered.NOW, "--audit", "none"]
AGE_S = 7200


def age(path, age_s=AGE_S):
    past = time.time() - age_s
    os.utime(path, (past, past))
    return path


def write(path, table, **options):
    """Writes a file that is old enough to be merged."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path, **options)
    return age(path)


def table(column, values, first=0, **more):
    """Rows with a number, a column of that name and others."""
    arrays = {column: values, **more}
    return pa.table({"n": range(first, first + len(values)), **arrays})


def fill(folder, column, values, files=3, **options):
    """Files of the same values each; returns how many rows there are."""
    for number in range(files):
        write(pathlib.Path(folder) / f"f{number}.parquet",
              table(column, values, first=number * len(values)), **options)
    return files * len(values)


def run(command, root, *options, **more):
    """The partitions of a pass by path, and its exit code."""
    result = lithify.run(command, *NOW, "--json", *options, root, **more)
    assert result.code in (lithify.DONE, lithify.BLOCKED), str(result)
    return {part["path"]: part for part in json.loads(result.out)["partitions"]}, result.code


def compact(root, *options, **more):
    return run("compact", root, *options, **more)


def check_merged(root, *options, **more):
    """One pass merges all partitions, and nothing is blocked; returns the partitions."""
    parts, code = compact(root, *options, **more)
    wrong = {path: part["reason"] for path, part in parts.items() if part["state"] != "compacted"}
    assert not wrong and parts, wrong
    assert code == lithify.DONE
    return parts


def check_blocked(root, words, *options, partition=None, file=None, **more):
    """plan and compact both block the partition, with these words; nothing is merged. Returns the
    partition as compact told it."""
    for command in ("plan", "compact"):
        before = sorted(path.name for path in pathlib.Path(root).rglob("*.parquet"))
        parts, code = run(command, root, *options, **more)
        part = parts[partition] if partition is not None else next(iter(parts.values()))
        assert part["state"] == "blocked", (command, part["state"], part["reason"])
        for word in words:
            assert word in part["reason"], (command, word, part["reason"])
        if file is not None:
            assert [entry["name"] for entry in part["files"]
                    if entry["reason"] == "has rows that do not belong to its path"] == [file]
        assert code == lithify.BLOCKED
        assert sorted(path.name for path in pathlib.Path(root).rglob("*.parquet")) == before
    return part


def manifest(folder):
    return json.loads((pathlib.Path(folder) / "manifest.json").read_text())


def notes(folder):
    """What a manifest remembers of files whose rows do not belong."""
    return manifest(folder)["lithify"].get("misplaced", [])
