"""P8: each commit leaves one event in the audit series, read by other engines and by `lithify log`."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess

import duckdb
import polars
import pyarrow
import pyarrow.parquet as parquet
import pytest

import audit
import crash
import lithify
import numbered
import reader

COMPACT = ["compact", *numbered.NOW]
GC = ["gc", *numbered.NO_GRACE]
PARTITION = pathlib.Path("tenant_id=acme") / numbered.HOUR


@pytest.fixture
def lake(tmp_path):
    root = tmp_path / "lake"
    numbered.fill(root / PARTITION, 6, 50)
    return root


def test_schema_in_other_engines(lake):
    """P8: pyarrow, DuckDB and Polars see the columns as they are documented."""
    lithify.ok(*COMPACT, lake)
    for path in audit.files(audit.place(lake)):
        assert parquet.read_schema(path).remove_metadata().equals(audit.SCHEMA), path
        text = str(parquet.ParquetFile(path).schema)
        for line in ["required binary field_id=-1 tenant_id (String)",
                     "Timestamp(isAdjustedToUTC=true, timeUnit=nanoseconds",
                     "event_kind (Int(bitWidth=8, isSigned=false))",
                     "optional group field_id=-1 compaction_input_files (List) {\n"
                     "    repeated group field_id=-1 list {\n"
                     "      optional binary field_id=-1 element (String);"]:
            assert line in text, text
    names = [str(path) for path in audit.files(audit.place(lake))]
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        rows = connection.execute(
            "select op, event_kind, event_type, compaction_rows, len(compaction_input_files), "
            "len(compaction_output_files), tenant_id from read_parquet(?) order by timestamp",
            [names]).fetchall()
        types = dict(connection.execute(
            "select column_name, column_type from (describe select * from read_parquet(?))",
            [names]).fetchall())
    assert [row[0] for row in rows] == ["adopt", "lease", "compact"]
    assert rows[2] == ("compact", 3, "compaction", 300, 6, 1, "acme")
    assert types["event_kind"] == "UTINYINT" and types["compaction_rows"] == "UBIGINT"
    assert types["compaction_input_files"] == "VARCHAR[]"
    frame = polars.concat([polars.read_parquet(name, hive_partitioning=False) for name in names])
    assert frame.schema["timestamp"] == polars.Datetime("ns", "UTC")
    assert frame.schema["event_kind"] == polars.UInt8
    assert frame["compaction_rows"].to_list().count(300) == 1


def test_what_an_event_says(lake):
    """L11, P8: files, bytes, rows and the check of a compaction; each op once."""
    before = {path.name: path.stat().st_size for path in (lake / PARTITION).iterdir()}
    assert lithify.ok(*COMPACT, "--verify", "structure", lake).err == ""
    found = audit.check(lake)
    compact = found[-1]
    output = next(path for path in reader.live(lake / PARTITION))
    assert compact["op"] == "compact" and compact["verify"] == "structure"
    assert sorted(compact["compaction_input_files"]) == sorted(before)
    assert compact["compaction_output_files"] == [output.name] == [compact["compaction_output_file"]]
    assert compact["bytes_before"] == sum(before.values())
    assert compact["bytes_after"] == output.stat().st_size
    assert compact["compaction_partition"] == str(PARTITION)
    assert 0 < compact["duration_ns"] < 60 * 10**9
    assert compact["compaction_generation"] == 3
    numbered.fill(lake / PARTITION, 2, 50, first=1000, stem="late")
    lithify.ok(*COMPACT, lake)
    lithify.ok(*GC, lake)
    ops = [event["op"] for event in audit.check(lake)]
    assert ops == ["adopt", "lease", "compact", "fold", "lease", "compact", "fence", "clean"]
    gone = [event for event in audit.events(audit.place(lake)) if event["op"] == "fence"][0]
    assert set(before) <= set(gone["compaction_input_files"])


def test_changes_by_hand(lake):
    """P8: adopt, rollback and retire leave their events, with the files that come and go."""
    names = sorted(path.name for path in (lake / PARTITION).iterdir())
    lithify.ok("adopt", "--readers", "manifest", lake)
    lithify.ok(*COMPACT, lake)
    (output,) = reader.live(lake / PARTITION)
    lithify.ok("rollback", "--dry-run", lake / PARTITION)
    lithify.ok("rollback", lake / PARTITION)
    lithify.ok("retire", lake / PARTITION, names[0], names[1])
    found = {event["op"]: event for event in audit.check(lake)}
    assert list(found) == ["adopt", "lease", "compact", "rollback", "retire"]
    assert sorted(found["adopt"]["compaction_output_files"]) == names
    assert found["rollback"]["compaction_input_files"] == [output.name]
    assert sorted(found["rollback"]["compaction_output_files"]) == names
    assert found["rollback"]["compaction_rows"] == 300
    assert found["retire"]["compaction_input_files"] == names[:2]
    assert found["retire"]["compaction_output_files"] == []


def test_at_rest_nothing_is_written(lake):
    """P6, P8: a sweep without anything to do changes neither the lake nor the series."""
    lithify.ok(*COMPACT, lake)
    state = numbered.tree(lake), numbered.tree(audit.place(lake))
    for command in (COMPACT, GC):
        if command == GC:
            command = ["gc"]
        lithify.ok(*command, lake)
        assert (numbered.tree(lake), numbered.tree(audit.place(lake))) == state


def test_the_series_is_no_part_of_the_lake(tmp_path):
    """P8: beside data/ inside of the root, it is neither listed, planned nor compacted as rows."""
    root = tmp_path / "lake"
    ids = numbered.fill(root / "data" / PARTITION, 6, 50)
    lithify.ok(*COMPACT, root)
    assert audit.place(root) == root / "audit" and (root / "audit" / audit.MARK).exists()
    audit.check(root)
    numbered.check(numbered.listed(root), ids)
    numbered.check(numbered.by_duckdb(root), ids)
    planned = json.loads(lithify.ok("plan", "--json", root).out)["partitions"]
    assert [partition["path"] for partition in planned] == [f"data/{PARTITION}"]
    assert json.loads(lithify.ok("status", "--json", root).out)["total"]["partitions"] == 1
    assert json.loads(lithify.ok(*COMPACT, "--json", root).out)["summary"]["partitions"] == 1
    # As a lake of its own it may be looked at, and leaves no events.
    files = lithify.ok("ls", root / "audit").out.splitlines()
    assert sorted(files) == sorted(map(str, audit.files(root / "audit")))
    lithify.ok(*COMPACT, root / "audit")
    assert not (root / "audit.audit").exists()


def test_none_means_none(lake):
    """P8: without a series nothing is owed; with one again, later commits have events."""
    lithify.ok(*COMPACT, "--audit", "none", lake)
    assert not audit.place(lake).exists()
    assert all(entry["event"] for _, ours in audit.manifests(lake) for entry in ours["log"])
    lithify.ok(*COMPACT, lake)
    assert not audit.place(lake).exists()
    numbered.fill(lake / PARTITION, 4, 50, first=1000, stem="late")
    lithify.ok(*COMPACT, lake)
    assert [event["op"] for event in audit.events(audit.place(lake))] == ["fold", "lease", "compact"]
    result = lithify.run("log", "--audit", "none", lake)
    assert result.code == lithify.USAGE and "no audit series" in result.err


def test_a_place_can_be_given(lake, tmp_path):
    lithify.ok(*COMPACT, "--audit", tmp_path / "events", lake)
    assert not audit.place(lake).exists()
    audit.check(lake, tmp_path / "events")
    for bad in (lake, tmp_path):
        result = lithify.run(*COMPACT, "--audit", bad, lake)
        assert result.code == lithify.USAGE and "audit" in result.err, result


@pytest.mark.parametrize("where", ["audit", "partition", "given"])
def test_rows_of_others_are_no_series(tmp_path, where):
    """P1, P8: a mark would hide a directory of rows from its lake, so none is put there."""
    root = tmp_path / "lake"
    ids = numbered.fill(root / "data" / PARTITION, 6, 50)
    rows = {"audit": root / "audit", "partition": root / "data" / PARTITION,
            "given": tmp_path / "given"}[where]
    if where != "partition":
        numbered.fill(rows / PARTITION, 6, 50, first=1000)
    if where == "audit":
        ids = [*ids, *range(1000, 1300)]
    options = [] if where == "audit" else ["--audit", rows]
    before = numbered.tree(rows)
    for _ in range(2):
        result = lithify.run(*COMPACT, *options, root)
        assert result.code == lithify.AGAIN, result
        assert "no audit series" in result.err and "--audit DIR" in result.err, result.err
        assert not list(tmp_path.rglob(audit.MARK))
        numbered.check(numbered.listed(root), ids)
    if where == "given":
        assert numbered.tree(rows) == before
    result = lithify.run("log", *options, root)
    assert result.code == lithify.USAGE and "no audit series" in result.err, result
    lithify.ok(*COMPACT, "--audit", tmp_path / "other", root)
    lithify.ok(*GC, "--audit", tmp_path / "other", root)
    numbered.check(numbered.listed(root), ids)
    audit.check(root, tmp_path / "other")


def test_what_asks_for_no_events_needs_no_place(lake):
    """P9: a file where the series would be stops those who would write to it, with a hint."""
    audit.place(lake).write_text("in the way")
    assert len(lithify.ok("ls", lake).out.splitlines()) == 6
    result = lithify.run(*COMPACT, lake)
    assert result.code != lithify.DONE and "--audit DIR" in result.err, result
    lithify.ok(*COMPACT, "--audit", "none", lake)


@pytest.mark.parametrize("obstacle", ["file", "lake"])
def test_an_unwritable_place_undoes_nothing(lake, obstacle):
    """P8: the commit stands, exit 4 tells, the next pass writes what is missing."""
    place = audit.place(lake)
    place.mkdir()
    if obstacle == "file":
        (place / audit.MARK).write_text('{"format": 1}\n')
        (place / "tenant_id=acme").write_text("in the way")
    else:
        (place / "_lithify.json").write_text("{}")
    result = lithify.run(*COMPACT, "--json", lake)
    assert result.code == lithify.AGAIN, result
    told = json.loads(result.out)
    assert told["partitions"][0]["state"] == "compacted"
    assert told["summary"]["events_pending"] == 3 and told["partitions"][0]["event_error"]
    assert len(reader.live(lake / PARTITION)) == 1
    text = lithify.run(*COMPACT, lake)
    assert text.code == lithify.AGAIN and "audit" in text.err
    assert "3 commits without an audit event" in text.out
    shutil.rmtree(place)
    lithify.ok(*COMPACT, lake)
    found = audit.check(lake)
    assert [event["reason"] for event in found] == ["written later, from the manifest"] * 3
    assert found[2]["compaction_rows"] == 300 and len(found[2]["compaction_input_files"]) == 6
    assert found[2]["duration_ns"] is None and found[2]["verify"] is None
    state = numbered.tree(lake), numbered.tree(place)
    lithify.ok(*COMPACT, lake)
    assert (numbered.tree(lake), numbered.tree(place)) == state


def test_a_full_disk_undoes_nothing(lake, tmp_path):
    """P8: as for a place that cannot be written; a quota stands in for the disk."""
    place = audit.place(lake)
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", place], check=False,
            stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no small file system to be had")
    try:
        (place / audit.MARK).write_text('{"format": 1}\n')
        (place / "filler").write_bytes(b"x" * (2 << 10))
        result = lithify.run(*COMPACT, lake)
        assert result.code == lithify.AGAIN, result
        assert len(reader.live(lake / PARTITION)) == 1
    finally:
        subprocess.run(["umount", place], check=True)
    lithify.ok(*COMPACT, lake)
    audit.check(lake)


@pytest.mark.parametrize("command", ["compact", "gc"])
@pytest.mark.parametrize("step", ["adopted", "leased", "committed"])
def test_killed_between_commit_and_event(lake, step, command):
    """P8, P3: the next sweep writes the event, once, whichever sweep it is."""
    assert crash.run(step, 1, *COMPACT, lake) is None
    assert (lake / PARTITION / audit.NOTE).exists()
    assert len(audit.logged(lake)) == len(audit.events(audit.place(lake))) + 1
    result = lithify.run(*(COMPACT if command == "compact" else ["gc"]), lake)
    assert result.code == lithify.DONE
    audit.check(lake)


def test_a_note_that_is_not_ours(lake):
    """P8, P10: a note that somebody wrote to stays, and it is said what to do."""
    lithify.ok(*COMPACT, lake)
    note = lake / PARTITION / audit.NOTE
    note.write_text("no note")
    result = lithify.ok(*COMPACT, lake)
    assert audit.NOTE in result.err and "may be removed by hand" in result.err, result
    assert note.read_text() == "no note"
    note.unlink()
    lithify.ok(*COMPACT, lake)
    audit.check(lake)


def test_what_is_left_of_a_note_goes(lake):
    """P10: a job that was killed while it wrote one leaves nothing behind where nothing else is to be done."""
    lithify.ok(*COMPACT, lake)
    lithify.ok("gc", *numbered.NO_GRACE, lake)
    before = numbered.tree(lake)
    (lake / PARTITION / "_lithify_events.tmp").write_bytes(bytes(33))
    lithify.ok(*COMPACT, lake)
    assert numbered.tree(lake) == before


def test_racing_repairs_leave_one_event(lake):
    """P8: two programs find the same event missing."""
    for hour in range(8):
        numbered.fill(lake / f"tenant_id=acme/year=2024/month=03/day=02/hour={hour:02}", 4, 10)
    lithify.ok(*COMPACT, lake)
    place = audit.place(lake)
    for _ in range(3):
        # Entries that the manifest has marked are not looked for again.
        wanted = {entry["commit_id"] for _, ours in audit.manifests(lake) for entry in ours["log"]
                  if not entry["event"]}
        unmarked = [path for path in audit.files(place) if path.stem.split("_")[-1] in wanted]
        for path in unmarked[::2]:
            path.unlink()
        assert wanted - {event["commit_id"] for event in audit.events(place)}, "nothing to repair"
        for folder in reader.partitions(lake):
            (folder / audit.NOTE).write_text("events of commits may be missing\n")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            codes = set(pool.map(lambda _: lithify.run(*COMPACT, lake).code, range(4)))
        assert codes <= {lithify.DONE, lithify.AGAIN}, codes
        lithify.ok(*COMPACT, lake)
        found = [event["commit_id"] for event in audit.events(place)]
        assert len(found) == len(set(found)) and wanted <= set(found)


def test_odd_tenants(tmp_path):
    """P4, P8: names of tenants are encoded in paths, and as they are in the events."""
    root = tmp_path / "lake"
    tenants = {"a%2Fb": "a/b", "%C3%BC%20x": "ü x", "...": "...", "k=v": "k=v"}
    for encoded, tenant in tenants.items():
        numbered.fill(root / f"tenant_id={encoded}" / numbered.HOUR, 4, 10, tenant=tenant)
    lithify.ok(*COMPACT, root)
    found = audit.check(root)
    assert {event["tenant_id"] for event in found} == set(tenants.values())
    folders = {path.name for path in audit.place(root).iterdir() if path.is_dir()}
    assert folders == {"tenant_id=a%2Fb", "tenant_id=%C3%BC%20x", "tenant_id=...",
                       "tenant_id=k%3Dv"}
    told = json.loads(lithify.ok("log", "--json", "--tenant", "a/b", root).out)
    assert told["count"] == 3 and {event["tenant"] for event in told["events"]} == {"a/b"}


def test_log(lake):
    """P8: `lithify log` tells events by time, and filters."""
    assert lithify.ok("log", lake).out == "no events\n"
    numbered.fill(lake / "tenant_id=globex" / numbered.HOUR, 4, 10, tenant="globex")
    lithify.ok(*COMPACT, lake)
    found = audit.events(audit.place(lake))

    def ids(*options):
        told = json.loads(lithify.ok("log", "--json", *options, lake).out)
        assert told["format"] == 1 and told["count"] == len(told["events"])
        return [event["commit_id"] for event in told["events"]]

    assert ids() == [event["commit_id"] for event in found]
    told = json.loads(lithify.ok("log", "--json", lake).out)["events"]
    for event, raw in zip(told, found):
        for name, column in {"tenant": "tenant_id", "kind": "event_kind", "type": "event_type",
                             "reason": "reason", "op": "op", "rows": "compaction_rows",
                             "generation": "compaction_generation", "verify": "verify",
                             "partition": "compaction_partition", "duration_ns": "duration_ns",
                             "input_files": "compaction_input_files", "bytes_after": "bytes_after",
                             "output_files": "compaction_output_files",
                             "output_file": "compaction_output_file",
                             "bytes_before": "bytes_before"}.items():
            assert event[name] == raw[column], name
    assert ids("--tenant", "nobody") == []
    assert len(ids("--tenant", "globex")) == 3
    assert len(ids("--partition", "tenant_id=globex/*")) == 3
    middle = told[3]["time"]
    assert ids("--since", middle) == ids()[3:] and ids("--until", middle) == ids()[:3]
    assert ids("--since", "2100-01-01T00:00:00Z") == []
    lines = lithify.ok("log", lake).out.splitlines()
    assert len(lines) == 6 and "6 files" in lithify.ok("log", lake).out
    bad = lithify.run("log", "--since", "yesterday", lake)
    assert bad.code == lithify.USAGE and "--since" in bad.err


def test_a_log_goes_on(lake):
    """P9: a damaged event, a file that is none and a manifest that cannot be read hide no other event."""
    numbered.fill(lake / "tenant_id=globex" / numbered.HOUR, 4, 10, tenant="globex")
    lithify.ok(*COMPACT, lake)
    place = audit.place(lake)
    events = json.loads(lithify.ok("log", "--json", lake).out)["events"]
    first = audit.files(place)[0]
    numbered.write(first.with_name("other.parquet"), range(5))
    for damaged, kept in ((0, events), (1, events[1:])):
        if damaged:
            first.write_bytes(first.read_bytes()[:-20])
        broken = lithify.run("log", "--json", lake)
        told = json.loads(broken.out)
        assert broken.code == lithify.FAILED and told["events"] == kept and "count" not in told, broken
        named = first.name if damaged else "other.parquet"
        assert named in json.dumps(told["error"]), broken
        assert ("2 files or folders of the series" in json.dumps(told["error"])) == bool(damaged)
        text = lithify.run("log", lake)
        assert text.code == lithify.FAILED and len(text.out.splitlines()) == len(kept) and named in text.err, text
    (first.parent / "manifest.json").write_text("{")
    text = lithify.run("log", lake)
    other = [e for e in events if f"tenant_id={e['tenant']}" not in str(first)]
    assert text.code == lithify.FAILED and len(text.out.splitlines()) == len(other), text
    assert str(first.parent) in text.err


def test_days_of_the_series_are_compacted(lake):
    """P8: a day of events that is over becomes one file, with the same events."""
    lithify.ok(*COMPACT, lake)
    numbered.fill(lake / PARTITION, 4, 50, first=1000, stem="late")
    lithify.ok(*COMPACT, lake)
    place = audit.place(lake)
    before = audit.events(place)
    # Yesterday's, as time would have it.
    folder = next(iter(reader.partitions(place)))
    past = folder.parent.parent.parent / "year=2024" / "month=05" / "day=17"
    past.parent.mkdir(parents=True)
    folder.rename(past)
    result = lithify.ok(*COMPACT, "--json", lake)
    told = json.loads(result.out)
    assert told["summary"]["partitions"] == 1 and told["summary"]["audit_series"]["compacted"] == 1
    assert told["partitions"][-1]["path"] == str(past)
    assert len(reader.live(past)) == 1
    assert audit.events(place) == before
    table = parquet.ParquetFile(reader.live(past)[0]).read()
    assert table.schema.remove_metadata().equals(audit.SCHEMA)
    assert json.loads(lithify.ok("log", "--json", lake).out)["count"] == len(before)
    lithify.ok(*GC, lake)
    assert [path.name for path in past.glob("*.parquet")] == [reader.live(past)[0].name]
    state = numbered.tree(lake), numbered.tree(place)
    lithify.ok(*COMPACT, lake)
    assert (numbered.tree(lake), numbered.tree(place)) == state
    assert parquet.ParquetFile(reader.live(past)[0]).read().equals(table)


def test_a_pass_over_the_series_that_fails(lake):
    """P8, P9: the lake's own pass is done, and the exit code and a line tell of the other."""
    lithify.ok(*COMPACT, lake)
    (audit.place(lake) / "_lithify.json").write_text("{}")
    for command in (COMPACT, GC):
        result = lithify.run(*command, lake)
        assert result.code == lithify.FAILED, result
        assert str(audit.place(lake)) in result.err and "_lithify.json" in result.err, result.err
    assert len(reader.live(lake / PARTITION)) == 1
