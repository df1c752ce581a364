"""One configuration merges one lake once: prepared, measured, and its output looked at."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import tempfile

import pyarrow.parquet as pq

from configurations import PEER_MEMORY_MAX, command, more_environment
from machine import busy_seconds
from process import run


@dataclasses.dataclass(frozen=True)
class Tools:
    """The programs of the build that is measured."""

    lithify: pathlib.Path
    floor: pathlib.Path
    measure: pathlib.Path

    @classmethod
    def of_build(cls, build):
        lithify = pathlib.Path(os.environ.get("LITHIFY") or build / "lithify").resolve()
        tools = cls(lithify, (build / "bench/floor").resolve(), (build / "bench/measure").resolve())
        for tool in (tools.lithify, tools.floor, tools.measure):
            if not tool.exists():
                raise SystemExit(f"{tool} is missing: make bench builds it")
        return tools


@dataclasses.dataclass(frozen=True)
class Lake:
    """`shape` as of measure_lake.py; `names` of the files in `folder`."""

    name: str
    folder: pathlib.Path
    names: list
    codec: str
    shape: dict


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def warm(lake):
    """Every byte of the inputs in the page cache, and nothing of earlier outputs to be written."""
    buffer = bytearray(1 << 20)
    for name in lake.names:
        with open(lake.folder / name, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
    os.sync()


def output_shape(configuration, lake, output):
    """Bytes and row groups. An output without all the rows is no result but a failure."""
    files = sorted(output.glob("*")) if output.is_dir() else [output]
    size = sum(path.stat().st_size for path in files)
    if configuration.engine == "floor":
        if size != lake.shape["bytes"]:
            raise RuntimeError(f"floor: {size} bytes of {lake.shape['bytes']}")
        return size, 0
    metas = [pq.read_metadata(path) for path in files]
    rows = sum(meta.num_rows for meta in metas)
    if rows != lake.shape["rows"]:
        raise RuntimeError(f"{configuration.name}: {rows} rows of {lake.shape['rows']}")
    return size, sum(meta.num_row_groups for meta in metas)


def run_once(configuration, tools, lake, output):
    """The facts of a run. Of a peer, `wall`, `cpu` count from the end of its imports."""
    remove(output)
    warm(lake)
    with tempfile.TemporaryDirectory() as scratch:
        ready = pathlib.Path(scratch) / "ready"
        line = command(configuration, tools, lake.name, lake.codec, lake.names, output, ready)
        busy = busy_seconds()
        cost = run(tools.measure, line, lake.folder,
                   PEER_MEMORY_MAX if configuration.is_peer else None,
                   more_environment(configuration), configuration.seconds_max)
        busy = busy_seconds() - busy
        before = dict(ready_ns=cost.start_ns, cpu=0, peak_bytes=0)
        if ready.exists():
            before = json.loads(ready.read_text())
    facts = dict(lake=lake.name, configuration=configuration.name)
    if cost.code:
        return facts | dict(failed=f"exit {cost.code}: {cost.error.strip()[:200]}")
    size, row_groups = output_shape(configuration, lake, output)
    imports = (before["ready_ns"] - cost.start_ns) / 1e9
    return facts | dict(wall=cost.wall - imports, cpu=cost.cpu - before["cpu"],
                        peak_bytes=cost.peak_bytes, output_bytes=size, row_groups=row_groups,
                        process_wall=cost.wall, process_cpu=cost.cpu,
                        imports_peak_bytes=before["peak_bytes"],
                        others_cpu=max(0.0, busy - cost.cpu))
