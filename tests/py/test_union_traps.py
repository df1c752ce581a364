"""What unions of schemas got wrong once: ids that were counted, contradictions forgotten, keys of the first file."""


import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import lithify
import parquet_file
import parquet_thrift
import reader
import test_erase
import unions

COUNTED = b"parquet-cpp version 1.5.1-SNAPSHOT"  # it numbers the fields of each file (PARQUET-1798)
LAKE = ["--readers", "manifest", "--quiet-for", "0s", "--settle", "0s", "--grace", "0s", "--min-files", "2"]


def field(name, number, kind=pa.int64()):
    return pa.field(name, kind, metadata={b"PARQUET:field_id": str(number).encode()})


def by(writer):
    def change(footer):
        footer.created_by = writer
    return change


def numbered(path, names, first, writer=COUNTED):
    """Three rows, whose fields are numbered as they come."""
    schema = pa.schema([field(name, number + 1) for number, name in enumerate(names)])
    made = pa.table([pa.array(range(first, first + 3)) for _ in names], schema=schema)
    return unions.write(path, made, by(writer))


def rows(path):
    return parquet.ParquetFile(path).read().to_pylist()


def test_ids_that_were_counted_stay_untrusted(tmp_path):
    """P1: outputs of files whose ids were counted are joined like those files: by name."""
    outputs = []
    for number, name in enumerate("vw"):
        sources = [numbered(tmp_path / f"{name}{i}.parquet", ["id", name], 100 * number + 10 * i) for i in range(2)]
        outputs += lithify.merge(unions.place(tmp_path, name) / "out.parquet", sources)
    again, = lithify.merge(unions.place(tmp_path, "again") / "out.parquet", outputs)
    assert [set(filter(row.get, row)) - {"id"} for row in rows(again)][-1] == {"w"}
    assert parquet.read_schema(again).names == ["id", "v", "w"]


def test_equal_schemas_may_have_ids_of_unequal_worth(tmp_path):
    """P1: a schema that is found a second time, in a file whose ids were counted, has no ids that mean something."""
    true = numbered(tmp_path / "true.parquet", ["id", "v"], 0, b"iceberg")
    counted = numbered(tmp_path / "counted.parquet", ["id", "v"], 10)
    renamed = numbered(tmp_path / "renamed.parquet", ["id", "w"], 20, b"iceberg")
    found = []
    for number, sources in enumerate(([true, counted, renamed], [counted, true, renamed],
                                      [true, renamed], [counted, renamed], [true, counted])):
        output = unions.place(tmp_path, str(number)) / "out.parquet"
        result = lithify.run("merge", "-o", output, *sources)
        found.append(parquet.read_schema(output).names if result.code == lithify.DONE else "refused")
    assert found == ["refused", "refused", ["id", "w"], ["id", "v", "w"], ["id", "v"]]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_sort_key_is_of_the_union(order, tmp_path):
    """P5: the first file by name lacks the key; its rows have null there."""
    bare = unions.write(tmp_path / f"{order[0]}.parquet", pa.table({"id": [3, 1]}))
    full = unions.write(tmp_path / f"{order[1]}.parquet", pa.table({"id": [2, 0], "k": ["z", "y"]}))
    output, = lithify.merge(unions.place(tmp_path) / "out.parquet", [bare, full], "--sort-by", "k")
    assert [row["k"] for row in rows(output)] == ["y", "z", None, None]


def test_a_lake_is_sorted_by_a_column_that_was_added(tmp_path):
    """P5, P6: a partition whose oldest file lacks the key is compacted, not failed at every sweep."""
    lake = tmp_path / "lake"
    unions.write(lake / "p=1" / "a.parquet", pa.table({"id": [3, 1]}))
    unions.write(lake / "p=1" / "b.parquet", pa.table({"id": [2, 0], "k": ["z", "y"]}))
    lithify.ok("compact", *LAKE, "--sort-by", "k", lake)
    live, = reader.live(lake / "p=1")
    assert [(row["id"], row["k"]) for row in rows(live)] == [(0, "y"), (2, "z"), (3, None), (1, None)]


@pytest.mark.parametrize("lacking", [pa.table({"id": [9]}), pa.table({"id": [9], "user": pa.nulls(1)})])
def test_erased_by_a_column_of_the_union(lacking, tmp_path):
    """P5: as for a sort."""
    first = unions.write(tmp_path / "a.parquet", lacking)
    full = unions.write(tmp_path / "b.parquet", pa.table({"id": [1, 2], "user": ["ada", "bob"]}))
    found = test_erase.erase(tmp_path / "out.parquet", "user", "ada", [first, full])
    assert isinstance(found, dict), found
    assert (found["rows"], found["erased"]) == (2, 1)


def test_erase_is_asked_once_by_a_merge(tmp_path):
    """lithify.h: asked for each row, again only where a merge begins anew; two passes, since schemas differ, are
    no reason."""
    first = unions.write(tmp_path / "a.parquet", pa.table({"user": ["ada", "bob", "x", "y"]}))
    second = unions.write(tmp_path / "b.parquet", pa.table({"user": ["ada", "z"], "more": [1, 2]}))
    found = test_erase.erase(tmp_path / "out.parquet", "user", "ada", [first, second])
    assert (found["asked"], found["rows"], found["erased"]) == (6, 4, 2)


LIST = pa.list_(pa.field("element", pa.int64()))


@pytest.mark.parametrize("options", [[], ["--verify", "decode"], ["--sort-by", "k"]], ids=" ".join)
def test_elements_need_no_ids(options, tmp_path):
    """A column that was renamed is one by its id, where only the element of a list has none: verification must
    match columns as the merge does."""
    sources = []
    for number, name in enumerate("ab"):
        schema = pa.schema([field(name, 1), field("l", 2, LIST), field("k", 3)])
        made = pa.table([[1, 2], [[1], [2]], [9 - number, number]], schema=schema)
        sources.append(unions.write(tmp_path / f"{number}.parquet", made))
    output, = lithify.merge(unions.place(tmp_path) / "out.parquet", sources, *options)
    assert parquet.read_schema(output).names == ["b", "l", "k"]
    lithify.ok("verify", *sources, "--", output)


def test_ids_that_contradict_names_do_not_mix(tmp_path):
    """schemas.md: left apart where the ids that are there say another thing than the names; a file without ids
    between them must not make that forgotten."""
    first = numbered(tmp_path / "1.parquet", ["a", "b"], 0, b"iceberg")
    plain = unions.write(tmp_path / "2.parquet", pa.table({"a": [3], "b": [4]}))
    other = numbered(tmp_path / "3.parquet", ["c", "b"], 10, b"iceberg")
    for sources in ([first, other, plain], [first, plain, other], [plain, first, other]):
        result = lithify.run("merge", "-o", tmp_path / "out.parquet", *sources)
        assert result.code == lithify.FAILED, [path.name for path in sources]
        assert 'column a: this name against the name "c", of the same id' in result.err, str(result)


def leafless(footer):
    """Puts an optional group without children in front of all that is in the struct."""
    footer.schema[1].num_children += 1
    footer.schema.insert(2, parquet_thrift.Struct("SchemaElement", name=b"g", repetition_type=1, num_children=0))


@pytest.mark.parametrize("options", [[], ["--verify", "decode"], ["--sort-by", "k"]], ids=" ".join)
def test_a_group_without_leaves_gets_one(options, tmp_path):
    """P5: a leaf that is added to a group that had none; `leaf_below` must not look beyond the group."""
    old = unions.write(tmp_path / "0.parquet", pa.table({"s": [{"y": 1}, None], "k": [2, 1]}), leafless)
    new = unions.write(tmp_path / "1.parquet",
                       pa.table({"s": [{"g": {"x": 1}, "y": 1}, {"g": None, "y": 2}, None], "k": [1, 2, 3]}))
    output, = lithify.merge(unions.place(tmp_path) / "out.parquet", [old, new], *options)
    lithify.ok("verify", old, new, "--", output)


def test_int96_of_parquet_mr_stays_apart(tmp_path):
    """What keeps the sources apart keeps their outputs apart: created_by, by which readers shift INT96."""
    outputs = []
    for number, writer in enumerate([b"parquet-mr version 1.10.1 (build a)", b"impala version 2.0"]):
        made = pa.table({"t": pa.array([10**18], pa.timestamp("ns"))})
        sources = [unions.write(tmp_path / f"{number}{i}.parquet", made, by(writer),
                                use_deprecated_int96_timestamps=True) for i in range(2)]
        outputs += lithify.merge(unions.place(tmp_path, str(number)) / "out.parquet", sources)
    result = lithify.run("merge", "-o", tmp_path / "out.parquet", *outputs)
    assert result.code == lithify.FAILED, str(result)
    assert '"INT96 of another writer" against "INT96 of parquet-mr"' in result.err, str(result)


def test_a_list_has_a_repeated_child(tmp_path):
    """A group that is annotated LIST and repeats nothing is a struct: a and b are two fields."""
    pair = unions.write(tmp_path / "list.parquet", pa.table({"s": [[1]]}))
    element = parquet_file.take_apart(pair).footer.schema[1]

    def annotate(footer):
        footer.schema[1].logical_type, footer.schema[1].converted_type = element.logical_type, element.converted_type
    sources = [unions.write(tmp_path / f"{name}.parquet", pa.table({"s": [{name: 1}]}), annotate) for name in "ab"]
    output, = lithify.merge(unions.place(tmp_path) / "out.parquet", sources)
    footer = parquet_file.take_apart(output).footer
    assert [one.name for one in footer.schema[1:]] == [b"s", b"a", b"b"]
    lithify.ok("verify", *sources, "--", output)
