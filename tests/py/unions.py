"""Files whose schemas differ, and what one file of them must hold.

The union is computed here from pyarrow's types, one after another, and shares nothing with the
program: what a file lacks is null and OPTIONAL, fields come in the order of their first appearance.
Engines are asked for the rows of the merged file and of a control, which pyarrow writes of the
expected rows: where an engine cannot read the control, that is not the merge's doing.
"""

import re

import pyarrow as pa
import pyarrow.parquet as parquet
import pyarrow.types as types

import engines
import lithify
import movers
import parquet_file

# How a source may be written; a test takes them in turn.
STYLES = [
    dict(compression=codec, data_page_version=version, use_dictionary=dictionary,
         data_page_size=size, write_batch_size=batch, row_group_size=group, write_page_index=index,
         write_page_checksum=index)
    for codec, version, dictionary, size, batch, group, index in (
        ("snappy", "1.0", False, 1 << 20, 1024, 1 << 20, True),
        ("zstd", "2.0", True, 1 << 20, 1024, 1 << 20, False),
        ("none", "1.0", True, 64, 2, 5, True),
        ("gzip", "2.0", False, 64, 1, 1 << 20, True),
        ("brotli", "1.0", False, 200, 7, 7, False),
        ("lz4", "2.0", False, 1 << 20, 1024, 4, True),
        ("snappy", "2.0", True, 64, 3, 1 << 20, False),
        ("zstd", "1.0", False, 64, 2, 1 << 20, True),
        ("none", "2.0", False, 1 << 20, 1024, 6, False),
        ("gzip", "1.0", True, 200, 5, 9, True),
        ("brotli", "2.0", True, 1 << 20, 1024, 1 << 20, True),
        ("lz4", "1.0", True, 64, 1, 1 << 20, False),
    )
]


# Leaf types of which each holds all before it.
CHAINS = [["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"], ["float", "double"],
          ["date32[day]", "timestamp[ms]"], ["date32[day]", "timestamp[us]"],
          ["date32[day]", "timestamp[ns]"], ["binary", "string"]]


def _named(side, name):
    """The field of a group by its name; None where the group is not there or lacks it."""
    return next((field for field in side or () if field.name == name), None)


def _widest(kinds):
    """The type that holds all of some leaf types."""
    kinds = [kind for kind in kinds if not types.is_null(kind)] or [pa.null()]
    if types.is_decimal(kinds[0]):
        return max(kinds, key=lambda kind: kind.precision)
    if len(set(kinds)) == 1:
        return kinds[0]
    chain = next(chain for chain in CHAINS if all(str(kind) in chain for kind in kinds))
    return max(kinds, key=lambda kind: chain.index(str(kind)))


def _type(kinds):
    if types.is_struct(kinds[0]):
        return pa.struct(_fields([list(kind) for kind in kinds]))
    if types.is_map(kinds[0]):
        return pa.map_(_type([kind.key_type for kind in kinds]), _field([kind.item_field for kind in kinds]))
    if types.is_list(kinds[0]) or types.is_large_list(kinds[0]):
        inner = _field([kind.value_field for kind in kinds]).with_name(kinds[0].value_field.name)
        return pa.large_list(inner) if types.is_large_list(kinds[0]) else pa.list_(inner)
    return _widest(kinds)


def _field(found):
    """One field of several; an id that not all have alike is none."""
    ids = {(field.metadata or {}).get(b"PARQUET:field_id") for field in found}
    metadata = {b"PARQUET:field_id": ids.pop()} if len(ids) == 1 and None not in ids else None
    return pa.field(found[0].name, _type([field.type for field in found]),
                    any(field.nullable or types.is_null(field.type) for field in found), metadata)


def _fields(sides):
    """The fields of groups joined; each side is a list of fields."""
    names = dict.fromkeys(field.name for side in sides for field in side)
    found = []
    for name in names:
        fields = [_named(side, name) for side in sides]
        there = [field for field in fields if field]
        joined = _field(there)
        found.append(joined.with_nullable(joined.nullable or len(there) < len(sides)))
    return found


def schema_of(*schemas):
    """The union of schemas, matched by name."""
    return pa.schema(_fields([list(schema) for schema in schemas]))


def _relaxed(kind):
    if types.is_struct(kind):
        return pa.struct([_relaxed_field(field) for field in kind])
    if types.is_map(kind):
        return pa.map_(_relaxed(kind.key_type), _relaxed_field(kind.item_field))
    if types.is_list(kind):
        return pa.list_(_relaxed_field(kind.value_field))
    if types.is_large_list(kind):
        return pa.large_list(_relaxed_field(kind.value_field))
    return kind


def _relaxed_field(field):
    return pa.field(field.name, _relaxed(field.type))


def relaxed(made):
    """The table with all its fields nullable, and without field ids."""
    return made.cast(pa.schema([_relaxed_field(field) for field in made.schema]))


def fill(value, kind):
    """A row's value in a wider type: what a present struct lacks is null, and nothing else is."""
    if value is None:
        return None
    if types.is_struct(kind):
        return {field.name: fill(value.get(field.name), field.type) for field in kind}
    if types.is_map(kind):
        return [(key, fill(item, kind.item_type)) for key, item in value]
    if types.is_list(kind) or types.is_large_list(kind):
        return [fill(item, kind.value_type) for item in value]
    return value


def fill_rows(rows, schema):
    return [{field.name: fill(row.get(field.name), field.type) for field in schema} for row in rows]


def _counted(value):
    """A scalar as Python has it, but days, times and points in time as integers: not all have another form there."""
    if not value.is_valid:
        return None
    if types.is_struct(value.type):
        return {name: _counted(child) for name, child in value.items()}
    if types.is_map(value.type):
        return [tuple(map(_counted, pair.values())) for pair in value.values]
    if types.is_list(value.type) or types.is_large_list(value.type):
        return [_counted(child) for child in value.values]
    return value.value if types.is_temporal(value.type) else value.as_py()


def _counted_rows(made):
    return [dict(zip(made.schema.names, map(_counted, row))) for row in zip(*made.columns)]


def _units(kinds):
    """What the integers count, column by column."""
    for kind in kinds:
        if types.is_struct(kind):
            yield from _units([field.type for field in kind])
        elif types.is_map(kind):
            yield from _units([kind.key_type, kind.item_type])
        elif types.is_list(kind) or types.is_large_list(kind):
            yield from _units([kind.value_type])
        elif types.is_temporal(kind):
            yield str(kind)


def same_rows(sources, output):
    """The rows of the output are those of the sources, filled up here, as pyarrow reads them."""
    tables = [parquet.ParquetFile(path).read() for path in sources]
    found = parquet.ParquetFile(output).read()
    schema = schema_of(*(made.schema for made in tables))
    want = [repr(row) for made in tables for row in fill_rows(_counted_rows(made), schema)]
    have = [repr(row) for row in _counted_rows(found)]
    assert list(_units(found.schema.types)) == list(_units(schema.types))
    assert len(have) == len(want), f"{len(have)} rows, not {len(want)}"
    for number, pair in enumerate(zip(have, want)):
        assert pair[0] == pair[1], f"row {number} is {pair[0]}, not {pair[1]}"


def shapes(kind):
    """A few values of a type, no null among them, which together have every null and emptiness
    that there can be inside."""
    if types.is_struct(kind):
        children = [values(field) for field in kind]
        rows = max(map(len, children))
        return [{field.name: found[row % len(found)] for field, found in zip(kind, children)}
                for row in range(rows)]
    if types.is_map(kind):
        items = values(kind.item_field)
        pairs = [(shapes(kind.key_type)[0] + str(n), item) for n, item in enumerate(items)]
        return [[], pairs] + [[pair] for pair in pairs]
    if types.is_list(kind) or types.is_large_list(kind):
        items = values(kind.value_field)
        return [[], items] + [[item] for item in items] + [items[::-1] + items]
    if types.is_string(kind):
        return ["a", "", "ccc"]
    if types.is_null(kind):
        return [None]
    return [1, -7, 2**31 - 1]


def values(field):
    return ([None] if field.nullable else []) + shapes(field.type)


def rows_of(schema, first=0, times=1):
    """Rows with all values of all columns; `id` counts them."""
    columns = {field.name: values(field) for field in schema if field.name != "id"}
    count = max(map(len, columns.values()), default=3) * times
    return [{"id": first + row} | {name: found[row % len(found)] for name, found in columns.items()}
            for row in range(count)]


def table(rows, schema):
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)


def write(path, made, change=None, **options):
    """A source by pyarrow; `change` gets its footer (parquet_thrift.Struct) afterwards."""
    options.setdefault("store_schema", False)
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(made, path, **options)
    if change:
        parquet_file.take_apart(path).write(path, lie=change)
    return path


def described(path):
    """The schema of a footer as pyarrow reads it: names, repetitions, types, annotations, ids. The
    root's name means nothing, nor whether an annotation is of the old kind or of the new."""
    lines = str(parquet.ParquetFile(path).schema).splitlines()[2:]
    return [re.sub(r", is_from_converted_type=\w+, force_set_converted_type=\w+", "", line)
            for line in lines]


def same_schema(output, schema, folder, **options):
    """The output has the schema that pyarrow writes for this one."""
    control = write(folder / "schema.parquet", schema.empty_table(), **options)
    want, have = described(control), described(output)
    assert have == want, "the schema is\n" + "\n".join(have) + "\nnot\n" + "\n".join(want)


def seen(output, expected, filtered, folder, **options):
    """Every engine that can finds the rows in the output, all of them and by filters."""
    control = write(folder / "control.parquet", expected, **options)
    rows = expected.to_pylist()
    able = []
    for engine in engines.ENGINES:
        try:
            want = [repr(row) for row in engines.rows(engine, control)]
        except BaseException as problem:
            if isinstance(problem, (KeyboardInterrupt, SystemExit)):
                raise
            print(f"NOT COMPARED by {engine}: {str(problem)[:200]}")
            continue
        have = [repr(row) for row in engines.rows(engine, output)]
        assert len(have) == len(want), f"{engine}: {len(have)} rows, not {len(want)}"
        for number, pair in enumerate(zip(have, want)):
            assert pair[0] == pair[1], f"{engine}: row {number} is {pair[0]}, not {pair[1]}"
        if want == [repr(row) for row in rows]:
            able.append(engine)
    assert "pyarrow" in able and len(able) > 1, f"only {able} read the control as it was written"
    wrong = list(engines.wrong(output, rows, filtered, only=able))
    assert not wrong, "\n".join(wrong)


def place(folder, name="out"):
    """A new folder for an output."""
    found = folder / name
    found.mkdir(parents=True)
    return found


def merge(mover, folder, sources, *options):
    """The one output of a merge."""
    output, = movers.merge(mover, place(folder) / "out.parquet", sources, *options)
    return output


def refused(folder, sources, *options):
    """A merge that must fail: exit code 1, nothing written; returns what was said."""
    result = lithify.run("merge", *options, "-o", place(folder, "refused") / "out.parquet", *sources)
    assert result.code == lithify.FAILED, f"not refused: {result}"
    assert not list((folder / "refused").iterdir()), f"left behind: {result}"
    return result.err


def names(text, sources, column, words):
    """A refusal names both files, the column, and both types: `words` is a pattern that they fit."""
    for path in sources:
        assert path.name in text, f"{path.name} is not named: {text}"
    assert re.search(rf"\b{re.escape(column)}\b", text), f"{column} is not named: {text}"
    assert re.search(words, text, re.IGNORECASE | re.DOTALL), f"not {words}: {text}"


def element(footer, path):
    """The schema element of a dotted path in a footer."""
    wanted, stack = path.split("."), []
    for one in footer.schema:
        while stack and stack[-1][1] == 0:
            stack.pop()
        if stack:
            stack[-1][1] -= 1
        names = [name for name, _ in stack[1:]] + [one.name.decode()]
        if stack and names == wanted:
            return one
        stack.append([one.name.decode(), one.num_children or 0])
    raise KeyError(path)


def rename(footer, path, name):
    """Gives the element of a path another name, in the paths of chunks, too."""
    parts = path.split(".")
    element(footer, path).name = name.encode()
    for group in footer.row_groups:
        for column in group.columns:
            names = column.meta_data.path_in_schema
            if [part.decode() for part in names[:len(parts)]] == parts:
                names[len(parts) - 1] = name.encode()
