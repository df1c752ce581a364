#!/usr/bin/env python3
"""What a sorted rewrite costs, and what it saves those who read.

Four parts: inputs that are in order already (L4), inputs that all overlap (L4s, L4i) against other
engines, more of these than fits memory or cache, and the row groups a query has to read. Outputs
are looked at: in order, and with the rows of the lake.
"""

import argparse
import json
import pathlib
import sys
import time

from configurations import Configuration
from lake_dealt import DEALT, make_dealt
from machine import machine, machine_line
from one_run import Tools
from report import lake_table, medians_of, verdict_table
from run import BENCH, ROOT, run_rounds
from scale import lake_of
from sort_check import check_sorted
from sort_limits import against_two_threads, ordered_verdicts, peer_verdicts, pruning_verdicts
from sort_memory import measure_memory, memory_table
from sort_pruning import measure_pruning, pruning_table

BY_TIME = ("--sort-by", "time")
PARTS = ["ordered", "overlapping", "memory", "pruning"]


def lithify(name, level, *arguments):
    return Configuration(f"lithify-{name}{level}", "lithify", verify=level, arguments=arguments)


def peer(name, engine, threads, sort_by="time", **options):
    return Configuration(name, engine, threads, options=dict(sort_by=sort_by, **options))


LEVELS = ("off", "content")
ORDERED = [Configuration("floor", "floor"),
           *[lithify("", level) for level in LEVELS],
           *[lithify("sorted-", level, *BY_TIME) for level in LEVELS]]
# DuckDB by default, without its promise to keep the order of inputs, which a sort does not need,
# with smaller row groups, and with the memory of Lithify.
OVERLAPPING = [
    *[lithify(f"{memory}-", level, *BY_TIME, "--memory", memory)
      for memory in ("256MiB", "64MiB") for level in LEVELS],
    peer("duckdb-t1", "duckdb", 1, union=False),
    peer("duckdb-loose-t1", "duckdb", 1, union=False, ordered=False),
    peer("duckdb-groups-t1", "duckdb", 1, union=False, sizes={"ROW_GROUP_SIZE": 16384}),
    peer("duckdb-256MB-t1", "duckdb", 1, union=False, memory="256MB"),
    peer("duckdb-t2", "duckdb", 2, union=False),
    peer("polars-t1", "polars", 1),
    peer("pyarrow-sort-t1", "pyarrow-sort", 1),
]


def dealt_lake(options, name):
    """L4s or L4i, made of L4 where it is missing."""
    folder = options.folder / name
    if not folder.is_dir():
        make_dealt(options.folder / "L4", folder, DEALT[name])
    return lake_of(name, folder, "L4")


def measure_lake(lake, configurations, tools, options, write_line):
    def look(configuration, output):
        is_ordered = configuration.arguments or configuration.is_peer
        if configuration.engine != "floor":
            check_sorted(tools.lithify, lake, output, "time" if is_ordered else None)

    starts = tuple((options.configs or "").split(","))
    chosen = [one for one in configurations if one.name.startswith(starts)]
    return lake, run_rounds(lake, chosen, tools, options, write_line, look)


def measure(tools, options, write_line):
    """The lines of the report, and the verdicts of all parts."""
    lines, verdicts, more = [], [], []
    if "ordered" in options.parts:
        lake, runs = measure_lake(lake_of("L4", options.folder / "L4", "L4"), ORDERED, tools,
                                  options, write_line)
        lines += lake_table(lake, runs)
        verdicts += ordered_verdicts(lake.name, medians_of(runs))
    for name in DEALT if "overlapping" in options.parts else ():
        lake, runs = measure_lake(dealt_lake(options, name), OVERLAPPING, tools, options,
                                  write_line)
        lines += lake_table(lake, runs)
        verdicts += peer_verdicts(name, medians_of(runs))
        more += against_two_threads(name, medians_of(runs))
    if "memory" in options.parts:
        facts = measure_memory(tools, options)
        write_line(facts)
        lines += memory_table(facts)
    if "pruning" in options.parts:
        facts = measure_pruning(tools, options)
        for fact in facts:
            write_line(fact)
        lines += pruning_table(facts)
        verdicts += pruning_verdicts(facts)
    lines += verdict_table(verdicts)
    return lines + (["Against DuckDB with two threads:", "", *more, ""] if more else [])


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=BENCH / "lakes",
                        help="where the lakes are; L4s and L4i are made of L4")
    parser.add_argument("--parts", default=",".join(PARTS), help="which ones, with commas")
    parser.add_argument("--rounds", type=int, default=5, help="of the first two parts")
    parser.add_argument("--configs", help="how their names start, with commas; all of them")
    parser.add_argument("--gib", type=float, default=5, help="inputs of the third part; 0: none")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of a file of the last part")
    parser.add_argument("--queries", type=int, default=20, help="runs of its query")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench",
                        help="the build that is measured; $LITHIFY is another program")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part}: {', '.join(PARTS)}")
    return options


def main():
    options = parse_options()
    options.folder = options.folder.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    tools = Tools.of_build(options.build)
    facts = machine()
    with open(options.out / "sort.jsonl", "w", encoding="utf-8") as file:
        def write_line(line):
            file.write(json.dumps(line) + "\n")
            file.flush()

        write_line(dict(machine=facts, time=time.strftime("%Y-%m-%d", time.gmtime())))
        body = measure(tools, options, write_line)
    text = "\n".join(["# Sorted rewrites", "", machine_line(facts) + ".",
                      f"Medians of {options.rounds} interleaved rounds, page cache warm, one "
                      "thread where not said otherwise; the large sort ran once.", "", *body])
    print(text)
    (options.out / "sort.md").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
