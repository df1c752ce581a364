"""Holds the statistics of a footer against the values of their row groups.

Bounds may be wide, never narrow; a null count is exact. Readers prune by them and even answer from
them, so one narrow bound loses rows.
"""

import math
import struct

import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet
import pyarrow.types as types


def _comparable(kind):
    """Whether pyarrow gives bounds and values of this type in the same Python form and order."""
    return (types.is_integer(kind) or types.is_floating(kind) or types.is_string(kind)
            or types.is_large_string(kind) or types.is_binary(kind) or types.is_boolean(kind)
            or types.is_date(kind) or types.is_decimal(kind) or types.is_large_binary(kind))


def _leaf_values(table, path):
    """The values of a top-level leaf column of flat type, or None for nested columns."""
    if path not in table.column_names:
        return None
    return table.column(path)


def _bounds(values):
    kind = values.type
    if types.is_floating(kind):
        values = values.cast(pyarrow.float64())
        values = values.filter(compute.invert(compute.is_nan(values)))
    if types.is_string(kind) or types.is_large_string(kind):
        # Strings compare by their bytes.
        values = values.cast(pyarrow.large_binary())
    values = values.drop_null()
    if len(values) == 0:
        return None
    return (compute.min(values).as_py(), compute.max(values).as_py())


def _same_form(value, bound):
    """A statistic in the form of a value: strings as bytes, FLOAT16 from its two bytes."""
    if isinstance(bound, bytes) and isinstance(value, str):
        return value.encode()
    if isinstance(bound, float) and isinstance(value, bytes):
        return struct.unpack("<e", value)[0]
    return value


def lies(path):
    """Sentences, one for each statistic that is wrong."""
    file = parquet.ParquetFile(path)
    found = []
    for group in range(file.num_row_groups):
        metadata = file.metadata.row_group(group)
        table = None
        for index in range(metadata.num_columns):
            column = metadata.column(index)
            statistics = column.statistics
            if statistics is None:
                continue
            table = table if table is not None else file.read_row_group(group)
            values = _leaf_values(table, column.path_in_schema)
            if values is None or types.is_nested(values.type):
                continue
            where = f"row group {group} column {column.path_in_schema}"
            if statistics.has_null_count and statistics.null_count != values.null_count:
                found.append(f"{where}: null_count {statistics.null_count}, not {values.null_count}")
            if types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            if not statistics.has_min_max or not _comparable(values.type):
                continue
            bounds = _bounds(values)
            if bounds is None:
                continue
            try:
                low, high = (_same_form(v, bounds[0]) for v in (statistics.min, statistics.max))
            except UnicodeDecodeError:
                # Strings that are none, as their values are.
                continue
            if isinstance(low, float) and (math.isnan(low) or math.isnan(high)):
                found.append(f"{where}: a bound is NaN")
            elif low > bounds[0] or high < bounds[1]:
                found.append(f"{where}: bounds {low!r} to {high!r}, values {bounds[0]!r} to {bounds[1]!r}")
    return found
