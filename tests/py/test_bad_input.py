"""What is broken, foreign or forbidden gets a reason and costs nothing else.

Each case is a partition with something wrong in it beside a healthy one. The healthy one is
compacted, the exit code says what came of the other, the reason names the culprit, no byte that
was there is lost, and a second sweep finds nothing new to do.
"""

import fcntl
import gzip
import os
import re
import pathlib
import shutil
import subprocess
import tempfile

import pyarrow.parquet as parquet
import pytest

import audit
import lithify
import numbered
import parquet_file
import reader

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

COMPACT = ["compact", *[word for word in numbered.NOW if word != "--quiet"]]
BAD = pathlib.Path("tenant_id=bad") / numbered.HOUR
GOOD = pathlib.Path("tenant_id=good") / numbered.HOUR
NOBODY = 65534
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def lake(tmp_path):
    """Two partitions of five files each."""
    return make_lake(tmp_path / "lake")


def make_lake(root):
    numbered.fill(root / GOOD, 5, 20, tenant="good")
    numbered.fill(root / BAD, 5, 20, tenant="bad")
    return root


@pytest.fixture
def public():
    """A folder that an unprivileged user may enter and owns, with the program in it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lithify-"))
    shutil.copy2(lithify.BIN, folder / "lithify")
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder)


def give_away(root):
    series = root.with_name(f"{root.name}.audit")  # beside the lake not everybody may make it
    series.mkdir(exist_ok=True)
    if IS_ROOT:
        os.chown(series, NOBODY, NOBODY)
        os.chown(root, NOBODY, NOBODY)
        for path in root.rglob("*"):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def run_unprivileged(public, *arguments):
    """The program as somebody whom permissions bind: root gives itself up for `nobody`."""
    who = dict(user=NOBODY, group=NOBODY, extra_groups=[]) if IS_ROOT else {}
    done = subprocess.run([public / "lithify", *map(str, arguments)], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/", **who)
    assert 0 <= done.returncode < 64, done
    return done.returncode, done.stdout


def run(*arguments):
    done = lithify.run(*arguments)
    return done.code, done.out + done.err


def data_bytes(folder):
    """The bytes of everything but manifests, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()
            if path.is_file() and path.name not in reader.MANIFESTS}


def good_is_compacted(root):
    assert len(reader.live(root / GOOD)) == 1
    numbered.check(reader.read(root / GOOD), range(100), "good", where="the healthy partition")


def bad_rows_kept(root, *culprits):
    """The rows of the five good files of the bad partition, each once."""
    paths = [path for path in reader.live(root / BAD) if path.name not in culprits]
    numbered.check(numbered.of_files(paths), range(100), "bad", where="the bad partition")


def sweep(root, code, *says, run=run):
    """One sweep of the lake that ends with `code` and says why; a second one changes nothing."""
    before = data_bytes(root / BAD)
    found, text = run(*COMPACT, root)
    assert found == code, f"exit {found}, not {code}: {text}"
    for word in says:
        assert word in text, f"no word of {word!r}: {text}"
    after = data_bytes(root / BAD)
    assert {name: after.get(name) for name in before} == before, "a byte of the input was lost"
    assert not [name for name in after if name.endswith(".tmp")], f"left behind: {sorted(after)}"
    good_is_compacted(root)
    rest = numbered.tree(root)
    again, text = run(*COMPACT, root)
    assert again == code, f"exit {again} the second time: {text}"
    for word in says:
        assert word in text, f"not said again, {word!r}: {text}"
    assert numbered.tree(root) == rest, "the second sweep wrote something"


def truncated(path, share=0.5):
    whole = numbered.write(path, range(500, 600), "bad").read_bytes()
    path.write_bytes(whole[:int(len(whole) * share)])


def no_end(path):
    whole = numbered.write(path, range(500, 600), "bad").read_bytes()
    path.write_bytes(whole[:-3])


NO_PARQUET = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("id,body\n1,hello\n" * 20),
    "eleven bytes": lambda path: path.write_bytes(b"PAR1\0\0\0PAR1"),
    "footer longer than the file": lambda path: path.write_bytes(
        b"PAR1" + bytes(64) + b"\xff\xff\xff\x7f" + b"PAR1"),
    "truncated": truncated,
    "a tenth short": lambda path: truncated(path, 0.9),
    "gzip": lambda path: path.write_bytes(gzip.compress(b"id,body\n1,hello\n" * 20)),
    "three bytes short": no_end,
}


@pytest.mark.parametrize("kind", NO_PARQUET)
def test_no_parquet(kind, lake):
    """B14, Q1, Q4, P9, P10, P8: a file that is no Parquet is named and stays; the rest of its
    partition goes on."""
    bad = lake / BAD / "culprit.parquet"
    NO_PARQUET[kind](bad)
    os.utime(bad, (10**9, 10**9))
    sweep(lake, lithify.BLOCKED, "culprit.parquet")
    assert bad in reader.live(lake / BAD)
    assert len(reader.live(lake / BAD)) == 2, "the healthy files beside it are merged"
    bad_rows_kept(lake, "culprit.parquet")
    code, _ = run(*COMPACT, "--ok-blocked", lake)
    assert code == lithify.DONE


def test_damaged_page(lake):
    """P9, P10, P1: a file whose footer is well and whose data is not stops before it is committed."""
    bad = numbered.write(lake / BAD / "culprit.parquet", range(500, 900), "bad",
                         compression="gzip", use_dictionary=False)
    chunk = parquet.ParquetFile(bad).metadata.row_group(0).column(3)
    raw = bytearray(bad.read_bytes())
    middle = chunk.data_page_offset + chunk.total_compressed_size // 2
    for at in range(middle, middle + 40):
        raw[at] ^= 0xA5
    bad.write_bytes(raw)
    os.utime(bad, (10**9, 10**9))
    sweep(lake, lithify.BLOCKED, "culprit.parquet")
    bad_rows_kept(lake, "culprit.parquet")


def test_damaged_page_that_is_copied(lake):
    """P9, P10, P1: damage in a large page without a checksum stops before it is committed, too."""
    shutil.rmtree(lake / BAD)
    options = dict(compression="gzip", use_dictionary=False)
    for number in range(5):
        numbered.write(lake / BAD / f"{number}.parquet", range(4000 * number, 4000 * number + 4000),
                       "bad", **options)
    bad = numbered.write(lake / BAD / "culprit.parquet", range(50000, 54000), "bad", **options)
    chunk = parquet.ParquetFile(bad).metadata.row_group(0).column(3)
    raw = bytearray(bad.read_bytes())
    # The end of what is compressed: no size in the body is touched.
    raw[chunk.data_page_offset + chunk.total_compressed_size - 6] ^= 0xA5
    bad.write_bytes(raw)
    os.utime(bad, (10**9, 10**9))
    with pytest.raises(OSError):
        parquet.read_table(bad, columns=["body"], partitioning=None)
    sweep(lake, lithify.BLOCKED, "culprit.parquet")
    numbered.check(numbered.of_files(path for path in reader.live(lake / BAD) if path.name != bad.name),
                   range(20000), "bad")


def test_false_statistics_of_ids(lake):
    """P9, P6: what a source says wrongly of ids that are rewritten holds nobody up."""
    shutil.rmtree(lake / BAD)
    for number in range(5):
        older = numbered.write(lake / BAD / f"{number}.parquet", range(4000), "bad")
        os.utime(older, (10**8, 10**8))
    # Entries in another order, so that ids are rewritten; pages that are large enough to be copied.
    path = numbered.write(lake / BAD / "culprit.parquet", reversed(range(4000)), "bad")
    file = parquet_file.take_apart(path)
    false = file.chunk("template_id").meta
    false.statistics.min_value = false.statistics.max_value = (3).to_bytes(8, "little")
    file.write(path)
    os.utime(path, (10**9, 10**9))
    sweep(lake, lithify.DONE)
    assert len(reader.live(lake / BAD)) == 1
    numbered.check(reader.read(lake / BAD), [i for i in range(4000) for _ in range(6)], "bad")


@pytest.mark.parametrize("groups", [0, 1])
def test_no_rows(groups, lake):
    """P1: a file without rows, with a row group or without one, is merged like any other."""
    path = lake / BAD / "empty.parquet"
    with parquet.ParquetWriter(path, numbered.SCHEMA) as writer:
        if groups:
            writer.write_table(numbered.table([]))
    os.utime(path, (10**9, 10**9))
    sweep(lake, lithify.DONE)
    numbered.check(reader.read(lake / BAD), range(100), "bad")
    assert len(reader.live(lake / BAD)) == 1


def test_only_empty_files(lake):
    """B9, C18, P1, P6: a partition of files without rows comes to rest and stays readable."""
    shutil.rmtree(lake / BAD)
    for number in range(5):
        numbered.write(lake / BAD / f"empty-{number}.parquet", [])
    sweep(lake, lithify.DONE)
    numbered.check(reader.read(lake / BAD), [], "bad")


def test_empty_directory(lake):
    """P9: a directory without files is no partition and gets no manifest."""
    shutil.rmtree(lake / BAD)
    (lake / BAD).mkdir(parents=True)
    sweep(lake, lithify.DONE)
    assert list((lake / BAD).iterdir()) == []


def test_empty_lake(tmp_path):
    """P9: nothing to do is no failure; no lake at all is one."""
    assert run(*COMPACT, tmp_path)[0] == lithify.DONE
    assert list(tmp_path.iterdir()) == [], "a path that was a slip does not become a lake"
    code, text = run(*COMPACT, tmp_path / "nowhere")
    assert code in (lithify.FAILED, lithify.USAGE) and "nowhere" in text


def test_links(lake):
    """P4, P9, P10: loops of links end the walk nowhere; a link is named, never followed or replaced."""
    folder = lake / BAD
    (folder / "up").symlink_to("..")
    (folder / "self.parquet").symlink_to("self.parquet")
    (folder / "dangling.parquet").symlink_to("nothing.parquet")
    (lake / "again").symlink_to(lake)
    text = run("plan", lake)[1]
    for name in ("self.parquet", "dangling.parquet"):
        assert re.search(name.replace(".", r"\.") + " .*no regular file", text), text
    sweep(lake, lithify.DONE)
    assert (folder / "self.parquet").is_symlink() and (folder / "dangling.parquet").is_symlink()
    bad_rows_kept(lake)


def test_link_to_a_file(lake, tmp_path):
    """P4, P10: a link to a file elsewhere is read by readers, and neither merged nor deleted."""
    outside = numbered.write(tmp_path / "outside.parquet", range(500, 520), "bad")
    (lake / BAD / "linked.parquet").symlink_to(outside)
    before = outside.read_bytes()
    sweep(lake, lithify.BLOCKED, "linked.parquet", "link")
    assert run("gc", *numbered.NO_GRACE, lake)[0] == lithify.DONE
    assert outside.read_bytes() == before and (lake / BAD / "linked.parquet").is_symlink()
    numbered.check(reader.read(lake / BAD), [*range(100), *range(500, 520)], "bad")


def test_directory_named_like_a_file(lake):
    """P9: a directory called x.parquet and a file called .parquet are no data."""
    (lake / BAD / "x.parquet").mkdir()
    (lake / BAD / ".parquet").write_bytes(b"hidden")
    (lake / BAD / "_staged.parquet").write_bytes(b"staged")
    assert re.search(r"x\.parquet .*is a directory", run("plan", lake)[1])
    sweep(lake, lithify.DONE)
    assert (lake / BAD / "x.parquet").is_dir()
    bad_rows_kept(lake)


NAMES = ["two\nlines.parquet", "with some spaces.parquet", "größe-文件-🗻.parquet", "it's.parquet",
         'a"quote.parquet', "back\\slash.parquet", "-o.parquet", "%41%.parquet", "*.parquet"]


def test_odd_names(lake):
    """P1, P10: any name that UTF-8 can spell is listed, read, merged and deleted by that name."""
    ids = list(range(100))
    for number, name in enumerate(NAMES):
        first = 1000 + number * 10
        numbered.write(lake / BAD / name, range(first, first + 10), "bad")
        ids += range(first, first + 10)
    numbered.check(numbered.by_duckdb(lake / BAD), ids, "bad", where="DuckDB")
    sweep(lake, lithify.DONE)
    assert len(reader.live(lake / BAD)) == 1
    numbered.check(reader.read(lake / BAD), ids, "bad")
    assert run("gc", *numbered.NO_GRACE, lake)[0] == lithify.DONE
    assert len(list((lake / BAD).iterdir())) == 2


def test_name_that_is_no_utf8(lake):
    """P8, P9: a manifest cannot spell such a name: a stated reason, and every row stays."""
    odd = os.fsencode(lake / BAD) + b"/\xff\xfe.parquet"
    shutil.copy2(lake / BAD / "part-00000.parquet", odd)
    before = data_bytes(lake / BAD)
    code, text = run(*COMPACT, lake)
    assert code in (lithify.FAILED, lithify.BLOCKED), text
    after = data_bytes(lake / BAD)
    assert {name: after.get(name) for name in before} == before
    good_is_compacted(lake)


def test_deep_tree(lake):
    """P9: a tree deeper than any lake is said, and costs no other partition."""
    deep = lake / "tenant_id=bad" / "/".join(["d"] * 100)
    deep.mkdir(parents=True)
    numbered.write(deep / "a.parquet", range(3), "bad")
    code, text = run(*COMPACT, lake)
    assert code in (lithify.FAILED, lithify.BLOCKED), f"exit {code}: {text}"
    assert "deep" in text
    good_is_compacted(lake)


MANIFESTS = {
    "no JSON": "{\"generation\": 1, \"files\": [",
    "empty": "",
    "a list": "[]",
    "no files": '{"generation": 1}',
    "outside": '{"generation": 1, "files": ["../../x.parquet"]}',
    "absolute": '{"generation": 1, "files": ["/etc/x.parquet"]}',
    "twice": '{"generation": 1, "files": ["part-00000.parquet", "part-00000.parquet"]}',
    "no format": '{"generation": 1, "files": ["part-00000.parquet"], "lithify": {}}',
    "of the future": '{"generation": 1, "files": [], "lithify": {"format": 99}}',
    "deep": "[" * 10000,
}


def untouched(lake, code, *says):
    """The bad partition keeps every byte, gains nothing, and gc leaves it alone as well."""
    before = numbered.tree(lake / "tenant_id=bad")
    sweep(lake, code, *says)
    run("gc", *numbered.NO_GRACE, lake)
    assert numbered.tree(lake / "tenant_id=bad") == before
    assert run("plan", lake)[0] in (code, lithify.DONE)


@pytest.mark.parametrize("kind", MANIFESTS)
def test_bad_manifest(kind, lake):
    """P9, P4, P10: a manifest that cannot be trusted blocks its partition, untouched."""
    (lake / BAD / "manifest.json").write_text(MANIFESTS[kind])
    untouched(lake, lithify.BLOCKED, "tenant_id=bad", "manifest.json")


def test_two_manifests(lake):
    """P9: with both manifests present nobody knows which counts."""
    lithify.ok(*COMPACT, lake)
    shutil.copy2(lake / BAD / "manifest.json", lake / BAD / "_manifest.json")
    untouched(lake, lithify.BLOCKED, "_manifest.json")
    assert lithify.run("ls", lake / BAD).code != lithify.DONE
    with pytest.raises(reader.Blocked):
        reader.live(lake / BAD)


def test_foreign_manifest(lake):
    """P9, P10: another program's manifest is taken at its word by readers and blocks compaction."""
    names = [f"part-{number:05}.parquet" for number in range(3)]
    (lake / BAD / "manifest.json").write_text(
        '{"generation": 7, "files": ["%s"], "owner": "another"}' % '", "'.join(names))
    untouched(lake, lithify.BLOCKED, "tenant_id=bad", "another program's manifest")
    numbered.check(numbered.listed(lake / BAD), range(60), "bad", where="lithify ls")
    numbered.check(reader.read(lake / BAD), range(60), "bad", where="the open rule")


def test_missing_live_file(lake):
    """P9, P10: a live file that vanished blocks its partition; nothing else is deleted there."""
    lithify.ok(*COMPACT, lake)
    live = reader.live(lake / BAD)
    live[0].rename(lake / "elsewhere")
    untouched(lake, lithify.BLOCKED, "tenant_id=bad", live[0].name)


TABLES = {
    "Delta": ["_delta_log/00000000000000000000.json"],
    "Hudi": [".hoodie/hoodie.properties"],
    "Spark": ["_spark_metadata/0"],
    "Iceberg": ["metadata/v1.metadata.json", "metadata/version-hint.text"],
    "_metadata": ["_metadata"],
    "_common_metadata": ["_common_metadata"],
}


@pytest.mark.parametrize("place", ["in the partition", "above it"])
@pytest.mark.parametrize("kind", TABLES)
def test_table_format(kind, place, lake):
    """Q2, P9, P4: the files of a table format belong to its log: blocked, untouched byte for byte."""
    top = lake / BAD if place == "in the partition" else lake / "tenant_id=bad"
    for name in TABLES[kind]:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("{}")
    untouched(lake, lithify.BLOCKED, "tenant_id=bad", TABLES[kind][0].split("/")[0])


@pytest.mark.parametrize("broken", ['{"format": 1', '{"format": 7}', "[]", ""])
def test_broken_lake_file(broken, lake):
    """P9: a lake whose own file cannot be read is left alone."""
    (lake / "_lithify.json").write_text(broken)
    before = numbered.tree(lake)
    code, text = run(*COMPACT, lake)
    assert code in (lithify.FAILED, lithify.USAGE, lithify.BLOCKED) and "_lithify.json" in text, text
    code, text = run("gc", *numbered.NO_GRACE, lake)
    assert code != lithify.DONE and "_lithify.json" in text, text
    assert numbered.tree(lake) == before


def test_locked_partition(lake):
    """ARC.3, P8: a partition that another program holds is left for later: exit 4, and said."""
    before = numbered.tree(lake / BAD)
    held = os.open(lake / BAD, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        code, text = run(*COMPACT, lake)
        assert code == lithify.AGAIN and "tenant_id=bad" in text, (code, text)
        good_is_compacted(lake)
        assert numbered.tree(lake / BAD) == before
    finally:
        os.close(held)
    sweep(lake, lithify.DONE)
    assert len(reader.live(lake / BAD)) == 1


# What permissions forbid: as somebody whom they bind.


def test_unreadable_file(public):
    """P9, P10: a file that may not be read is named and stays; the rest goes on."""
    lake = make_lake(public / "lake")
    culprit = numbered.write(lake / BAD / "culprit.parquet", range(500, 520), "bad")
    give_away(lake)
    culprit.chmod(0)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code in (lithify.FAILED, lithify.BLOCKED) and "culprit.parquet" in text, (code, text)
    good_is_compacted(lake)
    culprit.chmod(0o600)
    numbered.check(reader.read(lake / BAD), [*range(100), *range(500, 520)], "bad")
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.DONE, text


@pytest.mark.parametrize("what", ["partition", "tenant"])
def test_closed_directory(what, public):
    """A3, P9: a directory that may not be listed is a failure, not an empty one; the rest goes on."""
    lake = make_lake(public / "lake")
    give_away(lake)
    before = data_bytes(lake / BAD)
    closed = lake / BAD if what == "partition" else lake / "tenant_id=bad"
    closed.chmod(0)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.FAILED and "tenant_id=bad" in text, (code, text)
    good_is_compacted(lake)
    code, text = run_unprivileged(public, "ls", lake)
    assert code == lithify.FAILED and "tenant_id=bad" in text, (code, text)
    closed.chmod(0o700)
    assert data_bytes(lake / BAD) == before


def test_read_only_directory(public):
    """P9, P10: where nothing may be written nothing changes, and the reason is said."""
    lake = make_lake(public / "lake")
    give_away(lake)
    (lake / BAD).chmod(0o555)
    before = numbered.tree(lake / BAD)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.FAILED and "tenant_id=bad" in text, (code, text)
    assert numbered.tree(lake / BAD) == before
    good_is_compacted(lake)
    code, text = run_unprivileged(public, "plan", lake)
    assert code in (lithify.DONE, lithify.BLOCKED), text


def test_dry_runs_need_no_right_to_write(public):
    """P10: what only tells changes nothing, and asks for no right to."""
    lake = make_lake(public / "lake")
    give_away(lake)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.DONE, text
    before = numbered.tree(lake)
    for folder in [lake, *lake.rglob("*")]:
        if folder.is_dir():
            folder.chmod(0o555)
    for command in (["gc", "--reader-grace", "0", lake], ["rollback", lake / GOOD],
                    ["retire", lake / GOOD, reader.live(lake / GOOD)[0].name]):
        code, text = run_unprivileged(public, *command, "--dry-run")
        assert code == lithify.DONE and "would be" in text or "to be deleted" in text, (code, text)
        code, text = run_unprivileged(public, *command)
        assert code == lithify.FAILED and "ermission denied" in text, (code, text)
    assert numbered.tree(lake) == before


@pytest.mark.parametrize("what", ["place", "above"])
def test_read_only_audit(what, public):
    """P8, P9: commits stand where their events cannot be written; later passes write them."""
    lake = make_lake(public / "lakes" / "lake")
    give_away(lake)
    series = audit.place(lake)
    if what == "place":
        series.chmod(0o555)
    else:
        series.rmdir()
        (public / "lakes").chmod(0o555)
    for _ in range(2):
        code, text = run_unprivileged(public, *COMPACT, lake)
        assert code == lithify.AGAIN and "6 commits without an audit event" in text, (code, text)
        assert str(series) in text and "--audit DIR" in text, text
        good_is_compacted(lake)
    series.mkdir(exist_ok=True)
    give_away(lake)
    series.chmod(0o755)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.DONE, text
    audit.check(lake)
    # Where the folder above may not even be read, what stands in it is nobody's to sync.
    numbered.fill(lake / GOOD, 5, 20, first=700, tenant="good", stem="late")
    give_away(lake)
    (public / "lakes").chmod(0o711 if IS_ROOT else 0o311)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.DONE, text
    audit.check(lake)


@pytest.mark.parametrize("stuck_count", [1, 3, 5])
@pytest.mark.skipif(not IS_ROOT, reason="SKIP: needs files of two owners, so root")
def test_delete_that_fails(stuck_count, public):
    """A1, A19, ARC.4, P10, P3: deletes that are refused, some or all of them, are told of, lose and
    double nothing, and are done by a later gc."""
    lake = make_lake(public / "lake")
    give_away(lake)
    code, text = run_unprivileged(public, *COMPACT, lake)
    assert code == lithify.DONE, text
    # In a sticky directory one may not take away the files of others.
    stuck = [lake / BAD / f"part-0000{number}.parquet" for number in range(5)][-stuck_count:]
    os.chown(lake / BAD, 0, 0)
    (lake / BAD).chmod(0o1777)
    for path in stuck:
        os.chown(path, 0, 0)
    for _ in range(2):
        code, text = run_unprivileged(public, "gc", *numbered.NO_GRACE, lake)
        assert code in (lithify.FAILED, lithify.AGAIN) and stuck[0].name in text, (code, text)
        assert all(path.exists() for path in stuck)
        numbered.check(reader.read(lake / BAD), range(100), "bad")
        assert len(list((lake / GOOD).iterdir())) == 2, "the healthy partition is cleaned"
    for path in stuck:
        os.chown(path, NOBODY, NOBODY)
    code, text = run_unprivileged(public, "gc", *numbered.NO_GRACE, lake)
    assert code == lithify.DONE, text
    assert len(list((lake / BAD).iterdir())) == 2, "leftovers"
    numbered.check(reader.read(lake / BAD), range(100), "bad")


class Tmpfs:
    """A small file system of its own; skips the test, aloud, where none can be mounted."""

    def __init__(self, place, size):
        self.place = place
        place.mkdir()
        if not IS_ROOT or self._mount("-t", "tmpfs", "-o", f"size={size}", "lithify-test"):
            pytest.skip("SKIP: mounting a tmpfs needs root and the right to mount")

    def _mount(self, *options):
        return subprocess.run(["mount", *options, self.place], capture_output=True).returncode

    def read_only(self, wanted):
        assert self._mount("-o", "remount,ro" if wanted else "remount,rw") == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.place], check=True)


def test_read_only_file_system(tmp_path):
    """P9, P10: a file system that is read-only is read, and not compacted."""
    with Tmpfs(tmp_path / "small", "4m") as disk:
        lake = make_lake(disk.place / "lake")
        disk.read_only(True)
        before = numbered.tree(lake)
        code, text = run(*COMPACT, lake)
        assert code == lithify.FAILED and "ead-only" in text, (code, text)
        assert run("plan", lake)[0] == lithify.DONE
        numbered.check(numbered.listed(lake / BAD), range(100), "bad")
        assert numbered.tree(lake) == before
        disk.read_only(False)
        sweep(lake, lithify.DONE)


@pytest.mark.parametrize("free", [0, 4096, 40 << 10, 100 << 10])
def test_full_disk(free, tmp_path):
    """B5, P3, P10: a disk that fills up costs nothing: with room again the sweep goes on."""
    with Tmpfs(tmp_path / "small", "1m") as disk:
        lake = disk.place / "lake"
        ids = numbered.fill(lake / BAD, 8, 300, tenant="bad", compression="none")
        before = data_bytes(lake / BAD)
        filler = disk.place / "filler"
        filler.touch()
        room = os.statvfs(disk.place)
        filler.write_bytes(bytes(max(0, room.f_bavail * room.f_bsize - free)))
        code, text = run(*COMPACT, lake)
        assert code in (lithify.FAILED, lithify.AGAIN), (code, text)
        assert "space" in text, text
        after = data_bytes(lake / BAD)
        assert {name: after.get(name) for name in before} == before
        numbered.check(reader.read(lake), ids, "bad", where="full")
        numbered.check(numbered.listed(lake), ids, "bad", where="full, lithify ls")
        filler.unlink()
        code, text = run(*COMPACT, lake)
        assert code == lithify.DONE, text
        numbered.check(reader.read(lake), ids, "bad", where="with room again")
        assert len(reader.live(lake / BAD)) == 1
        for _ in range(2):
            assert run("gc", *numbered.NO_GRACE, lake)[0] == lithify.DONE
        assert len(list((lake / BAD).iterdir())) == 2, "leftovers"
