"""Compactors, cleaners, a writer and readers at once: each read shows each row once.

A writer adds files all the time; it tells what it has finished before and after each read, so a
read may show no less and no more. LITHIFY_SOAK_SECONDS makes each race longer.
"""

import os
import random
import subprocess
import threading
import time

import duckdb
import pyarrow
import pytest

import lithify
import numbered
import reader

if not lithify.has_command("compact"):
    pytest.skip("this lithify has no `compact`", allow_module_level=True)

SECONDS = float(os.environ.get("LITHIFY_SOAK_SECONDS", "8"))
SEED = os.environ.get("LITHIFY_SEED", "1")
FOLDER = "tenant_id=acme/" + numbered.HOUR
ROWS = 20
# Superseded files go at once: what a reader had listed vanishes under it, and it starts over.
COMPACT = ["compact", *numbered.NOW, "--min-files", "2", "--row-group-rows", "200"]
GC = ["gc", *numbered.NO_GRACE]
ADOPT = ["adopt", "--readers", "manifest", "--quiet"]
CODES = {lithify.DONE, lithify.AGAIN}
# Refusals of a rollback that are right while others compact and nobody deletes.
NOT_TO_UNDO = ["was rolled back already", "the compaction before it cannot be undone any more",
               "the log has no compaction"]


class Race:
    """Threads that run until the time is up or one of them fails."""

    def __init__(self, root, seconds):
        self.root = root
        self.end = time.monotonic() + seconds
        self.failure = None
        self.finished = 0  # files that the writer has given their names
        self.begun = 0
        self.counts = {}
        self.generations = set()
        self.named = set()  # files whose rows a strict reader has seen
        self.threads = []

    def start(self, work, *arguments):
        def run():
            try:
                while time.monotonic() < self.end and self.failure is None:
                    work(*arguments)
                    self.counts[work.__name__] = self.counts.get(work.__name__, 0) + 1
            except BaseException as problem:  # told by join
                self.failure = self.failure or problem

        thread = threading.Thread(target=run)
        thread.start()
        self.threads.append(thread)

    def join(self):
        for thread in self.threads:
            thread.join()
        print(f"{self.finished} files, {len(self.generations)} generations seen, {self.counts}")
        if self.failure is not None:
            raise self.failure

    def command(self, *arguments):
        done = subprocess.run([lithify.BIN, *map(str, arguments), self.root], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        assert done.returncode in CODES, f"exit {done.returncode}: {done.stdout}"

    def compact(self):
        self.command(*COMPACT)

    def gc(self):
        self.command(*GC)
        time.sleep(0.05)

    def write(self, pause_s):
        number = self.begun
        self.begun += 1
        numbered.write(self.root / FOLDER / f"late-{number:06}.parquet",
                       range(number * ROWS, (number + 1) * ROWS), age_s=0)
        self.finished = self.begun
        time.sleep(pause_s)

    def judge(self, read, who):
        """One read, and what it may show.

        Of the files that come while a directory is listed, any may be in the list: a later one
        without an earlier one, too.
        """
        least = self.finished
        found = read()
        most = self.begun
        numbers = sorted(found["id"].to_pylist())
        files = {number // ROWS for number in numbers}
        story = f"{who}: written {least} to {most} files: {describe(numbers, least)}"
        assert len(set(numbers)) == len(numbers) == len(files) * ROWS, story
        assert set(range(least)) <= files <= set(range(most)), story

    def read_open(self):
        def read():
            tables, generation = reader.read_partition(self.root / FOLDER, columns=["id"])
            self.generations.add(generation)
            return pyarrow.concat_tables(tables)

        self.judge(read, "the open rule")

    def read_strict(self):
        """What manifests name: each row once, files whole, and nothing that was named goes away."""
        tables, _ = reader.read_partition(self.root / FOLDER, strict=True, columns=["id"])
        numbers = pyarrow.concat_tables(tables)["id"].to_pylist()
        found = set(numbers)
        assert len(found) == len(numbers), f"the strict rule: {describe(numbers, 0)}"
        files = {number // ROWS for number in found}
        assert len(files) * ROWS == len(numbers), "the strict rule: a part of a file"
        assert files >= self.named, f"the strict rule: lost {sorted(self.named - files)[:20]}"
        self.named = files

    def read_duckdb(self):
        self.judge(lambda: duckdb_read(self.root), "DuckDB")


def describe(numbers, files):
    twice = sorted({a for a, b in zip(numbers, numbers[1:]) if a == b})
    lost = sorted(set(range(files * ROWS)) - set(numbers))
    return f"{len(numbers)} rows; doubled {twice[:20]}, lost {lost[:20]}"


def duckdb_read(root):
    """As docs say: list, read, and start over when a file went away meanwhile."""
    for _ in range(100):
        query = subprocess.run([lithify.BIN, "ls", "--format", "duckdb", root], text=True,
                               stdout=subprocess.PIPE, check=True, timeout=60).stdout
        try:
            with duckdb.connect(config={"threads": 1}) as connection:
                return connection.sql(f"SELECT id FROM ({query})").to_arrow_table()
        except duckdb.IOException as problem:
            assert "No files found" in str(problem) or "No such file" in str(problem) or \
                "Cannot open" in str(problem), problem
    raise AssertionError("DuckDB was told of files that are not there a hundred times")


def settle(root, files):
    """The race is over: what is left is one small set of files with every row."""
    for command in (COMPACT, GC, GC):
        lithify.ok(*command, root)
    numbered.check_everywhere(root, range(files * ROWS), where="after the race")
    names = [path.name for path in (root / FOLDER).iterdir()]
    live = reader.live(root / FOLDER)
    assert sorted(names) == sorted(["manifest.json", *(path.name for path in live)])
    # The ladder leaves files that are each much larger than those before.
    assert len(live) <= 8, live


def test_late_files_compactors_gc_and_readers(tmp_path):
    """A16, K2, K4, L6, P2, P3, RFC0009.3, ARC.3: three compactors, a gc, a writer and two readers at once."""
    root = tmp_path / "lake"
    race = Race(root, SECONDS)
    race.write(0)
    lithify.ok(*ADOPT, root)  # before strict readers come: docs/reading.md
    race.start(race.write, 0.02)
    for _ in range(3):
        race.start(race.compact)
    race.start(race.gc)
    race.start(race.read_strict)
    race.start(race.read_open)
    race.start(race.read_duckdb)
    race.join()
    assert race.counts["read_open"] > 5 and race.counts["read_duckdb"] > 2, race.counts
    assert len(race.generations) > 3, "the readers saw too few commits to judge"
    settle(root, race.finished)


def test_killed_compactors_among_readers(tmp_path):
    """A18, P2, P3, RFC0009.4: compactors and a gc are killed at random moments while readers read."""
    chance = random.Random(SEED)
    root = tmp_path / "lake"
    race = Race(root, SECONDS)
    race.write(0)
    lithify.ok(*ADOPT, root)  # before strict readers come: docs/reading.md

    def killed():
        command = chance.choice([COMPACT, COMPACT, GC])
        process = subprocess.Popen([lithify.BIN, *command, root], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.choice([0.005, 0.01, 0.02, 0.05, 0.1, 0.3]))
        except subprocess.TimeoutExpired:
            process.kill()
        assert process.wait() in CODES | {-9}, process.returncode

    race.start(race.write, 0.03)
    race.start(killed)
    race.start(race.read_strict)
    race.start(race.read_open)
    race.start(race.read_duckdb)
    race.join()
    assert race.counts["read_open"] > 5, race.counts
    settle(root, race.finished)


def test_query_during_each_commit(tmp_path):
    """A16, LA4, RFC0009.3, P2: queries before, during and after a commit of many files agree on the
    rows."""
    root = tmp_path / "lake"
    race = Race(root, SECONDS / 2)
    race.write(0)
    lithify.ok(*COMPACT, root)

    def batch_and_commit():
        """40 files come and one commit supersedes them, over and over."""
        for _ in range(40):
            race.write(0)
        race.compact()

    race.start(batch_and_commit)
    race.start(race.read_open)
    race.start(race.read_duckdb)
    race.join()
    assert race.counts["read_open"] > 5, race.counts
    settle(root, race.finished)


def test_rollback_among_compactors_and_readers(tmp_path):
    """A22, P2, P3: compactions are undone while others run, a writer writes and readers read."""
    root = tmp_path / "lake"
    race = Race(root, SECONDS)
    codes = []
    race.write(0)
    lithify.ok(*ADOPT, root)  # before strict readers come: docs/reading.md

    def rollback():
        done = subprocess.run([lithify.BIN, "rollback", root / FOLDER], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        assert done.returncode in CODES or any(says in done.stdout for says in NOT_TO_UNDO), done.stdout
        codes.append(done.returncode)
        time.sleep(0.02)

    race.start(race.write, 0.03)
    race.start(race.compact)
    race.start(race.compact)
    race.start(rollback)
    race.start(race.read_strict)
    race.start(race.read_open)
    race.start(race.read_duckdb)
    race.join()
    assert codes.count(lithify.DONE) > 1, codes
    assert race.counts["read_open"] > 5, race.counts
    race.write(0)  # releases what was undone last
    settle(root, race.finished)


def test_retire_against_compact(tmp_path):
    """A21, P2, P3: a file that is retired while compact runs goes with all of its rows, or stays with
    all of them; every other row stays."""
    root = tmp_path / "lake"
    chance = random.Random(SEED)
    end = time.monotonic() + SECONDS / 2
    kept, tried, rounds = set(), 0, 0
    lithify.ok("adopt", "--readers=manifest", numbered.write(root / FOLDER / "first.parquet",
                                                               range(0)).parents[5])
    while time.monotonic() < end:
        first = 10000 * (rounds + 1)
        kept |= set(numbered.fill(root / FOLDER, 4, ROWS, first=first, stem=f"keep-{rounds}"))
        old = set(numbered.fill(root / FOLDER, 1, ROWS, first=first + 5000, stem=f"old-{rounds}"))
        compactor = subprocess.Popen([lithify.BIN, *map(str, COMPACT), root],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.choice([0, 0.002, 0.005, 0.01, 0.02, 0.04]))
        done = lithify.run("retire", root / FOLDER, f"old-{rounds}-00000.parquet")
        assert compactor.wait() in CODES
        assert done.code in CODES or "retired already" in done.err, str(done)
        tried += done.code == lithify.DONE
        kept |= set() if done.code == lithify.DONE else old
        rounds += 1
        numbered.check_everywhere(root, sorted(kept), set(
            reader.read(root, strict=True)["id"].to_pylist()) & kept, where=str(done))
    print(f"{tried} of {rounds} were retired")  # none of them, where compact always comes first
    assert rounds > 2
