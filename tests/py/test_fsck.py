"""lithify fsck: what it finds, that it touches nothing, and that nothing is found where all is well.

Cases named after a letter and a number are reports of users of other compactors.
"""

import fcntl
import json
import os
import shutil
import subprocess
import threading
import time

import pytest

import audit
import crash
import globbing
import lithify
import numbered
import reader

if not lithify.has_command("fsck"):
    pytest.skip("this lithify has no `fsck`", allow_module_level=True)

FOLDER = "tenant_id=acme/" + numbered.HOUR
OTHER = "tenant_id=globex/" + numbered.HOUR
COMPACT = ["compact", *numbered.NOW]
PID = "0a1b2c3d"


@pytest.fixture
def lake(tmp_path):
    """Two tenants of six files each, compacted."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 6, 50)
    numbered.fill(root / OTHER, 6, 50, first=1000, tenant="globex")
    lithify.ok(*COMPACT, root)
    return root


def manifest(root, folder=FOLDER):
    return json.loads((root / folder / "manifest.json").read_bytes())


def manifest_write(root, state, folder=FOLDER):
    (root / folder / "manifest.json").write_text(json.dumps(state))


def fsck(root, *options):
    """What is found, by (folder, file): [(kind, wants a hand, text, todo)]. Nothing is touched, and
    the text says no other than JSON."""
    before = numbered.tree(root), numbered.tree(audit.place(root))
    result = lithify.run("fsck", "--json", *options, root)
    text = lithify.run("fsck", *options, root)
    assert (numbered.tree(root), numbered.tree(audit.place(root))) == before, "fsck wrote something"
    assert text.code == result.code, f"{text}\n{result}"
    told = json.loads(result.out)
    found = {}
    for partition in told["partitions"]:
        for finding in partition["findings"]:
            place = f"{partition['path'] or ''}/{finding['file'] or ''}".strip("/")
            found.setdefault((partition["path"], finding["file"]), []).append(
                (finding["kind"], finding["wants_hand"], finding["text"], finding["todo"]))
            line = f"{'!' if finding['wants_hand'] else ' '} {place or '.'}: {finding['kind']}: "
            assert line in text.out, f"{line!r} is not in {text.out}"
            assert finding["text"], finding
            assert bool(finding["todo"]) == finding["wants_hand"], finding
    hands = sum(f[1] for rows in found.values() for f in rows)
    failed = told["summary"]["failed"]
    assert told["summary"]["findings"] == sum(map(len, found.values()))
    assert told["summary"]["hands"] == hands
    wanted = lithify.FAILED if failed else lithify.BLOCKED if hands else lithify.DONE
    assert result.code == wanted, str(result)
    return found


def one(found, folder=FOLDER):
    """The only finding: (file, kind, wants a hand, text, todo)."""
    ((path, name), rows), = found.items()
    assert path == folder and len(rows) == 1, found
    return (name, *rows[0])


def test_nothing_is_wrong(lake, tmp_path):
    """At every rest of a lake, deep or not; also before its first commit, and with late files."""
    fresh = tmp_path / "fresh"
    numbered.fill(fresh / FOLDER, 3, 50)
    for root in (lake, fresh):
        assert fsck(root) == {} and fsck(root, "--deep") == {}
    numbered.fill(lake / FOLDER, 2, 50, first=300, stem="late", age_s=0)
    assert fsck(lake, "--deep") == {}
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    assert fsck(lake, "--deep") == {}
    lithify.ok("rollback", lake / FOLDER) if (lake / FOLDER / "part-00000.parquet").exists() else None
    assert "2 partitions: clean" in lithify.ok("fsck", lake).out
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "0 partitions" in lithify.ok("fsck", empty).out


def test_l4_a_slash_behind_the_root(lake):
    assert lithify.ok("fsck", f"{lake}/").out == lithify.ok("fsck", lake).out


def test_a_partition_by_its_path(lake):
    """As for rollback: the lake is found above it; nothing else is looked at."""
    reader.live(lake / OTHER)[0].unlink()
    assert "1 partition: clean" in lithify.ok("fsck", lake / FOLDER).out
    result = lithify.run("fsck", lake / OTHER)
    assert result.code == lithify.BLOCKED and "1 partition: 1 finding" in result.out, str(result)
    refused = lithify.run("fsck", lake / "tenant_id=acme")
    assert refused.code == lithify.FAILED and "is no partition" in refused.err, str(refused)
    assert lithify.ok("fsck", lake, "--partition", "tenant_id=acme/*").out.startswith("1 partition")
    gone = lithify.run("fsck", lake / "nowhere")
    assert gone.code == lithify.FAILED and "nowhere" in gone.err, str(gone)


def test_a_live_file_is_missing(lake):
    live = reader.live(lake / FOLDER)[0]
    size = live.stat().st_size
    live.unlink()
    name, kind, hand, text, _ = one(fsck(lake))
    assert (name, kind, hand) == (live.name, "missing", True)
    assert f"{size} bytes, 300 rows" in text
    assert one(fsck(lake, "--deep"))[1] == "missing"


@pytest.mark.parametrize("how", ["shorter", "other", "touched"])
def test_a_live_file_differs(lake, how):
    live = reader.live(lake / FOLDER)[0]
    data = live.read_bytes()
    if how == "shorter":
        live.write_bytes(data[:-1])
    if how == "other":
        live.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    if how == "touched":
        os.utime(live, (5, 5))
    name, kind, hand, text, _ = one(fsck(lake))
    assert (name, kind, hand) == (live.name, "differs", how != "touched")
    if how == "touched":
        lithify.ok(*COMPACT, lake)
        assert fsck(lake) == {}


def test_a_writer_writes_its_live_file_again(lake):
    """Not ours, not read by us: the next pass takes it."""
    numbered.write(lake / FOLDER / "late.parquet", range(300, 310))
    lithify.ok(*COMPACT, "--min-files", "9", "--settle", "9d", lake)
    assert "late.parquet" in manifest(lake)["files"]
    numbered.write(lake / FOLDER / "late.parquet", range(300, 320), age_s=60)
    assert one(fsck(lake))[:3] == ("late.parquet", "differs", False)
    lithify.ok(*COMPACT, "--min-files", "9", "--settle", "9d", lake)
    assert fsck(lake) == {}


@pytest.mark.parametrize("damage", ["bit", "page", "footer"])
def test_a15_damage_under_the_same_identity(lake, damage, tmp_path):
    """What only reading tells: of our outputs by their checksum, of others by their pages."""
    root = tmp_path / "named"
    numbered.fill(root / FOLDER, 2, 300)
    lithify.ok("adopt", "--readers=manifest", root)
    for place, victim in ((lake, reader.live(lake / FOLDER)[0]),
                          (root, root / FOLDER / "part-00001.parquet")):
        before = victim.stat()
        if damage == "footer":
            numbered.break_footers([victim])
        else:
            data = bytearray(victim.read_bytes())
            at = 1000 if damage == "bit" else 40
            data[at:at + (1 if damage == "bit" else 400)] = bytes(
                byte ^ 255 for byte in data[at:at + (1 if damage == "bit" else 400)])
            victim.write_bytes(data)
        os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert fsck(place) == {}
        if damage == "bit" and place == root:
            continue  # without a checksum some bits are another value
        assert one(fsck(place, "--deep"))[:3] == (victim.name, "damaged", True)


@pytest.mark.parametrize("deep", [[], ["--deep"]])
def test_b14_an_empty_file(lake, deep):
    """It counts for readers that list, and none of them can read it; compact says so, too."""
    (lake / FOLDER / "x.parquet").write_bytes(b"")
    assert one(fsck(lake, *deep))[:3] == ("x.parquet", "damaged", False)
    os.utime(lake / FOLDER / "x.parquet", (1, 1))
    assert one(fsck(lake, *deep))[:3] == ("x.parquet", "damaged", True)
    assert lithify.run(*COMPACT, lake).code == lithify.BLOCKED


def test_quarantined(lake):
    (lake / OTHER / "bad.parquet").write_bytes(b"PAR1 nothing, but of some length")
    fresh = lake / "tenant_id=new" / numbered.HOUR
    numbered.fill(fresh, 4, 10, tenant="new")
    (fresh / "bad.parquet").write_bytes(b"PAR1 nothing, but of some length")
    os.utime(fresh / "bad.parquet", (1, 1))
    assert lithify.run(*COMPACT, lake).code == lithify.BLOCKED
    found = fsck(lake)
    kind, hand, text, _ = found.pop((OTHER, "bad.parquet"))[0]
    assert (kind, hand) == ("damaged", False) and "still written" in text
    name, kind, hand, text, _ = one(found, f"tenant_id=new/{numbered.HOUR}")
    assert (name, kind, hand) == ("bad.parquet", "quarantined", True) and "PAR1" in text
    (lake / OTHER / "bad.parquet").unlink()
    lithify.ok("retire", fresh, "bad.parquet")
    assert fsck(lake) == {}


@pytest.mark.parametrize("kept", [False, True], ids=["cp", "cp -p"])
def test_a_quarantined_file_is_put_back(lake, kept):
    """By its size and time it would be taken for the one that was set aside: the advice says so."""
    damaged = numbered.write(lake / FOLDER / "x.parquet", range(300, 310))
    numbered.fill(lake / FOLDER, 4, 10, first=310, stem="more")
    good = shutil.copy2(damaged, lake.with_name("good"))
    stat = damaged.stat()
    data = damaged.read_bytes()
    damaged.write_bytes(data[:60] + bytes(340) + data[400:])
    os.utime(damaged, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert lithify.run(*COMPACT, lake).code == lithify.BLOCKED
    name, kind, _, _, todo = one(fsck(lake))
    assert (name, kind) == ("x.parquet", "quarantined") and "with a new time (cp, not cp -p)" in todo
    (shutil.copy2 if kept else shutil.copy)(good, damaged)
    assert lithify.run(*COMPACT, lake).code == (lithify.BLOCKED if kept else lithify.DONE)
    assert (fsck(lake) == {}) == (not kept)
    numbered.check_everywhere(lake / FOLDER, range(350))


@pytest.mark.parametrize("kept", [False, True], ids=["cp", "cp -p"])
@pytest.mark.parametrize("how", ["missing", "other bytes"])
def test_a_file_is_put_back(lake, how, kept):
    """The advice keeps its time: then it is the one that the manifest names, at once."""
    live = reader.live(lake / FOLDER)[0]
    good = shutil.copy2(live, lake.with_name("good"))
    live.unlink()
    if how == "other bytes":
        live.write_bytes(good.read_bytes()[:-1] + b"?")
    assert "put it back from a copy, with its time (cp -p)" in one(fsck(lake))[4]
    (shutil.copy2 if kept else shutil.copy)(good, live)
    assert fsck(lake) == {} if kept else one(fsck(lake))[:3] == (live.name, "differs", False)
    lithify.ok(*COMPACT, lake)
    assert fsck(lake) == {}


def test_both_manifests(lake):
    shutil.copy2(lake / FOLDER / "manifest.json", lake / FOLDER / "_manifest.json")
    found = fsck(lake)
    assert {name for _, name in found} == {"manifest.json", "_manifest.json"}
    for rows in found.values():
        kind, hand, text, _ = rows[0]
        assert (kind, hand) == ("two-manifests", True) and "generation 3" in text and "1 file" in text
    (lake / FOLDER / "_manifest.json").write_text("{")
    assert "cannot be read" in fsck(lake)[FOLDER, "_manifest.json"][0][2]
    (lake / FOLDER / "_manifest.json").write_text('{"files": []}')
    assert "another program's" in fsck(lake)[FOLDER, "_manifest.json"][0][2]


@pytest.mark.parametrize("text,kind", [
    ("", "bad-manifest"), ("{", "bad-manifest"), ("[]", "bad-manifest"), ("\0" * 99, "bad-manifest"),
    ('{"generation": 1, "files": ["a/b.parquet"]}', "bad-manifest"),
    ('{"generation": 1, "files": [], "lithify": {"format": 2}}', "newer-manifest"),
    ('{"generation": 1, "files": ["part-00000.parquet"]}', "foreign-manifest"),
])
def test_a_manifest_that_nobody_can_go_by(lake, text, kind):
    """P9, A3: what cannot be read is not what is not there; another partition is looked at all the same."""
    (lake / FOLDER / "manifest.json").write_text(text)
    live = reader.live(lake / OTHER)[0]
    live.unlink()
    found = fsck(lake)
    assert found[FOLDER, "manifest.json"][0][:2] == (kind, True), found
    assert found[OTHER, live.name][0][0] == "missing"
    assert len(found) == 2


def test_a_link_in_place_of_a_manifest(lake):
    """P9: another version did not write it; nobody follows it."""
    path = lake / FOLDER / "manifest.json"
    path.rename(lake.parent / "elsewhere.json")
    path.symlink_to(lake.parent / "elsewhere.json")
    assert fsck(lake)[FOLDER, "manifest.json"][0][:2] == ("bad-manifest", True)


def test_a_foreign_manifest_names_what_is_not_there(tmp_path):
    numbered.fill(tmp_path / FOLDER, 2, 5)
    (tmp_path / FOLDER / "manifest.json").write_text('{"files": ["x.parquet"]}')
    found = fsck(tmp_path)
    assert found[FOLDER, "manifest.json"][0][0] == "foreign-manifest"
    assert found[FOLDER, "x.parquet"][0][0] == "missing"


def test_a_lost_manifest(lake):
    (lake / FOLDER / "manifest.json").unlink()
    name, kind, hand, text, _ = one(fsck(lake))
    assert (name, kind, hand) == (None, "lost-manifest", True)
    assert f"_{manifest(lake, OTHER)['lithify']['pid']}_" not in text and "_e2.parquet" in text
    # Without its inputs, the output is a file like any other: nothing counts twice.
    for path in (lake / FOLDER).glob("part-*"):
        path.unlink()
    assert fsck(lake) == {}


def orphan_make(root, name="", folder=FOLDER):
    """What a merge of the live files leaves that is killed before its commit: its output."""
    source = reader.live(root / folder)[0]
    shutil.copy2(source, root / folder / name)
    return name


def uuid_name(pid, epoch):
    return f"0190a000-0000-7000-8000-000000000001_{pid}_e{epoch}.parquet"


def test_orphans(lake):
    """Young, old, of nobody, of the future: what becomes of each."""
    pid = manifest(lake)["lithify"]["pid"]
    name = orphan_make(lake, uuid_name(pid, 1))
    place = lake / FOLDER / name
    os.utime(place)
    assert one(fsck(lake))[:3] == (name, "orphan", False)
    assert "gc looks at it from" in one(fsck(lake))[3]
    _, _, hand, text, _ = one(fsck(lake, "--orphan-grace", "0s"))
    assert not hand and "gc deletes it" in text
    # Its inputs were retired; one that no table has makes it all that is left of those rows.
    state = manifest(lake)
    state["lithify"]["retired"] = state["lithify"]["retired"][1:]
    manifest_write(lake, state)
    found = fsck(lake, "--orphan-grace", "0s")
    kind, hand, text, _ = found[FOLDER, name][0]
    assert hand and "part-00000.parquet may be nowhere else" in text, found
    (lake / FOLDER / "part-00000.parquet").unlink()  # it had become a late file
    assert fsck(lake, "--orphan-grace", "0s")[FOLDER, name][0][1]
    place.write_bytes(b"no footer")
    os.utime(place, (5, 5))
    assert "does not say which rows" in one(fsck(lake))[3]
    place.unlink()
    name = orphan_make(lake, uuid_name(pid, 99))
    _, kind, hand, text, _ = one(fsck(lake, "--orphan-grace", "0s"))
    assert (kind, hand) == ("orphan", True) and "older manifest" in text


def test_orphans_beside_a_missing_file(lake):
    """gc does nothing there, so nothing can be promised of it."""
    name = orphan_make(lake, uuid_name(manifest(lake)["lithify"]["pid"], 1))
    live = [p for p in reader.live(lake / FOLDER)][0]
    live.unlink()
    found = fsck(lake, "--orphan-grace", "0s")
    assert found[FOLDER, live.name][0][0] == "missing"
    kind, hand, text, _ = found[FOLDER, name][0]
    assert (kind, hand) == ("orphan", False) and "gc deletes nothing here" in text


def test_retired_files_that_are_gone_or_others(lake):
    (lake / FOLDER / "part-00001.parquet").unlink()
    numbered.write(lake / FOLDER / "part-00002.parquet", range(300, 310), age_s=60)
    found = fsck(lake)
    assert found[FOLDER, "part-00001.parquet"][0][:2] == ("retired", False)
    assert "was deleted" in found[FOLDER, "part-00001.parquet"][0][2]
    assert found[FOLDER, "part-00002.parquet"][0][:2] == ("retired", False)
    assert "another file under the name" in found[FOLDER, "part-00002.parquet"][0][2]
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    lithify.ok(*COMPACT, "--min-files=9", "--settle=9d", lake)
    assert fsck(lake) == {}


def test_links(lake, tmp_path):
    (lake / FOLDER / "part-00001.parquet").rename(tmp_path / "away.parquet")
    (lake / FOLDER / "part-00001.parquet").symlink_to(tmp_path / "away.parquet")
    (lake / FOLDER / "link.parquet").symlink_to(tmp_path / "away.parquet")
    found = fsck(lake)
    assert found[FOLDER, "part-00001.parquet"][0][:2] == ("retired", True)
    assert found[FOLDER, "link.parquet"][0][:2] == ("link", True)
    (lake / FOLDER / "hole.parquet").symlink_to(tmp_path / "nothing")
    assert fsck(lake)[FOLDER, "hole.parquet"][0][:2] == ("no-file", False)


def test_leftovers(lake):
    pid = manifest(lake)["lithify"]["pid"]
    for name in (f"{uuid_name(pid, 1)}.tmp", "manifest.json.tmp", "odd.parquet.gone.tmp",
                 "part-00000.parquet.gone.tmp", "theirs.parquet.tmp", "_lithify_events"):
        (lake / FOLDER / name).write_bytes(b"x")
    found = fsck(lake)
    assert {name: rows[0][:2] for (_, name), rows in found.items()} == {
        f"{uuid_name(pid, 1)}.tmp": ("leftover", False),
        "manifest.json.tmp": ("leftover", False),
        "odd.parquet.gone.tmp": ("leftover", True),
        "part-00000.parquet.gone.tmp": ("leftover", True),
        "part-00000.parquet": ("retired", True),
        "_lithify_events": ("owed-events", False),
    }
    (lake / FOLDER / "part-00000.parquet.gone.tmp").unlink()
    (lake / FOLDER / "part-00000.parquet").rename(lake / FOLDER / "part-00000.parquet.gone.tmp")
    found = fsck(lake)
    assert found[FOLDER, "part-00000.parquet.gone.tmp"][0][:2] == ("leftover", False)


def test_condemned_files_that_are_still_there(lake):
    state = manifest(lake)
    state["lithify"]["condemned"] = ["part-00003.parquet"]
    manifest_write(lake, state)
    name, kind, hand, text, _ = one(fsck(lake))
    assert (name, kind, hand) == ("part-00003.parquet", "condemned", False) and "gc goes on" in text


def test_a_replay_is_told(lake):
    saved = (lake / FOLDER / "part-00000.parquet").read_bytes()
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    (lake / FOLDER / "part-00000.parquet").write_bytes(saved)
    assert one(fsck(lake))[:3] == ("part-00000.parquet", "replay", False)
    os.utime(lake / FOLDER / "part-00000.parquet", (5, 5))
    lithify.ok(*COMPACT, lake)
    assert fsck(lake) == {}


@pytest.mark.parametrize("text,says", [(None, "not there"), ("{", "JSON"), ('{"format": 7}', "format 7")])
def test_the_lakes_own_file(lake, text, says):
    """It is needed for commits alone: fsck looks at the rest all the same."""
    reader.live(lake / OTHER)[0].unlink()
    (lake / "_lithify.json").unlink() if text is None else (lake / "_lithify.json").write_text(text)
    found = fsck(lake)
    kind, hand, told, _ = found["", "_lithify.json"][0]
    assert (kind, hand) == ("lake-file", True) and says in told
    assert len(found) == 2
    if text is not None:
        assert lithify.run("plan", lake).code == lithify.FAILED


def test_a_table_format_is_left_alone(lake):
    (lake / FOLDER / "_delta_log").mkdir()
    name, kind, hand, _, _ = one(fsck(lake))
    assert (name, kind, hand) == ("_delta_log/", "table-format", False) or \
        (name, kind, hand) == ("_delta_log", "table-format", False)


def test_a_directory_in_the_place_of_a_manifest(lake):
    folder = lake / FOLDER
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").mkdir()
    assert one(fsck(lake))[:3] == ("manifest.json", "bad-manifest", True)


def test_names_that_are_no_text(lake):
    name = os.fsdecode(b"odd \xff\n.parquet")
    (lake / FOLDER / name).write_bytes(b"")
    result = lithify.run("fsck", "--deep", "--json", lake)
    finding, = [f for p in json.loads(result.out)["partitions"] for f in p["findings"]]
    assert bytes.fromhex(finding["file_hex"]) == b"odd \xff\n.parquet"
    text = lithify.run("fsck", "--deep", lake).out
    assert "odd \\xff\\x0a.parquet: damaged" in text, text


def test_the_audit_series_is_a_lake_of_its_own(lake):
    series = audit.place(lake)
    assert "clean" in lithify.ok("fsck", "--deep", series).out
    assert lithify.ok("fsck", lake).out.startswith("2 partitions")


# What others do meanwhile.

@pytest.mark.parametrize("deep", [[], ["--deep"]])
def test_beside_passes_that_run(tmp_path, deep):
    """No lock, no right to write, and nothing that only seems wrong since somebody is at work."""
    root = tmp_path / "lake"
    folder = root / FOLDER
    numbered.fill(folder, 4, 20)
    lithify.ok(*COMPACT, root)
    end = time.monotonic() + float(os.environ.get("LITHIFY_SOAK_SECONDS", "8"))
    failure = []

    def passes():
        number = 4
        try:
            while time.monotonic() < end and not failure:
                numbered.fill(folder, 3, 20, first=20 * number, stem=f"late{number:05}", age_s=1)
                number += 3
                for command in (COMPACT, ["gc", *numbered.NO_GRACE]):
                    assert lithify.run(*command, root).code in (lithify.DONE, lithify.AGAIN)
        except BaseException as problem:
            failure.append(problem)

    thread = threading.Thread(target=passes)
    thread.start()
    looks = 0
    try:
        while time.monotonic() < end and not failure:
            done = subprocess.run([lithify.BIN, "fsck", *deep, root], text=True, capture_output=True,
                                  timeout=60)
            assert done.returncode in (lithify.DONE, lithify.AGAIN), done
            looks += done.returncode == lithify.DONE
    except BaseException as problem:
        failure.append(problem)
    thread.join()
    if failure:
        raise failure[0]
    assert looks > 5


def as_nobody(lake, *options):
    """A run of somebody who may read the lake and write nothing; root gives itself up for nobody."""
    who = dict(user=65534, group=65534, extra_groups=[]) if os.geteuid() == 0 else {}
    folders = [path for path in [lake, *lake.rglob("*")] if path.is_dir()]
    for path in folders:
        path.chmod(path.stat().st_mode & 0o7000 | (0o555 if path.stat().st_mode & 0o111 else 0))
    for path in lake.parents:
        if path.owner() == lake.owner():
            path.chmod(path.stat().st_mode | 0o055)
    program = lake.parent / "lithify"
    shutil.copy2(lithify.BIN, program)
    done = subprocess.run([program, "fsck", *options, lake], text=True, capture_output=True, cwd="/",
                          timeout=60, **who)
    for path in folders:
        path.chmod(0o755)
    return done


def test_a_lake_that_one_may_only_read(lake):
    """No lock is waited for, nothing is written, not even for a moment."""
    holder = os.open(lake / FOLDER, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    before = numbered.tree(lake)
    done = as_nobody(lake, "--deep")
    os.close(holder)
    assert done.returncode == lithify.DONE and "clean" in done.stdout, done
    assert numbered.tree(lake) == before


@pytest.mark.parametrize("culprit", ["folder", "manifest.json"])
def test_a_partition_that_cannot_be_looked_at_stops_no_other(lake, culprit):
    """P9, A3: it is told, exit 1, and is no empty partition."""
    live = reader.live(lake / OTHER)[0]
    live.unlink()
    path = lake / FOLDER if culprit == "folder" else lake / FOLDER / culprit
    path.chmod(0)
    done = as_nobody(lake)
    path.chmod(0o755)
    assert done.returncode == lithify.FAILED, done
    assert live.name in done.stdout and "1 could not be looked at" in done.stdout, done
    assert FOLDER in done.stderr, done


# Journals (readers = glob).


def cut(root, step, arrival=1):
    """A lake whose readers list directories, and in it a job that was cut off."""
    numbered.fill(root / FOLDER, 6, 50)
    assert crash.run(step, arrival, "compact", *globbing.NOW, root) is None
    return globbing.journal(root)[0]


@pytest.mark.parametrize("step,says", [("journaled", "outputs that are there: 0"),
                                       ("output-durable", "outputs that are there: 1"),
                                       ("committed", "still there: 6"), ("delete-durable", "still there: 0")])
def test_a_journal_that_is_pending(step, says, tmp_path):
    """ARC.1: the next pass settles it, and until then it is told."""
    path = cut(tmp_path / "lake", step)
    told = [row for (at, file), rows in fsck(tmp_path / "lake").items() for row in rows if row[0] == "journal"]
    assert len(told) == 1, told
    [(_, wants_hand, text, _)] = told
    assert not wants_hand and path.name in text and says in text, text
    lithify.ok("gc", "--quiet", tmp_path / "lake")
    assert not any(row[0] == "journal" for rows in fsck(tmp_path / "lake").values() for row in rows)


def break_mode(root, path):
    file = root / "_lithify.json"
    file.write_text(file.read_text().replace('"glob"', '"manifest"'))


def remove(root, path):
    (root / FOLDER / "manifest.json").unlink()


# How -> (what is done, where it is told, what it says).
BROKEN_JOURNALS = {
    "torn": (lambda root, path: path.write_bytes(path.read_bytes()[:200]), FOLDER, "cannot be gone by"),
    "newer": (lambda root, path: path.write_text(path.read_text().replace('"format": 1', '"format": 2')), FOLDER,
              "this version knows 1"),
    "of another partition": (lambda root, path: path.write_text(path.read_text().replace("acme", "ucme")), FOLDER,
                             "cannot be gone by"),
    "without manifest": (remove, FOLDER, "there is no manifest"),
    "another mode": (break_mode, FOLDER, "no pass looks at it"),
    "without partition": (lambda root, path: shutil.rmtree(root / FOLDER), "", "its partition is not there"),
    "another name": (lambda root, path: path.rename(path.with_name("mine.json")), "", "not named as a journal"),
}


@pytest.mark.parametrize("how", BROKEN_JOURNALS)
def test_a_journal_that_nobody_can_go_by(how, tmp_path):
    """ARC.1, P9: what blocks a partition wants a hand, and says which journal it is."""
    root = tmp_path / "lake"
    change, folder, says = BROKEN_JOURNALS[how]
    path = cut(root, "committed")
    change(root, path)
    [((at, file), row)] = [(place, row) for place, rows in fsck(root).items() for row in rows if row[0] == "journal"]
    assert at == folder and row[1] and says in row[2], row
    assert (file or row[2]).startswith("_compaction_state/base/"), (file, row)


def test_a_journal_that_is_half_put(tmp_path):
    """What a put left that was cut off goes with the next pass."""
    root = tmp_path / "lake"
    numbered.fill(root / FOLDER, 6, 50)
    lithify.ok("adopt", "--readers", "glob", root)
    for arrival in range(1, 9):  # puts: those of events, the lease, then the journal
        for place in (tmp_path / "copy", audit.place(tmp_path / "copy")):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(root, tmp_path / "copy")
        assert crash.run("put-written", arrival, "compact", *globbing.NOW, tmp_path / "copy") is None
        if globbing.journals(tmp_path / "copy"):
            break
    [left] = globbing.journals(tmp_path / "copy")
    assert left.name.endswith(".json.tmp")
    told = [row for rows in fsck(tmp_path / "copy").values() for row in rows if row[0] == "journal"]
    assert len(told) == 1 and not told[0][1] and left.name in told[0][2], told
    lithify.ok("gc", "--quiet", tmp_path / "copy")
    assert globbing.journals(tmp_path / "copy") == []
