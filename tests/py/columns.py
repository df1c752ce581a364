"""Arrow tables as flat arrays that are equal exactly when the rows are, bit for bit.

A column becomes a list of (path, numpy array): per level which entries are valid, list lengths,
and the bytes of the valid values. NaN payloads and -0 are kept apart, null from empty, and a null
struct from a struct of nulls. How the values were stored (chunks, offsets, dictionaries, large or
small lists) makes no difference.
"""

import re

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.types as types


def _fixed_bytes(array, width):
    """The values of an array without nulls as raw bytes, `width` each."""
    data = numpy.frombuffer(array.buffers()[1], dtype=numpy.uint8)
    return data[array.offset * width:(array.offset + len(array)) * width].reshape(len(array), width)


def _view_as_raw(data):
    """Rows of bytes as one element each, so that they compare and index as values."""
    data = numpy.ascontiguousarray(data)
    if data.shape[1] in (1, 2, 4, 8):
        return data.view(f"<u{data.shape[1]}").reshape(-1)
    return data.view(f"V{data.shape[1]}").reshape(-1) if data.shape[1] else numpy.zeros(len(data))


def _plain(array):
    """Takes away what is only a way to store: extensions, dictionaries, views, large types."""
    kind = array.type
    while isinstance(array, pyarrow.ExtensionArray):
        array = array.storage
        kind = array.type
    if types.is_dictionary(kind):
        array = array.dictionary_decode()
        return _plain(array)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        array = array.cast(pyarrow.large_string()).cast(pyarrow.large_binary())
    elif types.is_binary(kind) or types.is_binary_view(kind):
        array = array.cast(pyarrow.large_binary())
    return array


def flatten_array(array, path, out):
    """Appends the (path, numpy array) pairs of one array to `out`. Depth is that of the schema."""
    array = _plain(array)
    kind = array.type
    out.append((path + "?", array.is_valid().to_numpy(zero_copy_only=False)))
    if types.is_null(kind):
        return
    if types.is_struct(kind):
        # flatten() puts the nulls of the struct into its children.
        for index, child in enumerate(array.flatten()):
            flatten_array(child, f"{path}.{kind.field(index).name}", out)
        return
    valid = array.drop_null() if array.null_count else array
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind) \
            or types.is_fixed_size_list(kind):
        if types.is_fixed_size_list(kind):
            lengths = numpy.full(len(valid), kind.list_size)
        else:
            lengths = numpy.diff(_offsets(valid))
        out.append((path + "#", lengths.astype(numpy.int64)))
        if types.is_map(kind):
            offsets = _offsets(valid)
            for side, child in (("key", valid.keys), ("value", valid.items)):
                child = child.slice(offsets[0], offsets[-1] - offsets[0])
                flatten_array(child, f"{path}[].{side}", out)
        else:
            flatten_array(valid.flatten(), path + "[]", out)
    elif types.is_large_binary(kind):
        offsets = _offsets(valid)
        out.append((path + "#", numpy.diff(offsets)))
        data = numpy.frombuffer(valid.buffers()[2] or b"", dtype=numpy.uint8)
        out.append((path, data[offsets[0]:offsets[-1]]))
    elif types.is_boolean(kind):
        out.append((path, valid.to_numpy(zero_copy_only=False)))
    else:
        out.append((path, _view_as_raw(_fixed_bytes(valid, kind.bit_width // 8)) if len(valid)
                    else numpy.zeros(0)))


def _offsets(array):
    """Offsets of a list, map or binary array, its own offset applied, as int64."""
    if types.is_large_list(array.type) or types.is_large_binary(array.type):
        dtype = numpy.int64
    else:
        dtype = numpy.int32
    buffer = array.buffers()[1]
    if buffer is None or buffer.size == 0:
        return numpy.zeros(1, numpy.int64)
    offsets = numpy.frombuffer(buffer, dtype=dtype)
    return offsets[array.offset:array.offset + len(array) + 1].astype(numpy.int64)


def _joined(column):
    """One array of a chunked one; dictionaries of the chunks may differ, so they go first."""
    chunks = [_plain(chunk) for chunk in column.chunks]
    if not chunks:
        return pyarrow.array([], column.type)
    return chunks[0] if len(chunks) == 1 else pyarrow.concat_arrays(chunks)


def flatten(table):
    """The (path, numpy array) pairs of all columns."""
    out = []
    for index, name in enumerate(table.column_names):
        flatten_array(_joined(table.column(index)), name, out)
    return out


def _without(flat, added):
    """Takes out the columns of these names, in whatever group; (what is left, what is wrong)."""
    left, found = [], set()
    for path, values in flat:
        name = re.match(r"[^?#\[]*", path.rsplit(".", 1)[-1])[0]
        if name not in added:
            left.append((path, values))
            continue
        found.add(name)
        if path.endswith(name + "?") and values.any():
            return left, f"{path}: a value in an added column"
    return left, None if found == set(added) else f"only {sorted(found)} were added"


def difference(sources, output, added=()):
    """Why the rows of `output` are not those of `sources` one after another; None if they are.
    `added` names columns of nulls that the output has besides."""
    want = [flatten(table) for table in sources]
    have, why = _without(flatten(output), added)
    if why:
        return why
    rows = sum(table.num_rows for table in sources)
    if output.num_rows != rows:
        return f"{output.num_rows} rows, not {rows}"
    for flat in want:
        if [path for path, _ in flat] != [path for path, _ in have]:
            return f"columns {[p for p, _ in have]}, not {[p for p, _ in flat]}"
    for index, (path, values) in enumerate(have):
        expected = numpy.concatenate([flat[index][1] for flat in want if len(flat[index][1])]
                                     or [values[:0]])
        if len(expected) != len(values):
            return f"{path}: {len(values)} values, not {len(expected)}"
        if len(values) and expected.dtype != values.dtype:
            return f"{path}: {values.dtype}, not {expected.dtype}"
        if not numpy.array_equal(expected, values):
            # Void elements have no ordered comparison, but bytes do.
            first = next(i for i in range(len(values)) if expected[i].tobytes() != values[i].tobytes())
            return (f"{path}: value {first} is {values[first].tobytes().hex()}, "
                    f"not {expected[first].tobytes().hex()}")
    return None


