"""A wide table: a time and 400 columns, of numbers that do not repeat and of labels that do."""

import numpy as np
import pyarrow as pa

from random_columns import few_of

START_US = 1_781_517_600_000_000
COLUMNS = 400
LABELS = ["state-%02d" % n for n in range(12)]


def wide_rows(rng, file_index, rows):
    time = START_US + (file_index * rows + np.arange(rows)) * 1_000_000
    columns = {"time": pa.array(time, pa.timestamp("us"))}
    for index in range(COLUMNS):
        name = "c%03d" % index
        if index % 3 == 0:
            columns[name] = few_of(rng, rows, LABELS)
        elif index % 3 == 1:
            columns[name] = pa.array(rng.random(rows))
        else:
            columns[name] = pa.array(rng.integers(0, 1 << 32, rows), pa.int64())
    return pa.table(columns)
