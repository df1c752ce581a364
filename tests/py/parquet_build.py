"""Parquet files built page by page, in every form that the format allows and some that it does not.

    leaf = parquet_build.leaves(schema)["x"]
    pages = [dictionary_page(leaf, [5, 7]), page(leaf, [5, None, 7], dictionary=[5, 7]),
             page(leaf, [9], encoding="PLAIN", version=2)]
    parquet_build.file(schema, [{"id": ..., "x": chunk(leaf, pages)}]).write(path)

A page remembers its rows, so that statistics and page indexes can be true ones. The schema's
elements are those that pyarrow writes for it.
"""

import dataclasses
import io
import struct

import pyarrow
import pyarrow.parquet

import parquet_file
import parquet_values as values_of
from parquet_file import CODECS, DATA, DATA_V2, DICTIONARY, ENCODINGS, INDEX, Chunk, File, Group, Page
from parquet_thrift import Struct

REQUIRED, OPTIONAL, REPEATED = range(3)
CREATED_BY = b"page-builder version 1.0.0 (build 0)"


@dataclasses.dataclass
class Leaf:
    path: list
    type: str
    max_def: int
    max_rep: int
    codec: str = "NONE"

    def with_codec(self, codec):
        return dataclasses.replace(self, codec=codec)


@dataclasses.dataclass
class Positions:
    """A stretch of a column: levels and the values that are not null."""
    reps: list
    defs: list
    values: list

    def cut(self, at, max_def):
        """The two parts before and from position `at`."""
        before = sum(level == max_def for level in self.defs[:at])
        return (Positions(self.reps[:at], self.defs[:at], self.values[:before]),
                Positions(self.reps[at:], self.defs[at:], self.values[before:]))

    @property
    def rows(self):
        return self.reps.count(0)


def elements(schema):
    """The schema of a footer, as pyarrow writes it."""
    out = io.BytesIO()
    pyarrow.parquet.write_table(schema.empty_table(), out, store_schema=False)
    return parquet_file.read_footer(out.getvalue()).schema


def leaves(schema):
    """The leaves by dotted path, in order."""
    found, stack = {}, []  # of groups: [children left, path, def, rep]
    for element in elements(schema):
        path, max_def, max_rep = stack[-1][1:] if stack else ([], 0, 0)
        if stack:
            stack[-1][0] -= 1
            path = path + [element.name]
            max_def += element.repetition_type != REQUIRED
            max_rep += element.repetition_type == REPEATED
        if element.num_children or not stack and not found:
            stack.append([element.num_children, path, max_def, max_rep])
        else:
            kind = parquet_file.TYPES[element.type]
            found[b".".join(path).decode()] = Leaf(path, kind, max_def, max_rep)
        while stack and stack[-1][0] == 0:
            stack.pop()
    return found


def positions(leaf, rows):
    """Rows of a flat column, or of a list of three levels whose list and elements may be null."""
    if leaf.max_rep == 0:
        present = [row for row in rows if row is not None]
        return Positions([0] * len(rows), [leaf.max_def * (row is not None) for row in rows], present)
    found = Positions([], [], [])
    for row in rows:
        items = row if row else [None]
        found.reps += [0] + [1] * (len(items) - 1)
        found.defs += [0 if row is None else 1 if not row else 2 + (item is not None) for item in items]
        found.values += [item for item in items if item is not None]
    return found


def compress(codec, raw):
    """LZ4 is Hadoop's: sizes in front of a raw block."""
    if codec == "NONE":
        return raw
    body = pyarrow.Codec("lz4_raw" if codec == "LZ4" else codec.lower()).compress(raw, asbytes=True)
    return struct.pack(">II", len(raw), len(body)) + body if codec == "LZ4" else body


def _levels(levels, most):
    return values_of.hybrid(levels, most.bit_length()) if most else b""


def _header(kind, uncompressed, body, **detail):
    return Struct("PageHeader", type=kind, uncompressed_page_size=uncompressed,
                  compressed_page_size=len(body), **detail)


def _values(leaf, found, encoding, dictionary, width):
    if encoding is None:
        encoding = "RLE_DICTIONARY" if dictionary is not None else "PLAIN"
    if encoding in ("RLE_DICTIONARY", "PLAIN_DICTIONARY"):
        return encoding, values_of.ids([dictionary.index(value) for value in found.values], width)
    return encoding, values_of.encode(encoding, leaf.type, found.values)


def _page_v1(leaf, found, encoding, raw, squeeze):
    parts = [_levels(levels, most) for levels, most in ((found.reps, leaf.max_rep),
                                                        (found.defs, leaf.max_def)) if most]
    raw = b"".join(struct.pack("<I", len(part)) + part for part in parts) + raw
    body = squeeze(raw)
    detail = Struct("DataPageHeader", num_values=len(found.defs), encoding=ENCODINGS[encoding],
                    definition_level_encoding=ENCODINGS["RLE"],
                    repetition_level_encoding=ENCODINGS["RLE"])
    return Page(_header(DATA, len(raw), body, data_page_header=detail), body)


def _page_v2(leaf, found, encoding, raw, squeeze, is_compressed):
    reps, defs = _levels(found.reps, leaf.max_rep), _levels(found.defs, leaf.max_def)
    body = reps + defs + (raw if is_compressed is False or not raw else squeeze(raw))
    detail = Struct("DataPageHeaderV2", num_values=len(found.defs),
                    num_nulls=len(found.defs) - len(found.values), num_rows=found.rows,
                    encoding=ENCODINGS[encoding], definition_levels_byte_length=len(defs),
                    repetition_levels_byte_length=len(reps), is_compressed=is_compressed)
    size = len(reps) + len(defs) + len(raw)
    return Page(_header(DATA_V2, size, body, data_page_header_v2=detail), body)


def page(leaf, rows, encoding=None, version=1, dictionary=None, width=None, raw=None, squeeze=None,
         is_compressed=None, crc=False):
    """A data page of rows, or of Positions. `raw` stands in for the encoded values, `squeeze` for
    the codec; `is_compressed` None leaves the flag out."""
    found = rows if isinstance(rows, Positions) else positions(leaf, rows)
    encoded = raw
    if raw is None:
        encoding, encoded = _values(leaf, found, encoding, dictionary, width)
    squeeze = squeeze or (lambda data: compress(leaf.codec, data))
    if version == 1:
        made = _page_v1(leaf, found, encoding, encoded, squeeze)
    else:
        made = _page_v2(leaf, found, encoding, encoded, squeeze, is_compressed)
    made.rows, made.found = found.rows, found
    if crc:
        made.set_crc()
    return made


def dictionary_page(leaf, values, encoding="PLAIN"):
    raw = values_of.plain(leaf.type, values)
    body = compress(leaf.codec, raw) if raw else raw
    detail = Struct("DictionaryPageHeader", num_values=len(values), encoding=ENCODINGS[encoding])
    return Page(_header(DICTIONARY, len(raw), body, dictionary_page_header=detail), body)


def index_page(body=b"an index of old"):
    return Page(_header(INDEX, len(body), body, index_page_header=Struct("Any")), body)


def unknown_page(body=b"of a kind to come"):
    return Page(_header(4, len(body), body), body)


def bit_packed_page(leaf, rows):
    """A V1 page whose definition levels are BIT_PACKED, the encoding before RLE: most significant bit
    first, no length in front."""
    made = page(leaf, rows)
    bits = made.found.defs + [0] * (-len(made.found.defs) % 8)
    levels = bytes(sum(bit << (7 - i) for i, bit in enumerate(bits[at:at + 8]))
                   for at in range(0, len(bits), 8))
    raw = levels + values_of.plain(leaf.type, made.found.values)
    made.set_body(compress(leaf.codec, raw), len(raw))
    made.detail.definition_level_encoding = ENCODINGS["BIT_PACKED"]
    return made


def bounds(leaf, values):
    """(min, max) as statistics have them; None without values or with NaN among them."""
    if not values or any(value != value for value in values):
        return None
    least, most = min(values), max(values)
    if leaf.type in ("FLOAT", "DOUBLE"):
        least, most = (-0.0 if least == 0 else least), (0.0 if most == 0 else most)
    return values_of.plain_one(leaf.type, least), values_of.plain_one(leaf.type, most)


def statistics(leaf, values, nulls):
    pair = bounds(leaf, values)
    exact = {} if pair is None else dict(min_value=pair[0], max_value=pair[1],
                                         is_min_value_exact=True, is_max_value_exact=True)
    return Struct("Statistics", null_count=nulls, **exact)


def column_index(leaf, pages):
    """The true one; None where a page with values has no bounds."""
    pairs = [bounds(leaf, page.found.values) for page in pages]
    if any(pair is None and page.found.values for pair, page in zip(pairs, pages)):
        return None
    return Struct("ColumnIndex", null_pages=[pair is None for pair in pairs],
                  min_values=[pair[0] if pair else b"" for pair in pairs],
                  max_values=[pair[1] if pair else b"" for pair in pairs], boundary_order=0,
                  null_counts=[len(page.found.defs) - len(page.found.values) for page in pages])


def chunk(leaf, pages, index=False, stats=True):
    """A chunk of pages, with statistics and, if asked for, both page indexes."""
    meta = Struct("ColumnMetaData", type=parquet_file.TYPES.index(leaf.type),
                  path_in_schema=list(leaf.path), codec=CODECS[leaf.codec])
    made = Chunk(Struct("ColumnChunk", meta_data=meta), list(pages))
    found = [page.found for page in made.data_pages]
    if stats:
        values = [value for part in found for value in part.values]
        meta.statistics = statistics(leaf, values, sum(len(part.defs) for part in found) - len(values))
    if index:
        made.index_rows()
        made.column_index = column_index(leaf, made.data_pages)
    return made


def file(schema, groups, created_by=CREATED_BY):
    """A file of row groups: each {dotted path: chunk}, in the order of the schema."""
    made = []
    for chunks in groups:
        rows = {sum(page.rows for page in chunk.data_pages) for chunk in chunks.values()}
        assert len(rows) == 1, f"columns of {rows} rows"
        made.append(Group(Struct("RowGroup", num_rows=rows.pop()), list(chunks.values())))
    shape = elements(schema)
    orders = [Struct("ColumnOrder", TYPE_ORDER=Struct("Any")) for _ in leaves(schema)]
    footer = Struct("FileMetaData", version=1, schema=shape, created_by=created_by, column_orders=orders)
    return File(footer, made)
