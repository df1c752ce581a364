#!/usr/bin/env python3
"""How fast DuckDB answers on Lithify's output, against DuckDB's and Polars' own of the same lake.

Two counts for each lake: rows where a column equals a value, and rows of a tenth of the time range,
with the largest value of another column. One connection, one thread; the files take turns; the
first answer of each is not counted.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

import duckdb

from configurations import CONFIGURATIONS
from lakes import LAKES
from machine import machine, machine_line
from one_run import Tools, remove, run_once
from run import BENCH, ROOT, lake_open

RATIO_MAX = 1.1
OUTPUTS = ["lithify-content", "duckdb-t1", "polars-t1"]
# Lake -> an equality, the column of time, a column to look into.
QUERIES = {
    "L1": ("template_id = 2", "time_unix_nano", "severity_number"),
    "L2": ("template_id = 2", "time_unix_nano", "severity_number"),
    "L3": ("model = 'large'", "time", "prompt_tokens"),
    "L4": ("host = 'host-017'", "time", "cpu"),
    "L4r": ("host = 'host-017'", "time", "cpu"),
    "L5": ("c000 = 'state-03'", "time", "c001"),
}


def make_outputs(lake, tools, folder):
    """Configuration -> its merged file; without those that cannot merge this lake."""
    made = {}
    for name in OUTPUTS:
        configuration = next(one for one in CONFIGURATIONS if one.name == name)
        if lake.name == "L3" and configuration.engine == "polars":
            continue
        path = folder / f"query-{name}.parquet"
        facts = run_once(configuration, tools, lake, path)
        if "failed" in facts:
            print(f"{lake.name} {name}: {facts['failed']}", file=sys.stderr)
        else:
            made[name] = path
    return made


def queries_of(connection, lake_name, path):
    equality, clock, column = QUERIES[lake_name]
    first, last = connection.execute(
        f"SELECT min({clock}), max({clock}) FROM '{path}'").fetchone()
    start = first + (last - first) * 0.45
    end = first + (last - first) * 0.55
    return {"equal": f"SELECT count(*) FROM '%s' WHERE {equality}",
            "range": f"SELECT count(*), max({column}) FROM '%s' "
                     f"WHERE {clock} >= TIMESTAMP '{start}' AND {clock} < TIMESTAMP '{end}'"}


def measure(connection, queries, files, runs):
    """(query, file) -> its times in seconds. Every file must give the same answer."""
    times, answers = {}, {}
    for number in range(runs + 1):
        names = list(files)
        turn = number % len(names)
        for query, statement in queries.items():
            for name in names[turn:] + names[:turn]:
                start = time.perf_counter()
                answer = connection.execute(statement % files[name]).fetchall()
                seconds = time.perf_counter() - start
                if answers.setdefault(query, answer) != answer:
                    raise SystemExit(f"{name} answers {answer}, others {answers[query]}")
                if number > 0:
                    times.setdefault((query, name), []).append(seconds)
    return times


def query_lake(lake, tools, options):
    """Facts of each query and file: the median and the least time in milliseconds."""
    files = make_outputs(lake, tools, options.folder)
    with duckdb.connect(config={"threads": 1}) as connection:
        queries = queries_of(connection, lake.name, files[OUTPUTS[0]])
        times = measure(connection, queries, files, options.runs)
    for path in files.values():
        remove(path)
    return [dict(lake=lake.name, query=query, configuration=name,
                 median_ms=1000 * statistics.median(seconds), least_ms=1000 * min(seconds))
            for (query, name), seconds in times.items()]


def report(facts):
    yield "| lake | query | Lithify ms | DuckDB ms | Polars ms | / DuckDB | / Polars | <= 1.1 |"
    yield "|---|---|---|---|---|---|---|---|"
    for lake in dict.fromkeys(fact["lake"] for fact in facts):
        for query in ("equal", "range"):
            medians = {fact["configuration"]: fact["median_ms"] for fact in facts
                       if (fact["lake"], fact["query"]) == (lake, query)}
            ours, *theirs = [medians.get(name) for name in OUTPUTS]
            ratios = [ours / other if other else None for other in theirs]
            passed = all(ratio is None or ratio <= RATIO_MAX for ratio in ratios)
            numbers = [f"{value:.2f}" if value else "-" for value in (ours, *theirs, *ratios)]
            yield f"| {lake} | {query} | {' | '.join(numbers)} | {'pass' if passed else 'MISS'} |"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=BENCH / "lakes")
    parser.add_argument("--lakes", default=",".join(LAKES), help="which ones, with commas")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    return parser.parse_args()


def main():
    options = parse_options()
    options.folder = options.folder.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    tools = Tools.of_build(options.build)
    facts = []
    for name in options.lakes.split(","):
        facts += query_lake(lake_open(options.folder, name), tools, options)
    with open(options.out / "query.jsonl", "w", encoding="utf-8") as file:
        for fact in [dict(machine=machine()), *facts]:
            file.write(json.dumps(fact) + "\n")
    text = "\n".join(["# Queries on the outputs", "", machine_line(machine()) + ".",
                      f"DuckDB, one thread, medians of {options.runs} runs after the first.", "",
                      *report(facts), ""])
    print(text)
    (options.out / "query.md").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
