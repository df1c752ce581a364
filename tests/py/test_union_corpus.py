"""Groups of files by other writers whose schemas evolved: merged by partition, or refused by name."""

import re

import pyarrow.parquet as parquet
import pytest

import corpus
import judge
import lithify
import movers
import unions

pytestmark = pytest.mark.skipif(not corpus.PRESENT, reason=corpus.ABSENT)

# What is refused, and what the text must say of it: a column and both types.
REFUSED = {
    "airline": "column DivAirportIDs: .*three levels.*two",
    "lineitem-iceberg": r"column l_quantity: .*INT32.*DECIMAL\(15, 2\)",
    "type-widening": "column byte_double: .*INT32.*DOUBLE",
}
# DuckDB 2.0 prints some values otherwise than 1.5, which made the fingerprints.
PRINTED_OTHERWISE = {"ourios-amendment"}
# The columns of partitions whose files differ, as pyarrow reads them of the output.
SCHEMAS = {
    "iceberg-evolution": ["  optional binary field_id=1 name (String);", "  optional int32 field_id=2 age;",
                          "  optional binary field_id=3 email (String);", "}"],
    "nullability": ["  required int32 field_id=-1 i (Int(bitWidth=32, isSigned=true));",
                    "  optional int32 field_id=-1 j (Int(bitWidth=32, isSigned=true));",
                    "  optional int32 field_id=-1 k (Int(bitWidth=32, isSigned=true));", "}"],
}


def fingerprint(duck, group, paths):
    columns = [re.match(r'"?(.*?)"? (?:[A-Z]+)\b', part.strip())[1] for part in split(group["union_columns"])]
    answer = duck.ask("union_fingerprint", paths=[str(path) for path in paths], columns=columns)
    assert "fingerprint" in answer, answer
    return answer


def split(text):
    """At commas outside of parentheses."""
    return re.split(r",\s*(?![^(]*\))", text)


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("group", [group for group in corpus.GROUPS if group["group"] not in REFUSED],
                         ids=lambda group: group["group"])
def test_groups(group, mover, arrow, duck, tmp_path):
    """P5, P1: each partition becomes one file; rows by pyarrow's and DuckDB's unions, and by the
    fingerprint that an older DuckDB made."""
    outputs = []
    for number, paths in enumerate(corpus.partitions(group).values()):
        output = unions.merge(mover, tmp_path / str(number), paths)
        judge.same_union([arrow, duck], paths, [output])
        judge.honest_statistics(arrow, [output])
        lithify.ok("verify", *paths, "--", output)
        outputs.append(output)
        if group["group"] in SCHEMAS:
            assert unions.described(output) == SCHEMAS[group["group"]]
    if group["union_columns"] != "79 columns":
        want = group["union_fingerprint_duckdb"]
        if group["group"] in PRINTED_OTHERWISE:
            every = [path for paths in corpus.partitions(group).values() for path in paths]
            want = fingerprint(duck, group, every)["fingerprint"]
        have = fingerprint(duck, group, outputs)
        assert (have["fingerprint"], have["rows"]) == (want, int(group["union_rows_duckdb"]))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    """P5, P9: types that no merge may join are named, with both files."""
    group = next(group for group in corpus.GROUPS if group["group"] == name)
    paths, = corpus.partitions(group).values()
    text = unions.refused(tmp_path, paths)
    assert re.search(REFUSED[name], text), text
    assert sum(path.name in text for path in paths) == 2, text


def test_files_of_one_schema_in_a_refused_group(arrow, duck, tmp_path):
    """P1: the ZSTD files of lineitem-iceberg merge without the one that does not join."""
    group = next(group for group in corpus.GROUPS if group["group"] == "lineitem-iceberg")
    paths, = corpus.partitions(group).values()
    alike = [path for path in paths if path.name.startswith("zstd")]
    output = unions.merge("auto", tmp_path, alike)
    assert parquet.read_metadata(output).num_rows == 111968
    judge.same_union([arrow, duck], alike, [output])
