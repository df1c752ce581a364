"""What is done by hand: rollback, retire, adopt, and the dry run of gc; room and rate of jobs."""

import json
import os
import pathlib
import shutil
import time

import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader

FOLDER = "tenant_id=acme/" + numbered.HOUR
OTHER = "tenant_id=globex/" + numbered.HOUR
COMPACT = ["compact", *numbered.NOW]


@pytest.fixture
def lake(tmp_path):
    """Two tenants of six files each, compacted; the numbers are those of both."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 6, 50)
    numbered.fill(root / OTHER, 6, 50, first=1000, tenant="globex")
    lithify.ok(*COMPACT, root)
    return root


IDS = {FOLDER: range(300), OTHER: range(1000, 1300)}


def check(root, folder, ids, live, where=""):
    """What is there by every reader, and in how many files."""
    tenant = folder.split("/")[0].split("=")[1]
    numbered.check_everywhere(root / folder, ids, tenant=tenant, where=where)
    assert len(reader.live(root / folder)) == live, where


def document(*arguments, code=lithify.DONE, **options):
    result = lithify.run(arguments[0], "--json", *arguments[1:], **options)
    assert result.code == code, str(result)
    return json.loads(result.out)


def manifest(root, folder=FOLDER):
    return json.loads((root / folder / "manifest.json").read_bytes())


# Rollback.

def test_rollback_brings_the_inputs_back(lake):
    """P1, P2: of one partition, by its path; another one stays as it is."""
    check(lake, FOLDER, IDS[FOLDER], 1)
    done = document("rollback", lake / FOLDER)
    (partition,) = done["partitions"]
    assert done["dry_run"] is False and done["summary"]["changed"] == 1
    assert (partition["path"], partition["state"], partition["reason"]) == \
        (FOLDER, "changed", "rolled back")
    assert (partition["inputs"], partition["outputs"], partition["rows"]) == (1, 6, 300)
    assert (partition["files_before"], partition["files_after"]) == (1, 6)
    assert partition["held_bytes"] == partition["input_bytes"] > 0
    assert sorted(f["is_input"] for f in partition["files"]) == [False] * 6 + [True]
    check(lake, FOLDER, IDS[FOLDER], 6)
    check(lake, OTHER, IDS[OTHER], 1)
    assert manifest(lake)["lithify"]["log"][-1]["op"] == "rollback"
    assert manifest(lake)["lithify"]["outcome"]["verdict"] == "rolled_back"


@pytest.mark.parametrize("given", ["relative", "link", "slash"])
def test_the_lake_is_found_above_a_partition(lake, given, tmp_path):
    place, cwd = lake / FOLDER, tmp_path
    if given == "relative":
        place, cwd = pathlib.Path("."), lake / FOLDER
    if given == "link":
        place = tmp_path / "link"
        place.symlink_to(lake / FOLDER)
    if given == "slash":
        place = f"{lake / FOLDER}/"
    lithify.ok("rollback", place, cwd=cwd)
    check(lake, FOLDER, IDS[FOLDER], 6)


def test_rollback_holds_until_something_changes(lake):
    """P6: compact leaves what was undone until a file comes or an option changes."""
    lithify.ok("rollback", lake, "--partition", "*")
    before = numbered.tree(lake)
    for _ in range(2):
        out = lithify.ok(*COMPACT, lake).out
        assert "rolled back" in out, out
        assert numbered.tree(lake) == before
    numbered.fill(lake / FOLDER, 1, 50, first=300, stem="new")
    lithify.ok(*COMPACT, lake)
    check(lake, FOLDER, range(350), 1)
    check(lake, OTHER, IDS[OTHER], 6)
    lithify.ok(*COMPACT, "--target-file", "300MiB", lake)
    check(lake, OTHER, IDS[OTHER], 1)
    lithify.ok("rollback", lake / OTHER)
    check(lake, OTHER, IDS[OTHER], 6)


def test_gc_after_a_rollback(lake):
    """P10: the output goes, the inputs stay; and then there is nothing left to undo."""
    lithify.ok("rollback", lake / FOLDER)
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    check(lake, FOLDER, IDS[FOLDER], 6)
    assert len(list((lake / FOLDER).glob("*.parquet"))) == 6
    refused = lithify.run("rollback", lake / OTHER)
    assert refused.code == lithify.FAILED and "deleted already" in refused.err, str(refused)
    check(lake, OTHER, IDS[OTHER], 1)


def test_dry_runs_change_nothing(lake):
    before = numbered.tree(lake)
    told = document("rollback", lake / FOLDER, "--dry-run")
    assert told["dry_run"] is True and told["partitions"][0]["outputs"] == 6
    text = lithify.ok("rollback", lake / FOLDER, "-n").out
    assert "would be rolled back" in text and text.count("  + part-") == 6, text
    name = reader.live(lake / FOLDER)[0].name
    told = document("retire", lake / FOLDER, name, "--dry-run")
    assert told["partitions"][0]["rows"] == 300 and told["partitions"][0]["files_after"] == 0
    text = lithify.ok("retire", lake / FOLDER, name, "--dry-run").out
    assert "would be retired" in text and f"  - {name}" in text, text
    told = document("gc", lake, "--dry-run", "--reader-grace", "0")
    assert told["summary"]["deleted"] == 12
    assert numbered.tree(lake) == before


def test_rollback_is_refused_with_the_reason(lake, tmp_path):
    inputs = sorted((lake / FOLDER).glob("part-*"))
    before = numbered.tree(lake)

    def refused(says, *arguments, code=lithify.FAILED):
        result = lithify.run("rollback", *arguments)
        assert result.code == code and says in result.err, str(result)

    refused("is no partition", lake)
    refused("is no partition", lake / "tenant_id=acme")
    refused("is no partition", lake / FOLDER, "--partition", "x")
    refused("nowhere", tmp_path / "nowhere")
    assert numbered.tree(lake) == before
    os.utime(inputs[0], (5, 5))
    refused("part-00000.parquet is ", lake / FOLDER)
    inputs[0].unlink()
    refused("part-00000.parquet is not there any more", lake / FOLDER)
    check(lake, FOLDER, IDS[FOLDER], 1)
    lithify.ok("rollback", lake / OTHER)
    refused("rolled back already", lake / OTHER)
    document("rollback", lake / OTHER, code=lithify.FAILED)
    check(lake, OTHER, IDS[OTHER], 6)
    alone = tmp_path / "alone"
    numbered.fill(alone, 6, 10)
    refused("no lake that was committed to", alone, code=lithify.USAGE)


def test_another_readers_mode_is_refused(lake):
    result = lithify.run("rollback", "--readers", "glob", lake / FOLDER)
    assert result.code == lithify.USAGE, str(result)
    check(lake, FOLDER, IDS[FOLDER], 1)


def test_several_partitions_and_shards(lake):
    """--partition and --shard choose; several at once."""
    assert document("rollback", lake, "--partition", "none")["summary"]["partitions"] == 0
    parts = [document("rollback", lake, "--partition", "*", "--jobs", "2", f"--shard={i}/2")
             for i in (1, 2)]
    assert sum(part["summary"]["changed"] for part in parts) == 2
    check(lake, FOLDER, IDS[FOLDER], 6)
    check(lake, OTHER, IDS[OTHER], 6)


def test_a_partition_that_is_the_root(tmp_path):
    root = tmp_path / "one"
    numbered.fill(root, 6, 50)
    lithify.ok(*COMPACT, root)
    lithify.ok("rollback", root)
    numbered.check(numbered.of_files(reader.live(root)), range(300))
    assert len(reader.live(root)) == 6
    lithify.ok("retire", root, "part-00000.parquet")
    numbered.check(numbered.of_files(reader.live(root)), range(50, 300))


# Retire.

def test_retire_takes_rows_away(lake):
    lithify.ok("rollback", lake / FOLDER)
    done = document("retire", lake / FOLDER, "part-00000.parquet",
                    lake / FOLDER / "part-00003.parquet")
    (partition,) = done["partitions"]
    assert (partition["state"], partition["reason"]) == ("changed", "retired")
    assert (partition["inputs"], partition["rows"], partition["files_after"]) == (2, 100, 4)
    left = [*range(50, 150), *range(200, 300)]
    check(lake, FOLDER, left, 4)
    # Its files stay for readers that are at it, then gc takes them.
    assert (lake / FOLDER / "part-00000.parquet").exists()
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    assert not (lake / FOLDER / "part-00000.parquet").exists()
    check(lake, FOLDER, left, 4)
    # The live set is another one: compact goes on with it.
    lithify.ok(*COMPACT, lake)
    check(lake, FOLDER, left, 1)


def test_retire_names_what_is_not_live(lake, tmp_path):
    """All or nothing."""
    before = numbered.tree(lake)
    output = reader.live(lake / FOLDER)[0].name

    def refused(says, *names, code=lithify.FAILED):
        result = lithify.run("retire", lake / FOLDER, *names)
        assert result.code == code and says in result.err, str(result)
        assert numbered.tree(lake) == before

    refused("nope.parquet is not there", output, "nope.parquet")
    refused("part-00001.parquet was retired already", output, "part-00001.parquet")
    refused("manifest.json is not live", "manifest.json")
    refused("twice", output, output)
    refused(f"is no file of {lake / FOLDER}", lake / OTHER / output, code=lithify.USAGE)
    refused("nowhere", tmp_path / "nowhere" / output)
    refused("names no file", f"{lake}/", code=lithify.USAGE)
    check(lake, FOLDER, IDS[FOLDER], 1)


def test_retire_names_late_files_first(lake):
    numbered.fill(lake / FOLDER, 2, 50, first=300, stem="late", age_s=0)
    done = document("retire", lake / FOLDER, "late-00001.parquet")["partitions"][0]
    assert (done["folded"], done["rows"]) == (1, 50)
    assert [entry["op"] for entry in manifest(lake)["lithify"]["log"]][-2:] == ["fold", "retire"]
    numbered.check(reader.read(lake / FOLDER), range(350))
    numbered.check(numbered.listed(lake / FOLDER), range(350))


def test_retire_of_a_damaged_file(lake):
    """What nobody can read can be taken out; its rows are not counted."""
    bad = lake / FOLDER / "bad.parquet"
    bad.write_bytes(b"PAR1 nothing")
    os.utime(bad, (1, 1))
    refused = lithify.run("retire", lake / FOLDER, "bad.parquet")
    assert refused.code == lithify.FAILED and "footer" in refused.err, str(refused)
    other = lake.parent / "other"
    numbered.fill(other / FOLDER, 2, 50)
    (other / FOLDER / "bad.parquet").write_bytes(b"PAR1 nothing")
    adopted = lithify.run("adopt", "--readers=manifest", other)
    assert adopted.code == lithify.BLOCKED and "bad.parquet" in adopted.out, str(adopted)
    assert "1 whose footers cannot be read" in lithify.ok("retire", other / FOLDER,
                                                           "bad.parquet").out
    check(other, FOLDER, range(100), 2)


# Adopt.

def test_adopt_names_every_file(tmp_path):
    """P1: manifests come, no other byte changes, and strict readers see each row."""
    root = tmp_path / "lake"
    ids = numbered.fill(root / FOLDER, 6, 50)
    numbered.fill(root / OTHER, 3, 50, first=1000, tenant="globex")
    asked = lithify.run("adopt", root)
    assert asked.code == lithify.USAGE and "--readers" in asked.err, str(asked)
    before = {n: v for n, v in numbered.tree(root).items() if v}
    done = document("adopt", "--readers=manifest", root)
    assert done["summary"]["changed"] == 2 and done["summary"]["files_after"] == 9
    after = {n: v for n, v in numbered.tree(root).items() if v}
    assert {n: after[n] for n in before} == before
    assert set(after) - set(before) == {"_lithify.json", f"{FOLDER}/manifest.json",
                                        f"{OTHER}/manifest.json"}
    check(root, FOLDER, ids, 6)
    assert len(manifest(root)["files"]) == 6
    again = lithify.ok("adopt", root).out
    assert "adopted already (2)" in again, again
    assert {n: v for n, v in numbered.tree(root).items() if v} == after
    assert lithify.run("adopt", root / FOLDER).code == lithify.USAGE
    lithify.ok(*COMPACT, root)
    check(root, FOLDER, ids, 1)


def test_adopt_of_another_programs_manifest(tmp_path):
    root = tmp_path / "lake"
    for name, choice, ids in (("a", "live", range(300)), ("b", "ignore", range(200))):
        place = root / name / FOLDER
        numbered.fill(place, 6, 50)
        (place / "manifest.json").write_text(json.dumps(
            {"generation": 7, "files": [f"part-{i:05}.parquet" for i in range(4)], "by": "them"}))
        numbered.check(reader.read(place), range(200))
        options = ["--readers=manifest", "--partition", f"{name}/*"]
        blocked = lithify.run("adopt", *options, root)
        assert blocked.code == lithify.BLOCKED and "--unlisted live" in blocked.out, str(blocked)
        lithify.ok("adopt", "--ok-blocked", *options, root)
        numbered.check(reader.read(place), range(200))
        lithify.ok("adopt", "--unlisted", choice, *options, root)
        numbered.check_everywhere(place, ids)
        assert manifest(root, f"{name}/{FOLDER}")["by"] == "them"
        lithify.ok(*COMPACT, "--partition", f"{name}/*", root)
        lithify.ok("gc", *numbered.NO_GRACE, root)
        numbered.check_everywhere(place, ids)
        assert len(list(place.glob("part-*"))) == (0 if choice == "live" else 2)


def test_adopt_where_a_manifest_was_lost(lake):
    """P2: an output beside its inputs is not named with them."""
    (lake / FOLDER / "manifest.json").unlink()
    before = numbered.tree(lake)
    result = lithify.run("adopt", lake)
    assert result.code == lithify.BLOCKED and "manifest was lost" in result.out, str(result)
    assert numbered.tree(lake) == before


def test_adopt_where_there_is_nothing(tmp_path):
    assert "0 partitions" in lithify.ok("adopt", "--readers=manifest", tmp_path).out
    assert not list(tmp_path.iterdir())


# The dry run of gc.

def test_gc_dry_run_gives_each_file_a_verdict(lake):
    """L6: what would go, and what stays and why; nothing does."""
    numbered.write(lake / FOLDER / "part-00002.parquet", range(300, 310), age_s=60)
    told = document("gc", "--dry-run", "--reader-grace", "0", lake)
    by_name = {f["name"]: f for f in told["partitions"][0]["files"]}
    assert len(by_name) == 6
    assert by_name["part-00000.parquet"]["reason"] == "would be deleted"
    assert "another file under the name" in by_name["part-00002.parquet"]["reason"]
    assert [f["is_input"] for f in by_name.values()].count(True) == 5
    young = document("gc", "--dry-run", lake)
    assert young["summary"]["deleted"] == 0
    assert {f["reason"] for f in young["partitions"][1]["files"]} == {"kept: its grace is not over"}
    some = document("gc", "--dry-run", "--reader-grace=0", "--gc-bytes-max=1", lake)
    assert some["summary"]["deleted"] == 0 and some["summary"]["more_due"] == 11
    done = document("gc", "--reader-grace", "0", lake)
    assert done["summary"]["deleted"] == told["summary"]["deleted"] == 11
    assert done["summary"]["deleted_bytes"] == told["summary"]["deleted_bytes"]


# What waits for gc; room; rate.

def test_held_space_is_told(lake):
    """C17: how much it is and until when, by status and plan."""
    plan = document("plan", lake)
    held = sum(path.stat().st_size for path in lake.rglob("part-*"))
    assert plan["summary"]["held_bytes"] == held == sum(p["held_bytes"] for p in plan["partitions"])
    assert plan["summary"]["held_until"].endswith("Z")
    status = document("status", lake)
    assert status["total"]["held_bytes"] == held
    assert [t["held_bytes"] for t in status["tenants"]] == [p["held_bytes"] for p in plan["partitions"]]
    text = lithify.ok("plan", lake).out
    assert text.count("replaced files hold ") == 3 and "may go from " in text, text
    assert "of superseded files, until lithify gc" in lithify.ok("status", lake).out


@pytest.mark.parametrize("command", ["plan", "compact"])
def test_a_job_without_room_is_not_begun(command, tmp_path):
    root = tmp_path / "lake"
    ids = numbered.fill(root / FOLDER, 6, 50)
    state, code = ("pending", lithify.AGAIN) if command == "compact" else ("left", lithify.DONE)
    told = lithify.run(command, *numbered.NOW, "--min-free", "100%", root)
    assert told.code == code and "too little space" in told.out, str(told)
    partition = document(command, *numbered.NOW, "--min-free=100%", root, code=code)["partitions"][0]
    assert partition["state"] == state and "(min_free, 100%)" in partition["reason"]
    assert not list(root.rglob("manifest.json"))
    numbered.check(reader.read(root), ids)
    lithify.ok(command, *numbered.NOW, "--min-free", "0%", root)
    assert len(reader.live(root / FOLDER)) == (1 if command == "compact" else 6)
    numbered.check(reader.read(root), ids)


def test_a_rate_is_kept(tmp_path):
    """Reads and writes together: the same bytes, later."""
    root, slow = tmp_path / "lake", tmp_path / "slow"
    ids = numbered.fill(root / FOLDER, 6, 2000)
    shutil.copytree(root, slow, copy_function=shutil.copy2)
    free = lithify.ok(*COMPACT, root).seconds
    moved = sum(path.stat().st_size for path in root.rglob("*.parquet"))  # once at least
    rate = moved // 2
    begin = time.monotonic()
    lithify.ok(*COMPACT, "--io-rate", f"{rate}B", slow, env={"LITHIFY_IO_RATE": "1"})
    seconds = time.monotonic() - begin
    assert 1.5 < seconds < 30 and seconds > free + 1, (seconds, free)
    numbered.check_everywhere(slow, ids)
    assert parquet.ParquetFile(reader.live(slow / FOLDER)[0]).metadata.num_rows == len(ids)
