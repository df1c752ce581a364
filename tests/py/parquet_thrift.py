"""The Thrift structs of Parquet, read and written in the compact protocol.

A struct is a Struct: its fields are attributes, None where absent. What the tables below do not
name is kept by its number, so that a footer that is read and written again loses nothing. Shares no
code with the program. parquet.thrift; thrift-compact-protocol.md.
"""

import copy
import struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
SCALARS = {"bool": TRUE, "i8": BYTE, "i16": I16, "i32": I32, "i64": I64, "double": DOUBLE,
           "binary": BINARY}

# Fields in the order of their numbers, from 1; "-" is a number without a field. [] is a list.
FIELDS = {
    "FileMetaData": "version:i32 schema:[SchemaElement] num_rows:i64 row_groups:[RowGroup] "
                    "key_value_metadata:[KeyValue] created_by:binary column_orders:[ColumnOrder]",
    "SchemaElement": "type:i32 type_length:i32 repetition_type:i32 name:binary num_children:i32 "
                     "converted_type:i32 scale:i32 precision:i32 field_id:i32 logical_type:Any",
    "RowGroup": "columns:[ColumnChunk] total_byte_size:i64 num_rows:i64 "
                "sorting_columns:[SortingColumn] file_offset:i64 total_compressed_size:i64 ordinal:i16",
    "SortingColumn": "column_idx:i32 descending:bool nulls_first:bool",
    "ColumnChunk": "file_path:binary file_offset:i64 meta_data:ColumnMetaData "
                   "offset_index_offset:i64 offset_index_length:i32 column_index_offset:i64 "
                   "column_index_length:i32",
    "ColumnMetaData": "type:i32 encodings:[i32] path_in_schema:[binary] codec:i32 num_values:i64 "
                      "total_uncompressed_size:i64 total_compressed_size:i64 "
                      "key_value_metadata:[KeyValue] data_page_offset:i64 index_page_offset:i64 "
                      "dictionary_page_offset:i64 statistics:Statistics "
                      "encoding_stats:[PageEncodingStats] bloom_filter_offset:i64 "
                      "bloom_filter_length:i32 size_statistics:SizeStatistics",
    "Statistics": "max:binary min:binary null_count:i64 distinct_count:i64 max_value:binary "
                  "min_value:binary is_max_value_exact:bool is_min_value_exact:bool nan_count:i64",
    "SizeStatistics": "unencoded_byte_array_data_bytes:i64 repetition_level_histogram:[i64] "
                      "definition_level_histogram:[i64]",
    "PageEncodingStats": "page_type:i32 encoding:i32 count:i32",
    "KeyValue": "key:binary value:binary",
    "ColumnOrder": "TYPE_ORDER:Any IEEE_754_TOTAL_ORDER:Any",
    "PageHeader": "type:i32 uncompressed_page_size:i32 compressed_page_size:i32 crc:i32 "
                  "data_page_header:DataPageHeader index_page_header:Any "
                  "dictionary_page_header:DictionaryPageHeader data_page_header_v2:DataPageHeaderV2",
    "DataPageHeader": "num_values:i32 encoding:i32 definition_level_encoding:i32 "
                      "repetition_level_encoding:i32 statistics:Statistics",
    "DataPageHeaderV2": "num_values:i32 num_nulls:i32 num_rows:i32 encoding:i32 "
                        "definition_levels_byte_length:i32 repetition_levels_byte_length:i32 "
                        "is_compressed:bool statistics:Statistics",
    "DictionaryPageHeader": "num_values:i32 encoding:i32 is_sorted:bool",
    "ColumnIndex": "null_pages:[bool] min_values:[binary] max_values:[binary] boundary_order:i32 "
                   "null_counts:[i64] repetition_level_histograms:[i64] "
                   "definition_level_histograms:[i64] nan_counts:[i64]",
    "OffsetIndex": "page_locations:[PageLocation] unencoded_byte_array_data_bytes:[i64]",
    "PageLocation": "offset:i64 compressed_page_size:i32 first_row_index:i64",
    "BloomFilterHeader": "numBytes:i32 algorithm:Any hash:Any compression:Any",
    "Any": "",
}


def _table(text):
    return {number: tuple(word.split(":")) for number, word in enumerate(text.split(), 1) if word != "-"}


TABLES = {kind: _table(text) for kind, text in FIELDS.items()}


class Struct:
    """Fields by name; `unknown` holds {number: (wire type, value)} of the others."""

    def __init__(self, kind, unknown=None, **fields):
        self.__dict__.update({name: None for name, _ in TABLES[kind].values()})
        self.kind, self.unknown = kind, unknown or {}
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in self.__dict__ and name not in ("kind", "unknown"):
            raise AttributeError(f"{self.kind} has no {name}")
        self.__dict__[name] = value

    def copy(self):
        return copy.deepcopy(self)


def _varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def varint(number):
    """ULEB128."""
    return _varint(number)


def zigzag(number):
    return _varint(number * 2 if number >= 0 else -number * 2 - 1)


def _wire_type(kind):
    if isinstance(kind, int):
        return kind
    return LIST if kind.startswith("[") else SCALARS.get(kind, STRUCT)


def _write_value(kind, value):
    wire = _wire_type(kind)
    if wire in (TRUE, FALSE):
        return b"\1" if value else b"\2"
    if wire == BYTE:
        return struct.pack("b", value)
    if wire in (I16, I32, I64):
        return zigzag(value)
    if wire == DOUBLE:
        return struct.pack("<d", value)
    if wire == BINARY:
        return _varint(len(value)) + value
    if wire == STRUCT:
        return write(value)
    inner, items = (kind[1:-1], value) if isinstance(kind, str) else value
    head = bytes([min(len(items), 15) << 4 | _wire_type(inner)])
    return head + (_varint(len(items)) if len(items) >= 15 else b"") + b"".join(
        _write_value(inner, item) for item in items)


def write(value):
    """The bytes of a Struct."""
    fields = [(number, kind, getattr(value, name))
              for number, (name, kind) in TABLES[value.kind].items() if getattr(value, name) is not None]
    fields += [(number, wire, raw) for number, (wire, raw) in value.unknown.items()]
    out, last = bytearray(), 0
    for number, kind, content in sorted(fields, key=lambda field: field[0]):
        wire = _wire_type(kind)
        if wire in (TRUE, FALSE):
            wire = TRUE if content else FALSE
        if 0 < number - last < 16:
            out.append(number - last << 4 | wire)
        else:
            out += bytes([wire]) + zigzag(number)
        if wire not in (TRUE, FALSE):
            out += _write_value(kind, content)
        last = number
    return bytes(out) + b"\0"


class _Reader:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data), "Thrift ends early"
        return self.data[self.at - count:self.at]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def zigzag(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def value(self, wire, kind):
        """`kind` is the name a table has for it, or None."""
        if wire in (TRUE, FALSE):
            return self.take(1)[0] == 1
        if wire == BYTE:
            return struct.unpack("b", self.take(1))[0]
        if wire in (I16, I32, I64):
            return self.zigzag()
        if wire == DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        if wire == BINARY:
            return self.take(self.varint())
        if wire == STRUCT:
            return self.struct(kind or "Any")
        assert wire in (LIST, SET), f"wire type {wire}"
        head = self.take(1)[0]
        count, inner = head >> 4, head & 15
        count = self.varint() if count == 15 else count
        items = [self.value(inner, kind[1:-1] if kind else None) for _ in range(count)]
        return items if kind else (inner, items)

    def struct(self, kind):
        found, number = Struct(kind), 0
        while head := self.take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            wire = head & 15
            name, inner = TABLES[kind].get(number, (None, None))
            value = wire == TRUE if wire in (TRUE, FALSE) else self.value(wire, inner)
            if name:
                setattr(found, name, value)
            else:
                found.unknown[number] = (wire, value)
        return found


def read(kind, data, at=0):
    """(the Struct at a position, the position behind it)."""
    reader = _Reader(data, at)
    return reader.struct(kind), reader.at
