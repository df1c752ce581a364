"""Random Arrow columns, made a whole column at a time.

Everything follows from the generator passed in, so a lake is the same bytes each time it is made.
"""

import numpy as np
import pyarrow as pa

SYMBOLS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)


def symbols(rng, count):
    """`count` bytes of random text with six bits of information each."""
    return SYMBOLS[np.frombuffer(rng.bytes(count), np.uint8) & 63]


def text_from_bytes(data, lengths, kind=pa.string()):
    """The column whose values are the pieces of `data` of these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    array = pa.Array.from_buffers(pa.binary(), len(lengths),
                                  [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return array.cast(kind)


def fixed_text(rng, rows, width):
    return text_from_bytes(symbols(rng, rows * width), np.full(rows, width))


def fixed_bytes(rng, rows, width):
    data = np.frombuffer(rng.bytes(rows * width), np.uint8)
    return text_from_bytes(data, np.full(rows, width), pa.binary())


def numbers_as_text(values):
    return pa.array(values).cast(pa.string())


def few_of(rng, rows, values, odds=None):
    """A column that takes each row's value from a short list."""
    return pa.array(values).take(pa.array(rng.choice(len(values), rows, p=odds)))


def lists(items, counts):
    """The list column that hands out `items` in turn, `counts[i]` to row i."""
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), items)
