"""DuckDB, pyarrow and Polars list directories in loops while commits are made under them.

A query that listed before a swap and opens after it fails with "not found" and nothing else; counts
that succeed are right, but for one thing that no file system can help: DuckDB and pyarrow list a
directory, then ask for each file by its path, and pass over those that are gone. A swap in the moment
between the two hides the replaced files from them. LITHIFY_EXCHANGE_COMMITS and LITHIFY_SOAK_SECONDS
make it longer.
"""

import glob
import os
import threading
import time

import duckdb
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet
import polars

import exchange
import lithify
import numbered
from exchange import GC, PARTITION
from test_races import ROWS as RACE_ROWS, Race

COMMITS = int(os.environ.get("LITHIFY_EXCHANGE_COMMITS", "24"))
SECONDS = float(os.environ.get("LITHIFY_SOAK_SECONDS", "6"))
FILES, ROWS = 6, 50
# The longest that a file may be out of sight, on a machine that is busy with other tests.
VISIBLE_S = 2
NOT_FOUND = ("No such file", "not found", "No files found", "does not exist")


def count_duckdb(root, connection):
    return connection.execute(f"SELECT count(*) FROM '{root}/**/*.parquet'").fetchone()[0]


def count_pyarrow(root, _):
    found = pyarrow.fs.LocalFileSystem().get_file_info(pyarrow.fs.FileSelector(str(root), recursive=True))
    paths = [info.path for info in found if info.path.endswith(".parquet")]
    return pyarrow.dataset.dataset(paths, format="parquet").count_rows()


def count_polars(root, _):
    return polars.scan_parquet(f"{root}/**/*.parquet").select(polars.len()).collect().item()


def count_python(root, _):
    """By names alone, as glob and most shells do."""
    return sum(pyarrow.parquet.read_metadata(path).num_rows
               for path in glob.glob(f"{root}/**/*.parquet", recursive=True))


class Globber:
    """One engine that counts in a loop."""

    def __init__(self, name, count, root, wanted, passes_over=False):
        self.name, self.count, self.root, self.wanted = name, count, root, wanted
        self.passes_over = passes_over
        self.right = self.gone = self.short = 0
        self.wrong = []
        self.over = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        with duckdb.connect(config={"threads": 1}) as connection:
            while not self.over and not self.wrong:
                try:
                    got = self.count(self.root, connection)
                except Exception as problem:  # each engine has its own; the text tells
                    self.gone += 1
                    if not isinstance(problem, FileNotFoundError) and \
                            not any(text in str(problem) for text in NOT_FOUND):
                        self.wrong.append(f"{type(problem).__name__}: {problem}")
                    continue
                if got == self.wanted:
                    self.right += 1
                elif self.passes_over and got in (0, self.wanted // 2):  # a whole partition
                    self.short += 1
                else:
                    self.wrong.append(f"{got} rows")

    def end(self):
        self.over = True
        self.thread.join()


def test_counts_during_commits(tmp_path):
    """P2: compactions and rollbacks of two partitions: no count is ever doubled."""
    root = tmp_path / "lake"
    other = PARTITION.with_name("hour=06")
    numbered.fill(root / PARTITION, FILES, ROWS)
    numbered.fill(root / other, FILES, ROWS, first=10**6)
    wanted = 2 * FILES * ROWS
    globbers = [Globber("DuckDB", count_duckdb, root, wanted, passes_over=True),
                Globber("pyarrow", count_pyarrow, root, wanted, passes_over=True),
                Globber("Polars", count_polars, root, wanted), Globber("glob", count_python, root, wanted)]
    commits, policy = 0, 100
    try:
        while commits < COMMITS and not any(globber.wrong for globber in globbers):
            policy += 1  # after a rollback nothing is merged again until options change
            lithify.ok("compact", *exchange.NOW, "--audit", "none", "--row-group-rows", policy, root)
            lithify.ok("rollback", "--partition", "*", "--audit", "none", root)
            commits += 4
            if policy % 5 == 0:
                lithify.ok(*GC, "--audit", "none", root)
    finally:
        for globber in globbers:
            globber.end()
    for globber in globbers:
        print(f"{commits} swaps: {globber.name} counted {globber.right} times, found a file gone {globber.gone} "
              f"times, passed over a partition {globber.short} times")
    assert not any(globber.wrong for globber in globbers), [(g.name, g.wrong) for g in globbers]
    assert all(globber.right > 0 for globber in globbers)
    assert all(globber.short <= 2 + commits // 50 for globber in globbers)
    exchange.check(root, [*range(FILES * ROWS), *range(10**6, 10**6 + FILES * ROWS)])


class ExchangeRace(Race):
    """Compactors, cleaners and a writer in one lake, read by listing.

    The partition is not sealed: a file that comes in the very moment of a swap is out of sight until
    it is carried over, at once as a rule. So a read need not show what was finished just before it.
    """

    def __init__(self, root, seconds):
        super().__init__(root, seconds)
        self.times = []  # when each file was finished

    def write(self, pause_s):
        try:
            super().write(pause_s)
        except FileNotFoundError:  # between its two names the directory was swapped
            self.begun -= 1
            super().write(pause_s)
        self.times.append(time.monotonic())

    def read_glob(self):
        settled = sum(when < time.monotonic() - VISIBLE_S for when in list(self.times))
        while True:
            try:
                found = numbered.of_files(sorted((self.root / PARTITION).glob("*.parquet")))
                break
            except FileNotFoundError:
                continue
        numbers = found["id"].to_pylist()
        files = {number // RACE_ROWS for number in numbers}
        assert len(set(numbers)) == len(numbers) == len(files) * RACE_ROWS, sorted(numbers)
        assert set(range(settled)) <= files <= set(range(self.begun)), (settled, self.begun, sorted(files))

    def compact(self):
        self.command("compact", *exchange.NOW, "--quiet", "--min-files", "2", "--row-group-rows", "200")

    def rollback(self):
        result = lithify.run("rollback", self.root / PARTITION)
        assert result.code in (lithify.DONE, lithify.AGAIN, lithify.FAILED), str(result)
        time.sleep(0.2)


def test_compactors_cleaners_and_a_writer(tmp_path):
    """P1, P2, P3: two compactors, gc, rollbacks, a writer: nothing is lost or doubled for who lists."""
    root = tmp_path / "lake"
    race = ExchangeRace(root, SECONDS)
    (root / PARTITION).mkdir(parents=True)
    for _ in range(4):
        race.write(0)
    lithify.ok("adopt", "--readers", "exchange", "--quiet", root)
    for work, arguments in [(race.compact, ()), (race.compact, ()), (race.gc, ()), (race.rollback, ()),
                            (race.write, (0.02,)), (race.read_glob, ()), (race.read_glob, ())]:
        race.start(work, *arguments)
    race.join()
    ids = range(race.finished * RACE_ROWS)
    # What a write that had to be repeated has left is the writer's to take away.
    for path in [*root.rglob("*.part"), *exchange.staging(root).rglob("*.part")]:
        path.unlink()
    exchange.check_globs(root, ids, "after the race")
    exchange.finish(root)
    exchange.check(root, ids, "at rest")
