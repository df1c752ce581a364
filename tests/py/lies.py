"""Sources that lie about themselves, and whose rows are known all the same.

TABLE has for each the outcome: KEPT, every row is there and the lie is not; or the words of the
refusal, where nobody can know what the rows are. parquet-splice.md 1.1 to 1.6, 2.2 to 2.4, 3, 4, 8.
"""

import struct

import pyarrow as pa

import parquet_build
import parquet_thrift
import parquet_values
from parquet_build import dictionary_page, page, positions
from parquet_file import ENCODINGS
from parquet_thrift import Struct

KEPT = None
TABLE = {}

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), ("n", pa.int32()), ("word", pa.string()),
                    ("f", pa.float64()), ("list", pa.list_(pa.int32()))])
LIST = "list.list.element"
WORDS = ["m", "b", "x"]
# Three pages of each column.
PAGES = {
    "id": [[0, 1, 2], [3, 4, 5, 6], [7, 8]],
    "n": [[5, None, 9], [None] * 4, [-7, 6]],
    "word": [["m", "b", None], ["x", "x", "m", "m"], [None, "p"]],
    "f": [[-0.0, 1.5, None], [2.5, float("nan"), 3.0, 0.0], [-4.0, 8.0]],
    LIST: [[[1, None], [2, None], []], [None, [3], [None], [4, 5]], [[6], [7, 8]]],
}
ROWS = 9
CODECS = {"id": "NONE", "n": "SNAPPY", "word": "GZIP", "f": "ZSTD", LIST: "SNAPPY"}




def leaf_of(name):
    return parquet_build.leaves(SCHEMA)[name].with_codec(CODECS[name])


DICTIONARY_BYTES = len(dictionary_page(leaf_of("word"), WORDS).bytes())


def rows():
    columns = {name.split(".")[0]: sum(pages, []) for name, pages in PAGES.items()}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def honest():
    """The file before it lies. The last page of `word` is PLAIN behind dictionary pages."""
    chunks = {}
    for name, pages in PAGES.items():
        leaf = leaf_of(name)
        made = [page(leaf, part, dictionary=WORDS if name == "word" and number < 2 else None)
                for number, part in enumerate(pages)]
        if name == "word":
            made.insert(0, dictionary_page(leaf, WORDS))
        chunks[name] = parquet_build.chunk(leaf, made, index=True)
    return parquet_build.file(SCHEMA, [chunks])


def lie(outcome=KEPT, name=None):
    """Registers a change of the honest file, which may return a change of its finished footer."""
    def register(change):
        TABLE[name or change.__name__] = (outcome, change)
        return change
    return register


def statistic(name, column, **fields):
    def change(file):
        statistics = file.chunk(column).meta.statistics
        for field, value in fields.items():
            setattr(statistics, field, value)
    lie(name=name)(change)


def metadata(name, column, outcome=KEPT, **changes):
    def change(_):
        def later(footer):
            meta = next(chunk.meta_data for chunk in footer.row_groups[0].columns
                        if b".".join(chunk.meta_data.path_in_schema).decode() == column)
            for field, value in changes.items():
                setattr(meta, field, value(getattr(meta, field)) if callable(value) else value)
        return later
    lie(outcome, name)(change)


def footer_lie(outcome=KEPT):
    def register(change):
        lie(outcome, change.__name__)(lambda _: change)
        return change
    return register


def number(value):
    return struct.pack("<i", value)


def real(value):
    return struct.pack("<d", value)


lie(name="nothing")(lambda file: None)

# Lies that cost rows without an error, and in which engines: what the tests would see in an output.
BITES = {
    "null_count_none": {"pyarrow", "duckdb", "polars", "datafusion"},
    "null_count_all": {"pyarrow", "duckdb", "polars", "datafusion"},
    "null_count_absent": {"datafusion"},
    "statistics_empty": {"datafusion"},
    "bounds_too_narrow": {"duckdb", "polars", "datafusion"},
    "bounds_of_one_value": {"pyarrow", "duckdb", "polars", "datafusion"},
    "bounds_of_one_word": {"pyarrow", "duckdb", "polars", "datafusion"},
    "legacy_bounds_alone": {"duckdb", "datafusion"},
    "nan_bounds": {"datafusion"},
    "bounds_of_zero": {"pyarrow", "duckdb", "polars"},
    "page_statistics_bounds": {"duckdb"},
    "bloom_without_values": {"duckdb", "datafusion"},
    "null_page_of_values": {"duckdb"},
    "null_page_without_nulls": {"datafusion"},
    "page_bounds_too_narrow": {"duckdb", "datafusion"},
    "two_dictionaries": {"duckdb"},
}

# Lies that only decoding shows: pages that are copied are not decoded, so they are passed on as they
# were. The output is no worse than the source, and `--verify decode` says so:
UNSEEN = {
    "null_count_none": "null_count says 0, there are",
    "exact_is_false": "says it is exact, but no value has it",
    "page_bounds_too_narrow": "a value above the maximum of the column index's entry",
    "row_across_pages_despite_an_index": "the page begins inside a row",
    "levels_too_few": "lying.parquet.*the runs end before the values do",
    "values_behind_the_last": "4 bytes are left behind 2 values",
    "levels_of_a_required_column": "4 values of 8 bytes in 31 bytes",
}
# These, too, where no honest source makes up for it.
ALONE = {
    "bounds_too_narrow": "a value above the maximum of the chunk's statistics",
    "bounds_of_one_word": "a value below the minimum of the chunk's statistics",
    "bounds_of_zero": "a value above the maximum of the chunk's statistics",
    "bloom_without_values": "is not in the bloom filter",
}

# 3.2, 3.3: statistics.
statistic("null_count_none", "n", null_count=0)
statistic("null_count_all", "n", null_count=9)
statistic("null_count_absent", "n", null_count=None)


@lie()
def statistics_empty(file):
    file.chunk("n").meta.statistics = Struct("Statistics")


statistic("null_count_of_a_list", LIST, null_count=0)
statistic("null_count_impossible", "n", null_count=-3)
statistic("null_count_above_all", "n", null_count=1000)
statistic("distinct_count", "n", distinct_count=1)
statistic("bounds_too_narrow", "n", min_value=number(5), max_value=number(6))
statistic("bounds_of_one_value", "n", min_value=number(6), max_value=number(6))
statistic("bounds_of_one_word", "word", min_value=b"m", max_value=b"m")
statistic("bounds_crossed", "n", min_value=number(9), max_value=number(-7))
statistic("bounds_of_no_bytes", "n", min_value=b"", max_value=b"")
statistic("bounds_of_a_wrong_width", "n", min_value=b"\0", max_value=b"\0")
statistic("minimum_alone", "n", max_value=None)
statistic("exact_is_false", "n", min_value=number(-100), max_value=number(100))
statistic("legacy_bounds_alone", "n", min_value=None, max_value=None, min=number(5), max=number(5))
statistic("legacy_bounds_besides", "n", min=number(5), max=number(5))
statistic("legacy_bounds_of_words", "word", min_value=None, max_value=None, min=b"x", max=b"x")
statistic("nan_bounds", "f", min_value=real(float("nan")), max_value=real(float("nan")))
statistic("nan_maximum", "f", min_value=real(-4), max_value=real(float("nan")))
statistic("bounds_of_zero", "f", min_value=real(0.0), max_value=real(-0.0))
statistic("nan_count", "f", nan_count=9)


@footer_lie()
def no_column_orders(footer):
    footer.column_orders = None


@footer_lie()
def unknown_column_order(footer):
    unknown = Struct("ColumnOrder", unknown={9: (12, Struct("Any"))})
    footer.column_orders = [unknown for _ in footer.column_orders]


@footer_lie()
def total_order(footer):
    footer.column_orders[3] = Struct("ColumnOrder", IEEE_754_TOTAL_ORDER=Struct("Any"))


def page_statistics(name, **fields):
    def change(file):
        for data in file.chunk("n").data_pages:
            data.detail.statistics = Struct("Statistics", **fields)
    lie(name=name)(change)


page_statistics("page_statistics_bounds", min_value=number(100), max_value=number(100), null_count=0)
page_statistics("page_statistics_nulls", null_count=4)
page_statistics("page_statistics_legacy", min=number(100), max=number(100))

# 1.4: metadata of chunks.
metadata("encodings_of_dictionaries_only", "word", encodings=[ENCODINGS["RLE_DICTIONARY"]])
metadata("encodings_none", "word", encodings=[])
metadata("encoding_stats_none", "word", encoding_stats=None)
metadata("encoding_stats_of_dictionaries_only", "word",
         encoding_stats=lambda old: [Struct("PageEncodingStats", page_type=2, encoding=0, count=1),
                                     Struct("PageEncodingStats", page_type=0, encoding=8, count=3)])
metadata("num_values_too_few", "n", "values", num_values=8)
metadata("num_values_of_a_list", LIST, "values|rows", num_values=lambda old: old - 1)
metadata("uncompressed_size", "n", total_uncompressed_size=lambda old: old + 7)
metadata("compressed_size_short", "n", "bytes|end|page", total_compressed_size=lambda old: old - 9)
metadata("dictionary_offset_of_the_chunk_that_has_none", "n", dictionary_page_offset=0)
metadata("dictionary_offset_zero", "word", dictionary_page_offset=0,
         data_page_offset=lambda old: old - DICTIONARY_BYTES)
metadata("dictionary_offset_unset", "word", "dictionary", dictionary_page_offset=None)
metadata("index_page_offset", "n", index_page_offset=4)
metadata("bloom_offset_into_pages", "n", bloom_filter_offset=4, bloom_filter_length=40)
metadata("private_extension", "n", unknown={32767: (8, b"offsets")})


@lie()
def bloom_without_values(file):
    """Every answer of it is no."""
    header = Struct("BloomFilterHeader", numBytes=32, algorithm=Struct("Any", {1: (12, Struct("Any"))}),
                    hash=Struct("Any", {1: (12, Struct("Any"))}),
                    compression=Struct("Any", {1: (12, Struct("Any"))}))
    file.chunk("n").bloom = parquet_thrift.write(header) + bytes(32)


@footer_lie("another file")
def file_path(footer):
    footer.row_groups[0].columns[1].file_path = b"elsewhere.parquet"


@footer_lie()
def chunk_file_offset(footer):
    footer.row_groups[0].columns[1].file_offset = 17


# 1.5: row groups.
@footer_lie("path|type")
def columns_out_of_order(footer):
    columns = footer.row_groups[0].columns
    columns[1], columns[3] = columns[3], columns[1]


@footer_lie()
def group_sizes(footer):
    group = footer.row_groups[0]
    group.total_byte_size = group.total_compressed_size = group.file_offset = 3
    group.ordinal = 7


@footer_lie("rows")
def group_rows(footer):
    footer.row_groups[0].num_rows = 8


@footer_lie()
def sorted_by_what_is_not_sorted(footer):
    footer.row_groups[0].sorting_columns = [
        Struct("SortingColumn", column_idx=2, descending=False, nulls_first=False)]


# 1.6, 2.2: rows across pages, the offset index.
@lie()
def row_across_pages_despite_an_index(file):
    chunk, leaf = file.chunk(LIST), leaf_of(LIST)
    first, second = positions(leaf, sum(PAGES[LIST], [])).cut(1, leaf.max_def)
    chunk.pages = [page(leaf, first), page(leaf, second)]
    chunk.index_rows()
    chunk.column_index = None


# ARROW-GH-41317: the columns of a row group are not of one length. Without a look at all of them the
# rows of the sources behind it would get each other's values.
def length(name, column, outcome, change):
    def build(file):
        chunk = file.chunk(column)
        change(chunk.pages)
        chunk.offset_index = chunk.column_index = chunk.meta.statistics = None
    lie(outcome, name)(build)


length("column_too_short", "n", "7 values .* 9 rows", lambda pages: pages.pop())
length("column_too_long", "n", "10 values .* 9 rows", lambda pages: pages.append(page(leaf_of("n"), [7])))
length("list_too_short", LIST, "7 rows, its row group 9", lambda pages: pages.pop())
length("list_too_long", LIST, "10 rows, its row group 9",
       lambda pages: pages.append(page(leaf_of(LIST), [[7, None]])))


@lie("values .* rows")
def columns_of_any_length(file):
    """No two of them alike, and the row group has the rows of none."""
    for name, pages in (("id", 3), ("n", 2), ("word", 2), ("f", 1)):
        del file.chunk(name).pages[pages:]
        file.chunk(name).offset_index = file.chunk(name).column_index = None
    file.groups[0].fields.num_rows = 8


@lie("row|repetition level")
def row_across_pages_of_version_2(file):
    chunk, leaf = file.chunk(LIST), leaf_of(LIST)
    first, second = positions(leaf, sum(PAGES[LIST], [])).cut(1, leaf.max_def)
    chunk.pages = [page(leaf, first), page(leaf, second, version=2)]
    chunk.offset_index = chunk.column_index = None


@lie("repetition level|row")
def first_row_without_a_begin(file):
    chunk, leaf = file.chunk(LIST), leaf_of(LIST)
    whole = positions(leaf, sum(PAGES[LIST], []))
    whole.reps[0] = 1
    chunk.pages = [page(leaf, whole)]
    chunk.offset_index = chunk.column_index = None


def rows_of_a_list(name, at, level):
    """The levels of a list's page have another number of rows than the file says."""
    def change(file):
        chunk, leaf = file.chunk(LIST), leaf_of(LIST)
        whole = positions(leaf, sum(PAGES[LIST], []))
        whole.reps[at] = level
        chunk.pages = [page(leaf, whole)]
        chunk.pages[0].rows = ROWS
        chunk.offset_index = chunk.column_index = None
    lie("rows", name)(change)


# Rows of the sources behind it would get each other's lists: no engine notices.
rows_of_a_list("one_row_too_many", 1, 0)
rows_of_a_list("one_row_too_few", 2, 1)


@lie()
def first_rows(file):
    for entry, row in zip(file.chunk("n").offset_index.page_locations, (1, 2, 20)):
        entry.first_row_index = row


@lie()
def indexes_of_some_columns(file):
    for name in ("n", "f"):
        file.chunk(name).offset_index = file.chunk(name).column_index = None


@lie()
def locations_too_few(file):
    file.chunk("n").offset_index.page_locations.pop()


@footer_lie()
def indexes_of_another_chunk(footer):
    a, b = footer.row_groups[0].columns[1], footer.row_groups[0].columns[2]
    for name in ("offset_index", "column_index"):
        for field in (f"{name}_offset", f"{name}_length"):
            setattr(a, field, getattr(b, field))


@footer_lie()
def indexes_behind_the_end(footer):
    for column in footer.row_groups[0].columns:
        column.offset_index_offset = column.column_index_offset = 1 << 40


@footer_lie("column_index_offset is -5")
def indexes_in_front_of_the_begin(footer):
    footer.row_groups[0].columns[1].column_index_offset = -5


# 2.3, 2.4: the column index.
def index_entry(name, column, page_number, **fields):
    def change(file):
        for field, value in fields.items():
            getattr(file.chunk(column).column_index, field)[page_number] = value
    lie(name=name)(change)


index_entry("null_page_of_values", "n", 0, null_pages=True, min_values=b"", max_values=b"")
index_entry("null_page_of_values_and_no_nulls", "n", 2, null_pages=True, min_values=b"",
            max_values=b"", null_counts=0)
index_entry("null_page_of_a_list", LIST, 0, null_pages=True, min_values=b"", max_values=b"")
index_entry("null_page_denied", "n", 1, null_pages=False)
index_entry("null_page_without_nulls", "n", 1, null_counts=0)
index_entry("page_bounds_too_narrow", "n", 0, max_values=number(5))
index_entry("page_bounds_crossed", "n", 0, min_values=number(9), max_values=number(5))


@lie()
def order_of_pages(file):
    for name in ("n", "word"):
        file.chunk(name).column_index.boundary_order = 1
    file.chunk("id").column_index.boundary_order = 2


@lie()
def column_index_too_short(file):
    index = file.chunk("n").column_index
    for name in ("null_pages", "min_values", "max_values", "null_counts"):
        getattr(index, name).pop()


# 1.1, 1.2, 1.3, 5: pages.
@lie("dictionary")
def two_dictionaries(file):
    chunk = file.chunk("word")
    chunk.pages.insert(2, dictionary_page(leaf_of("word"), ["other", "words", "here"]))


@lie("dictionary")
def dictionary_in_second_place(file):
    pages = file.chunk("word").pages
    pages[0], pages[1] = pages[1], pages[0]

    def later(footer):
        footer.row_groups[0].columns[2].meta_data.dictionary_page_offset = None
    return later


@lie("encoding")
def encoding_that_is_none(file):
    file.chunk("n").pages[0].detail.encoding = 1  # of a first draft


@lie("encoding")
def encoding_of_other_types(file):
    file.chunk("n").pages[0].detail.encoding = ENCODINGS["DELTA_BYTE_ARRAY"]


@lie("id")
def id_out_of_range(file):
    chunk, leaf = file.chunk("word"), leaf_of("word")
    chunk.pages[1] = page(leaf, PAGES["word"][0], "RLE_DICTIONARY", raw=parquet_values.ids([0, 3]))


@lie("CRC")
def crc(file):
    file.chunk("n").pages[0].set_crc(mistake=1)


@lie("null")
def v2_nulls(file):
    chunk = file.chunk("n")
    chunk.pages[0] = page(leaf_of("n"), PAGES["n"][0], version=2)
    chunk.pages[0].detail.num_nulls = 0


@lie("row")
def v2_rows(file):
    chunk = file.chunk("n")
    chunk.pages[0] = page(leaf_of("n"), PAGES["n"][0], version=2)
    chunk.pages[0].detail.num_rows = 2


@lie("level|def")
def levels_too_few(file):
    chunk, leaf = file.chunk("n"), leaf_of("n")
    short = page(leaf, [5, 5])  # a run of two levels, no padding
    short.detail.num_values = 3
    chunk.pages[0] = short
    chunk.offset_index = chunk.column_index = None


# What files of parquet-testing/bad_data have, 9.4.
@lie("repetition levels: the runs end")
def repetition_levels_too_few(file):
    """ARROW-RS-GH-6229-LEVELS."""
    chunk, leaf = file.chunk(LIST), leaf_of(LIST).with_codec("NONE")
    short = page(leaf, positions(leaf, [[1, 2, 3, 4]] * 2 + [[]] * 7))
    assert short.body[:7] == b"\3\0\0\0\5\xee\0", "two groups of eight"
    short.set_body(b"\2\0\0\0\3\xee" + short.body[7:], len(short.body) - 1)
    chunk.pages, chunk.meta.codec = [short], 0
    chunk.offset_index = chunk.column_index = None


@lie("4 values of 8 bytes in 31 bytes")
def levels_of_a_required_column(file):
    """ARROW-GH-47662: there are some, and a null."""
    chunk, leaf = file.chunk("id"), leaf_of("id")
    odd = page(leaf, PAGES["id"][1], raw=b"\x03\0\0\0\x03\x0d\0" + parquet_values.plain("INT64", [3, 5, 6]),
               encoding="PLAIN")
    chunk.pages[1] = odd
    chunk.offset_index = chunk.column_index = None


@lie("negative count")
def dictionary_of_a_negative_size(file):
    """ARROW-RS-GH-6229-DICTHEADER."""
    file.chunk("word").pages[0].detail.num_values = -3


@footer_lie("unknown type -7")
def type_that_is_none(footer):
    """PARQUET-1481."""
    footer.schema[2].type = -7


def by(created_by, change):
    """A file that says who wrote it, and has that writer's mistake."""
    def build(file):
        file.footer.created_by = created_by
        return change(file)
    return build


def _flag_of_old(file):
    """Compressed, and says that it is not (parquet-cpp before Arrow 3)."""
    chunk, leaf = file.chunk("word"), leaf_of("word")
    chunk.pages[1] = page(leaf, PAGES["word"][0], version=2, dictionary=WORDS, is_compressed=True)
    chunk.pages[1].detail.is_compressed = False
    chunk.pages[3] = page(leaf, PAGES["word"][2], version=2, is_compressed=True)
    chunk.pages[3].detail.is_compressed = False


lie(name="flag_of_old_parquet_cpp")(by(b"parquet-cpp version 1.5.0", _flag_of_old))


PREFIXED = ["prefix-a", "prefix-b", None, "prefix-bc", "prefix-bd", "x", "prefix-q", None, "prefix-r"]


def _prefix_of_the_page_before(file):
    """PARQUET-246: the first prefix is one of the last value of the page before."""
    chunk, leaf = file.chunk("word"), leaf_of("word")
    pages, last = [], b""
    for part in (PREFIXED[:3], PREFIXED[3:7], PREFIXED[7:]):
        raw = [word.encode() for word in part if word]
        pages.append(page(leaf, part, "DELTA_BYTE_ARRAY", raw=parquet_values.delta_prefixes(raw, last)))
        last = raw[-1]
    chunk.pages = pages
    chunk.column_index = None
    chunk.meta.statistics = None


lie(name="prefix_of_the_page_before")(
    by(b"parquet-mr version 1.7.0 (build 5)", _prefix_of_the_page_before))
# Nobody is known to write this any more: it is refused, also by who copies pages.
lie("a prefix of", name="prefix_of_the_page_before_by_others")(
    by(b"somebody version 1.0", _prefix_of_the_page_before))


def _header_forgotten(file):
    """PARQUET-816: the size of the chunk is that without the dictionary's header."""
    header = len(parquet_thrift.write(file.chunk("word").pages[0].header))

    def later(footer):
        footer.row_groups[0].columns[2].meta_data.total_compressed_size -= header
    return later


lie(name="header_of_the_dictionary_forgotten")(
    by(b"parquet-mr version 1.2.8 (build 1)", _header_forgotten))
lie(name="created_by_absent")(lambda file: setattr(file.footer, "created_by", None))


@lie("left behind")
def values_behind_the_last(file):
    """Bytes behind the last value of a PLAIN page."""
    chunk, leaf = file.chunk("n"), leaf_of("n")
    chunk.pages[0] = page(leaf, PAGES["n"][0], "PLAIN", raw=parquet_values.plain("INT32", [5, 9, 77]))
