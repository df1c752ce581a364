"""The corpus of files by other writers: P1 for good ones, clear refusal of bad ones."""

import csv
import hashlib
import pathlib
import re

import pytest

import corpus
import judge
import lithify
import movers

pytestmark = pytest.mark.skipif(not corpus.PRESENT, reason=corpus.ABSENT)
HERE = pathlib.Path(__file__).parent
MIB = 1 << 20


def memory_max(path):
    """What refusing a bad file may take: all of the program, not its heap alone."""
    return 16 * MIB + 4 * path.stat().st_size


# Who is known not to read a file; see "Files on which the readers disagree" in the corpus README.
UNREADABLE = {
    "good/parquet-testing__int96_from_spark.parquet": {"duckdb"},
    "good/parquet-testing__byte_stream_split_extended.gzip.parquet": {"duckdb"},
    "quirks/duckdb__empty_group_test.parquet": {"duckdb"},
    "quirks/duckdb__invalid.parquet": {"duckdb"},
    "quirks/fastparquet__no_columns_new.parquet": {"duckdb"},
    "quirks/impala__alltypes_agg_bitpacked_def_levels.parquet": {"duckdb"},
    "quirks/impala__bad_column_metadata.parquet": {"duckdb"},
    "quirks/impala__no_scale.parquet": {"duckdb"},
    "quirks/impala__struct_array-file.parquet": {"duckdb", "pyarrow"},
    "quirks/parquet-testing__incorrect_map_schema.parquet": {"pyarrow"},
    "quirks/parquet-testing__large_string_map.brotli.parquet": {"duckdb", "pyarrow"},
    "quirks/parquet-testing__map_no_value.parquet": {"duckdb"},
    "quirks/parquetjs__fruits-bloomfilter.parquet": {"duckdb"},
}
# DuckDB 2.0 prints some values otherwise than 1.5, which made the fingerprints of MANIFEST.tsv.
PRINTED_OTHERWISE = {
    "good/databend__variant.parquet", "good/hyparquet__issue23.parquet",
    "good/impala__trino_variant-20260629_095655_00023_wa2kj-0f39c7a5.parquet",
    "good/otlp2parquet__logs.parquet", "good/parquet-testing__binary_truncated_min_max.parquet",
    "good/groups/ourios-amendment/rfc0021-pre-upgrade.parquet",
}
# Groups some of whose partitions have files of several schemas, which join or do not.
UNIONS = {"ourios-amendment", "iceberg-evolution", "nullability", "union-by-name", "type-conflict"}
REFUSED = {"type-widening"}
# A refusal says where: one of these must stand in the text.
PLACE = r"byte|offset|row group|column|page|footer|magic|schema"


def table(name):
    """Rows of a tab-separated file with a comment line on top: file -> the rest."""
    with open(HERE / name, newline="", encoding="utf-8") as lines:
        rows = csv.reader((line for line in lines if not line.startswith("#")), delimiter="\t",
                          quoting=csv.QUOTE_NONE)
        return {row[0]: row[1] for row in rows}


BAD = table("bad_expected.tsv")
QUIRKS = table("quirks_expected.tsv")


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def refusal(result, path, output):
    """Exit 1, one text that names the file and a place in it, nothing written."""
    assert result.code == lithify.FAILED, str(result)
    assert path.name in result.err, f"the file is not named: {result}"
    assert re.search(PLACE, result.err, re.IGNORECASE), f"no place is named: {result}"
    assert not list(output.parent.iterdir()), f"left behind: {list(output.parent.iterdir())}"


def kept(name, mover, arrow, duck, tmp_path):
    """Merges a file with itself and compares; returns the outputs."""
    path = corpus.FOLDER / name
    unreadable = UNREADABLE.get(name, set())
    outputs = movers.merge(mover, tmp_path / "out.parquet", [path, path])
    judge.same_rows([arrow, duck], [path, path], outputs, unreadable)
    judge.same_schema([arrow, duck], path, outputs)
    judge.honest_statistics(arrow, outputs, unreadable)
    return outputs


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", [n for n in corpus.files("good")])
def test_good(name, mover, arrow, duck, tmp_path):
    """P1: a good file merged with itself gives its rows twice, in order, and its schema."""
    lithify.ok("inspect", corpus.FOLDER / name)
    before = sha256(corpus.FOLDER / name)
    outputs = kept(name, mover, arrow, duck, tmp_path)
    assert sha256(corpus.FOLDER / name) == before == corpus.BY_NAME[name]["sha256"]
    rows = sum(arrow.ask("rows", path=path)["rows"] for path in outputs)
    assert rows == 2 * int(corpus.BY_NAME[name]["rows"])


@pytest.mark.parametrize("name", [
    row["file"] for row in corpus.FILES
    if row["file"].startswith("good/") and row["duckdb_fingerprint"].isdigit()
    and row["file"] not in PRINTED_OTHERWISE and "duckdb" not in UNREADABLE.get(row["file"], ())])
def test_good_fingerprint(name, duck, tmp_path):
    """P1: the merged rows have twice the fingerprint that another DuckDB made before we were here."""
    path = corpus.FOLDER / name
    outputs = lithify.merge(tmp_path / "out.parquet", [path, path])
    answer = duck.ask("fingerprint", paths=[str(output) for output in outputs])
    assert answer.get("fingerprint") == str(2 * int(corpus.BY_NAME[name]["duckdb_fingerprint"])), answer


@pytest.mark.parametrize("name", corpus.files("bad"))
def test_bad(name, tmp_path):
    """Q6, P7, P9: a bad file is refused, naming file and place, in bounded memory, and left as it is."""
    path = corpus.FOLDER / name
    result = lithify.run("merge", "-o", tmp_path / "out.parquet", path, path)
    refusal(result, path, tmp_path / "out.parquet")
    assert re.search(BAD[name], result.err, re.IGNORECASE), f"not {BAD[name]}: {result}"
    if not lithify.SANITIZED:
        assert result.peak_bytes < memory_max(path), f"{result.peak_bytes} bytes: {result}"
    assert sha256(path) == corpus.BY_NAME[name]["sha256"]


@pytest.mark.parametrize("name", corpus.files("bad"))
def test_bad_among_good(name, tmp_path):
    """P9: one bad file in the middle of good ones stops the merge before anything is published."""
    good = corpus.FOLDER / "good/parquet-testing__alltypes_plain.parquet"
    path = corpus.FOLDER / name
    result = lithify.run("merge", "-o", tmp_path / "out.parquet", good, path, good)
    refusal(result, path, tmp_path / "out.parquet")


@pytest.mark.parametrize("name", corpus.files("bad"))
def test_bad_inspect(name):
    """Inspecting a bad file shows what can be shown or refuses; it never crashes."""
    result = lithify.run("inspect", corpus.FOLDER / name)
    if not lithify.SANITIZED:
        assert result.peak_bytes < memory_max(corpus.FOLDER / name), str(result)
    assert result.code in (lithify.DONE, lithify.FAILED), str(result)
    assert result.code == lithify.DONE or pathlib.Path(name).name in result.err, str(result)


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", corpus.files("quirks"))
def test_quirks(name, mover, arrow, duck, tmp_path):
    """P1: an odd file is kept exactly or refused with file and place; the table says which."""
    path = corpus.FOLDER / name
    wanted = QUIRKS[name]
    result = lithify.run("merge", *movers.MOVERS[mover][0], "-o", tmp_path / "out.parquet", path, path)
    if not lithify.SANITIZED:
        assert result.peak_bytes < memory_max(path), f"{result.peak_bytes} bytes: {result}"
    if result.code == lithify.DONE:
        assert wanted in ("exact", "either"), f"merged, though {wanted}: {result}"
        (tmp_path / "out.parquet").unlink()
        outputs = kept(name, mover, arrow, duck, tmp_path)
        if corpus.BY_NAME[name]["rows"] != "-" and "pyarrow" not in UNREADABLE.get(name, ()):
            rows = sum(arrow.ask("rows", path=output)["rows"] for output in outputs)
            assert rows == 2 * int(corpus.BY_NAME[name]["rows"])
    else:
        assert wanted != "exact", str(result)
        refusal(result, path, tmp_path / "out.parquet")
        assert wanted == "either" or re.search(wanted, result.err, re.IGNORECASE), f"not {wanted}: {result}"


@pytest.mark.parametrize("group, mover", movers.in_turn(corpus.GROUPS),
                         ids=lambda part: part if isinstance(part, str) else part["group"])
def test_groups(group, mover, arrow, duck, tmp_path):
    """P1: files that belong together merge per directory, or are refused where types contradict."""
    for number, (folder, paths) in enumerate(corpus.partitions(group).items()):
        by_schema = {}
        for path in paths:
            lines = arrow.ask("schema", path=path)["schema"]
            by_schema.setdefault(tuple(lines), []).append(path)
        for index, same in enumerate(by_schema.values()):
            if len(same) > 1:
                place = tmp_path / f"{number}-{index}"
                place.mkdir()
                outputs = movers.merge(mover, place / "out.parquet", same)
                assert len(outputs) == 1, f"{folder}: {outputs}"
                judge.same_rows([arrow, duck], same, outputs)
                judge.same_schema([arrow], same[0], outputs)
                judge.honest_statistics(arrow, outputs)
        if len(by_schema) > 1:
            place = tmp_path / f"{number}-mixed"
            place.mkdir()
            result = lithify.run("merge", "-o", place / "out.parquet", *paths)
            if group["group"] in UNIONS:  # test_union_corpus.py has the rows
                assert result.code == lithify.DONE, str(result)
                continue
            assert result.code == lithify.FAILED, f"{group['group']} has several schemas: {result}"
            assert re.search("column", result.err), f"no column is named: {result}"
            assert sum(path.name in result.err for path in paths) >= 2, f"two files are to be named: {result}"
            assert not list(place.iterdir())


def test_every_file_is_used():
    """Every file of the corpus is in a table, so that none is left out in silence."""
    assert set(BAD) == set(corpus.files("bad"))
    assert set(QUIRKS) == set(corpus.files("quirks"))
    on_disk = {p.relative_to(corpus.FOLDER).as_posix() for p in corpus.FOLDER.rglob("*.parquet")}
    assert on_disk == set(corpus.BY_NAME)
    assert UNIONS | REFUSED <= {group["group"] for group in corpus.GROUPS}
