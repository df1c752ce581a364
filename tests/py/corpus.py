"""The corpus of files by other writers, as its MANIFEST.tsv and groups.tsv describe them.

LITHIFY_CORPUS names its folder; the default is ../shared/corpus beside the repository. Without it
the tables are empty, and the tests that need it are skipped, aloud.
"""

import csv
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ.get("LITHIFY_CORPUS") or ROOT.parent / "shared" / "corpus").resolve()
PRESENT = (FOLDER / "MANIFEST.tsv").exists()
ABSENT = f"no corpus at {FOLDER}; set LITHIFY_CORPUS"


def _table(path):
    if not PRESENT:
        return []
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


FILES = _table(FOLDER / "MANIFEST.tsv")
GROUPS = _table(FOLDER / "groups.tsv")
BY_NAME = {row["file"]: row for row in FILES}


def files(folder):
    """The names of the files of good, quirks or bad."""
    return [row["file"] for row in FILES if row["file"].startswith(folder + "/")]


def partitions(group):
    """The files of a group by directory, sorted by name: what one merge may take together."""
    found = {}
    for path in sorted((FOLDER / group["folder"]).rglob("*.parquet")):
        found.setdefault(path.parent, []).append(path)
    return found
