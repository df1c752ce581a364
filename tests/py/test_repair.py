"""lithify fsck --repair: what vanished is written off, or found again; a lost manifest is made anew.

Each row that is there counts once afterwards, by every reader, and gc deletes nothing that may be all
that is left of a row. Where what is there can be read in two ways nothing changes.
"""

import json
import os
import pty
import random
import shutil
import subprocess

import pytest

import audit
import changes
import crash
import exchange
import globbing
import lithify
import numbered
import reader

if not lithify.has_command("fsck"):
    pytest.skip("this lithify has no `fsck`", allow_module_level=True)

FOLDER = "tenant_id=acme/" + numbered.HOUR
COMPACT = ["compact", *numbered.NOW, "--min-files", "2"]
SPLIT = ["--target-file", "5KiB", "--row-group-rows", "70"]
WAIT = [*COMPACT, "--min-files=9", "--settle=9d"]
GC = ["gc", *numbered.NO_GRACE]
GC_ALL = [*GC, "--replay-window=0s"]
MANY = range(3)


class Lake:
    """One partition of six files of 50 rows. `rows` are the numbers that are there."""

    def __init__(self, root, files=6, adopted=True):
        self.root = root
        self.folder = root / FOLDER
        self.rows = set(numbered.fill(self.folder, files, 50))
        if adopted:
            lithify.ok("adopt", "--readers=manifest", root)

    def more(self, files=2, stem="late"):
        first = max(self.rows, default=-1) + 1
        self.rows |= set(numbered.fill(self.folder, files, 50, first=first, stem=f"{stem}{first}"))

    def compact(self, *options):
        lithify.ok(*COMPACT, *options, self.root)

    def state(self):
        return json.loads((self.folder / "manifest.json").read_bytes())

    def names(self):
        return sorted(path.name for path in self.folder.glob("*.parquet"))

    def outputs(self):
        return [path for path in reader.live(self.folder) if path.name[0] == "0"]

    def repair(self, *options, code=lithify.DONE):
        """The partition's report; a dry run before it says the same, and changes nothing."""
        before = numbered.tree(self.root), numbered.tree(audit.place(self.root))
        dry = lithify.run("fsck", "--repair", "--json", "--dry-run", *options, self.root)
        assert (numbered.tree(self.root), numbered.tree(audit.place(self.root))) == before
        result = lithify.run("fsck", "--repair", "--json", "--yes", *options, self.root)
        assert result.code == dry.code == code, f"{dry}\n{result}"
        (told,), (done,) = json.loads(dry.out)["partitions"], json.loads(result.out)["partitions"]
        assert [told[key] for key in ("state", "lost", "lost_rows", "files_after", "files")] == \
               [done[key] for key in ("state", "lost", "lost_rows", "files_after", "files")]
        return done

    def refused(self, says):
        """Nothing changes, and the reason names what is in the way."""
        before = numbered.tree(self.root), numbered.tree(audit.place(self.root))
        part = self.repair(code=lithify.BLOCKED)
        assert part["state"] == "blocked" and says in part["reason"], part["reason"]
        assert (numbered.tree(self.root), numbered.tree(audit.place(self.root))) == before

    def check(self, live=None, where="", named=None):
        """Each row once, by every reader; `named`: the numbers that a manifest has named yet."""
        numbered.check_everywhere(self.root, self.rows, named, where=where)
        if live is not None:
            assert len(reader.live(self.folder)) == live, where

    def lost(self):
        return [(e["name"], e.get("rows")) for e in self.state()["lithify"].get("lost", [])]

    def finish(self, gc=GC, live=1, audited=True):
        """It goes on as ever, and comes to rest; a second repair finds nothing. What a log that was lost
        had named has its events still."""
        for command in (COMPACT, gc, COMPACT, gc, gc):
            lithify.ok(*command, self.root)
            self.check(where=str(command))
        assert self.repair()["state"] == "left"
        if audited:
            audit.check(self.root)
        before = numbered.tree(self.root)
        for command in (COMPACT, gc, gc):
            lithify.ok(*command, self.root)
        assert numbered.tree(self.root) == before
        if live is not None:
            self.check(live=live)
        result = lithify.run("fsck", "--deep", self.root)
        assert result.code == lithify.DONE, str(result)


@pytest.fixture
def lake(tmp_path):
    return Lake(tmp_path / "lake")


def event(root, op):
    """The last event of that commit."""
    return [e for e in json.loads(lithify.ok("log", "--json", root).out)["events"] if e["op"] == op][-1]


# A live file vanished: its rows are nowhere else.

def test_a_file_is_written_off(lake):
    """P8: its name and rows are told, by the report, the manifest and the event."""
    lake.more(1)
    lithify.ok(*WAIT, lake.root)  # names it, with its rows
    epoch, generation = lake.state()["lithify"]["epoch"], lake.state()["generation"]
    (lake.folder / "late300-00000.parquet").unlink()
    assert lithify.run(*COMPACT, lake.root).code == lithify.BLOCKED
    part = lake.repair()
    lake.rows -= set(range(300, 350))
    assert part["state"] == "changed" and (part["lost"], part["lost_rows"]) == (1, 50)
    assert part["reason"] == "repaired: 1 file lost, with 50 rows"
    assert [(f["name"], f["reason"], f["is_input"]) for f in part["files"]] == \
        [("late300-00000.parquet", "lost, with 50 rows", True)]
    lake.check(live=6)
    assert lake.lost() == [("late300-00000.parquet", 50)]
    state = lake.state()
    assert state["lithify"]["epoch"] > epoch and state["generation"] == generation + 1
    assert state["lithify"]["log"][-1]["op"] == "repair"
    told = event(lake.root, "repair")
    assert told["input_files"] == ["late300-00000.parquet"] and "50 rows" in told["reason"]
    kinds = [f["kind"] for p in json.loads(lithify.ok("fsck", "--json", lake.root).out)["partitions"]
             for f in p["findings"]]
    assert kinds == ["lost"]
    lake.finish()


def test_the_text_names_it(lake):
    (lake.folder / "part-00003.parquet").unlink()
    lake.rows -= set(range(150, 200))
    out = lithify.ok("fsck", "--repair", "--yes", lake.root).out
    assert "- part-00003.parquet" in out, out
    assert "1 file lost, with all its rows, which were never counted" in out, out
    assert "repaired" in out.splitlines()[-1], out
    lake.check(live=5)
    again = lithify.ok("fsck", "--repair", "--yes", lake.folder).out
    assert "nothing to repair" in again, again


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("counted", [False, True])
def test_a_file_comes_back(lake, counted, merged):
    """P1, P2: at once for readers of the rule, named at the next pass, and no longer lost."""
    name = "part-00001.parquet"
    if counted:
        lake.more(1)
        lithify.ok(*WAIT, lake.root)
        name = "late300-00000.parquet"
    spare = shutil.copy2(lake.folder / name, lake.root.with_name("spare"))
    ids = set(reader.parquet.read_table(spare)["id"].to_pylist())
    (lake.folder / name).unlink()
    lake.repair()
    lake.rows -= ids
    if merged:
        lake.finish()
    shutil.copy2(spare, lake.folder / name)
    lake.rows |= ids
    numbered.check(reader.read(lake.root), lake.rows)
    lithify.ok(*WAIT, lake.root)
    lake.check()
    assert lake.lost() == []
    lake.finish()


def test_rows_of_some_were_counted(lake):
    lake.more(1)
    lithify.ok(*WAIT, lake.root)
    for name in ("late300-00000.parquet", "part-00003.parquet"):
        (lake.folder / name).unlink()
    assert lake.repair()["reason"] == \
        "repaired: 2 files lost, with 50 rows, and all rows of 1 of them, which were never counted"
    assert event(lake.root, "repair")["reason"] == "lost, with 50 rows, and others that were never " \
        "counted: late300-00000.parquet, part-00003.parquet"


def test_all_files_vanished(lake):
    for path in lake.folder.glob("*.parquet"):
        path.unlink()
    part = lake.repair()
    assert part["reason"] == "repaired: 6 files lost, with all their rows, which were never counted"
    assert "lost, with rows that were never counted: part-" in event(lake.root, "repair")["reason"]
    assert (part["lost"], part["files_after"]) == (6, 0)
    assert lake.state()["files"] == []
    lake.rows = set()
    lake.more(2)
    lithify.ok(*COMPACT, lake.root)
    lake.check(live=1)


# ... or they are in what is there still.

@pytest.mark.parametrize("options", [[], SPLIT], ids=["one output", "several"])
@pytest.mark.parametrize("count", [1, 9], ids=["one", "all"])
def test_back_to_the_inputs(lake, options, count):
    """P1: they are retired, and all there: no row is lost, whatever output vanished."""
    lake.compact(*options)
    outputs = lake.outputs()
    assert (len(outputs) > 1) == bool(options)
    for path in outputs[:count]:
        path.unlink()
    part = lake.repair()
    assert part["lost"] == 0 and "no row is lost" in part["reason"]
    lake.check(live=6)
    assert lake.lost() == []
    lake.finish()


def test_an_output_that_its_inputs_stand_for_comes_back(lake):
    """P2, P10: its rows are live already: it does not count, and goes as any orphan."""
    lake.compact()
    (output,) = lake.outputs()
    spare = shutil.copy2(output, lake.root.with_name("spare"))
    output.unlink()
    lake.repair()
    shutil.copy2(spare, output)
    lake.check(live=6)
    lake.finish()
    shutil.copy2(spare, output)
    lake.check(live=1)
    lake.finish()
    assert not output.exists()


def test_an_output_of_outputs(lake):
    """Late files in between; the last output vanished."""
    lake.compact()
    lake.more()
    lake.compact()
    (output,) = lake.outputs()
    output.unlink()
    part = lake.repair()
    assert part["lost"] == 0, part
    lake.check(live=3)
    lake.finish()


def test_up_to_an_output_that_was_not_committed(lake):
    """P1: a job was cut off behind its output; then an input vanished, whose rows it has."""
    lithify.ok(*COMPACT, lake.root)
    lithify.ok("rollback", lake.folder)
    lake.check(live=6)  # with rows: they were read
    orphans = set(lake.names())
    assert crash.run("output-durable", 1, *COMPACT, "--codec", "zstd", lake.root) is None
    (orphan,) = set(lake.names()) - orphans
    (lake.folder / "part-00004.parquet").unlink()
    part = lake.repair()
    assert part["lost"] == 0 and part["files_after"] == 1, part
    lake.check(live=1)
    lake.finish()


def test_a_vanished_input_of_an_output_that_was_rolled_back(lake):
    lake.compact(*SPLIT)
    lithify.ok("rollback", lake.folder)
    for number in (0, 5):
        (lake.folder / f"part-{number:05}.parquet").unlink()
    part = lake.repair()
    assert part["lost"] == 0, part
    lake.check()
    assert len(lake.outputs()) > 1
    lake.finish(live=None)


# ... or only some of them are.

def vanish(lake, name):
    """The output, and one of its inputs, are gone."""
    (output,) = lake.outputs()
    spare = shutil.copy2(output, lake.root.with_name("spare"))
    output.unlink()
    kept = {path.name: shutil.copy2(path, lake.root.with_name(path.name)) for path in [lake.folder / name]}
    (lake.folder / name).unlink()
    return output, spare, kept[name]


def write_again(path, same_size, first=1000):
    """As a writer does that uses a name twice: other rows, maybe as many bytes. Their numbers."""
    size = path.stat().st_size
    for first in range(first, first + 40000, 50):
        rows = range(first, first + (50 if same_size else 57))
        numbered.write(path, rows)
        if not same_size or path.stat().st_size == size:
            return rows
    pytest.skip("no other rows take as many bytes")


def rolled_back(root, folder, compact, same_size):
    """A file that came back is written again. Neither is anything deleted then, nor silent."""
    lithify.ok(*compact, root)
    lithify.ok("rollback", folder)
    rows = write_again(folder / "part-00001.parquet", same_size)
    result = lithify.run("fsck", root)
    assert result.code == lithify.BLOCKED and "part-00001.parquet: differs: " in result.out, str(result)
    assert "lithify fsck --repair keeps it as new data" in result.out, str(result)
    before = numbered.tree(root)
    for options in ([], ["--replay-window=0s"]):
        result = lithify.run(*GC, *options, root)
        assert result.code == lithify.BLOCKED and "part-00001.parquet" in result.out, str(result)
    assert numbered.tree(root) == before
    return set(rows)


@pytest.mark.parametrize("same_size", [False, True], ids=["other size", "same size"])
def test_a_file_that_was_rolled_back_to_is_written_again(lake, same_size):
    """P1, P2: its former rows are in the output, and come back with it; the new ones count as well."""
    lake.rows |= rolled_back(lake.root, lake.folder, COMPACT, same_size)
    part = lake.repair()
    assert part["state"] == "changed" and part["lost"] == 0, part
    assert "no row is lost" in part["reason"]
    assert sorted((f["name"][:1], f["reason"].split(":")[0], f["is_input"]) for f in part["files"]) == sorted(
        [("0", "becomes live", False), ("p", "becomes live", False), ("p", "was written again", True)]
        + [("p", "leaves", True)] * 5), part["files"]
    lake.check(live=2)
    assert lithify.run("fsck", lake.root).code == lithify.DONE
    lake.finish()


@pytest.mark.parametrize("same_size", [False, True], ids=["other size", "same size"])
def test_exchange_a_file_that_was_rolled_back_to_is_written_again(swapped, same_size):
    folder = swapped / exchange.PARTITION
    ids = {*range(300), *rolled_back(swapped, folder, exchange.COMPACT, same_size)}
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.check(swapped, ids)
    exchange.finish(swapped)
    exchange.check(swapped, ids)


@pytest.mark.parametrize("how", ["merged without it", "its output is gone"])
def test_a_file_that_was_written_again_and_nothing_stands_for(lake, how):
    """P9, P10: it is told, and neither written off nor is anything deleted that may have its rows."""
    rolled_back(lake.root, lake.folder, COMPACT, False)
    if how == "merged without it":
        assert lithify.run(*COMPACT, lake.root).code == lithify.BLOCKED
    else:
        (output,) = lake.folder.glob("0*.parquet")
        output.unlink()
    lake.refused("part-00001.parquet was written again")


def test_one_file_was_written_again_and_another_one_vanished(lake):
    """Nothing stands for either: the one is written off, and the other one told."""
    lake.rows |= rolled_back(lake.root, lake.folder, COMPACT, False)
    for path in (*lake.folder.glob("0*.parquet"), lake.folder / "part-00003.parquet"):
        path.unlink()
    lake.rows -= {*range(50, 100), *range(150, 200)}
    assert lake.repair()["lost"] == 1
    assert lake.lost() == [("part-00003.parquet", 50)]
    lake.check(live=5)
    lake.refused("part-00001.parquet was written again")


def test_what_is_left_of_a_lost_output_is_kept(lake):
    """P10: its other inputs are all that is left of its rows: gc leaves them for a week."""
    lake.compact()
    output, spare, _ = vanish(lake, "part-00002.parquet")
    part = lake.repair()
    assert (part["lost"], part["lost_rows"]) == (1, 300)
    assert "part-00000.parquet and others may hold some of its rows" in part["files"][0]["detail"]
    lake.rows = set()
    assert lake.state()["files"] == []
    before = lake.names()
    assert len(before) == 5
    for _ in MANY:
        lithify.ok(*GC, lake.root)
        lithify.ok(*COMPACT, lake.root)
    assert lake.names() == before
    told = lithify.ok("fsck", "--reader-grace=0s", lake.root).out
    assert "may have held its rows" in told and "lost: a live file that vanished" in told, told
    # The way that it tells of: a copy under another name counts.
    for number in (0, 1, 3, 4, 5):
        path = lake.folder / f"part-{number:05}.parquet"
        shutil.copy2(path, path.with_name(f"back-{number}.parquet"))
        lake.rows |= set(range(number * 50, number * 50 + 50))
    lithify.ok(*COMPACT, lake.root)
    lake.check(live=1)
    lake.finish(gc=GC_ALL)
    assert len(lake.names()) == 1


@pytest.mark.parametrize("cleaned", [False, True])
def test_a_lost_output_comes_back(lake, cleaned):
    """P1, P2, P10: it counts again, once, and is no orphan that gc takes, however late it comes."""
    lake.compact()
    output, spare, _ = vanish(lake, "part-00002.parquet")
    lake.repair()
    rows, lake.rows = lake.rows, set()
    lake.more(2, stem="new")
    new, lake.rows = lake.rows, set(lake.rows)
    if cleaned:
        os.utime(spare, ns=(10**18, 10**18))
    shutil.copy2(spare, output)
    for _ in MANY:
        lithify.ok(*GC, lake.root)
        assert output.exists()
    numbered.check(reader.read(lake.root), lake.rows)
    lithify.ok(*WAIT, lake.root)
    assert output.name in lake.state()["files"]
    assert lake.lost() == []
    found = reader.read(lake.root)["id"].to_pylist()
    assert sorted(found) == sorted([*rows, *new]) or rows & new, found
    lithify.ok(*GC_ALL, lake.root)
    assert output.exists()


def test_a_lost_output_comes_back_beside_its_rows(lake):
    """P2: what it was made of counts again by then: it does not, and stays."""
    saved = shutil.copy2(lake.folder / "manifest.json", lake.root.with_name("saved.json"))
    lake.compact()
    output, spare, part = vanish(lake, "part-00002.parquet")
    lake.repair()
    shutil.copy2(part, lake.folder / "part-00002.parquet")
    lithify.ok("fsck", "--restore", saved, lake.folder)
    lake.check(live=6)
    shutil.copy2(spare, output)
    for _ in MANY:
        lithify.ok(*WAIT, lake.root)
        lithify.ok(*GC, lake.root)
        lake.check(live=6)
    lithify.ok(*COMPACT, lake.root)
    for _ in MANY:
        lithify.ok(*GC_ALL, lake.root)
        lithify.ok(*COMPACT, lake.root)
        lake.check(live=1)
    assert output.exists()


def test_other_bytes_under_the_name_of_a_lost_output(lake):
    """They are not what was lost, and nobody knows what they are: neither counted nor deleted."""
    lake.compact()
    output, spare, _ = vanish(lake, "part-00002.parquet")
    lake.repair()
    lake.rows = set()
    data = bytearray(spare.read_bytes())
    data[100:108] = b"damaged!"
    output.write_bytes(data)
    os.utime(output, (10**9, 10**9))
    for _ in MANY:
        assert lithify.run(*COMPACT, lake.root).code in (lithify.DONE, lithify.BLOCKED)
        lithify.run(*GC_ALL, lake.root)
    assert output.exists() and lake.state()["files"] == []


def test_inputs_that_were_deleted_are_put_back(lake):
    """P1: of a lost output nobody knows what it was made of: what comes back is not taken for a replay."""
    kept = {path: shutil.copy2(path, lake.root.with_name(path.name)) for path in lake.folder.glob("part-*")}
    lake.compact()
    lithify.ok(*GC, lake.root)
    (output,) = lake.outputs()
    output.unlink()
    part = lake.repair()
    assert part["lost_rows"] == 300
    for path, spare in kept.items():
        shutil.copy2(spare, path)
    for _ in MANY:
        lithify.ok(*COMPACT, lake.root)
        lithify.ok(*GC, lake.root)
    assert lake.names() == sorted(path.name for path in kept)
    told = lithify.run("fsck", lake.root)
    assert told.code == lithify.BLOCKED and "give it another name" in told.out, str(told)
    for path in kept:
        path.rename(path.with_name("again-" + path.name))
    lithify.ok(*COMPACT, lake.root)
    lake.check(live=1)


# What stands in the way.

def test_a_delete_that_was_cut_off(lake):
    path = lake.folder / "part-00001.parquet"
    path.rename(path.with_name(path.name + ".gone.tmp"))
    lake.refused("part-00001.parquet.gone.tmp is there")
    path.with_name(path.name + ".gone.tmp").rename(path)
    assert lake.repair()["state"] == "left"


def test_manifests_that_nobody_guesses_about(lake):
    """P9: two of them, a newer one, another program's, one that cannot be read: told what to do."""
    manifest = lake.folder / "manifest.json"
    kept = manifest.read_bytes()
    (lake.folder / "_manifest.json").write_bytes(kept)
    lake.refused("both manifest.json and _manifest.json are there")
    (lake.folder / "_manifest.json").unlink()
    for text, says in ((b'{"files": []}', "another program's"), (b"{", "lithify fsck --restore FILE"),
                       (b'{"generation": 1, "files": [], "lithify": {"format": 2}}', "format 2")):
        manifest.write_bytes(text)
        lake.refused(says)
    manifest.write_bytes(kept)
    lake.check(live=6)


def test_an_unreadable_manifest_is_moved_away(lake):
    """The way that it tells of."""
    lake.compact()
    manifest = lake.folder / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:-20])
    lake.refused("move it out of the directory")
    manifest.rename(lake.root.with_name("bad"))
    assert lake.repair()["state"] == "changed"
    lake.check(live=1)


# A manifest was lost.

def lose(lake):
    (lake.folder / "manifest.json").unlink()


def list_break(output, seed):
    """Bits of its list of inputs are others."""
    place = reader.parquet.ParquetFile(output).metadata.metadata[b"lithify.inputs"].decode()
    where = dict(word.split("=") for word in place.split())
    chance = random.Random(seed)
    data = bytearray(output.read_bytes())
    for _ in range(1 + seed):
        data[int(where["offset"]) + chance.randrange(int(where["bytes"]))] ^= 1 << chance.randrange(8)
    output.write_bytes(data)


@pytest.mark.parametrize("options", [[], SPLIT], ids=["one output", "several"])
@pytest.mark.parametrize("late", [0, 2])
def test_a_manifest_is_made_anew(lake, options, late):
    """P1, P2: outputs live, inputs retired, what came since live; the same id, a higher epoch."""
    lake.compact(*options)
    lake.more(late)
    before = lake.state()
    names = sorted(path.name for path in reader.live(lake.folder))
    lose(lake)
    assert lithify.run(*COMPACT, lake.root).code == lithify.BLOCKED
    part = lake.repair()
    assert part["state"] == "changed" and "made anew" in part["reason"] and part["lost"] == 0
    state = lake.state()
    assert state["files"] == names
    assert state["lithify"]["pid"] == before["lithify"]["pid"]
    assert state["lithify"]["epoch"] > before["lithify"]["epoch"]
    assert state["generation"] > max(int(n.rsplit("_e")[-1].split(".")[0]) for n in names if n[0] == "0")
    assert {e["name"] for e in state["lithify"]["retired"]} == {f"part-{i:05}.parquet" for i in range(6)}
    assert all("crc32" in e for e in state["lithify"]["retired"])
    lake.check()
    assert reader.live(lake.folder, strict=True) == reader.live(lake.folder)
    for _ in MANY:
        lithify.ok("gc", "--quiet", lake.root)  # their grace has begun anew
    assert len(lake.names()) == 6 + len(names)
    lake.finish(live=None, audited=False)


LISTS = [[], ["--json"], ["--strict"], ["--format", "duckdb"], ["--format", "symlink"]]


@pytest.mark.parametrize("options", [[], SPLIT], ids=["one output", "several"])
@pytest.mark.parametrize("unknown", [False, True], ids=["listed", "garbage"])
def test_ls_lists_nothing_twice(lake, options, unknown):
    """P2, P8: a list with rows twice is none: it names the partition, the output, and what to do."""
    lake.compact(*options)
    lose(lake)
    if unknown:  # nobody knows whose rows it has
        list_break(lake.outputs()[-1], 1)
    for place in (lake.root, lake.folder):
        for more in LISTS:
            result = lithify.run("ls", *more, place)
            assert result.code == lithify.FAILED and result.out == "", str(result)
            assert FOLDER in result.err and "its manifest was lost" in result.err, str(result)
            assert any(path.name in result.err for path in lake.outputs()), str(result)
            assert "lithify fsck" in result.err, str(result)
    if not unknown:
        lake.repair()
        lake.check()


def test_ls_lists_an_output_without_its_inputs(lake):
    """Nothing counts twice: it is a file like any other. So is one that nobody can read."""
    lake.compact()
    for path in lake.folder.glob("part-*"):
        path.unlink()
    lose(lake)
    numbered.check(numbered.listed(lake.root), lake.rows)
    (output,) = lake.outputs()
    output.write_bytes(b"PAR1" + bytes(100))
    assert lithify.ok("ls", lake.root).out.splitlines() == [str(output)]


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.parametrize("how", ["no manifest", "a manifest"])
def test_ls_opens_no_file_where_none_is_an_output(lake, how):
    if how == "no manifest":
        lose(lake)
    else:
        lake.compact()
    record = lake.root.with_name("record")
    subprocess.run(["strace", "-f", "-e", "trace=open,openat", "-o", record, lithify.BIN, "ls", lake.root],
                   check=True, stdout=subprocess.DEVNULL)
    assert FOLDER.split("/")[-1] in record.read_text() and ".parquet" not in record.read_text()


def test_generations_of_outputs(lake):
    for number in MANY:
        lake.compact()
        lake.more()
    lose(lake)
    lake.repair()
    lake.check(live=3)
    lake.finish(audited=False)


def test_a_job_was_cut_off(lake):
    """One of several outputs was published: what it does not hold whole stays live."""
    assert crash.run("output-durable", 1, *COMPACT, *SPLIT, lake.root) is None
    lose(lake)
    lake.repair()
    lake.check()
    lake.finish(audited=False)


def test_a_job_was_made_twice(lake):
    for number in (1, 1):
        assert crash.run("output-durable", number, *COMPACT, lake.root) is None
    assert len(lake.names()) == 8
    lose(lake)
    lake.repair()
    lake.check(live=6)
    lake.finish(audited=False)


def test_a_job_was_made_twice_and_an_input_is_gone(lake):
    """P9: which of the two counts, or whether both do, is not to be told."""
    for number in (1, 1):
        assert crash.run("output-durable", number, *COMPACT, lake.root) is None
    (lake.folder / "part-00000.parquet").unlink()
    lose(lake)
    lake.refused("may be one output made twice")


def test_outputs_of_other_jobs_that_share_an_input(lake):
    """P9: both are named."""
    lake.compact()
    (first,) = lake.outputs()
    lithify.ok("rollback", lake.folder)
    lithify.ok("retire", lake.folder, "part-00000.parquet")
    lake.more(1)
    lake.compact("--target-file=1GiB", "--codec=zstd")
    lithify.ok(*COMPACT, lake.root)
    lose(lake)
    outputs = [name for name in lake.names() if name[0] == "0"]
    assert len(outputs) == 2, lake.names()
    for path in lake.folder.glob("part-*"):
        path.unlink()
    before = numbered.tree(lake.root)
    part = lake.repair(code=lithify.BLOCKED)
    assert all(name in part["reason"] for name in outputs), part
    assert numbered.tree(lake.root) == before


def test_an_input_with_other_bytes(lake):
    """P9, P1: same name and size, other rows: neither retired nor doubled; it is named."""
    lake.compact()
    path = lake.folder / "part-00002.parquet"
    size = path.stat().st_size
    for first in range(1000, 3000, 50):
        made = numbered.write(lake.root.with_name("new.parquet"), range(first, first + 50))
        if made.stat().st_size == size:
            break
    else:
        pytest.skip("no other rows of that size")
    made.rename(path)
    lose(lake)
    lake.refused("part-00002.parquet")
    path.rename(path.with_name("other.parquet"))
    lake.repair()
    lake.rows |= set(range(first, first + 50))
    lake.check(live=2)
    lake.finish(audited=False)


def test_an_input_of_another_size_is_new_data(lake):
    lake.compact()
    numbered.write(lake.folder / "part-00002.parquet", range(1000, 1090))
    lake.rows |= set(range(1000, 1090))
    lose(lake)
    lake.repair()
    lake.check(live=2)
    lake.finish(audited=False)


@pytest.mark.parametrize("seed", range(6))
def test_garbage_in_the_list_of_inputs(lake, seed):
    """P9: whatever bytes it has, nothing changes, and the file is named."""
    lake.compact()
    (output,) = lake.outputs()
    list_break(output, seed)
    lose(lake)
    lake.refused(output.name)


def test_an_output_under_another_name(lake):
    """A copy that an operator made to save rows: both readings are possible."""
    lake.compact()
    (output,) = lake.outputs()
    output.rename(output.with_name("copy.parquet"))
    lose(lake)
    lake.refused("copy.parquet")


def test_an_output_of_another_partition_is_data(lake):
    """P4: moved here by hand, with nothing of what it was made of."""
    other = Lake(lake.root.with_name("other"))
    other.compact()
    (foreign,) = other.outputs()
    lithify.ok("retire", lake.folder, *[f"part-{i:05}.parquet" for i in range(6)])
    lithify.ok(*GC, lake.root)
    lake.rows = set()
    numbered.fill(lake.folder, 4, 50, first=1000, stem="own")
    lake.compact()
    shutil.copy2(foreign, lake.folder / foreign.name)
    lose(lake)
    lake.rows = {*range(1000, 1200), *range(300)}
    part = lake.repair()
    assert part["state"] == "changed"
    lake.check(live=2)
    lake.finish(live=None, audited=False)


def test_nothing_was_lost(lake):
    """No manifest, and nothing that says that there was one: adoption is for that."""
    lose(lake)
    assert lake.repair()["state"] == "left"
    lake.check(live=6)
    assert not (lake.folder / "manifest.json").exists()


def test_what_gc_had_begun(lake):
    """Some inputs were deleted before the manifest was lost."""
    lake.compact()
    for number in (1, 4):
        (lake.folder / f"part-{number:05}.parquet").unlink()
    lose(lake)
    lake.repair()
    lake.check(live=1)
    lake.finish(audited=False)


def test_an_output_in_between_is_gone(lake):
    """P9: what it was made of is there, and in an output through one that nobody can ask."""
    lake.compact()
    lake.more()
    (first,) = lake.outputs()
    lake.compact()
    first.unlink()
    lose(lake)
    lake.refused("not all of whose making is known")


def test_what_a_day_had_taken(tmp_path):
    """P2: nobody knows which hours still wait for a day whose manifest is gone (of hours: test_tiers_lost.py)."""
    root = tmp_path / "lake"
    ids, _ = changes.make_hours(root)
    lithify.ok("compact", *numbered.NOW, root)
    lithify.ok("compact", *numbered.NOW, "--min-files", "2", "--tiers", "day", root)
    day = root / changes.DAY
    numbered.check_everywhere(root, ids)
    kept = (day / "manifest.json").read_bytes()
    (day / "manifest.json").unlink()
    before = numbered.tree(root)
    result = lithify.run("fsck", "--repair", "--yes", day)
    assert result.code == lithify.BLOCKED and "rolled up" in result.out, str(result)
    assert numbered.tree(root) == before
    (day / "manifest.json").write_bytes(kept)
    numbered.check_everywhere(root, ids)


# What comes back, and what was made of it.

def kept(lake, *paths):
    """Copies of them, to be put back."""
    return [(path, shutil.copy2(path, lake.root.with_name(f"kept-{path.name}"))) for path in paths]


def put_back(spares):
    for path, spare in spares:
        shutil.copy2(spare, path)


def test_an_output_comes_back_before_what_it_was_made_of(tmp_path):
    """P2: both were written off. The rows of both are in the output, so the file stays dead, and nobody
    deletes it: nobody has compared them."""
    lake = Lake(tmp_path / "lake", files=1)
    first = lake.folder / "part-00000.parquet"
    older = shutil.copy2(lake.folder / "manifest.json", tmp_path / "older.json")
    lake.more(1)
    lake.compact()
    (output,) = lake.outputs()
    files, made = kept(lake, first), kept(lake, output)
    for path in (output, *lake.folder.glob("late*")):
        path.unlink()
    lake.repair()
    lithify.ok("fsck", "--restore", older, lake.folder)
    first.unlink()
    lake.repair()
    assert [name for name, _ in lake.lost()] == sorted([output.name, first.name])
    put_back(made)
    lithify.ok(*WAIT, lake.root)
    lake.check(live=1)
    put_back(files)
    lake.check(live=1)
    for _ in MANY:
        lithify.ok(*WAIT, lake.root)
        lithify.ok(*GC, lake.root)
        lake.check(live=1)
    assert first.exists()


@pytest.mark.parametrize("order", ["together", "the later one first", "the earlier one first"])
def test_two_outputs_come_back_one_of_which_has_the_other(tmp_path, order):
    """P2: whichever counts first, the other one stays aside."""
    lake = Lake(tmp_path / "lake", files=2)
    lake.compact()
    (early,) = lake.outputs()
    older = shutil.copy2(lake.folder / "manifest.json", tmp_path / "older.json")
    lithify.ok(*GC_ALL, lake.root)
    few = set(lake.rows)
    lake.more(2)
    lake.compact()
    (late,) = lake.outputs()
    spares = kept(lake, early, late)
    for path in (late, *lake.folder.glob("late*")):
        path.unlink()
    lake.repair()
    lithify.ok("fsck", "--restore", older, lake.folder)
    early.unlink()
    lake.repair()
    assert len(lake.lost()) == 2
    everything, turns = lake.rows, [spares]
    if order != "together":
        turns = [spares[:1], spares[1:]] if order == "the earlier one first" else [spares[1:], spares[:1]]
    lake.rows = few if order == "the earlier one first" else everything
    for turn in turns:
        put_back(turn)
        for _ in MANY:
            lithify.ok(*WAIT, lake.root)
            lithify.ok(*GC, lake.root)
            lake.check(live=1)
    assert early.exists() and late.exists()


def test_both_outputs_of_a_job_come_back(lake):
    """Each has a part of the file that both of them list: one does not stand in the way of the other."""
    lake.compact(*SPLIT)
    outputs = lake.outputs()
    assert len(outputs) > 1
    spares = kept(lake, *outputs)
    lithify.ok(*GC, lake.root)
    for path in outputs:
        path.unlink()
    lake.repair()
    assert len(lake.lost()) == len(outputs)
    for spare in spares:
        put_back([spare])
        lithify.ok(*WAIT, lake.root)
    lake.check(live=len(outputs))
    assert lake.lost() == []


def test_a_file_that_was_gone_is_restored_lost_and_back(lake):
    """P1: once it is live again nothing may take it for a replay that can go."""
    older = shutil.copy2(lake.folder / "manifest.json", lake.root.with_name("older.json"))
    spares = kept(lake, *sorted(lake.folder.glob("*.parquet")))
    lake.compact()
    lithify.ok(*GC, lake.root)
    put_back(spares)
    lithify.ok("fsck", "--restore", older, lake.folder)
    lake.check(live=6)
    spares[0][0].unlink()
    everything = lake.rows
    lake.rows = everything - set(range(50))
    lake.repair()
    lake.check(live=5)
    put_back(spares[:1])
    lake.rows = everything
    lake.check(live=6, named=everything - set(range(50)))
    for _ in MANY:
        lithify.ok(*WAIT, lake.root)
        lithify.ok(*GC, lake.root)
        lake.check(live=6)


def test_an_output_that_vanished_counts_again_is_lost_and_back(lake):
    """P1, P6: it had left for what it was made of, and came in for that."""
    lake.compact()
    (output,) = lake.outputs()
    spares = kept(lake, output)
    output.unlink()
    lake.repair()
    lake.check(live=6)
    put_back(spares)
    for path in lake.folder.glob("part-*"):
        path.unlink()
    assert lake.repair()["lost"] == 0
    lake.check(live=1)
    output.unlink()
    assert lake.repair()["lost"] == 1
    put_back(spares)
    lithify.ok(*WAIT, lake.root)
    lake.check(live=1)
    lake.finish()


# readers = exchange

@pytest.fixture
def swapped(tmp_path):
    root = tmp_path / "lake"
    numbered.fill(root / exchange.PARTITION, 6, 50)
    lithify.ok("adopt", "--readers", "exchange", root)
    return root


def test_exchange_a_file_is_written_off_and_comes_back(swapped):
    """P2: who lists sees what is live, before and after."""
    folder = swapped / exchange.PARTITION
    spare = shutil.copy2(folder / "part-00001.parquet", swapped.with_name("spare"))
    (folder / "part-00001.parquet").unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    left = {*range(50), *range(100, 300)}
    exchange.check(swapped, left)
    lithify.ok(*exchange.COMPACT, swapped)
    exchange.check(swapped, left)
    shutil.copy2(spare, folder / "part-00001.parquet")
    exchange.check_globs(swapped, range(300))
    exchange.finish(swapped)
    exchange.check(swapped, range(300))


def test_exchange_back_to_what_is_held(swapped):
    folder = swapped / exchange.PARTITION
    lithify.ok(*exchange.COMPACT, swapped)
    (output,) = folder.glob("*.parquet")
    output.unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    assert len(list(folder.glob("*.parquet"))) == 6
    exchange.check(swapped, range(300))
    exchange.finish(swapped)
    exchange.check(swapped, range(300))


def test_exchange_a_lost_output_comes_back(swapped):
    folder = swapped / exchange.PARTITION
    lithify.ok(*exchange.COMPACT, swapped)
    (output,) = folder.glob("*.parquet")
    spare = shutil.copy2(output, swapped.with_name("spare"))
    output.unlink()
    (exchange.staging(swapped) / exchange.PARTITION / "_held" / "part-00003.parquet").unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    assert not list(folder.glob("*.parquet"))
    for _ in MANY:
        lithify.ok(*exchange.GC, swapped)
    assert len(exchange.held(swapped)) >= 5
    shutil.copy2(spare, output)
    exchange.check_globs(swapped, range(300))
    lithify.ok(*exchange.WAIT, swapped)
    exchange.check(swapped, range(300))
    for _ in MANY:
        lithify.ok(*exchange.GC, "--replay-window=0s", swapped)
    exchange.check(swapped, range(300))


def test_exchange_a_lost_manifest(swapped):
    """P1, P2, P10: the directory shows what is live; what is held tells that there was a manifest, and
    goes by the new one. Nothing that is shown changes."""
    folder = swapped / exchange.PARTITION
    bytes_held = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    lithify.ok(*exchange.COMPACT, swapped)
    (folder / "manifest.json").unlink()
    shown = sorted(folder.glob("*.parquet"))
    told_of_a_lost_manifest(swapped, 6, bytes_held)
    result = lithify.ok("fsck", "--repair", "--yes", swapped)
    assert "1 files that are live and 6 that were replaced" in result.out, str(result)
    assert sorted(folder.glob("*.parquet")) == shown
    exchange.check(swapped, range(300))
    lithify.ok("gc", swapped)
    assert len(exchange.held(swapped)) == 6  # their grace has begun anew
    exchange.finish(swapped)
    exchange.check(swapped, range(300))
    assert lithify.run("fsck", "--deep", swapped).code == lithify.DONE


def test_exchange_a_lost_manifest_and_then_its_output(swapped):
    """P1: the new manifest is the partition's own (its id, an epoch above its outputs'), so that what is held is
    kept while the output is lost, and an older manifest comes back over it."""
    folder = swapped / exchange.PARTITION
    lithify.ok(*exchange.COMPACT, swapped)
    older = json.loads((folder / "manifest.json").read_bytes())["lithify"]
    (folder / "manifest.json").unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    newer = json.loads((folder / "manifest.json").read_bytes())["lithify"]
    assert newer["pid"] == older["pid"] and newer["epoch"] > older["epoch"] and newer["files"][0]["crc32"]
    (output,) = folder.glob("*.parquet")
    spare = shutil.copy2(output, swapped.with_name("spare"))
    output.unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    lithify.run(*exchange.GC, swapped)
    assert len(exchange.held(swapped)) == 6
    shutil.copy2(spare, output)
    lithify.ok(*exchange.COMPACT, swapped)
    exchange.check(swapped, range(300))


def test_exchange_compact_adopts_no_lost_manifest(swapped, tmp_path):
    """P2: an output that a rollback took out was put back, which only the lost manifest knew not to count: compact is
    blocked where what is held was made into what is shown, and --repair tells them apart."""
    folder = swapped / exchange.PARTITION
    lithify.ok(*exchange.COMPACT, swapped)
    (output,) = folder.glob("*.parquet")
    spare = shutil.copy2(output, tmp_path)
    lithify.ok("rollback", folder)
    numbered.fill(folder, 2, 50, first=1000, stem="late")
    lithify.ok(*exchange.COMPACT, swapped)
    shutil.copy2(spare, output)
    (folder / "manifest.json").unlink()
    before = exchange.tree(swapped)
    for command in (exchange.COMPACT, ["plan", *exchange.NOW]):
        result = lithify.run(*command, swapped)
        assert result.code == lithify.BLOCKED and "are held beside the lake" in result.out, str(result)
    assert exchange.tree(swapped) == before
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.finish(swapped)
    exchange.check(swapped, [*range(300), *range(1000, 1100)])


def told_of_a_lost_manifest(root, held, size):
    """By fsck, which names what to do, by gc, which deletes nothing, and by rollback."""
    before = exchange.tree(root)
    found = lithify.run("fsck", "--json", root)
    assert found.code == lithify.BLOCKED, str(found)
    (part,) = json.loads(found.out)["partitions"]
    (finding,) = part["findings"]
    assert (finding["kind"], finding["wants_hand"], finding["file"]) == ("lost-manifest", True, None)
    assert f"{held} files are held" in finding["text"] and "fsck --repair" in finding["todo"]
    assert part["held_bytes"] == finding["bytes"] == size
    for options in ([], ["--dry-run"]):
        gc = lithify.run(*exchange.GC, *options, "--json", root)
        assert gc.code == lithify.BLOCKED and "its manifest was lost" in gc.out, str(gc)
        assert "fsck --repair" in gc.out, str(gc)
    for command in (["plan", *exchange.NOW], exchange.COMPACT):
        left = lithify.ok(*command, "--json", root)
        assert "fewer than two files to merge; its manifest was lost" in left.out, str(left)
    rollback = lithify.run("rollback", root / exchange.PARTITION)
    assert rollback.code == lithify.FAILED, str(rollback)
    assert "there is no manifest" in rollback.err and "lithify fsck" in rollback.err, str(rollback)
    assert exchange.tree(root) == before


def test_exchange_a_lost_manifest_and_an_input_that_was_put_back(swapped):
    """P2: shown beside its output, it would count twice."""
    folder = swapped / exchange.PARTITION
    spare = shutil.copy2(folder / "part-00001.parquet", swapped.with_name("spare"))
    lithify.ok(*exchange.COMPACT, swapped)
    (folder / "manifest.json").unlink()
    shutil.copy2(spare, folder / "part-00001.parquet")
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.check(swapped, range(300))
    exchange.finish(swapped)
    exchange.check(swapped, range(300))


@pytest.mark.parametrize("put_back", [None, "part-00001.parquet"], ids=["", "an input is put back"])
def test_exchange_a_lost_manifest_of_generations(swapped, put_back):
    """P1, P6: what an output is made of through another one, and one that was not committed, go, too."""
    folder = swapped / exchange.PARTITION
    spare = shutil.copy2(folder / "part-00001.parquet", swapped.with_name("spare"))
    ids = list(range(300))
    for number in MANY:
        lithify.ok(*exchange.COMPACT, swapped)
        ids += numbered.fill(folder, 6, 50, first=1000 * (number + 1), stem=f"late{number}")
    crash.run("output-durable", 1, *exchange.COMPACT, swapped)
    assert len(exchange.held(swapped)) >= 6 * 3 + 2
    (folder / "manifest.json").unlink()
    if put_back:  # P2: no list of a file that is shown has it
        shutil.copy2(spare, folder / put_back)
        refused = lithify.run("fsck", "--repair", "--yes", swapped)
        assert refused.code == lithify.BLOCKED and f"was made of {put_back} through" in refused.out
        (folder / put_back).unlink()
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.check(swapped, ids)
    assert "nothing to repair" in lithify.ok("fsck", "--repair", "--yes", swapped).out
    exchange.finish(swapped)
    exchange.check(swapped, ids)


def test_exchange_a_lost_manifest_after_a_rollback(swapped):
    """The output is held, and what it was made of is shown."""
    lithify.ok(*exchange.COMPACT, swapped)
    lithify.ok("rollback", swapped / exchange.PARTITION)
    (swapped / exchange.PARTITION / "manifest.json").unlink()
    assert lithify.run("fsck", swapped).code == lithify.BLOCKED
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.check(swapped, range(300))
    exchange.finish(swapped)
    exchange.check(swapped, range(300))


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("how", ["output deleted", "retired"])
def test_exchange_a_lost_manifest_and_rows_that_nothing_shows(swapped, how, counts):
    """P1, P9: they were taken out, or lost: it names one of them and both ways, and does neither."""
    folder = swapped / exchange.PARTITION
    if how == "retired":
        lithify.ok("retire", folder, "part-00001.parquet")
        culprit, back, shown = "part-00001.parquet", range(50, 100), {*range(50), *range(100, 300)}
    else:
        lithify.ok(*exchange.COMPACT, swapped)
        (output,) = folder.glob("*.parquet")
        output.unlink()
        shown = set(numbered.fill(folder, 1, 50, first=1000, stem="late"))
        culprit, back = "part-00000.parquet", range(300)
    (folder / "manifest.json").unlink()
    before = exchange.tree(swapped)
    result = lithify.run("fsck", "--repair", "--yes", swapped)
    assert result.code == lithify.BLOCKED and f"{culprit} is held" in result.out, str(result)
    assert "lithify adopt" in result.out, str(result)
    assert exchange.tree(swapped) == before
    if counts:
        place = exchange.staging(swapped) / exchange.PARTITION / "_held"
        for name in exchange.held(swapped):
            shutil.copy2(place / name, folder / name)
        shown |= set(back)
    lithify.ok("adopt", swapped)
    exchange.check(swapped, shown)
    exchange.finish(swapped)
    exchange.check(swapped, shown)


@pytest.mark.parametrize("step", ["swap-built", "swap-exchanged", "repaired"])
@pytest.mark.parametrize("lost", ["part-00001.parquet", None], ids=["written off", "back to the inputs"])
def test_exchange_killed_at(swapped, step, lost):
    """P3, P2: who lists sees each row that is there once, whenever it is killed."""
    folder = swapped / exchange.PARTITION
    if lost:
        (folder / lost).unlink()
        before = after = {*range(50), *range(100, 300)}
    else:
        lithify.ok(*exchange.COMPACT, swapped)
        for path in folder.glob("*.parquet"):
            path.unlink()
        before, after = set(), set(range(300))
    code = crash.run(step, 1, "fsck", "--repair", "--yes", swapped)
    if lost and code is not None:
        assert step.startswith("swap") and code == lithify.DONE  # what is shown does not change
    seen = numbered.of_files(sorted(folder.glob("*.parquet")))
    numbered.check(seen, after if seen.num_rows == len(after) else before)
    lithify.ok("fsck", "--repair", "--yes", swapped)
    exchange.check(swapped, after)
    exchange.finish(swapped)
    exchange.check(swapped, after)


# readers = glob

@pytest.fixture
def globbed(tmp_path):
    lake = Lake(tmp_path / "lake", files=4, adopted=False)
    lithify.ok("adopt", "--readers", "glob", lake.root)
    return lake


GLOB = ["compact", *globbing.NOW, "--min-files", "2"]
GLOB_GC = ["gc", "--orphan-grace", "0s", "--quiet"]


@pytest.mark.parametrize("step, arrival", [("committed", 1), ("fenced", 1), ("delete-renamed", 1),
                                           ("delete-unlinked", 1), ("delete-unlinked", 3), ("cleaned", 1)])
@pytest.mark.parametrize("passes", [0, 2])
def test_glob_an_output_is_lost_while_its_journal_is_there(globbed, step, arrival, passes):
    """P1, P6: what is left of it is kept, but nobody waits for that: it counts once it is back."""
    lake, everything = globbed, globbed.rows
    assert crash.run(step, arrival, *GLOB, lake.root) is None
    (output,) = lake.outputs()
    spares = kept(lake, output)
    output.unlink()
    lake.rows = everything - set(range(200)) if lake.repair()["lost"] else everything
    for _ in range(passes):
        lithify.ok(*GLOB, lake.root)
        lithify.ok(*GLOB_GC, lake.root)
        check_numbers(lake, f"{step}:{arrival}")
    put_back(spares)
    lithify.ok(*GLOB, "--min-files=9", "--settle=9d", lake.root)
    lake.rows = everything
    lake.check()
    for _ in MANY:
        lithify.ok(*GLOB, lake.root)
        lithify.ok(*GLOB_GC, lake.root)
    globbing.check_settled(lake.root, everything)


@pytest.mark.parametrize("step", ["journaled", "output-renamed", "output-durable"])
def test_glob_a_job_is_cut_off_after_a_loss(globbed, step):
    """P6: its output holds nothing that was lost: all that it was made of is live, so it goes at once."""
    lake = globbed
    lithify.ok(*GLOB, lake.root)
    (output,) = lake.outputs()
    output.unlink()
    lake.rows = set()
    assert lake.repair()["lost"] == 1
    lake.rows |= set(numbered.fill(lake.folder, 3, 50, first=1000, stem="more"))
    assert crash.run(step, 1, *GLOB, lake.root) is None
    lithify.ok(*GLOB_GC, lake.root)
    globbing.check_settled(lake.root, lake.rows)
    lithify.ok(*GLOB, lake.root)
    globbing.check_settled(lake.root, lake.rows)


# Asking.

def asked(root, answer):
    """What it says on a terminal, and its exit code, given that answer."""
    here, there = pty.openpty()
    process = subprocess.Popen([lithify.BIN, "fsck", "--repair", str(root)], stdin=there, stderr=there,
                               stdout=subprocess.PIPE, text=True, env=lithify.environment())
    os.close(there)
    os.write(here, answer)
    out, _ = process.communicate(timeout=60)
    os.close(here)
    return out, process.returncode


def test_it_asks_on_a_terminal(lake):
    (lake.folder / "part-00001.parquet").unlink()
    before = numbered.tree(lake.root)
    for answer in (b"n\n", b"\n", b"yep\n", b"\x04"):
        out, code = asked(lake.root, answer)
        assert code == lithify.BLOCKED and "nothing was changed" in out, out
        assert "would be repaired" in out and "part-00001.parquet" in out, out
        assert numbered.tree(lake.root) == before
    out, code = asked(lake.root, b"y\n")
    assert code == lithify.DONE and "repaired" in out.splitlines()[-1], out
    lake.rows -= set(range(50, 100))
    lake.check(live=5)
    out, code = asked(lake.root, b"")
    assert code == lithify.DONE and "nothing to repair" in out, out


def test_without_a_terminal(lake):
    (lake.folder / "part-00001.parquet").unlink()
    before = numbered.tree(lake.root)
    for words in (["--repair"], ["--repair", "--json"], ["--yes"],
                  ["--repair", "--yes", "--restore", lake.folder / "manifest.json"]):
        result = lithify.run("fsck", *words, lake.folder, stdin="y\n")
        assert result.code == lithify.USAGE, str(result)
    assert numbered.tree(lake.root) == before


def test_other_partitions_go_on(tmp_path):
    """One that cannot be repaired stops no other one."""
    lake = Lake(tmp_path / "lake", adopted=False)
    others = [lake.root / f"tenant_id={name}" / numbered.HOUR for name in ("b", "c")]
    for folder in others:
        numbered.fill(folder, 3, 50)
    lithify.ok("adopt", "--readers=manifest", lake.root)
    (lake.folder / "part-00001.parquet").unlink()
    (others[0] / "_manifest.json").write_text("{")
    result = lithify.run("fsck", "--repair", "--yes", "--json", lake.root)
    assert result.code == lithify.BLOCKED
    states = {p["path"].split("/")[0]: p["state"] for p in json.loads(result.out)["partitions"]}
    assert states == {"tenant_id=acme": "changed", "tenant_id=b": "blocked", "tenant_id=c": "left"}


# Any history.

def numbers(lake):
    """Those of the rows that the open rule shows."""
    return numbered.of_files(reader.live(lake.folder))["id"].to_pylist()


def check_numbers(lake, where):
    numbered.check(numbered.of_files(reader.live(lake.folder)), lake.rows, where=where)
    numbered.check(numbered.listed(lake.root), lake.rows, where=where)


@pytest.mark.parametrize("seed", range(int(os.environ.get("LITHIFY_REPAIR_SEEDS", "6"))))
def test_histories(tmp_path, seed):
    """P1, P2, P10: files vanish and come back, manifests are lost, passes go on: no row that is in a
    file that is there, or comes back, is lost to readers in the end, and none is doubled ever."""
    chance = random.Random(seed)
    lake = Lake(tmp_path / "lake", files=4)
    story, written_off = [], set()
    for number in range(14):
        step = chance.choice(["late", "compact", "compact", "gc", "vanish", "vanish", "lose", "rollback"])
        story.append(step)
        where = f"seed {seed}: {story}"
        if step == "late":
            lake.more(chance.randrange(1, 4))
        elif step == "compact":
            lake.compact(*chance.choice([[], SPLIT]))
        elif step == "gc":
            lithify.ok(*GC, lake.root)
        elif step == "rollback":
            lithify.run("rollback", lake.folder)
        elif step == "vanish":
            live = reader.live(lake.folder)
            if not live:
                continue
            path = chance.choice(live)
            ids = set(reader.parquet.read_table(path)["id"].to_pylist())
            spare = shutil.copy2(path, lake.root.with_name("spare"))
            path.unlink()
            if path.name in lake.state()["files"]:
                part = lake.repair()
                assert part["state"] == "changed", where
            gone = ids - set(numbers(lake))
            assert gone in (set(), ids), where
            lake.rows -= gone
            written_off |= gone
            check_numbers(lake, where)
            if chance.random() < 0.5:
                shutil.copy2(spare, path)
                lake.rows |= gone
                written_off -= gone
                lithify.ok(*WAIT, lake.root)
        elif step == "lose":
            kept = (lake.folder / "manifest.json").read_bytes()
            lose(lake)
            result = lithify.run("fsck", "--repair", "--yes", "--json", lake.root)
            (part,) = json.loads(result.out)["partitions"]
            # Nothing to tell, or two ways to read it: the manifest itself comes back.
            if part["state"] != "changed":
                assert result.code in (lithify.DONE, lithify.BLOCKED), str(result)
                (lake.folder / "manifest.json").write_bytes(kept)
            # What was kept of a lost output counts again: the new manifest knows of no loss.
            lake.rows |= set(numbers(lake)) & written_off
        check_numbers(lake, where)
    lithify.ok(*COMPACT, lake.root)
    for _ in MANY:
        lithify.ok(*GC_ALL, lake.root)
        check_numbers(lake, str(story))
