"""lithify fsck --restore: an older manifest comes back, and each row is there once, or nothing changes.

Cases named after a letter and a number are reports of users of other compactors.
"""

import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

import pytest

import audit
import lithify
import numbered
import reader

if not lithify.has_command("fsck"):
    pytest.skip("this lithify has no `fsck`", allow_module_level=True)

FOLDER = "tenant_id=acme/" + numbered.HOUR
OTHER = "tenant_id=globex/" + numbered.HOUR
COMPACT = ["compact", *numbered.NOW, "--min-files", "2"]
GC = ["gc", *numbered.NO_GRACE]


class Lake:
    """One partition, and copies of its manifests."""

    def __init__(self, root, files=6, adopted=False):
        self.root = root
        self.folder = root / FOLDER
        numbered.fill(self.folder, files, 50)
        self.rows = files * 50
        if adopted:
            lithify.ok("adopt", "--readers=manifest", root)

    def more(self, files=2, stem="late"):
        numbered.fill(self.folder, files, 50, first=self.rows, stem=f"{stem}{self.rows}")
        self.rows += files * 50

    def compact(self, *options):
        lithify.ok(*COMPACT, *options, self.root)

    def save(self, name):
        to = self.root.with_name(f"{name}.json")
        shutil.copy2(self.folder / "manifest.json", to)
        return to

    def state(self):
        return json.loads((self.folder / "manifest.json").read_bytes())

    def restore(self, saved, *options, code=lithify.DONE):
        result = lithify.run("fsck", "--json", "--restore", saved, *options, self.folder)
        assert result.code == code, str(result)
        return json.loads(result.out)

    def check(self, live=None, named=None, where=""):
        """Each row once, by every reader; what no manifest names yet has the highest numbers."""
        named = self.rows if named is None else named
        numbered.check_everywhere(self.root, range(self.rows), range(named), where=where)
        if live is not None:
            assert len(reader.live(self.folder)) == live, where

    def refused(self, saved, says, code=lithify.FAILED):
        before = numbered.tree(self.root), numbered.tree(audit.place(self.root))
        for options in ([], ["--dry-run"]):
            result = lithify.run("fsck", "--restore", saved, *options, self.folder)
            assert result.code == code and says in result.err, f"{says!r}: {result}"
        assert (numbered.tree(self.root), numbered.tree(audit.place(self.root))) == before

    def finish(self, audited=True):
        """It goes on as ever, and comes to rest. What a log that was lost had named has its events still."""
        for command in (COMPACT, GC, COMPACT, GC):
            lithify.ok(*command, self.root)
        numbered.check_everywhere(self.root, range(self.rows))
        if audited:
            audit.check(self.root)
        before = numbered.tree(self.root)
        for command in (COMPACT, GC):
            lithify.ok(*command, self.root)
        assert numbered.tree(self.root) == before
        assert "clean" in lithify.ok("fsck", "--deep", self.root).out


@pytest.fixture
def lake(tmp_path):
    return Lake(tmp_path / "lake", adopted=True)


def test_what_a_rollback_brought_back_and_somebody_deleted(tmp_path):
    """It was not made of what the rollback took out: it stays named, and nothing is deleted where it is missing."""
    lake = Lake(tmp_path / "lake", files=3, adopted=True)
    saved = lake.save("adopted")
    lake.more(2)
    lake.compact()
    lithify.ok("rollback", lake.folder)
    copy = shutil.copy2(lake.folder / "late150-00001.parquet", tmp_path)
    os.unlink(lake.folder / "late150-00001.parquet")
    lake.restore(saved)
    assert "late150-00001.parquet" in lake.state()["files"]
    assert "missing" in lithify.run("fsck", lake.root).out
    shutil.copy2(copy, lake.folder)
    lake.check(live=5)
    lake.finish()


def test_an_output_that_a_rollback_brought_back_and_somebody_deleted(tmp_path):
    """Nobody knows any more what it was made of: its inputs do not come, they might show twice one day."""
    lake = Lake(tmp_path / "lake", files=3, adopted=True)
    saved = lake.save("adopted")
    lake.compact()
    output = pathlib.Path(reader.live(lake.folder)[0]).name
    lake.more(3)
    lake.compact()
    lithify.ok("rollback", lake.folder)
    copy = shutil.copy2(lake.folder / output, tmp_path)
    os.unlink(lake.folder / output)
    lake.refused(saved, f"{output}, which is live, is not there, and nobody knows what it was made of")
    shutil.copy2(copy, lake.folder)
    lake.restore(saved)
    lake.check(live=6)
    lake.finish()


def test_a_compaction_is_undone_and_done_again(lake):
    """P1, P2, A22: the manifest before it, and then the one after it."""
    before = lake.save("before")
    lake.compact()
    after = lake.save("after")
    generation = lake.state()["generation"]
    dry = lake.restore(before, "--dry-run")
    lake.check(live=1)
    told = lake.restore(before)
    for document, word in ((dry, "can be restored"), (told, "restored")):
        (partition,) = document["partitions"]
        assert partition["state"] == "changed" and partition["reason"].startswith(f"{word}: generation 1")
        assert (partition["inputs"], partition["outputs"], partition["rows"]) == (1, 6, 300)
        assert (partition["files_before"], partition["files_after"]) == (1, 6)
        assert sorted(f["is_input"] for f in partition["files"]) == [False] * 6 + [True]
    assert dry["dry_run"] is True and told["dry_run"] is False
    lake.check(live=6)
    state = lake.state()
    assert state["generation"] == generation + 1
    assert state["lithify"]["epoch"] > json.loads(after.read_bytes())["lithify"]["epoch"]
    assert state["lithify"]["log"][-1]["op"] == "restore" and "outcome" not in state["lithify"]
    lake.restore(after)
    lake.check(live=1)
    idle = lake.restore(after)
    assert idle["partitions"][0]["state"] == "left" and "that was given" in idle["partitions"][0]["reason"]
    lake.finish()


def test_several_generations_back(lake):
    """A22: outputs of outputs, late files in between: what the old manifest does not know stays, or
    comes back."""
    saved = [lake.save("m0")]
    for number in range(3):
        lake.compact()
        saved.append(lake.save(f"a{number}"))
        lake.more()
        lake.compact("--min-files=9", "--settle=9d")
        saved.append(lake.save(f"b{number}"))
    lake.compact()
    saved.append(lake.save("last"))
    for manifest in [*saved, *reversed(saved), saved[3], saved[0], saved[-1], saved[2]]:
        named = {name for name in json.loads(manifest.read_bytes())["files"]}
        lake.restore(manifest)
        assert named <= {path.name for path in reader.live(lake.folder)}, manifest
        strict = reader.read(lake.folder, strict=True)["id"].to_pylist()
        assert len(strict) == len(set(strict))
        numbered.check(reader.read(lake.folder), range(lake.rows), where=str(manifest))
    lake.finish()


def test_late_files_stay(lake):
    """Named or not, merged or not: rows that the old manifest does not know are never lost."""
    before = lake.save("before")
    lake.compact()
    lake.more()
    lake.compact("--min-files=9", "--settle=9d")  # only named
    lake.more(stem="unnamed")
    lake.restore(before)
    lake.check(live=10, named=lake.rows - 100)
    lake.finish()


def test_several_outputs_of_one_job(tmp_path):
    """A file whose rows went to two outputs comes back for both."""
    lake = Lake(tmp_path / "lake", adopted=True)
    before = lake.save("before")
    lake.more(1)
    lake.compact("--target-file", "10KiB", "--row-group-rows", "70")
    assert len(reader.live(lake.folder)) > 1
    lake.restore(before)
    lake.check(live=7)
    lake.finish()


def test_what_gc_has_deleted_does_not_come_back(lake):
    """L5: a file of the old manifest is missing, being deleted, or another one."""
    before = lake.save("before")
    lake.compact()
    victim = lake.folder / "part-00002.parquet"
    data, stat = victim.read_bytes(), victim.stat()
    numbered.write(victim, range(100, 150), age_s=60)
    lake.refused(before, "part-00002.parquet, which it names live, is another file by now")
    victim.write_bytes(data)
    os.utime(victim, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    state = lake.state()
    state["lithify"]["condemned"] = ["part-00002.parquet"]
    kept = (lake.folder / "manifest.json").read_bytes()
    (lake.folder / "manifest.json").write_text(json.dumps(state))
    lake.refused(before, "part-00002.parquet, which it names live, is being deleted")
    (lake.folder / "manifest.json").write_bytes(kept)
    victim.unlink()
    lake.refused(before, "part-00002.parquet, which it names live, is not there any more")
    lake.check(live=1)
    lithify.ok(*GC, lake.root)
    lake.refused(before, "is not there any more")
    lake.finish()


def test_rows_that_would_be_lost_or_shown_twice(lake):
    """An output with rows of the old files and of one that is gone cannot leave."""
    before = lake.save("before")
    lake.more(1)
    lake.compact()
    (lake.folder / "late300-00000.parquet").unlink()
    lake.refused(before, "and of late300-00000.parquet, which cannot")
    lake.check(live=1)


def test_rows_that_retire_took_come_back(lake):
    """It is what was asked for; how many is told."""
    before = lake.save("before")
    lithify.ok("retire", lake.folder, "part-00001.parquet")
    lake.compact()
    (partition,) = lake.restore(before)["partitions"]
    assert "; 50 rows more than before" in partition["reason"], partition
    lake.check(live=6)
    lake.finish()


def test_a_name_that_was_used_again_is_new_data(lake):
    """Same name and size as an input that is gone, other rows: they stay."""
    lake.compact()
    merged = lake.save("merged")
    sizes = {path.name: path.stat().st_size for path in lake.folder.glob("part-*")}
    lithify.ok("gc", *numbered.NO_GRACE, "--replay-window=0s", lake.root)
    for first in range(400, 4400):
        ids = range(first, first + 50)
        made = numbered.write(lake.root.with_name("new.parquet"), ids)
        if made.stat().st_size == sizes["part-00002.parquet"]:
            break
    else:
        pytest.fail("no other rows of that size")
    made.rename(lake.folder / "part-00002.parquet")
    lithify.ok(*COMPACT, "--min-files=9", "--settle=9d", lake.root)
    rows = [*range(300), *ids]
    numbered.check_everywhere(lake.root, rows)
    lithify.ok("fsck", "--restore", merged, lake.folder)
    numbered.check_everywhere(lake.root, rows)


def test_a_damaged_output_gives_way_to_its_inputs(lake):
    """Its rows cannot be read any more; what the commit said of it is gone by, as by a rollback."""
    before = lake.save("before")
    lake.compact()
    output = reader.live(lake.folder)[0]
    output.write_bytes(output.read_bytes()[:-500])
    lake.restore(before)
    lake.check(live=6)


def test_a_missing_output_gives_way_to_its_inputs(lake):
    before = lake.save("before")
    lake.compact()
    reader.live(lake.folder)[0].unlink()
    assert lithify.run("fsck", lake.root).code == lithify.BLOCKED
    lake.restore(before)
    lake.check(live=6)
    lake.finish()


def test_an_older_manifest_stands_in_the_place_of_a_newer_one(lake):
    """L5: somebody copied a backup over it; the newer one comes back, and with it what it knows."""
    older = lake.save("older")
    lake.compact()
    newer = lake.save("newer")
    lithify.ok(*GC, lake.root)
    cleaned = lake.save("cleaned")
    for right in (newer, cleaned):
        shutil.copy2(older, lake.folder / "manifest.json")
        assert lithify.run("fsck", lake.root).code == lithify.BLOCKED
        lake.restore(right)
        lake.check(live=1)
        state = lake.state()["lithify"]
        assert {e["name"] for e in state["gone"] + state["retired"]} >= {f"part-{i:05}.parquet" for i in range(6)}
    lake.finish(audited=False)


# Without a manifest in place.

@pytest.mark.parametrize("bad", [None, b"", b'{"generation": 3', b"\0" * 5000])
@pytest.mark.parametrize("hidden", [False, True])
def test_the_manifest_was_lost_or_cannot_be_read(tmp_path, bad, hidden):
    """P9: what cannot be read is kept, under a name that nobody takes for anything."""
    lake = Lake(tmp_path / "lake", files=4)
    name = "_manifest.json" if hidden else "manifest.json"
    lithify.ok(*COMPACT, "--manifest-name", name, lake.root)
    lake.more()
    saved = tmp_path / "saved.json"
    shutil.copy2(lake.folder / name, saved)
    (lake.folder / name).unlink()
    if bad is not None:
        (lake.folder / name).write_bytes(bad)
    (partition,) = lake.restore(saved)["partitions"]
    assert partition["state"] == "changed"
    lake.check(live=3, named=200)
    kept = list(lake.folder.glob("_lithify_manifest_*.bad"))
    assert [path.read_bytes() for path in kept] == ([] if bad is None else [bad])
    assert "clean" in lithify.ok("fsck", lake.root).out
    lithify.ok(*COMPACT, lake.root)
    lithify.ok(*GC, lake.root)
    lake.check(live=1)


def test_the_lost_manifest_knew_more(lake):
    """What was merged since the copy was made: unfolded where its inputs are there, kept where not."""
    saved = lake.save("saved")
    lake.more()
    lake.compact()
    (lake.folder / "manifest.json").unlink()
    lake.restore(saved)
    lake.check(live=8, named=300)
    lake.finish(audited=False)


def test_the_lost_manifest_knew_of_others(tmp_path):
    """Late files merged among themselves, their inputs deleted: their output stays, and is named."""
    lake = Lake(tmp_path / "lake", files=1)
    large = lake.folder / "large.parquet"
    numbered.write(large, range(50, 2000))
    lake.rows = 2000
    lithify.ok("adopt", "--readers=manifest", lake.root)
    saved = lake.save("saved")
    state = saved.read_bytes()
    lake.more(4)
    options = ["--target-file", f"{large.stat().st_size}B", "--row-group-rows", "9999"]
    lake.compact(*options)
    assert {p.name for p in reader.live(lake.folder)} > {"large.parquet"}
    merged = json.loads((lake.folder / "manifest.json").read_bytes())
    lithify.ok(*GC, lake.root)
    (lake.folder / "manifest.json").unlink()
    # The old file was merged with them: nothing is right. One that only knows the large file is.
    lake.refused(saved, "part-00000.parquet, which it names live, is not there any more")
    older = json.loads(state)
    older["files"] = ["large.parquet"]
    older["lithify"]["files"] = [e for e in older["lithify"]["files"] if e["name"] == "large.parquet"]
    saved.write_text(json.dumps(older))
    lake.restore(saved)
    lake.check(live=2)
    assert sorted(lake.state()["files"]) == sorted(merged["files"])
    lake.finish(audited=False)


def test_the_lost_manifest_had_merged_what_is_gone(lake):
    """Its output holds the old files' rows and those of files that are gone: neither way is right."""
    saved = lake.save("saved")
    lake.more(1)
    lake.compact()
    (lake.folder / "late300-00000.parquet").unlink()
    (lake.folder / "manifest.json").unlink()
    lake.refused(saved, "late300-00000.parquet")


# Bad input.

@pytest.mark.parametrize("text,says", [
    (b"", "a value is missing"), (b"{", "JSON"), (b"[]", "bad.json: manifest: an object"), (b"\xff" * 100, "bad.json"),
    (b"PAR1" + bytes(100), "bad.json"), (b'{"files": ["part-00000.parquet"]}', "another program's"),
    (b'{"generation": 1, "files": [], "lithify": {"format": 2}}', "format 2"),
    (b'{"generation": 1, "files": [], "lithify": {"format": 1}}', "pid"),
], ids=range(8))
def test_a_file_that_is_no_manifest(lake, text, says):
    lake.compact()
    saved = lake.root.with_name("bad.json")
    saved.write_bytes(text)
    lake.refused(saved, says)


def test_a_manifest_that_is_cut_off_or_changed(lake):
    """Whatever is left of it: refused, or right."""
    before = lake.save("before").read_bytes()
    lake.compact()
    saved = lake.root.with_name("cut.json")
    for end in range(0, len(before) - 3, 97):
        saved.write_bytes(before[:end])
        result = lithify.run("fsck", "--restore", saved, lake.folder)
        assert result.code == lithify.FAILED, str(result)
    twice = json.loads(before)
    twice["files"].append(twice["files"][0])
    twice["lithify"]["files"].append(twice["lithify"]["files"][0])
    saved.write_text(json.dumps(twice))
    lake.refused(saved, "twice")
    path = json.loads(before)
    path["files"][0] = path["lithify"]["files"][0]["name"] = "../x.parquet"
    saved.write_text(json.dumps(path))
    lake.refused(saved, "bare name")
    lake.check(live=1)


def test_a_huge_file(lake):
    lake.compact()
    saved = lake.root.with_name("huge.json")
    with open(saved, "wb") as file:
        file.truncate(300 << 20)
    lake.refused(saved, "no manifest has as many", code=lithify.USAGE)
    with open(saved, "wb") as file:
        file.truncate(200 << 20)
    result = lithify.run("fsck", "--restore", saved, "--memory", "64MiB", lake.folder)
    assert result.code == lithify.FAILED and "memory" in result.err, str(result)
    lake.check(live=1)


def test_a6_the_manifest_of_another_partition(tmp_path):
    """P4: by its id, whatever its names are."""
    lake = Lake(tmp_path / "lake", adopted=True)
    numbered.fill(lake.root / OTHER, 6, 50, first=1000, tenant="globex")
    lithify.ok("adopt", lake.root)
    saved = tmp_path / "other.json"
    shutil.copy2(lake.root / OTHER / "manifest.json", saved)
    result = lithify.run("fsck", "--restore", saved, lake.folder)
    assert result.code == lithify.FAILED and "is the manifest of partition" in result.err, str(result)
    (lake.folder / "manifest.json").unlink()
    result = lithify.run("fsck", "--restore", saved, lake.folder)
    assert result.code == lithify.FAILED and "another file by now" in result.err, str(result)


def test_what_cannot_be_restored_over(lake):
    saved = lake.save("saved")
    lake.compact()
    kept = (lake.folder / "manifest.json").read_bytes()
    shutil.copy2(lake.folder / "manifest.json", lake.folder / "_manifest.json")
    lake.refused(saved, "both manifest.json and _manifest.json")
    (lake.folder / "_manifest.json").unlink()
    (lake.folder / "manifest.json").write_text('{"files": []}')
    lake.refused(saved, "another program's")
    (lake.folder / "manifest.json").write_text('{"generation": 1, "files": [], "lithify": {"format": 2}}')
    lake.refused(saved, "format 2")
    (lake.folder / "manifest.json").write_bytes(kept)
    lake.refused(lake.root.with_name("nowhere.json"), "nowhere.json")
    refused = lithify.run("fsck", "--restore", saved, lake.root)
    assert refused.code == lithify.FAILED and "is no partition" in refused.err, str(refused)
    (lake.root / "_lithify.json").unlink()
    result = lithify.run("fsck", "--restore", saved, "--partition", FOLDER, lake.root)
    assert result.code == lithify.USAGE and "committed to" in result.err, str(result)


# Beside passes that run.

def test_a13_beside_passes_that_run(tmp_path):
    """P2, A13, A22: restores of whatever manifest, while others compact and clean."""
    lake = Lake(tmp_path / "lake", adopted=True)
    saved = [lake.save("m0")]
    end = time.monotonic() + float(os.environ.get("LITHIFY_SOAK_SECONDS", "8"))
    failure = []

    def loop(work):
        try:
            while time.monotonic() < end and not failure:
                work()
        except BaseException as problem:
            failure.append(problem)

    def passes():
        lake_more()
        for command in (COMPACT, ["gc", "--reader-grace=1s", "--orphan-grace=1s", "--quiet"]):
            done = lithify.run(*command, lake.root)
            assert done.code in (lithify.DONE, lithify.AGAIN), str(done)
        try:
            saved.append(lake.save(f"m{len(saved)}"))
        except FileNotFoundError:
            pass

    def lake_more():
        numbered.fill(lake.folder, 2, 50, first=lake.rows, stem=f"late{lake.rows:05}", age_s=1)
        lake.rows += 100

    counts = {}

    def restores():
        for manifest in saved[-4:]:
            done = lithify.run("fsck", "--restore", manifest, lake.folder)
            assert done.code in (lithify.DONE, lithify.AGAIN, lithify.FAILED), str(done)
            counts[done.code] = counts.get(done.code, 0) + 1

    def reads():
        least = lake.rows
        ids = reader.read(lake.folder, columns=["id"])["id"].to_pylist()
        assert len(ids) == len(set(ids)), "doubled"
        assert set(ids) >= set(range(least)), "lost"

    threads = [threading.Thread(target=loop, args=[work]) for work in (passes, restores, reads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failure:
        raise failure[0]
    print(counts)
    assert counts.get(lithify.DONE, 0) > 0, counts
    lake.finish()
