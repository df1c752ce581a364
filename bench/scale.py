#!/usr/bin/env python3
"""Whether memory and the time per file stay flat: 1 and 10 GiB, 1,000 to 100,000 files.

The large partitions repeat L1's files under new names, the many files have 20 rows each. One run
each, with verification, since it is memory that counts.
"""

import argparse
import json
import pathlib
import sys

from chart import bar_chart
from configurations import Configuration
from lakes import LAKES, make_tiny, repeat_lake
from machine import machine, machine_line
from measure_lake import lake_shape
from one_run import Lake, Tools, remove, run_once
from report import colour_of
from run import BENCH, ROOT

MIB = 1 << 20
# One tenth more memory for ten times the bytes, or a hundred times the files, is still flat.
FLAT = 1.1
LITHIFY = Configuration("lithify-content", "lithify", verify="content")


def lake_of(name, folder, like):
    paths = sorted(folder.glob("*.parquet"))
    return Lake(name, folder, [path.name for path in paths], LAKES[like].codec, lake_shape(paths))


def measured(lake, tools, options):
    """The facts of `--runs` merges, of which the fastest and the hungriest count."""
    output = options.folder / "output.parquet"
    runs = [run_once(LITHIFY, tools, lake, output) for _ in range(options.runs)]
    remove(output)
    failed = [run for run in runs if "failed" in run]
    facts = failed[0] if failed else dict(min(runs, key=lambda run: run["wall"]), peak_bytes=max(
        run["peak_bytes"] for run in runs))
    facts |= dict(files=lake.shape["files"], input_bytes=lake.shape["bytes"])
    print(f"{lake.name}: {facts}", file=sys.stderr, flush=True)
    return facts


def sizes(tools, options):
    for gib in map(float, options.gib.split(",")):
        folder = repeat_lake(options.folder / "L1", options.folder / f"repeat-{gib:g}",
                             int(gib * 2**30))
        yield measured(lake_of(f"{gib:g} GiB", folder, "L1"), tools, options)
        remove(folder)


def counts(tools, options):
    for files in map(int, options.files.split(",")):
        folder = make_tiny(options.folder / f"tiny-{files}", files, options.rows)
        yield measured(lake_of(f"{files} files", folder, "L2"), tools, options)
        remove(folder)


def report(facts):
    yield "| input | files | MiB | wall s | CPU s | microseconds a file | MiB/s | peak MiB |"
    yield "|---|---|---|---|---|---|---|---|"
    for run in facts:
        mib = run["input_bytes"] / MIB
        start = f"| {run['lake']} | {run['files']} | {mib:.0f} |"
        if "failed" in run:
            yield f"{start} {' '.join(run['failed'].split())} | | | | |"
        else:
            yield (f"{start} {run['wall']:.2f} | {run['cpu']:.2f} | "
                   f"{1e6 * run['wall'] / run['files']:.1f} | {mib / run['wall']:.0f} | "
                   f"{run['peak_bytes'] / MIB:.1f} |")


def flatness(name, facts, value_of):
    """A sentence on the largest input against the smallest."""
    good = [run for run in facts if "failed" not in run]
    if len(good) < 2:
        return f"{name}: not enough runs to compare."
    ratio = value_of(good[-1]) / value_of(good[0])
    return (f"{name}: {good[-1]['lake']} takes {ratio:.2f} times what {good[0]['lake']} takes: "
            f"{'flat' if ratio <= FLAT else 'NOT FLAT'}.")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=BENCH / "lakes")
    parser.add_argument("--gib", default="1,10", help="sizes of the large partitions")
    parser.add_argument("--files", default="1000,10000,100000", help="numbers of tiny files")
    parser.add_argument("--rows", type=int, default=20, help="rows of a tiny file")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    return parser.parse_args()


def main():
    options = parse_options()
    options.folder = options.folder.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    tools = Tools.of_build(options.build)
    large = list(sizes(tools, options))
    many = list(counts(tools, options))
    sentences = [flatness("Peak memory", large, lambda run: run["peak_bytes"]),
                 flatness("Peak memory", many, lambda run: run["peak_bytes"]),
                 flatness("Time per file", many, lambda run: run["wall"] / run["files"])]
    text = "\n".join(["# Large partitions and many files", "", machine_line(machine()) + ".",
                      f"`lithify merge --verify content`, the better time of {options.runs} runs; "
                      f"tiny files have {options.rows} rows.", "", "![peak memory](scale.svg)", "",
                      *report(large + many), "", *sentences, ""])
    print(text)
    (options.out / "scale.md").write_text(text)
    with open(options.out / "scale.jsonl", "w", encoding="utf-8") as file:
        for fact in [dict(machine=machine()), *large, *many]:
            file.write(json.dumps(fact) + "\n")
    bars = [(run["lake"], run["peak_bytes"], f"{run['peak_bytes'] / MIB:.1f} MiB")
            for run in large + many if "failed" not in run]
    if bars:
        (options.out / "scale.svg").write_text(bar_chart(
            "Peak memory of a merge", [("lithify merge --verify content", bars)],
            lambda _label: colour_of("lithify")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
