"""P3: killed at every named step of every operation, a partition is at its old or its new state.

A scenario is a lake, a command that changes it, and the steps that the command passes. After each
kill every way to read shows each row once; the command run again comes to its end; after that
nothing is left but what counts, and it holds the bytes that a run without a kill gives.
"""

import collections
import hashlib
import json
import os
import pathlib
import random
import shutil

import pytest

import audit
import crash
import lithify
import numbered
import reader

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

SEED = os.environ.get("LITHIFY_SEED", "1")
WALKS = int(os.environ.get("LITHIFY_CRASH_WALKS", "8"))
# Two outputs of several row groups each from 6 files of about 6 KiB.
SPLIT = ["--target-file", "16KiB", "--row-group-rows", "70"]
COMPACT = ["compact", *numbered.NOW, *SPLIT]
GC = ["gc", *numbered.NO_GRACE]
ADOPT = ["adopt", "--readers", "manifest"]
PARTITION = pathlib.Path("tenant_id=acme") / numbered.HOUR
# Its period is not over: only late files are named there, nothing is merged.
OPEN_PARTITION = pathlib.Path("tenant_id=acme/year=2199/month=01/day=01/hour=00")
ARRIVALS_MAX = 40

OUTPUT = ["output-created", "output-written", "output-synced", "output-publish", "output-renamed",
          "output-durable"]
PUT = ["put-locked", "put-written", "put-synced", "put-renamed", "put-durable"]
JOB = ["leased", *OUTPUT, "row-group", "verified", "committed", *PUT, "audited"]
DELETE = ["delete-renamed", "delete-checked", "delete-unlinked", "delete-durable"]

# What a command does to a lake: `late` numbers are not named by a manifest when it starts, `gone` ones
# are not live when it ends. `again` are the exit codes of the command run once more, where it must be
# for the same end; None: the way of an operator comes to it as well.
Scenario = collections.namedtuple("Scenario", "make command steps gone again", defaults=((), None))


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


SCENARIOS = {
    "compact": Scenario(make_fresh, COMPACT, ["adopted", "folder-made", *JOB]),
    "late": Scenario(make_late, COMPACT, ["folded", *JOB]),
    "fold": Scenario(make_open, COMPACT, ["folded", *PUT, "audited"]),
    "gc": Scenario(make_garbage, GC, ["fenced", *DELETE, "cleaned", *PUT, "audited"]),
    "rollback": Scenario(make_compacted, ["rollback", f"{{}}/{PARTITION}"], ["rolled-back", *PUT, "audited"],
                         again={lithify.DONE, lithify.FAILED}),
    "retire": Scenario(make_retirable, ["retire", f"{{}}/{PARTITION}", "part-00000.parquet",
                                        "late-00000.parquet"], ["folded", "retired", *PUT, "audited"],
                       gone=[*range(120), *range(1000, 1120)], again={lithify.DONE, lithify.FAILED}),
    "adopt": Scenario(make_fresh, ADOPT, ["adopted", *PUT, "audited"]),
}
# Steps of commands that are not there yet; with the command its scenario must come.
ABSENT = {"restored": "fsck"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Lakes by scenario, made once: (root, numbers of all rows, numbers not named yet)."""
    lakes = {}

    def get(name):
        if name not in lakes:
            root = tmp_path_factory.mktemp(name) / "lake"
            root.mkdir()
            lakes[name] = (root, *SCENARIOS[name].make(root))
        return lakes[name]

    return get


def fresh_copy(source, place):
    """A copy of the lake, and of its audit series."""
    for path in (place, audit.place(place)):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, place, copy_function=shutil.copy2)
    if audit.place(source).exists():
        shutil.copytree(audit.place(source), audit.place(place), copy_function=shutil.copy2)
    return place


def check_views(root, ids, late, where):
    """Every reader; a strict one sees late files all or none: they are named in one commit."""
    named = set(reader.read(root, strict=True)["id"].to_pylist())
    strict = set(ids) if named & set(late) else set(ids) - set(late)
    numbered.check_everywhere(root, ids, strict, where=where)


def data_names(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def check_only_live(root, where):
    """Nothing is there but live files, manifests and the lake's own file."""
    wanted = {"_lithify.json"}
    for folder in reader.partitions(root):
        live = reader.live(folder)
        assert live == reader.live(folder, strict=True), where
        wanted |= {path.relative_to(root).as_posix() for path in live}
        wanted.add((folder / "manifest.json").relative_to(root).as_posix())
        ours = json.loads((folder / "manifest.json").read_bytes())["lithify"]
        assert not ours["retired"] and not ours["condemned"], f"{where}: {ours}"
    assert data_names(root) == sorted(wanted), f"{where}: leftovers"


def contents(root):
    """What live files hold, by partition, names aside: names are random."""
    return {folder.relative_to(root): sorted(hashlib.sha256(path.read_bytes()).hexdigest()
                                             for path in reader.live(folder))
            for folder in reader.partitions(root)}


def finish(root, where):
    """The way of an operator: compact until nothing is due, then gc."""
    for command in (COMPACT, GC, GC):
        result = lithify.run(*command, root)
        assert result.code == lithify.DONE, f"{where}: {result}"
        audit.check(root, where=where)
    before = numbered.tree(root), numbered.tree(audit.place(root))
    lithify.ok(*COMPACT, root)
    lithify.ok(*GC, root)
    after = numbered.tree(root), numbered.tree(audit.place(root))
    assert after == before, f"{where}: it is not at rest"


@pytest.fixture(scope="module")
def finished(made, tmp_path_factory):
    """By scenario: the contents after a run that nobody kills."""
    found = {}

    def get(name):
        if name not in found:
            root = fresh_copy(made(name)[0], tmp_path_factory.mktemp("finished") / "lake")
            lithify.ok(*words(name, root))
            finish(root, name)
            found[name] = contents(root)
        return found[name]

    return get


def has_own_pid(name):
    """A lake that is adopted on the way draws its id then, and it stands in every output."""
    return name in ("compact", "adopt")


def left_of(name, root, ids, late):
    """The numbers that are there, and those of them that no manifest names: what goes, goes at once."""
    gone = set(SCENARIOS[name].gone)
    if not gone or set(reader.read(root)["id"].to_pylist()) & gone:
        return ids, late
    return sorted(set(ids) - gone), sorted(set(late) - gone)


def run_again(name, root, where):
    again = SCENARIOS[name].again
    if again is not None:
        result = lithify.run(*words(name, root))
        assert result.code in again, f"{where}: {result}"


CASES = [(name, step) for name, scenario in SCENARIOS.items() for step in scenario.steps]


@pytest.mark.parametrize("name,step", CASES, ids=[f"{name}-{step}" for name, step in CASES])
def test_killed_at(name, step, made, finished, tmp_path):
    """P3, P2, RFC0009.4, ARC.2: a kill at each arrival at a step loses, doubles and leaves nothing."""
    source, ids, late = made(name)
    root = tmp_path / "lake"
    for arrival in range(1, ARRIVALS_MAX):
        fresh_copy(source, root)
        code = crash.run(step, arrival, *words(name, root))
        if code is not None:
            assert code == lithify.DONE
            break
        where = f"{name}, killed at {step}:{arrival}"
        check_views(root, *left_of(name, root, ids, late), where)
        run_again(name, root, where)
        finish(root, where)
        numbered.check_everywhere(root, sorted(set(ids) - set(SCENARIOS[name].gone)), where=where)
        check_only_live(root, where)
        if not has_own_pid(name):
            assert contents(root) == finished(name), where
    assert arrival > 1, f"`lithify {SCENARIOS[name].command[0]}` never came to {step}"
    assert arrival < ARRIVALS_MAX - 1, f"{step}: more arrivals than are tried"


def test_every_step_has_a_scenario():
    """P3: no step that the sources declare is without its kill."""
    covered = {step for _, step in CASES}
    unknown = covered - set(crash.declared_steps())
    assert not unknown, f"no such step: {unknown}"
    missing = set(crash.declared_steps()) - covered
    waiting = {step for step in missing if step in ABSENT and not lithify.has_command(ABSENT[step])}
    assert missing == waiting, f"no scenario kills at {sorted(missing - waiting)}"


def test_identical_reruns(made, tmp_path):
    """P3: of two runs from one state both write the same bytes, though names are random."""
    results, new = [], []
    before = set(reader.live(made("late")[0] / PARTITION))
    for number in range(2):
        root = fresh_copy(made("late")[0], tmp_path / str(number))
        lithify.ok(*COMPACT, root)
        results.append(contents(root))
        new.append({path.name for path in reader.live(root / PARTITION)}
                   - {path.name for path in before})
    assert results[0] == results[1]
    assert new[0] and not new[0] & new[1]


@pytest.mark.parametrize("walk", range(WALKS))
def test_kills_in_a_row(walk, tmp_path):
    """P3, P2, RFC0009.4: one kill after the other, with late files and gc between; LITHIFY_SEED."""
    chance = random.Random(f"{SEED}/{walk}")
    root = tmp_path / "lake"
    ids, killed, story = list(numbered.fill(root / PARTITION, 6, 60)), 0, []
    lithify.run("compact", *numbered.NOW, "--settle", "6h", "--min-files", "99", root)
    for number in range(8):
        name = chance.choice(["compact", "compact", "compact", "gc", "rollback", "files"])
        if name == "files" or number == 3:
            ids += numbered.fill(root / PARTITION, chance.randrange(1, 4), 60, len(ids) + 10**6,
                                 stem=f"late-{number}")
            story.append("files")
            continue
        steps = SCENARIOS[name].steps
        step, arrival = chance.choice(steps), chance.choice([1, 1, 1, 2, 3])
        code = crash.run(step, arrival, *words(name, root))
        # A rollback may find nothing that it could undo.
        assert code in (None, lithify.DONE) or (name, code) == ("rollback", lithify.FAILED)
        killed += code is None
        story.append(f"{name} {step}:{arrival} {'killed' if code is None else 'done'}")
        where = f"LITHIFY_SEED={SEED}, walk {walk}: {story}"
        named = set(reader.read(root, strict=True)["id"].to_pylist())
        numbered.check(reader.read(root), ids, where=where)
        numbered.check_everywhere(root, ids, named, where=where)
        assert named <= set(ids)
    print(f"{killed} kills: {story}")
    finish(root, str(story))
    numbered.check_everywhere(root, ids, where=str(story))
    check_only_live(root, str(story))


PAIRS = [(name, a, b) for name in ("compact", "late") for a in SCENARIOS[name].steps
         for b in SCENARIOS[name].steps]
SHARES = 4


@pytest.mark.parametrize("share", range(SHARES))
def test_killed_twice(share, made, finished, tmp_path):
    """P3: a kill at one step, then one at another step of the run that follows; LITHIFY_SEED."""
    second = 0
    sample = random.Random(f"{SEED}/{share}").sample(PAIRS, 6)
    for name, a, b in sample:
        source, ids, late = made(name)
        root = fresh_copy(source, tmp_path / "lake")
        where = f"LITHIFY_SEED={SEED}: {name}, killed at {a}, then at {b}"
        assert crash.run(a, 1, *SCENARIOS[name].command, root) is None, where
        code = crash.run(b, 1, *SCENARIOS[name].command, root)
        assert code in (None, lithify.DONE), where
        second += code is None
        check_views(root, ids, late, where)
        finish(root, where)
        numbered.check_everywhere(root, ids, where=where)
        check_only_live(root, where)
        if not has_own_pid(name):
            assert contents(root) == finished(name), where
    print(f"LITHIFY_SEED={SEED}: {second} of {len(sample)} runs were killed a second time")


def test_cut_off_delete_gives_a_file_its_name_back(made, tmp_path):
    """P10, P3: a delete that was cut off is finished only for the file that was to go."""
    root = fresh_copy(made("gc")[0], tmp_path / "lake")
    ids = made("gc")[1]
    # Outputs that nothing names go first; arrival 5 is a retired input.
    assert crash.run("delete-renamed", 5, *GC, root) is None
    away = [path for path in (root / PARTITION).iterdir() if path.name.endswith(".gone.tmp")]
    assert [path.name.startswith("part-") for path in away] == [True], away
    name = away[0].name.removesuffix(".gone.tmp")
    other = numbered.write(tmp_path / "other.parquet", range(5000, 5010)).read_bytes()
    away[0].write_bytes(other)
    lithify.run(*GC, root)
    assert (root / PARTITION / name).read_bytes() == other
    # What was retired is gone for good: the other file is new data, as any late one.
    numbered.check(reader.read(root), [*ids, *range(5000, 5010)], where="another file under a retired name")
