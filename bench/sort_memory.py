"""A sort much larger than its memory: files that all overlap one another, one run.

Skipped where the disk has no room for inputs, output and scratch files.
"""

import pathlib
import shutil
import sys
import tempfile
import time

from configurations import Configuration
from lake_dealt import LIKE, make_mixed
from measure_lake import lake_shape
from one_run import Lake, run_once
from scratch import ScratchWatch
from sort_check import check_sorted

GIB = 1 << 30
MIB = 1 << 20
MEMORY = "64MiB"
# Of the inputs. Half of the scratch files are for decoded rows: of all of them at once, so that no
# input is decoded twice. DISK_PARTS has the inputs and the output besides.
SCRATCH_PARTS = 4
DISK_PARTS = SCRATCH_PARTS + 3
SECONDS_MAX = 3 * 3600


def why_not(options):
    """Why the disk is too small for it, or nothing."""
    needed = DISK_PARTS * options.gib
    free = shutil.disk_usage(options.folder).free / GIB
    return f"{needed:g} GiB are needed, {free:.1f} are free" if free < needed else ""


def sort_once(tools, home, gib):
    """The facts of the run, with everything in the folder `home`."""
    folder = make_mixed(home / "mixed", int(gib * GIB))
    paths = sorted(folder.glob("*.parquet"))
    lake = Lake("memory", folder, [path.name for path in paths], LIKE.codec, lake_shape(paths))
    print(f"{len(paths)} files are made", file=sys.stderr, flush=True)
    output, scratch = home / "output.parquet", home / "scratch"
    scratch.mkdir()
    scratch_max = max(4 * GIB, SCRATCH_PARTS * lake.shape["bytes"])
    sort = Configuration("lithify", "lithify", verify="content", seconds_max=SECONDS_MAX,
                         arguments=("--sort-by", "time", "--memory", MEMORY, "--scratch", scratch,
                                    "--scratch-max", str(scratch_max)))
    with ScratchWatch(tools.lithify, scratch) as watch:
        facts = run_once(sort, tools, lake, output)
    facts |= dict(scratch_bytes=watch.peak_bytes, scratch_max=scratch_max, files=len(paths),
                  input_bytes=lake.shape["bytes"], rows=lake.shape["rows"], memory=MEMORY)
    print(facts, file=sys.stderr, flush=True)
    if "failed" not in facts:
        start = time.monotonic()
        check_sorted(tools.lithify, lake, output, "time")
        facts["check_wall"] = time.monotonic() - start
    return facts


def measure_memory(tools, options):
    """The facts of the run, or why there was none."""
    why = why_not(options)
    if not options.gib or why:
        return dict(lake="memory", configuration="lithify", skipped=why or "not asked for")
    with tempfile.TemporaryDirectory(dir=options.folder) as home:
        return sort_once(tools, pathlib.Path(home), options.gib)


def memory_table(facts):
    yield "### A sort much larger than its memory"
    yield ""
    if "skipped" in facts:
        yield f"Not measured: {facts['skipped']}."
        yield ""
        return
    yield "| files | rows | MiB | budget | wall s | CPU s | peak MiB | scratch MiB | output MiB |"
    yield "|---|---|---|---|---|---|---|---|---|"
    start = (f"| {facts['files']} | {facts['rows']} | {facts['input_bytes'] / MIB:.0f} | "
             f"{facts['memory']} |")
    if "failed" in facts:
        yield f"{start} {' '.join(facts['failed'].replace('|', '/').split())} | | | | |"
    else:
        yield (f"{start} {facts['wall']:.1f} | {facts['cpu']:.1f} | "
               f"{facts['peak_bytes'] / MIB:.1f} | {facts['scratch_bytes'] / MIB:.0f} | "
               f"{facts['output_bytes'] / MIB:.0f} |")
    yield ""
    yield (f"`--sort-by time`, verified, `--scratch-max` {facts['scratch_max'] / MIB:.0f} MiB; "
           "every input overlaps every other.")
    yield ""
