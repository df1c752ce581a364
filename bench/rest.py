#!/usr/bin/env python3
"""What a sweep of a lake costs in which nothing is due, against listing it and reading its manifests.

The lake has been compacted and cleaned: in each partition are one file and the manifest. A sweep has
to know that this is so, and cannot be cheaper than `find` over all of it and `cat` of every manifest,
which take turns with it. Its memory must not grow with the number of partitions.
"""

import argparse
import io
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

import process
from machine import machine, machine_line
from one_run import Tools
from run import BENCH, ROOT

FILES, ROWS, TENANTS = 6, 20, 10
SHM = pathlib.Path("/dev/shm")  # memory
RATIO_MAX = 3.0
FLAT_BYTES_MAX = 1 << 20  # what ten times the partitions may take more
NOW = ["--readers", "manifest", "--grace", "0s", "--quiet-for", "0s", "--settle", "0s", "--quiet"]
NO_GRACE = ["--reader-grace", "0s", "--orphan-grace", "0s", "--quiet"]


def small_file(number):
    """The bytes of one input."""
    ids = range(number * ROWS, (number + 1) * ROWS)
    to = io.BytesIO()
    pq.write_table(pa.table({"id": list(ids), "body": [f"row {n}" for n in ids]}), to)
    return to.getvalue()


def make_lake(root, partitions, lithify):
    """Hours of ten tenants, each as a sweep and a gc leave it."""
    bodies = [small_file(number) for number in range(FILES)]
    past = time.time() - 7200
    for number in range(partitions):
        day, hour = divmod(number // TENANTS, 24)
        folder = (root / f"tenant_id=t{number % TENANTS}" / f"year=2024/month={day // 28 + 1:02}"
                  / f"day={day % 28 + 1:02}" / f"hour={hour:02}")
        folder.mkdir(parents=True)
        for index, body in enumerate(bodies):
            path = folder / f"part-{index}.parquet"
            path.write_bytes(body)
            os.utime(path, (past, past))
    # No events: of one day they are as many as of years of a real lake.
    for command in (["compact", *NOW], ["gc", *NO_GRACE]):
        subprocess.run([lithify, *command, "--audit", "none", root], check=True,
                       stdout=subprocess.DEVNULL)


def commands_of(root, manifests, lithify):
    """Name -> what is measured."""
    return {
        "find": ["/bin/sh", "-c", f"find '{root}' -printf '%s %T@ %p\\n' >/dev/null"],
        "cat": ["/bin/sh", "-c", f"xargs -0 cat <'{manifests}' >/dev/null"],
        "sweep": [str(lithify), "compact", *NOW, str(root)],
        "status": [str(lithify), "status", str(root)],
    }


def measured(partitions, options, tools):
    """The costs of each command: a list of one for each round."""
    root = options.folder / f"rest-{partitions}"
    shutil.rmtree(root, ignore_errors=True)
    # Some 60,000 commits, each with its fsyncs, are not what is measured.
    with tempfile.TemporaryDirectory(dir=SHM if SHM.exists() else options.folder) as scratch:
        lake = pathlib.Path(scratch) / "lake"
        make_lake(lake, partitions, tools.lithify)
        shutil.copytree(lake, root)
    paths = sorted(root.rglob("manifest.json"))
    if len(paths) != partitions or len(list(root.rglob("*.parquet"))) != partitions:
        raise SystemExit(f"{root} is not at rest")
    manifests = options.folder / "manifests"
    manifests.write_bytes(b"\0".join(os.fsencode(path) for path in paths))
    commands = commands_of(root, manifests, tools.lithify)
    costs = {name: [] for name in commands}
    for number in range(options.rounds + 1):
        for name, command in commands.items():
            cost = process.run(tools.measure, command, options.folder)
            if cost.code:
                raise SystemExit(f"{name}: exit {cost.code}: {cost.error}")
            if number:  # the first of each warms the caches
                costs[name].append(cost)
    facts = dict(partitions=partitions, manifest_bytes=sum(p.stat().st_size for p in paths))
    for name, runs in costs.items():
        facts[name] = dict(wall=statistics.median(run.wall for run in runs),
                           cpu=statistics.median(run.cpu for run in runs),
                           peak_bytes=max(run.peak_bytes for run in runs))
    for figure in ("wall", "cpu"):
        facts[f"ratio_{figure}"] = statistics.median(
            getattr(sweep, figure) / (getattr(find, figure) + getattr(cat, figure))
            for sweep, find, cat in zip(costs["sweep"], costs["find"], costs["cat"]))
    shutil.rmtree(root)
    manifests.unlink()
    return facts


def report(facts):
    yield ("| partitions | find s | cat s | sweep s | sweep / (find + cat) | the same by CPU | status s | "
           "peak MiB of the sweep |")
    yield "|---|---|---|---|---|---|---|---|"
    for fact in facts:
        yield (f"| {fact['partitions']} | {fact['find']['wall']:.3f} | {fact['cat']['wall']:.3f} | "
               f"{fact['sweep']['wall']:.3f} | {fact['ratio_wall']:.2f} | {fact['ratio_cpu']:.2f} | "
               f"{fact['status']['wall']:.3f} | {fact['sweep']['peak_bytes'] / 2**20:.1f} |")
    yield ""
    last = facts[-1]
    yield (f"{last['partitions']} partitions, nothing due: {last['ratio_wall']:.2f} times `find` and "
           f"`cat`, at most {RATIO_MAX:g} allowed: "
           f"{'pass' if last['ratio_wall'] <= RATIO_MAX else 'MISS'}.")
    more = last["sweep"]["peak_bytes"] - facts[0]["sweep"]["peak_bytes"]
    yield (f"Peak memory: {last['partitions']} partitions take {more / 1024:.0f} KiB more than "
           f"{facts[0]['partitions']}: {'flat' if more <= FLAT_BYTES_MAX else 'NOT FLAT'}.")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=BENCH / "lakes")
    parser.add_argument("--partitions", default="1000,10000")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/bench")
    return parser.parse_args()


def main():
    options = parse_options()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    tools = Tools.of_build(options.build)
    facts = [measured(int(count), options, tools) for count in options.partitions.split(",")]
    text = "\n".join([
        "# A lake at rest", "", machine_line(machine()) + ".",
        f"Partitions of one file and a manifest of {facts[-1]['manifest_bytes'] // facts[-1]['partitions']} "
        f"bytes, as a sweep over {FILES} files and a gc leave them, in warm caches; medians of "
        f"{options.rounds} rounds in which the commands take turns. The sweep is `lithify compact`, one "
        "thread; `find` prints size, time and path of all there is, `cat` reads every manifest from a "
        "list that was made before.", "",
        *report(facts), ""])
    print(text)
    (options.out / "rest.md").write_text(text)
    with open(options.out / "rest.jsonl", "w", encoding="utf-8") as file:
        for fact in [dict(machine=machine()), *facts]:
            file.write(json.dumps(fact) + "\n")


if __name__ == "__main__":
    sys.exit(main())
