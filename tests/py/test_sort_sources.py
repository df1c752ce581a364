"""Sorted rewrites and what their sources are: in order already, lying about it, of other schemas.

Pages stay as they are where no row has to move; what a source says of its order is not believed.
"""

import json
import pathlib
import random
import re
import struct

import numpy
import pyarrow
import pyarrow.parquet as parquet
import pytest

import engines
import lies
import lithify
import ordering
import parquet_file
import parquet_thrift

ROWS = 20_000


def bodies(path):
    """Of its data pages, as stored, column by column."""
    file = parquet_file.take_apart(pathlib.Path(path))
    return [[page.body for page in chunk.data_pages] for group in file.groups for chunk in group.chunks]


def numbers(first, rows=ROWS, seed=1):
    """Rows whose k goes up from `first`; the rest is as it comes."""
    random_bits = numpy.random.default_rng(seed + first)
    return pyarrow.table({"k": pyarrow.array(numpy.arange(first, first + rows)),
                          "v": pyarrow.array(random_bits.integers(0, 1 << 62, rows)),
                          "w": pyarrow.array(random_bits.random(rows))})


def write(path, table, **options):
    path.parent.mkdir(exist_ok=True)
    parquet.write_table(table, path, **(dict(use_dictionary=False) | options))
    return path


def explained(inputs, wanted, *options):
    """Movers of each input, by `--explain`."""
    said = json.loads(lithify.ok("merge", "--explain", "--json", *ordering.option(wanted), *options,
                                 *inputs).out)
    return {str(path): {one["mover"] for one in said["explained"] if one["input"] == str(path)}
            for path in inputs}


def copied(inputs, outputs):
    """Names of the inputs all of whose pages are in an output as they were."""
    there = {body for path in outputs for pages in bodies(path) for body in pages}
    return {path.name for path in inputs
            if all(body in there for pages in bodies(path) for body in pages)}


def check(tmp_path, inputs, wanted, expected_copies, *options):
    """Merges; rows are in order, and just these inputs had their pages copied."""
    made = ordering.merge(tmp_path / "out.parquet", inputs, wanted, *options)
    ordering.check_sorted(ordering.wanted_rows(inputs, wanted), made, wanted)
    assert copied(inputs, made) == expected_copies
    return made


def test_threads(tmp_path):
    """The number of threads does not show, where pages are copied and where rows are sorted."""
    inputs = [write(tmp_path / "in" / f"{name}.parquet", numbers(first))
              for name, first in (("a", 5 * ROWS), ("b", 0), ("c", ROWS // 2), ("d", 3 * ROWS))]
    for some_inputs in (inputs, inputs[::3]):
        made = [ordering.merge(tmp_path / f"{len(some_inputs)}-{threads}.parquet", some_inputs,
                               ordering.keys("k"), "--threads", threads)[0] for threads in (1, 3)]
        assert made[0].read_bytes() == made[1].read_bytes()


@pytest.mark.parametrize("name_order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
@pytest.mark.parametrize("descending", [False, True], ids=["asc", "desc"])
def test_disjoint_files_are_copied(descending, name_order, tmp_path):
    """Files in order whose ranges do not overlap are put in order and spliced, whatever they
    are called and wherever they are named."""
    tables = [numbers(number * ROWS) for number in range(3)]
    if descending:
        tables = [table.take(pyarrow.array(range(ROWS - 1, -1, -1))) for table in tables]
    inputs = [write(tmp_path / "in" / f"{name}.parquet", table)
              for name, table in zip(name_order, tables)]
    wanted = ordering.keys("k:desc" if descending else "k")
    assert explained(inputs, wanted) == {str(path): {"splice"} for path in inputs}
    check(tmp_path, inputs, wanted, {path.name for path in inputs})


def test_row_groups_change_places(tmp_path):
    """Row groups of one file are units of their own: they are copied, in order."""
    table = pyarrow.concat_tables([numbers(first) for first in (2 * ROWS, 0, 3 * ROWS)])
    inputs = [write(tmp_path / "in" / "a.parquet", table, row_group_size=ROWS),
              write(tmp_path / "in" / "b.parquet", numbers(ROWS))]
    check(tmp_path, inputs, ordering.keys("k"), {"a.parquet", "b.parquet"})


@pytest.mark.parametrize("first_name, copies", [("a", {"a.parquet", "b.parquet"}), ("c", set())])
def test_ranges_that_touch(first_name, copies, tmp_path):
    """The last key of one file is the first of another: they are copied if the names agree, for
    equal keys stand by names; else their rows are sorted."""
    inputs = [write(tmp_path / "in" / f"{first_name}.parquet", numbers(0)),
              write(tmp_path / "in" / "b.parquet", numbers(ROWS - 1))]
    check(tmp_path, inputs, ordering.keys("k"), copies)


def test_what_overlaps_is_recoded_alone(tmp_path):
    """Two files that overlap cost a third one nothing."""
    inputs = [write(tmp_path / "in" / f"{name}.parquet", numbers(first))
              for name, first in (("a", 5 * ROWS), ("b", 0), ("c", ROWS // 2), ("d", 3 * ROWS))]
    check(tmp_path, inputs, ordering.keys("k"), {"a.parquet", "d.parquet"})


def test_ranges_within_another(tmp_path):
    """A range that lies within a longer one does not hide what follows from it."""
    inputs = [write(tmp_path / "in" / "a.parquet", numbers(0)),
              write(tmp_path / "in" / "b.parquet", numbers(10, 20)),
              write(tmp_path / "in" / "c.parquet", numbers(5000, 1000)),
              write(tmp_path / "in" / "d.parquet", numbers(ROWS))]
    check(tmp_path, inputs, ordering.keys("k"), {"d.parquet"})


def test_a_file_out_of_order_is_recoded_alone(tmp_path):
    """Two rows of one file that stand the wrong way cost the other file nothing."""
    rows = list(range(ROWS))
    rows[7000], rows[7001] = rows[7001], rows[7000]
    inputs = [write(tmp_path / "in" / "a.parquet", numbers(0).take(pyarrow.array(rows))),
              write(tmp_path / "in" / "b.parquet", numbers(ROWS))]
    check(tmp_path, inputs, ordering.keys("k"), {"b.parquet"})


@pytest.mark.parametrize("rows", [256, 1024, 4096, 8192, 16384])
def test_one_break(rows, tmp_path):
    """Two runs in order that overlap are not in order, wherever the first one ends: where a batch or
    a page does, too."""
    table = pyarrow.concat_tables([numbers(0, rows), numbers(rows - 1, 30_000 - rows)])
    path = write(tmp_path / "in" / "a.parquet", table)
    wanted = ordering.keys("k")
    made = ordering.merge(tmp_path / "in-order.parquet", [path], wanted)
    assert copied([path], made) == {"a.parquet"}
    table = pyarrow.concat_tables([numbers(5, rows), numbers(0, 30_000 - rows)])
    path = write(tmp_path / "in" / "a.parquet", table, max_rows_per_page=rows)
    made = ordering.merge(tmp_path / "out.parquet", [path], wanted)
    ordering.check_sorted(ordering.wanted_rows([path], wanted), made, wanted)


@pytest.mark.parametrize("text, place, is_copied", [
    ("k", ROWS - 1, True), ("k", ROWS // 2, False), ("k", 0, False), ("k:nulls-first", 0, True),
    ("k:nulls-first", 1, False), ("k:nulls-first", ROWS - 1, False)])
def test_one_null(text, place, is_copied, tmp_path):
    """A null among values in order is in order where nulls stand, and nowhere else."""
    table = numbers(0)
    mask = numpy.arange(ROWS) == place
    table = table.set_column(0, "k", pyarrow.array(table.column("k").to_numpy(), mask=mask))
    path = write(tmp_path / "in" / "a.parquet", table)
    check(tmp_path, [path], ordering.keys(text), {"a.parquet"} if is_copied else set())


def test_rows_without_a_key_are_disjoint_too(tmp_path):
    """A file whose key is null throughout comes first or last, as it is."""
    nulls = numbers(0).set_column(0, "k", pyarrow.nulls(ROWS, pyarrow.int64()))
    inputs = [write(tmp_path / "in" / "a.parquet", nulls),
              write(tmp_path / "in" / "b.parquet", numbers(0))]
    made = check(tmp_path, inputs, ordering.keys("k"), {"a.parquet", "b.parquet"})
    made[0].unlink()
    check(tmp_path, inputs, ordering.keys("k:nulls-first"), {"a.parquet", "b.parquet"})


def test_second_key_decides(tmp_path):
    """Files with one value of the first key overlap or not by the second one."""
    def table(second):
        return numbers(second).append_column("t", pyarrow.array(["same"] * ROWS))
    inputs = [write(tmp_path / "in" / f"{name}.parquet", table(first))
              for name, first in (("a", ROWS), ("b", 0), ("c", 3 * ROWS), ("d", 3 * ROWS + 5))]
    check(tmp_path, inputs, ordering.keys("t,k"), {"a.parquet", "b.parquet"})


def test_long_keys_that_begin_alike(tmp_path):
    """Keys that differ behind what is kept of a range: whatever is thought of them, order is right."""
    def table(tail):
        return pyarrow.table({"k": [f"{'x' * 300}{tail}{i:05}" for i in range(300)], "n": range(300)})
    inputs = [write(tmp_path / "in" / f"{name}.parquet", table(tail))
              for name, tail in (("a", "c"), ("b", "a"), ("c", "b"), ("d", "a"))]
    for text in ("k", "k:desc"):
        wanted = ordering.keys(text)
        made = ordering.merge(tmp_path / f"{text[1:]}out.parquet", inputs, wanted)
        ordering.check_sorted(ordering.wanted_rows(inputs, wanted), made, wanted)


# Lies of a source about its order: name -> what is done to the model of its file.
def claim(file, column_idx=0, descending=False):
    for group in file.groups:
        group.fields.sorting_columns = [parquet_file.Struct(
            "SortingColumn", column_idx=column_idx, descending=descending, nulls_first=False)]


def bound(file, least, most):
    """Statistics of `k` in every row group, and the bounds of its pages."""
    least, most = struct.pack("<q", least), struct.pack("<q", most)
    for group in file.groups:
        chunk = group.chunks[0]
        chunk.meta.statistics.min_value, chunk.meta.statistics.max_value = least, most
        chunk.meta.statistics.min, chunk.meta.statistics.max = least, most
        if chunk.column_index:
            index = chunk.column_index
            index.min_values = [least] * len(index.null_pages)
            index.max_values = [most] * len(index.null_pages)
            index.boundary_order = 1


LIES = {
    "sorted": claim,
    "sorted the other way": lambda file: claim(file, descending=True),
    "sorted by another column": lambda file: claim(file, column_idx=1),
    "no such column": lambda file: claim(file, column_idx=77),
    "one value": lambda file: bound(file, 500, 500),
    "narrow": lambda file: (claim(file), bound(file, 400, 410)),
    "disjoint": lambda file: (claim(file), bound(file, 10_000_000, 10_000_001)),
    "the wrong way": lambda file: bound(file, 1000, -1000),
}


@pytest.mark.parametrize("text", ["k", "k:desc,v"])
@pytest.mark.parametrize("lie", LIES)
def test_lies_about_order(lie, text, arrow, tmp_path):
    """P1: sources that say that they are sorted, or disjoint, and are not: the rows are put in order
    all the same, and the output says nothing that is not so."""
    inputs = []
    for number in range(3):
        rows = list(range(600))
        random.Random(number).shuffle(rows)
        path = write(tmp_path / "in" / f"{number}.parquet",
                     numbers(number * 200, 600).take(pyarrow.array(rows)), row_group_size=250,
                     write_page_index=True, data_page_size=500)
        honest = ordering.read(path)
        if number != 1:
            model = parquet_file.take_apart(path)
            LIES[lie](model)
            model.write(path)
        assert ordering.read(path).equals(honest)
        inputs.append(path)
    wanted = ordering.keys(text)
    expected = ordering.arranged([ordering.read(path) for path in inputs], wanted)
    made = ordering.merge(tmp_path / "out.parquet", inputs, wanted)
    ordering.check_sorted(expected, made, wanted, arrow)


def true_rows(name):
    """The rows of lies.py's honest file, twice, and of its lying one, in the order of n, then f."""
    rows = [row for rows in (lies.rows(), lies.rows(), lies.rows()) for row in rows]
    if name == "prefix_of_the_page_before":
        rows[-lies.ROWS:] = [dict(row, word=word) for row, word in zip(lies.rows(), lies.PREFIXED)]

    def place(row):
        number, n = row["f"], row["n"]
        return (n is None, -n if n is not None else 0, number is not None,
                (number != number, number if number == number else 0) if number is not None else ())
    return sorted(rows, key=place)


@pytest.mark.parametrize("name", lies.TABLE)
def test_lying_source(name, tmp_path):
    """P1, P9: what a source says wrongly of itself changes no order and reaches no output, or the
    source is refused."""
    outcome, change = lies.TABLE[name]
    file = lies.honest()
    lying = file.write(tmp_path / "lying.parquet", lie=change(file))
    honest = lies.honest().write(tmp_path / "honest.parquet")
    output = tmp_path / "out" / "out.parquet"
    output.parent.mkdir()
    done = lithify.run("merge", "--sort-by", "n:desc,f:nulls-first", "-o", output, lying, honest, honest)
    if outcome is not lies.KEPT:
        assert done.code != lithify.DONE and re.search(outcome, done.err), str(done)
        assert "lying.parquet" in done.err and not list(output.parent.iterdir()), str(done)
        return
    assert done.code == lithify.DONE and not lithify.was_refuted(done), str(done)
    assert repr(engines.rows("pyarrow", output)) == repr(true_rows(name))
    assert not list(engines.wrong(output, true_rows(name), ["n"], ["datafusion"]))
    ordering.check_claims([output], ordering.keys("n:desc,f:nulls-first"))


@pytest.mark.parametrize("more", [-1, 1])
def test_rows_that_are_not_there(more, tmp_path):
    """P9: a row group whose footer says another number of rows than its columns have is refused."""
    good = write(tmp_path / "in" / "good.parquet", numbers(0))
    bad = write(tmp_path / "in" / "bad.parquet", numbers(10))
    model = parquet_file.take_apart(bad)

    def lie(footer):
        footer.num_rows += more
        footer.row_groups[0].num_rows += more
    model.write(bad, lie=lie)
    done = lithify.run("merge", "--sort-by", "k", "-o", tmp_path / "out.parquet", good, bad)
    assert done.code == lithify.FAILED and "bad.parquet" in done.err, str(done)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("options", [[], ["--sort-by", "v"]], ids=["unsorted", "another order"])
def test_claims_do_not_outlive_the_order(options, tmp_path):
    """A source's sorting_columns are not those of an output whose rows stand otherwise."""
    inputs = [write(tmp_path / "in" / f"{i}.parquet", numbers(100 * i, 500),
                    sorting_columns=[parquet.SortingColumn(0)]) for i in range(2)]
    made = lithify.merge(tmp_path / "out.parquet", inputs, *options)
    said = {"k", "v"} & {name for groups in ordering.claimed(made[0]) for name, *_ in groups}
    assert said == set(options[1:]), said
    lithify.ok("verify", *inputs, "--", *made)


def union(tmp_path, tables, text, wanted_type=None, **options):
    """Merges files of these tables; DuckDB's union of them says the order and the rows."""
    inputs = [write(tmp_path / "in" / f"{number}.parquet", table, **options)
              for number, table in enumerate(tables)]
    wanted = ordering.keys(text)
    made = ordering.merge_shuffled(tmp_path / "out.parquet", inputs, wanted, random.Random(len(tables)))
    order = ordering.by_duckdb(inputs, wanted)
    joined = pyarrow.concat_tables([ordering.read(path) for path in inputs],
                                   promote_options="permissive")
    found = pyarrow.concat_tables([ordering.read(path) for path in made])
    if wanted_type:
        assert found.schema.field(wanted[0].path[0]).type == wanted_type
    expected = joined.take(pyarrow.array(order))
    assert found.select(expected.column_names).to_pylist() == expected.to_pylist()
    ordering.check_claims(made, wanted)
    lithify.ok("verify", *inputs, "--", *made)
    return made


def some(chance, kind, rows=400, most=50, null_share=0.1):
    return pyarrow.array([None if chance.random() < null_share else chance.randrange(-most, most)
                          for _ in range(rows)], kind)


@pytest.mark.parametrize("text", ["k", "k:nulls-first", "k:desc,n", "n,k:desc:nulls-first"])
def test_a_key_that_some_files_lack(text, tmp_path):
    """P5: rows of files without the column have a null there, and stand where nulls stand."""
    chance = random.Random(text)
    tables = []
    for number in range(5):
        table = pyarrow.table({"n": some(chance, pyarrow.int32()),
                               "id": range(number * 400, number * 400 + 400)})
        if number % 2:  # in front: the leaves of the union stand elsewhere than in these files
            table = table.add_column(0, "k", some(chance, pyarrow.int64()))
        tables.append(table)
    union(tmp_path, tables, text)


@pytest.mark.parametrize("text", ["st.b,id", "st.b:desc:nulls-first"])
def test_a_leaf_that_some_groups_lack(text, tmp_path):
    """P5: likewise below a group, which may be missing itself."""
    chance = random.Random(text)
    tables = []
    for number, names in enumerate(["a", "ab", "b", "", "ba"]):
        rows = [chance.choice([None, {name: chance.choice([None, chance.randrange(9)])
                                      for name in names}]) for _ in range(300)]
        table = pyarrow.table({"id": range(number * 300, number * 300 + 300)})
        if names:
            kind = pyarrow.struct([(name, pyarrow.int64()) for name in names])
            table = table.append_column("st", pyarrow.array(rows, kind))
        tables.append(table)
    union(tmp_path, tables, text)


WIDENED = {
    "int": ([pyarrow.int32(), pyarrow.int64(), pyarrow.int16()], pyarrow.int64()),
    "float": ([pyarrow.float32(), pyarrow.float64()], pyarrow.float64()),
    "unsigned": ([pyarrow.uint8(), pyarrow.uint32(), pyarrow.uint16()], pyarrow.uint32()),
    "decimal": ([pyarrow.decimal128(5, 2), pyarrow.decimal128(12, 2), pyarrow.decimal128(30, 2)],
                pyarrow.decimal128(30, 2)),
}


@pytest.mark.parametrize("text", ["k", "k:desc:nulls-first"])
@pytest.mark.parametrize("name, as_integer", [*((name, False) for name in WIDENED), ("decimal", True)])
def test_a_key_that_is_widened(name, text, as_integer, tmp_path):
    """P5: a key of several types sorts by the value that it has in the output."""
    kinds, wanted_type = WIDENED[name]
    chance = random.Random(f"{name}/{text}")
    tables = []
    for number in range(6):
        kind = kinds[number % len(kinds)]
        values = some(chance, pyarrow.int8(), 200)
        if name == "unsigned":
            values = pyarrow.array([v and abs(v) for v in values.to_pylist()], pyarrow.int8())
        if name == "decimal":
            values = values.cast(pyarrow.decimal128(3, 0)).cast(pyarrow.decimal128(5, 2))
        tables.append(pyarrow.table({"id": range(number * 200, number * 200 + 200),
                                     "k": values.cast(kind)}))
    union(tmp_path, tables, text, wanted_type, store_decimal_as_integer=as_integer, version="2.6")


def test_where_the_column_stands_differs(tmp_path):
    """P5: sorting_columns name the leaf by its place in the output, not in a source."""
    tables = [pyarrow.table({"b": [3, 1, 2], "a": [1, 2, 3]}),
              pyarrow.table({"c": [5, 6], "a": [2, 1], "b": [9, 0]}), pyarrow.table({"a": [0, 7]})]
    for number, text in enumerate(["a", "b", "c,b:desc"]):
        place = tmp_path / str(number)
        place.mkdir()
        union(place, tables, text)


def test_disjoint_files_of_other_schemas_are_copied(tmp_path):
    """P5: a column more in one file keeps no page of the others from being copied."""
    more = numbers(0).append_column("x", pyarrow.array([1.5] * ROWS))
    inputs = [write(tmp_path / "in" / f"{name}.parquet", table)
              for name, table in (("a", numbers(2 * ROWS)), ("b", more), ("c", numbers(ROWS)))]
    wanted = ordering.keys("k")
    made = ordering.merge(tmp_path / "out.parquet", inputs, wanted)
    found = ordering.read(made[0])
    assert found.column("k").to_pylist() == list(range(3 * ROWS))
    assert found.column("x").null_count == 2 * ROWS
    assert copied([inputs[0], inputs[2]], made) == {"a.parquet", "c.parquet"}


@pytest.mark.parametrize("sizes", [
    [(1 << 63) - 1, (1 << 63) - 23, 0],
    [(1 << 63) - 1] * 3,  # their sum is more than 2^64
    [1 << 50, 0, 0],
    [0, 0, 0],
], ids=["largest", "wraps", "huge", "nothing"])
def test_footers_that_lie_about_sizes(sizes, tmp_path):
    """P9, P7: how large a column is before compression is only said by the footer: it must neither stop the
    program nor make work without end."""
    path = tmp_path / "in.parquet"
    rows = 40000
    parquet.write_table(pyarrow.table({f"c{i}": [5, 1] * (rows // 2) for i in range(3)}), path, use_dictionary=False)
    content = path.read_bytes()
    footer = parquet_file.read_footer(content)
    for chunk, size in zip(footer.row_groups[0].columns, sizes):
        chunk.meta_data.total_uncompressed_size = size
    length = int.from_bytes(content[-8:-4], "little")
    written = parquet_thrift.write(footer)
    path.write_bytes(content[:-8 - length] + written + len(written).to_bytes(4, "little") + b"PAR1")
    result = lithify.run("merge", "--sort-by", "c0", "--verify", "off", "-o", tmp_path / "out.parquet", path)
    if sum(sizes) >= 1 << 64:
        assert result.code == lithify.FAILED and "chunk sizes do not sum up" in result.err, str(result)
        return
    assert result.code == lithify.DONE, str(result)
    assert result.seconds < 20, str(result)
    found = parquet.read_table(tmp_path / "out.parquet")["c0"].to_pylist()
    assert found == [1] * (rows // 2) + [5] * (rows // 2)
    assert parquet.read_metadata(tmp_path / "out.parquet").num_row_groups < 100
