"""readers = exchange: who lists directories sees each row once, whatever is done to the lake."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import exchange
import lithify
import numbered
import reader
import syscalls
import test_bad_input
from exchange import COMPACT, GC, NOW, PARTITION, WAIT
from test_bad_input import IS_ROOT, give_away, public, run_unprivileged  # noqa: F401

FOUR = 4


@pytest.fixture
def lake(tmp_path):
    root = tmp_path / "lake"
    numbered.fill(root / PARTITION, FOUR, 30)
    return root


IDS = range(FOUR * 30)


def report(*arguments, codes=(lithify.DONE,)):
    """(exit code, partition reports by path, summary) of a command with --json."""
    result = lithify.run(*arguments, "--json")
    assert result.code in codes, str(result)
    document = json.loads(result.out)
    return result.code, {one["path"]: one for one in document["partitions"]}, document["summary"]


def test_each_operation_shows_each_row_once(lake):
    """P2: compact, fold, rollback, retire and gc, read by glob after each; inputs are never beside outputs."""
    partition = lake / PARTITION
    exchange.check_globs(lake, IDS, "before")
    lithify.ok("adopt", "--readers", "exchange", lake)
    exchange.check(lake, IDS, "adopt")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, IDS, "compact")
    assert len(list(partition.glob("*.parquet"))) == 1
    assert len(exchange.held(lake)) == FOUR
    late = numbered.fill(partition, 1, 30, first=1000, stem="late")
    exchange.check_globs(lake, [*IDS, *late], "late")
    lithify.ok(*WAIT, lake)
    exchange.check(lake, [*IDS, *late], "fold")
    lithify.ok("rollback", partition)
    exchange.check(lake, [*IDS, *late], "rollback")
    assert len(list(partition.glob("*.parquet"))) == FOUR + 1
    lithify.ok("retire", partition, "part-00000.parquet", "late-00000.parquet")
    exchange.check(lake, IDS[30:], "retire")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, IDS[30:], "compact again")
    for command in ("plan", "status", "ls", "log"):
        lithify.ok(command, lake)
    exchange.finish(lake, "gc")
    exchange.check(lake, IDS[30:], "gc")


def test_readme_commands_count_right_by_glob(tmp_path):
    """After the commands of the README `SELECT count(*) FROM '**/*.parquet'` is right."""
    root = tmp_path / "lake"
    ids = numbered.fill(root / PARTITION, 40, 20)

    def count():
        return exchange.by_duckdb(root).num_rows

    for command in (["status", root], ["plan", root], ["compact", "--readers", "exchange", root],
                    ["rollback", root / PARTITION], ["compact", "--row-group-rows", "500", root], ["gc", root],
                    ["gc", "--dry-run", root], ["adopt", root]):
        lithify.ok(*command)
        assert count() == len(ids), command


def test_a_second_sweep_writes_nothing(lake):
    """P6: in the graces and after them."""
    lithify.ok(*COMPACT, lake)
    before = exchange.tree(lake)
    lithify.ok(*COMPACT, lake)
    lithify.ok("gc", lake)
    assert exchange.tree(lake) == before
    exchange.finish(lake)


# The mode and its choice.

def test_the_mode_is_chosen_once(lake):
    """Without a choice compact explains, and recommends what works here; another mode exits 2."""
    before = numbered.tree(lake.parent)
    asked = lithify.run("compact", lake)
    assert asked.code == lithify.USAGE and "Recommended here: --readers exchange" in asked.err, str(asked)
    assert numbered.tree(lake.parent) == before
    lithify.ok(*COMPACT, lake)
    for command in (["compact"], ["adopt"]):
        result = lithify.run(*command, "--readers", "manifest", lake)
        assert result.code == lithify.USAGE and "readers = exchange, not manifest" in result.err, str(result)
    lithify.ok("compact", lake)  # the lake's file says it


def test_unlisted_files_cannot_be_ignored(tmp_path):
    """Readers that list directories count them, so nobody may say that they hold no rows."""
    root = tmp_path / "lake"
    numbered.fill(root / PARTITION, 2, 30)
    (root / PARTITION / "manifest.json").write_text('{"generation": 1, "files": ["part-00000.parquet"]}')
    result = lithify.run("adopt", "--readers", "exchange", "--unlisted", "ignore", root)
    assert result.code == lithify.USAGE and "take away those that hold no rows" in result.err, str(result)
    lithify.ok("adopt", "--readers", "exchange", "--unlisted", "live", root)
    exchange.check(root, range(60))


# Where staging is.

@pytest.mark.parametrize("place", ["lake/inside", "lake", "."])
def test_staging_lies_outside(place, lake):
    """Readers would find there what they must not see."""
    result = lithify.run(*COMPACT, "--staging", lake.parent / place, lake)
    assert result.code == lithify.USAGE and "one holds the other" in result.err, str(result)
    assert not (lake / "_lithify.json").exists()


def test_staging_on_another_file_system_is_refused(lake, tmp_path):
    other = pathlib.Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == lake.stat().st_dev:
        pytest.skip("no second file system at /dev/shm")
    place = other / f"lithify-test-{os.getpid()}"
    place.mkdir()
    try:
        result = lithify.run(*COMPACT, "--staging", place, lake)
        assert result.code == lithify.FAILED and "not on one file system" in result.err, str(result)
        assert not list(place.iterdir()) and not (lake / "_lithify.json").exists()
    finally:
        shutil.rmtree(place)
    exchange.check(lake, IDS)


def test_a_given_staging_directory_is_remembered(lake, tmp_path):
    """It is in the lake's file, so that no later command has to name it; it moves only when empty."""
    first, second = tmp_path / "first", tmp_path / "second"
    lithify.ok(*COMPACT, "--staging", first, lake)
    assert json.loads((lake / "_lithify.json").read_text())["staging"] == str(first)
    assert len(list((first / PARTITION / "_held").iterdir())) == FOUR
    assert not exchange.staging(lake).exists()
    lithify.ok("rollback", lake / PARTITION)
    exchange.check(lake, IDS, "rollback")
    for command in (COMPACT, GC):
        result = lithify.run(*command, "--staging", second, lake)
        assert result.code == lithify.USAGE and "files are held in" in result.err, str(result)
    lithify.ok(*GC, lake)
    lithify.ok(*COMPACT, "--row-group-rows", "999", "--staging", second, lake)
    assert not first.exists() and len(list((second / PARTITION / "_held").iterdir())) == FOUR
    exchange.check(lake, IDS, "moved")
    lithify.ok(*GC, lake)
    lithify.ok(*GC, "--staging", exchange.staging(lake), lake)
    assert "staging" not in json.loads((lake / "_lithify.json").read_text())
    assert not second.exists()


def test_another_lakes_staging_is_refused(lake, tmp_path):
    other = tmp_path / "other"
    numbered.fill(other / PARTITION, FOUR, 30)
    lithify.ok(*COMPACT, "--staging", tmp_path / "stage", lake)
    result = lithify.run(*COMPACT, "--staging", tmp_path / "stage", other)
    assert result.code == lithify.USAGE and "of another lake" in result.err, str(result)
    exchange.check(other, IDS)


def test_a_lake_that_was_moved_needs_its_staging(lake, tmp_path):
    """P9: what is held is unknown then, not gone: nothing is cleaned until it is there."""
    lithify.ok(*COMPACT, lake)
    moved = tmp_path / "moved"
    lake.rename(moved)
    before = numbered.tree(moved)
    for command in (COMPACT, GC, ["rollback"]):
        root = moved / PARTITION if command == ["rollback"] else moved
        result = lithify.run(*command, "--audit", "none", root)
        assert result.code == lithify.FAILED and "move it along" in result.err, str(result)
    assert numbered.tree(moved) == before
    assert len(lithify.ok("ls", moved).out.splitlines()) == 1  # who only reads needs nothing of it
    exchange.staging(lake).rename(exchange.staging(moved))
    lithify.ok("rollback", moved / PARTITION)
    exchange.check(moved, IDS)


def test_a_copy_of_a_lake_goes_on(lake, tmp_path):
    """P1, P2: other inodes, the same names and times: nothing is taken for new, and all of it goes."""
    lithify.ok(*COMPACT, lake)
    late = numbered.fill(lake / PARTITION, FOUR, 30, first=1000, stem="late")
    copy = exchange.copy(lake, tmp_path / "copy")
    assert exchange.swapped_out(copy)
    lithify.ok(*COMPACT, copy)
    exchange.check(copy, [*IDS, *late])
    lithify.ok("rollback", copy / PARTITION)
    exchange.check(copy, [*IDS, *late])
    exchange.finish(copy)


# What the new directory looks like.

def acl(entries):
    """The extended attribute that holds a POSIX ACL."""
    tags = {"user": 0x01, "group": 0x04, "mask": 0x10, "other": 0x20, "named": 0x02}
    data = (2).to_bytes(4, "little")
    for tag, permission, number in entries:
        data += tags[tag].to_bytes(2, "little") + permission.to_bytes(2, "little")
        data += number.to_bytes(4, "little", signed=False)
    return data


NOBODY = 0xFFFFFFFF
ACCESS = [("user", 7, NOBODY), ("named", 5, 1234), ("group", 5, NOBODY), ("mask", 5, NOBODY), ("other", 0, NOBODY)]


def test_the_new_directory_looks_as_the_old_one(lake):
    """Mode with setgid, extended attributes, both ACLs; and what is held is as closed as the partition."""
    partition = lake / PARTITION
    partition.chmod(0o2750)
    try:
        os.setxattr(partition, "user.note", b"kept")
        os.setxattr(partition, "system.posix_acl_access", acl(ACCESS))
        os.setxattr(partition, "system.posix_acl_default", acl(ACCESS))
    except OSError as problem:
        pytest.skip(f"no such attributes here: {problem}")
    if os.geteuid() == 0:
        os.chown(partition, 4321, 4322)
        partition.chmod(0o2750)

    def looks(path):
        stat = path.stat()
        return (stat.st_mode, stat.st_uid, stat.st_gid,
                {name: os.getxattr(path, name) for name in sorted(os.listxattr(path))})

    before, inode = looks(partition), partition.stat().st_ino
    lithify.ok(*COMPACT, lake)
    assert partition.stat().st_ino != inode
    assert looks(partition) == before
    assert looks(exchange.staging(lake) / PARTITION / "_held") == before
    lithify.ok("rollback", partition)
    assert looks(partition) == before


def test_files_of_no_reader_stay_beside_the_data(lake):
    """_SUCCESS, checksums and notes of others are carried along."""
    partition = lake / PARTITION
    others = {"_SUCCESS": "", ".part-00000.parquet.crc": "crc", "README.txt": "ours"}
    for name, text in others.items():
        (partition / name).write_text(text)
    lithify.ok(*COMPACT, lake)
    assert len(list(partition.glob("*.parquet"))) == 1
    assert {name: (partition / name).read_text() for name in others} == others
    exchange.finish(lake)
    assert {name: (partition / name).read_text() for name in others} == others


# Where it cannot be had.


@pytest.mark.parametrize("kind,error", [("renameat2", "EINVAL"), ("renameat2", "ENOSYS"), ("linkat", "EPERM"),
                                        ("linkat", "EOPNOTSUPP")])
def test_a_file_system_that_cannot_is_refused(kind, error, lake):
    """docs/readers.md: it is tried out at each start, the first and any other; nothing is changed then."""
    if syscalls.why_not():
        pytest.skip(f"SKIP: {syscalls.why_not()}")
    for start in range(2):
        before = numbered.tree(lake)
        for command in (COMPACT, ["gc"]) if start else (COMPACT, ["adopt", "--readers", "exchange"]):
            done = subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={kind}",
                                   "-e", f"inject={kind}:error={error}", lithify.BIN, *command, lake], text=True,
                                  capture_output=True, timeout=120, env=lithify.environment())
            assert done.returncode == lithify.FAILED, (command, done)
            assert "readers = exchange needs hard links and renameat2(RENAME_EXCHANGE)" in done.stderr, (command, done)
            assert numbered.tree(lake) == before, command
        exchange.check_globs(lake, IDS)
        lithify.ok("adopt", "--readers", "exchange", lake)
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, IDS)


def test_a_lake_at_the_root_of_a_file_system(tmp_path):
    """docs/readers.md: no directory beside it is on that file system: refused, and other modes are not."""
    root = tmp_path / "lake"
    root.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root], capture_output=True).returncode:
        pytest.skip("SKIP: no file system can be mounted here")
    try:
        ids = numbered.fill(root / PARTITION, FOUR, 30)
        before = numbered.tree(root)
        for command in (COMPACT, ["adopt", "--readers", "exchange"]):
            result = lithify.run(*command, root)
            assert result.code == lithify.FAILED and "not on one file system" in result.err, str(result)
            assert numbered.tree(root) == before
            assert not list(exchange.staging(root).rglob("*"))
        result = lithify.run("compact", root)
        assert result.code == lithify.USAGE and "Not here" in result.err, str(result)
        lithify.ok("compact", "--readers", "glob", *NOW[2:], root)
        numbered.check_everywhere(root, ids)
    finally:
        subprocess.run(["umount", root], check=True)


@pytest.mark.skipif(not IS_ROOT, reason="SKIP: needs files of two owners, so root")
def test_files_that_only_their_owner_may_link(public):  # noqa: F811
    """docs/readers.md, P8: the system lets nobody else link them (fs.protected_hardlinks): put off, with the file."""
    root = public / "lake"
    ids = numbered.fill(root / PARTITION, FOUR, 30)
    staging = exchange.staging(root)
    lithify.ok("adopt", "--readers", "exchange", root)
    give_away(root)
    for path in [staging, *staging.rglob("*"), *root.with_name("lake.audit").rglob("*")]:
        os.chown(path, *[test_bad_input.NOBODY] * 2)
    os.chown(public, *[test_bad_input.NOBODY] * 2)
    theirs = root / PARTITION / "part-00002.parquet"
    os.chown(theirs, 0, 0)
    before = numbered.tree(root)
    for _ in range(2):
        code, text = run_unprivileged(public, *COMPACT, root)
        assert code == lithify.BLOCKED, (code, text)
        assert "put off: " in text and f"{theirs.name} is another user's" in text and "protected_hardlinks" in text, text
        assert numbered.tree(root) == before
    os.chown(theirs, *[test_bad_input.NOBODY] * 2)
    code, text = run_unprivileged(public, *COMPACT, root)
    assert code == lithify.DONE, text
    exchange.check(root, ids)
    assert len(list((root / PARTITION).glob("*.parquet"))) == 1


# What cannot be swapped.

OBSTACLES = {
    "temporary": (lambda p: (p / "x.parquet.tmp").write_text(""), "pending", lithify.AGAIN, "another program"),
    "hidden": (lambda p: (p / ".x.inprogress").write_text(""), "pending", lithify.AGAIN, "another program"),
    "directory": (lambda p: (p / "sub").mkdir(), "blocked", lithify.BLOCKED, "is a directory"),
    "link": (lambda p: (p / "more.parquet").symlink_to("part-00000.parquet"), "blocked", lithify.BLOCKED,
             "symbolic link"),
    "fifo": (lambda p: os.mkfifo(p / "pipe"), "blocked", lithify.BLOCKED, "special file"),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_partition_that_cannot_be_swapped_is_put_off(name, lake):
    """P8: with the reason, before any work; late files are named all the same; rows stay as they are."""
    make, state, code, text = OBSTACLES[name]
    partition = lake / PARTITION
    lithify.ok("adopt", "--readers", "exchange", lake)
    make(partition)
    before = numbered.tree(lake), numbered.tree(exchange.staging(lake))
    for _ in range(2):
        _, partitions, _ = report(*COMPACT, lake, codes=(code,))
        told = partitions[PARTITION.as_posix()]
        assert told["state"] == state and text in told["reason"] and told["reason"].startswith("put off: "), told
        assert (numbered.tree(lake), numbered.tree(exchange.staging(lake))) == before
    assert text in report("plan", *NOW, lake, codes=(code, lithify.DONE))[1][PARTITION.as_posix()]["reason"]
    late = numbered.fill(partition, 1, 30, first=1000, stem="late")
    lithify.run(*COMPACT, lake)
    manifest = json.loads((partition / "manifest.json").read_bytes())
    assert "late-00000.parquet" in manifest["files"]
    result = lithify.run("retire", partition, "late-00000.parquet")
    assert result.code == code and text in result.out + result.err, str(result)
    assert set(reader.read(lake)["id"].to_pylist()) == {*IDS, *late}


def test_partitions_below_a_partition(lake):
    """What holds partitions stays where it is; those below it are compacted by themselves."""
    inner = lake / PARTITION / "minute=05"
    ids = numbered.fill(inner, FOUR, 30, first=1000, stem="inner")
    _, partitions, _ = report(*COMPACT, lake, codes=(lithify.BLOCKED,))
    assert partitions[PARTITION.as_posix()]["state"] == "blocked"
    assert partitions[(PARTITION / "minute=05").as_posix()]["state"] == "compacted"
    assert len(list(inner.glob("*.parquet"))) == 1
    exchange.check(lake, [*IDS, *ids])


def test_files_in_the_root_itself(tmp_path):
    """The root is swapped as any partition is, with the lake's own file."""
    root = tmp_path / "lake"
    ids = numbered.fill(root, FOUR, 30)
    lake_id = None
    for more in ([], ["--row-group-rows", "77"]):
        lithify.ok(*COMPACT, *more, root)
        assert len(list(root.glob("*.parquet"))) == 1
        exchange.check(root, ids)
        mine = json.loads((root / "_lithify.json").read_text())["lake_id"]
        assert lake_id in (None, mine)
        lake_id = mine
        lithify.ok("rollback", root)
        exchange.check(root, ids)
    link = tmp_path / "link"
    link.symlink_to(root)
    lithify.ok(*COMPACT, "--row-group-rows", "66", link)
    assert link.is_symlink() and len(list(root.glob("*.parquet"))) == 1
    exchange.check(root, ids)
    exchange.finish(root)


# Programs that go on in the old directory.

class Inside:
    """A program that has the partition's directory open, whatever becomes of its path."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def write(self, name, ids, spare, to=None):
        """A file of these rows, under another name first where `to` is its last one."""
        data = numbered.write(spare, ids).read_bytes()
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644, dir_fd=self.fd)
        os.write(fd, data)
        os.close(fd)
        if to:
            self.rename(name, to)

    def rename(self, name, to):
        os.rename(name, to, src_dir_fd=self.fd, dst_dir_fd=self.fd)


def test_a_writer_in_the_old_directory(lake, tmp_path):
    """P1: what it writes there later is carried over at the next sweep, also a file that it renames then."""
    spare = tmp_path / "spare.parquet"
    inside = Inside(lake / PARTITION)
    lithify.ok(*COMPACT, lake)
    inside.write("late-1.parquet", range(1000, 1010), spare)
    inside.write("late-2.parquet.tmp", range(1010, 1020), spare)
    exchange.check(lake, IDS, "not carried yet")
    _, partitions, summary = report(*WAIT, lake)
    assert partitions[PARTITION.as_posix()]["carried"] == 1 and summary["carried"] == 1
    exchange.check(lake, [*IDS, *range(1000, 1010)], "carried")
    inside.rename("late-2.parquet.tmp", "late-2.parquet")
    lithify.ok(*WAIT, lake)
    exchange.check(lake, [*IDS, *range(1000, 1020)], "renamed")
    assert not list((lake / PARTITION).glob("*.tmp"))
    # By gc, too; and while the grace lasts the directory is looked into again.
    inside.write("late-3.parquet", range(1020, 1030), spare)
    lithify.ok("gc", lake)
    exchange.check_globs(lake, [*IDS, *range(1000, 1030)], "gc")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, [*IDS, *range(1000, 1030)], "merged")
    # What was merged meanwhile does not come back.
    lithify.ok(*GC, lake)
    exchange.finish(lake)
    exchange.check(lake, [*IDS, *range(1000, 1030)], "at rest")
    with pytest.raises(OSError):
        inside.write("late-4.parquet", range(9), spare)


def test_a_file_that_is_never_finished_in_the_old_directory(lake, tmp_path):
    """P10: nobody can say whose it is: gc keeps the directory for it, and says so, until it is away."""
    inside = Inside(lake / PARTITION)
    lithify.ok(*COMPACT, lake)
    inside.write("late.parquet.tmp", range(1000, 1010), tmp_path / "spare.parquet")
    lithify.ok(*COMPACT, lake)
    for _ in range(2):
        _, partitions, _ = report(*GC, lake, codes=(lithify.BLOCKED,))
        assert "late.parquet.tmp" in partitions[PARTITION.as_posix()]["stray"]
    os.unlink("late.parquet.tmp", dir_fd=inside.fd)
    exchange.finish(lake)
    exchange.check(lake, IDS)


def test_a_writer_whose_working_directory_it_is(lake, tmp_path):
    """P1: a program that stands in the directory and writes relative names."""
    numbered.write(tmp_path / "new.parquet", range(1000, 1010))
    script = "read go; cp ../../../../../../new.parquet late.parquet.tmp || cp \"$1\" late.parquet.tmp; " \
             "mv late.parquet.tmp late.parquet; echo done; read go"
    writer = subprocess.Popen(["sh", "-c", script, "sh", tmp_path / "new.parquet"], cwd=lake / PARTITION,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        lithify.ok(*COMPACT, lake)
        writer.stdin.write("\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "done\n"
        lithify.ok(*COMPACT, lake)
        exchange.check(lake, [*IDS, *range(1000, 1010)])
    finally:
        writer.communicate("\n", timeout=10)


def test_a_directory_made_in_the_old_one(lake, tmp_path):
    """P1: it is moved over with all that is in it."""
    inside = Inside(lake / PARTITION)
    lithify.ok(*COMPACT, lake)
    os.mkdir("minute=07", dir_fd=inside.fd)
    numbered.write(tmp_path / "x.parquet", range(1000, 1010))
    os.rename(tmp_path / "x.parquet", "minute=07/x.parquet", dst_dir_fd=inside.fd)
    lithify.run(*COMPACT, lake)
    exchange.check(lake, [*IDS, *range(1000, 1010)])


def test_a_name_that_is_taken_is_told(lake, tmp_path):
    """P1, P8, P10: two files of one name: neither replaces the other, nothing of them goes, exit 3."""
    spare = tmp_path / "spare.parquet"
    inside = Inside(lake / PARTITION)
    lithify.ok(*COMPACT, lake)
    numbered.write(lake / PARTITION / "same.parquet", range(1000, 1010))
    inside.write("same.parquet", range(2000, 2010), spare)
    for command in (WAIT, GC, WAIT):
        _, partitions, summary = report(*command, lake, codes=(lithify.BLOCKED,))
        told = partitions[PARTITION.as_posix()]
        assert "same.parquet" in told["stray"] and summary["strays"] == 1, told
    exchange.check(lake, [*IDS, *range(1000, 1010)])
    [old] = [path for path in exchange.swapped_out(lake) if (path / "same.parquet").exists()]
    numbered.check(numbered.of_files([old / "same.parquet"]), range(2000, 2010))
    (old / "same.parquet").rename(lake / PARTITION / "other.parquet")
    exchange.finish(lake)
    exchange.check(lake, [*IDS, *range(1000, 1010), *range(2000, 2010)])


def test_a_retired_name_written_in_the_old_directory(lake, tmp_path):
    """P1: new data under a name that was used before is shown, and named once it was read."""
    inside = Inside(lake / PARTITION)
    lithify.ok(*COMPACT, lake)
    os.unlink("part-00001.parquet", dir_fd=inside.fd)
    inside.write("part-00001.parquet", range(1000, 1017), tmp_path / "spare.parquet")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, [*IDS, *range(1000, 1017)])
    exchange.finish(lake)
    exchange.check(lake, [*IDS, *range(1000, 1017)])


def test_what_somebody_deletes_stays_deleted(lake):
    """A retention job takes a live file away: a sweep does not bring it back from the old directory."""
    partition = lake / PARTITION
    (partition / "other.parquet").write_bytes(b"no Parquet")  # stays out of the merge, stays live
    lithify.run(*COMPACT, lake)
    assert (partition / "other.parquet").exists() and exchange.swapped_out(lake)
    (partition / "other.parquet").unlink()
    for command in (COMPACT, GC):
        lithify.run(*command, lake)
        assert not (partition / "other.parquet").exists()


# Writers that repeat themselves.

def test_a_replay_goes_again(lake, tmp_path):
    """P2: an input sent again, byte for byte, is seen until the next sweep has read it, then no more."""
    partition = lake / PARTITION
    data = (partition / "part-00000.parquet").read_bytes()
    lithify.ok(*COMPACT, lake)
    for state in ("held", "deleted"):
        (partition / "part-00000.parquet").write_bytes(data)
        os.utime(partition / "part-00000.parquet", (1e9, 1e9))
        lithify.ok(*COMPACT, lake)
        exchange.check(lake, IDS, state)
        lithify.ok(*GC, lake)
        exchange.check(lake, IDS, state)
    exchange.finish(lake)


def test_a_copy_of_an_input_with_its_time(lake):
    """P2: the same name, size and time: it is retired already, and is hidden by the next commit."""
    partition = lake / PARTITION
    shutil.copy2(partition / "part-00000.parquet", lake.parent / "copy")
    lithify.ok(*COMPACT, lake)
    shutil.copy2(lake.parent / "copy", partition / "part-00000.parquet")
    late = numbered.fill(partition, 2, 10, first=1000, stem="late")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, [*IDS, *late])
    exchange.finish(lake)
    exchange.check(lake, [*IDS, *late])


# Partitions that go, or begin anew.

def test_what_is_held_for_a_partition_that_was_deleted_goes(lake):
    """Retention deletes directories: what is held for them goes once the graces are over, not before."""
    other = lake / PARTITION.with_name("hour=06")
    numbered.fill(other, FOUR, 30, first=1000)
    lithify.ok(*COMPACT, lake)
    shutil.rmtree(lake / PARTITION)
    lithify.ok("gc", lake)
    assert exchange.held(lake)
    lithify.ok("gc", *numbered.NO_GRACE, "--partition", "*hour=06", lake)
    assert exchange.held(lake)
    lithify.ok(*GC, lake)
    exchange.check_nothing_held(lake)
    exchange.check(lake, range(1000, 1120))


def test_a_partition_that_began_anew(lake):
    """P1, P2: files of the earlier one that are still held are never rows of the new one."""
    lithify.ok(*COMPACT, lake)
    assert exchange.held(lake)
    shutil.rmtree(lake / PARTITION)
    ids = numbered.fill(lake / PARTITION, FOUR, 30, first=5000)
    exchange.check(lake, ids, "anew")
    lithify.ok("plan", lake)
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, ids, "compact")
    exchange.finish(lake)
    exchange.check(lake, ids, "gc")


def test_a_partition_that_began_anew_under_other_names(lake):
    """P1, P2: the same where nothing that is there hides a held file by its name."""
    lithify.ok(*COMPACT, lake)
    held = set(exchange.held(lake))
    assert held
    shutil.rmtree(lake / PARTITION)
    ids = numbered.fill(lake / PARTITION, FOUR, 30, first=5000, stem="other")
    exchange.check(lake, ids, "anew")
    lithify.ok(*COMPACT, lake)
    exchange.check(lake, ids, "compact")
    exchange.finish(lake)
    exchange.check(lake, ids, "gc")


@pytest.mark.parametrize("late", [0, 1])
def test_adopted_after_the_manifest_was_lost(lake, late):
    """P1, P2: what a directory shows is what is live; held files stay out."""
    lithify.ok(*COMPACT, lake)
    assert exchange.held(lake)
    (lake / PARTITION / "manifest.json").unlink()
    ids = [*IDS, *numbered.fill(lake / PARTITION, late, 30, first=1000, stem="late")]
    for command in (["adopt"], COMPACT, COMPACT):
        lithify.ok(*command, lake)
        exchange.check(lake, ids, command[0])
    exchange.finish(lake)
    exchange.check(lake, ids, "gc")


# A disk that is full.

def test_full_disk(tmp_path):
    """P3: a commit that does not fit changes nothing; with room again it is made."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=64", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("SKIP: a small file system cannot be mounted here")
    try:
        root = disk / "lake"
        ids = numbered.fill(root / PARTITION, FOUR, 30)
        lithify.ok("adopt", "--readers", "exchange", "--audit", "none", root)
        spare = 0
        for used in range(2):  # first no room for inodes, then none for bytes
            fill = disk / f"fill-{used}"
            fill.mkdir()
            try:
                if used == 0:
                    while True:
                        (fill / str(spare)).touch()
                        spare += 1
                else:
                    with open(fill / "bytes", "wb", buffering=0) as file:
                        while True:
                            file.write(b"x" * 4096)
            except OSError:
                pass
            for _ in range(2):
                result = lithify.run(*COMPACT, "--audit", "none", root)
                assert result.code != lithify.DONE, str(result)
                exchange.check(root, ids, f"full {used}")
            shutil.rmtree(fill)
        lithify.ok(*COMPACT, "--audit", "none", root)
        exchange.check(root, ids, "room again")
        assert len(list((root / PARTITION).glob("*.parquet"))) == 1
        lithify.ok(*GC, "--audit", "none", root)
        exchange.check_nothing_held(root)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
