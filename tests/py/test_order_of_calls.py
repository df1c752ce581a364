"""P3: fsync, rename, unlink and lock come in the order that docs/design.md section 5 asks for, by the
system calls of real runs; and every one of these fsyncs is missed where it is not there."""

import shutil

import pytest

import changes
import crash
import lithify
import order_of_calls
import power_cut
import syscalls

ARRIVALS_MAX = 20

if syscalls.why_not():
    pytest.skip(f"NO SYSTEM CALLS: {syscalls.why_not()}", allow_module_level=True)


def begin(name, top):
    """A lake of a scenario in `top`, and the disk as it is then."""
    (top / "lake").mkdir(parents=True)
    changes.SCENARIOS[name].make(top / "lake")
    return power_cut.Disk(top)


def without(calls, places):
    return [call for place, call in enumerate(calls) if place not in places]


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_order(name, quick_path):
    """P3: what must be on the disk is there before what rests on it; and no fsync is there for nothing
    that this test would see."""
    disk = begin(name, quick_path / "made")
    code, calls = syscalls.record([lithify.BIN, *changes.words(name, quick_path / "made" / "lake")])
    assert code == lithify.DONE
    assert order_of_calls.broken(disk, (calls, True)) == []
    places = order_of_calls.needed(disk, calls)
    assert len(places) >= 6, places
    for place in places:
        # Of two outputs in a row either fsync of their directory is enough for the first.
        again = [other for other in places if other > place and calls[other] == calls[place]][:1]
        assert any(order_of_calls.broken(disk, (without(calls, [place, *more]), True))
                   for more in ([], again)), f"not missed: {calls[place]}, call {place}"


def test_a_guard_that_is_out(quick_path):
    """The mutation: a program that does not fsync what it writes is found."""
    disk = begin("compact", quick_path / "made")
    code, calls = syscalls.record([crash.BIN, *changes.words("compact", quick_path / "made" / "lake")],
                                  crash.without("SYNC_FIRST"))
    assert code == lithify.DONE
    found = order_of_calls.broken(disk, (calls, True))
    for name in ("manifest.json", "_e2.parquet", "_lithify.json"):
        assert any(name + ": its bytes are not on the disk" in text for text in found), (name, found)


def kills(name, place):
    """Runs of a scenario that are killed after they did something that is not on the disk yet: (the
    directory, the disk before, the calls, what the run is called)."""
    for step in changes.SCENARIOS[name].steps:
        for arrival in range(1, ARRIVALS_MAX):
            top = place / f"{step}-{arrival}"
            disk = begin(name, top)
            code, calls = syscalls.record([crash.BIN, *changes.words(name, top / "lake")],
                                          {"LITHIFY_CRASH_AT": f"{step}:{arrival}"})
            if code == lithify.DONE:
                break
            if order_of_calls.loose(disk, calls):
                yield top, disk, calls, f"{name}, killed at {step}:{arrival}"
            shutil.rmtree(top)


@pytest.mark.parametrize("name", changes.SCENARIOS)
def test_order_after_a_kill(name, quick_path):
    """P3, P8: what a killed command left in memory is made to last before something is built on it."""
    tried = 0
    for top, disk, calls, where in kills(name, quick_path):
        runs = [(calls, False)]
        for words in changes.sweep(name, top / "lake"):
            code, calls = syscalls.record([lithify.BIN, *words])
            assert code == lithify.DONE, where
            runs.append((calls, words[:-1] == changes.GC))
        assert order_of_calls.broken(disk, *runs) == [], where
        tried += 1
    assert tried, "every kill found all names on the disk"


@pytest.mark.parametrize("name", [name for name, scenario in changes.SCENARIOS.items() if scenario.by_hand])
def test_done_already(name, quick_path):
    """P3: a command that finds itself done, by a run that was killed, says so of what lasts."""
    tried = 0
    for top, disk, calls, where in kills(name, quick_path):
        code, again = syscalls.record([lithify.BIN, *changes.words(name, top / "lake")])
        assert code in (lithify.DONE, lithify.FAILED), where
        watch = order_of_calls.Watch(disk)
        watch.follow(calls, ends=False)
        watch.follow(again, ends=True)
        assert watch.broken == [], where
        tried += 1
    assert tried, "every kill found all names on the disk"
