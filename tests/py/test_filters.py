"""Readers that prune see every row of merged files: P1 as queries see it."""

import datetime
import os
import random

import pytest

import corpus
import foreign
import generate
import judge
import lithify
import movers
import parquet_file
import scans

SEED = os.environ.get("LITHIFY_SEED", "1")
CASES = 21


def check(engine, sources, outputs, chance):
    found = [why for output in outputs for why in scans.CHECKS[engine](sources, output, chance)]
    assert not found, "\n".join(found)


def mergeable(paths):
    """The files of one directory by schema: what can be merged today; one alone, with itself."""
    import pyarrow.parquet
    found = {}
    for path in paths:
        found.setdefault(str(pyarrow.parquet.ParquetFile(path).schema), []).append(path)
    return [same if len(same) > 1 else same * 2 for same in found.values()]


# An engine and a group have one mover: three engines, three movers, and four for the turns to shift.
TURNS = movers.in_turn([(group, engine) for group in corpus.GROUPS for engine in (*scans.CHECKS, None)])


@pytest.mark.skipif(not corpus.PRESENT, reason=corpus.ABSENT)
@pytest.mark.parametrize("pair, mover", [turn for turn in TURNS if turn[0][1]],
                         ids=lambda part: part if isinstance(part, str) else f"{part[0]['group']}-{part[1]}")
def test_groups(pair, mover, tmp_path):
    """P1: filtered scans of merged corpus groups return the rows of a filtered copy in memory."""
    group, engine = pair
    number = 0
    for paths in corpus.partitions(group).values():
        for same in mergeable(paths):
            place = tmp_path / str(number)
            place.mkdir()
            outputs = movers.merge(mover, place / "out.parquet", same)
            check(engine, same, outputs, random.Random(f"{SEED}/{group['group']}"))
            number += 1


def flat_schema(chance):
    """Columns whose statistics, page indexes and bloom filters readers use."""
    import pyarrow
    kinds = [pyarrow.int32(), pyarrow.int64(), pyarrow.string(), pyarrow.float64(), pyarrow.float32(),
             pyarrow.uint32(), pyarrow.date32(), pyarrow.bool_(), pyarrow.decimal128(9, 2),
             pyarrow.decimal128(30, 5), pyarrow.timestamp("us"), pyarrow.binary(), pyarrow.binary(5)]
    return pyarrow.schema([pyarrow.field(f"c{i}", kind, nullable=chance.random() < 0.8)
                           for i, kind in enumerate(kinds)])


@pytest.mark.parametrize("case, mover", movers.in_turn(range(CASES)))
def test_generated(case, mover, tmp_path):
    """P1: the same on generated files with page indexes and bloom filters, by three engines."""
    chance = random.Random(f"{SEED}/filters/{case}")
    data = generate.Data(chance)
    data.schema, data.long = flat_schema(chance), False
    sources = []
    with_blooms, with_index = chance.random() < 0.7, chance.random() < 0.7
    for number in range(chance.choice([2, 3, 6])):
        options = generate.writer_options(chance, data.schema, "2.6")
        options.update(store_decimal_as_integer=False, write_statistics=True, store_schema=True,
                       write_page_index=with_index or chance.random() < 0.5)
        options.pop("column_encoding", None)
        options.pop("bloom_filter_options", None)
        if with_blooms:
            options["bloom_filter_options"] = {
                name: {"ndv": chance.choice([10, 1000]), "fpp": 0.01}
                for name, kind in zip(data.schema.names, data.schema.types) if str(kind) != "bool"}
        path = tmp_path / f"in-{number:02}.parquet"
        data.distinct = chance.choice([1, 10, 1000])
        generate.write(path, data.table(chance.choice([1, 300, 2000])), options)
        sources.append(path)
    print(f"LITHIFY_SEED={SEED} case {case}")
    place = tmp_path / "out"
    place.mkdir()
    outputs = movers.merge(mover, place / "out.parquet", sources,
                           *chance.choice([[], ["--row-group-rows", "500"]]))
    for engine in scans.CHECKS:
        check(engine, sources, outputs, chance)


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_foreign_writers(mover, arrow, duck, tmp_path):
    """P1, RFC0009.2: files of pyarrow, DuckDB and Polars merge into one, and filters find all."""
    hour = datetime.datetime(2026, 6, 15, 10, tzinfo=datetime.timezone.utc)
    sources = foreign.write_partition(tmp_path / "in", "acme", hour, 12, SEED, hour)
    outputs = movers.merge(mover, tmp_path / "out.parquet", sources)
    judge.same_rows([arrow, duck], sources, outputs)
    judge.honest_statistics(arrow, outputs)
    for engine in scans.CHECKS:
        check(engine, sources, outputs, random.Random(SEED))


def test_filters_without_a_length(tmp_path):
    """Older writers do not say how long a bloom filter is. Inputs that are more than can be open at
    once are kept as parts of files, and their filters with them."""
    import duckdb
    import pyarrow
    import pyarrow.parquet as parquet
    sources = []
    for number in range(520):
        path = tmp_path / f"{number:03}.parquet"
        sources.append(path)
        if number >= 5:
            path.hardlink_to(sources[number % 5])
            continue
        table = pyarrow.table({"v": pyarrow.array(range(0, 200, 10), pyarrow.int64())})
        whole = tmp_path / "whole"
        parquet.write_table(table, whole, use_dictionary=False, bloom_filter_options={"v": {"ndv": 1000}})

        def lie(footer):
            footer.row_groups[0].columns[0].meta_data.bloom_filter_length = None
        parquet_file.take_apart(whole).write(path, lie)
    output, = movers.merge("copy", tmp_path / "out.parquet", sources)
    chunk = parquet_file.take_apart(output).chunk("v")
    assert chunk.bloom, "the filter was lost"
    rows = duckdb.sql(f"SELECT count(*) FROM '{output}' WHERE v IN (0, 5, 190)").fetchall()
    assert rows == [(2 * 520,)]
