"""docs/traps.md has a line for each [M] of docs/parquet-splice.md, and what it names exists."""

import collections
import re

import pytest

import corpus
import lies
import lithify
import mixes
import mutations

TABLES = {"mixes": mixes.MIXES, "lies": lies.TABLE, "mutations": mutations.TABLE}
TEXT = (lithify.ROOT / "docs" / "traps.md").read_text()
LINES = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TEXT.splitlines()
         if re.match(r"\| [0-9.]+ \|", line)]


def marks():
    """How often a section of parquet-splice.md has the mark; 11 is on what to do about them."""
    found, section = collections.Counter(), None
    for line in (lithify.ROOT / "docs" / "parquet-splice.md").read_text().splitlines():
        heading = re.match(r"#+ (\d+(\.\d+)?)", line)
        section = heading[1] if heading else section
        found[section] += line.count("[M]")
    return {name: count for name, count in found.items()
            if count and name is not None and not name.startswith("11")}


def test_every_mark_has_a_line():
    have = collections.Counter(section for section, *_ in LINES)
    assert set(have) == set(marks())
    for section, count in marks().items():
        # A table of files has one mark for all of them.
        assert have[section] == count or section == "9.4" and have[section] == 8, section


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line[0]}-{line[1][:40]}")
def test_what_a_line_names_exists(line):
    _, _, fixtures, more = line
    names = re.findall(r"`([^`]+)`", fixtures + more)
    assert names, "no test"
    for name in names:
        kind, _, rest = name.partition(".")
        if kind in TABLES:
            assert rest in TABLES[kind], name
        elif "::" in name:
            file, function = name.split("::")
            assert f"\ndef {function}(" in (lithify.ROOT / "tests" / "py" / file).read_text(), name
        elif name.endswith(".c"):
            assert (lithify.ROOT / "tests" / "unit" / name).exists(), name
        else:
            assert name.startswith(("bad/", "quirks/")) and (name in corpus.BY_NAME or not corpus.PRESENT), name
