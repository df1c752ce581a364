"""What footers, page indexes and bloom filters say of pages that were copied, not decoded.

The oracle of page indexes is the index that pyarrow wrote for the sources: copied pages have the
same entries in the output, one source behind the other.
"""

import json
import pathlib
import random
import subprocess

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import engines
import judge
import lithify
import parquet_file

VERIFY = pathlib.Path(lithify.BIN).parent / "tests" / "unit" / "verify_file"
ROWS = 4000
STAGED, STAGED_ROWS = 600, 400


def verified(path):
    done = subprocess.run([VERIFY, "content", path], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def table_of(seed, rows=ROWS):
    draw = random.Random(seed)

    def maybe(make, share=0.2):
        return None if draw.random() < share else make()

    def several(make):
        return [make() for _ in range(draw.choice([0, 1, 1, 3]))]

    columns = {
        "id": (pa.field("id", pa.int64(), nullable=False), [seed * rows + i for i in range(rows)]),
        # A page of nothing but nulls is among them.
        "gap": (pa.field("gap", pa.int32()),
                [None if 500 < i < 2500 else draw.randrange(1, 10**6) for i in range(rows)]),
        "word": (pa.field("word", pa.string()),
                 [maybe(lambda: f"word-{draw.randrange(3000)}") for _ in range(rows)]),
        "real": (pa.field("real", pa.float64()), [maybe(lambda: draw.uniform(1, 9)) for _ in range(rows)]),
        "inside": (pa.field("inside", pa.struct([("a", pa.int32()), ("b", pa.string())])),
                   [maybe(lambda: {"a": maybe(lambda: draw.randrange(1, 99)), "b": "x" * draw.randrange(9)})
                    for _ in range(rows)]),
        "many": (pa.field("many", pa.list_(pa.int32())),
                 [maybe(lambda: several(lambda: maybe(lambda: draw.randrange(1, 10**6)))) for _ in range(rows)]),
    }
    return pa.table([pa.array(values, field.type) for field, values in columns.values()],
                    schema=pa.schema([field for field, _ in columns.values()]))


@pytest.mark.parametrize("first", [True, False])
def test_dictionary_of_nulls_alone(first, tmp_path):
    """P1: entries that no id of a source names, as categories of a column without values: in an output
    of copied pages, too, some page must be one of ids, or readers take a wrong place for its begin."""
    nulls = pa.DictionaryArray.from_arrays(pa.array([None] * 3000, pa.int32()), ["one", "two" * 20])
    parquet.write_table(pa.table({"word": nulls}), tmp_path / "nulls", write_statistics=False,
                        compression="zstd", store_schema=False)
    values = pa.table({"word": [f"value {i}" for i in range(20000)]})
    parquet.write_table(values, tmp_path / "values", use_dictionary=False, store_schema=False)
    out = tmp_path / "out.parquet"
    sources = [tmp_path / "nulls", tmp_path / "values"][::1 if first else -1]
    said = json.loads(lithify.ok("merge", "--json", "-o", out, *sources).out)
    assert said["spliced_bytes"] > 0 and said["recoded_bytes"] > 0, said
    verified(out)
    parts = [[None] * 3000, values["word"].to_pylist()][::1 if first else -1]
    for engine in engines.ENGINES:
        assert [row["word"] for row in engines.rows(engine, out)] == sum(parts, []), engine


def write(path, table, **options):
    options = {"compression": "snappy", "max_rows_per_page": 300, "write_batch_size": 100,
               "write_page_index": True, "store_schema": False} | options
    parquet.write_table(table, path, **options)
    return path


def indexes(chunk):
    """What a chunk's page index says of its pages, without their places."""
    columns, offsets = chunk.column_index, chunk.offset_index
    assert columns is not None and offsets is not None, "a page index is missing"
    assert len(offsets.page_locations) == len(chunk.data_pages)
    rows = [location.first_row_index for location in offsets.page_locations]
    return rows, list(zip(columns.null_pages, columns.min_values, columns.max_values, columns.null_counts))


def merged_copying(tmp_path, sources, *options):
    place = tmp_path / "out"
    place.mkdir()
    outputs = lithify.merge(place / "out.parquet", sources, "--movers", "copy", *options)
    assert len(outputs) == 1
    verified(outputs[0])
    return outputs[0]


@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_page_index(version, dictionary, arrow, tmp_path):
    """P1: entries of pages are carried over: flat, nested and repeated columns, V1 and V2."""
    sources = [write(tmp_path / f"{seed}.parquet", table_of(seed), data_page_version=version,
                     use_dictionary=["word", "inside.b"] if dictionary else False) for seed in range(3)]
    output = merged_copying(tmp_path, sources)
    judge.same_rows([arrow], sources, [output])
    made = parquet_file.take_apart(output)
    assert len(made.groups) == 1
    for number, chunk in enumerate(made.groups[0].chunks):
        rows, entries = [], []
        for index, source in enumerate(sources):
            part = parquet_file.take_apart(source).groups[0].chunks[number]
            part_rows, part_entries = indexes(part)
            assert len(part_rows) > 1, part.meta.path_in_schema
            rows += [index * ROWS + row for row in part_rows]
            entries += part_entries
        assert indexes(chunk) == (rows, entries), chunk.meta.path_in_schema
    assert any(entry[0] for entry in indexes(made.groups[0].chunks[1])[1]), "no page of nulls"


def test_page_index_of_staged_chunks(arrow, tmp_path):
    """The same where sources are read once, while the merge is planned, and not opened again."""
    source = write(tmp_path / "in.parquet", table_of(7, STAGED_ROWS), use_dictionary=False)
    # More than may be open at once.
    sources = [source] * STAGED
    output = merged_copying(tmp_path, sources)
    part, made = (parquet_file.take_apart(path).groups[0].chunks for path in (source, output))
    for number, chunk in enumerate(made):
        rows, entries = indexes(part[number])
        assert len(rows) > 1, part[number].meta.path_in_schema
        found_rows, found_entries = indexes(chunk)
        assert found_entries == entries * STAGED
        assert found_rows == [index * STAGED_ROWS + row for index in range(STAGED) for row in rows]


def test_no_index_without_the_sources(tmp_path):
    """Of list pages of version 1 without an index nobody knows where rows begin; the rest is kept."""
    first = write(tmp_path / "0.parquet", table_of(0), use_dictionary=False)
    second = write(tmp_path / "1.parquet", table_of(1), use_dictionary=False, write_page_index=False)
    made = parquet_file.take_apart(merged_copying(tmp_path, [first, second])).groups[0].chunks
    for chunk in made:
        name = chunk.meta.path_in_schema[0]
        # Bounds of the second file's pages are in nobody's footer.
        assert chunk.column_index is None, name
        assert (chunk.offset_index is None) == (name == b"many"), name


def write_bloomed(path, values, wrong, **options):
    """pyarrow makes a filter as large as its values need it for a rate of wrong answers."""
    table = pa.table({"k": pa.array(values, pa.string())})
    if wrong:
        options["bloom_filter_options"] = {"k": {"ndv": 1000, "fpp": wrong}}
    return write(path, table, use_dictionary=False, **options)


def bloom_of(path):
    return parquet_file.take_apart(path).groups[0].chunks[0].bloom


def stale(path):
    """The same file, its filter's place moved into the pages."""
    file = parquet_file.take_apart(path)

    def lie(footer):
        footer.row_groups[0].columns[0].meta_data.bloom_filter_offset = 40
    return file.write(path, lie=lie)


BLOOMS = {
    # (how often each source's filter may be wrong, None: no filter; whether the output has one)
    "same_size": ([1e-6] * 3, True),
    "other_sizes": ([1e-6, 1e-9, 1e-4], True),
    "filled": ([0.01] * 12, False),
    "one_lacks": ([1e-6, None, 1e-6], False),
    "first_lacks": ([None, 1e-6], False),
    "one_stale": ([1e-6, -1e-6, 1e-6], False),
}


@pytest.mark.parametrize("name", BLOOMS)
def test_bloom(name, tmp_path):
    """P1: filters of copied sources are joined while that helps anybody, else there is none."""
    rates, is_kept = BLOOMS[name]
    sources, keys = [], []
    for number, wrong in enumerate(rates):
        values = [f"key-{number}-{i}" for i in range(500)]
        path = write_bloomed(tmp_path / f"{number}.parquet", values, wrong and abs(wrong))
        sources.append(stale(path) if wrong and wrong < 0 else path)
        keys += values
    output = merged_copying(tmp_path, sources)
    assert (bloom_of(output) is not None) == is_kept
    with duckdb.connect() as connection:
        for key in keys[::17]:
            found = connection.execute("select count(*) from read_parquet(?) where k = ?",
                                       [str(output), key]).fetchone()
            assert found == (1,), key


def test_bloom_of_copied_and_recoded(tmp_path):
    """P1: values of pages that were copied and of pages that were not are in one filter."""
    values = [[f"key-{number}-{i}" for i in range(500)] for number in range(2)]
    sources = [write_bloomed(tmp_path / "0.parquet", values[0], 1e-6),
               write_bloomed(tmp_path / "1.parquet", values[1], 1e-6, compression="zstd")]
    output = merged_copying(tmp_path, sources)
    assert bloom_of(output) is not None
    with duckdb.connect() as connection:
        for key in values[0][::9] + values[1][::9]:
            found = connection.execute("select count(*) from read_parquet(?) where k = ?",
                                       [str(output), key]).fetchone()
            assert found == (1,), key


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_plain_size(version, tmp_path):
    """A body that is not compressed and not as long as its header says is no page to copy, even
    where nothing is verified afterwards."""
    whole, damaged = tmp_path / "whole.parquet", tmp_path / "damaged.parquet"
    write(whole, table_of(1).select(["id"]), compression="none", use_dictionary=False,
          data_page_version=version)
    file = parquet_file.take_apart(whole)
    file.chunk("id").data_pages[2].header.uncompressed_page_size += 8
    file.write(damaged)
    result = lithify.run("merge", "--verify", "off", "--movers", "copy", "-o", tmp_path / "out.parquet",
                         whole, damaged)
    assert result.code == lithify.FAILED, result
    assert 'column "id", page 2 at byte' in result.err and "not compressed" in result.err, result


# How pages of which shape go, by the rows of a file, how many there are, and options: what is counted
# of them. The first few small ones are recoded, to see whether that gains something.
WAYS = {"joined": (500, 40, [], "regrouped_bytes"), "copied": (60000, 2, [], "spliced_bytes"),
        "recoded": (60000, 2, ["--movers", "recode"], "recoded_bytes")}


@pytest.mark.parametrize("way", WAYS)
def test_damage_is_placed(way, tmp_path):
    """Whichever way a damaged page goes, the error says where it is."""
    rows, files, options, counted = WAYS[way]
    chance = random.Random(9)
    honest = [tmp_path / f"{number:02}.parquet" for number in range(files)]
    damaged = tmp_path / "damaged.parquet"
    for path in honest:
        table = pa.table([pa.array([chance.getrandbits(60) for _ in range(rows)])],
                         schema=pa.schema([pa.field("n", pa.int64(), nullable=False)]))
        parquet.write_table(table, path, use_dictionary=False, write_page_checksum=True)
    out = tmp_path / "out.parquet"
    done = json.loads(lithify.ok("merge", "--json", *options, "-o", out, *honest).out)
    assert done[counted] == max(done[f"{name}_bytes"] for name in
                                ("spliced", "regrouped", "remapped", "recoded")), done
    out.unlink()
    file = parquet_file.take_apart(honest[-1])
    page = file.chunk("n").data_pages[-1]
    body = bytearray(page.body)
    body[len(body) // 2] ^= 1
    page.body = bytes(body)
    file.write(damaged)
    at = damaged.read_bytes().index(page.bytes())
    number = len(file.chunk("n").data_pages) - 1
    done = lithify.run("merge", *options, "-o", out, *honest, damaged)
    place = f'{damaged}: row group 0, column "n", page {number} at byte {at}: the page\'s CRC'
    assert done.code == lithify.FAILED and place in done.err, str(done)


def test_large_dictionaries(tmp_path):
    """Dictionaries above and below what is kept between planning and moving, more of them than are
    kept at once, of numbers and of text: every id means in the output what it meant in its file."""
    draw = random.Random(8)
    numbers = [draw.uniform(0, 1e6) for _ in range(40_000)]
    tables, sources = [], []
    for i in range(30):
        size = [30, 2_000, 9_000, 20_000][i % 4]
        some = draw.sample(numbers, size)
        tables.append(pa.table({"number": draw.choices(some, k=3 * size),
                                "text": [f"value {one:.3f}" for one in draw.choices(some, k=3 * size)]}))
        sources.append(write(tmp_path / f"{i:02}.parquet", tables[-1], max_rows_per_page=60_000,
                             write_batch_size=60_000, dictionary_pagesize_limit=1 << 24))
    rows = pa.concat_tables(tables)
    outputs = {}
    for memory in ("64MiB", "512MiB"):
        place = tmp_path / memory
        place.mkdir()
        [outputs[memory]] = lithify.merge(place / "out.parquet", sources, "--memory", memory, "--verify", "decode")
        explained = lithify.ok("merge", "--explain", "--memory", memory, *sources).out
        assert "remap" in explained, explained
        assert parquet.read_table(outputs[memory]).equals(rows)
        verified(outputs[memory])
