"""Random files merged under random limits keep their rows: P1, RFC0009.2.

Each case goes through all movers, and the outputs must be equal. Cases take turns: any files at all,
and such as one of the movers is for. What went which way is counted over the run (conftest.py), and
a run in which a mover did not occur fails.

LITHIFY_SEED repeats a run, LITHIFY_CASES sets how many; a failing case says its seed.
"""

import os
import random

import pyarrow
import pytest

import generate
import judge
import lithify
import movers
import parquet_file

SEED = os.environ.get("LITHIFY_SEED", "1")
CASES = int(os.environ.get("LITHIFY_CASES", "60"))
MEMORY = ["64MiB", "80MiB", "256MiB"]
ROW_GROUP = [[], ["--row-group", "64KiB"], ["--row-group-rows", "50"], ["--row-group-rows", "1000"]]


def any_files(chance, folder):
    """(schema, sources, options of the merge): files by writers that have nothing in common but the
    schema."""
    data = generate.Data(chance)
    # Decimals must have one physical type in all files, or their schemas differ.
    as_integer = chance.random() < 0.5
    # So must timestamps: INT96, as old writers have them, in a few cases.
    int96 = chance.random() < 0.1
    version = generate.format_version(chance, data.schema)
    sources = []
    for number in range(chance.choice([1, 2, 2, 3, 5, 12])):
        options = generate.writer_options(chance, data.schema, version, int96)
        options["store_decimal_as_integer"] = as_integer
        if not as_integer:
            options.pop("column_encoding", None)
        sources.append(folder / f"in-{number:02}.parquet")
        generate.write(sources[-1], data.table(chance.choice([0, 1, 10, 300, 2000])), options)
        print(options)
    return data.schema, sources, chance.choice(ROW_GROUP)


def alike_files(chance, folder, count, data, column, options):
    """Files of one writer, each a row group, with one more column: `column` gives (rows, array) of a
    file by its number."""
    codec, version = chance.choice(generate.CODECS), generate.format_version(chance, data.schema)
    nullable = chance.random() < 0.5
    sources = []
    for number in range(count):
        rows, array = column(number)
        field = pyarrow.field("made", array.type, nullable=nullable)
        table = data.table(rows).append_column(field, array)
        told = generate.writer_options(chance, data.schema, version)
        told.update(compression=codec, data_page_size=1 << 20, dictionary_pagesize_limit=1 << 20,
                    row_group_size=1 << 20, store_decimal_as_integer=False, write_statistics=True)
        told.update(options)
        told.pop("column_encoding", None)
        sources.append(folder / f"in-{number:02}.parquet")
        generate.write(sources[-1], table, told)
        print(told)
    return table.schema, sources, []


def files_of_entries(chance, folder, in_order):
    """Files whose dictionaries have the same entries, in one order or in another one in each."""
    data = generate.Data(chance)
    data.distinct, data.long = chance.choice([2, 10, 100]), False
    data.entries_seed, data.is_in_order = chance.getrandbits(32), in_order
    words = [f"{n} {'x' * chance.randrange(40)}" for n in range(chance.choice([13, 50, 300]))]

    def column(number):
        rows = chance.choice([300, 2500, 4000])
        known = words[:chance.randint(1, len(words))] if in_order else words[number:] + words[:number]
        return rows, pyarrow.array((known + chance.choices(known, k=rows))[:rows])
    return alike_files(chance, folder, chance.choice([2, 3, 12]), data, column, {"use_dictionary": True})


def files_of_noise(chance, folder):
    """Files of one small SNAPPY page of PLAIN values that hardly compress, none null."""
    data = generate.Data(chance)
    data.distinct, data.long, data.null_share = 10000, False, chance.choice([0.0, 0.3])
    rows, width = chance.choice([700, 1500]), chance.choice([4, 8, 12])
    kind = {4: pyarrow.int32(), 8: pyarrow.float64(), 12: pyarrow.binary(12)}[width]

    def column(_):
        raw = pyarrow.py_buffer(chance.randbytes(rows * width))
        return rows, pyarrow.Array.from_buffers(kind, rows, [None, raw])
    return alike_files(chance, folder, chance.choice([8, 20]), data, column,
                       {"use_dictionary": False, "compression": "snappy", "data_page_version": "1.0",
                        "bloom_filter_options": None})


# (the files, and ways that pages of such files must go), in turn.
ANY = (any_files, set())
SHAPES = [ANY, (lambda *to: files_of_entries(*to, in_order=True), {"copy identity"}),
          ANY, (lambda *to: files_of_entries(*to, in_order=False), {"copy remap"}),
          ANY, (files_of_noise, {"auto regroup"})]


@pytest.mark.parametrize("case", range(CASES))
def test_merge(case, arrow, duck, tmp_path, record_property):
    """P1, RFC0009.2, MOV.1: every value, null and shape of generated files survives a merge by each
    mover, with equal results."""
    make, wanted = SHAPES[case % len(SHAPES)]
    chance = random.Random(f"{SEED}/{case}")
    print(f"LITHIFY_SEED={SEED} case {case}")
    schema, sources, limits = make(chance, tmp_path)
    limits = ["--memory", chance.choice(MEMORY), *limits]
    print(schema, limits)

    outputs, went = [], set()
    for mover in movers.MOVERS:
        outputs.append(tmp_path / mover / "out.parquet")
        outputs[-1].parent.mkdir()
        went |= {f"{mover} {way}" for way in movers.ways(mover, outputs[-1], sources, *limits)}
    answer = arrow.ask("agree", sources=sources, outputs=outputs)
    assert answer == {"difference": None}, answer
    answer = duck.ask("agree", sources=sources, outputs=outputs)
    if "error" in answer:
        # Types and encodings that DuckDB does not have; it must be the source's doing.
        print(f"NOT COMPARED by duckdb: {answer['error']}")
    else:
        assert answer["difference"] is None, answer
    for output in outputs:
        judge.same_schema([arrow], sources[0], [output])
        lithify.ok("verify", *sources, "--", output)
    judge.honest_statistics(arrow, outputs)
    assert wanted <= went, went
    # Nothing of a page is copied where all is to be decoded, unless small ones are joined.
    assert went.isdisjoint({"recode splice", "recode identity", "recode remap"}), went
    for way in sorted(went):
        record_property("moved", way)


def groups(kind, path=""):
    """(path of a group, one of its leaves) as Parquet has them, for each struct in a type."""
    if pyarrow.types.is_struct(kind):
        yield from ((path, f"{path}.{leaf}") for leaf in leaves(kind))
        for field in kind:
            yield from groups(field.type, f"{path}.{field.name}")
    elif pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        yield from groups(kind.value_type, path + ".list.element")


def leaves(kind):
    """Paths of the leaves of a type, below it."""
    if pyarrow.types.is_struct(kind):
        for field in kind:
            yield from (f"{field.name}{more and '.'}{more}" for more in leaves(field.type))
    elif pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        yield from (f"list.element{more and '.'}{more}" for more in leaves(kind.value_type))
    else:
        yield ""


def drop_sizes(path):
    """pyarrow 26 leaves values of DELTA_BYTE_ARRAY that equal the one before out of
    unencoded_byte_array_data_bytes; verify says so of pages that get levels."""
    file = parquet_file.take_apart(path)
    for group in file.groups:
        for chunk in group.chunks:
            chunk.meta.size_statistics = None
            if chunk.offset_index:
                chunk.offset_index.unencoded_byte_array_data_bytes = None
    file.write(path)


@pytest.mark.parametrize("case", range(max(CASES // 4, 2)))
def test_define_and_null(case, arrow, duck, tmp_path, record_property):
    """P1, MOV.1: levels put in front of generated pages, and columns of nulls beside them, change
    no value: every second case is flat and REQUIRED, so that pages can be copied; the others have
    the nulls in a group."""
    chance = random.Random(f"{SEED}/define/{case}")
    print(f"LITHIFY_SEED={SEED} case {case}")
    data, places = None, []
    while data is None or case % 2 and not places:
        # Readers want keys of maps REQUIRED.
        data = generate.Data(chance, nullable_share=0.6 * (case % 2), has_maps=False)
        places = [place for field in data.schema for place in groups(field.type, field.name)]
    if case % 2 == 0:
        kinds = [chance.choice(generate.LEAVES) for _ in data.schema]
        data.schema, places = pyarrow.schema([pyarrow.field(f"c{number}", kind, nullable=False)
                                              for number, kind in enumerate(kinds)]), []
    options = generate.writer_options(chance, data.schema, generate.format_version(chance, data.schema))
    options["store_schema"] = False  # it says REQUIRED
    if not options["store_decimal_as_integer"]:
        options.pop("column_encoding", None)
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    generate.write(source, data.table(chance.choice([1, 10, 300, 2000])), options)
    if "DELTA_BYTE_ARRAY" in options.get("column_encoding", {}).values():
        drop_sizes(source)
    place = chance.choice(places) if places else ()
    print(data.schema, place, options, sep="\n")

    bytes_of = movers.define(source, target, *place)
    for reader in (arrow, duck):
        answer = reader.ask("compare", sources=[source], outputs=[target], added=movers.ADDED)
        if "error" in answer and reader is duck:
            print(f"NOT COMPARED by duckdb: {answer['error']}")
        else:
            assert answer["difference"] is None, answer
    judge.honest_statistics(arrow, [target])
    record_property("moved", "tool null")
    if case % 2 == 0 and bytes_of["splice"]:
        record_property("moved", "tool define")


def test_verify_sees_a_changed_value(tmp_path):
    """P1: two sets of files that differ in one value, one null or one row are not equal."""
    import pyarrow
    import pyarrow.parquet as parquet
    base = [1, 2, None, 4, 4]
    for number, changed in enumerate([[1, 2, None, 4, 5], [1, 2, 0, 4, 4], [1, 2, None, 4],
                                      [1, 2, None, 4, 4, 4], [1, 2, None, None, 4]]):
        left, right = tmp_path / f"l{number}.parquet", tmp_path / f"r{number}.parquet"
        parquet.write_table(pyarrow.table({"v": pyarrow.array(base, pyarrow.int64())}), left)
        parquet.write_table(pyarrow.table({"v": pyarrow.array(changed, pyarrow.int64())}), right)
        result = lithify.run("verify", left, "--", right)
        assert result.code == lithify.FAILED, f"{changed}: {result}"
        lithify.ok("verify", left, "--", left)
    # Order means nothing to a multiset.
    parquet.write_table(pyarrow.table({"v": pyarrow.array(base[::-1], pyarrow.int64())}),
                        tmp_path / "reversed.parquet")
    lithify.ok("verify", tmp_path / "l0.parquet", "--", tmp_path / "reversed.parquet")
