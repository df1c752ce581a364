"""Random schemas that change by legal steps, in files of several writers: merged, they are the union
that pyarrow and DuckDB make of them. P5, P1.

LITHIFY_SEED repeats a run, LITHIFY_CASES sets how many; a failing case says its seed.
"""

import os
import random

import numpy
import pyarrow as pa
import pyarrow.parquet as parquet
import pyarrow.types as types
import pytest

import columns
import foreign
import generate
import judge
import lithify
import movers
import unions
from test_property import drop_sizes

SEED = os.environ.get("LITHIFY_SEED", "1")
CASES = int(os.environ.get("LITHIFY_CASES", "40"))
OPTIONS = [[], ["--threads", "2"], ["--memory", "64MiB"], ["--row-group-rows", "100"], ["--row-group", "64KiB"],
           ["--threads", "2", "--row-group-rows", "300"], ["--verify", "decode"]]
# Narrow type -> wider ones.
WIDER = {pa.int32(): pa.int64(), pa.float32(): pa.float64(), pa.int8(): pa.int32(), pa.int16(): pa.int64(),
         pa.uint32(): pa.uint64(), pa.decimal128(9, 2): pa.decimal128(18, 2),
         pa.decimal128(18, 6): pa.decimal128(38, 6), pa.null(): pa.string()}
LEAVES = [*WIDER, *WIDER.values(), pa.string(), pa.binary(), pa.bool_(), pa.date32(), pa.timestamp("us"),
          pa.timestamp("us", "UTC"), pa.binary(5), pa.float16(), pa.time64("us"), pa.string(), pa.int32()]
DEPTH_MAX = 4


class Schemas:
    """A schema, and what it becomes step by step. Names are never used again for something else."""

    def __init__(self, chance):
        self.chance, self.count = chance, 0
        self.schema = pa.schema([self._field(1) for _ in range(chance.randint(1, 5))])

    def _field(self, depth, name=None):
        self.count += 1
        kind = self._kind(depth)
        return pa.field(name or f"f{self.count}", kind, types.is_null(kind) or self.chance.random() < 0.7)

    def _kind(self, depth):
        shape = self.chance.random() if depth <= DEPTH_MAX else 1.0
        if shape < 0.22:
            return pa.struct([self._field(depth + 1) for _ in range(self.chance.randint(1, 3))])
        if shape < 0.4:
            return pa.list_(self._field(depth + 1, "element"))
        if shape < 0.48:
            return pa.map_(self.chance.choice([pa.string(), pa.int32()]), self._field(depth + 1, "value"))
        return self.chance.choice(LEAVES)

    def step(self):
        """Another schema, one or more changes later; the next step begins with it."""
        for _ in range(self.chance.randint(1, 4)):
            fields = self._change_group(list(self.schema), 1)
            self.schema = pa.schema(fields)
        return self.schema

    def _change_group(self, fields, depth):
        """One change in a group, or somewhere below it."""
        chance = self.chance
        kind = chance.choice(["add", "drop", "turn", "relax", "widen", "below", "below", "below"])
        at = chance.randrange(len(fields))
        if kind == "add":
            fields.insert(chance.randint(0, len(fields)), self._field(depth))
        elif kind == "drop" and len(fields) > 1:
            fields.pop(at)
        elif kind == "turn":
            chance.shuffle(fields)
        elif kind == "relax":
            nullable = types.is_null(fields[at].type) or chance.random() < 0.8
            fields[at] = fields[at].with_nullable(nullable)
        elif kind == "widen":
            fields[at] = fields[at].with_type(self._other(fields[at].type))
            fields[at] = fields[at].with_nullable(fields[at].nullable or types.is_null(fields[at].type))
        else:
            fields[at] = fields[at].with_type(self._change_below(fields[at].type, depth + 1))
        return fields

    def _other(self, kind):
        """A type that joins this one; also a narrower one, for files need not come in order."""
        narrow = [a for a, b in WIDER.items() if b == kind and not types.is_null(a)]
        return self.chance.choice([WIDER.get(kind, kind), *narrow])

    def _change_inner(self, field, depth):
        """A change of an element or a value, in its group if it is one."""
        if types.is_nested(field.type):
            return field.with_type(self._change_below(field.type, depth))
        if self.chance.random() < 0.5:
            return field.with_nullable(True)
        return field.with_type(self._other(field.type))

    def _change_below(self, kind, depth):
        if types.is_struct(kind):
            return pa.struct(self._change_group(list(kind), depth))
        if types.is_list(kind):
            return pa.list_(self._change_inner(kind.value_field, depth))
        if types.is_map(kind):
            return pa.map_(kind.key_type, self._change_inner(kind.item_field, depth))
        return kind


class Data(generate.Data):
    """Rows of a schema that is given; columns of the type of nulls alone have nothing else."""

    def _leaf(self, kind, count, numbers):
        if types.is_null(kind):
            return pa.nulls(count)
        return super()._leaf(kind, count, numbers)

    def _number(self, kind, count, numbers):
        """A NaN that signals is a quiet one once a processor has widened it: there is none."""
        made = super()._number(kind, count, numbers)
        if kind != pa.float32():
            return made
        bits = numpy.frombuffer(made.buffers()[1], dtype="<u4").copy()
        bits[(bits & 0x7FFFFFFF) > 0x7F800000] |= 0x400000
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(bits.tobytes())])

    def _array(self, field, count, numbers):
        return pa.nulls(count) if types.is_null(field.type) else super()._array(field, count, numbers)


def write_foreign(chance, made, path):
    """By DuckDB or Polars, if the file then has the same types and rows; whether it is so."""
    writer = chance.choice([foreign.by_duckdb, foreign.by_polars])
    if "decimal" in str(made.schema):
        return False  # each has its own physical type for them, and pyarrow's would not join it
    try:
        writer(made, path, chance)
        found = parquet.ParquetFile(path).read()
        kept = unions.relaxed(found).schema.remove_metadata() == unions.relaxed(made).schema.remove_metadata()
        return kept and columns.difference([made], found) is None
    except Exception as problem:
        print(f"{writer.__name__} does not write it: {str(problem)[:100]}")
        return False


def leaf_types(fields):
    """The types of all leaves below some fields."""
    for field in fields:
        if types.is_struct(field.type):
            yield from leaf_types(field.type)
        elif types.is_list(field.type):
            yield from leaf_types([field.type.value_field])
        elif types.is_map(field.type):
            yield from leaf_types([field.type.item_field])
        else:
            yield field.type


def write(chance, made, path):
    if chance.random() < 0.4 and write_foreign(chance, made, path):
        print(f"{path.name}: by another writer")
        return
    options = generate.writer_options(chance, made.schema, "2.6")
    # Schemas that Arrow stores would differ anyway; other inner names are another writer's.
    options.update(store_decimal_as_integer=True, store_schema=chance.random() < 0.5,
                   use_compliant_nested_type=chance.random() < 0.7)
    if not options["use_compliant_nested_type"]:
        for name in ("column_encoding", "bloom_filter_options"):
            options.pop(name, None)
        options["use_dictionary"] = bool(options["use_dictionary"])
    if any(types.is_null(kind) for kind in leaf_types(made.schema)):
        # pyarrow has no other encoding for them.
        for name in ("column_encoding", "bloom_filter_options"):
            options.pop(name, None)
    print(f"{path.name}: {options}")
    generate.write(path, made, options)
    if made.num_rows and "DELTA_BYTE_ARRAY" in options.get("column_encoding", {}).values():
        drop_sizes(path)


def one_inner_name(schema):
    """The schema with one inner name for all lists: which one it is does not matter for rows."""
    def kind(found):
        if types.is_struct(found):
            return pa.struct([field(one) for one in found])
        if types.is_list(found) or types.is_large_list(found):
            return pa.list_(field(found.value_field).with_name("element"))
        if types.is_map(found):
            return pa.map_(kind(found.key_type), field(found.item_field))
        return found

    def field(one):
        return pa.field(one.name, kind(one.type), one.nullable)
    return pa.schema([field(one) for one in schema])


@pytest.mark.parametrize("case", range(CASES))
def test_merge(case, arrow, duck, tmp_path):
    """P5, P1: every value, null and shape of files whose schemas differ survives a merge by each mover,
    and the output has the union of their schemas."""
    chance = random.Random(f"{SEED}/union/{case}")
    print(f"LITHIFY_SEED={SEED} case {case}")
    schemas = Schemas(chance)
    data = Data(chance)
    data.long = chance.random() < 0.1
    found, sources = [schemas.schema], []
    for _ in range(chance.randint(1, 4)):
        found.append(schemas.step() if chance.random() < 0.9 else chance.choice(found))
    chance.shuffle(found)
    for number, schema in enumerate(found):
        data.schema = schema
        data.distinct, data.null_share = chance.choice([1, 10, 1000]), chance.choice([0.0, 0.1, 0.5, 0.9])
        sources.append(tmp_path / f"in-{number}.parquet")
        print(schema)
        write(chance, data.table(chance.choice([0, 1, 10, 300, 1500])), sources[-1])
    options = chance.choice(OPTIONS)
    mover = list(movers.MOVERS)[case % 3]
    print(mover, options)

    output = unions.merge(mover, tmp_path, sources, *options)
    if not judge.same_union([arrow, duck], sources, [output], judges_min=0):
        unions.same_rows(sources, output)
    judge.honest_statistics(arrow, [output])
    wanted = unions.schema_of(*(parquet.ParquetFile(path).schema.to_arrow_schema() for path in sources))
    have = parquet.ParquetFile(output).schema.to_arrow_schema()
    assert one_inner_name(have) == one_inner_name(wanted), f"{have}\nnot\n{wanted}"
    lithify.ok("verify", *sources, "--", output)
