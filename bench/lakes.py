#!/usr/bin/env python3
"""Makes the lakes of the benchmark: the same bytes for the same options and writer versions.

L1 fat logs, L2 tiny logs, L3 gateway rows, L4 metrics and L5 wide rows are written by DuckDB with
its defaults; L4r is L4 written by pyarrow with a dictionary in every column. `--repeat` and
`--tiny` make the lakes of the scale benchmark.
"""

import argparse
import dataclasses
import os
import pathlib
import shutil
import sys
import typing

import duckdb
import numpy as np
import pyarrow.parquet as pq

from lake_gateway import gateway_rows
from lake_logs import fat_logs, short_logs
from lake_metrics import metric_rows
from lake_wide import wide_rows
from measure_lake import lake_shape

SEED = 42
MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Lake:
    """A recipe, and what the lake is to look like (None: not checked)."""

    number: int
    files: int
    rows: int
    codec: str
    table: typing.Callable
    rows_vary: int = 0
    writer: str = "duckdb"
    file_kib: float = 0
    uncompressed_mib: float = 0
    without_dictionary: float = 0


LAKES = {
    "L1": Lake(1, 32, 4800, "zstd", fat_logs, 0, "duckdb", 14_690, 641, 0.998),
    "L2": Lake(2, 2000, 100, "zstd", short_logs, 0, "duckdb", 15.8, 155, 0.885),
    "L3": Lake(3, 300, 230, "zstd", gateway_rows, 20, "duckdb", 477, 9357, 0.998),
    "L4": Lake(4, 500, 20_000, "snappy", metric_rows, 0, "duckdb", 349, 243, 0.989),
    "L4r": Lake(4, 500, 20_000, "snappy", metric_rows, 0, "pyarrow", 406, 251, 0.0),
    "L5": Lake(5, 200, 500, "snappy", wide_rows, 0, "duckdb", 1025, 231, 0.958),
}


def write_duckdb(table, path, codec):
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("rows", table)
        connection.execute(f"COPY rows TO '{path}' (FORMAT parquet, CODEC {codec})")


def write_pyarrow(table, path, codec):
    """No page may fall back from its dictionary: the limit is above any dictionary here."""
    pq.write_table(table, path, compression=codec, use_dictionary=True,
                   dictionary_pagesize_limit=64 * MIB)


WRITERS = {"duckdb": write_duckdb, "pyarrow": write_pyarrow}


def make_file(lake, index, path):
    rng = np.random.default_rng([SEED, lake.number, index])
    rows = lake.rows
    if lake.rows_vary:
        rows += int(rng.integers(-lake.rows_vary, lake.rows_vary + 1))
    WRITERS[lake.writer](lake.table(rng, index, rows), path, lake.codec)


def make_lake(lake, folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index in range(files):
        make_file(lake, index, folder / f"part-{index:05d}.parquet")
    return folder


def make_tiny(folder, files, rows):
    """Files of a few rows each; their contents take turns, so that 100,000 are soon made."""
    lake = dataclasses.replace(LAKES["L2"], rows=rows)
    kinds = min(files, 200)
    make_lake(lake, folder, kinds)
    for index in range(kinds, files):
        shutil.copyfile(folder / f"part-{index % kinds:05d}.parquet",
                        folder / f"part-{index:05d}.parquet")
    return folder


def repeat_lake(source, folder, wanted_bytes):
    """The files of a lake under new names until they are `wanted_bytes`: hard links, no space."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    inputs = sorted(source.glob("*.parquet"))
    made_bytes = index = 0
    while made_bytes < wanted_bytes:
        path = inputs[index % len(inputs)]
        os.link(path, folder / f"part-{index:05d}.parquet")
        made_bytes += path.stat().st_size
        index += 1
    return folder


def shape_line(name, shape):
    return (f"{name:4} {shape['files']:6} files {shape['rows']:9} rows "
            f"{shape['bytes'] / MIB:8.1f} MiB, {shape['bytes'] / 1024 / shape['files']:8.1f} KiB "
            f"each, uncompressed {shape['uncompressed'] / MIB:8.1f} MiB, footers "
            f"{shape['footers'] / MIB:5.2f} MiB, without dictionary "
            f"{100 * shape['without_dictionary']:5.1f} %")


def off_shape(lake, shape):
    """What of a full lake is not as its recipe says it should be, in words."""
    found = []
    file_kib = shape["bytes"] / 1024 / shape["files"]
    if shape["row_groups"] != shape["files"]:
        found.append("more than one row group in a file")
    if abs(file_kib / lake.file_kib - 1) > 0.10:
        found.append(f"{file_kib:.1f} KiB a file, expected {lake.file_kib}")
    per_file = shape["uncompressed"] / MIB / shape["files"]
    if abs(per_file / (lake.uncompressed_mib / lake.files) - 1) > 0.15:
        found.append(f"{per_file:.3f} MiB uncompressed a file, expected "
                     f"{lake.uncompressed_mib / lake.files:.3f}")
    if abs(shape["without_dictionary"] - lake.without_dictionary) > 0.03:
        found.append(f"{shape['without_dictionary']:.3f} without dictionary, expected "
                     f"{lake.without_dictionary}")
    return found


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("lakes"))
    parser.add_argument("--lakes", default=",".join(LAKES), help="which ones, with commas")
    parser.add_argument("--files", type=int, help="so many files instead of each lake's own number")
    parser.add_argument("--missing", action="store_true", help="leave lakes that are there alone")
    parser.add_argument("--repeat", type=float, metavar="GIB",
                        help="instead: L1 under new names in OUT/repeat-GIB until so many GiB")
    parser.add_argument("--tiny", type=int, metavar="FILES",
                        help="instead: OUT/tiny-FILES with so many files")
    parser.add_argument("--rows", type=int, default=20, help="rows of a tiny file")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.repeat:
        folder = options.out / f"repeat-{options.repeat:g}"
        repeat_lake(options.out / "L1", folder, options.repeat * (1 << 30))
        return 0
    if options.tiny:
        make_tiny(options.out / f"tiny-{options.tiny}", options.tiny, options.rows)
        return 0
    faults = 0
    for name in options.lakes.split(","):
        folder = options.out / name
        if not (options.missing and folder.is_dir()):
            make_lake(LAKES[name], folder, options.files or LAKES[name].files)
        shape = lake_shape(sorted(folder.glob("*.parquet")))
        print(shape_line(name, shape), flush=True)
        for fault in off_shape(LAKES[name], shape):
            print(f"{name}: {fault}", file=sys.stderr)
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
