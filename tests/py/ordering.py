"""The order that a sorted rewrite should have, as other implementations have it.

Keys compare as Python's integers, bytes, decimals and floats do, NaN behind all numbers, nulls where
the key says; rows with equal keys stand by the name of their file, then as in it. DuckDB orders the
same files besides, where it reads their keys.
"""

import dataclasses
import math

import duckdb
import numpy
import pyarrow
import pyarrow.parquet as parquet
import pyarrow.types as types

import columns
import lithify
import parquet_file


@dataclasses.dataclass(frozen=True)
class Key:
    """`path` is the names from the top; `text` is written as an operator would."""
    path: tuple
    descending: bool = False
    nulls_first: bool = False

    @property
    def text(self):
        name = ".".join(self.path)
        if any("." in part for part in self.path):
            name = ".".join(f'"{part}"' for part in self.path)
        return name + ":desc" * self.descending + ":nulls-first" * self.nulls_first

    @property
    def sql(self):
        name = ".".join('"' + part.replace('"', '""') + '"' for part in self.path)
        return (f"{name} {'DESC' if self.descending else 'ASC'} "
                f"NULLS {'FIRST' if self.nulls_first else 'LAST'}")


def key(text):
    """`a.b:desc:nulls-first`, as Key has it; every dot is a joint."""
    name, *options = text.split(":")
    return Key(tuple(name.split(".")), "desc" in options, "nulls-first" in options)


def keys(text):
    return [key(part) for part in text.split(",")]


def option(wanted):
    return ["--sort-by", ",".join(one.text for one in wanted)]


def read(path):
    return parquet.ParquetFile(path).read()


def _whole(array):
    """What counts in pyarrow as an integer: days, times and points in time are."""
    kind = array.type
    if types.is_date32(kind) or types.is_time32(kind):
        return array.view(pyarrow.int32())
    if types.is_time64(kind) or types.is_timestamp(kind) or types.is_duration(kind):
        return array.view(pyarrow.int64())
    return array


def comparable(array):
    """The values of an array as Python values that compare in the order of the format; None: null."""
    while isinstance(array, pyarrow.ExtensionArray):
        array = array.storage
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    values = _whole(array).to_pylist()
    if types.is_floating(kind):
        return [None if v is None else (math.isnan(v), 0.0 if v != v else v + 0.0) for v in values]
    if types.is_string(kind) or types.is_large_string(kind):
        return [None if v is None else v.encode() for v in values]
    return values


def column(table, path):
    """The leaf at a path, a null in a group above it being one of its own; all null where it is not."""
    if path[0] not in table.column_names:
        return pyarrow.nulls(table.num_rows)
    found = table.column(path[0]).combine_chunks()
    found = found.combine_chunks() if isinstance(found, pyarrow.ChunkedArray) else found
    for name in path[1:]:
        places = [field.name for field in found.type]
        if name not in places:
            return pyarrow.nulls(table.num_rows)
        found = found.flatten()[places.index(name)]
    return found


def by_python(tables, wanted):
    """Places of rows among all rows of `tables`, in the order of `wanted`."""
    order = list(range(sum(table.num_rows for table in tables)))
    for one in reversed(wanted):
        values = [v for table in tables for v in comparable(column(table, one.path))]
        present = [row for row in order if values[row] is not None]
        nulls = [row for row in order if values[row] is None]
        present.sort(key=values.__getitem__, reverse=one.descending)
        order = nulls + present if one.nulls_first else present + nulls
    return order


def arranged(tables, wanted):
    """All rows of the tables, in that order."""
    order = pyarrow.array(by_python(tables, wanted), pyarrow.int64())
    return pyarrow.concat_tables(tables).take(order)


def by_duckdb(paths, wanted):
    """The same of the files at `paths`, as DuckDB has it."""
    paths = [str(path) for path in paths]
    query = ("SELECT filename, file_row_number FROM read_parquet(?, union_by_name = true, "
             "hive_partitioning = false, filename = true, file_row_number = true) ORDER BY "
             + ", ".join(one.sql for one in wanted) + ", filename, file_row_number")
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = connection.execute(query, [paths]).fetchall()
    begins, begin = {}, 0
    for path in paths:
        begins[path] = begin
        begin += parquet.read_metadata(path).num_rows
    return [begins[name] + row for name, row in rows]


def names_order(paths):
    """As the program takes files: by the bytes of their names."""
    return sorted(map(str, paths), key=lambda name: name.encode())


def wanted_rows(paths, wanted, has_duckdb=True):
    """The rows of files of one schema, in order; both judges must have it so."""
    paths = names_order(paths)
    tables = [read(path) for path in paths]
    if has_duckdb:
        assert by_duckdb(paths, wanted) == by_python(tables, wanted), "DuckDB and Python do not agree"
    return arranged(tables, wanted)


def check_rows(expected, outputs):
    """The outputs, one after another, have just these rows in this order, bit for bit."""
    found = pyarrow.concat_tables([read(path) for path in outputs])
    why = columns.difference([expected], found)
    assert why is None, why


def claimed(path):
    """Of each row group: [(dotted path, descending, nulls first)] of its sorting_columns, as pyarrow
    has them, which must be what the footer says."""
    metadata = parquet.ParquetFile(path).metadata
    footer = parquet_file.read_footer(path.read_bytes())
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        found.append([(group.column(one.column_index).path_in_schema, one.descending,
                       one.nulls_first) for one in group.sorting_columns])
        raw = footer.row_groups[number]
        assert [(b".".join(raw.columns[one.column_idx].meta_data.path_in_schema).decode(),
                 one.descending, one.nulls_first)
                for one in raw.sorting_columns or ()] == found[-1], (path, number)
    return found


def check_claims(outputs, wanted):
    """Every row group says that it is sorted by `wanted`, and by nothing else."""
    said = [(".".join(one.path), one.descending, one.nulls_first) for one in wanted]
    for path in outputs:
        groups = claimed(path)
        assert parquet.read_metadata(path).num_rows == 0 or groups, path
        assert groups == [said] * len(groups), f"{path}: {groups}, not {said}"


def check_sorted(expected, outputs, wanted, arrow=None):
    """Rows, their order, what footers claim and, with a judge, statistics."""
    check_rows(expected, outputs)
    check_claims(outputs, wanted)
    if arrow:
        for path in outputs:
            assert arrow.ask("claims", path=path) == {"lies": []}, path


def merge(output, inputs, wanted, *options, **more):
    return lithify.merge(output, inputs, *option(wanted), *options, **more)


def merge_shuffled(output, inputs, wanted, chance, *options):
    """Merges, and once more with the files named in another order: every byte is the same."""
    made = merge(output, inputs, wanted, *options)
    shuffled = list(inputs)
    chance.shuffle(shuffled)
    other = output.with_name("shuffled")
    other.mkdir()
    again = merge(other / output.name, shuffled, wanted, *options)
    assert [path.read_bytes() for path in made] == [path.read_bytes() for path in again], \
        "the order in which files are named shows"
    return made


def random_keys(chance, paths, count):
    """`count` keys of these columns, each its own, of random directions."""
    return [Key(path, chance.random() < 0.5, chance.random() < 0.5)
            for path in chance.sample(paths, count)]


def with_numbers(table, first):
    """The table with a column that tells every row."""
    numbers = pyarrow.array(numpy.arange(first, first + table.num_rows))
    return table.append_column("row_number", numbers)
