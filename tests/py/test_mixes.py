"""Every legal mix of pages in one chunk is read, moved and read again by four engines."""

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import engines
import lithify
import mixes
import movers
import parquet_build
import parquet_file

ORDINARY = {mixes.INT: [7, None, -3, 7], mixes.LONG: [10**12, None, 4, 4],
            mixes.WORD: ["a", None, "zz", "bc"], mixes.REAL: [0.5, None, -3.0, 8.0],
            mixes.FLAG: [True, None, False, True],
            mixes.FIXED: [b"abc", None, b"new", b"\0\0\0"], mixes.LIST: [[1], None, [], [None, 9]]}


def schema_of(kind, nullable):
    return pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("x", kind, nullable=nullable)])


def rows_of(leaf, pages):
    """The rows that the pages were made from, borders inside rows taken into account."""
    found = [page.found for page in pages if page.is_data]
    reps, defs, values = (sum((getattr(part, name) for part in found), [])
                          for name in ("reps", "defs", "values"))
    values = iter(values)
    if not leaf.max_rep:
        return [next(values) if level == leaf.max_def else None for level in defs]
    rows = []
    for rep, level in zip(reps, defs):
        if rep == 0:
            rows.append(None if level == 0 else [])
        if level >= 2:
            rows[-1].append(next(values) if level == 3 else None)
    return rows


def write_mix(name, path):
    """Writes the file of a mix; returns (its schema, its rows)."""
    kind, codec, index, nullable, build = mixes.MIXES[name]
    schema = schema_of(kind, nullable)
    leaves = parquet_build.leaves(schema)
    leaf = next(leaf for path_, leaf in leaves.items() if path_ != "id").with_codec(codec)
    pages = build(leaf)
    rows = rows_of(leaf, pages)
    id_pages = [parquet_build.page(leaves["id"], list(range(len(rows))))]
    chunks = {"id": parquet_build.chunk(leaves["id"], id_pages, index=index),
              "x": parquet_build.chunk(leaf, pages, index=index)}
    parquet_build.file(schema, [chunks]).write(path)
    return schema, [{"id": number, "x": value} for number, value in enumerate(rows)]


def write_ordinary(schema, path):
    """Four rows of the same schema by pyarrow; returns them."""
    values = ORDINARY[schema.field("x").type]
    if not schema.field("x").nullable:
        values = [value for value in values if value is not None]
    rows = [{"id": 1000 + number, "x": value} for number, value in enumerate(values)]
    parquet.write_table(pa.Table.from_pylist(rows, schema), path, store_schema=False,
                        compression="snappy", write_page_index=True)
    return rows



@pytest.mark.parametrize("name", mixes.MIXES)
def test_fixture(name, tmp_path):
    """The files themselves are right: the engines that read them see the rows they were built of."""
    _, rows = write_mix(name, tmp_path / "mix.parquet")
    unread = mixes.UNREAD[name]
    found = list(engines.wrong(tmp_path / "mix.parquet", rows, ["x"],
                               only=[engine for engine in engines.ENGINES if engine not in unread]))
    assert not found, "\n".join(found)
    for engine in unread:
        assert list(engines.wrong(tmp_path / "mix.parquet", rows, [], only=[engine])), \
            f"{engine} reads this after all: take it off the list"


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_chunks_in_another_order(mover, tmp_path):
    """P1: where the chunks of a row group lie is up to the writer; their order in the footer is not."""
    kind, _, _, nullable, build = mixes.MIXES["encodings_int32"]
    schema = schema_of(kind, nullable)
    leaves = parquet_build.leaves(schema)
    pages = build(leaves["x"])
    rows = [{"id": number, "x": value} for number, value in enumerate(rows_of(leaves["x"], pages))]
    ids = parquet_build.page(leaves["id"], list(range(len(rows))))
    chunks = {"id": parquet_build.chunk(leaves["id"], [ids]),
              "x": parquet_build.chunk(leaves["x"], pages)}
    mixed = parquet_build.file(schema, [chunks]).write(tmp_path / "mixed.parquet", order=(1, 0))
    place = tmp_path / "out"
    place.mkdir()
    for path, times in ((mixed, 1), (movers.merge(mover, place / "out.parquet", [mixed, mixed])[0], 2)):
        found = list(engines.wrong(path, rows * times, ["x", "id"]))
        assert not found, "\n".join(found)


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_one_name_of_dictionary_encoding(mover, tmp_path):
    """Java takes a chunk with both names for one that has other pages, and does not filter by its
    dictionary: an output has one name."""
    write_mix("two_names_of_dictionary_encoding", tmp_path / "mix.parquet")
    (tmp_path / "out").mkdir()
    output, = movers.merge(mover, tmp_path / "out" / "out.parquet", [tmp_path / "mix.parquet"] * 2)
    chunk = parquet_file.take_apart(output).chunk("x")
    plain, old, ids = (parquet_file.ENCODINGS[name] for name in ("PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY"))
    assert old not in chunk.meta.encodings + [stat.encoding for stat in chunk.meta.encoding_stats]
    dictionaries = [page.detail.encoding for page in chunk.pages if not page.is_data]
    assert dictionaries in ([], [plain]) and (dictionaries or mover != "copy")
    assert {page.detail.encoding for page in chunk.data_pages} == {ids if dictionaries else plain}


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("version", [1, 2])
def test_a_million_nulls(version, mover, tmp_path):
    """P1: a page of a million nulls, a run of few bytes, before and behind values."""
    schema = pa.schema([("x", pa.int32())])
    leaf = parquet_build.leaves(schema)["x"].with_codec("SNAPPY")
    page = parquet_build.page(leaf, [None] * 10**6, version=version)
    nulls = parquet_build.file(schema, [{"x": parquet_build.chunk(leaf, [page], index=True)}]).write(
        tmp_path / "nulls.parquet")
    assert len(page.body) < 20
    parquet.write_table(pa.table({"x": pa.array(range(5000), pa.int32())}), tmp_path / "values.parquet",
                        store_schema=False, use_dictionary=False, write_page_index=True)
    (tmp_path / "out").mkdir()
    sources = [nulls, tmp_path / "values.parquet", nulls]
    output, = movers.merge(mover, tmp_path / "out" / "out.parquet", sources)
    sizes = {page.detail.num_values for group in parquet_file.take_apart(output).groups
             for page in group.chunks[0].data_pages}
    assert max(sizes) == (20000 if mover == "recode" else 10**6)
    for engine, read in engines.ENGINES.items():
        column = read(output, None).column("x")
        assert (len(column), column.null_count) == (2005000, 2000000), engine
        for where, rows in ((engines.Where("x", "IS NULL"), 2000000), (engines.Where("x", "IS NOT NULL"), 5000),
                            (engines.Where("x", "=", 4999), 1), (engines.Where("x", "<", 0), 0)):
            assert read(output, where).num_rows == rows, f"{engine}: {where}"
    lithify.ok("verify", *sources, "--", output)


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", mixes.MIXES)
def test_merge(name, mover, tmp_path):
    """P1: merged before and behind an ordinary file, every row is there for every engine and filter."""
    schema, rows = write_mix(name, tmp_path / "mix.parquet")
    more = write_ordinary(schema, tmp_path / "ordinary.parquet")
    sources = [tmp_path / "mix.parquet", tmp_path / "ordinary.parquet", tmp_path / "mix.parquet"]
    place = tmp_path / "out"
    place.mkdir()
    outputs = movers.merge(mover, place / "out.parquet", sources)
    assert len(outputs) == 1
    reading = [engine for engine in engines.ENGINES if engine not in mixes.LACKING[name]]
    found = list(engines.wrong(outputs[0], rows + more + rows, ["x", "id"], only=reading))
    assert not found, "\n".join(found)
    lithify.ok("verify", *sources, "--", *outputs)
