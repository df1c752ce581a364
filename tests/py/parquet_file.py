"""A Parquet file as a model of its parts: taken apart, changed, and put together again.

    file = parquet_file.take_apart(path)
    file.groups[0].chunks[1].pages.pop(0)
    file.write(path, lie=lambda footer: ...)

What follows from the pages (offsets, sizes, counts, encodings, places in the offset index) is
computed anew when a file is written, so that a changed file says of itself what is true;
`lie` then changes the footer, and nothing corrects that. The rest (statistics, column index, bloom
filter, first rows) stays as it is given.
"""

import dataclasses
import struct
import zlib

import parquet_thrift as thrift
from parquet_thrift import Struct

MAGIC = b"PAR1"
DATA, INDEX, DICTIONARY, DATA_V2 = range(4)
TYPES = ("BOOLEAN INT32 INT64 INT96 FLOAT DOUBLE BYTE_ARRAY FIXED_LEN_BYTE_ARRAY").split()
ENCODINGS = {"PLAIN": 0, "PLAIN_DICTIONARY": 2, "RLE": 3, "BIT_PACKED": 4, "DELTA_BINARY_PACKED": 5,
             "DELTA_LENGTH_BYTE_ARRAY": 6, "DELTA_BYTE_ARRAY": 7, "RLE_DICTIONARY": 8,
             "BYTE_STREAM_SPLIT": 9}
CODECS = {"NONE": 0, "SNAPPY": 1, "GZIP": 2, "BROTLI": 4, "LZ4": 5, "ZSTD": 6, "LZ4_RAW": 7}


@dataclasses.dataclass
class Page:
    header: Struct
    body: bytes
    # Of pages that were built: how many rows begin here, and levels with values.
    rows: int = None
    found: object = None

    @property
    def detail(self):
        """The part of the header that depends on the kind of page; None for an INDEX_PAGE."""
        header = self.header
        return header.data_page_header or header.data_page_header_v2 or header.dictionary_page_header

    @property
    def is_data(self):
        return self.header.type in (DATA, DATA_V2)

    def set_body(self, body, uncompressed=None):
        """Another body; a CRC that was there is made anew."""
        self.body = body
        self.header.compressed_page_size = len(body)
        if uncompressed is not None:
            self.header.uncompressed_page_size = uncompressed
        if self.header.crc is not None:
            self.set_crc()

    def set_crc(self, mistake=0):
        crc = zlib.crc32(self.body) ^ mistake
        self.header.crc = crc - (1 << 32) if crc >> 31 else crc

    def bytes(self):
        return thrift.write(self.header) + self.body


@dataclasses.dataclass
class Chunk:
    column: Struct  # ColumnChunk
    pages: list
    column_index: Struct = None
    offset_index: Struct = None
    bloom: bytes = None  # header and bits

    @property
    def meta(self):
        return self.column.meta_data

    @property
    def data_pages(self):
        return [page for page in self.pages if page.is_data]

    def index_rows(self):
        """An OffsetIndex with the first rows of pages that know their rows."""
        locations, row = [], 0
        for page in self.data_pages:
            locations.append(Struct("PageLocation", first_row_index=row))
            row += page.rows
        self.offset_index = Struct("OffsetIndex", page_locations=locations)


@dataclasses.dataclass
class Group:
    fields: Struct  # RowGroup, whose columns are those of the chunks
    chunks: list


@dataclasses.dataclass
class File:
    footer: Struct  # FileMetaData, whose row groups are those of `groups`
    groups: list

    def chunk(self, name, group=0):
        """The chunk of a leaf, by its dotted path."""
        return next(chunk for chunk in self.groups[group].chunks
                    if b".".join(chunk.meta.path_in_schema).decode() == name)

    def write(self, path, lie=None, order=None):
        """`order` permutes where the chunks of a row group lie; `lie` gets the finished footer."""
        out = bytearray(MAGIC)
        for number, group in enumerate(self.groups):
            places = list(group.chunks)
            for chunk in [places[i] for i in order] if order else places:
                _lay_pages(out, chunk)
            for chunk in places:
                _lay_blob(out, chunk.meta, "bloom_filter", chunk.bloom)
            _group_totals(group, number)
        chunks = [chunk for group in self.groups for chunk in group.chunks]
        for name in ("column_index", "offset_index"):
            for chunk in chunks:
                index = getattr(chunk, name)
                _lay_blob(out, chunk.column, name, thrift.write(index) if index else None)
        footer = self.footer
        footer.row_groups = [group.fields for group in self.groups]
        footer.num_rows = sum(group.fields.num_rows for group in self.groups)
        if lie:
            footer = footer.copy()
            lie(footer)
        raw = thrift.write(footer)
        path.write_bytes(bytes(out) + raw + struct.pack("<I", len(raw)) + MAGIC)
        return path


def _lay_blob(out, holder, name, blob):
    setattr(holder, f"{name}_offset", len(out) if blob else None)
    setattr(holder, f"{name}_length", len(blob) if blob else None)
    out += blob or b""


def _lay_pages(out, chunk):
    """Appends the pages; tells in the metadata what they are and where."""
    meta, begin = chunk.meta, len(out)
    meta.dictionary_page_offset = meta.data_page_offset = None
    meta.num_values = meta.total_uncompressed_size = 0
    encodings, stats, locations = {ENCODINGS["RLE"]: 1}, {}, []
    for page in chunk.pages:
        raw, at = page.bytes(), len(out)
        out += raw
        meta.total_uncompressed_size += (page.header.uncompressed_page_size + len(raw) - len(page.body))
        if page.detail:
            encodings[page.detail.encoding] = 1
            key = (page.header.type, page.detail.encoding)
            stats[key] = stats.get(key, 0) + 1
        if page.header.type == DICTIONARY and meta.dictionary_page_offset is None:
            meta.dictionary_page_offset = at
        if page.is_data:
            meta.data_page_offset = meta.data_page_offset or at
            meta.num_values += page.detail.num_values
            locations.append((at, len(raw)))
    meta.total_compressed_size = len(out) - begin
    meta.encodings = sorted(encodings)
    meta.encoding_stats = [Struct("PageEncodingStats", page_type=kind, encoding=encoding, count=count)
                           for (kind, encoding), count in stats.items()]
    chunk.column.file_offset = 0
    if chunk.offset_index:
        for entry, (at, size) in zip(chunk.offset_index.page_locations, locations):
            entry.offset, entry.compressed_page_size = at, size


def _group_totals(group, number):
    fields = group.fields
    fields.columns = [chunk.column for chunk in group.chunks]
    fields.total_byte_size = sum(chunk.meta.total_uncompressed_size for chunk in group.chunks)
    fields.total_compressed_size = sum(chunk.meta.total_compressed_size for chunk in group.chunks)
    first = group.chunks[0].meta
    fields.file_offset = first.dictionary_page_offset or first.data_page_offset
    fields.ordinal = number


def _pages(raw, meta):
    at = meta.dictionary_page_offset or meta.data_page_offset
    end, pages = at + meta.total_compressed_size, []
    while at < end:
        header, body = thrift.read("PageHeader", raw, at)
        at = body + header.compressed_page_size
        pages.append(Page(header, raw[body:at]))
    assert at == end, "pages pass the end of the chunk"
    return pages


def _bloom(raw, meta):
    if not meta.bloom_filter_offset:
        return None
    header, at = thrift.read("BloomFilterHeader", raw, meta.bloom_filter_offset)
    return raw[meta.bloom_filter_offset:at + header.numBytes]


def _index(raw, column, kind, name):
    offset = getattr(column, f"{name}_offset")
    return thrift.read(kind, raw, offset)[0] if offset else None


def read_footer(raw):
    length = struct.unpack("<I", raw[-8:-4])[0]
    return thrift.read("FileMetaData", raw, len(raw) - 8 - length)[0]


def take_apart(path):
    """The model of a file."""
    raw = path.read_bytes()
    footer = read_footer(raw)
    groups = [Group(fields, [Chunk(column, _pages(raw, column.meta_data),
                                   _index(raw, column, "ColumnIndex", "column_index"),
                                   _index(raw, column, "OffsetIndex", "offset_index"),
                                   _bloom(raw, column.meta_data))
                             for column in fields.columns])
              for fields in footer.row_groups]
    return File(footer, groups)
