"""Commands that change a lake, each with a lake to run it on, and what must be true around it.

A scenario is a lake, a command that changes it, and the steps that the command passes. Who cuts it
off, by whatever means, asks `check_views` after that, lets it go on (`run_again`, `finish`), and then
`check_only_live`.
"""

import collections
import hashlib
import json
import os
import pathlib
import shutil
import time

import audit
import crash
import globbing
import lithify
import numbered
import reader

# Two outputs of several row groups each from 6 files of about 6 KiB.
SPLIT = ["--target-file", "16KiB", "--row-group-rows", "70"]
COMPACT = ["compact", *numbered.NOW, *SPLIT]
GC = ["gc", *numbered.NO_GRACE]
ADOPT = ["adopt", "--readers", "manifest"]
REPAIR = ["fsck", "--repair", "--yes"]
# Only roll-ups are due: no hour has so many files.
ROLLUP = ["compact", *numbered.NOW, "--min-files", "4", "--settle", "1d", "--tiers", "day"]
# Of a lake that is read by listing: what was merged goes at once, and a journal is kept meanwhile.
GLOB = ["compact", *globbing.NOW, *SPLIT]
PARTITION = pathlib.Path("tenant_id=acme") / numbered.HOUR
DAY = PARTITION.parent
# Its period is not over: only late files are named there, nothing is merged.
OPEN_PARTITION = pathlib.Path("tenant_id=acme/year=2199/month=01/day=01/hour=00")
OUTPUT = ["output-created", "output-written", "output-synced", "output-publish", "output-renamed",
          "output-durable"]
PUT = ["put-locked", "put-written", "put-synced", "put-renamed", "put-durable"]
JOB = ["leased", *OUTPUT, "row-group", "verified", "committed", *PUT, "audited"]
DELETE = ["delete-renamed", "delete-checked", "delete-unlinked", "delete-durable"]
RECOVERY = ["fenced", *DELETE, "cleaned", "unjournaled"]

# What a command does to a lake: `late` numbers are not named by a manifest when it starts, `gone` ones
# are not live when it ends. `by_hand`: no sweep does the same; run once more it may find itself done.
# `mends`: before it nobody can read the lake, and no sweep can do anything there.
Scenario = collections.namedtuple("Scenario", "make command steps gone by_hand mends",
                                  defaults=((), False, False))


def words(name, root):
    """The command line of a scenario; {} is the root, which stands behind it where nothing else does."""
    command = SCENARIOS[name].command
    if any("{}" in word for word in command):
        return [word.replace("{}", str(root)) for word in command]
    return [*command, root]


def make_fresh(root):
    """Files that no commit has seen."""
    return numbered.fill(root / PARTITION, 6, 120), []


def make_late(root):
    """Compacted once, then more files came."""
    before = numbered.fill(root / PARTITION, 3, 120)
    lithify.ok(*COMPACT, root)
    late = numbered.fill(root / PARTITION, 4, 120, first=1000, stem="late")
    return [*before, *late], late


def make_open(root):
    """A partition with a manifest, still written: new files are only named there."""
    before = numbered.fill(root / PARTITION, 2, 50)
    lithify.ok(*COMPACT, root)
    (root / OPEN_PARTITION.parent).mkdir(parents=True)
    (root / PARTITION).rename(root / OPEN_PARTITION)
    late = numbered.fill(root / OPEN_PARTITION, 2, 50, first=1000, stem="late")
    return [*before, *late], late


def make_garbage(root):
    """Retired files, outputs that were never committed, a temporary file: all that gc takes."""
    ids = numbered.fill(root / PARTITION, 6, 120)
    assert crash.run("output-durable", 2, *COMPACT, root) is None
    assert crash.run("output-written", 1, *COMPACT, root) is None
    lithify.ok(*COMPACT, root)
    names = sorted(path.name for path in (root / PARTITION).iterdir())
    assert sum(name.endswith(".parquet") for name in names) >= 6 + 2 + 2, names
    assert sum(name.endswith(".parquet.tmp") for name in names) == 1, names
    return ids, []


def make_compacted(root):
    ids = numbered.fill(root / PARTITION, 6, 120)
    lithify.ok(*COMPACT, root)
    return ids, []


def make_retirable(root):
    """Named files, and one that is not."""
    ids = numbered.fill(root / PARTITION, 6, 120)
    lithify.ok(*ADOPT, root)
    late = numbered.fill(root / PARTITION, 1, 120, first=1000, stem="late")
    return [*ids, *late], late


def make_hours(root):
    """Hours of one day, whose rows tell the hour, too."""
    ids = []
    for hour in range(3):
        for number in range(2):
            path = root / DAY / f"hour={hour:02}" / f"part-{number}.parquet"
            numbered.write(path, range(len(ids), len(ids) + 60), more={"hour": hour})
            ids += range(len(ids), len(ids) + 60)
    return ids, []


def make_handed(root):
    """The same, of which a roll-up was cut off before it was committed."""
    ids, late = make_hours(root)
    assert crash.run("handed", 2, *ROLLUP, root) is None
    return ids, late


def saved(root):
    """Where an older manifest of the partition is kept, beside the lake."""
    return root.with_name(f"{root.name}.saved.json")


def make_restorable(root):
    """Compacted with late files since the copy of its manifest was made."""
    ids = numbered.fill(root / PARTITION, 4, 120)
    lithify.ok(*ADOPT, root)
    shutil.copy2(root / PARTITION / "manifest.json", saved(root))
    more = numbered.fill(root / PARTITION, 2, 120, first=1000, stem="late")
    lithify.ok(*COMPACT, root)
    return [*ids, *more], []


def make_globbed(root):
    """A lake whose readers list directories; nothing was merged yet."""
    ids = numbered.fill(root / PARTITION, 6, 120)
    lithify.ok("adopt", "--readers", "glob", root)
    return ids, []


def make_cut(step, arrival):
    """The same, with a job that was cut off."""
    def make(root):
        ids, late = make_globbed(root)
        assert crash.run(step, arrival, *GLOB, root) is None
        return ids, late

    return make


def make_outputless(root):
    """Its outputs vanished; what they were made of is there."""
    ids = numbered.fill(root / PARTITION, 4, 120)
    lithify.ok(*COMPACT, root)
    for path in reader.live(root / PARTITION):
        if not path.name.startswith("part-"):
            path.unlink()
    return ids, []


def make_written_off(root):
    """Of named files one vanished, whose rows are nowhere else."""
    ids = numbered.fill(root / PARTITION, 4, 120)
    lithify.ok(*ADOPT, root)
    (root / PARTITION / "part-00001.parquet").unlink()
    return sorted(set(ids) - set(range(120, 240))), []


def make_unmanifested(root):
    """Compacted, then more files came, and the manifest was lost, and the audit series, too."""
    ids = numbered.fill(root / PARTITION, 4, 120)
    lithify.ok(*COMPACT, root)
    more = numbered.fill(root / PARTITION, 2, 120, first=1000, stem="late")
    (root / PARTITION / "manifest.json").unlink()
    shutil.rmtree(audit.place(root))
    return [*ids, *more], []


SCENARIOS = {
    "compact": Scenario(make_fresh, COMPACT, ["adopted", "folder-made", *JOB]),
    "late": Scenario(make_late, COMPACT, ["folded", *JOB]),
    "fold": Scenario(make_open, COMPACT, ["folded", *PUT, "audited"]),
    "gc": Scenario(make_garbage, GC, ["fenced", *DELETE, "cleaned", *PUT, "audited"]),
    "rollback": Scenario(make_compacted, ["rollback", f"{{}}/{PARTITION}"], ["rolled-back", *PUT, "audited"],
                         by_hand=True),
    "retire": Scenario(make_retirable, ["retire", f"{{}}/{PARTITION}", "part-00000.parquet",
                                        "late-00000.parquet"], ["folded", "retired", *PUT, "audited"],
                       gone=[*range(120), *range(1000, 1120)], by_hand=True),
    "adopt": Scenario(make_fresh, ADOPT, ["adopted", *PUT, "audited"], by_hand=True),
    "rollup": Scenario(make_hours, ROLLUP, ["adopted", "handed", "rolled-up", "moved",
                                           *[step for step in JOB if step != "committed"]], by_hand=True),
    "glob": Scenario(make_globbed, GLOB, ["folder-made", "journaled", *JOB, *RECOVERY]),
    "recovered": Scenario(make_cut("committed", 1), GC, [*RECOVERY, *PUT, "audited"]),
    "undone": Scenario(make_cut("output-durable", 2), GC, [*RECOVERY, *PUT, "audited"]),
    "handed": Scenario(make_handed, COMPACT, ["fenced", "unhanded", *PUT, "audited"]),
    "restore": Scenario(make_restorable, ["fsck", "--restore", "{}.saved.json", f"{{}}/{PARTITION}"],
                        ["restored", *PUT, "audited"], by_hand=True),
    "outputless": Scenario(make_outputless, REPAIR, ["repaired", *PUT, "audited"], by_hand=True, mends=True),
    "written-off": Scenario(make_written_off, REPAIR, ["repaired", "put-renamed", "audited"], by_hand=True,
                            mends=True),
    "unmanifested": Scenario(make_unmanifested, REPAIR, ["repaired", *PUT, "audited"], by_hand=True, mends=True),
}


def compact_of(root):
    """COMPACT, by the readers mode of the lake."""
    file = root / "_lithify.json"
    return GLOB if file.exists() and json.loads(file.read_bytes())["readers"] == "glob" else COMPACT


def fresh_copy(source, place):
    """A copy of the lake, and of its audit series."""
    for path in (place, audit.place(place)):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, place, copy_function=shutil.copy2)
    if audit.place(source).exists():
        shutil.copytree(audit.place(source), audit.place(place), copy_function=shutil.copy2)
    if saved(source).exists():
        shutil.copy2(saved(source), saved(place))
    return place


def mend(name, root, where):
    """What an operator has to do first, if the command of the scenario did not come to it: until then
    fsck says so, and a sweep leaves everything as it is."""
    if not SCENARIOS[name].mends or lithify.run("fsck", root).code == lithify.DONE:
        return
    before = data_names(root)
    for command in (COMPACT, GC):
        assert lithify.run(*command, root).code in (lithify.DONE, lithify.BLOCKED), where
    assert [n for n in data_names(root) if n.endswith(".parquet")] == \
        [n for n in before if n.endswith(".parquet")], where
    result = lithify.run(*words(name, root))
    assert result.code == lithify.DONE, f"{where}: {result}"


def check_views(root, ids, late, where):
    """Every reader; a strict one sees late files all or none: they are named in one commit."""
    named = set(reader.read(root, strict=True)["id"].to_pylist())
    strict = set(ids) if named & set(late) else set(ids) - set(late)
    numbered.check_everywhere(root, ids, strict, where=where)


def age_probes(top):
    """A probe that was cut off leaves a file, which is nobody's an hour later: now."""
    for probe in top.rglob(".lithify-probe-*"):
        past = time.time() - 2 * 3600
        os.utime(probe, (past, past))


def data_names(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def check_files(root, where):
    """Nothing is there but live files, manifests and the lake's own file."""
    wanted = {"_lithify.json"}
    for folder in reader.partitions(root):
        live = reader.live(folder)
        assert live == reader.live(folder, strict=True), where
        wanted |= {path.relative_to(root).as_posix() for path in live}
        wanted.add((folder / "manifest.json").relative_to(root).as_posix())
    assert data_names(root) == sorted(wanted), f"{where}: leftovers {set(data_names(root)) ^ wanted}"


def check_only_live(root, where):
    """Nor do manifests name anything else."""
    check_files(root, where)
    for folder in reader.partitions(root):
        ours = json.loads((folder / "manifest.json").read_bytes())["lithify"]
        assert not ours["retired"] and not ours["condemned"], f"{where}: {ours}"


def contents(root):
    """What live files hold, by partition, names aside: names are random."""
    return {folder.relative_to(root): sorted(hashlib.sha256(path.read_bytes()).hexdigest()
                                             for path in reader.live(folder))
            for folder in reader.partitions(root)}


def finish(root, where):
    """The way of an operator: compact until nothing is due, then gc."""
    for command in (compact_of(root), GC, GC):
        result = lithify.run(*command, root)
        assert result.code == lithify.DONE, f"{where}: {result}"
        audit.check(root, where=where)
    before = numbered.tree(root), numbered.tree(audit.place(root))
    lithify.ok(*compact_of(root), root)
    lithify.ok(*GC, root)
    after = numbered.tree(root), numbered.tree(audit.place(root))
    assert after == before, f"{where}: it is not at rest"


def left_of(name, root, ids, late):
    """The numbers that are there, and those of them that no manifest names: what goes, goes at once."""
    gone = set(SCENARIOS[name].gone)
    if not gone or set(reader.read(root)["id"].to_pylist()) & gone:
        return ids, late
    return sorted(set(ids) - gone), sorted(set(late) - gone)


def sweep(name, root):
    """The command lines of a sweep after the scenario's command was cut off."""
    return [*([words(name, root)] if SCENARIOS[name].mends else []), [*compact_of(root), root], [*GC, root]]


def run_again(name, root, where):
    if SCENARIOS[name].by_hand:
        result = lithify.run(*words(name, root))
        assert result.code in (lithify.DONE, lithify.FAILED), f"{where}: {result}"
