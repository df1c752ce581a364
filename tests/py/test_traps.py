"""What files say of themselves may be wrong: no output says it again, and verify finds it.

Readers prune by what a file says, so that a lie loses rows without an error. Sources that lie are
merged, and every filter of four engines finds the true rows; the same lies are planted into a good
output, and verify names them.
"""

import json
import pathlib
import random
import re
import struct
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import engines
import lies
import lithify
import movers
import mutations
import parquet_build
import parquet_file

VERIFY = pathlib.Path(lithify.BIN).parent / "tests" / "unit" / "verify_file"


def wanted(name):
    """The rows of a lying source."""
    rows = lies.rows()
    if name == "prefix_of_the_page_before":
        rows = [dict(row, word=word) for row, word in zip(rows, lies.PREFIXED)]
    return rows


@pytest.mark.parametrize("name", lies.BITES)
def test_lie_bites(name, tmp_path):
    """The engines do believe such lies: a merge that passed one on would not pass these tests."""
    file = lies.honest()
    lying = file.write(tmp_path / "lying.parquet", lie=lies.TABLE[name][1](file))
    found = engines.wrong(lying, wanted(name), ["n", "word", "f"], only=sorted(lies.BITES[name]))
    assert {sentence.split()[0] for sentence in found} == lies.BITES[name]


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", lies.TABLE)
def test_lying_source(name, mover, tmp_path):
    """P1, P9: what a source says wrongly does not reach the output, or the source is refused."""
    outcome, change = lies.TABLE[name]
    file = lies.honest()
    lying = file.write(tmp_path / "lying.parquet", lie=change(file))
    honest = lies.honest().write(tmp_path / "honest.parquet")
    place = tmp_path / "out"
    place.mkdir()
    if mover == "copy" and name in lies.UNSEEN:
        # The mover that decodes nothing: see lies.UNSEEN.
        assert verified(movers.merge(mover, place / "out.parquet", [honest, lying, honest])[0])
        return
    if outcome is not lies.KEPT:
        options, env = movers.MOVERS[mover]
        done = lithify.run("merge", *options, "-o", place / "out.parquet", honest, lying, env=env)
        assert done.code != lithify.DONE and re.search(outcome, done.err), str(done)
        assert "lying.parquet" in done.err, str(done)
        assert not list(place.iterdir())
        return
    outputs = movers.merge(mover, place / "out.parquet", [honest, lying, honest])
    rows = lies.rows() + wanted(name) + lies.rows()
    assert len(outputs) == 1
    found = list(engines.wrong(outputs[0], rows, ["n", "word", "f", "list", "id"]))
    assert not found, "\n".join(found)
    assert verified(outputs[0]) == ""


@pytest.mark.parametrize("name, words", [*lies.UNSEEN.items(), *lies.ALONE.items()])
def test_lie_that_decoding_shows(name, words, tmp_path):
    """P1, P9: with `--verify decode` what was copied is decoded, too, and nothing false passes."""
    file = lies.honest()
    lying = file.write(tmp_path / "lying.parquet", lie=lies.TABLE[name][1](file))
    place = tmp_path / "out"
    place.mkdir()
    done = lithify.run("merge", "--movers", "copy", "--verify", "decode", "-o",
                       place / "out.parquet", lying, lying)
    assert done.code == lithify.FAILED and re.search(words, done.err), str(done)
    assert not list(place.iterdir())


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_every_column_has_an_offset_index(mover, tmp_path):
    """Readers of several kinds fail on files that have one for some columns alone; it takes no values."""
    file = lies.honest()
    lying = file.write(tmp_path / "lying.parquet", lie=lies.TABLE["indexes_of_some_columns"][1](file))
    (tmp_path / "out").mkdir()
    output, = movers.merge(mover, tmp_path / "out" / "out.parquet", [lying, lying])
    assert all(chunk.offset_index for chunk in parquet_file.take_apart(output).groups[0].chunks)


def narrow_bounds(folder, copies):
    """Files whose pages are copied, and whose statistics say that all values are much alike."""
    chance = random.Random(5)
    table = pa.table({"n": pa.array([chance.randrange(1 << 50) for _ in range(60000)])})
    folder.mkdir()
    pq.write_table(table, folder / "0.parquet", use_dictionary=False)
    file = parquet_file.take_apart(folder / "0.parquet")
    file.chunk("n").meta.statistics.max_value = struct.pack("<q", 1 << 41)
    for number in range(copies):
        file.write(folder / f"{number}.parquet")
    return pa.concat_tables([table] * copies)


def check_true(path, table):
    """The rows, and bounds that hold them."""
    assert pq.read_table(path).equals(table) and verified(path) == ""
    found = pq.ParquetFile(path).metadata.row_group(0).column(0).statistics
    assert found.max == max(table["n"].to_pylist())


REFUTED = "a value above the maximum of the chunk's statistics"


def test_merged_again(tmp_path):
    """P1, P9: an output that is refuted is made again, decoded; and it is said."""
    table = narrow_bounds(tmp_path / "in", 2)
    sources = sorted((tmp_path / "in").iterdir())
    out = tmp_path / "out.parquet"
    # By what metadata says: nothing is seen, nothing is said, and most goes as it is.
    seen = json.loads(lithify.ok("merge", "--json", "-o", out, *sources).out)
    assert seen["refuted"] is None and seen["spliced_bytes"] and not seen["recoded_bytes"]
    command = ["merge", "--verify", "decode", "--overwrite", "-o", out, *sources]
    done = lithify.ok(*command, may_refute=True)
    assert lithify.was_refuted(done) and REFUTED in done.err, str(done)
    check_true(out, table)
    done = json.loads(lithify.ok(*command, "--json", may_refute=True).out)
    assert REFUTED in done["refuted"] and done["recoded_bytes"] and not done["spliced_bytes"]


def test_compacted_again(tmp_path):
    """P1, P9: the same in a lake, where it would stop its partition for ever."""
    for root in ("text", "json"):
        table = narrow_bounds(tmp_path / root, 4)
        options = ["--readers", "manifest", "--grace", "0s", "--quiet-for", "0s", "--settle",
                   "0s", "--verify", "decode"]
        done = lithify.ok("compact", tmp_path / root, *options, *(["--json"] if root == "json" else []),
                          may_refute=True)
        assert lithify.was_refuted(done) and REFUTED in done.out + done.err, str(done)
        if root == "json":
            assert REFUTED in json.loads(done.out)["partitions"][0]["refuted"]
        listed = lithify.ok("ls", tmp_path / root, "--strict").out.split()
        files = [name for name in listed if name.endswith(".parquet")]
        assert len(files) == 1, listed
        check_true(pathlib.Path(files[0]) if files[0].startswith("/") else tmp_path / root / files[0],
                   table)


def verified(path):
    """What verify says of a file; nothing if nothing is wrong."""
    done = subprocess.run([VERIFY, "content", path], stdout=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode == 0) == (done.stdout == "") and done.returncode in (0, 1), done
    return done.stdout


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """(sources, an output of two row groups of two pages)."""
    folder = tmp_path_factory.mktemp("output")
    sources = mutations.write_sources(folder)
    # By the mover that writes everything that lies are planted into.
    outputs = movers.merge("recode", folder / "out.parquet", sources,
                           "--row-group-rows", str(mutations.ROWS))
    assert len(outputs) == 1
    return sources, outputs[0]


def test_put_together_again(output, tmp_path):
    """A file that is taken apart and put together says nothing wrong: what verify finds is planted."""
    again = parquet_file.take_apart(output[1]).write(tmp_path / "again.parquet")
    assert verified(output[1]) == "" and verified(again) == ""
    lithify.ok("verify", *output[0], "--", again)


@pytest.mark.parametrize("name", mutations.TABLE)
def test_planted_lie(name, output, tmp_path):
    """P1: a lie planted into an output is found and named."""
    words, mutate = mutations.TABLE[name]
    file = parquet_file.take_apart(output[1])
    changed = file.write(tmp_path / "changed.parquet", lie=mutate(file))
    said = verified(changed)
    assert re.search(words, said) if words else not said, f"verify says {said!r}, not {words!r}"
    # Where: a row group by its number, or the file as a whole.
    assert not words or re.search("row group|footer|column order|created_by", said), said


@pytest.mark.parametrize("name", mutations.ROW_LIES)
def test_other_rows(name, output, tmp_path):
    """P1: a file that is well in itself and holds other rows is not the same."""
    sources, good = output
    file = parquet_file.take_apart(good)
    changed = file.write(tmp_path / "changed.parquet", lie=mutations.ROW_LIES[name](file))
    assert verified(changed) == "", "only the rows are to be wrong"
    done = lithify.run("verify", *sources, "--", changed)
    assert done.code == lithify.FAILED and "different" in done.out, str(done)


ELEMENTS = pa.schema([("l", pa.list_(pa.struct([("a", pa.int32()), ("b", pa.int32())])))])
# Levels of `l.list.element.b`; those of `a` are of [{1}, {2}], [{3}], null, [].
SHAPES = {
    "as it is": ([0, 1, 0, 0, 0], [4, 3, 4, 0, 1], [7, 8], ""),
    "an element less": ([0, 0, 0, 0], [4, 4, 0, 1], [7, 8], "in 2 of 4 places, .* in 2 of 5"),
    "an element more": ([0, 1, 1, 0, 0, 0], [4, 3, 3, 4, 0, 1], [7, 8], "in 2 of 6 places, .* in 2 of 5"),
    "levels of rows": ([0, 0, 0, 0], [0, 0, 0, 0], [], "in 4 of 4 places, .* in 2 of 5"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_elements_of_one_column(name, output, tmp_path):
    """P1: a column below a list that has other elements than its sibling, which no reader can put
    together, is named in an output and refused in a source."""
    *of_b, said = SHAPES[name]
    leaves = [leaf.with_codec("NONE") for leaf in parquet_build.leaves(ELEMENTS).values()]
    levels = [([0, 1, 0, 0, 0], [4, 4, 4, 0, 1], [1, 2, 3]), of_b]
    chunks = {".".join(map(bytes.decode, leaf.path)): parquet_build.chunk(
        leaf, [parquet_build.page(leaf, parquet_build.Positions(*of))]) for leaf, of in zip(leaves, levels)}
    file = parquet_build.file(ELEMENTS, [chunks],
                              created_by=parquet_file.take_apart(output[1]).footer.created_by)
    path = file.write(tmp_path / "built.parquet")
    found = verified(path)
    assert re.search(said, found) if said else not found, found
    done = lithify.run("merge", "-o", tmp_path / "out.parquet", path, path)
    assert (done.code == lithify.DONE) == (not said) and (not said or '"l.list.element.b"' in done.err), str(done)


@pytest.mark.parametrize("levels, said", [([1, 1, 1, 1], ""), ([0, 0, 0, 0], 'group "s" is missing'),
                                          ([0, 1, 1, 1], 'group "s" is missing')])
def test_group_lost_by_one_column(levels, said, output, tmp_path):
    """P1: nulls for a column that a file lacks, with levels as if the whole group were missing, which
    turn the group null in readers that ask that column."""
    schema = pa.schema([("s", pa.struct([("a", pa.int32()), ("b", pa.int32())]))])
    leaves = parquet_build.leaves(schema)
    a, b = (leaves[name].with_codec("NONE") for name in ("s.a", "s.b"))
    chunks = {
        "s.a": parquet_build.chunk(a, [parquet_build.page(
            a, parquet_build.Positions([0] * 4, [2, 2, 1, 2], [1, 2, 3]))]),
        "s.b": parquet_build.chunk(b, [parquet_build.page(
            b, parquet_build.Positions([0] * 4, levels, []))])}
    file = parquet_build.file(schema, [chunks],
                              created_by=parquet_file.take_apart(output[1]).footer.created_by)
    found = verified(file.write(tmp_path / "built.parquet"))
    assert (said in found) if said else not found, found
