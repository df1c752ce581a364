"""Lies planted into an output: parquet-splice.md 1.1 to 1.6, 2.2 to 2.6, 3.2, 3.3, 4 and 5.

A mutation changes the model of a good output, or returns what changes its finished footer. TABLE
has for each: the words that verify must find for it, and the function. The output has two row
groups of two pages; its columns are those of `table`.
"""

import copy
import functools
import struct

import pyarrow as pa
import pyarrow.parquet as parquet

import parquet_build
import parquet_values
from parquet_file import ENCODINGS
from parquet_thrift import Struct

TABLE = {}
ROWS = 21000  # of a row group: two pages

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), ("n", pa.int32()), ("m", pa.int32()),
                    ("word", pa.string()), ("f", pa.float64()), ("list", pa.list_(pa.int32()))])
LIST = "list.list.element"


def rows(begin):
    """The first page of `n` is null in the first row group."""
    for i in range(begin, begin + ROWS):
        yield {"id": i, "n": None if i < 20000 or i % 7 == 0 else i, "m": -i,
               "word": None if i % 5 == 0 else f"w{i % 50:02}",
               "f": float("nan") if i % 100 == 1 else i / 4, "list": [i, None] if i % 3 else []}


def write_sources(folder):
    paths = []
    for begin in (0, ROWS):
        paths.append(folder / f"in-{begin}.parquet")
        parquet.write_table(pa.Table.from_pylist(list(rows(begin)), SCHEMA), paths[-1],
                            store_schema=False, use_dictionary=["word"], write_page_index=True,
                            write_page_checksum=True, max_rows_per_page=20000,
                            bloom_filter_options={"id": {}, "word": {}})
    return paths


def lie(words, name=None):
    """Registers a mutation; `words` is a regular expression for what verify says."""
    def register(mutate):
        TABLE[name or mutate.__name__] = (words, mutate)
        return mutate
    return register


def statistic(name, column, words, **fields):
    """A mutation of a chunk's statistics."""
    def mutate(file):
        statistics = file.chunk(column).meta.statistics
        for field, value in fields.items():
            setattr(statistics, field, value)
    lie(words, name)(mutate)


def metadata(name, column, words, **changes):
    """A mutation of ColumnMetaData when all else is settled; a change is a value or a function."""
    def mutate(_):
        def later(footer):
            meta = next(chunk.meta_data for chunk in footer.row_groups[0].columns
                        if b".".join(chunk.meta_data.path_in_schema).decode() == column)
            for field, change in changes.items():
                setattr(meta, field, change(getattr(meta, field)) if callable(change) else change)
        return later
    lie(words, name)(mutate)


def footer_lie(words):
    """A mutation of the finished footer."""
    def register(change):
        lie(words, change.__name__)(lambda _: change)
        return change
    return register


def number(value):
    return struct.pack("<i", value)


# 1.4: chunk metadata.
metadata("encoding_left_out", "word", "encodings", encodings=lambda old: [n for n in old if n != 8])
metadata("encoding_too_many", "id", "encodings",
         encodings=lambda old: old + [ENCODINGS["DELTA_BINARY_PACKED"]])
metadata("encoding_stats_tell_of_dictionaries_only", "id", "encoding_stats",
         encoding_stats=lambda old: [Struct("PageEncodingStats", page_type=0, encoding=8,
                                            count=old[0].count)])
metadata("encoding_stats_leave_pages_out", "word", "encoding_stats", encoding_stats=lambda old: old[:1])
metadata("num_values_too_few", "n", "values", num_values=lambda old: old - 1)
metadata("num_values_of_a_list", LIST, "num_values", num_values=lambda old: old + 1)
metadata("uncompressed_size", "id", "total_byte_size",
         total_uncompressed_size=lambda old: old - 1)
metadata("compressed_size_short", "id", "total_compressed_size",
         total_compressed_size=lambda old: old - 1)
metadata("compressed_size_long", LIST, "total_compressed_size",
         total_compressed_size=lambda old: old + 1)
metadata("dictionary_offset_unset", "word", "overlap", dictionary_page_offset=None)
metadata("dictionary_offset_without_dictionary", "id", "dictionary",
         dictionary_page_offset=4, data_page_offset=lambda old: old + 40)
metadata("data_offset_late", "id", "overlap", data_page_offset=lambda old: old + 1)
metadata("data_offset_of_the_dictionary", "word", "data_page_offset",
         data_page_offset=lambda old: old - 1)
metadata("index_page_offset", "id", "index_page_offset", index_page_offset=100)
metadata("bloom_elsewhere", "word", "bloom", bloom_filter_offset=100)
metadata("bloom_length", "word", "bloom", bloom_filter_length=lambda old: old - 8)
metadata("codec", "id", "not compressed", codec=0)


@footer_lie("bloom")
def bloom_of_another_chunk(footer):
    """A filter of the same kind that is not this chunk's: stale after a move."""
    chunks = [group.columns[0].meta_data for group in footer.row_groups]
    chunks[0].bloom_filter_offset, chunks[0].bloom_filter_length = (
        chunks[1].bloom_filter_offset, chunks[1].bloom_filter_length)


@lie("bloom")
def bloom_of_one_bit_less(file):
    chunk = file.chunk("word")
    bloom = bytearray(chunk.bloom)
    last = max(i for i, byte in enumerate(bloom) if byte)
    bloom[last] &= bloom[last] - 1
    chunk.bloom = bytes(bloom)


@lie("no data page uses")
def unused_dictionary(file):
    """Java computes a wrong start of such a chunk."""
    chunk = file.chunk("n")
    leaf = parquet_build.leaves(SCHEMA)["n"].with_codec("SNAPPY")
    chunk.pages.insert(0, parquet_build.dictionary_page(leaf, [1, 2]))


@footer_lie("another file")
def file_path(footer):
    footer.row_groups[0].columns[1].file_path = b"elsewhere.parquet"


@footer_lie("file_offset")
def chunk_file_offset(footer):
    footer.row_groups[0].columns[1].file_offset = 4


@footer_lie("32767")
def extension_of_a_chunk(footer):
    """It may hold offsets into the file that it was written for."""
    footer.row_groups[0].columns[1].meta_data.unknown[32767] = (8, b"private")


# 1.5: row groups.
@footer_lie("path")
def columns_out_of_order(footer):
    columns = footer.row_groups[0].columns
    columns[1], columns[2] = columns[2], columns[1]


@footer_lie("total_byte_size")
def group_bytes(footer):
    footer.row_groups[0].total_byte_size += 1


@footer_lie("total_compressed_size")
def group_compressed_bytes(footer):
    footer.row_groups[0].total_compressed_size += 1


@footer_lie("file_offset")
def group_offset(footer):
    footer.row_groups[1].file_offset = footer.row_groups[0].file_offset


@footer_lie("ordinal")
def group_ordinal(footer):
    footer.row_groups[1].ordinal = 0


@footer_lie("ordinal")
def group_ordinal_left_out(footer):
    footer.row_groups[1].ordinal = None


@footer_lie("rows")
def group_rows(footer):
    footer.row_groups[0].num_rows -= 1


@footer_lie("rows")
def file_rows(footer):
    footer.num_rows -= 1


@footer_lie("overlap")
def group_twice(footer):
    footer.row_groups.append(footer.row_groups[0].copy())
    footer.row_groups[2].ordinal = 2
    footer.num_rows += ROWS


@footer_lie("sort")
def sorted_by_what_is_not_sorted(footer):
    footer.row_groups[0].sorting_columns = [
        Struct("SortingColumn", column_idx=3, descending=False, nulls_first=False)]


@footer_lie("sorted by")
def sorted_by_no_column(footer):
    footer.row_groups[0].sorting_columns = [
        Struct("SortingColumn", column_idx=9, descending=False, nulls_first=False)]


@footer_lie("column order")
def column_orders_left_out(footer):
    footer.column_orders = None


@footer_lie("column order")
def column_orders_too_few(footer):
    footer.column_orders = footer.column_orders[:-1]


@footer_lie("TYPE_ORDER")
def column_orders_of_another_kind(footer):
    """Zeros and NaN have other places in it."""
    footer.column_orders[4] = Struct("ColumnOrder", IEEE_754_TOTAL_ORDER=Struct("Any"))


@footer_lie("created_by")
def created_by_left_out(footer):
    footer.created_by = None


@footer_lie("created_by")
def created_by_another(footer):
    """Readers switch workarounds on for it."""
    footer.created_by = b"parquet-mr version 1.7.0 (build 1)"


# 1.1, 1.3, 5: pages.
@lie("type 1")
def index_page(file):
    file.chunk("id").pages.insert(1, parquet_build.index_page())


@lie("type 4")
def page_of_unknown_type(file):
    file.chunk("id").pages.insert(1, parquet_build.unknown_page())


def second_page(file, make):
    """Puts another page of the same rows in place of the second one of `n`."""
    leaf = parquet_build.leaves(SCHEMA)["n"].with_codec("SNAPPY")
    file.chunk("n").pages[1] = make(leaf, [row["n"] for row in rows(0)][20000:])


@lie("levels that are not RLE")
def levels_bit_packed(file):
    """Some engines refuse them, others take the bits from the other end."""
    second_page(file, parquet_build.bit_packed_page)


@lie("levels that are not RLE")
def levels_bit_packed_of_a_list(file):
    """It says so of repetition levels that are none."""
    file.chunk(LIST).pages[0].detail.repetition_level_encoding = ENCODINGS["BIT_PACKED"]


@lie("left behind")
def values_behind_the_last(file):
    """Bytes behind the last value of a PLAIN page: Polars refuses it."""
    def longer(leaf, values):
        present = [value for value in values if value is not None]
        return parquet_build.page(leaf, values, "PLAIN", raw=parquet_values.plain("INT32", present + [77]))
    second_page(file, longer)


def length(name, column, words, change):
    """ARROW-GH-41317: a column has other rows than the others."""
    def mutate(file):
        chunk = file.chunk(column)
        change(chunk.pages, parquet_build.leaves(SCHEMA)[column].with_codec("SNAPPY"))
        chunk.offset_index = None
        _drop_claims(chunk)
    lie(words, name)(mutate)


length("column_too_short", "m", "20000 values .* 21000 rows", lambda pages, _: pages.pop())
length("column_too_long", "m", "21001 values .* 21000 rows",
       lambda pages, leaf: pages.append(parquet_build.page(leaf, [7])))
length("list_too_short", LIST, "20000 rows, its row group 21000", lambda pages, _: pages.pop())
length("list_too_long", LIST, "rows, its row group 21000",
       lambda pages, leaf: pages.append(parquet_build.page(leaf, [[7]])))


def empty_page(version, file):
    leaf = parquet_build.leaves(SCHEMA)["n"].with_codec("SNAPPY")
    chunk = file.chunk("n")
    chunk.pages.insert(1, parquet_build.page(leaf, [], version=version))
    chunk.column_index = chunk.offset_index = None


for _version in (1, 2):
    lie("without values", f"page_without_values_v{_version}")(functools.partial(empty_page, _version))


def null_page_without_a_body(encoding, version, file):
    leaf = parquet_build.leaves(SCHEMA)["n"].with_codec("SNAPPY")
    chunk = file.chunk("n")
    dictionary = [] if encoding != "RLE_DICTIONARY" else [parquet_build.dictionary_page(leaf, [1])]
    chunk.pages = dictionary + [
        parquet_build.page(leaf, [None] * 20000, encoding, version=version, raw=b""), *chunk.pages[-1:]]


for _version in (1, 2):
    for _name, _encoding in (("", "DELTA_BINARY_PACKED"), ("_of_ids", "RLE_DICTIONARY")):
        lie("without a body", f"null_page_without_a_body{_name}_v{_version}")(
            functools.partial(null_page_without_a_body, _encoding, _version))


@lie("not the first page")
def two_dictionaries(file):
    chunk = file.chunk("word")
    chunk.pages.insert(2, chunk.pages[0])


@lie("not the first page")
def dictionary_in_second_place(file):
    chunk = file.chunk("word")
    chunk.pages[0], chunk.pages[1] = chunk.pages[1], chunk.pages[0]

    def later(footer):
        footer.row_groups[0].columns[3].meta_data.dictionary_page_offset = None
    return later


@lie("id 39")
def dictionary_too_short(file):
    """Ids that pass its end."""
    page = file.chunk("word").pages[0]
    leaf = parquet_build.leaves(SCHEMA)["word"].with_codec("SNAPPY")
    short = parquet_build.dictionary_page(leaf, [f"w{n:02}" for n in range(1, 40) if n % 5])
    page.header, page.body = short.header, short.body


@lie("CRC")
def crc(file):
    file.chunk("id").pages[1].set_crc(mistake=1)


@lie("CRC")
def crc_of_the_dictionary(file):
    file.chunk("word").pages[0].set_crc(mistake=1)


def page_statistics(fields, file):
    """DuckDB leaves out pages by them."""
    detail = file.chunk("id").pages[1].detail
    detail.statistics = Struct("Statistics", **fields)


for _name, _fields in {"bounds": dict(min_value=b"\0" * 8, max_value=b"\0" * 8),
                       "nulls": dict(null_count=ROWS),
                       "legacy": dict(min=b"\0" * 8, max=b"\0" * 8)}.items():
    lie("statistics", f"page_statistics_{_name}")(functools.partial(page_statistics, _fields))


def second_version(file):
    """Puts a V2 page of the same nulls in place of the second page of `n`."""
    chunk = file.chunk("n")
    leaf = parquet_build.leaves(SCHEMA)["n"].with_codec("SNAPPY")
    values = [row["n"] for row in rows(0)][20000:]
    chunk.pages[1] = parquet_build.page(leaf, values, version=2)
    return chunk.pages[1]


@lie("")
def nothing_v2(file):
    """No lie at all: pages of the other version are well."""
    second_version(file)


@lie("null")
def v2_nulls(file):
    second_version(file).detail.num_nulls += 1


@lie("rows|row")
def v2_rows(file):
    second_version(file).detail.num_rows -= 1


@lie("not compressed")
def v2_flag(file):
    """Says that it is not compressed, and is."""
    second_version(file).detail.is_compressed = False


# 1.6: rows across pages.
def list_pages(file, at, version, has_index):
    """The pages of the list column anew, the second one from position `at`."""
    chunk = file.chunk(LIST)
    leaf = parquet_build.leaves(SCHEMA)[LIST].with_codec("SNAPPY")
    whole = parquet_build.positions(leaf, [row["list"] for row in rows(0)])
    first, second = whole.cut(at, leaf.max_def)
    chunk.pages = [parquet_build.page(leaf, first), parquet_build.page(leaf, second, version=version)]
    chunk.column_index = None
    if has_index:
        chunk.index_rows()
    else:
        chunk.offset_index = None


@lie("")
def nothing_rows_across_pages(file):
    """No lie: a V1 page may begin inside a row where no index says otherwise."""
    list_pages(file, 2, 1, has_index=False)


@lie("inside a row")
def row_across_pages_with_an_index(file):
    list_pages(file, 2, 1, has_index=True)


@lie("first repetition level")
def row_across_pages_of_version_2(file):
    list_pages(file, 2, 2, has_index=False)


# 2.2: the offset index.
def location(column, words, name, **changes):
    def mutate(file):
        entry = file.chunk(column).offset_index.page_locations[1]
        for field, change in changes.items():
            setattr(entry, field, getattr(entry, field) + change)
    lie(words, name)(mutate)


location("id", "first row", "first_row_early", first_row_index=-1)
location(LIST, "first row|first_row", "first_row_of_a_list", first_row_index=1)
location("id", "first row", "first_row_behind_the_end", first_row_index=ROWS)


@lie("entries|entry")
def location_left_out(file):
    file.chunk("id").offset_index.page_locations.pop()


@lie("offset index")
def offset_index_of_another_chunk(file):
    return lambda footer: _swap(footer, "offset_index")


@lie("column index")
def column_index_of_another_chunk(file):
    return lambda footer: _swap(footer, "column_index")


def _swap(footer, name):
    a, b = (group.columns[0] for group in footer.row_groups)
    for field in (f"{name}_offset", f"{name}_length"):
        first, second = getattr(a, field), getattr(b, field)
        setattr(a, field, second)
        setattr(b, field, first)


@lie("without an offset index")
def column_index_alone(file):
    file.chunk("id").offset_index = None


@lie("unencoded")
def unencoded_bytes_of_a_page(file):
    file.chunk("word").offset_index.unencoded_byte_array_data_bytes[0] += 1


# 2.3, 2.4, 2.6: the column index.
def index_entry(name, column, words, page, **fields):
    def mutate(file):
        for field, value in fields.items():
            getattr(file.chunk(column).column_index, field)[page] = value
    lie(words, name)(mutate)


index_entry("null_page_of_values", "n", "null_pages", 1, null_pages=True, min_values=b"", max_values=b"")
index_entry("null_page_of_values_and_nulls_of_all", "n", "null_pages|null_counts", 1, null_pages=True,
            min_values=b"", max_values=b"", null_counts=1000)
index_entry("null_page_with_bounds", "n", "bounds of a null page", 1, null_pages=True)
index_entry("null_page_denied", "n", "bound|null_pages", 0, null_pages=False)
index_entry("null_page_with_invented_bounds", "n", "null_pages", 0, null_pages=False,
            min_values=number(0), max_values=number(9))
index_entry("null_page_without_null_count", "n", "null_counts", 0, null_counts=0)
index_entry("null_count_of_a_page", "n", "null_counts", 1, null_counts=0)
index_entry("null_page_of_a_list", LIST, "null_pages", 1, null_pages=True, min_values=b"", max_values=b"")
index_entry("page_minimum_above", "n", "minimum", 1, min_values=number(20002))
index_entry("page_maximum_below", "n", "maximum", 1, max_values=number(20998))
index_entry("page_bounds_crossed", "n", "lower bound above", 1, min_values=number(30000))
index_entry("page_bound_of_a_list", LIST, "maximum", 1, max_values=number(20001))
index_entry("page_bound_of_no_bytes", "word", "minimum|maximum|bound", 1,
            min_values=b"w9", max_values=b"w9")
index_entry("page_bound_nan", "f", "NaN", 0, max_values=struct.pack("<d", float("nan")))
index_entry("page_bound_width", "f", "bounds of", 0, max_values=b"\0\0\0\x7f")


@lie("boundary_order")
def order_descending(file):
    file.chunk("id").column_index.boundary_order = 2


@lie("boundary_order")
def order_ascending_and_is_not(file):
    index = file.chunk("word").column_index
    index.boundary_order = 1
    index.min_values, index.max_values = [b"w01", b"w00"], [b"w99", b"w49"]


@lie("boundary_order|boundary order")
def order_unknown(file):
    file.chunk("id").column_index.boundary_order = 3


@lie("histogram")
def histogram_of_pages(file):
    histograms = file.chunk("n").column_index.definition_level_histograms
    histograms[2], histograms[3] = histograms[3], histograms[2]


@lie("histogram")
def histogram_of_a_chunk(file):
    sizes = file.chunk(LIST).meta.size_statistics
    sizes.definition_level_histogram = sizes.definition_level_histogram[::-1]


@lie("histogram")
def histogram_of_repetitions(file):
    sizes = file.chunk(LIST).meta.size_statistics
    sizes.repetition_level_histogram = sizes.repetition_level_histogram[::-1]


@lie("unencoded")
def unencoded_bytes_of_a_chunk(file):
    file.chunk("word").meta.size_statistics.unencoded_byte_array_data_bytes -= 1


# 3.2, 3.3: statistics.
statistic("null_count_none", "n", "null_count", null_count=0)
statistic("null_count_all", "n", "null_count", null_count=ROWS)
statistic("null_count_of_a_list", LIST, "null_count", null_count=0)
statistic("null_count_negative", "n", "null_count", null_count=-1)
statistic("null_count_absent", "n", "without a null_count", null_count=None)


@lie("without a null_count")
def statistics_empty(file):
    file.chunk("n").meta.statistics = Struct("Statistics")


statistic("distinct_count", "word", "distinct_count", distinct_count=1)
statistic("minimum_above", "n", "minimum", min_value=number(20002))
statistic("maximum_below", "n", "maximum", max_value=number(20998))
statistic("exact_is_false", "n", "exact", max_value=number(30000))
statistic("exact_minimum_is_false", "word", "exact", min_value=b"w")
statistic("one_value_alone", "word", "minimum|maximum", min_value=b"w01", max_value=b"w01")
statistic("bounds_crossed", "n", "lower bound above", min_value=number(30000))
statistic("one_bound", "n", "one bound", min_value=None)
statistic("bound_width", "n", "bounds of", min_value=b"\0", max_value=b"\x7f")
statistic("legacy_bounds", "n", "deprecated", min=number(0), max=number(0))
statistic("nan_bound", "f", "NaN", max_value=struct.pack("<d", float("nan")))
statistic("nan_count", "f", "nan_count", nan_count=0)
statistic("zero_without_its_sign", "f", r"\+0", min_value=struct.pack("<d", 0.0))

# What a file says is true, and its rows are others: `lithify verify A -- B` tells.
ROW_LIES = {}


def other_rows(mutate):
    ROW_LIES[mutate.__name__] = mutate
    return mutate


def _drop_claims(chunk):
    """Nothing but the values is to be wrong."""
    chunk.column_index = chunk.meta.statistics = chunk.bloom = chunk.meta.size_statistics = None
    if chunk.offset_index:
        chunk.offset_index.unencoded_byte_array_data_bytes = None


@other_rows
def one_column_for_another(file):
    """Two columns of one type: readers give them swapped, without an error."""
    n, m = file.chunk("n"), file.chunk("m")
    n.pages, m.pages = m.pages, n.pages
    for chunk in (n, m):
        _drop_claims(chunk)


@other_rows
def one_row_group_for_another(file):
    """A column's chunk of another row group: its values are those, its rows are not."""
    a, b = file.chunk("id", 0), file.chunk("id", 1)
    a.pages, b.pages = b.pages, a.pages
    for chunk in (a, b):
        _drop_claims(chunk)


@other_rows
def entries_of_a_dictionary_swapped(file):
    chunk = file.chunk("word")
    leaf = parquet_build.leaves(SCHEMA)["word"].with_codec("SNAPPY")
    words = [f"w{n:02}" for n in range(1, 50) if n % 5]
    words[0], words[1] = words[1], words[0]
    made = parquet_build.dictionary_page(leaf, words)
    chunk.pages[0].header, chunk.pages[0].body = made.header, made.body
    _drop_claims(chunk)


@other_rows
def row_group_left_out(file):
    file.groups.pop()


@other_rows
def row_group_twice(file):
    file.groups.append(copy.deepcopy(file.groups[0]))


@other_rows
def one_value(file):
    chunk = file.chunk("m")
    leaf = parquet_build.leaves(SCHEMA)["m"].with_codec("SNAPPY")
    values = [row["m"] for row in rows(0)]
    values[100] += 1
    chunk.pages = [parquet_build.page(leaf, values)]
    chunk.offset_index = None
    _drop_claims(chunk)


@other_rows
def null_for_zero(file):
    chunk = file.chunk("m")
    leaf = parquet_build.leaves(SCHEMA)["m"].with_codec("SNAPPY")
    chunk.pages = [parquet_build.page(leaf, [row["m"] or None for row in rows(0)])]
    chunk.offset_index = None
    _drop_claims(chunk)
