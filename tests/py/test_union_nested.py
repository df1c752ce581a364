"""Fields that are added to groups that are there, and what becomes OPTIONAL: P5, parquet-splice.md
6.3 to 6.5.

A struct that is present and lacks a child is not null, a list that is empty stays empty: levels of
an added leaf follow those of its group, at every depth.
"""

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import engines
import judge
import lithify
import movers
import unions

INT, WORD = pa.int32(), pa.string()


def item(kind, nullable=True):
    return pa.field("element", kind, nullable)


def group(*fields):
    return pa.struct([field if isinstance(field, pa.Field) else pa.field(*field) for field in fields])


# What the group has in the old file: what levels there are to follow.
OLD = {
    "a leaf": [("a", INT), ("w", WORD)],
    "a required leaf": [("a", INT, False)],
    "only a list": [("l", pa.list_(item(INT)))],
    "only a required list": [("l", pa.list_(item(INT, False)), False)],
    "only a list of lists": [("l", pa.list_(item(pa.list_(item(WORD)))))],
    "only a map": [("m", pa.map_(WORD, INT))],
    "only a group of a list": [("g", group(("l", pa.list_(item(INT)))))],
    "only a list of groups": [("l", pa.list_(item(group(("x", INT)))))],
}
# What the new file has in the group besides: before, and behind.
BEFORE = [("b", pa.int64()), ("words", pa.list_(item(WORD)))]
BEHIND = [("must", INT, False), ("g2", group(("p", INT, False), ("q", pa.list_(item(INT))))),
          ("groups", pa.list_(item(group(("p", WORD))))), ("m2", pa.map_(WORD, pa.int64())),
          ("z", WORD)]
# Where the group is.
PLACES = {
    "struct": lambda g: g,
    "struct in a struct": lambda g: group(("o", g), ("n", INT)),
    "struct in structs": lambda g: group(("o", group(("i", g)))),
    "struct in a required struct": lambda g: group(pa.field("o", g, False)),
    "list of structs": lambda g: pa.list_(item(g)),
    "list of required structs": lambda g: pa.list_(item(g, False)),
    "map of structs": lambda g: pa.map_(WORD, g),
    "list in a struct": lambda g: group(("l", pa.list_(item(g))), ("n", INT)),
    "list of lists": lambda g: pa.list_(item(pa.list_(item(g)))),
    "map of lists": lambda g: pa.map_(WORD, pa.list_(item(g))),
    "list of maps": lambda g: pa.list_(item(pa.map_(WORD, g))),
    "list of structs of lists": lambda g: pa.list_(item(group(("l", pa.list_(item(g))), ("n", INT)))),
    "three lists": lambda g: pa.list_(item(pa.list_(item(pa.list_(item(g)))))),
}
ID = pa.field("id", pa.int64(), False)


def strict_field(field):
    return pa.field(field.name, strict(field.type), field.nullable and not pa.types.is_nested(field.type))


def strict(kind):
    """The type with all groups below it REQUIRED."""
    if pa.types.is_struct(kind):
        return pa.struct([strict_field(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, strict_field(kind.item_field))
    return pa.list_(strict_field(kind.value_field)) if pa.types.is_list(kind) else kind


def schema_of(place, children, is_strict):
    field = pa.field("x", PLACES[place](group(*children)))
    return pa.schema([ID, strict_field(field) if is_strict else field])


def check(mover, folder, sources, tables, *options, filtered=()):
    """Merges, and holds the output against the rows of the tables, filled up here."""
    schema = unions.schema_of(*(table.schema for table in tables))
    rows = [row for table in tables for row in unions.fill_rows(table.to_pylist(), schema)]
    output = unions.merge(mover, folder, sources, *options)
    unions.same_schema(output, schema, folder)
    unions.seen(output, unions.table(rows, schema), filtered, folder)
    lithify.ok("verify", *sources, "--", output)
    return output


# Seven turns of what groups are REQUIRED in, five orders, twelve styles, three movers, eight times
# thirteen groups: they do not keep step.
STRICT = ["old", "old", None, "new", "old", None, "new"]
ORDERS = [["old", "new"], ["new", "old", "old"], ["new", "old"], ["old", "new", "old"], ["old", "old", "new", "new"]]
CASES = movers.in_turn([((place, old), ORDERS[number % 5], STRICT[number % 7]) for number, (place, old) in enumerate(
    (place, old) for place in PLACES for old in OLD)])


@pytest.mark.parametrize("case, mover, style", [(*case, unions.STYLES[number % 12])
                                                for number, case in enumerate(CASES)],
                         ids=lambda part: ", ".join(part[0]) if isinstance(part, tuple) else
                         part if isinstance(part, str) else "")
def test_children_are_added(case, mover, style, arrow, duck, tmp_path):
    """P5, P1: children of all kinds added to a group change neither its nulls nor its lists, also where
    groups above it become OPTIONAL."""
    (place, old), order, strict_side = case
    before = schema_of(place, OLD[old], strict_side == "old")
    after = schema_of(place, BEFORE + OLD[old] + BEHIND, strict_side == "new")
    tables = {name: unions.table(unions.rows_of(schema, first), schema)
              for name, schema, first in (("old", before, 0), ("new", after, 1000))}
    files = {name: unions.write(tmp_path / f"{name}.parquet", table, **style)
             for name, table in tables.items()}
    sources = [files[name] for name in order]
    output = check(mover, tmp_path, sources, [tables[name] for name in order])
    judge.same_union([arrow, duck], sources, [output])
    judge.honest_statistics(arrow, [output])


LARGE = {"--row-group-rows 500": ["--row-group-rows", "500"], "--threads 2": ["--threads", "2"],
         "--memory 64MiB": ["--memory", "64MiB"]}


@pytest.mark.parametrize("mover, options", list(zip(movers.MOVERS, LARGE)))
def test_children_of_many_pages(mover, options, arrow, duck, tmp_path):
    """P5, P1: the same over some thousand rows in pages and row groups of several sizes."""
    tables, files = [], []
    for number, style in enumerate(unions.STYLES[::2]):
        wide = number % 3 == 1
        fields = [ID]
        for place in PLACES:
            children = OLD["a leaf"] + OLD["only a list"]
            children = BEFORE + children + BEHIND if wide else children
            fields.append(pa.field(place, PLACES[place](group(*children))))
        schema = pa.schema(fields)
        rows = unions.rows_of(schema, number * 10000, times=1 + number % 3 * 5)
        tables.append(unions.table(rows, schema))
        more = dict(style, row_group_size=100) if number % 2 else style
        files.append(unions.write(tmp_path / f"{number:02}.parquet", tables[-1], **more))
    output = check(mover, tmp_path, files, tables, *LARGE[options])
    judge.same_union([arrow, duck], files, [output])


# Which nodes of a list of structs of a map are REQUIRED: list, element, its leaf, map, value.
def required(names):
    def field(name, kind):
        return pa.field(name, kind, name not in names)
    inside = group(field("leaf", INT), field("map", pa.map_(WORD, field("value", INT))), field("word", WORD))
    return pa.schema([ID, field("list", pa.list_(field("element", inside))), field("flat", INT),
                      field("group", group(field("under", INT)))])


NODES = ["list", "element", "leaf", "map", "value", "word", "flat", "group", "under"]


# Levels are put in front of copied pages, by each codec in its own way; the rest is one way.
STYLES = [("copy", style) for style in unions.STYLES] + [
    ("auto", unions.STYLES[1]), ("auto", unions.STYLES[2]), ("recode", unions.STYLES[3]), ("recode", unions.STYLES[6])]


@pytest.mark.parametrize("mover, style", STYLES, ids=lambda part: part if isinstance(part, str) else
                         f"{part['compression']}-{part['data_page_version']}")
def test_required_becomes_optional(mover, style, arrow, duck, tmp_path):
    """P5, P1: one node after another is relaxed, alone and with all others, leaf and ancestor, which
    shifts every level below it."""
    tables, files = [], []
    for number, names in enumerate([NODES, [], *[[name] for name in NODES],
                                    *[[other for other in NODES if other != name] for name in NODES]]):
        schema = required(names)
        tables.append(unions.table(unions.rows_of(schema, number * 1000), schema))
        files.append(unions.write(tmp_path / f"{number:02}.parquet", tables[-1], **style))
    output = check(mover, tmp_path, files, tables, filtered=("flat",))
    judge.same_union([arrow, duck], files, [output])
    judge.honest_statistics(arrow, [output])
    # All of it REQUIRED, and one node relaxed: nothing else may be.
    for number in (10, 12, 15):
        check(mover, tmp_path / str(number), [files[0], files[number + 1]], [tables[0], tables[number + 1]])


@pytest.mark.parametrize("mover", movers.MOVERS)
def test_whole_groups_are_missing(mover, arrow, duck, tmp_path):
    """P5, P1: a struct, a list, a map that a file lacks at all is null, with all below it."""
    full = pa.schema([ID] + [pa.field(place, PLACES[place](group(*OLD["a leaf"])), False)
                             for place in PLACES])
    bare = pa.schema([ID])
    tables = [unions.table(unions.rows_of(schema, number * 1000), schema)
              for number, schema in enumerate((bare, full, bare, full))]
    files = [unions.write(tmp_path / f"{number}.parquet", table, **unions.STYLES[number])
             for number, table in enumerate(tables)]
    output = check(mover, tmp_path, files, tables)
    judge.same_union([arrow, duck], files, [output])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("mover", movers.MOVERS)
def test_many_rows_without_it(mover, version, arrow, duck, tmp_path):
    """P5, P1: a column that thousands of rows lack, before, between and behind rows that have it: pages of
    nulls, whose statistics and indexes filters believe."""
    inside = group(("a", INT), ("w", WORD))
    full = pa.schema([ID, ("number", pa.int64()), ("word", WORD), ("flag", pa.bool_()), ("s", inside),
                      ("l", pa.list_(item(inside))), ("m", pa.map_(WORD, INT))])
    bare = pa.schema([ID])
    tables, first = [], 0
    for count, schema in ((5000, bare), (300, full), (45000, bare), (2500, full), (1, bare), (2000, bare)):
        rows = [{"id": first + row, "number": first + row, "word": f"{row % 9}", "flag": row % 3 == 0,
                 "s": {"a": row}, "l": [{"w": "x"}, None], "m": []} for row in range(count)]
        tables.append(unions.table(rows, schema))
        first += count
    files = [unions.write(tmp_path / f"{number}.parquet", table, compression="zstd", write_page_index=True,
                          data_page_version=version) for number, table in enumerate(tables)]
    output = unions.merge(mover, tmp_path, files)
    judge.same_union([arrow, duck], files, [output])
    judge.honest_statistics(arrow, [output])
    lithify.ok("verify", *files, "--", output)
    lacking = sum(table.num_rows for table in tables if "s" not in table.column_names)
    for engine, read in engines.ENGINES.items():
        for name in full.names[1:]:
            counts = [read(output, engines.Where(name, f"IS {test}")).num_rows for test in ("NULL", "NOT NULL")]
            assert counts == [lacking, 2800], f"{engine}: {name}: {counts}"
        for value in (5000, 5299, 50300, 52799):
            assert read(output, engines.Where("number", "=", value)).num_rows == 1, f"{engine}: {value}"
        assert read(output, engines.Where("number", "<", 5300)).num_rows == 300, engine


# Inner names of lists and maps: writers have their own, the shape is one.
def renamed(path, names):
    def change(footer):
        for at, name in names:
            unions.rename(footer, at, name)
    file = unions.parquet_file.take_apart(path)
    return file.write(path, lie=change)


LIST = pa.schema([ID, pa.field("x", pa.list_(item(group(("a", INT)))))])
MAP = pa.schema([ID, pa.field("x", pa.map_(WORD, group(("a", INT))))])
INNER_NAMES = {
    "bag/array_element": (LIST, [("x.list.element", "array_element"), ("x.list", "bag")]),
    "list/item": (LIST, [("x.list.element", "item")]),
    "list/array": (LIST, [("x.list.element", "array")]),
    "element/list": (LIST, [("x.list.element", "list"), ("x.list", "element")]),
    "map/key, value": (MAP, [("x.key_value", "map")]),
    "entries/keys, values": (MAP, [("x.key_value.key", "keys"), ("x.key_value.value", "values"),
                                   ("x.key_value", "entries")]),
}


@pytest.mark.parametrize("mover", movers.MOVERS)
@pytest.mark.parametrize("name", INNER_NAMES)
def test_inner_names(name, mover, tmp_path):
    """P5, P1: lists and maps join by their shape; the names are those of the first file."""
    schema, names = INNER_NAMES[name]
    wider = schema.set(1, pa.field("x", pa.list_(item(group(("a", INT), ("b", WORD)))) if schema is LIST
                                   else pa.map_(WORD, group(("a", INT), ("b", WORD)))))
    tables = [unions.table(unions.rows_of(kind, first), kind)
              for kind, first in ((schema, 0), (schema, 100), (wider, 200))]
    files = [unions.write(tmp_path / f"{number}.parquet", table, **unions.STYLES[number])
             for number, table in enumerate(tables)]
    renamed(files[1], names)
    first = unions.described(files[1])
    for number, order in enumerate(([0, 1, 2], [0, 2, 1])):
        check(mover, tmp_path / str(number), [files[i] for i in order], [tables[i] for i in order])
    folder = tmp_path / "renamed"
    output = unions.merge(mover, folder, [files[1], files[0]])
    assert unions.described(output) == first
    rows = tables[1].to_pylist() + tables[0].to_pylist()
    unions.seen(output, unions.table(rows, schema), (), folder)
    lithify.ok("verify", files[1], files[0], "--", output)


# Two-level lists, repeated fields, and what else has another shape.
def two_levels(footer):
    """x (LIST) { repeated group list { required int32 element } } as { repeated int32 array }: the levels
    are the same, the meaning is that of old writers."""
    number = next(i for i, one in enumerate(footer.schema) if one.name == b"list")
    footer.schema[number + 1].repetition_type = 2
    footer.schema[number + 1].name = b"array"
    footer.schema.pop(number)
    for row_group in footer.row_groups:
        for column in row_group.columns:
            if column.meta_data.path_in_schema[0] == b"x":
                column.meta_data.path_in_schema = [b"x", b"array"]


def no_annotation(footer):
    unions.element(footer, "x").converted_type = None
    unions.element(footer, "x").logical_type = None


def bare_repeated(footer):
    """A repeated leaf of its own: x REQUIRED { repeated } without the group around it."""
    two_levels(footer)
    footer.schema.pop(next(i for i, one in enumerate(footer.schema) if one.name == b"x"))
    next(one for one in footer.schema if one.name == b"array").name = b"x"
    for row_group in footer.row_groups:
        for column in row_group.columns:
            if column.meta_data.path_in_schema[0] == b"x":
                column.meta_data.path_in_schema = [b"x"]


FLAT_LIST = pa.schema([ID, pa.field("x", pa.list_(item(INT, False)))])
REQUIRED_LIST = pa.schema([ID, pa.field("x", pa.list_(item(INT, False)), False)])
OTHER_SHAPES = {
    "two levels": (FLAT_LIST, two_levels, "two.*three|three.*two"),
    "a list without annotation": (FLAT_LIST, no_annotation, "LIST"),
    "a repeated leaf": (REQUIRED_LIST, bare_repeated, "REPEATED|group"),
}


@pytest.mark.parametrize("name", OTHER_SHAPES)
def test_other_shapes(name, tmp_path):
    """P5: lists of two levels join each other and no others, and so do repeated fields."""
    schema, change, words = OTHER_SHAPES[name]
    made = unions.table(unions.rows_of(schema), schema)
    usual = unions.write(tmp_path / "usual.parquet", made)
    odd = [unions.write(tmp_path / f"odd-{number}.parquet", made, change, **unions.STYLES[number])
           for number in range(2)]
    for order in ([usual, odd[0]], [odd[0], usual]):
        text = unions.refused(tmp_path / order[0].stem, order)
        unions.names(text, order, "x", words)
    # One more column, so that the schemas differ.
    more = schema.append(pa.field("y", WORD))
    odd.append(unions.write(tmp_path / "more.parquet", unions.table(unions.rows_of(more, 50), more), change))
    output = unions.merge("auto", tmp_path, odd)
    found = parquet.ParquetFile(output).read().to_pylist()
    want = [row | {"y": row.get("y")} for path in odd for row in parquet.ParquetFile(path).read().to_pylist()]
    assert found == want
    lithify.ok("verify", *odd, "--", output)
