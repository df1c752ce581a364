"""Rows of a model gateway: one huge message each that repeats itself seventy times."""

import numpy as np
import pyarrow as pa

from random_columns import few_of, fixed_text, symbols, text_from_bytes

START_US = 1_781_517_600_000_000
TURN_BYTES = 2000
TURNS = 70


def messages(rng, rows):
    """A conversation that is sent again with each turn: only a few bytes of a turn are new."""
    turns = rng.integers(TURNS - 20, TURNS + 21, rows)
    rows_bytes = []
    for count in turns:
        text = np.tile(symbols(rng, TURN_BYTES), (count, 1))
        text[:, :8] = symbols(rng, 8 * count).reshape(count, 8)
        rows_bytes.append(text.reshape(-1))
    return text_from_bytes(np.concatenate(rows_bytes), turns * TURN_BYTES)


def gateway_rows(rng, file_index, rows):
    time = START_US + file_index * 60_000_000 + np.sort(rng.integers(0, 60_000_000, rows))
    return pa.table({
        "time": pa.array(time, pa.timestamp("us")),
        "request_id": fixed_text(rng, rows, 24),
        "model": few_of(rng, rows, ["small", "medium", "large"]),
        "status": pa.array(rng.choice([200, 429, 500], rows, p=[0.95, 0.04, 0.01]), pa.int32()),
        "user_id": pa.array(rng.integers(0, 1 << 40, rows), pa.int64()),
        "prompt_tokens": pa.array(rng.integers(100, 60_000, rows), pa.int32()),
        "completion_tokens": pa.array(rng.integers(1, 4_000, rows), pa.int32()),
        "latency_ms": pa.array(rng.gamma(2.0, 900.0, rows), pa.float64()),
        "message": messages(rng, rows),
    })
