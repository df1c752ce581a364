"""Hours whose manifest is lost after a roll-up: what the day has of them must not count there once more."""

import json
import os
import shutil

import pyarrow.parquet as parquet
import pytest

import lithify
import numbered
import reader
from test_tiers import DAY, TIERS, day_fill, hour_write, live, month_make

HOUR = f"{DAY}/hour=02"
FIRST = "part-0-0.parquet"
LOST = "its manifest was lost"


def lake_make(tmp_path, files=1):
    """A day that was rolled up, and its rows; the files of hours are still there."""
    root = tmp_path / "lake"
    ids = day_fill(root, files=files)
    lithify.ok(*TIERS, root)
    numbered.check_everywhere(root, ids)
    return root, ids


def manifest_lose(root, path=HOUR):
    manifest = root / path / "manifest.json"
    kept = manifest.read_bytes()
    manifest.unlink()
    return kept


def part_of(done, path=HOUR):
    return next(p for p in json.loads(done.out)["partitions"] if p["path"] == path and not p.get("rollup"))


def state(root, path=HOUR):
    return json.loads((root / path / "manifest.json").read_text())


def findings(root, path=HOUR):
    done = lithify.run("fsck", "--json", root)
    return [(f["kind"], f["wants_hand"], f["text"]) for f in part_of(done, path)["findings"]]


def untouched(root, says, *commands):
    """Each of them leaves the hour as it is, blocked, and says why; so does fsck; a list of it is refused."""
    before = numbered.tree(root / HOUR)
    for command in commands or (["compact", *numbered.NOW], ["adopt", "--readers", "manifest", "--quiet"]):
        done = lithify.run(*command, "--json", root)
        part = part_of(done)
        assert done.code == lithify.BLOCKED and part["state"] == "blocked" and says in part["reason"], done
        assert numbered.tree(root / HOUR) == before
    refused = lithify.run("ls", root)
    assert refused.code == lithify.FAILED and not refused.out, refused
    kind = "lost-manifest" if says != "not known" else "above"
    assert (kind, True, True) in [(kind, hand, says in text) for kind, hand, text in findings(root)]


def repair(root, path=HOUR):
    """The report; a dry run says the same, and changes nothing."""
    before = numbered.tree(root)
    dry = part_of(lithify.run("fsck", "--repair", "--dry-run", "--json", root / path), path)
    assert numbered.tree(root) == before
    done = part_of(lithify.run("fsck", "--repair", "--yes", "--json", root / path), path)
    assert [dry[key] for key in ("state", "files")] == [done[key] for key in ("state", "files")]
    return done


def refused(root, says):
    before = numbered.tree(root)
    part = repair(root)
    assert part["state"] == "blocked" and says in part["reason"], part["reason"]
    assert numbered.tree(root) == before


def test_it_is_told_and_repaired(tmp_path):
    """P2, P9: no list shows rows twice; after the repair the files are superseded, and gc takes them."""
    root, ids = lake_make(tmp_path)
    numbered.fill(root / "tenant_id=globex" / numbered.HOUR, 4, 10, tenant="globex")
    manifest_lose(root)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)  # two files: a job reads footers
    untouched(root, f"{FIRST} was rolled up into {DAY}/")
    os.utime(root / HOUR / "late.parquet")
    assert state(root, f"tenant_id=globex/{numbered.HOUR}")["generation"] > 1  # others went on
    part = repair(root)
    assert part["state"] == "changed" and part["files_after"] == 1, part
    shutil.rmtree(root / "tenant_id=globex")
    ids += range(2000, 2030)
    numbered.check_everywhere(root, ids)
    retired = state(root)["lithify"]["retired"]
    assert [(e["name"], e["rows"]) for e in retired] == [(FIRST, 50)] and retired[0]["crc32"]
    assert not findings(root)
    lithify.ok("compact", *numbered.NOW, root)
    before = numbered.tree(root)
    lithify.ok("compact", *numbered.NOW, root)
    assert numbered.tree(root) == before
    lithify.ok("gc", *numbered.NO_GRACE, root)
    assert [path.name for path in (root / HOUR).glob("*.parquet")] == ["late.parquet"]
    numbered.check_everywhere(root, ids)


def test_an_hour_of_one_file(tmp_path):
    """P2: no job is due there; a list is refused all the same, and a roll-up leaves it out."""
    root, ids = lake_make(tmp_path)
    manifest_lose(root)
    for hour in (0, 1):
        hour_write(root / DAY / f"hour={hour:02}" / "late.parquet", range(1000 + hour * 10, 1010 + hour * 10), hour)
        ids += range(1000 + hour * 10, 1010 + hour * 10)
    lithify.ok(*TIERS, root)
    assert not (root / HOUR / "manifest.json").exists()
    for place in (root, root / HOUR):
        result = lithify.run("ls", place)
        assert result.code == lithify.FAILED and LOST in result.err, result
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids)


def test_nothing_is_due(tmp_path):
    """P2: by default options the hour is not sealed yet: nothing is adopted unread."""
    root, ids = lake_make(tmp_path, files=2)
    manifest_lose(root)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    os.utime(root / HOUR / "late.parquet")
    for options in ([], ["--tiers", "day"], [*numbered.NOW, "--min-free", "100%"]):
        lithify.run("compact", *options, root)
        assert not (root / HOUR / "manifest.json").exists()
    assert lithify.run("ls", root).code == lithify.FAILED


def day_roll_again(root):
    """Its outputs are merged to one that lists them alone."""
    more = []
    for hour in (0, 1, 3):
        late = range(1000 * (hour + 1), 1000 * (hour + 1) + 400)
        hour_write(root / DAY / f"hour={hour:02}" / "late.parquet", late, hour)
        more += late
    lithify.ok(*TIERS, root)
    lithify.ok(*TIERS, root)
    assert len(live(root)) == 1
    return more


def test_the_day_was_rolled_up_again(tmp_path):
    """P2: what lists the files was superseded since, and is there until gc."""
    root, ids = lake_make(tmp_path)
    ids += day_roll_again(root)
    manifest_lose(root)
    assert LOST in lithify.run("ls", root).err
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids)


def test_a_superseded_output_with_another_time(tmp_path):
    """P9: what it lists is not known before a job has read it again."""
    root, ids = lake_make(tmp_path)
    day_roll_again(root)
    retired = {e["name"] for e in state(root, DAY)["lithify"]["retired"]}
    assert len(retired) > 1
    for name in retired:
        os.utime(root / DAY / name)
    manifest_lose(root)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    untouched(root, "not known", ["adopt", "--readers", "manifest", "--quiet"])
    refused(root, "or cannot be read")
    lithify.run("compact", *numbered.NOW, root)
    untouched(root, LOST)


def test_a_layout_that_a_reader_does_not_know(tmp_path):
    """P2: the manifest above says that it takes files, whatever its path is called."""
    root = tmp_path / "lake"
    layout = ["--layout", "{tenant_id}/{yyyy}/{mm}/{dd}/{hh}"]
    for hour in range(4):
        hour_write(root / "acme/2024/03/01" / f"{hour:02}" / FIRST, range(hour * 50, hour * 50 + 50), hour)
        path = root / "acme/2024/03/01" / f"{hour:02}" / FIRST
        table = parquet.read_table(path, partitioning=None)
        times = path.stat().st_mtime_ns
        parquet.write_table(table.append_column("hh", table["hour"]), path)
        os.utime(path, ns=(times, times))
    lithify.ok(*TIERS, *layout, root)
    assert len(live(root)) == 1
    manifest_lose(root, "acme/2024/03/01/02")
    for options in ([], layout):
        result = lithify.run("ls", *options, root)
        assert result.code == lithify.FAILED and LOST in result.err, result


def test_a_file_in_several_outputs(tmp_path):
    """P2: its rows are in all of them together."""
    root = tmp_path / "lake"
    ids = day_fill(root, files=1)
    for path in root.rglob("*.parquet"):
        times = path.stat().st_mtime_ns
        parquet.write_table(parquet.read_table(path, partitioning=None), path, row_group_size=5)
        os.utime(path, ns=(times, times))
    lithify.ok(*TIERS, "--target-file", "24KiB", "--row-group-rows", "5", root)
    assert len(live(root)) > 1
    hours = [path for path in (f"{DAY}/hour={hour:02}" for hour in range(6)) if not state(root, path)["files"]]
    assert len(hours) > 2
    for path in hours:
        manifest_lose(root, path)
        part = repair(root, path=path)
        assert part["state"] == "changed" and part["files_after"] == 0, part
    numbered.check_everywhere(root, ids)


def other_rows(path, ids, hour, size=None):
    """Writes a file; with `size` one of exactly that many bytes."""
    hour_write(path, ids, hour)
    table = parquet.read_table(path, partitioning=None)
    for pad in range(4000 if size else 0):
        with parquet.ParquetWriter(path, table.schema, store_schema=False) as out:
            out.write_table(table)
            out.add_key_value_metadata({"pad": "x" * pad})
        if path.stat().st_size == size:
            return
    assert not size


def test_the_same_name_and_size_with_other_rows(tmp_path):
    """P1, P9: neither dropped nor counted twice: blocked until somebody says what it is."""
    root, ids = lake_make(tmp_path)
    path = root / HOUR / FIRST
    other_rows(path, range(5000, 5030), 2, path.stat().st_size)
    hour_write(root / HOUR / "late.parquet", range(6000, 6010), 2)
    os.utime(root / HOUR / "late.parquet")
    manifest_lose(root)
    untouched(root, LOST)
    refused(root, "not all of its rows are found")
    path.rename(path.with_name("new.parquet"))
    lithify.ok("compact", *numbered.NOW, root)
    numbered.check_everywhere(root, ids + list(range(5000, 5030)) + list(range(6000, 6010)))


@pytest.mark.parametrize("kind", ["another size", "a sibling's", "a stranger's list"])
def test_what_is_not_listed_counts(kind, tmp_path):
    """P1: a name alone says nothing."""
    root, ids = lake_make(tmp_path)
    hour = root / DAY / "hour=17"
    if kind == "another size":
        hour = root / HOUR
        manifest_lose(root)
        other_rows(hour / FIRST, range(5000, 5030), 2)
    elif kind == "a sibling's":
        hour.mkdir()
        other_rows(hour / FIRST, range(5000, 5030), 17, (root / DAY / "hour=01" / FIRST).stat().st_size)
    else:
        other = tmp_path / "other"  # an output of another lake's day, moved here: data, whatever it lists
        for place in (17, 18):
            hour_write(other / DAY / f"hour={place}" / FIRST, range(place * 1000, place * 1000 + 50), place)
            ids += range(place * 1000, place * 1000 + 50)
        lithify.ok(*TIERS, other)
        output = next((other / DAY).glob("*.parquet"))
        output.rename(root / DAY / output.name)
        lithify.ok("compact", *numbered.NOW, "--min-files", "9", "--settle", "9d", root)
        hour.mkdir()
        other_rows(hour / FIRST, range(5000, 5030), 17, (other / DAY / hour.name / FIRST).stat().st_size)
    hour_write(hour / "late.parquet", range(6000, 6010), int(hour.name[-2:]))
    lithify.ok("compact", *numbered.NOW, root)
    numbered.check_everywhere(root, ids + list(range(5000, 5030)) + list(range(6000, 6010)))


def test_a_day_that_has_taken_nothing(tmp_path):
    """An hour that had no roll-up above it is one that begins."""
    root = tmp_path / "lake"
    ids = day_fill(root, hours=1, files=2)
    hour_write(root / DAY / "own.parquet", range(7000, 7010), 0)
    lithify.ok("adopt", "--readers", "manifest", root)
    (root / DAY / "hour=00" / "manifest.json").unlink()
    lithify.ok("compact", *numbered.NOW, "--tiers", "day", "--min-free", "0%", root)
    numbered.check_everywhere(root, ids + list(range(7000, 7010)))


@pytest.mark.parametrize("how", ["manifest", "missing", "damaged"])
def test_a_day_that_cannot_say(how, tmp_path):
    """P9: nothing is adopted below a day of which nobody can tell what it has taken."""
    root, ids = lake_make(tmp_path)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    manifest_lose(root)
    path = root / DAY / "manifest.json" if how == "manifest" else next((root / DAY).glob("*.parquet"))
    kept, times = path.read_bytes(), path.stat().st_mtime_ns
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(kept[:-40] + b"x" * 40)
        os.utime(path, ns=(times, times))
    untouched(root, "not known")
    refused(root, "not known" if how == "manifest" else "or cannot be read")
    path.write_bytes(kept)
    os.utime(path, ns=(times, times))
    untouched(root, LOST)
    os.utime(root / HOUR / "late.parquet")
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids + list(range(2000, 2030)))


def test_a_damaged_file(tmp_path):
    """P9: nobody can tell whether it is what was rolled up."""
    root, ids = lake_make(tmp_path)
    path = root / HOUR / FIRST
    data = bytearray(path.read_bytes())
    data[100:1500] = bytes(1400)
    path.write_bytes(data)
    manifest_lose(root)
    refused(root, "cannot be told")


def test_a_link(tmp_path):
    """P9: no manifest names one that was rolled up."""
    root, ids = lake_make(tmp_path)
    path = root / HOUR / FIRST
    path.rename(tmp_path / "elsewhere.parquet")
    path.symlink_to(tmp_path / "elsewhere.parquet")
    manifest_lose(root)
    assert LOST in lithify.run("ls", root).err
    refused(root, "is a symbolic link now")
    path.unlink()
    numbered.check_everywhere(root, ids)


def test_another_programs_manifest(tmp_path):
    """P2: what it names was rolled up all the same."""
    root, ids = lake_make(tmp_path)
    (root / HOUR / "manifest.json").write_text(json.dumps({"generation": 1, "files": [FIRST]}))
    assert LOST in lithify.run("ls", root).err
    todo = "move the manifest that is there out of the directory, then lithify fsck --repair"
    for unlisted in ("live", "ignore"):
        done = lithify.run("adopt", "--readers", "manifest", "--unlisted", unlisted, "--json", root)
        part = part_of(done)
        assert done.code == lithify.BLOCKED and part["state"] == "blocked" and todo in part["reason"], done
    told = part_of(lithify.run("fsck", "--json", root))["findings"]
    assert ("lost-manifest", todo) in [(f["kind"], f["todo"][:len(todo)]) for f in told]
    (root / HOUR / "manifest.json").unlink()
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids)


def test_an_output_beside_its_inputs(tmp_path):
    """P2: the hour was compacted before it was rolled up: its output is above, and says what that was made of."""
    root, ids = lake_make(tmp_path, files=2)
    assert len(list((root / HOUR).glob("*.parquet"))) == 3
    manifest_lose(root)
    untouched(root, "inputs of it are here too")
    hour_write(root / HOUR / "late.parquet", range(4000, 4020), 2)
    refused(root, "it was there by the last roll-up")  # as far as anyone can see
    os.utime(root / HOUR / "late.parquet")
    part = repair(root)
    assert part["state"] == "changed" and part["files_after"] == 1, part
    numbered.check_everywhere(root, ids + list(range(4000, 4020)))
    lithify.ok("gc", *numbered.NO_GRACE, root)
    assert [path.name for path in (root / HOUR).glob("*.parquet")] == ["late.parquet"]
    numbered.check_everywhere(root, ids + list(range(4000, 4020)))


def test_an_output_that_the_day_may_have(tmp_path):
    """P2: the outputs that listed it are gone: nobody knows, and nothing is done."""
    root, ids = lake_make(tmp_path, files=2)
    ids += day_roll_again(root)
    kept = manifest_lose(root)
    lithify.ok("gc", *numbered.NO_GRACE, root)
    refused(root, "copy the last manifest back by hand")
    (root / HOUR / "manifest.json").write_bytes(kept)
    lithify.ok("gc", *numbered.NO_GRACE, root)
    numbered.check_everywhere(root, ids)


def test_an_output_with_another_time(tmp_path):
    """P9: copied without times it may be another file, until a job has read it."""
    root, ids = lake_make(tmp_path)
    manifest_lose(root)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    os.utime(next((root / DAY).glob("*.parquet")))
    untouched(root, "not known", ["adopt", "--readers", "manifest", "--quiet"])
    refused(root, "or cannot be read")
    lithify.run("compact", *numbered.NOW, root)
    untouched(root, LOST)
    os.utime(root / HOUR / "late.parquet")
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids + list(range(2000, 2030)))


@pytest.mark.parametrize("foreign", [False, True], ids=["none", "another program's"])
def test_the_day_has_lost_its_own(foreign, tmp_path):
    """P9: files of the hour are listed by what lies in the day, whoever it is of."""
    root, ids = lake_make(tmp_path)
    hour_write(root / HOUR / "late.parquet", range(2000, 2030), 2)
    manifest_lose(root)
    kept = manifest_lose(root, DAY)
    if foreign:
        output = next((root / DAY).glob("*.parquet"))
        (root / DAY / "manifest.json").write_text(json.dumps({"files": [output.name]}))
    untouched(root, LOST, TIERS)
    refused(root, "has no manifest: put that back first")
    (root / DAY / "manifest.json").write_bytes(kept)
    os.utime(root / HOUR / "late.parquet")
    assert repair(root)["state"] == "changed"
    numbered.check_everywhere(root, ids + list(range(2000, 2030)))


def test_two_outputs_of_the_same(tmp_path):
    """P2: what is put out may be the one that is above: what it was made of must not come in for it."""
    root, ids = lake_make(tmp_path, files=2)
    manifest_lose(root)
    output = next(path for path in (root / HOUR).glob("*.parquet") if "part-" not in path.name)
    other = output.name.replace(output.name[:8], "01a00000")
    shutil.copy(output, root / HOUR / other)
    for path in (root / HOUR).glob("*.parquet"):
        os.utime(path)
    refused(root, "was merged into a file that was rolled up into")
    assert lithify.run("ls", root).code == lithify.FAILED


def test_a_folder_that_is_no_period(tmp_path):
    """Nothing is rolled up into a tenant: what lies there says nothing of its partitions."""
    root, ids = lake_make(tmp_path)
    (root / "tenant_id=acme" / "manifest.json").write_text("[1, 2]")
    odd = root / "tenant_id=acme" / "odd"
    numbered.fill(odd, 4, 10)
    lithify.run("compact", *numbered.NOW, root)
    assert len(state(root, "tenant_id=acme/odd")["files"]) == 1


def test_the_files_of_a_day_below_a_month(tmp_path):
    """The same one tier up: the day's own outputs are in the month."""
    root, ids = month_make(tmp_path)
    assert "day=" not in live(root)[0].split("month=03")[1]
    for path in (root / DAY).glob("hour=*/*.parquet"):
        path.unlink()  # what gc would do by now
    manifest_lose(root, DAY)
    refused_list = lithify.run("ls", root)
    assert refused_list.code == lithify.FAILED and LOST in refused_list.err, refused_list
    kept = reader.read(root)["id"].to_pylist()
    assert len(kept) > len(ids)  # as for anyone who goes by manifests alone
