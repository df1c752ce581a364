#!/usr/bin/env python3
"""Merges each lake with each configuration, several times, and compares what it cost.

Every round runs every configuration once, beginning one further each time. The inputs are in the
page cache, the output of the run before is gone and written back. Times are of whole processes;
those of Python peers begin when their imports are done. Lithify's and the floor's include fsync,
which the peers do not do.
"""

import argparse
import json
import pathlib
import sys
import time

from configurations import CONFIGURATIONS, HOPELESS, takes_part
from lakes import LAKES
from machine import machine, machine_line
from measure_lake import lake_shape
from one_run import Lake, Tools, remove, run_once
from report import lake_table, limits_table, memory_chart, wall_chart

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent


def lake_open(folder, name):
    paths = sorted((folder / name).glob("*.parquet"))
    if not paths:
        raise SystemExit(f"no lake in {folder / name}: bench/lakes.py makes it")
    return Lake(name, folder / name, [path.name for path in paths], LAKES[name].codec,
                lake_shape(paths))


def chosen_configurations(names, lake):
    """Those whose names start with one of `names`, in the order of the table; without, all."""
    starts = tuple(names.split(",")) if names else ("",)
    for start in starts:
        if not any(one.name.startswith(start) for one in CONFIGURATIONS):
            raise SystemExit(f"no configuration is called {start}")
    return [one for one in CONFIGURATIONS if takes_part(one, lake) and one.name.startswith(starts)]


def progress(facts):
    what = facts.get("failed") or f"{facts['wall']:.3f} s, {facts['peak_bytes'] >> 20} MiB"
    return f"{facts['lake']} round {facts['round']} {facts['configuration']}: {what}"


def run_rounds(lake, configurations, tools, options, write_line, look=None):
    """All rounds over one lake. What failed once is not tried again. The first output of each
    configuration is shown to `look`, which raises an error if it does not like it."""
    runs, given_up = [], set()
    output = options.folder / "output.parquet"
    for number in range(options.rounds):
        turn = number % len(configurations)
        for one in configurations[turn:] + configurations[:turn]:
            if one.name in given_up:
                continue
            facts = run_once(one, tools, lake, output) | dict(round=number)
            write_line(facts)
            runs.append(facts)
            print(progress(facts), file=sys.stderr, flush=True)
            if "failed" in facts:
                given_up.add(one.name)
            elif look and number == 0:
                look(one, output)
    remove(output)
    order = [one.name for one in configurations]
    return sorted(runs, key=lambda run: order.index(run["configuration"]))


def run_lake(lake, tools, options, write_line):
    """The rounds over one lake of those that have a chance, and the others as failed."""
    configurations = chosen_configurations(options.configs, lake.name)
    hopeless = {one.name: HOPELESS[lake.name, one.engine] for one in configurations
                if (lake.name, one.engine) in HOPELESS and not options.configs}
    tried = [one for one in configurations if one.name not in hopeless]
    runs = run_rounds(lake, tried, tools, options, write_line)
    return runs + [dict(lake=lake.name, configuration=name, failed=f"not tried: {why}")
                   for name, why in hopeless.items()]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=BENCH / "lakes",
                        help="where the lakes are")
    parser.add_argument("--lakes", default=",".join(LAKES), help="which ones, with commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--configs", help="how their names start, with commas; all of them")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench",
                        help="the build that is measured; $LITHIFY is another program")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    return parser.parse_args()


def write_report(options, facts, results):
    lines = ["# Merging whole lakes", "", machine_line(facts) + ".",
             f"Medians of {options.rounds} interleaved rounds; how: bench/README.md.", "",
             "![wall time](wall.svg)", "", "![peak memory](memory.svg)", ""]
    for lake, runs in results:
        lines += lake_table(lake, runs)
    lines += limits_table(results)
    text = "\n".join(lines)
    print(text)
    (options.out / "merge.md").write_text(text)
    (options.out / "wall.svg").write_text(wall_chart(results))
    (options.out / "memory.svg").write_text(memory_chart(results))


def main():
    options = parse_options()
    options.folder = options.folder.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    tools = Tools.of_build(options.build)
    facts = machine()
    with open(options.out / "merge.jsonl", "w", encoding="utf-8") as file:
        def write_line(line):
            file.write(json.dumps(line) + "\n")
            file.flush()

        write_line(dict(machine=facts, time=time.strftime("%Y-%m-%d", time.gmtime())))
        results = []
        for name in options.lakes.split(","):
            lake = lake_open(options.folder, name)
            results.append((lake, run_lake(lake, tools, options, write_line)))
    write_report(options, facts, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
