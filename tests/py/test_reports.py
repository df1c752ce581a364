"""What went wrong in other compactors, sections A, B and 3 of docs/reports.md: rows doubled or lost by
the swap itself, leftovers of crashes, faults of the designs that this one comes from.

A test is named after the reports that it holds, or its docstring begins with them.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader
import slow

COMPACT = ["compact", *numbered.NOW]
GC = ["gc", *numbered.NO_GRACE]
FOLDER = pathlib.Path("tenant_id=acme") / numbered.HOUR


@pytest.fixture
def lake(tmp_path):
    """One partition of six files of 20 rows."""
    numbered.fill(tmp_path / "lake" / FOLDER, 6, 20)
    return tmp_path / "lake"


def manifest(root):
    return json.loads((root / FOLDER / "manifest.json").read_bytes())


def names(root):
    return sorted(path.name for path in (root / FOLDER).iterdir())


def outputs(root):
    return [name for name in names(root) if "_e" in name]


# A: the swap.

def test_a4_names_of_one_moment(tmp_path):
    """A4: outputs that are made in one millisecond, by one job and by several at once, have names of
    their own."""
    root = tmp_path / "lake"
    tenants = [f"t{number}" for number in range(8)]
    for tenant in tenants:
        numbered.fill(root / f"tenant_id={tenant}" / numbered.HOUR, 4, 50, tenant=tenant)
    lithify.ok(*COMPACT, "--jobs", "4", root)
    numbered.fill(root / FOLDER, 16, 50)
    lithify.ok(*COMPACT, "--target-file", "1KiB", "--row-group-rows", "50", "--partition",
               "tenant_id=acme/*", root)
    numbered.check_everywhere(root / FOLDER, range(800))
    lithify.ok("compact", *numbered.NOW, "--max-inputs", "4", root)
    made = [path.name for path in root.rglob("*_e*.parquet")]
    assert len(made) == len(set(made)) >= 8, made
    for tenant in tenants:
        numbered.check(reader.read(root / f"tenant_id={tenant}"), range(200), tenant)


def test_a5_one_name_in_two_hours(tmp_path):
    """A5: files of one name from two hours are two files, in a lake and in a merge of them."""
    root = tmp_path / "lake"
    paths = []
    for hour in range(2):
        folder = root / f"tenant_id=acme/year=2024/month=03/day=01/hour={hour:02}"
        numbered.fill(folder, 3, 20, first=100 * hour, stem="a")
        paths.append(folder / "a-00000.parquet")
    merged = lithify.merge(tmp_path / "out.parquet", paths)
    numbered.check(numbered.of_files(merged), [*range(20), *range(100, 120)])
    lithify.ok(*COMPACT, "--jobs", "2", root)
    for hour, path in enumerate(paths):
        assert len(reader.live(path.parent)) == 1
        numbered.check_everywhere(path.parent, range(100 * hour, 100 * hour + 60))


def test_a6_the_root_of_other_lakes(tmp_path):
    """A6: a run that is given the folder above two lakes leaves them to themselves: their readers may
    be others, and so may their graces."""
    for number, name in enumerate(["one", "two"]):
        numbered.fill(tmp_path / name / FOLDER, 6, 20, first=1000 * number)
        lithify.ok(*COMPACT, "--audit", "none", tmp_path / name)
        numbered.fill(tmp_path / name / FOLDER, 6, 20, first=1000 * number + 500, stem="late")
    numbered.fill(tmp_path / "rest" / FOLDER, 6, 20, first=5000)
    before = [numbered.tree(tmp_path / name) for name in ("one", "two")]
    none = ["--audit", "none"]
    for command in ([*COMPACT, *none], [*GC, *none], ["plan"],
                    ["adopt", "--readers", "manifest", *none]):
        told = lithify.run(*command, tmp_path)
        assert told.code == lithify.BLOCKED and "another lake" in told.out + told.err, str(told)
        assert [numbered.tree(tmp_path / name) for name in ("one", "two")] == before, command
    # Readers of the folder above lose nothing, and what is nobody's lake is compacted.
    ids = [*range(120), *range(500, 620), *range(1000, 1120), *range(1500, 1620), *range(5000, 5120)]
    numbered.check(numbered.listed(tmp_path), ids)
    assert len(reader.live(tmp_path / "rest" / FOLDER)) == 1


def test_a7_what_each_kind_of_reader_sees(lake):
    """A7: between the commit and gc a reader of the rule sees each row once; one that globs sees it
    twice, and the summary says until when."""
    told = lithify.ok(*COMPACT, lake)
    numbered.check_everywhere(lake, range(120))
    globbed = numbered.of_files(sorted((lake / FOLDER).glob("*.parquet")))
    assert globbed.num_rows == 240 and "replaced files hold" in told.out and "until gc" in told.out
    lithify.ok(*GC, lake)
    numbered.check_everywhere(lake, range(120))
    assert numbered.of_files(sorted((lake / FOLDER).glob("*.parquet"))).num_rows == 120


def test_a8_only_what_was_read_is_retired(lake):
    """A8, LO4: of five files one is damaged and one is large: the three that were read are retired, and
    gc deletes no other; not at once, either."""
    shutil.rmtree(lake)
    numbered.fill(lake / FOLDER, 3, 20)
    large = numbered.write(lake / FOLDER / "large.parquet", range(1000, 4000))
    damaged = numbered.write(lake / FOLDER / "damaged.parquet", range(500, 520))
    damaged.write_bytes(damaged.read_bytes()[:-8] + b"\0\0\0\0PAR1")
    os.utime(damaged, (10**9, 10**9))
    target = ["--target-file", str(large.stat().st_size)]
    assert lithify.run(*COMPACT, *target, lake).code == lithify.BLOCKED
    merged = [f"part-0000{number}.parquet" for number in range(3)]
    assert [entry["name"] for entry in manifest(lake)["lithify"]["retired"]] == merged
    lithify.ok("gc", "--quiet", lake)
    assert set(merged) < set(names(lake)), "deleted within the grace"
    lithify.ok(*GC, lake)
    assert not set(merged) & set(names(lake)) and large.exists() and damaged.exists()
    numbered.check(numbered.of_files(path for path in reader.live(lake / FOLDER) if path != damaged),
                   [*range(60), *range(1000, 4000)])


def test_a9_stopped_at_twenty_points(lake):
    """A9, B6: a run that is told to stop, by a time limit for one, leaves what was there or what was to
    come, and nothing that counts twice; the next one ends it."""
    chance = random.Random(9)
    codes = set()
    for number in range(20):
        process = subprocess.Popen([lithify.BIN, *COMPACT, lake], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0, 0.03))
        except subprocess.TimeoutExpired:
            process.send_signal([signal.SIGTERM, signal.SIGINT][number % 2])
        codes.add(process.wait(60))
        numbered.check(reader.read(lake), range(120), where=f"stopped {number} times")
        if number % 5 == 4:  # begin anew
            shutil.rmtree(lake)
            numbered.fill(lake / FOLDER, 6, 20)
    # By the signal itself where it came before the program had heard of it.
    assert codes <= {lithify.DONE, lithify.FAILED, lithify.AGAIN, -signal.SIGTERM, -signal.SIGINT}
    lithify.ok(*COMPACT, lake)
    for _ in range(2):
        lithify.ok(*GC, lake)
    numbered.check_everywhere(lake, range(120))
    assert len(names(lake)) == 2, names(lake)


def test_a10_again_and_again(lake):
    """A10, LH1: five runs are one: the rows, the file and its bytes."""
    lithify.ok(*COMPACT, lake)
    before = numbered.tree(lake)
    for _ in range(4):
        lithify.ok(*COMPACT, lake)
        lithify.ok("gc", "--quiet", lake)
        assert numbered.tree(lake) == before
    numbered.check_everywhere(lake, range(120))


def test_a11_a_file_above_the_target(tmp_path):
    """A11: a file of three row groups that is larger than the target stays whole, beside two that are
    merged; where it may join, all of its rows come along."""
    for target, live in ((None, 1), ("above", 2)):
        root = tmp_path / str(live)
        large = numbered.write(root / FOLDER / "large.parquet", range(1000, 4000), row_group_size=1000)
        numbered.fill(root / FOLDER, 2, 20)
        options = ["--target-file", str(large.stat().st_size - 1)] if target else ["--min-files", "2"]
        if not target:  # enough to be merged with it
            numbered.write(root / FOLDER / "other.parquet", range(5000, 8000))
        lithify.ok(*COMPACT, *options, root)
        ids = [*range(40), *range(1000, 4000), *([] if target else range(5000, 8000))]
        numbered.check_everywhere(root, ids)
        assert len(reader.live(root / FOLDER)) == live
        retired = [entry["name"] for entry in manifest(root)["lithify"]["retired"]]
        assert ("large.parquet" in retired) == (target is None)
        lithify.ok(*GC, root)
        numbered.check_everywhere(root, ids)


def test_a12_row_groups_and_threads(tmp_path):
    """A12: files of five row groups, read by four threads: a file is one job's from its first byte to
    its last."""
    root = tmp_path / "lake"
    for number in range(4):
        numbered.write(root / FOLDER / f"{number}.parquet", range(500 * number, 500 * number + 500),
                       row_group_size=100)
    lithify.ok(*COMPACT, "--threads", "4", root)
    numbered.check_everywhere(root, range(2000))
    (live,) = reader.live(root / FOLDER)
    assert parquet.ParquetFile(live).read(columns=["id"])["id"].to_pylist() == list(range(2000))


def test_a15_a_truncated_output(lake):
    """A15: an output that loses a byte is not what was committed: its partition is blocked, gc deletes
    none of the inputs, and a rollback has the rows back."""
    lithify.ok(*COMPACT, lake)
    (live,) = reader.live(lake / FOLDER)
    os.truncate(live, live.stat().st_size - 1)
    for command in (COMPACT, GC, GC):
        lithify.run(*command, lake)
        assert len(names(lake)) == 8, "an input was deleted"
    told = lithify.run("plan", lake)
    assert live.name in told.out, str(told)
    lithify.ok("rollback", lake / FOLDER)
    numbered.check_everywhere(lake, range(120))


@pytest.mark.parametrize("kind", ["interrupted", "stopped", "half an output"])
def test_a15_what_a_killed_run_left(kind, lake):
    """A15, A18, LO5: what an attempt left behind is no file, whatever its size: the next run makes its
    own, and gc takes away the other once it is past its grace."""
    lithify.ok(*COMPACT, "--max-inputs", "4", lake)  # has a manifest, and an output of its own
    numbered.fill(lake / FOLDER, 6, 20, first=500, stem="late")
    ids = [*range(120), *range(500, 620)]
    process = slow.begin(lake, FOLDER, "output", kib_a_second=16)
    process.send_signal({"interrupted": signal.SIGINT}.get(kind, signal.SIGKILL))
    process.wait(60)
    if kind == "half an output":
        (live, *_) = [path for path in reader.live(lake / FOLDER) if "_e" in path.name]
        pid = live.name.split("_")[1]
        half = lake / FOLDER / f"01890000-0000-7000-8000-000000000000_{pid}_e9.parquet"
        half.write_bytes(live.read_bytes()[:-1])
    numbered.check(reader.read(lake), ids, where="after the kill")
    lithify.ok(*COMPACT, lake)
    numbered.check_everywhere(lake, ids)
    for _ in range(2):
        lithify.run(*GC, lake)
    numbered.check_everywhere(lake, ids)
    if kind != "half an output":  # nobody can say what its rows are: it stays, and fsck tells
        assert len(names(lake)) == 1 + len(reader.live(lake / FOLDER)), names(lake)


def test_a18_two_attempts_one_killed(lake):
    """A18, K5, B16: of two runs at once one is killed in the middle: the other, or the next, ends the
    work, and the lock of the dead holds nobody up."""
    first = slow.begin(lake, FOLDER)
    assert lithify.run(*COMPACT, lake).code == lithify.AGAIN, "the partition is held"
    first.kill()
    first.wait()
    lithify.ok(*COMPACT, lake)
    numbered.check_everywhere(lake, range(120))
    for _ in range(2):
        lithify.ok(*GC, lake)
    assert len(names(lake)) == 2, names(lake)


# B: crashes and leftovers.

def test_b1_one_reason_not_five_tries(lake):
    """B1, LH2: a file without its footer: five ticks, one reason, and after the first nothing is
    written again."""
    bad = numbered.write(lake / FOLDER / "half.parquet", range(500, 600))
    bad.write_bytes(bad.read_bytes()[:-100])
    os.utime(bad, (10**9, 10**9))
    states = []
    for _ in range(5):
        told = lithify.run(*COMPACT, lake)
        assert told.code == lithify.BLOCKED and "half.parquet" in told.out + told.err, str(told)
        states.append(numbered.tree(lake))
    assert states.count(states[0]) == 5
    assert bad in reader.live(lake / FOLDER), "set aside, not taken away"


def test_b4_temporary_files_of_others_stay(lake):
    """B2, B3, B4: what a slow writer has not finished is none of ours, however old; our own temporary
    files go once they are past their grace, and empty directories are left."""
    lithify.ok(*COMPACT, lake)
    pid = manifest(lake)["lithify"]["pid"]
    folder = lake / FOLDER
    others = ["part-9.parquet.part", "x.parquet.tmp-4711", "x.parquet.tmp", ".x.parquet.inprogress",
              "_temporary", "01890000-0000-7000-8000-000000000000_00000000_e1.parquet.tmp"]
    for name in others:
        (folder / name).write_bytes(b"not yet")
        os.utime(folder / name, (10**9, 10**9))
    (folder.parent / "hour=23").mkdir()
    ours = folder / f"01890000-0000-7000-8000-000000000000_{pid}_e1.parquet.tmp"
    ours.write_bytes(b"half")
    lithify.ok("gc", "--quiet", lake)
    assert ours.exists(), "younger than the grace"
    lithify.ok(*GC, lake)
    assert not ours.exists()
    assert set(others) <= set(names(lake)) and (folder.parent / "hour=23").is_dir()
    numbered.check_everywhere(lake, range(120))


def test_b7_idle_ticks_leave_nothing(lake):
    """B7: a hundred ticks with nothing to do: no object more, in the lake and beside it."""
    lithify.ok(*COMPACT, lake)
    lithify.ok(*GC, lake)
    lithify.ok(*COMPACT, lake)
    before = numbered.tree(lake.parent)
    for number in range(100):
        subprocess.run([lithify.BIN, *(GC if number % 10 == 9 else COMPACT), lake], check=True,
                       stdout=subprocess.DEVNULL)
    assert numbered.tree(lake.parent) == before


def test_b8_a_file_that_is_gone_already(lake):
    """B8: somebody else deleted a superseded file: gc goes on, and has nothing left to do after it."""
    lithify.ok(*COMPACT, lake)
    (lake / FOLDER / "part-00002.parquet").unlink()
    lithify.ok(*GC, lake)
    assert len(names(lake)) == 2 and manifest(lake)["lithify"]["retired"] == []
    before = numbered.tree(lake)
    lithify.ok(*GC, lake)
    assert numbered.tree(lake) == before
    numbered.check_everywhere(lake, range(120))


# 3: faults of the designs that this one comes from.

def test_lo1_a_late_file(lake):
    """LO1, M5: a file that comes after the compaction counts at once and is merged in its turn."""
    lithify.ok(*COMPACT, lake)
    ids = [*range(120)]
    for number in range(5):
        first = 1000 + 10 * number
        numbered.write(lake / FOLDER / f"late-{number}.parquet", range(first, first + 10))
        ids += range(first, first + 10)
        numbered.check(numbered.listed(lake), ids, where="at once")
        lithify.ok(*COMPACT, lake)
        numbered.check(reader.read(lake, strict=True), ids, where="named")
    numbered.check_everywhere(lake, ids)
    assert len(reader.live(lake / FOLDER)) < 4


def test_lo2_a_file_that_no_manifest_names(lake):
    """LO2, LO3: a manifest names two files, a third one is there: neither a sweep nor gc takes it for
    rubbish, whoever wrote the manifest and however old the file is."""
    folder = lake / FOLDER
    for path in list(folder.iterdir())[3:]:
        path.unlink()
    ids = reader.read(lake)["id"].to_pylist()
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "manifest.json").write_text(json.dumps({"generation": 1, "files": sorted(kept)[:2]}))
    for command in (COMPACT, GC, COMPACT, GC):
        lithify.run(*command, lake)
        assert {name: (folder / name).read_bytes() for name in kept} == kept
    lithify.ok("adopt", "--unlisted", "live", lake)
    for command in (COMPACT, GC):
        lithify.ok(*command, lake)
    numbered.check_everywhere(lake, ids)


def test_lo8_the_manifest_can_be_hidden(lake):
    """LO8: readers that hide `_` and `.` alone would take manifest.json for data: it can have a name
    that they pass over."""
    lithify.ok(*COMPACT, "--manifest-name", "_manifest.json", lake)
    lithify.ok(*GC, lake)
    shown = [name for name in names(lake) if name[0] not in "_."]
    assert shown == outputs(lake) and len(shown) == 1, names(lake)
    numbered.check_everywhere(lake, range(120))


def test_la2_no_listing_no_deletes(lake):
    """LA2: inputs are deleted only where the list shows the output that has their rows."""
    lithify.ok(*COMPACT, lake)
    (live,) = reader.live(lake / FOLDER)
    away = live.rename(lake.parent / "away")
    before = names(lake)
    for _ in range(2):
        told = lithify.run(*GC, lake)
        assert told.code == lithify.BLOCKED and live.name in told.out + told.err, str(told)
        assert names(lake) == before
    away.rename(live)
    lithify.ok(*GC, lake)
    numbered.check_everywhere(lake, range(120))


def test_la3_valid_is_more_than_magic(lake):
    """LA3: a file with the right bytes at both ends and of the right size, whose contents are others, is
    not what was committed."""
    lithify.ok(*COMPACT, lake)
    (live,) = reader.live(lake / FOLDER)
    whole = live.read_bytes()
    live.write_bytes(whole[:4] + bytes(len(whole) - 8) + whole[-4:])
    assert lithify.run(*GC, lake).code != lithify.DONE
    assert len(names(lake)) == 8, "an input was deleted"
    assert lithify.run("fsck", "--deep", lake).code != lithify.DONE


def test_lh1_equal_counts_are_not_equal_files(tmp_path):
    """LH1: one live file goes and another comes: as many as before, and a partition to look at anew."""
    root = tmp_path / "lake"
    numbered.write(root / FOLDER / "large.parquet", range(5000))
    numbered.write(root / FOLDER / "small.parquet", range(10000, 10100))
    lithify.ok("adopt", "--readers", "manifest", root)
    for _ in range(2):  # too little to gain
        lithify.ok(*COMPACT, root)
        assert len(reader.live(root / FOLDER)) == 2
    lithify.ok("retire", root / FOLDER, "small.parquet")
    numbered.write(root / FOLDER / "new.parquet", range(20000, 23000))
    assert len(reader.live(root / FOLDER)) == 2
    lithify.ok(*COMPACT, root)
    assert len(reader.live(root / FOLDER)) == 1
    numbered.check_everywhere(root, [*range(5000), *range(20000, 23000)])


def nested(ids):
    """Rows with lists of structs of lists."""
    item = pyarrow.struct([("key", pyarrow.string()),
                           ("values", pyarrow.list_(pyarrow.field("element", pyarrow.int64())))])
    return pyarrow.table({
        "id": list(ids),
        "items": pyarrow.array([None if i % 5 == 0 else [
            {"key": f"k{n}", "values": None if n == 1 else list(range(n))} for n in range(i % 3)]
            for i in ids], pyarrow.list_(pyarrow.field("element", item)))})


def test_lh3_nested_tables_make_no_tiny_files(tmp_path):
    """LH3: a hundred files with nested columns become one, with one row group."""
    root = tmp_path / "lake"
    (root / FOLDER).mkdir(parents=True)
    for number in range(100):
        path = root / FOLDER / f"{number:03}.parquet"
        parquet.write_table(nested(range(20 * number, 20 * number + 20)), path)
        os.utime(path, (10**9, 10**9))
    lithify.ok(*COMPACT, root)
    (live,) = reader.live(root / FOLDER)
    assert parquet.ParquetFile(live).metadata.num_row_groups == 1
    assert parquet.ParquetFile(live).read().equals(nested(range(2000)))
