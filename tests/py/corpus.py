"""The files of tests/corpus, as MANIFEST.tsv and groups.tsv describe them."""

import csv
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "corpus"


def _table(path):
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
