"""What a lake is made of, from the footers alone."""

import pyarrow.parquet as pq


def lake_shape(paths):
    """Files, rows, bytes, and the share of chunk bytes that lie in chunks without a dictionary."""
    shape = dict(files=0, rows=0, bytes=0, uncompressed=0, row_groups=0, footers=0)
    chunk_bytes = plain_bytes = 0
    for path in paths:
        meta = pq.read_metadata(path)
        shape["files"] += 1
        shape["rows"] += meta.num_rows
        shape["bytes"] += path.stat().st_size
        shape["row_groups"] += meta.num_row_groups
        shape["footers"] += meta.serialized_size
        for group_index in range(meta.num_row_groups):
            group = meta.row_group(group_index)
            for column_index in range(group.num_columns):
                chunk = group.column(column_index)
                chunk_bytes += chunk.total_compressed_size
                shape["uncompressed"] += chunk.total_uncompressed_size
                if not chunk.has_dictionary_page:
                    plain_bytes += chunk.total_compressed_size
    shape["without_dictionary"] = plain_bytes / max(chunk_bytes, 1)
    return shape
