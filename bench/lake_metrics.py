"""Metrics of a fleet: each moment has one row for each host. In order of time, or not."""

import numpy as np
import pyarrow as pa

START_US = 1_781_517_600_000_000
HOSTS = 200
REGIONS = ["eu-central-1", "eu-west-1", "us-east-1", "us-west-2"]


def numbered_rows(rng, number):
    """The rows of these numbers in the order of time. cpu repeats 10,000 values, disk is a binary
    fraction in whose zeros a fast codec finds something; mem has a full mantissa."""
    rows = len(number)
    host = number % HOSTS
    return pa.table({
        "time": pa.array(START_US + number // HOSTS * 10_000_000, pa.timestamp("us")),
        "host": pa.array(["host-%03d" % n for n in range(HOSTS)]).take(pa.array(host)),
        "region": pa.array(REGIONS).take(pa.array(host % len(REGIONS))),
        "cpu": pa.array(np.round(rng.random(rows) * 100, 2)),
        "mem": pa.array(rng.random(rows) * 64e9),
        "disk": pa.array(np.floor(rng.random(rows) * 102_400) / 1024),
    })


def metric_rows(rng, file_index, rows):
    return numbered_rows(rng, np.arange(rows) + file_index * rows)


def mixed_rows(rng, rows, of_rows):
    """Rows of any time: `rows` numbers out of `of_rows`, in no order."""
    return numbered_rows(rng, rng.integers(0, of_rows, rows))
