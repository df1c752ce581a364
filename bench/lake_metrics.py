"""Metrics of a fleet, sorted by time: each moment has one row for each host."""

import numpy as np
import pyarrow as pa

START_US = 1_781_517_600_000_000
HOSTS = 200
REGIONS = ["eu-central-1", "eu-west-1", "us-east-1", "us-west-2"]


def metric_rows(rng, file_index, rows):
    """cpu repeats 10,000 values, disk is a binary fraction in whose zeros a fast codec finds
    something; mem has a full mantissa."""
    number = np.arange(rows) + file_index * rows
    host = number % HOSTS
    return pa.table({
        "time": pa.array(START_US + number // HOSTS * 10_000_000, pa.timestamp("us")),
        "host": pa.array(["host-%03d" % n for n in range(HOSTS)]).take(pa.array(host)),
        "region": pa.array(REGIONS).take(pa.array(host % len(REGIONS))),
        "cpu": pa.array(np.round(rng.random(rows) * 100, 2)),
        "mem": pa.array(rng.random(rows) * 64e9),
        "disk": pa.array(np.floor(rng.random(rows) * 102_400) / 1024),
    })
