"""The table of legal mixes inside one column chunk: parquet-splice.md 1.1 to 1.6, 5 and 8.

Each entry builds the pages of the column `x`; the rows are those written in it. UNREAD names the
engines that are known not to read a legal file; what is merged of it they must read, except for
encodings that they do not have at all (LACKING).
"""

import math
import zlib

import pyarrow as pa

from parquet_build import (bit_packed_page, compress, dictionary_page, index_page, page, positions,
                           unknown_page)
from parquet_values import delta_prefixes, ids

INT, LONG, WORD, REAL, FLAG, FIXED = (pa.int32(), pa.int64(), pa.string(), pa.float64(), pa.bool_(),
                                      pa.binary(3))
LIST = pa.list_(pa.int32())
MIXES, UNREAD, LACKING = {}, {}, {}


def mix(kind, codec="NONE", index=True, unread=(), lacking=(), nullable=True):
    """Registers a function that gives the pages. `index`: the chunk gets page indexes, for which
    every page must begin a row."""
    def register(build):
        name = build.__name__
        MIXES[name] = (kind, codec, index, nullable, build)
        LACKING[name] = frozenset(lacking)
        UNREAD[name] = frozenset(unread) | LACKING[name]
        return build
    return register


def versions(leaf):
    return [page(leaf, [1, 2, None]), page(leaf, [4, None], version=2), page(leaf, [6] * 20),
            page(leaf, [7, 8, 9, None], version=2)]


for _codec in ("NONE", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW"):
    versions.__name__ = f"versions_{_codec.lower()}"
    mix(INT, _codec)(versions)


@mix(INT)
def encodings_int32(leaf):
    return [page(leaf, [1, 2, None]), page(leaf, list(range(-70, 200, 2)), "DELTA_BINARY_PACKED"),
            page(leaf, [5, None, -6], "BYTE_STREAM_SPLIT"),
            page(leaf, [2**31 - 1, -2**31, 0], "DELTA_BINARY_PACKED", version=2),
            page(leaf, [3], version=2)]


@mix(LONG, "ZSTD")
def encodings_int64(leaf):
    words = [10**12, -7, 10**12]
    return [dictionary_page(leaf, words[:2]), page(leaf, [3, 2**62, None], "DELTA_BINARY_PACKED"),
            page(leaf, words, dictionary=words[:2]), 
            page(leaf, [None, 8], "BYTE_STREAM_SPLIT", version=2),
            page(leaf, [-2**63, 1])]


@mix(WORD, "SNAPPY")
def encodings_string(leaf):
    return [dictionary_page(leaf, ["a", "bc"]), page(leaf, ["bc", None, "a"], dictionary=["a", "bc"]),
            page(leaf, ["plain", ""]), page(leaf, ["four", None, "lengths"], "DELTA_LENGTH_BYTE_ARRAY"),
            page(leaf, ["pre", "prefix", "prefixes", None, "z"], "DELTA_BYTE_ARRAY", version=2),
            page(leaf, ["a", "a"], dictionary=["a", "bc"], version=2)]


@mix(REAL)
def encodings_double(leaf):
    return [dictionary_page(leaf, [0.5, -0.25]), page(leaf, [0.5, None, -0.25], dictionary=[0.5, -0.25]),
            page(leaf, [1.5, 2.5], "BYTE_STREAM_SPLIT"), page(leaf, [3.5, None], version=2)]


@mix(FIXED, "GZIP", lacking={"duckdb", "polars"})
def encodings_fixed(leaf):
    return [dictionary_page(leaf, [b"abc", b"abd"]), page(leaf, [b"xyz", None]),
            page(leaf, [b"abd", b"abc"], dictionary=[b"abc", b"abd"]),
            page(leaf, [b"\0\1\2", b"\xff\xfe\xfd"], "BYTE_STREAM_SPLIT", version=2)]


@mix(FIXED, lacking={"polars"})
def encodings_fixed_prefixes(leaf):
    return [page(leaf, [b"abc", b"abd", None, b"xyz"], "DELTA_BYTE_ARRAY"), page(leaf, [b"123"])]


@mix(FLAG)
def encodings_boolean(leaf):
    return [page(leaf, [True, None, False]), page(leaf, [True] * 9 + [False], "RLE"),
            page(leaf, [False, True], "RLE", version=2), page(leaf, [True, None], version=2)]


@mix(WORD, "ZSTD", nullable=False)
def required(leaf):
    return [dictionary_page(leaf, ["k"]), page(leaf, ["k"] * 3, dictionary=["k"]),
            page(leaf, ["l", "m"], version=2), page(leaf, ["n"], "DELTA_BYTE_ARRAY")]


@mix(INT)
def plain_before_and_between_dictionary_pages(leaf):
    words = [40, 50, 60]
    return [dictionary_page(leaf, words), page(leaf, [1, None]), page(leaf, [40, 60], dictionary=words),
            page(leaf, [2, 3]), page(leaf, [50, None, 40], dictionary=words, version=2), page(leaf, [4])]


@mix(WORD)
def two_names_of_dictionary_encoding(leaf):
    words = ["a", "b", "c"]
    return [dictionary_page(leaf, words, "PLAIN_DICTIONARY"),
            page(leaf, ["a", "c", None], "PLAIN_DICTIONARY", dictionary=words),
            page(leaf, ["b"], "RLE_DICTIONARY", dictionary=words),
            page(leaf, ["c", "a"], "PLAIN_DICTIONARY", dictionary=words, version=2)]


@mix(INT)
def widths_of_ids(leaf):
    words = list(range(100, 200))
    return [dictionary_page(leaf, words), page(leaf, [100] * 9 + [None], dictionary=words, width=0),
            page(leaf, [100, 101], dictionary=words), page(leaf, [103, None, 199], dictionary=words),
            page(leaf, [150, 100, 101, 102] * 5, dictionary=words, width=8),
            page(leaf, [100, 102] * 9, dictionary=words, width=17),
            page(leaf, [101, 199, 100], dictionary=words, width=32),
            page(leaf, [100, None, 100], dictionary=words, width=0, version=2)]


@mix(INT, "SNAPPY")
def with_and_without_crc(leaf):
    return [page(leaf, [1, 2], crc=True), page(leaf, [3, None]), page(leaf, [5], version=2, crc=True),
            page(leaf, [6], version=2)]


@mix(WORD, "GZIP")
def stored_page_in_a_compressed_chunk(leaf):
    return [page(leaf, ["a" * 50, None], version=2, is_compressed=True),
            page(leaf, ["b" * 50, None], version=2, is_compressed=False),
            page(leaf, ["c" * 50], version=2, is_compressed=None), page(leaf, ["d"])]


@mix(INT, index=False)
def pages_without_values(leaf):
    return [page(leaf, [1]), page(leaf, []), page(leaf, [2, None]),
            page(leaf, [], version=2), page(leaf, [3])]


@mix(INT, index=False, unread={"duckdb", "polars"})
def index_page_between(leaf):
    return [page(leaf, [1, None]), index_page(), page(leaf, [2, 3])]


@mix(INT, index=False, unread={"duckdb", "polars", "datafusion"})
def unknown_page_between(leaf):
    return [page(leaf, [1, None]), unknown_page(), page(leaf, [2, 3])]


@mix(WORD, "GZIP")
def nulls_v2_of_no_bytes(leaf):
    return [page(leaf, ["a", "b"], version=2), page(leaf, [None] * 5, version=2),
            page(leaf, ["c", None], version=2)]


@mix(WORD, "SNAPPY")
def nulls_v2_of_an_empty_codec_stream(leaf):
    empty = compress("SNAPPY", b"")
    nulls = page(leaf, [None] * 5, version=2)
    nulls.set_body(nulls.body + empty)
    return [page(leaf, ["a", "b"], version=2), nulls, page(leaf, ["c", None], version=2)]


@mix(INT)
def repetition_levels_that_mean_nothing(leaf):
    odd = page(leaf, [4, None, 6], version=2)
    odd.set_body(b"\x06\x00" + odd.body, odd.header.uncompressed_page_size + 2)
    odd.detail.repetition_levels_byte_length = 2
    return [page(leaf, [1, 2], version=2), odd, page(leaf, [7])]


@mix(LIST)
def lists(leaf):
    return [page(leaf, [[1, None], None, [], [2, 3]]), page(leaf, [[4], [5, 6, None]], version=2),
            page(leaf, [[None]], "DELTA_BINARY_PACKED"), page(leaf, [None, []], version=2)]


@mix(LIST, "ZSTD", index=False)
def page_border_inside_a_row(leaf):
    first, second = positions(leaf, [[1, 2], [3, None, 5, 6], [7]]).cut(4, leaf.max_def)
    return [page(leaf, first), page(leaf, second), page(leaf, [[8], None], version=2)]


@mix(LIST, index=False)
def row_of_three_pages(leaf):
    whole = positions(leaf, [[1], list(range(20)), [None]])
    first, rest = whole.cut(5, leaf.max_def)
    second, third = rest.cut(6, leaf.max_def)
    return [page(leaf, first), page(leaf, second, "DELTA_BINARY_PACKED"), page(leaf, third)]


@mix(INT)
def null_pages_plain(leaf):
    words = [5, 6]
    return [dictionary_page(leaf, words), page(leaf, [5, 6], dictionary=words), page(leaf, [None] * 9),
            page(leaf, [6], dictionary=words), page(leaf, [None] * 3, version=2)]


@mix(INT)
def null_pages_of_width_zero(leaf):
    words = [5, 6]
    return [dictionary_page(leaf, words), page(leaf, [None] * 9, "RLE_DICTIONARY", raw=b"\0"),
            page(leaf, [5, 6], dictionary=words),
            page(leaf, [None] * 3, "RLE_DICTIONARY", version=2, raw=b"\0")]


@mix(INT, unread={"duckdb", "polars", "datafusion"})
def null_pages_of_no_ids_at_all(leaf):
    words = [5, 6]
    return [dictionary_page(leaf, words), page(leaf, [None] * 9, "RLE_DICTIONARY", raw=b""),
            page(leaf, [5, 6], dictionary=words)]


@mix(INT)
def null_pages_delta(leaf):
    return [page(leaf, [1, 2], "DELTA_BINARY_PACKED"), page(leaf, [None] * 4, "DELTA_BINARY_PACKED"),
            page(leaf, [3], "DELTA_BINARY_PACKED")]


ALL_ENGINES = {"pyarrow", "duckdb", "polars", "datafusion"}


def _null_pages_without_a_body(name, kind, values, encoding, version, unread):
    """Pages of nulls alone that lack even the header of their encoding."""
    def build(leaf):
        return [page(leaf, values, encoding), page(leaf, [None] * 4, encoding, version=version, raw=b""),
                page(leaf, values, encoding)]
    build.__name__ = f"null_pages_without_a_body_{name}_v{version}"
    mix(kind, "SNAPPY", unread=unread)(build)


for _version in (1, 2):
    for _name, _kind, _values, _encoding in (
            ("delta", INT, [1, 2], "DELTA_BINARY_PACKED"), ("delta_long", LONG, [1, 2], "DELTA_BINARY_PACKED"),
            ("lengths", WORD, ["a", "b"], "DELTA_LENGTH_BYTE_ARRAY"),
            ("prefixes", WORD, ["a", "b"], "DELTA_BYTE_ARRAY"), ("booleans", FLAG, [True, False], "RLE")):
        _null_pages_without_a_body(_name, _kind, _values, _encoding, _version, ALL_ENGINES)


@mix(INT)
def only_nulls(leaf):
    return [dictionary_page(leaf, []), page(leaf, [None] * 4, "RLE_DICTIONARY", raw=b"\0"),
            page(leaf, [None] * 2)]


@mix(INT)
def unused_dictionary(leaf):
    return [dictionary_page(leaf, [70, 71]), page(leaf, [1, None]), page(leaf, [2], version=2)]


@mix(WORD)
def unused_entries(leaf):
    words = ["never", "a", "nowhere", "b"]
    return [dictionary_page(leaf, words), page(leaf, ["a", None, "b", "a"], dictionary=words)]


@mix(WORD)
def entries_twice(leaf):
    words = ["a", "b", "a"]
    return [dictionary_page(leaf, words),
            page(leaf, ["a", "b", "a"], "RLE_DICTIONARY", raw=ids([0, 1, 2]))]


def gzip_members(raw):
    half = len(raw) // 2
    return compress("GZIP", raw[:half]) + compress("GZIP", raw[half:])


def zstd_frames(raw):
    half = len(raw) // 2
    return compress("ZSTD", raw[:half]) + compress("ZSTD", raw[half:])


@mix(WORD, "GZIP")
def gzip_of_two_members(leaf):
    return [page(leaf, ["a" * 99, None, "b"], squeeze=gzip_members), page(leaf, ["c"]),
            page(leaf, ["d" * 50, "e"], version=2, squeeze=gzip_members)]


@mix(WORD, "ZSTD")
def zstd_of_two_frames(leaf):
    return [page(leaf, ["a" * 99, None, "b"], squeeze=zstd_frames), page(leaf, ["c"]),
            page(leaf, ["d" * 50, "e"], version=2, squeeze=zstd_frames)]


@mix(WORD, "ZSTD")
def zstd_of_two_levels(leaf):
    def level(number):
        return lambda raw: pa.Codec("zstd", number).compress(raw, asbytes=True)
    return [page(leaf, ["a" * 99, None, "b"], squeeze=level(1)), page(leaf, ["c"] * 50, squeeze=level(19)),
            page(leaf, ["d" * 50, "e"], version=2, squeeze=level(19))]


@mix(WORD, "GZIP")
def gzip_stored(leaf):
    def stored(raw):
        maker = zlib.compressobj(0, zlib.DEFLATED, 31)
        return maker.compress(raw) + maker.flush()
    return [page(leaf, ["a" * 99, None], squeeze=stored), page(leaf, ["b"], version=2)]


def _lz4_in_three_ways(leaf):
    """What LZ4 means was never said: Hadoop's frames, raw blocks, frames of the lz4 program."""
    def frame(raw):
        return pa.Codec("lz4").compress(raw, asbytes=True)

    def block(raw):
        return compress("LZ4_RAW", raw)
    return [page(leaf, ["a" * 99, None]), page(leaf, ["b" * 99, "c"], squeeze=block),
            page(leaf, ["d" * 99, None], version=2), page(leaf, ["e" * 99], squeeze=frame)]


@mix(WORD, "LZ4")
def lz4_of_hadoop(leaf):
    return _lz4_in_three_ways(leaf)[::2]


@mix(WORD, "LZ4", unread={"pyarrow", "duckdb", "polars"})
def lz4_of_all_kinds(leaf):
    return _lz4_in_three_ways(leaf)


@mix(INT, unread={"pyarrow", "duckdb", "polars", "datafusion"})
def levels_bit_packed(leaf):
    """Some engines take the least significant bit for the first, and see other nulls without an
    error."""
    return [bit_packed_page(leaf, [None, 1, 2, None, None, 3]), page(leaf, [4, None])]


@mix(INT, nullable=False)
def levels_that_are_not_there(leaf):
    """parquet-mr declares BIT_PACKED levels for flat required columns."""
    odd = page(leaf, [1, 2, 3])
    odd.detail.definition_level_encoding = odd.detail.repetition_level_encoding = 4
    return [odd, page(leaf, [4], version=2)]


@mix(REAL, index=False)
def zeros_and_nans(leaf):
    words = [0.0, 1.0]
    return [dictionary_page(leaf, words), page(leaf, [0.0, 1.0, None], dictionary=words),
            page(leaf, [-0.0, math.nan, -1.0])]


@mix(INT)
def many_pages(leaf):
    return [page(leaf, [n, None, -n], version=1 + n % 2) for n in range(1, 200)]


@mix(WORD)
def prefixes_that_start_again(leaf):
    return [page(leaf, ["shared-1", "shared-2"], "DELTA_BYTE_ARRAY"),
            page(leaf, ["shared-3", None, "shared-4"], "DELTA_BYTE_ARRAY",
                 raw=delta_prefixes([b"shared-3", b"shared-4"]))]
