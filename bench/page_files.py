"""Files of one row group whose pages have a chosen number of rows, and what is in them.

Column `v` is what is measured; `id` counts the rows, so that a query can ask for a few of them.
"""

import json
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from random_columns import few_of, numbers_as_text, symbols, text_from_bytes

SEED = 7
NO_LIMIT = 1 << 30
BASE_PAGE_BYTES = 1 << 20


def steps(rng, rows):
    return pa.array(np.cumsum(rng.integers(0, 2_000_000, rows)) + 1_781_517_600_000_000_000)


def doubles(rng, rows):
    return pa.array(rng.random(rows))


def short_text(rng, rows):
    return numbers_as_text(rng.integers(0, 100_000_000, rows))


def long_text(rng, rows):
    """200 bytes, of which a codec saves about half."""
    data = symbols(rng, rows * 200).reshape(rows, 200)
    data[:, 80:] = data[0, 80:]
    return text_from_bytes(data.reshape(-1), np.full(rows, 200))


def labels(rng, rows):
    return few_of(rng, rows, ["label-%02d" % n for n in range(40)])


# Name -> values, encoding (None: a dictionary).
KINDS = {
    "int64, delta": (steps, "DELTA_BINARY_PACKED"),
    "double": (doubles, "PLAIN"),
    "short text": (short_text, "PLAIN"),
    "long text": (long_text, "PLAIN"),
    "dictionary": (labels, None),
}


def make_table(kind, rows):
    rng = np.random.default_rng([SEED, list(KINDS).index(kind)])
    return pa.table({"id": pa.array(np.arange(rows)), "v": KINDS[kind][0](rng, rows)})


def write(table, path, kind, codec, page_rows):
    """Pages of `page_rows`, or with None of 1 MiB. The page index is there, as in any new file."""
    encoding = KINDS[kind][1]
    encodings = {"id": "PLAIN"} | ({"v": encoding} if encoding else {})
    pq.write_table(table, path, compression=codec, row_group_size=NO_LIMIT,
                   use_dictionary=False if encoding else ["v"],
                   column_encoding=encodings,
                   data_page_size=NO_LIMIT if page_rows else BASE_PAGE_BYTES,
                   max_rows_per_page=page_rows or NO_LIMIT,
                   write_batch_size=min(page_rows or 1024, 1024), write_page_index=True)


def page_facts(lithify, path):
    """Pages of `v`, their mean bytes, and what the column takes with its indexes."""
    done = subprocess.run([lithify, "inspect", "--json", "--pages", path], check=True,
                          capture_output=True)
    file = json.loads(done.stdout)
    chunk = file["row_groups"][0]["columns"][1]
    pages = [page for page in chunk["pages"] if page["type"].startswith("DATA_PAGE")]
    compressed = sum(page["compressed_bytes"] for page in pages)
    plain = sum(page["uncompressed_bytes"] for page in pages)
    index = sum(chunk[name]["bytes"] for name in ("offset_index", "column_index") if name in chunk)
    return dict(pages=len(pages), page_bytes=compressed / len(pages),
                page_plain_bytes=plain / len(pages), column_bytes=chunk["compressed_bytes"] + index)
