"""What sorting spares a query: the row groups of an hour of logs that DuckDB has to read.

One question, asked of merges with and without a sort and of several sizes of row groups: every
column of one service in the middle ten minutes. What must be read follows from the statistics in
the footers, as DuckDB shows them; the time is that of the query itself. Beside it stands what would
be read for the service's whole hour.
"""

import pathlib
import statistics
import tempfile
import time

import duckdb

from configurations import Configuration
from lake_services import CODEC, make_services
from measure_lake import lake_shape
from one_run import Lake, run_once
from sort_check import check_sorted

KEYS = '"service.name", time'
SORTED = ("--sort-by", '"service.name",time')
SERVICE = "svc-07"
TEN_MINUTES = "2026-06-15 10:25:00", "2026-06-15 10:35:00"
HOUR = "2026-06-15 10:00:00", "2026-06-15 11:00:00"
MIB = 1 << 20


def variant(name, *arguments):
    return Configuration(name, "lithify", verify="off", arguments=arguments)


UNSORTED, BY_KEYS = "unsorted", "sorted"
VARIANTS = [
    variant(UNSORTED),
    *[variant(f"{UNSORTED}, {size}", "--row-group", size) for size in ("16MiB", "4MiB", "1MiB")],
    variant(BY_KEYS, *SORTED),
    *[variant(f"{BY_KEYS}, {size}", *SORTED, "--row-group", size)
      for size in ("128MiB", "16MiB", "4MiB", "1MiB")],
]
QUERY = (f"SELECT * FROM '%s' WHERE \"service.name\" = '{SERVICE}' "
         f"AND time BETWEEN TIMESTAMP '{TEN_MINUTES[0]}' AND TIMESTAMP '{TEN_MINUTES[1]}'")
# A row group without a minimum cannot be skipped.
READ = """
SELECT count(*), count(*) FILTER (is_read), sum(bytes), sum(bytes) FILTER (is_read)
FROM (SELECT sum(total_compressed_size) AS bytes, coalesce(bool_and(CASE path_in_schema
          WHEN 'service.name' THEN $service BETWEEN stats_min_value AND stats_max_value
          WHEN 'time' THEN stats_min_value::TIMESTAMP <= $last::TIMESTAMP
                       AND stats_max_value::TIMESTAMP >= $first::TIMESTAMP
          END), true) AS is_read
      FROM parquet_metadata($path) GROUP BY row_group_id)"""


def read_facts(connection, path):
    def read(span):
        values = dict(path=str(path), service=SERVICE, first=span[0], last=span[1])
        return connection.execute(READ, values).fetchone()

    groups, groups_read, size, size_read = read(TEN_MINUTES)
    return dict(row_groups=groups, row_groups_read=groups_read, chunk_bytes=int(size),
                chunk_bytes_read=int(size_read or 0), hour_bytes_read=int(read(HOUR)[3] or 0))


def query_times(connection, files, runs):
    """Name -> seconds of each run; the first of each is not counted. All answers are the same."""
    times, answers = {name: [] for name in files}, {}
    names = list(files)
    for number in range(runs + 1):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.perf_counter()
            answer = connection.sql(QUERY % files[name]).to_arrow_table()
            seconds = time.perf_counter() - start
            if number > 0:
                times[name].append(seconds)
            else:
                answers[name] = answer.sort_by([("time", "ascending"), ("trace_id", "ascending")])
    first = answers[UNSORTED]
    if not len(first) or any(not answer.equals(first) for answer in answers.values()):
        raise RuntimeError("the merges answer differently, or not at all")
    return times


def merge_all(lake, tools, folder):
    """Name -> the merged file, and what each merge cost."""
    files, costs = {}, {}
    for number, one in enumerate(VARIANTS):
        path = folder / f"pruning-{number}.parquet"
        cost = run_once(one, tools, lake, path)
        if "failed" in cost:
            raise RuntimeError(f"{one.name}: {cost['failed']}")
        check_sorted(tools.lithify, lake, path, KEYS if one.name.startswith(BY_KEYS) else None)
        files[one.name], costs[one.name] = path, cost
    return files, costs


def ask_all(tools, options, home):
    """A fact for each variant, with everything in the folder `home`."""
    folder = make_services(home / "services", options.rows)
    paths = sorted(folder.glob("*.parquet"))
    lake = Lake("services", folder, [path.name for path in paths], CODEC, lake_shape(paths))
    files, costs = merge_all(lake, tools, home)
    with duckdb.connect(config={"threads": 1}) as connection:
        times = query_times(connection, files, options.queries)
        return [dict(lake=lake.name, configuration=name, input_bytes=lake.shape["bytes"],
                     input_rows=lake.shape["rows"], merge_wall=costs[name]["wall"],
                     merge_cpu=costs[name]["cpu"], output_bytes=path.stat().st_size,
                     query_ms=1000 * statistics.median(times[name]),
                     **read_facts(connection, path))
                for name, path in files.items()]


def measure_pruning(tools, options):
    with tempfile.TemporaryDirectory(dir=options.folder) as home:
        return ask_all(tools, options, pathlib.Path(home))


def pruning_table(facts):
    yield (f"### One service of an hour: 60 files, {facts[0]['input_bytes'] / MIB:.1f} MiB, "
           f"{facts[0]['input_rows']} rows, 20 services, {CODEC}")
    yield ""
    yield f"`{QUERY % 'FILE'}`."
    yield ""
    yield ("| merge, `--row-group` | merge s | output MiB | row groups | of them to read | "
           "MiB to read | part of the unsorted | query ms | MiB to read of the hour |")
    yield "|---|---|---|---|---|---|---|---|---|"
    base = next(fact for fact in facts if fact["configuration"] == UNSORTED)["chunk_bytes_read"]
    for fact in facts:
        yield (f"| {fact['configuration']} | {fact['merge_wall']:.2f} | "
               f"{fact['output_bytes'] / MIB:.1f} | {fact['row_groups']} | "
               f"{fact['row_groups_read']} | {fact['chunk_bytes_read'] / MIB:.2f} | "
               f"{fact['chunk_bytes_read'] / base:.3f} | {fact['query_ms']:.2f} | "
               f"{fact['hour_bytes_read'] / MIB:.2f} |")
    yield ""
