"""P3, P8: whatever a power cut leaves of what a command did, no row is lost or doubled, and the next
pass cleans up.

A command runs once, and what it asks of the file system is recorded. From the record all states are made
in which a disk may be found when the power goes at some moment (power_cut.py): also such as no file
system of today would leave. On each of them every row must be there once by both reader rules,
what was acknowledged must be there, and after one sweep nothing but what counts.

LITHIFY_POWER_CUTS: states of each case, or `all`.
"""

import os
import random
import shutil
import time

import pyarrow
import pytest

import after_cut
import changes
import crash
import lithify
import power_cut
import reader
import syscalls

if syscalls.why_not():
    pytest.skip(f"NO POWER CUTS: {syscalls.why_not()}", allow_module_level=True)

SEED = os.environ.get("LITHIFY_SEED", "1")
COUNT = os.environ.get("LITHIFY_POWER_CUTS", "24")
# Kills that are tried, and states of each; states that are cut off once more, and states of each.
KILLS, KILL_COUNT, TWICE, TWICE_COUNT = (10**6, 100, 30, 30) if COUNT == "all" else (1, 10, 1, 10)
ARRIVALS_MAX = 12  # of a kill, at a step


class Case:
    """A directory with a lake in it, what is done to it, and the states that may be left of that."""

    def __init__(self, top, story, rows, chance):
        self.top, self.story, self.rows, self.chance = top, story, rows, chance
        self.disk = power_cut.Disk(top)
        self.found = {}  # key -> (what happened last, state, manifests where a command had ended)

    def run(self, words, env=None, keeps=True):
        """Runs the program; `keeps`: a cut during this run is looked at."""
        program = [crash.BIN if env else lithify.BIN, *words]
        began_ns = time.time_ns()
        code, calls = syscalls.record(program, env)
        for call in calls:
            self.disk.apply(call)
            if keeps:
                self._take(str(call), None)
        self.disk.check(began_ns)
        if keeps:
            self._take(f"the end of {words[0]}", after_cut.manifests(self.top / "lake"))
        return code

    def _take(self, last, end):
        for state in self.disk.states(self.chance):
            # The same state after the end has more to fulfil.
            if end or state.key() not in self.found:
                self.found[state.key()] = (last, state, end)

    def is_unsettled(self):
        """Is there something that a cut now might still take back?"""
        return len(list(self.disk.states(self.chance))) > 1

    def draw(self, count):
        """States, all of them or some."""
        found = list(self.found.values())
        return found if count == "all" else self.chance.sample(found, min(int(count), len(found)))


def look(case, state, end, top, where):
    """One state, which is written down below `top`."""
    state.make(top)
    after_cut.check(top / "lake", case.rows, end, where)


def look_at_all(case, quick_path, count=COUNT):
    states = case.draw(count)
    print(f"LITHIFY_SEED={SEED}: {case.story}: {len(states)} of {len(case.found)} states")
    for number, (last, state, end) in enumerate(states):
        where = f"LITHIFY_SEED={SEED}, {case.story}, a cut after {last}:\n{state}\n"
        look(case, state, end, quick_path / str(number), where)
        shutil.rmtree(quick_path / str(number))


def begin(name, top, chance):
    (top / "lake").mkdir(parents=True)
    rows = after_cut.wanted(name, *changes.SCENARIOS[name].make(top / "lake"))
    return Case(top, name, rows, chance)


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_cut_off(name, quick_path):
    """B11, P3, P2, P8: the power goes at any moment of a command."""
    case = begin(name, quick_path / "made", random.Random(f"{SEED}/{name}"))
    assert case.run(changes.words(name, case.top / "lake")) == lithify.DONE
    look_at_all(case, quick_path)


def test_a_guard_that_is_out(quick_path):
    """The mutation: without an fsync of what is written, rows are lost in some states."""
    case = begin("compact", quick_path / "made", random.Random(SEED))
    case.run(changes.words("compact", case.top / "lake"), crash.without("SYNC_FIRST"))
    outcomes = [outcome(case, state, end, quick_path / str(number))
                for number, (_, state, end) in enumerate(case.draw(60))]
    print(f"LITHIFY_SEED={SEED}: {sum(map(bool, outcomes))} of {len(outcomes)} states show it")
    assert any(outcomes)


def outcome(case, state, end, top):
    """What is wrong with a state; empty: nothing."""
    try:
        look(case, state, end, top, "without an fsync")
    except (AssertionError, OSError, reader.Blocked, reader.Gone, pyarrow.ArrowException) as problem:
        return str(problem)
    return ""


def killed(name, step, arrival, top, chance):
    """A command that was killed; None where it did not come there, or left nothing that a cut could
    take back."""
    case = begin(name, top, chance)
    code = case.run(changes.words(name, top / "lake"), {"LITHIFY_CRASH_AT": f"{step}:{arrival}"}, keeps=False)
    case.story = f"{name}, killed at {step}:{arrival}"
    return case if code != lithify.DONE and case.is_unsettled() else None


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_cut_off_after_a_kill(name, quick_path):
    """P3, P2, P8: others see what a killed command did, and build on it, before it is on the disk."""
    chance = random.Random(f"{SEED}/kill/{name}")
    kills = [(step, arrival) for step in changes.SCENARIOS[name].steps for arrival in range(1, ARRIVALS_MAX)]
    chance.shuffle(kills)
    tried = 0
    for number, (step, arrival) in enumerate(kills):
        case = killed(name, step, arrival, quick_path / f"made-{number}", chance)
        if case is None:
            continue
        for words in changes.sweep(name, case.top / "lake"):
            assert case.run(words) == lithify.DONE, case.story
        look_at_all(case, quick_path, KILL_COUNT)
        shutil.rmtree(case.top)
        tried += 1
        if tried == KILLS:
            break
    assert tried, "no kill left anything that was not on the disk"


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_cut_off_twice(name, quick_path):
    """P3, P2, P8: the power goes, and goes again while the sweep after that cleans up."""
    first = begin(name, quick_path / "made", random.Random(f"{SEED}/twice/{name}"))
    assert first.run(changes.words(name, first.top / "lake")) == lithify.DONE
    for number, (last, state, _) in enumerate(first.draw(TWICE)):
        top = quick_path / f"again-{number}"
        state.make(top)
        rows = after_cut.left_of(first.rows, top / "lake")
        case = Case(top, f"{name}, cut after {last}:\n{state}\nthen the sweep", rows, first.chance)
        for words in changes.sweep(name, top / "lake"):
            assert case.run(words) == lithify.DONE, case.story
        look_at_all(case, quick_path, TWICE_COUNT)
        shutil.rmtree(top)
