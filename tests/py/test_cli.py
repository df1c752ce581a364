"""The program as people and scripts meet it: help, options at every origin, exit codes, JSON,
progress, signals, odd names."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import duckdb
import pyarrow
import pyarrow.parquet as parquet
import pytest

import lithify

DOCS = lithify.ROOT / "docs"
COMMANDS = ["compact", "plan", "status", "merge", "ls", "inspect", "verify", "gc", "fsck", "rollback",
            "retire", "adopt", "log", "help"]
OLD = 1_000_000  # seconds: files that have been quiet for long
ORIGINS = ["flag", "variable", "file"]


@pytest.fixture(scope="module", autouse=True)
def needs_commands():
    if not lithify.has_command("inspect"):
        pytest.skip("this lithify has no `inspect`")


def write(path, rows=10, start=0, age=OLD):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table({"id": range(start, start + rows)}), path)
    stamp = time.time() - age
    os.utime(path, (stamp, stamp))
    return path


def fill(root, partition="tenant_id=acme/day", files=6, age=OLD):
    for i in range(files):
        write(root / partition / f"f{i}.parquet", start=10 * i, age=age)
    return root


def document(*arguments, **options):
    """The JSON of a run that ends well."""
    return json.loads(lithify.ok(arguments[0], "--json", *arguments[1:], **options).out)


def give(origin, option, value, tmp_path):
    """Arguments and environment that give an option at one of its origins."""
    if origin == "flag":
        return [f"--{option.replace('_', '-')}={value}"], {}
    if origin == "variable":
        return [], {f"LITHIFY_{option.upper()}": value}
    file = tmp_path / "config.yaml"
    file.write_text(f"# options\n{option}: '{value}'\n")
    return ["--config", file], {}


# Help.

def test_help_of_all():
    result = lithify.ok("--help")
    assert lithify.ok("help").out == result.out
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", result.out, re.M), command
    bare = lithify.run()
    assert (bare.code, bare.out) == (lithify.USAGE, result.out)
    assert re.fullmatch(r"lithify \d+\.\d+\.\d+\n", lithify.ok("--version").out)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each(command):
    out = lithify.ok("help", command).out
    assert out == lithify.ok(command, "--help").out == lithify.ok(command, "-h").out
    assert out.startswith(f"usage: lithify {command} ")
    assert "example:\n  " in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_documented_options():
    """docs/configuration.md holds the table of options as the program prints it."""
    table = lithify.ok("help", "options", "--markdown").out
    assert table in (DOCS / "configuration.md").read_text()
    for line in table.splitlines()[2:]:
        key = re.match(r"\| `(\w+)`", line)[1]
        assert f"--{key.replace('_', '-')}" in lithify.ok("help", "options").out


# Usage.

@pytest.mark.parametrize("arguments, says", [
    (["frobnicate"], "there is no command frobnicate"),
    (["stauts", "."], "did you mean status?"),
    (["--json"], "a command comes first"),
    (["plan"], "something is missing"),
    (["plan", ".", "."], "one argument too many"),
    (["plan", ".", "--graze", "5m"], "did you mean --grace?"),
    (["plan", ".", "--grace", "5"], "--grace: duration"),
    (["ls", ".", "--format", "csv"], "duckdb|symlink"),
    (["ls", ".", "--format", "duckdb", "--json"], "one of them"),
    (["merge", "a.parquet"], "-o FILE"),
    (["merge", "-o", "b.parquet"], "which files?"),
    (["verify", "a.parquet"], "on both sides of --"),
    (["plan", ".", "--memory", "1MiB"], "at least 16MiB"),
    (["plan", "s3://bucket/lake"], "object storage"),
    (["help", "frobnicate"], "there is no command frobnicate; lithify help lists them"),
    (["help", "stauts"], "did you mean status?"),
    (["plan", ".", "--config="], "--config: a file name must follow"),
    (["merge", "--threads", "-o", "x", "a"], "--threads: a value must follow"),
    (["merge", "--threads", "9" * 20, "-o", "x", "a"], "--threads: \"" + "9" * 20 + "\": too large"),
    (["merge", "-o", "-", "a.parquet"], "./-"),
    (["merge", "--scratch", "/nonexist", "-o", "x", "a"], "--scratch: "),
    (["merge", "--scratch", "/etc/passwd", "-o", "x", "a"], "--scratch: "),
    (["plan", ".", "--key-columns", ",,"], "--key-columns: "),
    (["plan", ".", "--config", "/nowhere.yaml"], "/nowhere.yaml"),
    (["plan", ".", "--dry-run"], "--dry-run"),
    (["gc", ".", "--dry-run=yes"], "--dry-run takes no value"),
    (["plan", ".", "--min-free", "5"], "--min-free: \"5\": expected a share from 0% to 100%"),
    (["plan", ".", "--min-free", "101%"], "0% to 100%"),
    (["plan", ".", "--io-rate", "fast"], "--io-rate: "),
    (["rollback", "."], "no lake that was committed to"),
    (["rollback", ".", "."], "one argument too many"),
    (["retire", "."], "something is missing"),
    (["retire", ".", "other/"], "names no file"),
    (["adopt", ".", "--unlisted", "maybe"], "--unlisted: \"maybe\": expected one of live|ignore"),
])
def test_usage(arguments, says, tmp_path):
    result = lithify.run(*arguments, cwd=tmp_path)
    assert result.code == lithify.USAGE, str(result)
    assert says in result.err and not result.out, str(result)
    assert result.err.count("\n") == 1, str(result)


def test_bad_values_are_named_where_given(tmp_path):
    fill(tmp_path / "lake")
    wanted = {"flag": "--grace: ", "variable": "LITHIFY_GRACE: ",
              "file": "config.yaml: line 2: grace: "}
    for origin in ORIGINS:
        arguments, env = give(origin, "grace", "soon", tmp_path)
        result = lithify.run("plan", tmp_path / "lake", *arguments, env=env)
        assert result.code == lithify.USAGE and wanted[origin] in result.err, str(result)
        assert "15m" in result.err


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_layout_is_checked_where_given(origin, tmp_path):
    fill(tmp_path / "lake")
    wanted = {"flag": "--layout: ", "variable": "LITHIFY_LAYOUT: ",
              "file": "config.yaml: line 2: layout: "}
    for command in ("plan", "ls", "gc", "status"):
        for layout in ("{db", "data", "{a}/{a}", "{a}{b}"):
            arguments, env = give(origin, "layout", layout, tmp_path)
            result = lithify.run(command, tmp_path / "lake", *arguments, env=env)
            assert result.code == lithify.USAGE and wanted[origin] in result.err, str(result)
            assert "{db}/{yyyy}/{mm}" in result.err and result.err.count("\n") == 1 and not result.out


def test_a_path_that_does_not_fit_the_layout_is_left(tmp_path):
    root = fill(fill(tmp_path / "lake", "acme/2026/06"), "acme/latest")
    seen = document("plan", root, "--layout", "{tenant_id}/{yyyy}/{mm}")["partitions"]
    assert [(p["path"], p["state"]) for p in seen] == [
        ("acme/2026/06", "compacted"), ("acme/latest", "left")]
    assert seen[1]["reason"] == "its path does not fit the layout: {tenant_id}/{yyyy}/{mm}"
    done = lithify.ok("compact", root, "--readers=manifest", "--layout", "{tenant_id}/{yyyy}/{mm}")
    assert "left: its path does not fit the layout (1)" in done.out, done.out
    assert len(list((root / "acme/latest").glob("*.parquet"))) == 6


def test_no_time_in_the_path_is_said(tmp_path):
    said = "no time in its path: quiet_for alone decides"
    root = fill(tmp_path / "lake")
    assert said in document("plan", root)["partitions"][0]["reason"]
    assert f"({said})" in lithify.ok("plan", root).out
    assert said in lithify.ok("plan", fill(tmp_path / "fresh", age=0)).out
    assert said not in lithify.ok("plan", fill(tmp_path / "timed", "year=2020/month=01")).out


# Options: each changes what is seen, at each origin.

def plan(root):
    return ["plan", root, "--json"]


def states(result):
    return [p["state"] for p in json.loads(result.out)["partitions"]]


def summary(field):
    return lambda result: json.loads(result.out)["summary"][field]


def status(*path):
    def look(result):
        value = json.loads(result.out)
        for step in path:
            value = value[step]
        return value
    return look


def names(root):
    return lambda result: sorted(path.name for path in (root / "tenant_id=acme/day").iterdir())


def fresh(root):
    return fill(root, age=0)


def three(root):
    return fill(root, files=3, age=3600)


def two_partitions(root):
    return fill(fill(root), "tenant_id=globex/day")


def this_hour(root):
    moment = time.gmtime(time.time() - 7200)
    return fill(root, time.strftime("year=%Y/month=%m/day=%d/hour=%H", moment), age=3600)


def future(root):
    return fill(root, "2200/01/01")


def committed(root):
    lithify.ok("compact", fill(root), "--readers=manifest")
    return root


OPTIONS = [
    # option, value, lake, command, what is looked at, by default, with the value
    ("readers", "manifest", fill, lambda r: ["compact", r], lambda a: a.code, 2, 0),
    ("tenant_key", "none", fill, lambda r: ["status", r, "--json"],
     status("tenants", 0, "tenant"), "acme", "default"),
    ("layout", "{yyyy}/{mm}/{dd}", future, plan, states, ["compacted"], ["left"]),
    ("partition", "*globex*", two_partitions, plan, summary("partitions"), 2, 1),
    ("quiet_for", "0", fresh, plan, states, ["left"], ["compacted"]),
    ("grace", "30d", this_hour, plan, states, ["compacted"], ["left"]),
    ("settle", "0", three, plan, states, ["left"], ["compacted"]),
    ("min_files", "3", three, plan, states, ["left"], ["compacted"]),
    ("max_inputs", "5", fill, plan, lambda a: json.loads(a.out)["partitions"][0]["inputs"], 6, 5),
    ("small_file", "1B", fill, lambda r: ["status", r, "--json"],
     status("total", "small_files"), 6, 0),
    ("target_file", "1KiB", fill, plan,
     lambda a: json.loads(a.out)["partitions"][0]["outputs"] > 1, False, True),
    ("row_group_rows", "10", fill,
     lambda r: ["merge", "--json", "-o", r / "out.parquet", *sorted(r.rglob("f*.parquet"))],
     status("row_groups"), 1, 6),
    ("row_group", "1B", fill,
     lambda r: ["merge", "--json", "-o", r / "out.parquet", *sorted(r.rglob("f*.parquet"))],
     status("row_groups"), 1, 6),
    ("reader_grace", "0", committed, lambda r: ["gc", r, "--json"], summary("deleted"), 0, 6),
    ("min_free", "100%", fill, plan, states, ["compacted"], ["left"]),
    ("json", "true", fill, lambda r: ["status", r], lambda a: a.out[0], None, "{"),
    ("memory", "1KiB", fill, plan, lambda a: a.code, 0, 2),
    ("jobs", "0", fill, plan, lambda a: a.code, 0, 2),
]


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("row", OPTIONS, ids=[row[0] for row in OPTIONS])
def test_option(row, origin, tmp_path):
    option, value, make, command, look, default, changed = row
    for name, wanted in (("without", default), ("with", changed)):
        root = make(tmp_path / name / "lake")
        arguments, env = give(origin, option, value, tmp_path) if name == "with" else ([], {})
        result = lithify.run(*command(root), *arguments, env=env)
        if wanted is None:
            continue
        assert look(result) == wanted, f"{name}: {result}"


def test_manifest_name(tmp_path):
    root = fill(tmp_path / "lake")
    lithify.ok("compact", root, "--readers=manifest", "--manifest-name=_manifest.json")
    assert list(root.rglob("_manifest.json")) and not list(root.rglob("manifest.json"))
    for command in ("compact", "plan", "ls"):
        lithify.ok(command, root, "--manifest-name=_manifest.json")
        other = lithify.run(command, root, "--manifest-name=manifest.json")
        assert other.code == lithify.USAGE, str(other)
        assert "manifest_name = _manifest.json, not manifest.json" in other.err, str(other)
        lithify.ok(command, root)


def test_shards_are_a_partition_of_the_partitions(tmp_path):
    root = tmp_path / "lake"
    for tenant in range(8):
        fill(root, f"tenant_id=t{tenant}/day", files=1)
    seen = [p["path"] for shard in range(1, 4)
            for p in document("plan", root, f"--shard={shard}/3")["partitions"]]
    assert sorted(seen) == [f"tenant_id=t{tenant}/day" for tenant in range(8)]


def test_precedence(tmp_path):
    root = fill(tmp_path / "lake", age=60)
    config = tmp_path / "c.yaml"
    config.write_text("quiet_for: 0\n")
    assert document("plan", root, env={"LITHIFY_CONFIG": str(config)})["summary"]["compacted"] == 1
    more = {"LITHIFY_CONFIG": str(config), "LITHIFY_QUIET_FOR": "1h"}
    assert document("plan", root, env=more)["summary"]["compacted"] == 0
    assert document("plan", root, "--quiet-for=0", env=more)["summary"]["compacted"] == 1


# Commands.

def test_compact_asks_for_a_readers_mode(tmp_path):
    root = fill(tmp_path / "lake")
    before = sorted(root.rglob("*"))
    result = lithify.run("compact", root)
    assert result.code == lithify.USAGE and not result.out
    assert all(mode in result.err for mode in ("exchange", "manifest", "glob", "--readers"))
    assert sorted(root.rglob("*")) == before
    assert lithify.run("compact", tmp_path / "none").code == lithify.FAILED


def test_passes(tmp_path):
    root = fill(tmp_path / "lake")
    done = document("compact", root, "--readers", "manifest")
    assert done["summary"]["compacted"] == 1 and done["partitions"][0]["rows"] == 60
    again = document("compact", root)
    assert again["summary"]["left"] == 1 and again["partitions"][0]["reason"]
    assert again["summary"]["held_bytes"] > 0 and again["summary"]["held_until"].endswith("Z")
    assert document("status", root)["total"]["files"] == 1
    cleaned = document("gc", root, "--reader-grace", "0")
    assert cleaned["summary"]["deleted"] == 6
    assert len(list(root.rglob("*.parquet"))) == 1


@pytest.mark.parametrize("columns, missing", [
    ("id,nmae", "nmae"), ("s", "s"), ("s.x", "s.x"), ("id,name", None), (None, None)])
def test_a_key_column_that_is_not_there_is_told(columns, missing, tmp_path):
    """A typo must not check nothing without a word; the default is for lakes that have it."""
    for i in range(6):
        path = tmp_path / "lake/day" / f"f{i}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pyarrow.table({"id": [i], "name": ["a"], "s": [{"x": 1}]}), path)
        os.utime(path, (1, 1))
    more = [] if columns is None else ["--key-columns", columns]
    done = lithify.ok("compact", tmp_path / "lake", "--readers=manifest", *more)
    assert ("key column" in done.out) == bool(missing), str(done)
    assert not missing or f"key column {missing} was not checked" in done.out, str(done)


def test_compact_tells_what_is_still_due(tmp_path):
    """P6: a pass says that another has work left; once none has, nothing is rewritten."""
    root = fill(tmp_path / "lake", files=12)
    for i in range(5):
        path = root / "tenant_id=acme/day" / f"other{i}.parquet"
        parquet.write_table(pyarrow.table({"id": [f"n{i}"]}), path)
        os.utime(path, (1, 1))
    out = lithify.ok("compact", root, "--readers", "manifest", "--max-inputs", "6").out
    assert "files more are due: run again\n" in out, out
    passes = 0
    while True:
        done = document("compact", root, "--max-inputs", "6")
        passes += 1
        more = done["summary"]["more_due"]
        assert more == sum(p["more_due"] for p in done["partitions"])
        planned = document("plan", root, "--max-inputs", "6")["partitions"][0]["inputs"]
        assert planned == more
        if not more:
            break
    assert 1 < passes < 9 and document("status", root)["total"]["files"] < 5
    last = document("compact", root, "--max-inputs", "6")["summary"]
    assert last["compacted"] == 0 and last["more_due"] == 0


def test_gc_tells_what_stays(tmp_path):
    """A file that came under a merged one's name is not gc's to delete: it is named, with why. Once
    compact has read it, and found the merged one in it, it is."""
    root = fill(tmp_path / "lake")
    rows = sum(parquet.read_metadata(path).num_rows for path in root.rglob("*.parquet"))
    merged = sorted(root.rglob("*.parquet"))[0]
    document("compact", root, "--readers", "manifest")
    os.utime(merged, ns=(1, 1))
    cleaned = document("gc", root, "--reader-grace", "0")
    assert cleaned["summary"]["deleted"] == 5 and merged.exists()
    files = cleaned["partitions"][0]["files"]
    assert [file["name"] for file in files] == [merged.name]
    assert "another file" in files[0]["reason"]
    assert "nothing to delete" in lithify.ok("gc", root, "--reader-grace", "0").out
    assert merged.exists()
    document("compact", root)  # reads it: the merged one, written again
    assert document("gc", root, "--reader-grace", "0")["summary"]["deleted"] == 1 and not merged.exists()
    live = lithify.ok("ls", root).out.splitlines()
    assert sum(parquet.read_metadata(path).num_rows for path in live) == rows == 60


def test_gc_tells_that_it_was_stopped(tmp_path):
    """What is past its grace and stays is no "nothing to delete": text and JSON have the reason."""
    root = fill(tmp_path / "lake")
    reason = "gc_bytes_max keeps files that are past their grace"
    lithify.ok("compact", root, "--readers", "manifest")
    size = max(path.stat().st_size for path in root.rglob("f*.parquet"))
    stopped = lithify.ok("gc", root, "--reader-grace=0", "--gc-bytes-max=1").out
    assert f"({reason})" in stopped and "6 files more are past their grace" in stopped, stopped
    some = document("gc", root, "--reader-grace=0", f"--gc-bytes-max={size * 2}")
    assert some["summary"]["deleted"] == 2 and some["summary"]["more_due"] == 4
    assert some["partitions"][0]["reason"] == reason
    last = document("gc", root, "--reader-grace=0")
    assert last["summary"]["more_due"] == 0 and last["partitions"][0]["reason"] == "cleaned"


def test_plan_gives_each_file_a_reason(tmp_path):
    root = fill(tmp_path / "lake")
    files = document("plan", root)["partitions"][0]["files"]
    assert len(files) == 6 and all(f["reason"] and f["is_input"] for f in files)
    out = lithify.ok("plan", root).out
    assert out.count("  + f") == 6 and out.startswith("due ")


def test_ls(tmp_path):
    root = fill(tmp_path / "it's a lake")
    lithify.ok("compact", root, "--readers", "manifest")
    late = write(root / "tenant_id=acme/day/late.parquet", start=1000)
    lines = lithify.ok("ls", root).out.splitlines()
    assert len(lines) == 2 and str(late) in lines
    assert lithify.ok("ls", root, "--strict").out.splitlines() == [l for l in lines if "late" not in l]
    partition = root / "tenant_id=acme/day"
    assert lithify.ok("ls", partition).out.splitlines() == lines
    assert lithify.ok("ls", root / "tenant_id=acme").out.splitlines() == lines
    relative = lithify.ok("ls", "day", cwd=partition.parent).out.splitlines()
    assert [str(partition.parent / line) for line in relative] == lines
    listing = document("ls", root)
    assert [f["path"] for f in listing["files"]] == lines and listing["count"] == 2
    assert listing["bytes"] == sum(os.path.getsize(line) for line in lines)
    uris = lithify.ok("ls", root, "--format", "symlink").out.splitlines()
    assert uris == [f"file://{line}" for line in lines]
    query = lithify.ok("ls", root, "--format", "duckdb").out
    assert len(duckdb.sql(query).fetchall()) == 70
    empty = tmp_path / "empty"
    empty.mkdir()
    assert lithify.ok("ls", empty).out == ""
    assert lithify.run("ls", empty, "--format", "duckdb").code == lithify.FAILED


def test_odd_names(tmp_path):
    """A newline, a steering character and bytes that are no UTF-8 break neither lines nor JSON."""
    root = tmp_path / "lake"
    odd = os.fsdecode(b"a\nb\x1b[31m\xff.parquet")
    write(root / "tenant_id=x/even.parquet").rename(root / "tenant_id=x" / odd)
    lines = lithify.ok("ls", root).out.splitlines()
    assert len(lines) == 1 and lines[0].endswith(r"a\x0ab\x1b[31m\xff.parquet")
    entry = document("ls", root)["files"][0]
    assert bytes.fromhex(entry["path_hex"]) == os.fsencode(root / "tenant_id=x" / odd)
    assert "�" in entry["path"]
    assert r"\x0a" in lithify.ok("plan", root).out
    document("plan", root)
    write(root / "tenant_id=a/first.parquet")
    symlink = lithify.run("ls", root, "--format", "symlink")
    assert symlink.code == lithify.FAILED and not symlink.out and "--json" in symlink.err, str(symlink)


def test_lines_of_ls_are_unambiguous(tmp_path):
    """A backslash is escaped as what it escapes is: the lines can be read back."""
    names = ["a\\x0ab.parquet", "a\nb.parquet", "\\.parquet", "\\\\é.parquet"]
    for name in names:
        write(tmp_path / "lake" / name)
    lines = lithify.ok("ls", "lake", cwd=tmp_path).out.splitlines()
    back = [re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), line) for line in lines]
    assert sorted(back) == sorted(f"lake/{name}" for name in names)


def test_status(tmp_path):
    root = two_partitions(tmp_path / "lake")
    report = document("status", root)
    assert report["total"]["files"] == 12 == report["total"]["mergeable_files"]
    assert report["total"]["due_files"] == 12 and report["total"]["mergeable_percent"] == 100.0
    assert sum(bucket["files"] for bucket in report["total"]["histogram"]) == 12
    assert [t["tenant"] for t in report["tenants"]] == ["acme", "globex"]
    out = lithify.ok("status", root, env={"LC_ALL": "C"}).out
    assert out.isascii() and "####" in out and "goal < 5 %" in out
    assert "█" in lithify.ok("status", root, env={"LC_ALL": "C.UTF-8"}).out


def test_status_of_nothing(tmp_path):
    root = two_partitions(tmp_path / "lake")
    out = lithify.ok("status", root, "--partition", "nix").out
    assert "0 partitions" in out and "no path below ROOT matches --partition nix" in out
    (tmp_path / "empty").mkdir()
    assert "no directory at or below ROOT holds" in lithify.ok("status", tmp_path / "empty").out
    assert "none that compact or adopt was run on" in lithify.ok("gc", root).out


def test_merge(tmp_path):
    files = sorted(fill(tmp_path).rglob("*.parquet"))
    out = tmp_path / "out.parquet"
    done = document("merge", "-o", out, *files)
    assert done["rows"] == 60 and done["outputs"] == 1 and done["inputs"] == 6
    again = lithify.run("merge", "-o", out, *files)
    assert again.code == lithify.FAILED and "--overwrite" in again.err
    assert "60 rows" in lithify.ok("merge", *files, "--overwrite", f"--output={out}").out
    (tmp_path / "killed.parquet.tmp").write_bytes(b"of somebody")
    killed = lithify.run("merge", "-o", tmp_path / "killed.parquet", *files)
    assert killed.code == lithify.FAILED and "remove it" in killed.err, str(killed)
    assert (tmp_path / "killed.parquet.tmp").read_bytes() == b"of somebody"
    missing = lithify.run("merge", "-o", tmp_path / "x.parquet", files[0], tmp_path / "none.parquet")
    assert missing.code == lithify.FAILED and "none.parquet" in missing.err


SPLIT = ["--target-file=1B", "--row-group-rows=10"]


def test_merge_names_all_outputs(tmp_path):
    files = sorted(fill(tmp_path / "in").rglob("*.parquet"))
    out = tmp_path / "s.parquet"
    done = document("merge", "-o", out, *SPLIT, *files)
    paths = [str(out)] + [str(tmp_path / f"s-{i}.parquet") for i in range(1, done["outputs"])]
    assert done["outputs"] > 2 and done["output_paths"] == paths
    assert sorted(map(str, tmp_path.glob("s*.parquet"))) == sorted(paths)
    assert document("merge", "--explain", *files)["result"]["output_paths"] == []


def test_merge_warns_of_outputs_of_an_earlier_one(tmp_path):
    """P10: they are named, since a glob would count their rows twice, and not deleted."""
    files = sorted(fill(tmp_path / "in").rglob("*.parquet"))
    out = tmp_path / "s.parquet"
    split = lithify.ok("merge", "-o", out, *SPLIT, *files)
    assert not split.err, str(split)
    before = sorted(tmp_path.glob("s*.parquet"))
    one = lithify.ok("merge", "--overwrite", "-o", out, *files)
    assert f"{tmp_path / 's-1.parquet'} is not of this merge" in one.err, str(one)
    assert one.err.count("\n") == 1 and sorted(tmp_path.glob("s*.parquet")) == before
    assert not lithify.ok("merge", "--overwrite", "--quiet", "-o", out, *files).err
    assert not lithify.ok("merge", "--overwrite", *SPLIT, "-o", out, *files).err


def test_merge_of_a_list(tmp_path):
    """Names from a file or a pipe: in their order, in the place of the option between others."""
    files = fill(tmp_path).rglob("*.parquet")
    files = [str(path.relative_to(tmp_path)) for path in sorted(files)]
    starts = [parquet.read_table(tmp_path / name)["id"][0].as_py() for name in files]

    def merged(*arguments, given=None):
        done = lithify.run("merge", "--overwrite", "-o", "out.parquet", *arguments, cwd=tmp_path,
                           stdin=given)
        assert done.code == lithify.DONE, str(done)
        rows = parquet.read_table(tmp_path / "out.parquet")["id"].to_pylist()
        return [files[starts.index(rows[at])] for at in range(0, len(rows), 10)]

    names = [files[3], files[1], files[2]]
    (tmp_path / "list").write_text("\n" + "\n\n".join(names))
    assert merged("--inputs-from", "list") == names
    assert merged(files[5], "--inputs-from=list", files[0]) == [files[5], *names, files[0]]
    assert merged("--inputs-from", "-", files[0], given="\n".join(names) + "\n") == [*names, files[0]]
    odd = tmp_path / "two\nlines.parquet"
    odd.write_bytes((tmp_path / files[4]).read_bytes())
    by_zero = "\0".join([files[2], odd.name]) + "\0"
    assert merged("-0", "--inputs-from", "-", given=by_zero) == [files[2], files[4]]

    def refused(code, says, given, *arguments):
        done = lithify.run("merge", "-o", "new.parquet", "--inputs-from", "-", *arguments,
                           cwd=tmp_path, stdin=given)
        assert done.code == code and says in done.err, str(done)
        assert done.err.count("\n") == 1 and not (tmp_path / "new.parquet").exists()

    refused(lithify.FAILED, "the standard input, line 3", f"{files[0]}\n\nnone.parquet\n")
    refused(lithify.FAILED, "none.parquet", f"{files[0]}\n\nnone.parquet\n")
    refused(lithify.USAGE, "line 2: a zero byte", f"{files[0]}\n{by_zero}")
    refused(lithify.USAGE, "names no file", "\n\n")
    refused(lithify.USAGE, "given twice", "", "--inputs-from", "list")
    absent = lithify.run("merge", "-o", "new.parquet", "--inputs-from", "nowhere", cwd=tmp_path)
    assert absent.code == lithify.FAILED and "nowhere" in absent.err, str(absent)


@pytest.mark.parametrize("what", ["directory", "fifo", "link to a fifo", "nothing"])
def test_merge_replaces_files_alone(what, tmp_path):
    """P10: --overwrite puts no file in the place of a device, a pipe or a directory."""
    files = sorted(fill(tmp_path / "lake").rglob("*.parquet"))
    out = tmp_path / "out"
    if what == "directory":
        out.mkdir()
    elif what == "fifo":
        os.mkfifo(out)
    elif what == "link to a fifo":
        os.mkfifo(tmp_path / "fifo")
        out.symlink_to("fifo")
    before = sorted((path, path.lstat().st_mode) for path in tmp_path.rglob("*"))
    done = lithify.run("merge", "--overwrite", "-o", "" if what == "nothing" else out, *files,
                       cwd=tmp_path)
    assert done.code == lithify.USAGE, str(done)
    assert "regular file" in done.err or "output" in done.err, str(done)
    assert sorted((path, path.lstat().st_mode) for path in tmp_path.rglob("*")) == before


def test_verify(tmp_path):
    files = sorted(fill(tmp_path).rglob("*.parquet"))
    assert lithify.ok("verify", *files, "--", *reversed(files)).out == "the same 60 rows\n"
    fewer = lithify.run("verify", *files, "--", *files[1:])
    assert fewer.code == lithify.FAILED and "60 rows" in fewer.out and "50" in fewer.out
    other = write(tmp_path / "other.parquet", start=7)
    assert "not the same" in lithify.run("verify", files[0], "--", other).out
    report = json.loads(lithify.run("verify", "--json", files[0], "--", other).out)
    assert report["equal"] is False and report["a"]["rows"] == report["b"]["rows"] == 10
    parquet.write_table(pyarrow.table({"name": ["a"]}), tmp_path / "text.parquet")
    for none in ("text.parquet", "nowhere.parquet"):  # no verdict: told apart by what is printed
        for more in ([], ["--json"]):
            done = lithify.run("verify", *more, files[0], "--", tmp_path / none)
            assert done.code == lithify.FAILED and not done.out and none in done.err, str(done)
    assert "not comparable" in lithify.ok("help", "verify").out


def test_inspect_says_what_pyarrow_says(tmp_path):
    table = pyarrow.table({"id": range(1000), "name": [f"n{i % 7}" for i in range(1000)],
                           "list": [[i, None] for i in range(1000)]})
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path, row_group_size=400, write_page_index=True, compression="zstd")
    said = document("inspect", path, "--pages")
    meta = parquet.ParquetFile(path).metadata
    assert (said["rows"], said["row_group_count"], said["created_by"]) == (
        meta.num_rows, meta.num_row_groups, meta.created_by)
    assert {pair["key"] for pair in said["key_values"]} == {k.decode() for k in meta.metadata or {}}
    for group in range(meta.num_row_groups):
        for column in range(meta.num_columns):
            chunk, real = said["row_groups"][group]["columns"][column], meta.row_group(group).column(column)
            assert chunk["path"] == real.path_in_schema and chunk["codec"] == real.compression
            assert chunk["values"] == real.num_values
            assert chunk["compressed_bytes"] == real.total_compressed_size
            assert chunk["data_page_offset"] == real.data_page_offset
            assert chunk["dictionary_page_offset"] == real.dictionary_page_offset
            assert chunk["statistics"]["min"] == str(real.statistics.min)
            assert chunk["statistics"]["max"] == str(real.statistics.max)
            assert chunk["statistics"]["null_count"] == real.statistics.null_count
            assert sorted(chunk["encodings"]) == sorted(real.encodings)
            data = [p for p in chunk["pages"] if p["type"].startswith("DATA_PAGE")]
            assert sum(p["values"] for p in data) == real.num_values
            assert [p["offset"] for p in data] == [p["offset"] for p in chunk["offset_index"]["pages"]]
            assert len(chunk["column_index"]["pages"]) == len(data)
    text = lithify.ok("inspect", path).out
    assert "1000 rows in 3 row groups" in text and "list.list.element" in text


# Messages: what is wrong, where, what was expected, what to do.

def test_messages_of_merge(tmp_path):
    a = write(tmp_path / "a.parquet")
    other = tmp_path / "other.parquet"
    parquet.write_table(pyarrow.table({"id": ["a"]}), other)
    (tmp_path / "folder").mkdir()
    for output, inputs, says in (
            ("nodir/o.parquet", [a], "the directory nodir/ is not there; create it first"),
            ("o.parquet", [a, "folder"], "folder is a directory; name its files, or compact it"),
            ("o.parquet", [a, "/dev/null"], "/dev/null is not a regular file"),
            ("o.parquet", [a, other], "a.parquet and " + str(other)),
            ("o.parquet", [a, other], "column id: INT64 against BYTE_ARRAY STRING; merge them apart"),
            ("o.parquet", [other, a], "column id: BYTE_ARRAY STRING against INT64; merge them apart")):
        done = lithify.run("merge", "-o", output, *inputs, cwd=tmp_path)
        assert done.code == lithify.FAILED and says in done.err, str(done)
        assert done.err.count("folder") < 2 and done.err.count("/dev/null") < 2, str(done)
    assert not list(tmp_path.rglob("o.parquet*"))


def test_a_place_is_said_once(tmp_path):
    """What verification finds in an output of copied pages: the place, and no second time."""
    damaged = tmp_path / "damaged.parquet"
    table = pyarrow.table({"body": ["x" * 100 + str(i) for i in range(100)]})
    parquet.write_table(table, damaged, compression="none", use_dictionary=False,
                        write_statistics=False)
    content = bytearray(damaged.read_bytes())
    first = content.index(b"xxxx")
    content[first - 4:first] = b"\xff\xff\xff\x7f"  # the length of the first value
    damaged.write_bytes(content)
    done = lithify.run("merge", "--verify=decode", "--movers=copy", "-o", tmp_path / "o.parquet",
                       damaged, damaged)
    assert done.code == lithify.FAILED, str(done)
    assert 'verify: row group 0, column "body", page 0 at byte' in done.err, str(done)
    assert done.err.count("row group 0") == 1, str(done)


def test_messages_of_broken_manifests(tmp_path):
    root = fill(tmp_path / "lake")
    (root / "tenant_id=acme/day/manifest.json").write_text("{")
    reason = document("plan", root, "--ok-blocked")["partitions"][0]["reason"]
    assert "manifest.json: JSON" in reason and "restore it from a copy" in reason, reason
    (root / "_lithify.json").write_text("{")
    done = lithify.run("plan", root)
    assert done.code == lithify.FAILED and f"{root}/_lithify.json: JSON" in done.err, str(done)
    assert "restore it from a copy, or remove it" in done.err, str(done)


# JSON: documented, and whole.

def test_documented_fields(tmp_path):
    root = two_partitions(tmp_path / "lake")
    files = sorted(root.rglob("*.parquet"))
    documents = [document("plan", root, "--explain"), document("compact", root, "--readers=manifest"),
                 document("gc", root), document("gc", root, "--dry-run"),
                 document("rollback", root, "--partition=*acme*", "--dry-run"),
                 document("retire", root / "tenant_id=globex/day",
                          next(iter((root / "tenant_id=globex/day").glob("*_e*.parquet"))).name),
                 document("adopt", root), document("status", root), document("ls", root),
                 document("log", root),
                 document("merge", "-o", tmp_path / "o.parquet", *files),
                 document("merge", "--explain", *files),
                 document("verify", *files, "--", *files), document("inspect", files[0], "--pages")]
    known = set(re.findall(r"`(\w+)`", (DOCS / "json.md").read_text()))

    def fields(value):
        if isinstance(value, dict):
            for key, inside in value.items():
                yield key
                yield from fields(inside)
        elif isinstance(value, list):
            for inside in value:
                yield from fields(inside)

    for value in documents:
        assert value["format"] == 1
        unknown = {f for f in fields(value)} - known
        unknown = {f for f in unknown if not f.endswith("_hex")}
        assert not unknown, unknown


def test_json_of_a_pass_that_fails(tmp_path):
    result = lithify.run("plan", tmp_path / "none", "--json")
    assert result.code == lithify.FAILED
    value = json.loads(result.out)
    assert value["error"]["code"] == "NOT_FOUND" and value["partitions"] == []


# Exit codes of partitions.

def test_blocked(tmp_path):
    root = fill(tmp_path / "lake")
    (root / "tenant_id=acme/day/manifest.json").write_text('{"files": []}')
    for command in (["compact", root, "--readers=manifest"], ["plan", root], ["status", root]):
        assert lithify.run(*command).code == lithify.BLOCKED
        lithify.ok(*command, "--ok-blocked")
        lithify.ok(*command, env={"LITHIFY_OK_BLOCKED": "true"})


def test_nothing_due_is_done(tmp_path):
    assert "0 partitions: nothing to do" in lithify.ok("compact", tmp_path, "--readers=manifest").out


def test_a_pipe_that_closes(tmp_path):
    root = fill(tmp_path / "lake")
    process = subprocess.Popen([lithify.BIN, "compact", root, "--readers=manifest"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read()
    assert process.wait(timeout=60) == lithify.DONE, error
    assert len(lithify.ok("ls", root).out.splitlines()) == 1


def test_a_full_disk_for_the_results(tmp_path):
    root = fill(tmp_path / "lake")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([lithify.BIN, "ls", root], stdout=full, stderr=subprocess.PIPE,
                              timeout=60, check=False)
    assert done.returncode == lithify.FAILED and b"could not be written" in done.stderr


# Terminals and signals.

def on_terminal(arguments, out=None):
    """Runs with stderr on a terminal; returns exit code and what it showed."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo terminal here: {error}")
    process = subprocess.Popen([lithify.BIN, *map(str, arguments)], stdin=subprocess.DEVNULL,
                               stdout=slave if out is None else out, stderr=slave,
                               env=os.environ | {"LC_ALL": "C.UTF-8"})
    os.close(slave)
    shown = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(master)
    return process.wait(timeout=60), shown.decode()


def test_progress_bar(tmp_path):
    files = [write(tmp_path / f"f{i}.parquet", rows=20000) for i in range(4)]
    bar = "\x1b[2K"
    code, shown = on_terminal(["merge", "-o", tmp_path / "a.parquet", *files])
    assert code == 0 and bar in shown and "%" in shown and "/s" in shown and "█" in shown, shown
    for i, silent in enumerate((["--quiet"], ["--no-progress"])):
        code, shown = on_terminal(["merge", "-o", tmp_path / f"b{i}.parquet", *files, *silent])
        assert code == 0 and bar not in shown, shown
    with open(tmp_path / "json", "wb") as out:
        code, shown = on_terminal(["merge", "-o", tmp_path / "c.parquet", *files, "--json"], out)
    assert code == 0 and bar not in shown, shown
    result = lithify.ok("merge", "-o", tmp_path / "d.parquet", *files)
    assert not result.err, result.err
    code, shown = on_terminal(["compact", "--readers=manifest", fill(tmp_path / "lake")])
    assert code == 0 and "1 partition done" in shown, shown


def compact_signalled(root, number, handler):
    """A pass over many partitions, under way when the signal comes; stdout and stderr from then."""
    for i in range(400):
        fill(root, f"tenant_id=t{i}/day", files=4)
    # Whoever runs the tests may ignore the signal (nohup), and children inherit that.
    process = subprocess.Popen([lithify.BIN, "compact", root, "--readers=manifest", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(number, handler))
    process.stdout.readline()
    process.stdout.readline()  # a partition is done: the pass is under way
    process.send_signal(number)
    rest, error = process.communicate(timeout=60)
    return process.returncode, rest, error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped(number, tmp_path):
    root = tmp_path / "lake"
    code, rest, error = compact_signalled(root, number, signal.SIG_DFL)
    assert code == lithify.FAILED, (rest, error)
    assert error == "lithify: stopped on request; nothing was lost\n"
    assert rest.rstrip().endswith("}") and '"CANCELLED"' in rest
    lithify.ok("compact", root)
    assert len(lithify.ok("ls", root).out.splitlines()) == 400


def test_hangup_is_ignored_under_nohup(tmp_path):
    code, _, error = compact_signalled(tmp_path / "lake", signal.SIGHUP, signal.SIG_IGN)
    assert (code, error) == (0, "")
    assert len(lithify.ok("ls", tmp_path / "lake").out.splitlines()) == 400


@pytest.mark.parametrize("words", [["compact"], ["compact", "--readers", "manifest"],
                                   ["compact", "--readers", "exchange"], ["adopt"],
                                   ["adopt", "--readers", "glob"], ["plan"], ["gc"], ["gc", "--dry-run"]],
                         ids=" ".join)
def test_a_part_of_a_lake_is_no_lake(words, tmp_path):
    """P4: below the root there is no lake of its own, also not at a first pass that says how it would be
    read; the words say how a part is chosen."""
    root, part = tmp_path / "lake", "tenant_id=a/year=2024/month=01/day=01"
    write(root / part / "a.parquet")
    lithify.ok("adopt", "--readers", "manifest", root)
    before = sorted(root.rglob("*"))
    result = lithify.run(*words, root / part)
    assert result.code == lithify.USAGE, result
    assert f"lies in the lake {root}" in result.err and f"--partition '{part}'" in result.err, result
    (tmp_path / "link").symlink_to(root / part)
    for place, folder in ((".", root / part), (f"{root / part}/", None), (tmp_path / "link", None)):
        again = lithify.run(*words, place, cwd=folder)
        assert again.code == lithify.USAGE and f"--partition '{part}'" in again.err, again
    assert sorted(root.rglob("*")) == before and not list(tmp_path.glob("*.lithify"))
