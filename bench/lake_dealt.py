"""Lakes whose files overlap in time, for sorted rewrites.

L4s has the rows of L4 dealt at random over as many files, each in no order; in L4i the same files
are in order of time. `make_mixed` makes as many such files as are wanted, of rows of their own: one
file at a time, since the whole would not fit into memory.
"""

import math
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lake_metrics import mixed_rows
from lakes import LAKES, SEED, write_duckdb

# Name -> whether its files are in order of time.
DEALT = {"L4s": False, "L4i": True}
LIKE = LAKES["L4"]
MIXED_FILE_BYTES = 497 << 10  # as measured; what `make_mixed` made is counted anyway
MIXED_LAKE_NUMBER = 40


def make_dealt(source, folder, in_order):
    """Both orders see the same deal: the generator starts anew. Rows of L4 are in order of time,
    so that those of a file are if their numbers are."""
    paths = sorted(source.glob("*.parquet"))
    table = pa.concat_tables([pq.read_table(path) for path in paths])
    deal = np.random.default_rng([SEED, LIKE.number, len(paths)]).permutation(len(table))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index, numbers in enumerate(np.array_split(deal, len(paths))):
        rows = table.take(pa.array(np.sort(numbers) if in_order else numbers))
        write_duckdb(rows, folder / f"part-{index:05d}.parquet", LIKE.codec)
    return folder


def make_mixed(folder, wanted_bytes):
    """Files like those of L4s, about `wanted_bytes` of them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = math.ceil(wanted_bytes / MIXED_FILE_BYTES)
    for index in range(files):
        rng = np.random.default_rng([SEED, MIXED_LAKE_NUMBER, index])
        write_duckdb(mixed_rows(rng, LIKE.rows, files * LIKE.rows),
                     folder / f"part-{index:05d}.parquet", LIKE.codec)
    return folder
