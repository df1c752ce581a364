"""What reading one file costs the engines, one thread each, in the page cache.

Processor time of the whole process: what others do on the machine disturbs it least.
"""

import math
import os
import time

os.environ["POLARS_MAX_THREADS"] = "1"  # read when polars is imported

import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402


class Scans:
    """The connection, and the ways to read; each returns an answer that must not vary."""

    def __init__(self, is_text):
        self.connection = duckdb.connect(config={"threads": 1})
        self.is_text = is_text

    def duckdb_all(self, path):
        value = "max(strlen(v))" if self.is_text else "sum(v)"  # max(v) stands in the footer
        return self.connection.execute(f"SELECT {value} FROM '{path}'").fetchone()[0]

    def duckdb_filter(self, path):
        """One row in a hundred, next to each other."""
        rows = self.connection.execute(f"SELECT num_rows FROM parquet_file_metadata('{path}')")
        count = rows.fetchone()[0]
        start = time.process_time()
        answer = self.connection.execute(
            f"SELECT max(v) FROM '{path}' WHERE id >= {count // 2} "
            f"AND id < {count // 2 + count // 100}").fetchone()[0]
        return answer, time.process_time() - start

    def pyarrow_all(self, path):
        return len(pq.read_table(path, columns=["v"], use_threads=False, memory_map=False))

    def polars_all(self, path):
        value = polars.col("v")
        value = value.str.len_bytes().max() if self.is_text else value.sum()
        return polars.scan_parquet(path).select(value).collect().item()


def timed(read, path):
    """Seconds and answer of a read; one that times itself returns both."""
    start = time.process_time()
    answer = read(path)
    seconds = time.process_time() - start
    return (answer[1], answer[0]) if isinstance(answer, tuple) else (seconds, answer)


def same(one, other):
    """Sums of doubles may differ by the order of their terms."""
    return math.isclose(one, other) if isinstance(one, float) else one == other


def least_times(files, is_text, rounds):
    """(file key, engine) -> the least time of the rounds; each round reads every file once, and
    begins one further than the one before."""
    scans = Scans(is_text)
    reads = {"DuckDB": scans.duckdb_all, "DuckDB, 1 % of rows": scans.duckdb_filter,
             "pyarrow": scans.pyarrow_all, "Polars": scans.polars_all}
    least, answers, keys = {}, {}, list(files)
    for number in range(rounds + 1):  # the first one warms up
        turn = number % len(keys)
        for engine, read in reads.items():
            for key in keys[turn:] + keys[:turn]:
                path = files[key]
                seconds, answer = timed(read, path)
                if not same(answers.setdefault(engine, answer), answer):
                    raise SystemExit(f"{engine} reads {answer} from {path}, {answers[engine]} else")
                least[key, engine] = min(seconds, least.get((key, engine), seconds))
    return least
