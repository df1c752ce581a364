"""Readers = glob: what readers that list directories see, and what journals do (docs/readers.md).

The oracle are engines that glob: PyArrow, DuckDB, Polars. What they may see of a lake while it
changes is what docs/readers.md says, no more.
"""

import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import threading
import time

import pyarrow.dataset
import pyarrow.parquet as parquet
import pytest

import audit
import changes
import crash
import globbing
import lithify
import numbered
import reader
from test_bad_input import IS_ROOT, NOBODY, give_away, public, run_unprivileged  # noqa: F401

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

SECONDS = float(os.environ.get("LITHIFY_SOAK_SECONDS", "6"))
SEED = os.environ.get("LITHIFY_SEED", "1")
COMPACT = ["compact", *globbing.NOW, *changes.SPLIT]
GC = ["gc", "--quiet"]
PARTITION = changes.PARTITION
FILES, ROWS = 6, 120
IDS = range(FILES * ROWS)
# Where a job can be cut off: nothing can be seen yet; outputs can be; inputs still can be; all is done.
BEFORE = [("output-synced", 1), ("verified", 2), ("journaled", 1)]
SEEN = [("output-renamed", 1), ("output-durable", 1), ("output-durable", 2)]
COMMITTED = [("committed", 1), ("fenced", 1), ("delete-renamed", 1), ("delete-unlinked", 3)]
DONE = [("delete-durable", 1), ("cleaned", 1), ("unjournaled", 1)]
# Arrivals of the puts: at the adoption, the lease, the journal (3), the commit (4), the fence, the clean.
PUTS = [(step, arrival) for step in changes.PUT for arrival in range(1, 9)]


def make(root, files=FILES, rows=ROWS, first=0, stem="part"):
    return numbered.fill(root / PARTITION, files, rows, first=first, stem=stem)


def cut(root, step, arrival=1, *options):
    """A job that was cut off there."""
    assert crash.run(step, arrival, *COMPACT, *options, root) is None, f"never came to {step}:{arrival}"


def files_of(root):
    """Data and manifest of the partition, with their bytes."""
    return {path: path.read_bytes() for path in (root / PARTITION).iterdir() if path.name != "_lithify_events"}


def give(root):
    """The lake, and its audit series, to somebody whom permissions bind."""
    give_away(root)
    for path in audit.place(root).rglob("*"):
        os.chown(path, NOBODY, NOBODY)


def state_of(result, path=PARTITION):
    """The report of a partition, of a run with --json."""
    found = [p for p in json.loads(result.out)["partitions"] if p["path"] == str(path)]
    assert len(found) == 1, result
    return found[0]


def compact_json(root, *options):
    result = lithify.run(*COMPACT, "--json", *options, root)
    return result.code, state_of(result)


# What is chosen once.


def test_another_mode_is_refused(tmp_path):
    """The mode stands in _lithify.json from the first commit on."""
    root = tmp_path / "lake"
    make(root)
    lithify.ok(*COMPACT, root)
    assert json.loads((root / "_lithify.json").read_bytes())["readers"] == "glob"
    for mode in ("manifest", "exchange"):
        result = lithify.run("compact", "--readers", mode, root)
        assert result.code == lithify.USAGE and mode in result.err, str(result)
    lithify.ok("compact", "--quiet", root)
    globbing.check_settled(root, IDS)


def test_no_grace_can_be_had(tmp_path):
    """A promise that cannot be kept is refused, before anything is written and after, whoever asks for it, and
    also where it is what other modes have without asking. None is no promise."""
    root = tmp_path / "lake"
    make(root)
    file = tmp_path / "lithify.yaml"
    file.write_text("reader_grace: 24h\n")
    asked = [(["--reader-grace", "1h"], {}), (["--reader-grace", "24h"], {}), (["--config", file], {}),
             ([], {"LITHIFY_READER_GRACE": "24h"})]
    before = numbered.tree(root)
    for _ in range(2):
        for options, env in asked:
            result = lithify.run(*COMPACT, *options, root, env=env)
            assert result.code == lithify.USAGE and "reader_grace" in result.err, str(result)
            assert numbered.tree(root) == before
        lithify.ok(*COMPACT, "--reader-grace", "0s", root)
        before = numbered.tree(root)


def test_no_tiers_can_be_had(tmp_path):
    """A roll-up would show its rows above and below for longer than a moment: refused, also where a hand
    has written that there are tiers; and so is what only manifests could keep out of sight."""
    root = tmp_path / "lake"
    make(root)
    for readers in ("glob", "exchange"):
        result = lithify.run("compact", *numbered.NOW, "--readers", readers, "--tiers", "day", root)
        assert result.code == lithify.USAGE and "tiers need readers = manifest" in result.err, str(result)
        assert not (root / "_lithify.json").exists()
    lithify.ok("adopt", "--readers", "glob", root)
    for _ in range(2):
        before = numbered.tree(root)
        result = lithify.run(*COMPACT, "--tiers", "day", root)
        assert result.code == lithify.USAGE and "tiers need readers = manifest" in result.err, str(result)
        result = lithify.run("adopt", "--unlisted", "ignore", root)
        assert result.code == lithify.USAGE and "readers = glob" in result.err, str(result)
        assert numbered.tree(root) == before
        file = root / "_lithify.json"
        file.write_text(file.read_text().replace('"format": 1', '"format": 2'))


def test_rollback_is_refused(tmp_path):
    """There is nothing to go back to."""
    root = tmp_path / "lake"
    make(root)
    lithify.ok(*COMPACT, root)
    before = numbered.tree(root)
    for options in ([], ["--dry-run"]):
        result = lithify.run("rollback", *options, root / PARTITION)
        assert result.code == lithify.FAILED and "readers = glob" in result.err, str(result)
    assert numbered.tree(root) == before


# What a job leaves.


def test_a_lake_for_globbers(tmp_path):
    """P1, P6, RFC0009.1: what was merged is gone when compact ends, and nothing else is."""
    root = tmp_path / "lake"
    make(root)
    (root / PARTITION / "notes.txt").write_text("not ours")
    code, report = compact_json(root)
    assert code == lithify.DONE and report["state"] == "compacted", report
    assert (report["inputs"], report["deleted"], report["held_bytes"]) == (FILES, FILES, 0)
    globbing.check_settled(root, IDS)
    names = {path.name for path in (root / PARTITION).iterdir()}
    assert {"notes.txt", "manifest.json"} < names and len(names) == 2 + report["outputs"]
    audit.check(root)
    before = numbered.tree(root)
    for command in (COMPACT, GC, ["plan"], ["status"], ["ls"], ["fsck"]):
        lithify.ok(*command, root)
        assert numbered.tree(root) == before, command
    # And again, with what came later.
    late = make(root, 4, 50, first=1000, stem="late")
    globbing.check(root, [*IDS, *late])
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, [*IDS, *late])


def test_state_does_not_pile_up(tmp_path):
    """B7: a hundred jobs leave no object of state behind."""
    root = tmp_path / "lake"
    ids = []
    for number in range(20):
        for name in "abcde":
            numbered.fill(root / f"p={name}" / PARTITION, 2, 5, first=len(ids), stem=f"n{number}")
            ids += range(len(ids), len(ids) + 10)
        lithify.ok(*COMPACT, root)
    globbing.check_settled(root, ids)
    assert [path.name for path in (root / globbing.STATE).rglob("*")] == ["base"]


def test_partitions_and_names_of_all_kinds(tmp_path):
    """P4: the root as a partition, spaces, percent signs, other letters, and paths too long for a name."""
    root = tmp_path / "lake"
    places = ["a b=c%20d", "name=é", "x/" * 20 + "y", "k=" + "v" * 120 + "/l=" + "w" * 120]
    ids = []
    for place in [".", *places]:
        numbered.fill(root / place, 4, 10, first=len(ids))
        ids += range(len(ids), len(ids) + 40)
    for place in places:
        # Each is cut off on its own, so that the journals lie side by side.
        assert crash.run("committed", 1, *COMPACT, "--partition", place, root) is None, place
    assert len(globbing.journals(root)) == len(places)
    assert sum(path.name.startswith("@") for path in globbing.journals(root)) == 1
    globbing.check(root, ids, times=2)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, ids)
    assert len(list(root.rglob("*.parquet"))) == 1 + len(places)


def test_a_path_that_is_no_text_is_refused(tmp_path):
    """P9: a journal cannot hold it: such a partition is left as it is, and says so; others go on."""
    root = tmp_path / "lake"
    make(root)
    bad = os.fsencode(root) + b"/name=\xff"
    numbered.fill(tmp_path / "made", 4, 10, first=5000)
    os.mkdir(bad)
    for path in (tmp_path / "made").iterdir():
        os.rename(path, bad + b"/" + os.fsencode(path.name))
    result = lithify.run(*COMPACT, root)
    assert result.code == lithify.FAILED and "UTF-8" in result.err, str(result)
    assert sorted(name for name in os.listdir(bad) if name.endswith(b".parquet")) == \
        [b"part-%05d.parquet" % number for number in range(4)]
    assert globbing.journals(root) == []
    assert len(list((root / PARTITION).glob("*.parquet"))) == 2


# ARC.1: what a journal says, and that it is there in time.


def test_journal_tells_what_a_job_is_about_to_do(quick_path):
    """ARC.1: before the first output can be seen, the journal has everything that recovery asks for."""
    root = quick_path / "lake"
    make(root)
    inputs = {path.name: path.stat() for path in (root / PARTITION).iterdir()}
    cut(root, "journaled")
    assert {path.name for path in (root / PARTITION).glob("*.parquet")} == set(inputs)
    path, told = globbing.journal(root)
    assert path.parent == root / "_compaction_state" / "base"
    assert path.name == str(PARTITION).replace("/", "%2F").replace("=", "%3D") + f"_{told['job_id']}.json"
    assert (told["status"], told["tier"], told["partition_path"]) == ("pending", "base", str(PARTITION))
    assert told["input_files"] == [f"{PARTITION}/{name}" for name in sorted(inputs)]
    assert told["input_sizes"] == [inputs[name].st_size for name in sorted(inputs)]
    assert told["input_etags"] == [f"{inputs[name].st_size}:{inputs[name].st_mtime_ns}" for name in sorted(inputs)]
    first, _ = told["outputs"]
    assert [first["path"], first["size"], first["crc32"]] == \
        [told["output_path"], told["output_size"], told["output_crc32"]]
    for output in told["outputs"]:
        unfinished = root / (output["path"] + ".tmp")
        assert unfinished.stat().st_size == output["size"]
        assert parquet.ParquetFile(unfinished).metadata.num_rows > 0
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def test_journal_is_of_the_commit(quick_path):
    """ARC.1: its job_id is that of the commit in the log, its outputs are those that are named."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    _, told = globbing.journal(root)
    manifest = json.loads((root / PARTITION / "manifest.json").read_bytes())
    assert manifest["lithify"]["log"][-1]["commit_id"] == told["job_id"]
    assert manifest["lithify"]["log"][-1]["journal"] is True
    assert [output["path"] for output in told["outputs"]] == [f"{PARTITION}/{name}" for name in manifest["files"]]
    ours = {entry["name"]: entry for entry in manifest["lithify"]["files"]}
    for output in told["outputs"]:
        entry = ours[output["path"].rsplit("/", 1)[1]]
        assert (output["size"], output["crc32"]) == (entry["size"], entry["crc32"])


# P3: cut off anywhere.


@pytest.mark.parametrize("step,arrival", BEFORE + SEEN + COMMITTED + DONE)
@pytest.mark.parametrize("command", [COMPACT, GC], ids=["compact", "gc"])
def test_killed_then(command, step, arrival, quick_path):
    """ARC.1, P3, P2, RFC0009.4, B15: after a kill rows may be there twice, and are not once the next pass
    is over; nobody ever misses one."""
    root = quick_path / "lake"
    make(root)
    cut(root, step, arrival)
    where = f"killed at {step}:{arrival}"
    twice = globbing.check(root, IDS, where, times=2)
    assert twice == (2 if (step, arrival) in SEEN + COMMITTED else 1), where
    numbered.check_everywhere(root, IDS, where=where)
    lithify.ok(*command, root)
    globbing.check_settled(root, IDS, where=f"{where}, then {command[0]}")
    if command is COMPACT:
        names = {path.name for path in (root / PARTITION).iterdir() if not path.name.endswith(".tmp")}
        assert len(names) == 2 + 1, f"{where}: {names}"
        audit.check(root)


@pytest.mark.parametrize("step,arrival", PUTS, ids=[f"{step}-{arrival}" for step, arrival in PUTS])
def test_killed_at_a_put(step, arrival, quick_path):
    """ARC.1, P3: of the journal, of each manifest, of the note of events."""
    root = quick_path / "lake"
    make(root)
    if crash.run(step, arrival, *COMPACT, root) is not None:
        assert arrival > 7, "a job puts more often"
        return
    where = f"killed at {step}:{arrival}"
    globbing.check(root, IDS, where, times=2)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS, where=where)


def test_a_kill_while_recovering(quick_path):
    """ARC.1, P3: killed again and again, each time somewhere else; LITHIFY_SEED."""
    chance = random.Random(f"{SEED}/recovering")
    steps = ["fenced", *changes.DELETE, "cleaned", *changes.PUT, "unjournaled"]
    for first in ("output-durable", "committed"):
        root = quick_path / first / "lake"
        make(root)
        cut(root, first)
        story = [first]
        for _ in range(12):
            step, arrival = chance.choice(steps), chance.randrange(1, 4)
            done = crash.run(step, arrival, *chance.choice([COMPACT, GC]), root)
            story.append(f"{step}:{arrival} {'killed' if done is None else done}")
            globbing.check(root, IDS, f"LITHIFY_SEED={SEED}: {story}", times=2)
            numbered.check_everywhere(root, IDS, where=f"LITHIFY_SEED={SEED}: {story}")
        lithify.ok(*COMPACT, root)
        globbing.check_settled(root, IDS, where=str(story))


def test_journals_never_expire(quick_path):
    """A2: a journal of years ago is finished as any other: deletes first, then the journal."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, told = globbing.journal(root)
    told["created_at"] = "2001-01-01T00:00:00Z"
    path.write_text(json.dumps(told))
    past = time.time() - 9 * 365 * 86400
    os.utime(path, (past, past))
    assert crash.run("delete-durable", 1, *GC, root) is None
    assert not list((root / PARTITION).glob("part-*")) and globbing.journals(root) == [path]
    lithify.ok(*GC, root)
    globbing.check_settled(root, IDS)


def test_a_partition_that_is_not_due_recovers(quick_path):
    """ARC.1: by any pass, whatever else there is to do there."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    result = lithify.run("compact", "--settle", "9d", "--min-files", "99", "--json", root)
    assert result.code == lithify.DONE and state_of(result)["deleted"] == FILES, str(result)
    globbing.check_settled(root, IDS)


def test_dry_runs_tell_and_touch_nothing(quick_path):
    """plan, gc --dry-run, status, ls and fsck of a partition with a journal."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    before = numbered.tree(root)
    for command in (["plan"], ["gc", "--dry-run"]):
        result = lithify.run(*command, "--json", root)
        assert result.code == lithify.AGAIN and state_of(result)["state"] == "pending", str(result)
    lithify.ok("status", root)
    numbered.check(numbered.listed(root), IDS)
    assert lithify.run("fsck", root).code in (lithify.DONE, lithify.BLOCKED)
    assert numbered.tree(root) == before


def test_a_live_file_that_its_writer_replaces_meanwhile(quick_path):
    """P6: nothing is deleted beside it; the next compact names the file that is there, and goes on."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    os.utime(next((root / PARTITION).glob("*_e*.parquet")))
    assert lithify.run(*GC, root).code == lithify.BLOCKED
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


# Two journals of one partition.


def test_two_journals(quick_path):
    """Case x: a journal that a pass did not know of, and one of its own."""
    for first in ("journaled", "output-durable", "committed"):
        root = quick_path / first / "lake"
        make(root)
        cut(root, first)
        path = globbing.journals(root)[0]
        away = path.rename(root / "away")
        late = make(root, 4, 50, first=1000, stem="late")
        cut(root, "committed")
        away.rename(path)
        assert len(globbing.journals(root)) == 2
        globbing.check(root, [*IDS, *late], times=3)
        lithify.ok(*GC, root)
        globbing.check_settled(root, [*IDS, *late], where=first)


# Foreign hands.


def edit(change):
    def work(root, path):
        told = json.loads(path.read_bytes())
        change(told)
        path.write_text(json.dumps(told))

    return work


def add_input(told):
    told["input_files"].append(f"{PARTITION}/keep.parquet")
    told["input_sizes"].append(told["input_sizes"][0])
    told["input_etags"].append(told["input_etags"][0])


def point_elsewhere(told):
    told["input_files"] = [name.replace("hour=05", "hour=06") for name in told["input_files"]]


def of_another_job(root, path):
    """The journal of another partition under this one's name."""
    other = root / str(PARTITION).replace("hour=05", "hour=06")
    numbered.fill(other, 4, 10, first=9000)
    assert crash.run("committed", 1, *COMPACT, "--partition", "*hour=06", root) is None
    [theirs] = [p for p in globbing.journals(root) if p != path]
    shutil.copy2(theirs, path)
    lithify.run(*GC, "--partition", "*hour=06", root)


BLOCKING = {
    "empty": lambda root, path: path.write_text(""),
    "torn": lambda root, path: path.write_bytes(path.read_bytes()[:100]),
    "no JSON": lambda root, path: path.write_bytes(b"\x00" * 300),
    "newer": edit(lambda told: told.update(format=2)),
    "another status": edit(lambda told: told.update(status="done")),
    "another job": edit(lambda told: told.update(job_id="0" * 32)),
    "another partition": edit(point_elsewhere),
    "a path upwards": edit(lambda told: told["input_files"].__setitem__(0, f"{PARTITION}/../x.parquet")),
    "the manifest as an input": edit(lambda told: told["input_files"].__setitem__(0, f"{PARTITION}/manifest.json")),
    "another checksum": edit(lambda told: (told.update(output_crc32="0" * 8), told["outputs"][0].update(crc32="0" * 8))),
    "of another partition": of_another_job,
    "a directory": lambda root, path: (path.unlink(), path.mkdir()),
    "without manifest": lambda root, path: (root / PARTITION / "manifest.json").unlink(),
    "another manifest": lambda root, path: (root / PARTITION / "manifest.json").write_text('{"generation": 1, "files": []}'),
}


@pytest.mark.parametrize("how", BLOCKING)
def test_foreign_hands(how, quick_path):
    """ARC.1, P9, P10: what is not sure stops its partition, and says which journal; others go on, and no
    byte of data goes."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, _ = globbing.journal(root)
    BLOCKING[how](root, path)
    good = numbered.fill(root / "p=good" / numbered.HOUR, 4, 10, first=20000)
    before = files_of(root)
    for number in range(2):
        result = lithify.run(*COMPACT, "--json", root)
        report = state_of(result)
        assert result.code == lithify.BLOCKED and report["state"] == "blocked", str(result)
        assert path.name in report["reason"], report
        assert files_of(root) == before, number
    assert path.exists()
    folder = root / "p=good" / numbered.HOUR
    assert len(list(folder.glob("*.parquet"))) == 1
    numbered.check(reader.read(folder), good)


def link(path, to):
    path.symlink_to(to)


def away(path):
    """What a hand put aside, outside the lake."""
    return path.rename(path.parents[2].with_name("away"))


# What stands in the place of a journal, and what is told of it.
NO_FILES = {
    "a directory": ("a directory", lambda path: (away(path), path.mkdir())),
    "a pipe": ("a pipe", lambda path: (away(path), os.mkfifo(path))),
    "a link": ("a symbolic link", lambda path: link(path, away(path))),
    "a dangling link": ("a symbolic link", lambda path: (away(path), link(path, "nowhere"))),
    "beside its folder": ("a file beside it", lambda path: path.rename(path.parents[1] / path.name)),
    "a directory beside": ("a directory beside it", lambda path: (away(path), (path.parents[1] / path.name).mkdir())),
}


@pytest.mark.parametrize("how", NO_FILES)
def test_what_is_no_file_is_not_absent(how, quick_path):
    """P9: something else under a journal's name is a journal that cannot be read: it blocks its partition alone,
    is never opened, and the reason says where it is, what should be there, what is, and what to do."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, _ = globbing.journal(root)
    found, work = NO_FILES[how]
    good = path.read_bytes()
    work(path)
    other = numbered.fill(root / "p=good" / numbered.HOUR, 4, 10, first=20000)
    before = files_of(root)
    for command in (COMPACT, ["gc"], ["plan"], ["gc", "--dry-run"]):
        result = lithify.run(*command, "--json", root)
        report = state_of(result)
        assert result.code == lithify.BLOCKED and report["state"] == "blocked", str(result)
        for words in (globbing.STATE, path.name, "expected a file in", found, "restored, or taken away"):
            assert words in report["reason"], report
        assert files_of(root) == before, command
    assert status_of(root)["blocked_partitions"] == 1
    result = lithify.run("fsck", root)
    assert result.code == lithify.BLOCKED and found in result.out and path.name in result.out, str(result)
    numbered.check(reader.read(root / "p=good" / numbered.HOUR), other)
    for place in (path, path.parents[1] / path.name):
        if place.is_dir():
            place.rmdir()
        elif os.path.lexists(place):
            place.unlink()
    path.write_bytes(good)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, [*IDS, *other])


def test_no_files_of_other_names_are_told(quick_path):
    """P8: what looks like a journal and is of no partition is told until somebody takes it away."""
    root = quick_path / "lake"
    make(root)
    lithify.ok(*COMPACT, root)
    os.mkfifo(root / globbing.STATE / "base" / "pipe.json")
    result = lithify.run(*COMPACT, root)
    assert result.code == lithify.BLOCKED and "not named as a journal" in result.out, str(result)


IN_THE_WAY = {
    "a file": ("a file", lambda path: path.write_text("")),
    "a pipe": ("a pipe", os.mkfifo),
    "a dangling link": ("a symbolic link", lambda path: link(path, "nowhere")),
    "a link": ("a symbolic link", lambda path: link(path, path.parents[-2])),
}


@pytest.mark.parametrize("place,how", [(place, how) for place in (f"{globbing.STATE}/base", globbing.STATE)
                                       for how in IN_THE_WAY
                                       if (place, how) != (globbing.STATE, "a link")])  # see the test behind this one
def test_what_is_no_folder_of_journals_is_not_absent(place, how, quick_path):
    """P9: something else in the place of the folder of journals, or of one in it, may hide any of them: no pass
    does anything, fsck says that it could not look."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    found, work = IN_THE_WAY[how]
    folder = root / place
    kept = folder.rename(quick_path / "kept")
    work(folder)
    before = files_of(root)
    for command in (COMPACT, GC, ["plan"], ["status"], ["gc", "--dry-run"], ["fsck"]):
        result = lithify.run(*command, root)
        assert result.code == lithify.FAILED, str(result)
        for words in (f"{place}: expected a directory", ", found ", found, "put the directory back"):
            assert words in result.err, str(result)
        assert files_of(root) == before, command
    folder.unlink()
    kept.rename(folder)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def test_journals_behind_a_link(quick_path):
    """P9: a lake's folder of journals may be a link to a directory: they are found there."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    link(root / globbing.STATE, (root / globbing.STATE).rename(quick_path / "kept"))
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def status_of(root):
    """Of a lake in which something is blocked."""
    result = lithify.run("status", "--json", root)
    assert result.code == lithify.BLOCKED, str(result)
    return json.loads(result.out)["total"]


@pytest.mark.parametrize("how", [how for how in BLOCKING if how != "another checksum"])  # bytes that no dry run reads
def test_dry_runs_tell_of_what_blocks(how, quick_path):
    """P8, P9: plan, gc --dry-run and status call such a partition blocked, for the reason that compact gives."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, _ = globbing.journal(root)
    BLOCKING[how](root, path)
    before = numbered.tree(root)
    told = []
    for command in (["plan"], ["gc", "--dry-run"]):
        result = lithify.run(*command, "--json", root)
        assert result.code == lithify.BLOCKED and state_of(result)["state"] == "blocked", str(result)
        told.append(state_of(result)["reason"])
    total = status_of(root)
    assert (total["blocked_partitions"], total["due_partitions"]) == (1, 0), total
    assert numbered.tree(root) == before
    _, report = compact_json(root)
    assert told == [report["reason"]] * 2, (told, report)


def test_dry_runs_tell_of_a_journal_of_no_partition(quick_path):
    """P8: status counts what plan tells of."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    shutil.rmtree(root / PARTITION)
    assert lithify.run("plan", root).code == lithify.BLOCKED
    assert status_of(root)["blocked_partitions"] == 1


def test_an_added_input_is_not_deleted(quick_path):
    """P10: a name that a hand puts into a journal is not deleted by it: the manifest has not retired it."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    keep = numbered.write(root / PARTITION / "keep.parquet", range(5000, 5010), age_s=0)
    path, _ = globbing.journal(root)
    edit(add_input)(root, path)
    lithify.ok(*GC, root)
    assert keep.exists()
    lithify.ok("compact", *globbing.NOW, "--min-files", "9", "--settle", "9d", root)  # names it
    assert keep.exists()
    globbing.check_settled(root, [*IDS, *range(5000, 5010)])


def test_a_journal_that_was_taken_away(quick_path):
    """ARC.1: by hand. What it named waits for gc, which needs no journal for what was committed."""
    for step in ("output-durable", "committed"):
        root = quick_path / step / "lake"
        make(root)
        cut(root, step)
        globbing.journals(root)[0].unlink()
        numbered.check_everywhere(root, IDS)
        lithify.ok(*GC, "--orphan-grace", "0s", root)
        globbing.check_settled(root, IDS, where=step)


def test_a_copied_journal_is_told(quick_path):
    """A copy under another name is nobody's, and is told in every pass; one under its own name is its own."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, _ = globbing.journal(root)
    copy = shutil.copy2(path, path.with_name("copy of a journal.json"))
    shutil.copy2(path, path.with_name(path.name[:-37] + "0" * 32 + ".json"))
    result = lithify.run(*COMPACT, root)
    assert result.code == lithify.BLOCKED, str(result)
    assert "copy of a journal.json" in result.out and "job_id" in result.out, str(result)
    path.with_name(path.name[:-37] + "0" * 32 + ".json").unlink()
    result = lithify.run(*COMPACT, root)
    assert result.code == lithify.BLOCKED and "not named as a journal" in result.out, str(result)
    copy.unlink()
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def test_a_partition_that_was_removed(quick_path):
    """ARC.1: its journal is told until somebody takes it away; passes over other parts say nothing."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    shutil.rmtree(root / PARTITION)
    good = numbered.fill(root / "p=other" / PARTITION, 4, 10, first=20000)
    for _ in range(2):
        result = lithify.run(*COMPACT, "--json", root)
        report = state_of(result)
        assert result.code == lithify.BLOCKED and "its partition is not there" in report["reason"], str(result)
        lithify.ok(*COMPACT, "--partition", "p=other/*", root)
    globbing.journals(root)[0].unlink()
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, good)


def test_an_output_that_was_deleted(quick_path):
    """P10, ARC.1: the inputs are all there is."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    _, told = globbing.journal(root)
    (root / told["outputs"][1]["path"]).unlink()
    for _ in range(2):
        code, report = compact_json(root)
        assert code == lithify.BLOCKED and "is missing" in report["reason"], report
    assert len(list((root / PARTITION).glob("part-*.parquet"))) == FILES


@pytest.mark.parametrize("whose,reason", [("older", "older than its job"), ("another", "had another manifest")])
def test_a_manifest_that_is_not_its_jobs(whose, reason, quick_path):
    """P9, P10: an old one put back, or one of another life of the partition, cannot say what became of a job:
    blocked, nothing goes; with the right one it is finished."""
    root, twin = quick_path / "lake", quick_path / "twin"
    for place in (root, twin):
        make(place)
        lithify.ok("adopt", "--readers", "glob", place)
    manifest = root / PARTITION / "manifest.json"
    other = {"older": manifest, "another": twin / PARTITION / "manifest.json"}[whose].read_bytes()
    cut(root, "committed")
    good = manifest.read_bytes()
    manifest.write_bytes(other)
    before = files_of(root)
    for command in (COMPACT, GC, ["adopt", "--readers", "glob"], ["plan"]):
        result = lithify.run(*command, root)
        assert result.code == lithify.BLOCKED and reason in result.out, str(result)
        assert files_of(root) == before, command
    result = lithify.run("retire", root / PARTITION, "part-00000.parquet")
    assert result.code != lithify.DONE and files_of(root) == before, str(result)
    manifest.write_bytes(good)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


@pytest.mark.parametrize("command", [["adopt", "--readers", "glob"], ["retire"]], ids=["adopt", "retire"])
@pytest.mark.parametrize("step", ["output-durable", "committed"])
def test_other_commands_recover_first(command, step, quick_path):
    """ARC.1: adopt and retire finish what a job left, before they do anything of their own; what they cannot do
    then, as to retire a file that was merged, they say."""
    root = quick_path / "lake"
    make(root)
    cut(root, step)
    if command == ["retire"]:
        names = ["part-00000.parquet"]
        code = lithify.run(*command, root / PARTITION, *names).code
        assert code == (lithify.DONE if step == "output-durable" else lithify.FAILED), code
        gone = set(range(ROWS)) if step == "output-durable" else set()
        assert globbing.journals(root) == []
        lithify.ok(*GC, root)
        globbing.check_settled(root, sorted(set(IDS) - gone))
    else:
        lithify.ok(*command, root)
        globbing.check_settled(root, IDS)


def test_gc_bytes_max_is_of_gc_alone(quick_path):
    """docs/readers.md: neither the deletes of a job nor those that finish one for it are held back by it; what was
    retired by hand is."""
    for step in (None, "committed"):
        root = quick_path / str(step) / "lake"
        make(root)
        if step:
            cut(root, step)
        lithify.ok(*(GC if step else COMPACT), "--gc-bytes-max", "1B", root)
        assert list((root / PARTITION).glob("part-*.parquet")) == []
        globbing.check_settled(root, IDS)
    late = make(root, 3, 10, first=5000, stem="late")
    lithify.ok("compact", *globbing.NOW, "--min-files", "99", "--settle", "9d", root)
    names = [f"late-0000{number}.parquet" for number in range(3)]
    lithify.ok("retire", root / PARTITION, *names)
    globbing.check(root, [*IDS, *late])
    result = lithify.run(*GC, "--gc-bytes-max", "1B", root)
    assert "3 files more are past their grace" in result.out, str(result)
    globbing.check(root, [*IDS, *late])
    lithify.ok(*GC, root)
    globbing.check_settled(root, IDS)


def test_an_output_whose_inputs_are_gone_stays(quick_path):
    """P10: not committed, it may hold the only copy of rows of the input that somebody took away."""
    root = quick_path / "lake"
    make(root)
    cut(root, "output-durable", 2)
    away = (root / PARTITION / "part-00001.parquet").rename(quick_path / "away")
    before = files_of(root)
    for command in (COMPACT, GC):
        result = lithify.run(*command, "--json", root)
        assert result.code == lithify.BLOCKED and state_of(result)["state"] == "blocked", str(result)
        assert "is missing" in state_of(result)["reason"] and globbing.journals(root), str(result)
        assert files_of(root).keys() == before.keys(), command
    away.rename(root / PARTITION / "part-00001.parquet")
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def test_an_input_that_changed(quick_path):
    """P10: other bytes under a name of the journal stay, and count from then on."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    numbered.write(root / PARTITION / "part-00003.parquet", range(7000, 7100))
    lithify.ok(*GC, root)
    assert (root / PARTITION / "part-00003.parquet").exists()
    globbing.check(root, [*IDS, *range(7000, 7100)])
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, [*IDS, *range(7000, 7100)])


# Deletes that fail.


@pytest.mark.skipif(not IS_ROOT, reason="SKIP: needs files of two owners, so root")
@pytest.mark.parametrize("when", ["at once", "recovering"])
def test_a_delete_that_is_denied(when, public):  # noqa: F811
    """ARC.4, A1, A19: pending, exit 4, with the name; the others go; the next pass that may finishes."""
    root = public / "lake"
    make(root)
    lithify.ok("adopt", "--readers", "glob", root)
    if when == "recovering":
        cut(root, "committed")
    give(root)
    stuck = [root / PARTITION / f"part-0000{number}.parquet" for number in (1, 3, 4)]
    os.chown(root / PARTITION, 0, 0)
    (root / PARTITION).chmod(0o1777)  # one may not take away the files of others
    for path in stuck:
        os.chown(path, 0, 0)
    generations = set()
    for _ in range(3):
        code, text = run_unprivileged(public, *COMPACT, root)
        assert code == lithify.AGAIN and "pending" in text and stuck[0].name in text, (code, text)
        assert sorted((root / PARTITION).glob("part-*.parquet")) == stuck
        globbing.check(root, IDS, times=2)
        numbered.check_everywhere(root, IDS)
        generations.add(json.loads((root / PARTITION / "manifest.json").read_bytes())["generation"])
    assert len(generations) == 1, f"a pass that can do nothing commits nothing: {generations}"
    for path in stuck:
        os.chown(path, NOBODY, NOBODY)
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.DONE, text
    globbing.check_settled(root, IDS)


def test_a_directory_that_is_read_only(public):  # noqa: F811
    """ARC.4: nothing in it can be deleted, not even a manifest written; nothing is lost."""
    root = public / "lake"
    make(root)
    lithify.ok("adopt", "--readers", "glob", root)
    cut(root, "committed")
    give(root)
    (root / PARTITION).chmod(0o555)
    before = numbered.tree(root / PARTITION)
    for _ in range(2):
        code, text = run_unprivileged(public, *COMPACT, root)
        assert code == lithify.AGAIN and "pending" in text, (code, text)
        assert numbered.tree(root / PARTITION) == before
    (root / PARTITION).chmod(0o755)
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.DONE, text
    globbing.check_settled(root, IDS)


@pytest.mark.parametrize("mode", [0o555, 0], ids=["read only", "not readable"])
def test_journals_that_cannot_be_listed(mode, public):  # noqa: F811
    """A3, P9: unknown is not absent: without the journals nothing is merged; without the right to put one
    nothing can be seen."""
    root = public / "lake"
    make(root)
    lithify.ok("adopt", "--readers", "glob", root)
    (root / globbing.STATE / "base").mkdir(parents=True)
    give(root)
    (root / globbing.STATE / "base").chmod(mode)
    data = {path.name for path in (root / PARTITION).glob("*.parquet")}
    for command in (COMPACT, GC, ["plan"]):
        code, text = run_unprivileged(public, *command, root)
        if mode or command is COMPACT:
            assert code == (lithify.DONE if mode and command is not COMPACT else lithify.FAILED), (code, text)
            assert command is not COMPACT or globbing.STATE in text, text
        else:
            assert code == lithify.FAILED and "cannot be listed" in text, (code, text)
        assert {path.name for path in (root / PARTITION).glob("*.parquet")} == data
    (root / globbing.STATE / "base").chmod(0o755)
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.DONE, text
    globbing.check_settled(root, IDS)


# The faults that are still in other compactors (peers-and-pains, section 3, Arc).


def test_arc3_1_a_journal_that_cannot_be_read_is_kept(quick_path):
    """ARC.1: Arc deletes it, and the rows stay twice for good. Here it blocks, and a good copy finishes."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    path, _ = globbing.journal(root)
    good = path.read_bytes()
    for bad in (b"", good[:-200], good.replace(b"pending", b"pend\xffng")):
        path.write_bytes(bad)
        for command in (COMPACT, GC, COMPACT):
            assert lithify.run(*command, root).code == lithify.BLOCKED
        assert path.read_bytes() == bad
    path.write_bytes(good)
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


def test_arc3_2_a_listing_that_fails_deletes_nothing(public):  # noqa: F811
    """ARC.1: Arc skips the check of the output where it cannot list, and deletes the inputs."""
    root = public / "lake"
    make(root)
    lithify.ok("adopt", "--readers", "glob", root)
    cut(root, "committed")
    give(root)
    (root / PARTITION).chmod(0o333)
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.FAILED and "ermission denied" in text, (code, text)
    (root / PARTITION).chmod(0o755)
    assert len(list((root / PARTITION).glob("part-*.parquet"))) == FILES
    assert len(globbing.journals(root)) == 1
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.DONE, text
    globbing.check_settled(root, IDS)


@pytest.mark.parametrize("how", ["magic", "torn", "flipped"])
def test_arc3_3_contents_of_an_output_are_compared(how, quick_path):
    """ARC.1, A15: to Arc four bytes at each end are an output. Here it is size, time and checksum."""
    root = quick_path / "lake"
    make(root)
    cut(root, "committed")
    _, told = globbing.journal(root)
    path = root / told["output_path"]
    stat, good = path.stat(), path.read_bytes()
    bad = {"magic": b"PAR1" + b"\0" * (len(good) - 8) + b"PAR1", "torn": good[:-1],
           "flipped": good[:1000] + bytes([good[1000] ^ 1]) + good[1001:]}[how]
    path.write_bytes(bad)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    for _ in range(2):
        code, report = compact_json(root)
        assert code == lithify.BLOCKED and path.name in report["reason"], report
        assert len(list((root / PARTITION).glob("part-*.parquet"))) == FILES
    path.write_bytes(good)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    lithify.ok(*COMPACT, root)
    globbing.check_settled(root, IDS)


# What readers see meanwhile.


class Globbers:
    """A writer, a compactor and engines that glob, until the time is up or one of them fails."""

    def __init__(self, root, rows=20):
        self.root, self.rows = root, rows
        self.begun = self.finished = 0
        self.end = time.monotonic() + SECONDS
        self.failure = None
        self.seen = {}  # who -> {what: how often}
        self.threads = []

    def start(self, work, *arguments):
        def run():
            try:
                while time.monotonic() < self.end and self.failure is None:
                    work(*arguments)
            except BaseException as problem:  # told by join
                self.failure = self.failure or problem

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def join(self):
        for thread in self.threads:
            thread.join()
        print(f"{self.finished} files, {self.seen}")
        if self.failure is not None:
            raise self.failure

    def write(self, pause_s, files=1):
        for _ in range(files):
            number = self.begun
            self.begun += 1
            numbered.write(self.root / PARTITION / f"late-{number:06}.parquet",
                           range(number * self.rows, self.begun * self.rows), age_s=0)
            self.finished = self.begun
        time.sleep(pause_s)

    def command(self, *words):
        done = subprocess.run([lithify.BIN, *map(str, words), self.root], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        assert done.returncode in (lithify.DONE, lithify.AGAIN), f"exit {done.returncode}: {done.stdout}"
        self.count("compactor", done.returncode)

    def compact(self):
        self.command("compact", *globbing.NOW, "--min-files", "2", "--row-group-rows", "200")

    def count(self, who, what):
        told = self.seen.setdefault(who, {})
        told[what] = told.get(what, 0) + 1

    def read(self, name):
        least = self.finished * self.rows
        try:
            numbers = globbing.ENGINES[name](self.root)
        except globbing.Gone:
            self.count(name, "gone")
            return
        self.count(name, globbing.judge(numbers, range(least), range(self.begun * self.rows), name))


def test_engines_glob_during_commits(tmp_path):
    """RFC0009.3, A7, A16: no engine ever misses a row, or sees one more than twice, whenever it looks; it
    may find a file gone.

    This cannot show that rows are seen twice: whether an engine looks in that moment is chance, and a run in
    which none does passes, too. test_each_engine_counts_twice_meanwhile stops a job there. Nor can it show that
    DuckDB and pyarrow never pass over a job's rows: docs/readers.md says when they would."""
    race = Globbers(tmp_path / "lake")
    race.write(0)
    lithify.ok("adopt", "--readers", "glob", race.root)
    race.start(race.write, 0.01, 8)
    race.start(race.compact)
    for name in globbing.ENGINES:
        race.start(race.read, name)
    race.join()
    for name in globbing.ENGINES:
        assert sum(race.seen[name].values()) > 3, race.seen
        assert set(race.seen[name]) <= {1, 2, "gone"}, race.seen
    lithify.ok("compact", *globbing.NOW, race.root)
    globbing.check_settled(race.root, range(race.finished * race.rows))


@pytest.mark.parametrize("step,arrival,times", [("journaled", 1, 1), ("output-durable", 2, 2), ("committed", 1, 2),
                                                ("fenced", 1, 2), ("cleaned", 1, 1)])
def test_each_engine_counts_twice_meanwhile(step, arrival, times, quick_path):
    """docs/readers.md: a job that stands still where its outputs have their names and no input is deleted yet: every
    engine sees every row exactly twice. Before and behind that: once. Readers of manifests: always once."""
    root = quick_path / "lake"
    make(root)
    cut(root, step, arrival)
    for name, engine in globbing.ENGINES.items():
        assert sorted(engine(root)) == sorted([*IDS] * times), f"{name} at {step}"
    numbered.check_everywhere(root, IDS, where=step)


def test_races_among_globbers(tmp_path):
    """P2, P3, ARC.3: two compactors, a gc, a writer; readers of the rule see each row once, engines that
    glob miss none."""
    race = Globbers(tmp_path / "lake")
    race.write(0)
    lithify.ok("adopt", "--readers", "glob", race.root)
    race.start(race.write, 0.02)
    race.start(race.compact)
    race.start(race.compact)
    race.start(race.command, *GC)

    def rule():
        least = race.finished * race.rows
        numbers = sorted(reader.read(race.root, columns=["id"])["id"].to_pylist())
        assert len(set(numbers)) == len(numbers), "the rule: rows twice"
        globbing.judge(numbers, range(least), range(race.begun * race.rows), "the rule", times=1)
        race.count("rule", 1)

    race.start(rule)
    race.start(race.read, "pyarrow")
    race.join()
    assert race.seen["rule"][1] > 3, race.seen
    lithify.ok("compact", *globbing.NOW, race.root)
    globbing.check_settled(race.root, range(race.finished * race.rows))


def test_killed_compactors_among_globbers(tmp_path):
    """P3, ARC.1: compactors are killed at random moments; no engine misses a row; LITHIFY_SEED."""
    chance = random.Random(f"{SEED}/killed")
    race = Globbers(tmp_path / "lake")
    race.write(0)
    lithify.ok("adopt", "--readers", "glob", race.root)

    def killed():
        words = ["compact", *globbing.NOW, "--min-files", "2", race.root]
        process = subprocess.Popen([lithify.BIN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.choice([0.01, 0.02, 0.05, 0.1, 0.3]))
        except subprocess.TimeoutExpired:
            process.kill()
        race.count("compactor", process.wait())

    race.start(race.write, 0.03)
    race.start(killed)
    race.start(race.read, "pyarrow")
    race.join()
    assert set(race.seen["compactor"]) <= {0, -9, lithify.AGAIN}, race.seen
    lithify.ok("compact", *globbing.NOW, race.root)
    globbing.check_settled(race.root, range(race.finished * race.rows))


def test_a_slow_list_of_many_files(tmp_path):
    """A7: a list that takes several reads of the directory is of several moments; a job waits for those
    that began before its outputs were there, so that they miss no row."""
    race = Globbers(tmp_path / "lake", rows=1)
    lithify.ok("adopt", "--readers", "glob", numbered.write(race.root / PARTITION / "x.parquet", []).parents[5])
    long = "n" * 150

    def list_slowly():
        least = race.finished
        names = []
        with os.scandir(race.root / PARTITION) as entries:
            for number, entry in enumerate(entries):
                names.append(entry.name)
                if number % 100 == 99:
                    time.sleep(0.05)
        race.count("list", "read")
        outputs = [name for name in names if "_e" in name and name.endswith(".parquet")]
        found = {int(name.split("-")[1].split(".")[0]) for name in names if name.startswith(long)}
        for name in outputs:
            try:
                found |= set(parquet.read_table(race.root / PARTITION / name)["id"].to_pylist())
            except FileNotFoundError:
                race.count("list", "gone")
                return
        lost = set(range(least)) - found
        assert not lost, f"{len(lost)} of {least} rows are missing from a list of {len(names)} names"

    def batch_and_commit():
        for _ in range(400):
            number = race.begun
            race.begun += 1
            numbered.write(race.root / PARTITION / f"{long}-{number:06}.parquet", [number], age_s=0)
        race.finished = race.begun
        race.compact()

    race.start(batch_and_commit)
    for _ in range(3):
        race.start(list_slowly)
    race.join()
    assert race.seen["list"]["read"] > 3, race.seen


def test_whole_directories_are_no_glob(tmp_path):
    """docs/readers.md: who takes all of a directory takes the manifest, and files that are being written."""
    root = tmp_path / "lake"
    make(root)
    cut(root, "journaled")
    with pytest.raises(Exception, match="manifest.json"):
        pyarrow.dataset.dataset(root / PARTITION, format="parquet").to_table()
    hidden = tmp_path / "hidden"
    numbered.fill(hidden / PARTITION, FILES, ROWS)
    cut(hidden, "journaled", 1, "--manifest-name", "_manifest.json")
    found = pyarrow.dataset.dataset(hidden / PARTITION, format="parquet").to_table()["id"].to_pylist()
    assert sorted(found) == sorted([*IDS, *IDS]), "what is still written counts for it"


def test_manifest_globbers_count_twice_until_gc(tmp_path):
    """docs/readers.md, readers = manifest: from the commit until gc has deleted what was merged."""
    root = tmp_path / "lake"
    make(root)
    lithify.ok(*changes.COMPACT, root)
    assert globbing.check(root, IDS, times=2) == 2
    lithify.ok("gc", root)
    assert globbing.check(root, IDS, times=2) == 2, "within the grace"
    lithify.ok("gc", "--reader-grace", "0s", root)
    globbing.check(root, IDS)
    assert not (root / globbing.STATE).exists()


def test_retired_files_go_with_gc(tmp_path):
    """docs/readers.md: what is retired counts for engines that glob until gc."""
    root = tmp_path / "lake"
    make(root)
    lithify.ok("adopt", "--readers", "glob", root)
    lithify.ok("retire", root / PARTITION, "part-00002.parquet")
    left = sorted(set(IDS) - set(range(2 * ROWS, 3 * ROWS)))
    numbered.check_everywhere(root, left)
    globbing.check(root, IDS)
    lithify.ok(*GC, root)
    globbing.check_settled(root, left)


def test_a_replay_goes_with_gc(tmp_path):
    """docs/readers.md: what a writer sends again counts twice for engines that glob until it is cleaned."""
    root = tmp_path / "lake"
    make(root)
    copy = tmp_path / "copy.parquet"
    shutil.copy2(root / PARTITION / "part-00001.parquet", copy)
    lithify.ok(*COMPACT, root)
    shutil.copy(copy, root / PARTITION / "part-00001.parquet")
    numbered.check_everywhere(root, IDS)
    assert globbing.check(root, IDS, times=2) == 2
    lithify.ok(*COMPACT, root)
    lithify.ok(*GC, root)
    globbing.check_settled(root, IDS)


def test_two_compactors_of_one_partition(tmp_path):
    """ARC.3, A17: at once; one has the lock, the other leaves it alone or comes after it."""
    for number in range(3):
        root = tmp_path / str(number) / "lake"
        make(root, 40, 30)
        lithify.ok("adopt", "--readers", "glob", root)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            codes = list(pool.map(lambda _: lithify.run(*COMPACT, root).code, range(4)))
        assert set(codes) <= {lithify.DONE, lithify.AGAIN}, codes
        lithify.ok(*COMPACT, root)
        globbing.check_settled(root, range(1200))
        audit.check(root)
