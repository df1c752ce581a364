"""One hour of logs of 20 services: a file a minute, each in order of time, services mixed."""

import shutil

import numpy as np
import pyarrow as pa

from lake_logs import SEVERITIES, SEVERITY_ODDS, START_NS, attributes, resources, short_body
from lakes import SEED, write_duckdb
from random_columns import few_of, fixed_bytes

CODEC = "zstd"
FILES = 60
ROWS = 20_000
MINUTE_US = 60_000_000
SERVICES = ["svc-%02d" % n for n in range(20)]
LAKE_NUMBER = 6


def service_rows(rng, file_index, rows):
    time = START_NS // 1000 + file_index * MINUTE_US + np.sort(rng.integers(0, MINUTE_US, rows))
    return pa.table({
        "service.name": few_of(rng, rows, SERVICES),
        "time": pa.array(time, pa.timestamp("us")),
        "severity": few_of(rng, rows, SEVERITIES, SEVERITY_ODDS),
        "body": short_body(rng, rows),
        "attributes": attributes(rng, rows, ""),
        "resource": resources(rng, rows),
        "trace_id": fixed_bytes(rng, rows, 16),
        "span_id": fixed_bytes(rng, rows, 8),
    })


def make_services(folder, rows):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index in range(FILES):
        rng = np.random.default_rng([SEED, LAKE_NUMBER, index])
        write_duckdb(service_rows(rng, index, rows), folder / f"part-{index:05d}.parquet", CODEC)
    return folder
