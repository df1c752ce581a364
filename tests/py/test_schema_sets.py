"""Files whose schemas do not join: each kind is compacted on its own, then there is rest, and the
reason is told. docs/design.md section 6; parquet-splice.md sections 6.1 and 6.2."""

import collections
import json
import os
import pathlib
import re

import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import parquet_file
import parquet_thrift
import reader

COMPACT = ["compact", *numbered.NOW]
PLAN = ["plan", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--json"]
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR
KINDS = {
    "number": ("value", pyarrow.int64(), lambda i: i),
    "text": ("value", pyarrow.string(), str),
    "flag": ("value", pyarrow.bool_(), lambda i: i % 3 == 0),
    "case": ("VALUE", pyarrow.int64(), lambda i: i),
}


def write(path, kind, ids):
    """A file of one kind, whose rows follow from their numbers; some values are null."""
    name, type_, value = KINDS[kind]
    ids = list(ids)
    table = pyarrow.table({
        "id": pyarrow.array(ids, pyarrow.int64()),
        name: pyarrow.array([None if i % 5 == 0 else value(i) for i in ids], type_),
    })
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path)
    os.utime(path, (path.stat().st_mtime - 7200,) * 2)


def fill(root, kinds, files=5, rows=20):
    """`files` files of each kind, in turn, so that names do not part the kinds."""
    number = 0
    for at in range(files):
        for kind in kinds:
            write(root / FOLDER / f"f{number:03}-{kind}.parquet", kind,
                  range(number * rows, (number + 1) * rows))
            number += 1


def rows(root):
    """Every live row with its types, and how often it is there."""
    found = collections.Counter()
    for path in reader.live(root / FOLDER):
        table = parquet.ParquetFile(path).read()
        types = tuple((field.name, str(field.type)) for field in table.schema)
        found.update((types, *row.values()) for row in table.to_pylist())
    return found


def manifest(root):
    return json.loads((root / FOLDER / "manifest.json").read_bytes())


def plan(root, *options):
    return json.loads(lithify.ok(*PLAN, *options, root).out)["partitions"][0]


def settle(root, sweeps):
    """Sweeps until there is rest, which must come after `sweeps` of them."""
    for _ in range(sweeps):
        done = json.loads(lithify.ok(*COMPACT, "--json", root).out)["partitions"][0]
        assert done["state"] == "compacted", done
    before = numbered.tree(root)
    for _ in range(2):
        done = json.loads(lithify.ok(*COMPACT, "--json", root).out)["partitions"][0]
        assert (done["state"], done["more_due"]) == ("left", 0), done
        assert numbered.tree(root) == before
    return done


@pytest.mark.parametrize("kinds", [("number", "text"), ("number", "text", "flag"),
                                   ("text", "case", "number"), ("flag", "case")], ids="-".join)
def test_each_kind_is_compacted_on_its_own(kinds, tmp_path):
    """P1, P6, P8: kinds that do not join become a file each, then rest; both files and types are told."""
    root = tmp_path / "lake"
    fill(root, kinds)
    before = rows(root)
    # `case` joins neither kind of `value`, since readers that fold case take them for one.
    planned = plan(root)["conflicts"]
    assert len(planned) == len(kinds) - 1
    first = KINDS[kinds[0]]
    for at, text in enumerate(planned):
        assert f"column {first[0]}: " in text, text
        assert f"(in f000-{kinds[0]}.parquet)" in text, text
        assert f"(in f{at + 1:03}-{kinds[at + 1]}.parquet)" in text, text
    done = settle(root, len(kinds))
    assert rows(root) == before
    live = {path.name for path in reader.live(root / FOLDER)}
    assert len(live) == len(kinds)
    assert f"{len(kinds)} kinds of files do not join" in done["reason"]
    assert done["conflicts"] == manifest(root)["lithify"]["outcome"]["conflicts"]
    assert len(done["conflicts"]) == len(kinds) - 1
    for text in done["conflicts"]:
        assert set(re.findall(r"\(in (\S+)\)", text)) <= live, text



def test_rest_needs_no_footers(tmp_path):
    """P6, P8: what stays apart, and why, is known from the manifest alone."""
    root = tmp_path / "lake"
    fill(root, ["number", "text", "flag"])
    settle(root, 3)
    told = plan(root)
    numbered.break_footers(reader.live(root / FOLDER))
    before = numbered.tree(root)
    assert plan(root) == told
    assert told["conflicts"] and all(file["detail"] in told["conflicts"] for file in told["files"]
                                     if file["reason"].startswith("has too little"))
    done = json.loads(lithify.ok(*COMPACT, "--json", root).out)["partitions"][0]
    assert (done["state"], done["conflicts"]) == ("left", told["conflicts"])
    status = lithify.ok("status", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--json", root)
    assert json.loads(status.out)["total"]["apart_partitions"] == 1
    text = lithify.ok("status", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", root).out
    assert "1 partition with files that do not join" in text
    text = lithify.ok(*[word for word in PLAN if word != "--json"], root).out
    assert all(f"apart: {conflict}" in text for conflict in told["conflicts"])
    assert numbered.tree(root) == before
    # What outputs are like is nothing to do with it.
    assert plan(root, "--codec", "zstd:9")["conflicts"] == told["conflicts"]
    # Another choice of what joins is another question, for which footers are read.
    asked = lithify.run(*PLAN, "--match-columns", "name", root)
    assert asked.code == lithify.BLOCKED, str(asked)


def test_types_of_both_sides(tmp_path):
    """P8: a conflict names the column, both types and a file of each."""
    root = tmp_path / "lake"
    fill(root, ["number", "text"])
    assert plan(root)["conflicts"] == ["column value: INT64 (in f000-number.parquet) against "
                                       "BYTE_ARRAY STRING (in f001-text.parquet)"]


def test_manifests_of_before(tmp_path):
    """P6: a manifest that knows nothing of sets is read, and there is rest under it, too."""
    root = tmp_path / "lake"
    fill(root, ["number", "text"])
    settle(root, 2)
    old = manifest(root)
    del old["lithify"]["outcome"]["conflicts"]
    for entry in old["lithify"]["files"]:
        del entry["set"]
    (root / FOLDER / "manifest.json").write_text(json.dumps(old))
    before = numbered.tree(root)
    # Its outcome says that nothing is left to do; why is not known without footers.
    assert plan(root)["reason"].startswith("compacted already")
    # Under another policy they are read.
    assert len(plan(root, "--row-group-rows", "1000")["conflicts"]) == 1
    lithify.ok(*COMPACT, root)
    assert numbered.tree(root) == before


def test_late_files_find_their_kind(tmp_path):
    """P1, P6: late files of one kind are merged with it, and the other kind is left in peace."""
    root = tmp_path / "lake"
    fill(root, ["number", "text"])
    settle(root, 2)
    texts = [path for path in reader.live(root / FOLDER)
             if parquet.read_schema(path).field("value").type == pyarrow.string()]
    for number in range(5):
        write(root / FOLDER / f"late-{number}.parquet", "number",
              range(1000 + 20 * number, 1020 + 20 * number))
    before = rows(root)
    settle(root, 1)
    assert rows(root) == before
    live = reader.live(root / FOLDER)
    assert len(live) == 2 and texts[0] in live


def test_one_kind_leaves_no_trace(tmp_path):
    """P6: where all files join, manifests have nothing of it."""
    root = tmp_path / "lake"
    fill(root, ["number"])
    settle(root, 1)
    text = (root / FOLDER / "manifest.json").read_text()
    assert '"set"' not in text and '"conflicts"' not in text


def test_ids_that_are_asked_for(tmp_path):
    """P8, P9: with match_columns=id files without ids stay out, with that reason, until asked otherwise."""
    root = tmp_path / "lake"
    fill(root, ["number"])
    before = numbered.tree(root)
    for _ in range(2):
        done = lithify.run(*COMPACT, "--match-columns", "id", "--json", root)
        assert done.code == lithify.BLOCKED, str(done)
        found = json.loads(done.out)["partitions"][0]
        assert found["blocked_files"] == 5
        assert all("match_columns is id" in file["detail"] for file in found["files"])
    # Nothing of it is written: it is the question that was wrong, not the files.
    assert {name: told for name, told in numbered.tree(root).items() if name != "_lithify.json"} == before
    settle(root, 1)


def test_words_that_are_not_known(tmp_path):
    """An unknown word is refused with the known ones."""
    done = lithify.run(*COMPACT, "--allow", "names-by-case,dates", tmp_path)
    assert done.code == lithify.USAGE
    assert '"dates": expected some of dates-to-timestamps|bytes-to-strings|names-by-case' in done.err


def annotate_file(path):
    """Annotates the group `blob` of a file as FILE: LogicalType's field 19, an empty struct."""
    file = parquet_file.take_apart(path)

    def annotation(footer):
        element = next(node for node in footer.schema if node.name == b"blob")
        element.logical_type = parquet_thrift.Struct(
            "Any", unknown={19: (parquet_thrift.STRUCT, parquet_thrift.Struct("Any"))})

    file.write(path, lie=annotation)


def test_files_that_point_into_themselves(tmp_path):
    """P1, P8: a FILE may point to bytes of its own file, which a merge would move: refused, named."""
    root = tmp_path / "lake"
    blob = pyarrow.array([{"uri": None, "offset": 4, "size": 8}] * 10,
                         pyarrow.struct([("uri", pyarrow.string()), ("offset", pyarrow.int64()),
                                         ("size", pyarrow.int64())]))
    fill(root, ["number"])
    for number in range(2):
        path = root / FOLDER / f"g{number}.parquet"
        parquet.write_table(pyarrow.table({"id": range(10), "blob": blob}), path)
        annotate_file(path)
        os.utime(path, (path.stat().st_mtime - 7200,) * 2)
    refused = lithify.run("merge", "-o", tmp_path / "out.parquet", *sorted((root / FOLDER).glob("g*")))
    assert refused.code == lithify.FAILED, str(refused)
    assert "g0.parquet" in refused.err and "column blob is annotated FILE" in refused.err
    for _ in range(2):
        done = lithify.run(*COMPACT, "--json", root)
        assert done.code == lithify.BLOCKED, str(done)
        found = json.loads(done.out)["partitions"][0]
        assert found["blocked_files"] == 2
        assert all("annotated FILE" in file["detail"] for file in found["files"])
    assert len(reader.live(root / FOLDER)) == 3


def test_each_set_has_its_settling_pass(tmp_path):
    """P6: a pair of files that is merged where it is alone is merged beside files it does not join."""
    left = {}
    for name, kinds in (("alone", {"s": (50, 60)}), ("beside", {"s": (50, 60), "i": (50, 60, 70)})):
        partition = tmp_path / name / "p=1"
        partition.mkdir(parents=True)
        for kind, counts in kinds.items():
            for count in counts:
                values = pyarrow.array(range(count)) if kind == "i" else pyarrow.array(map(str, range(count)))
                path = partition / f"{kind}{count}.parquet"
                parquet.write_table(pyarrow.table({"x": values}), path, use_dictionary=False)
                os.utime(path, (10**9, 10**9))
        for _ in range(4):
            lithify.ok("compact", "--readers", "manifest", "--quiet-for", "0s", "--settle", "0s", "--grace", "0s",
                       "--min-files", "2", tmp_path / name)
        left[name] = len(json.loads((partition / "manifest.json").read_text())["files"])
    assert left == {"alone": 1, "beside": 2}
