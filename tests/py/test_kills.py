"""P2, P3, P8: programs are killed at random, again and again, while others work: compactors, a gc,
operators who roll back and retire, writers and readers, each a real process.

After each kill both reader rules must show each row once; in the end nothing may be left but live
files, manifests and the lake's own file, and each commit must have its one event.
LITHIFY_KILLS: how many kills; LITHIFY_SEED.
"""

import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import audit
import changes
import kill_world
import lithify
import numbered
import reader

KILLS = int(os.environ.get("LITHIFY_KILLS", "60"))
SEED = os.environ.get("LITHIFY_SEED", "1")
COMPACT = ["compact", *numbered.NOW, "--min-files", "2", "--row-group-rows", "100"]
GC = ["gc", "--orphan-grace", "0s", "--quiet", "--reader-grace"]
# Exit codes of a pass beside others: 4, another has the lock or was first; 3, a live file was just
# written again by its writer, so its partition is left alone until it is known.
CODES = {"compact": {lithify.DONE, lithify.AGAIN, lithify.BLOCKED},
         "gc": {lithify.DONE, lithify.AGAIN, lithify.BLOCKED},
         "rollback": {lithify.DONE, lithify.AGAIN, lithify.FAILED, lithify.BLOCKED},
         "retire": {lithify.DONE, lithify.AGAIN, lithify.FAILED, lithify.BLOCKED},
         "adopt": {lithify.DONE, lithify.AGAIN, lithify.BLOCKED}}
# Why a command by hand may find nothing to do.
REFUSALS = ["was rolled back already", "the compaction before it cannot be undone any more", "is being deleted",
            "the log has no compaction", "the inputs are deleted already", "was retired already",
            "is not live", "is not there", "is not the file that the manifest names", "is missing", ", was "]
# What a program that is killed had open, the last one that fits; what it was asking of the system.
PLACES = [("/lake", "a lake"), ("/hour=", "a partition"), ("/lake.audit", "the audit series"),
          (".parquet.tmp", "an output"), ("_lithify_events.tmp", "the note"),
          ("Z_", "an event"), ("manifest.json.tmp", "a manifest")]
CALLS = {17: "pread", 18: "pwrite", 73: "flock", 74: "fsync", 217: "getdents", 257: "open", 262: "stat",
         263: "unlink", 264: "rename", 316: "rename", 277: "sync_file_range"}


PAUSE_S = 0.012  # about what a program takes
WORLD_KILLS = 100  # then a new lake: in a small one programs come to more
DONE, RUNS, KILLED_AT = collections.Counter(), collections.Counter(), collections.Counter()


class Slot:
    """Runs one program after the other, for as long as nobody has failed."""

    def __init__(self, world, commands):
        self.world, self.commands = world, commands
        self.process, self.verb = None, None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            while not self.world.is_over():
                self._one(self.commands())
        except BaseException as problem:  # told by the test
            self.world.failure = self.world.failure or problem

    def _one(self, command):
        words, then = command
        process = subprocess.Popen([lithify.BIN, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=lithify.environment({"TMPDIR": str(self.world.scratch)}))
        self.verb, self.process = words[0], process
        out, _ = process.communicate(timeout=120)
        self.process = None
        self.world.runs[words[0], process.returncode] += 1
        allowed = CODES[words[0]] | {-signal.SIGKILL}
        is_known = process.returncode != lithify.FAILED or any(text in out for text in REFUSALS)
        assert process.returncode in allowed and is_known, f"{words}: exit {process.returncode}: {out}"
        if then:
            then(process.returncode)


class Operator:
    """Rolls back, and takes out files that nobody has merged yet."""

    def __init__(self, world):
        self.world, self.journal = world, kill_world.Journal(world.top / "journal")
        self.chance = random.Random(f"{world.seed}/operator")

    def command(self):
        kind = self.chance.choice(["rollback", "retire", "retire", "adopt"])
        return getattr(self, "_" + kind)()

    def _rollback(self):
        return ["rollback", self.world.root / kill_world.PARTITIONS[kill_world.ROLLED]], None

    def _adopt(self):
        return [*changes.ADOPT, "--quiet", self.world.root], None

    def _retire(self):
        partition = self.chance.randrange(len(kill_world.PARTITIONS))
        kinds = self.journal.read(partition)
        folder = self.world.root / kill_world.PARTITIONS[partition]
        listed = {path.name for path in reader.live(folder)}
        names = [(batch, self.journal.kinds[batch][2]) for batch, kind in kinds.items() if kind in kill_world.MUST]
        names = [(batch, name) for batch, name in names if name.startswith("old") and name in listed]
        if not names:
            return self._rollback()
        batch, name = self.chance.choice(names)
        self.journal.add("retiring", batch, partition, name)
        return ["retire", folder, name], lambda code: self._settle(code, batch, partition, name)

    def _settle(self, code, batch, partition, name):
        """Done means gone; else, and after a kill, it is gone or there, and stays so."""
        folder = self.world.root / kill_world.PARTITIONS[partition]
        tables, _ = reader.read_partition(folder, columns=["id"])
        found = any(number // kill_world.ROWS == batch for table in tables for number in table["id"].to_pylist())
        assert not (found and code == lithify.DONE), f"{name} was retired, and is there"
        self.journal.add("stays" if found else "out", batch, partition, name)


def place_of(pid):
    """(what a program has open, the call it is in), as far as the system tells."""
    try:
        links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")]
        call = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()[0]
    except OSError:
        return "?", "?"
    names = [name for sign, name in PLACES if any(sign in link for link in links)]
    number = int(call) if call.isdigit() else None
    return (names or ["its beginning or end"])[-1], CALLS.get(number, call if number is None else "another call")


class World:
    def __init__(self, top, seed):
        self.top, self.root, self.scratch, self.seed = top, top / "lake", top / "scratch", seed
        self.chance, self.gc_chance = random.Random(seed), random.Random(f"{seed}/gc")
        self.slots = []
        self.failure = None
        self.runs = collections.Counter()
        self.killed_at = collections.Counter()
        self.root.mkdir()
        self.scratch.mkdir()
        self.journal = kill_world.Journal(top / "journal")
        for partition, path in enumerate(kill_world.PARTITIONS):
            ids = range(partition * kill_world.ROWS, (partition + 1) * kill_world.ROWS)
            numbered.write(self.root / path / "first.parquet", ids, kill_world.tenant_of(partition), age_s=0)
            self.journal.add("done", partition, partition, "first.parquet")
        lithify.ok(*changes.ADOPT, "--quiet", "--partition", "*hour=05", self.root)  # before strict readers
        self.judges = [judge for strict in (False, True)
                       for judge in kill_world.judges_of(self.root, self.journal, strict)]
        self.people = [self._person("writer", number) for number in range(kill_world.WRITERS)]
        self.people += [self._person("reader", number) for number in range(kill_world.READERS)]

    def _person(self, kind, number):
        log = open(self.top / f"{kind}-{number}.log", "w+", encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, kill_world.__file__, kind, self.root, self.top / "journal", str(number), self.seed],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        return process, log

    def begin(self):
        operator = Operator(self)
        self.slots = [Slot(self, self._compact), Slot(self, self._compact), Slot(self, self._gc),
                      Slot(self, operator.command)]

    def _compact(self):
        return [*COMPACT, self.root], None

    def _gc(self):
        # With a grace a rollback finds what it wants back.
        return [*GC, self.gc_chance.choice(["0s", "0s", "2s"]), self.root], None

    def kill(self):
        """Kills one program; False where it had ended."""
        time.sleep(min(self.chance.expovariate(1 / PAUSE_S), 10 * PAUSE_S))
        slot = self.chance.choice(self.slots)
        verb, process = slot.verb, slot.process
        if process is None or process.poll() is not None:
            return False
        place = place_of(process.pid)
        process.kill()
        if process.wait(60) != -signal.SIGKILL:
            return False
        self.killed_at[verb, *place] += 1
        return True

    def is_over(self):
        return self.failure is not None or (self.top / kill_world.STOP).exists()

    def look(self):
        """Both rules, and those who look all the time."""
        for judge in self.judges:
            judge.look()
        for process, log in self.people:
            log.seek(0)
            assert process.poll() is None, f"{process.args[2:]}: {log.read()}"
        if self.failure:
            raise self.failure

    def stop(self):
        """Everybody ends what is begun."""
        (self.top / kill_world.STOP).touch()
        for slot in self.slots:
            slot.thread.join(120)
        for process, log in self.people:
            process.wait(60)
            log.seek(0)
            assert process.returncode == 0, f"{process.args[2:]}: {log.read()}"
        if self.failure:
            raise self.failure


def generations(root):
    """Each partition has one event of each of its generations, whatever its log still has."""
    found = collections.defaultdict(list)
    for event in audit.events(audit.place(root)):
        found[event["compaction_partition"]].append(event["compaction_generation"])
    for folder in reader.partitions(root):
        name = folder.relative_to(root).as_posix()
        last = json.loads((folder / "manifest.json").read_bytes())["generation"]
        assert sorted(found[name]) == list(range(1, last + 1)), name
    return sum(map(len, found.values()))


def check_end(world):
    root = world.root
    changes.age_probes(root.parent)
    lithify.ok(*COMPACT, root)
    lithify.ok(*GC, "0s", root)
    changes.check_files(root, "after one gc")
    # What was an input of an orphan that the first one deleted is forgotten by the second.
    lithify.ok(*GC, "0s", root)
    rows = 0
    for partition, path in enumerate(kill_world.PARTITIONS):
        kinds = world.journal.read(partition)
        assert set(kinds.values()) <= {*kill_world.MUST, "later", "out"}, collections.Counter(kinds.values())
        ids = [number for batch, kind in kinds.items() if kind != "out"
               for number in range(batch * kill_world.ROWS, (batch + 1) * kill_world.ROWS)]
        for strict in (False, True):
            numbered.check(reader.read(root / path, strict), ids, kill_world.tenant_of(partition), path)
        rows += len(ids)
    changes.check_only_live(root, "in the end")
    assert not list(world.scratch.iterdir()), "left in the scratch directory"
    audit.check(root)
    return rows, generations(root)


@pytest.mark.parametrize("number", range((KILLS + WORLD_KILLS - 1) // WORLD_KILLS))
def test_kills(number, tmp_path):
    """P2, P3, P8, P10, RFC0009.4, ARC.3: every row once after each of many kills, and nothing left."""
    world = World(tmp_path, f"{SEED}/{number}")
    began = time.monotonic()
    wanted = min(WORLD_KILLS, KILLS - number * WORLD_KILLS)
    kills = tries = 0
    try:
        world.begin()
        while kills < wanted:
            tries += 1
            if world.kill():
                kills += 1
                world.look()
            assert tries < 100 + 20 * wanted, "programs end before they are killed"
        world.look()
    finally:
        world.stop()
    rows, commits = check_end(world)
    DONE["seconds"] += round(time.monotonic() - began)
    for what, count in (("kills", kills), ("commits", commits), ("rows", rows)):
        DONE[what] += count
    RUNS.update(world.runs)
    KILLED_AT.update(world.killed_at)
    tell()


def tell():
    """Of all worlds so far: the last one tells of all."""
    print(f"\nLITHIFY_SEED={SEED}: " + ", ".join(f"{count} {what}" for what, count in DONE.items()))
    for (verb, code), count in sorted(RUNS.items()):
        print(f"  {count:6} times {verb} ended with {code}")
    for place, count in KILLED_AT.most_common():
        print(f"  {count:6} kills: {', '.join(place)}")
