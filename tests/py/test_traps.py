"""What files say of themselves may be wrong: no output says it again, and verify finds it.

Readers prune by what a file says, so that a lie loses rows without an error. Sources that lie are
merged, and every filter of four engines finds the true rows; the same lies are planted into a good
output, and verify names them.
"""

import pathlib
import re
import subprocess

import pytest

import engines
import lies
import lithify
import movers
import mutations
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
