"""Who else is at work while programs are killed (test_kills.py): writers and readers, each a process of
its own, and the journal by which all of them know which rows there must be.

    python kill_world.py writer|reader ROOT JOURNAL NUMBER SEED

A batch of rows has a number, and is one file. A line of the journal says what becomes of it: begun,
done (it must be seen from then on), later (under a used name: it must be seen in the end), retiring,
out (it must not be seen), stays (it was to go, but did not).
"""

import json
import os
import pathlib
import random
import sys
import time

import pyarrow

import numbered
import reader

ROWS = 12
HOUR = "year=2024/month=03/day=01/hour=%02d"
# Who rolls back in a partition may bring back a name that a writer takes to be free: only in the second
# one writers give names that are just retired to other bytes. The third has no manifest at first.
ROLLED, REUSED, FRESH = range(3)
PARTITIONS = ["tenant_id=acme/" + HOUR % 5, "tenant_id=zulu/" + HOUR % 5, "tenant_id=acme/" + HOUR % 6]
WRITERS, READERS = 3, 2
MUST = {"done", "stays"}
STOP = "stop"  # a file beside the lake: everybody ends what is begun, and goes


def tenant_of(partition):
    return PARTITIONS[partition].split("/")[0].split("=")[1]


class Journal:
    """A line is written at once, behind all others."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
        self.at = 0
        self.kinds = {}  # batch -> (what became of it, partition, name)

    def add(self, kind, batch, partition, name):
        os.write(self.fd, f"{kind} {batch} {partition} {name}\n".encode())

    def read(self, partition):
        """Batch -> what became of it, in a partition, as of now."""
        text = os.pread(self.fd, 1 << 26, self.at)
        text = text[:text.rfind(b"\n") + 1]
        self.at += len(text)
        for line in text.decode().splitlines():
            kind, batch, where, name = line.split()
            self.kinds[int(batch)] = kind, int(where), name
        return {batch: kind for batch, (kind, where, _) in self.kinds.items() if where == partition}


class Judge:
    """Looks at a partition by one of the rules, again and again."""

    def __init__(self, root, journal, partition, strict):
        self.folder, self.journal, self.partition = root / PARTITIONS[partition], journal, partition
        self.strict, self.seen = strict, set()

    def look(self):
        before = self.journal.read(self.partition)
        tables, _ = reader.read_partition(self.folder, self.strict, ["id"])
        numbers = sorted(number for table in tables for number in table["id"].to_pylist())
        after = self.journal.read(self.partition)
        self._check(before, after, numbers)

    def _check(self, before, after, numbers):
        batches = {number // ROWS for number in numbers}
        where = f"the {'strict' if self.strict else 'open'} rule, {self.folder}"
        twice = {a for a, b in zip(numbers, numbers[1:]) if a == b}
        assert not twice, f"{where}: rows twice, of {told(twice, before, after)}"
        assert len(numbers) == len(batches) * ROWS, f"{where}: a part of a batch"
        # What is said to be gone, or on its way, need not be seen, whatever was seen before; nor what
        # was there under a name that a writer gave to other bytes meanwhile: they may have been read.
        leaving = {batch for batch, kind in after.items() if kind in ("retiring", "out")}
        leaving |= self._overwritten(set(after) - set(before))
        must = {batch for batch, kind in before.items() if kind in MUST and not self.strict}
        lost = (must | self.seen) - leaving - batches
        assert not lost, f"{where}: lost {told([b * ROWS for b in lost], before, after)}"
        out = {batch for batch, kind in before.items() if kind == "out"} & batches
        assert not out, f"{where}: not gone: {told([b * ROWS for b in out], before, after)}"
        assert batches <= set(after), f"{where}: rows of nobody: {batches - set(after)}"
        # Other bytes may have been read by who had listed the name before.
        self.seen = {batch for batch in batches if after[batch] != "later"}


    def _overwritten(self, new):
        names = {self.journal.kinds[batch][2] for batch in new}
        return {batch for batch, (_, partition, name) in self.journal.kinds.items()
                if partition == self.partition and name in names and batch not in new}


def told(numbers, before, after):
    batches = sorted({number // ROWS for number in numbers})
    return [(batch, before.get(batch), after.get(batch)) for batch in batches[:10]]


def names_known(folder, table):
    """Names in a table of the manifest."""
    try:
        ours = json.loads((folder / "manifest.json").read_bytes())["lithify"]
    except FileNotFoundError:
        return set()
    return {entry["name"] for entry in ours[table]}


class Writer:
    """Writes new files, the same bytes under a name once more, and other bytes under a used name. Its
    names are its own, so it knows what it gave them to."""

    def __init__(self, root, journal, number, chance):
        self.root, self.journal, self.number, self.chance = root, journal, number, chance
        self.aside = root.with_name(f"writer-{number}")  # the same file system, outside of the lake
        self.aside.mkdir()
        self.batch = number
        self.names = []  # (partition, name, bytes), each given to one batch so far

    def step(self):
        kind = self.chance.choice(["new"] * 5 + ["replay"] * 2 + ["other"] * 2)
        if kind == "new" or not self.names:
            self._new()
        else:
            getattr(self, "_" + kind)(self.chance.choice(self.names[-40:]))

    def _make(self, partition):
        self.batch += WRITERS
        ids = range(self.batch * ROWS, (self.batch + 1) * ROWS)
        return numbered.write(self.aside / "made", ids, tenant_of(partition), age_s=0)

    def _new(self):
        partition = self.chance.randrange(len(PARTITIONS))
        # Only those called old-... are taken out by hand.
        name = f"{self.chance.choice(['late', 'old'])}-{self.number}-{self.batch + WRITERS}.parquet"
        made = self._make(partition)
        data = made.read_bytes()
        self.journal.add("begun", self.batch, partition, name)
        made.rename(self.root / PARTITIONS[partition] / name)
        self.journal.add("done", self.batch, partition, name)
        self.names.append((partition, name, data))

    def _replay(self, used):
        partition, name, data = used
        (self.aside / "made").write_bytes(data)
        (self.aside / "made").rename(self.root / PARTITIONS[partition] / name)

    def _other(self, used):
        partition, name, _ = used
        folder = self.root / PARTITIONS[partition]
        free = names_known(folder, "gone")
        free |= names_known(folder, "retired") if partition == REUSED else set()
        if name not in free or name.startswith("old"):
            return
        made = self._make(partition)
        self.names.remove(used)
        self.journal.add("later", self.batch, partition, name)
        made.rename(folder / name)


def judges_of(root, journal, is_strict):
    """One for each partition; strict readers come to a partition once it is adopted (docs/reading.md)."""
    return [Judge(root, journal, partition, is_strict) for partition in range(len(PARTITIONS))
            if not is_strict or partition != FRESH]


def main(kind, root, journal, number, seed):
    root, journal, number = pathlib.Path(root), Journal(journal), int(number)
    chance = random.Random(f"{seed}/{kind}/{number}")
    pyarrow.set_cpu_count(1)
    if kind == "writer":
        writer = Writer(root, journal, number, chance)
        step, pause_s = writer.step, 0.15
    else:
        judges = judges_of(root, journal, is_strict=bool(number))
        step, pause_s = lambda: chance.choice(judges).look(), 0.02
    while not root.with_name(STOP).exists():
        step()
        time.sleep(chance.random() * pause_s)


if __name__ == "__main__":
    main(*sys.argv[1:])
