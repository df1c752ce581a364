"""P3: killed at every named step of every operation, a partition is at its old or its new state.

Of each scenario of changes.py every step is tried, at each arrival. After each kill every way to
read shows each row once; the command run again comes to its end; after that nothing is left but
what counts, and it holds the bytes that a run without a kill gives.
"""

import os
import random

import pytest

import changes
import crash
import lithify
import numbered
import reader
import test_exchange_crash

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

SEED = os.environ.get("LITHIFY_SEED", "1")
WALKS = int(os.environ.get("LITHIFY_CRASH_WALKS", "8"))
ARRIVALS_MAX = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Lakes by scenario, made once: (root, numbers of all rows, numbers not named yet)."""
    lakes = {}

    def get(name):
        if name not in lakes:
            root = tmp_path_factory.mktemp(name) / "lake"
            root.mkdir()
            lakes[name] = (root, *changes.SCENARIOS[name].make(root))
        return lakes[name]

    return get


@pytest.fixture(scope="module")
def finished(made, tmp_path_factory):
    """By scenario: the contents after a run that nobody kills."""
    found = {}

    def get(name):
        if name not in found:
            root = changes.fresh_copy(made(name)[0], tmp_path_factory.mktemp("finished") / "lake")
            lithify.ok(*changes.words(name, root))
            changes.finish(root, name)
            found[name] = changes.contents(root)
        return found[name]

    return get


def has_own_pid(name):
    """A lake that is adopted on the way draws its id then, and it stands in every output."""
    return name in ("compact", "adopt", "rollup")


CASES = [(name, step) for name, scenario in changes.SCENARIOS.items() for step in scenario.steps]


@pytest.mark.parametrize("name,step", CASES, ids=[f"{name}-{step}" for name, step in CASES])
def test_killed_at(name, step, made, finished, quick_path):
    """B3, B15, B16, P3, P2, RFC0009.4, ARC.2: a kill at each arrival at a step loses, doubles and leaves
    nothing."""
    source, ids, late = made(name)
    root = quick_path / "lake"
    for arrival in range(1, ARRIVALS_MAX):
        changes.fresh_copy(source, root)
        code = crash.run(step, arrival, *changes.words(name, root))
        if code is not None:
            assert code == lithify.DONE
            break
        where = f"{name}, killed at {step}:{arrival}"
        changes.mend(name, root, where)
        changes.check_views(root, *changes.left_of(name, root, ids, late), where)
        changes.run_again(name, root, where)
        changes.finish(root, where)
        numbered.check_everywhere(root, sorted(set(ids) - set(changes.SCENARIOS[name].gone)), where=where)
        changes.check_only_live(root, where)
        if not has_own_pid(name):
            assert changes.contents(root) == finished(name), where
    assert arrival > 1, f"`lithify {changes.SCENARIOS[name].command[0]}` never came to {step}"
    assert arrival < ARRIVALS_MAX - 1, f"{step}: more arrivals than are tried"


def test_every_step_has_a_scenario():
    """P3: no step that the sources declare is without its kill."""
    covered = {step for _, step in CASES + test_exchange_crash.CASES}
    unknown = covered - set(crash.declared_steps())
    assert not unknown, f"no such step: {unknown}"
    missing = set(crash.declared_steps()) - covered
    assert not missing, f"no scenario kills at {sorted(missing)}"


def test_identical_reruns(made, quick_path):
    """P3: of two runs from one state both write the same bytes, though names are random."""
    results, new = [], []
    before = set(reader.live(made("late")[0] / changes.PARTITION))
    for number in range(2):
        root = changes.fresh_copy(made("late")[0], quick_path / str(number))
        lithify.ok(*changes.COMPACT, root)
        results.append(changes.contents(root))
        new.append({path.name for path in reader.live(root / changes.PARTITION)}
                   - {path.name for path in before})
    assert results[0] == results[1]
    assert new[0] and not new[0] & new[1]


@pytest.mark.parametrize("walk", range(WALKS))
def test_kills_in_a_row(walk, quick_path):
    """P3, P2, RFC0009.4: one kill after the other, with late files and gc between; LITHIFY_SEED."""
    chance = random.Random(f"{SEED}/{walk}")
    root = quick_path / "lake"
    ids, killed, story = list(numbered.fill(root / changes.PARTITION, 6, 60)), 0, []
    lithify.run("compact", *numbered.NOW, "--settle", "6h", "--min-files", "99", root)
    for number in range(8):
        name = chance.choice(["compact", "compact", "compact", "gc", "rollback", "files"])
        if name == "files" or number == 3:
            ids += numbered.fill(root / changes.PARTITION, chance.randrange(1, 4), 60, len(ids) + 10**6,
                                 stem=f"late-{number}")
            story.append("files")
            continue
        steps = changes.SCENARIOS[name].steps
        step, arrival = chance.choice(steps), chance.choice([1, 1, 1, 2, 3])
        code = crash.run(step, arrival, *changes.words(name, root))
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
    changes.finish(root, str(story))
    numbered.check_everywhere(root, ids, where=str(story))
    changes.check_only_live(root, str(story))


PAIRS = [(name, a, b) for name in ("compact", "late") for a in changes.SCENARIOS[name].steps
         for b in changes.SCENARIOS[name].steps]
SHARES = 4


@pytest.mark.parametrize("share", range(SHARES))
def test_killed_twice(share, made, finished, quick_path):
    """P3: a kill at one step, then one at another step of the run that follows; LITHIFY_SEED."""
    second = 0
    sample = random.Random(f"{SEED}/{share}").sample(PAIRS, 6)
    for name, a, b in sample:
        source, ids, late = made(name)
        root = changes.fresh_copy(source, quick_path / "lake")
        where = f"LITHIFY_SEED={SEED}: {name}, killed at {a}, then at {b}"
        assert crash.run(a, 1, *changes.SCENARIOS[name].command, root) is None, where
        code = crash.run(b, 1, *changes.SCENARIOS[name].command, root)
        assert code in (None, lithify.DONE), where
        second += code is None
        changes.check_views(root, ids, late, where)
        changes.finish(root, where)
        numbered.check_everywhere(root, ids, where=where)
        changes.check_only_live(root, where)
        if not has_own_pid(name):
            assert changes.contents(root) == finished(name), where
    print(f"LITHIFY_SEED={SEED}: {second} of {len(sample)} runs were killed a second time")


def test_cut_off_delete_gives_a_file_its_name_back(made, quick_path):
    """P10, P3: a delete that was cut off is finished only for the file that was to go."""
    root = changes.fresh_copy(made("gc")[0], quick_path / "lake")
    ids = made("gc")[1]
    # Outputs that nothing names go first; arrival 5 is a retired input.
    assert crash.run("delete-renamed", 5, *changes.GC, root) is None
    away = [path for path in (root / changes.PARTITION).iterdir() if path.name.endswith(".gone.tmp")]
    assert [path.name.startswith("part-") for path in away] == [True], away
    name = away[0].name.removesuffix(".gone.tmp")
    other = numbered.write(quick_path / "other.parquet", range(5000, 5010)).read_bytes()
    away[0].write_bytes(other)
    lithify.run(*changes.GC, root)
    assert (root / changes.PARTITION / name).read_bytes() == other
    # What was retired is gone for good: the other file is new data, as any late one.
    numbered.check(reader.read(root), [*ids, *range(5000, 5010)], where="another file under a retired name")
